-- The calendar into which the event was last sent, if the answer is missing, and when: the request may arrive late.
ALTER TABLE calendar_event ADD COLUMN sent_to TEXT;
ALTER TABLE calendar_event ADD COLUMN sent_at BIGINT;

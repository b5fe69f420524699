-- When the move was made that waits for the calendar; NULL of a booking. A move stands before the calendar agrees.
ALTER TABLE calendar_claim ADD COLUMN moved_at BIGINT;
-- Whether the event is written whatever is known of it, because a change that was taken back may still arrive.
ALTER TABLE calendar_event ADD COLUMN must_write BIGINT NOT NULL DEFAULT 0;

-- Who writes a follow-up takes it in hand first: one at a time, and not for ever.
ALTER TABLE follow_up ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
-- Whoever took it died, or could not write it, if it is still open by then.
ALTER TABLE follow_up ADD COLUMN held_until BIGINT;

-- The claim that a message is, or was last, sent under.
ALTER TABLE outbox ADD COLUMN claim TEXT;
CREATE INDEX outbox_by_claim ON outbox (claim) WHERE state = 'sending';

-- How often it was told that nobody takes a handoff.
ALTER TABLE handoff ADD COLUMN told INTEGER NOT NULL DEFAULT 0;

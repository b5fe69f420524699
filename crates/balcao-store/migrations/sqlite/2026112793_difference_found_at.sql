-- When the difference was first found; NULL of one that an earlier program stored.
ALTER TABLE calendar_difference ADD COLUMN found_at BIGINT;

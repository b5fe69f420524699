-- Claims whose push or reading has not ended. The third one sets the row aside, because the program crashes at it each time.
ALTER TABLE calendar_event ADD COLUMN crashes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE calendar_event ADD COLUMN set_aside_at BIGINT;
CREATE INDEX calendar_event_set_aside ON calendar_event (organization_id, appointment_id) WHERE set_aside_at IS NOT NULL;
ALTER TABLE outside_calendar ADD COLUMN crashes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE outside_calendar ADD COLUMN set_aside_at BIGINT;

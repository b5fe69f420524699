-- When the booking was given up that this event was to show, before anyone heard of it. A late insert may still arrive.
ALTER TABLE calendar_event ADD COLUMN given_up_at BIGINT;
CREATE INDEX calendar_event_given_up ON calendar_event (organization_id, given_up_at) WHERE given_up_at IS NOT NULL;

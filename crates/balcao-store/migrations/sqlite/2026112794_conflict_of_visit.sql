-- The last word of staff about a visit and an event, for each visit that an event is read on.
CREATE INDEX calendar_conflict_of_visit ON calendar_conflict (organization_id, appointment_id, calendar_id, event_id, id);

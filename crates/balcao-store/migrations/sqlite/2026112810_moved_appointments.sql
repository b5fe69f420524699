-- The appointments that became one by moves are looked up when its event is not as a push left it.
CREATE INDEX appointment_moved_to ON appointment (organization_id, moved_to) WHERE moved_to IS NOT NULL;

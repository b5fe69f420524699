-- The instances of a recurring series that one conflict is about. Such a conflict names the series as its event.
CREATE TABLE calendar_conflict_instance (
    organization_id BIGINT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    conflict_id BIGINT NOT NULL REFERENCES calendar_conflict (id) ON DELETE CASCADE,
    event_id TEXT COLLATE "C" NOT NULL,
    -- Where the instance is now, if it is anywhere.
    starts_at BIGINT,
    ends_at BIGINT,
    PRIMARY KEY (organization_id, conflict_id, event_id)
);
CREATE INDEX calendar_conflict_instance_event ON calendar_conflict_instance (organization_id, event_id);
CREATE INDEX calendar_conflict_instance_conflict ON calendar_conflict_instance (conflict_id);
SELECT balcao_wall_off('calendar_conflict_instance');

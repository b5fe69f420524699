-- Which installation this database is of. Two installations may write into one external calendar, and both count from one.
CREATE TABLE installation (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    random_id TEXT COLLATE "C" NOT NULL
);
INSERT INTO installation (id, random_id) VALUES (1, substr(replace(gen_random_uuid()::text, '-', ''), 1, 16));
-- The event that was last taken out of a calendar, because its visit wants none.
ALTER TABLE calendar_event ADD COLUMN removed_event_id TEXT COLLATE "C";
-- What the last nightly comparison found to differ, so that staff see it.
CREATE TABLE calendar_difference (
    organization_id BIGINT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    -- Absent of a calendar that was not read, and of an event that shows no visit.
    appointment_id BIGINT,
    calendar_id TEXT COLLATE "C",
    event_id TEXT COLLATE "C",
    PRIMARY KEY (organization_id, position)
);
SELECT balcao_wall_off('calendar_difference');

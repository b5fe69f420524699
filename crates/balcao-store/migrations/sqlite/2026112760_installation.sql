-- Which installation this database is of. Two installations may write into one external calendar, and both count from one.
CREATE TABLE installation (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    random_id TEXT NOT NULL
);
INSERT INTO installation (id, random_id) VALUES (1, lower(hex(randomblob(8))));
-- The event that was last taken out of a calendar, because its visit wants none.
ALTER TABLE calendar_event ADD COLUMN removed_event_id TEXT;
-- What the last nightly comparison found to differ, so that staff see it.
CREATE TABLE calendar_difference (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    kind TEXT NOT NULL,
    -- Absent of a calendar that was not read, and of an event that shows no visit.
    appointment_id BIGINT,
    calendar_id TEXT,
    event_id TEXT,
    PRIMARY KEY (organization_id, position)
);

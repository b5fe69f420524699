-- When a server was last seen at work on this database, to the minute: a copy that is older than what stands beside the file is a backup.
CREATE TABLE service_mark (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    served_at BIGINT NOT NULL
);

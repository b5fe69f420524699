-- What business, knowledge and prompts looked like, each time that they changed. A row never changes.
CREATE TABLE version (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('business', 'knowledge', 'prompt')),
    number INTEGER NOT NULL CHECK (number > 0),
    -- Of the content.
    hash TEXT NOT NULL,
    -- JSON.
    content TEXT NOT NULL,
    author TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, kind, number)
);
CREATE INDEX version_by_hash ON version (organization_id, kind, hash);
-- What a turn ran under. NULL in turns from before.
ALTER TABLE turn ADD COLUMN business_version INTEGER;
ALTER TABLE turn ADD COLUMN knowledge_version INTEGER;
ALTER TABLE turn ADD COLUMN prompt_version INTEGER;
CREATE TRIGGER version_is_immutable BEFORE UPDATE ON version
BEGIN
    SELECT RAISE(ABORT, 'a version never changes');
END;

-- What business, knowledge and prompts looked like, each time that they changed. A row never changes.
CREATE TABLE version (
    organization_id BIGINT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('business', 'knowledge', 'prompt')),
    number BIGINT NOT NULL CHECK (number > 0),
    -- Of the content.
    hash TEXT COLLATE "C" NOT NULL,
    -- JSON.
    content TEXT COLLATE "C" NOT NULL,
    author TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, kind, number)
);
CREATE INDEX version_by_hash ON version (organization_id, kind, hash);
-- What a turn ran under. NULL in turns from before.
ALTER TABLE turn ADD COLUMN business_version BIGINT;
ALTER TABLE turn ADD COLUMN knowledge_version BIGINT;
ALTER TABLE turn ADD COLUMN prompt_version BIGINT;
CREATE FUNCTION version_is_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a version never changes';
END
$$;
CREATE TRIGGER version_is_immutable BEFORE UPDATE ON version
FOR EACH ROW EXECUTE FUNCTION version_is_immutable();
SELECT balcao_wall_off('version');

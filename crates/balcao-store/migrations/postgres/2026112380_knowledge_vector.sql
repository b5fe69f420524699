-- What a model makes of an entry of the knowledge base, for search by meaning. Gone with the entry.
CREATE TABLE knowledge_vector (
    knowledge_id BIGINT PRIMARY KEY REFERENCES knowledge_entry (id) ON DELETE CASCADE,
    organization_id BIGINT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    -- Vectors of different models are not compared.
    model TEXT COLLATE "C" NOT NULL,
    -- SHA-256 of the text that it was made of.
    digest BYTEA NOT NULL,
    -- Numbers of 32 bits, the low byte first.
    vector BYTEA NOT NULL
);
CREATE INDEX knowledge_vector_by_model ON knowledge_vector (organization_id, model);
SELECT balcao_wall_off('knowledge_vector');

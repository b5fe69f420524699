-- What a model makes of an entry of the knowledge base, for search by meaning. Gone with the entry.
CREATE TABLE knowledge_vector (
    knowledge_id INTEGER PRIMARY KEY REFERENCES knowledge_entry (id) ON DELETE CASCADE,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    -- Vectors of different models are not compared.
    model TEXT NOT NULL,
    -- SHA-256 of the text that it was made of.
    digest BLOB NOT NULL,
    -- Numbers of 32 bits, the low byte first.
    vector BLOB NOT NULL
);
CREATE INDEX knowledge_vector_by_model ON knowledge_vector (organization_id, model);

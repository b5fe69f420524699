-- Keys of the HTTP API, and the conversations that programs name themselves.

CREATE TABLE api_key (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- The first characters of the key: it is found by them, and shown by them.
    prefix TEXT NOT NULL,
    -- SHA-256 of the whole key, in hexadecimal. The key itself is nowhere.
    hash TEXT NOT NULL,
    -- Words, separated by spaces.
    scopes TEXT NOT NULL,
    per_minute BIGINT NOT NULL CHECK (per_minute > 0),
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    last_used_at BIGINT,
    -- The minute that requests are counted in, and how many were given out in it.
    counted_from BIGINT NOT NULL DEFAULT 0,
    counted BIGINT NOT NULL DEFAULT 0,
    UNIQUE (hash)
);
CREATE INDEX api_key_by_prefix ON api_key (prefix);

-- A program calls a conversation by a name of its own.
CREATE TABLE api_conversation (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    conversation_id INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    PRIMARY KEY (organization_id, name)
);

-- Pages of conversations, the latest first.
CREATE INDEX conversation_latest ON conversation (organization_id, last_message_at, id);

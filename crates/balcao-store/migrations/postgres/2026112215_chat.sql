-- What a visitor of the web chat reads: their own messages and ours, in one order per conversation without gaps, so that a
-- stream that broke off goes on from the last number it showed.

CREATE TABLE chat_entry (
    conversation_id BIGINT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    organization_id BIGINT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    -- Counts from 1.
    seq BIGINT NOT NULL,
    -- What makes two attempts one entry: the visitor's name of their message, or ours of what we send.
    name TEXT COLLATE "C" NOT NULL,
    author TEXT COLLATE "C" NOT NULL CHECK (author IN ('visitor', 'agent', 'staff')),
    text TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (conversation_id, seq),
    UNIQUE (conversation_id, name)
);

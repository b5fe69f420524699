-- What a visitor of the web chat reads: their own messages and ours, in one order per conversation without gaps, so that a
-- stream that broke off goes on from the last number it showed.

CREATE TABLE chat_entry (
    conversation_id INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    -- Counts from 1.
    seq BIGINT NOT NULL,
    -- What makes two attempts one entry: the visitor's name of their message, or ours of what we send.
    name TEXT NOT NULL,
    author TEXT NOT NULL CHECK (author IN ('visitor', 'agent', 'staff')),
    text TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (conversation_id, seq),
    UNIQUE (conversation_id, name)
);

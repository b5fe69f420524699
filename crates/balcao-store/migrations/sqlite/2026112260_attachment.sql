-- Files that customers sent: one row per message that has one, from when it came until its conversation or its contact is
-- erased, and the bytes with it. The states are in `balcao-domain`, `attachment.rs`.

CREATE TABLE attachment (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    contact_id INTEGER NOT NULL REFERENCES contact (id) ON DELETE CASCADE,
    conversation_id INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    inbox_id INTEGER NOT NULL REFERENCES inbox (id) ON DELETE CASCADE,
    channel TEXT NOT NULL,
    account TEXT NOT NULL,
    -- What its message said of it, as JSON of the channel.
    media TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'stored', 'unreadable')),
    attempts BIGINT NOT NULL DEFAULT 0,
    -- Nobody tries before.
    not_before BIGINT NOT NULL,
    -- Whoever fetches it died if nothing is known by then.
    lease_until BIGINT,
    -- So long its turn waits for it.
    awaited_until BIGINT NOT NULL,
    -- Its type, as its bytes say.
    mime TEXT,
    size BIGINT,
    -- SHA-256 of its bytes, in hexadecimal.
    sha256 TEXT,
    bytes BLOB,
    -- What is said in it.
    transcript TEXT,
    -- Why it could not be read, for staff.
    failure TEXT,
    created_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    UNIQUE (inbox_id)
);
CREATE INDEX attachment_due ON attachment (not_before) WHERE state = 'waiting';
CREATE INDEX attachment_by_conversation ON attachment (organization_id, conversation_id, id);
CREATE INDEX attachment_by_contact ON attachment (contact_id);

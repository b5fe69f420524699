-- Files that staff send, beside those that customers sent; which message a file belongs to; that its time is over. A column that
-- may be null now is a new table here: nothing refers to this one.

CREATE TABLE attachment_of_both (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    contact_id INTEGER NOT NULL REFERENCES contact (id) ON DELETE CASCADE,
    conversation_id INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    -- What it came in with; null if staff made it.
    inbox_id INTEGER REFERENCES inbox (id) ON DELETE CASCADE,
    -- What shows it in the conversation; null until there is such a message.
    message_id INTEGER REFERENCES message (id) ON DELETE CASCADE,
    channel TEXT NOT NULL,
    account TEXT NOT NULL,
    -- What its message said of it, as JSON of the channel.
    media TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'stored', 'unreadable', 'expired')),
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
INSERT INTO attachment_of_both (id, organization_id, contact_id, conversation_id, inbox_id, channel, account, media, state,
                                attempts, not_before, lease_until, awaited_until, mime, size, sha256, bytes, transcript, failure,
                                created_at, changed_at)
    SELECT id, organization_id, contact_id, conversation_id, inbox_id, channel, account, media, state, attempts, not_before,
           lease_until, awaited_until, mime, size, sha256, bytes, transcript, failure, created_at, changed_at
    FROM attachment;
DROP TABLE attachment;
ALTER TABLE attachment_of_both RENAME TO attachment;
CREATE INDEX attachment_due ON attachment (not_before) WHERE state = 'waiting';
CREATE INDEX attachment_by_conversation ON attachment (organization_id, conversation_id, id);
CREATE INDEX attachment_by_contact ON attachment (contact_id);
CREATE INDEX attachment_by_message ON attachment (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX attachment_by_age ON attachment (organization_id, created_at) WHERE state <> 'expired';

-- A file that a visitor of the web chat may read.
ALTER TABLE chat_entry ADD COLUMN attachment_id INTEGER REFERENCES attachment (id) ON DELETE SET NULL;
CREATE INDEX chat_entry_by_attachment ON chat_entry (attachment_id) WHERE attachment_id IS NOT NULL;

-- When what is too old is next deleted, and who is at it.
CREATE TABLE retention (
    organization_id INTEGER PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
    next_at BIGINT NOT NULL,
    -- Whoever deletes died if nothing is known by then.
    lease_until BIGINT
);

-- Files that staff send, beside those that customers sent; which message a file belongs to; that its time is over.

-- What it came in with; null if staff made it.
ALTER TABLE attachment ALTER COLUMN inbox_id DROP NOT NULL;
-- What shows it in the conversation; null until there is such a message.
ALTER TABLE attachment ADD COLUMN message_id BIGINT REFERENCES message (id) ON DELETE CASCADE;
ALTER TABLE attachment DROP CONSTRAINT attachment_state_check;
ALTER TABLE attachment ADD CONSTRAINT attachment_state_check CHECK (state IN ('waiting', 'stored', 'unreadable', 'expired'));
CREATE INDEX attachment_by_message ON attachment (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX attachment_by_age ON attachment (organization_id, created_at) WHERE state <> 'expired';

-- A file that a visitor of the web chat may read.
ALTER TABLE chat_entry ADD COLUMN attachment_id BIGINT REFERENCES attachment (id) ON DELETE SET NULL;
CREATE INDEX chat_entry_by_attachment ON chat_entry (attachment_id) WHERE attachment_id IS NOT NULL;

-- When what is too old is next deleted, and who is at it.
CREATE TABLE retention (
    organization_id BIGINT PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
    next_at BIGINT NOT NULL,
    -- Whoever deletes died if nothing is known by then.
    lease_until BIGINT
);
SELECT balcao_wall_off('retention');

-- Which message of the thread leaves with it: staff see whether what they wrote arrived.
ALTER TABLE outbox ADD COLUMN message_id BIGINT REFERENCES message (id) ON DELETE SET NULL;
UPDATE outbox SET message_id = (SELECT m.id FROM message m WHERE m.turn_id = outbox.turn_id AND m.author IN ('agent', 'draft'))
WHERE turn_id IS NOT NULL;
CREATE INDEX outbox_of_message ON outbox (message_id) WHERE message_id IS NOT NULL;

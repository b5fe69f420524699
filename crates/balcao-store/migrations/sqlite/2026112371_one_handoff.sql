-- A conversation waits for a person once (F-154): of several open handoffs the first stays.
UPDATE handoff SET resolved_at = created_at WHERE resolved_at IS NULL AND EXISTS (
    SELECT 1 FROM handoff earlier WHERE earlier.organization_id = handoff.organization_id
    AND earlier.conversation_id = handoff.conversation_id AND earlier.resolved_at IS NULL AND earlier.id < handoff.id);
CREATE UNIQUE INDEX handoff_one_open ON handoff (organization_id, conversation_id) WHERE resolved_at IS NULL;

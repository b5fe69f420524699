-- Attempts that the program did not live to end are counted apart from those that failed: the third is the last.
ALTER TABLE attachment ADD COLUMN deaths BIGINT NOT NULL DEFAULT 0;
ALTER TABLE webhook_delivery ADD COLUMN deaths BIGINT NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN deaths BIGINT NOT NULL DEFAULT 0;

-- What was set aside lately raises an alarm, which is looked for every few seconds.
CREATE INDEX pack_delivery_failed ON pack_delivery (organization_id, not_before) WHERE state = 'failed';
CREATE INDEX pack_delivery_command_failed ON pack_delivery_command (organization_id, not_before) WHERE state = 'failed';

-- How often a message was sent anew after an attempt that had counted: statuses of the earlier ones are told apart by it.
ALTER TABLE outbox ADD COLUMN round BIGINT NOT NULL DEFAULT 0;
-- Attempts that failed because the whole account could send nothing: they use up none of the message's own.
ALTER TABLE outbox ADD COLUMN excused BIGINT NOT NULL DEFAULT 0;
-- Whether it was tried at the other spelling of the customer's number.
ALTER TABLE outbox ADD COLUMN respelled BIGINT NOT NULL DEFAULT 0;

-- A person of staff who left stays with their name, for what they did; nothing new reaches them.
ALTER TABLE staff ADD COLUMN active BIGINT NOT NULL DEFAULT 1;

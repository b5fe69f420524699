-- A person of staff who left stays with their name, for what they did; nothing new reaches them.
ALTER TABLE staff ADD COLUMN active INTEGER NOT NULL DEFAULT 1;

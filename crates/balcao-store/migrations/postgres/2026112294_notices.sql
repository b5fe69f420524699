-- Which notices a professional wants, and the word in a first message that means them.
ALTER TABLE professional ADD COLUMN notify_whatsapp BIGINT NOT NULL DEFAULT 0;
ALTER TABLE professional ADD COLUMN notify_email BIGINT NOT NULL DEFAULT 0;
ALTER TABLE professional ADD COLUMN code TEXT COLLATE "C";
CREATE UNIQUE INDEX professional_by_code ON professional (organization_id, code) WHERE code IS NOT NULL;

-- Which notices a professional wants, and the word in a first message that means them.
ALTER TABLE professional ADD COLUMN notify_whatsapp INTEGER NOT NULL DEFAULT 0;
ALTER TABLE professional ADD COLUMN notify_email INTEGER NOT NULL DEFAULT 0;
ALTER TABLE professional ADD COLUMN code TEXT;
CREATE UNIQUE INDEX professional_by_code ON professional (organization_id, code) WHERE code IS NOT NULL;

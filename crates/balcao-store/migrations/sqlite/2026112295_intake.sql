-- Whom a conversation is about, where one number serves several professionals.
ALTER TABLE conversation ADD COLUMN professional_id INTEGER REFERENCES professional (id) ON DELETE SET NULL;
-- The number of whoever comes, where that is somebody else than the contact.
ALTER TABLE appointment ADD COLUMN attendee_phone TEXT;

-- What a calendar elsewhere knows an appointment by. It moves with the appointment; null until then: the row names itself.
ALTER TABLE appointment ADD COLUMN uid TEXT;
-- How often it was moved.
ALTER TABLE appointment ADD COLUMN revision BIGINT NOT NULL DEFAULT 0;

-- Addresses under which a calendar program reads a professional's agenda.
CREATE TABLE agenda_feed (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    professional_id INTEGER NOT NULL REFERENCES professional (id) ON DELETE CASCADE,
    -- SHA-256 of the token, in hexadecimal. The token itself is nowhere.
    hash TEXT NOT NULL,
    detail TEXT NOT NULL CHECK (detail IN ('busy', 'service', 'first_name')),
    created_at BIGINT NOT NULL,
    revoked_at BIGINT,
    UNIQUE (hash)
);
CREATE INDEX agenda_feed_by_professional ON agenda_feed (organization_id, professional_id);

-- The professional that somebody of staff is: their names need not be the same.
ALTER TABLE staff ADD COLUMN professional_id INTEGER REFERENCES professional (id) ON DELETE SET NULL;

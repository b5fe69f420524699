-- How an appointment ended: who said so and when, and the status from before any mark, so that an undo is exact. An appointment that
-- ended before this has no record of it.
ALTER TABLE appointment ADD COLUMN marked_at BIGINT;
ALTER TABLE appointment ADD COLUMN marked_by TEXT COLLATE "C";
ALTER TABLE appointment ADD COLUMN marked_from TEXT COLLATE "C" CHECK (marked_from IN ('pending', 'confirmed'));
-- When the server took up a visit that nobody had marked: it does so once.
ALTER TABLE appointment ADD COLUMN reviewed_at BIGINT;
CREATE INDEX appointment_unreviewed ON appointment (organization_id, ends_at, id)
    WHERE status = 'confirmed' AND reviewed_at IS NULL;

-- A reminder is known by its appointment, the start that it reminds of, and the minutes before it, wherever quiet hours move it.
-- SQLite cannot drop the old unique key, so the table is built anew.
CREATE TABLE reminder_rebuilt (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    appointment_id INTEGER NOT NULL REFERENCES appointment (id) ON DELETE CASCADE,
    starts_at BIGINT NOT NULL,
    minutes_before INTEGER NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('automatic', 'asked')),
    remind_at BIGINT NOT NULL,
    state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'sent', 'cancelled', 'skipped')),
    -- When the contact answered that they will come.
    confirmed_at BIGINT,
    created_at BIGINT NOT NULL,
    UNIQUE (organization_id, appointment_id, starts_at, minutes_before)
);
-- Of two reminders in one minute one is enough: the one that is still to come.
INSERT INTO reminder_rebuilt (id, organization_id, appointment_id, starts_at, minutes_before, origin, remind_at, state, created_at)
SELECT id, organization_id, appointment_id, starts_at, minutes_before, 'asked', remind_at, state, created_at FROM (
    SELECT kept.*, ROW_NUMBER() OVER (PARTITION BY organization_id, appointment_id, minutes_before
                                      ORDER BY CASE state WHEN 'open' THEN 0 ELSE 1 END, id) AS place
    FROM (SELECT r.*, a.starts_at, (a.starts_at - r.remind_at) / 60000 AS minutes_before
          FROM reminder r JOIN appointment a ON a.id = r.appointment_id) AS kept) AS ranked
WHERE place = 1;
DROP TABLE reminder;
ALTER TABLE reminder_rebuilt RENAME TO reminder;
CREATE INDEX reminder_due ON reminder (state, remind_at);
CREATE INDEX reminder_planned ON reminder (organization_id, state, remind_at, id);

-- A reminder is known by its appointment, the start that it reminds of, and the minutes before it, wherever quiet hours move it.
ALTER TABLE reminder ADD COLUMN starts_at BIGINT;
ALTER TABLE reminder ADD COLUMN minutes_before BIGINT;
ALTER TABLE reminder ADD COLUMN origin TEXT COLLATE "C" CHECK (origin IN ('automatic', 'asked'));
-- When the contact answered that they will come.
ALTER TABLE reminder ADD COLUMN confirmed_at BIGINT;
UPDATE reminder SET starts_at = a.starts_at, minutes_before = (a.starts_at - reminder.remind_at) / 60000, origin = 'asked'
FROM appointment a WHERE a.id = reminder.appointment_id;
-- Of two reminders in one minute one is enough: the one that is still to come.
DELETE FROM reminder WHERE id IN (
    SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY organization_id, appointment_id, minutes_before
                                                  ORDER BY CASE state WHEN 'open' THEN 0 ELSE 1 END, id) AS place FROM reminder) AS ranked
    WHERE place > 1);
ALTER TABLE reminder ALTER COLUMN starts_at SET NOT NULL;
ALTER TABLE reminder ALTER COLUMN minutes_before SET NOT NULL;
ALTER TABLE reminder ALTER COLUMN origin SET NOT NULL;
ALTER TABLE reminder DROP CONSTRAINT reminder_organization_id_appointment_id_remind_at_key;
ALTER TABLE reminder ADD CONSTRAINT reminder_of_start UNIQUE (organization_id, appointment_id, starts_at, minutes_before);
CREATE INDEX reminder_planned ON reminder (organization_id, state, remind_at, id);

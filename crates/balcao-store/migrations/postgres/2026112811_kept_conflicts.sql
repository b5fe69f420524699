-- Staff keep an appointment in spite of each reason for which it lies outside of working time, as long as that reason lasts.
CREATE TABLE kept_conflict (
    organization_id BIGINT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    appointment_id BIGINT NOT NULL REFERENCES appointment (id) ON DELETE CASCADE,
    reason TEXT COLLATE "C" NOT NULL CHECK (reason IN ('time_off', 'business_closed', 'not_working')),
    kept_at BIGINT NOT NULL,
    kept_by TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, appointment_id, reason)
);
CREATE INDEX kept_conflict_appointment ON kept_conflict (appointment_id);
INSERT INTO kept_conflict (organization_id, appointment_id, reason, kept_at, kept_by)
SELECT organization_id, id, kept_for, kept_at, kept_by FROM appointment WHERE kept_for IS NOT NULL;
ALTER TABLE appointment DROP COLUMN kept_for;
ALTER TABLE appointment DROP COLUMN kept_at;
ALTER TABLE appointment DROP COLUMN kept_by;
SELECT balcao_wall_off('kept_conflict');

-- A person moved the event of an appointment outside, and the appointment followed: the appointment as its customer knows it. The row is
-- then the report for staff, who decide whether the customer gets the message.
ALTER TABLE calendar_conflict ADD COLUMN moved_from BIGINT REFERENCES appointment (id) ON DELETE CASCADE;
CREATE INDEX calendar_conflict_moved_from ON calendar_conflict (moved_from) WHERE moved_from IS NOT NULL;

-- The last comparison of a business's appointments with their events. The day is claimed before a process begins.
CREATE TABLE calendar_comparison (
    organization_id BIGINT PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
    -- The local day, YYYY-MM-DD.
    day TEXT COLLATE "C" NOT NULL,
    claimed_until BIGINT NOT NULL,
    ended_at BIGINT,
    equal BIGINT NOT NULL DEFAULT 0,
    repaired BIGINT NOT NULL DEFAULT 0,
    differing BIGINT NOT NULL DEFAULT 0
);
SELECT balcao_wall_off('calendar_comparison');

-- Calendars of a service outside that we read: how far our copy of each has come.
CREATE TABLE outside_calendar (
    organization_id BIGINT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    calendar_id TEXT COLLATE "C" NOT NULL,
    -- Where the next listing of changes goes on; absent before the first complete one.
    token TEXT COLLATE "C",
    -- The copy holds what was there at this instant; absent before the first complete listing.
    synced_at BIGINT,
    due_at BIGINT NOT NULL,
    claimed_until BIGINT NOT NULL DEFAULT 0,
    -- Each claim counts it up: whoever lost the claim writes nothing more.
    epoch BIGINT NOT NULL DEFAULT 0,
    -- Each complete reading counts it up, and its rows carry it.
    generation BIGINT NOT NULL DEFAULT 0,
    failure TEXT COLLATE "C" CHECK (failure IN ('unavailable', 'disconnected', 'refused', 'drop')),
    failure_reason TEXT COLLATE "C",
    failing_since BIGINT,
    failures BIGINT NOT NULL DEFAULT 0,
    channel_id TEXT COLLATE "C",
    -- SHA-256 of the secret that a call must bring, in hexadecimal. The secret itself is nowhere.
    channel_hash TEXT COLLATE "C",
    channel_resource TEXT COLLATE "C",
    channel_ends_at BIGINT,
    PRIMARY KEY (organization_id, calendar_id)
);
CREATE INDEX outside_calendar_due ON outside_calendar (organization_id, due_at);
CREATE UNIQUE INDEX outside_calendar_channel ON outside_calendar (channel_id) WHERE channel_id IS NOT NULL;

-- Whose time a calendar outside takes, and into which one the appointments of a professional are written.
CREATE TABLE calendar_link (
    organization_id BIGINT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    professional_id BIGINT NOT NULL REFERENCES professional (id) ON DELETE CASCADE,
    calendar_id TEXT COLLATE "C" NOT NULL,
    access TEXT COLLATE "C" NOT NULL CHECK (access IN ('read', 'write')),
    linked_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, professional_id, calendar_id),
    FOREIGN KEY (organization_id, calendar_id) REFERENCES outside_calendar (organization_id, calendar_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX calendar_link_write ON calendar_link (organization_id, professional_id) WHERE access = 'write';
CREATE INDEX calendar_link_calendar ON calendar_link (organization_id, calendar_id);

-- Time that events outside take. No word of them: they are other people's.
CREATE TABLE calendar_busy (
    organization_id BIGINT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    calendar_id TEXT COLLATE "C" NOT NULL,
    event_id TEXT COLLATE "C" NOT NULL,
    starts_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    all_day BIGINT NOT NULL,
    version TEXT COLLATE "C" NOT NULL,
    generation BIGINT NOT NULL,
    PRIMARY KEY (organization_id, calendar_id, event_id),
    FOREIGN KEY (organization_id, calendar_id) REFERENCES outside_calendar (organization_id, calendar_id) ON DELETE CASCADE
);
CREATE INDEX calendar_busy_span ON calendar_busy (organization_id, calendar_id, ends_at, starts_at);

-- Events outside that cannot be read: each is put aside, and the others go on.
CREATE TABLE calendar_quarantine (
    organization_id BIGINT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    calendar_id TEXT COLLATE "C" NOT NULL,
    event_id TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    found_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, calendar_id, event_id)
);

-- The event that shows an appointment in a calendar outside. A change of the appointment raises `wanted`; a push that has come so far
-- sets `pushed`.
CREATE TABLE calendar_event (
    organization_id BIGINT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    appointment_id BIGINT NOT NULL REFERENCES appointment (id) ON DELETE CASCADE,
    -- What the ids of its events begin with. A moved appointment keeps it.
    seed TEXT COLLATE "C" NOT NULL,
    -- A deleted id cannot be used again: the next event has the next number.
    attempt BIGINT NOT NULL DEFAULT 1,
    -- How often an insert under this number may have been sent.
    begun BIGINT NOT NULL DEFAULT 0,
    -- The event as this program last wrote or read it; absent if there is none that we know of.
    calendar_id TEXT COLLATE "C",
    event_id TEXT COLLATE "C",
    version TEXT COLLATE "C",
    shown_from BIGINT,
    shown_to BIGINT,
    -- The appointment that the event names.
    marked BIGINT,
    wanted BIGINT NOT NULL,
    pushed BIGINT NOT NULL DEFAULT 0,
    -- Each claim counts it up: whoever lost the claim writes nothing more.
    claim BIGINT NOT NULL DEFAULT 0,
    claimed_until BIGINT NOT NULL DEFAULT 0,
    not_before BIGINT NOT NULL,
    tries BIGINT NOT NULL DEFAULT 0,
    failure TEXT COLLATE "C",
    PRIMARY KEY (organization_id, appointment_id)
);
CREATE INDEX calendar_event_waiting ON calendar_event (organization_id, not_before) WHERE wanted > pushed;
CREATE INDEX calendar_event_outside ON calendar_event (organization_id, calendar_id, event_id);

-- A booking that waits for the calendar outside: the appointment that holds its time, and the answer that it will get. The key is that of
-- the effect, so that whoever runs it again after a crash goes on with the same appointment.
CREATE TABLE calendar_claim (
    organization_id BIGINT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    key TEXT COLLATE "C" NOT NULL,
    args_hash TEXT COLLATE "C" NOT NULL,
    appointment_id BIGINT NOT NULL REFERENCES appointment (id) ON DELETE CASCADE,
    answer TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, key)
);
CREATE INDEX calendar_claim_appointment ON calendar_claim (organization_id, appointment_id);

-- What people did outside that staff have to resolve.
CREATE TABLE calendar_conflict (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    organization_id BIGINT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    appointment_id BIGINT NOT NULL REFERENCES appointment (id) ON DELETE CASCADE,
    kind TEXT COLLATE "C" NOT NULL,
    calendar_id TEXT COLLATE "C" NOT NULL,
    event_id TEXT COLLATE "C" NOT NULL,
    -- Where the event is now, if it is anywhere.
    event_from BIGINT,
    event_to BIGINT,
    version TEXT COLLATE "C" NOT NULL,
    found_at BIGINT NOT NULL,
    resolved_at BIGINT,
    resolution TEXT COLLATE "C"
);
CREATE UNIQUE INDEX calendar_conflict_open ON calendar_conflict (organization_id, appointment_id, calendar_id, event_id)
    WHERE resolved_at IS NULL;
SELECT balcao_wall_off('outside_calendar');
SELECT balcao_wall_off('calendar_link');
SELECT balcao_wall_off('calendar_busy');
SELECT balcao_wall_off('calendar_quarantine');
SELECT balcao_wall_off('calendar_event');
SELECT balcao_wall_off('calendar_claim');
SELECT balcao_wall_off('calendar_conflict');

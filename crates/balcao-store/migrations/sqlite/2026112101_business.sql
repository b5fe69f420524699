-- The business and its customers. Instants are milliseconds since the epoch (UTC), civil dates are `YYYY-MM-DD`, money is
-- integer cents of the organization's currency. Every table carries the organization.

CREATE TABLE organization (
    id INTEGER PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    timezone TEXT NOT NULL,
    locale TEXT NOT NULL,
    currency TEXT NOT NULL,
    phone TEXT,
    address TEXT,
    weekly_hours TEXT NOT NULL,
    scheduling TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

-- What replaces the weekly hours of a date; professional 0 is the business itself.
CREATE TABLE hours_exception (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    professional_id INTEGER NOT NULL DEFAULT 0,
    date TEXT NOT NULL,
    periods TEXT NOT NULL,
    note TEXT,
    PRIMARY KEY (organization_id, professional_id, date)
);

CREATE TABLE holiday (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    date TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (organization_id, date)
);

CREATE TABLE professional (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    profession TEXT,
    weekly_hours TEXT NOT NULL,
    restrictions TEXT,
    capacity INTEGER NOT NULL DEFAULT 1 CHECK (capacity >= 1),
    phone TEXT,
    email TEXT,
    active INTEGER NOT NULL DEFAULT 1,
    UNIQUE (organization_id, name)
);

CREATE TABLE professional_alias (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    professional_id INTEGER NOT NULL REFERENCES professional (id) ON DELETE CASCADE,
    alias TEXT NOT NULL,
    PRIMARY KEY (organization_id, professional_id, alias)
);

CREATE TABLE service (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    description TEXT,
    price_cents BIGINT NOT NULL CHECK (price_cents >= 0),
    duration_min INTEGER NOT NULL CHECK (duration_min > 0 AND duration_min % 5 = 0),
    buffer_before_min INTEGER NOT NULL DEFAULT 0 CHECK (buffer_before_min >= 0 AND buffer_before_min % 5 = 0),
    buffer_after_min INTEGER NOT NULL DEFAULT 0 CHECK (buffer_after_min >= 0 AND buffer_after_min % 5 = 0),
    notice_min INTEGER,
    advance_days INTEGER,
    cancellation_notice_min INTEGER,
    active INTEGER NOT NULL DEFAULT 1,
    UNIQUE (organization_id, name)
);

CREATE TABLE service_alias (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    service_id INTEGER NOT NULL REFERENCES service (id) ON DELETE CASCADE,
    alias TEXT NOT NULL,
    PRIMARY KEY (organization_id, service_id, alias)
);

CREATE TABLE professional_service (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    professional_id INTEGER NOT NULL REFERENCES professional (id) ON DELETE CASCADE,
    service_id INTEGER NOT NULL REFERENCES service (id) ON DELETE CASCADE,
    duration_min INTEGER CHECK (duration_min > 0 AND duration_min % 5 = 0),
    price_cents BIGINT CHECK (price_cents >= 0),
    PRIMARY KEY (organization_id, professional_id, service_id)
);

CREATE TABLE time_off (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    professional_id INTEGER NOT NULL REFERENCES professional (id) ON DELETE CASCADE,
    starts_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    note TEXT,
    CHECK (starts_at < ends_at)
);
CREATE INDEX time_off_by_professional ON time_off (organization_id, professional_id, ends_at);

CREATE TABLE plan (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    price_cents BIGINT NOT NULL CHECK (price_cents >= 0),
    period TEXT NOT NULL CHECK (period IN ('week', 'month', 'year')),
    quota INTEGER,
    benefits TEXT NOT NULL,
    active INTEGER NOT NULL DEFAULT 1,
    UNIQUE (organization_id, name)
);

CREATE TABLE plan_service (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    plan_id INTEGER NOT NULL REFERENCES plan (id) ON DELETE CASCADE,
    service_id INTEGER NOT NULL REFERENCES service (id) ON DELETE CASCADE,
    PRIMARY KEY (organization_id, plan_id, service_id)
);

CREATE TABLE contact (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    name TEXT,
    preferred_name TEXT,
    phone_identity TEXT,
    phone_received TEXT,
    channel_user TEXT,
    email TEXT,
    address TEXT,
    custom_fields TEXT NOT NULL DEFAULT '{}',
    created_at BIGINT NOT NULL,
    UNIQUE (organization_id, phone_identity),
    UNIQUE (organization_id, channel_user)
);

CREATE TABLE subscriber (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    contact_id INTEGER NOT NULL REFERENCES contact (id) ON DELETE CASCADE,
    plan_id INTEGER NOT NULL REFERENCES plan (id),
    status TEXT NOT NULL CHECK (status IN ('active', 'overdue', 'cancelled')),
    due_on TEXT,
    UNIQUE (organization_id, contact_id, plan_id)
);

CREATE TABLE pipeline (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    UNIQUE (organization_id, name)
);

CREATE TABLE stage (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    pipeline_id INTEGER NOT NULL REFERENCES pipeline (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    position INTEGER NOT NULL,
    UNIQUE (organization_id, pipeline_id, name),
    UNIQUE (organization_id, pipeline_id, position)
);

CREATE TABLE contact_stage (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    contact_id INTEGER NOT NULL REFERENCES contact (id) ON DELETE CASCADE,
    pipeline_id INTEGER NOT NULL REFERENCES pipeline (id) ON DELETE CASCADE,
    stage_id INTEGER NOT NULL REFERENCES stage (id) ON DELETE CASCADE,
    PRIMARY KEY (organization_id, contact_id, pipeline_id)
);

CREATE TABLE tag (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    UNIQUE (organization_id, name)
);

CREATE TABLE contact_tag (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    contact_id INTEGER NOT NULL REFERENCES contact (id) ON DELETE CASCADE,
    tag_id INTEGER NOT NULL REFERENCES tag (id) ON DELETE CASCADE,
    PRIMARY KEY (organization_id, contact_id, tag_id)
);

-- `seat` is null only inside the transaction that inserts the row, until its claims are made.
CREATE TABLE appointment (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    contact_id INTEGER NOT NULL REFERENCES contact (id) ON DELETE CASCADE,
    professional_id INTEGER NOT NULL REFERENCES professional (id),
    service_id INTEGER REFERENCES service (id),
    service_name TEXT NOT NULL,
    starts_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    occupied_from BIGINT NOT NULL,
    occupied_to BIGINT NOT NULL,
    seat INTEGER CHECK (seat >= 1),
    status TEXT NOT NULL CHECK (status IN ('pending', 'confirmed', 'completed', 'no_show', 'cancelled')),
    price_cents BIGINT NOT NULL,
    plan_id INTEGER REFERENCES plan (id),
    attendee TEXT,
    source TEXT NOT NULL,
    expires_at BIGINT,
    created_at BIGINT NOT NULL,
    cancelled_at BIGINT,
    CHECK (starts_at < ends_at AND occupied_from <= starts_at AND ends_at <= occupied_to),
    -- The overlap trigger looks one day back and no further.
    CHECK (occupied_to - occupied_from <= 86400000)
);
-- Cancelled appointments pile up where people change their minds, and must not slow the questions about taken time.
CREATE INDEX appointment_by_professional ON appointment (organization_id, professional_id, occupied_from)
    WHERE status <> 'cancelled';
CREATE INDEX appointment_by_time ON appointment (organization_id, occupied_from) WHERE status <> 'cancelled';
CREATE INDEX appointment_by_start ON appointment (organization_id, starts_at);
CREATE INDEX appointment_by_contact ON appointment (organization_id, contact_id, starts_at);
-- Two turns that ask for the same thing book once.
CREATE UNIQUE INDEX appointment_once_per_start ON appointment (organization_id, contact_id, starts_at, COALESCE(attendee, ''))
    WHERE status IN ('pending', 'confirmed');

-- First wall against double booking: one row per seat and quantum of five minutes (facts: exactly once, 3.6).
CREATE TABLE slot_claim (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    professional_id INTEGER NOT NULL REFERENCES professional (id) ON DELETE CASCADE,
    seat INTEGER NOT NULL CHECK (seat >= 1),
    quantum INTEGER NOT NULL,
    appointment_id INTEGER NOT NULL REFERENCES appointment (id) ON DELETE CASCADE,
    PRIMARY KEY (organization_id, professional_id, seat, quantum)
) WITHOUT ROWID;
CREATE INDEX slot_claim_by_appointment ON slot_claim (appointment_id);

-- Second wall: no two appointments of one professional and seat overlap, whatever the program believes.
CREATE TRIGGER appointment_no_overlap_insert BEFORE INSERT ON appointment
WHEN NEW.status <> 'cancelled' AND NEW.seat IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'appointment overlaps another one') WHERE EXISTS (
        SELECT 1 FROM appointment
        WHERE organization_id = NEW.organization_id AND professional_id = NEW.professional_id AND seat = NEW.seat
          AND status <> 'cancelled'
          AND occupied_from > NEW.occupied_from - 86400000
          AND occupied_from < NEW.occupied_to AND occupied_to > NEW.occupied_from
    );
END;

CREATE TRIGGER appointment_no_overlap_update
BEFORE UPDATE OF status, seat, professional_id, occupied_from, occupied_to ON appointment
WHEN NEW.status <> 'cancelled' AND NEW.seat IS NOT NULL
BEGIN
    SELECT RAISE(ABORT, 'appointment overlaps another one') WHERE EXISTS (
        SELECT 1 FROM appointment
        WHERE organization_id = NEW.organization_id AND professional_id = NEW.professional_id AND seat = NEW.seat
          AND status <> 'cancelled' AND id <> NEW.id
          AND occupied_from > NEW.occupied_from - 86400000
          AND occupied_from < NEW.occupied_to AND occupied_to > NEW.occupied_from
    );
END;

CREATE TABLE waitlist (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    contact_id INTEGER NOT NULL REFERENCES contact (id) ON DELETE CASCADE,
    date TEXT NOT NULL,
    professional_id INTEGER REFERENCES professional (id),
    service_id INTEGER REFERENCES service (id),
    period TEXT CHECK (period IN ('morning', 'afternoon', 'evening')),
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'offered', 'served', 'left')),
    created_at BIGINT NOT NULL
);
CREATE INDEX waitlist_by_date ON waitlist (organization_id, date, state);

-- A freed slot, held for whom it was offered to.
CREATE TABLE waitlist_offer (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    waitlist_id INTEGER NOT NULL REFERENCES waitlist (id) ON DELETE CASCADE,
    contact_id INTEGER NOT NULL REFERENCES contact (id) ON DELETE CASCADE,
    professional_id INTEGER NOT NULL REFERENCES professional (id),
    seat INTEGER NOT NULL,
    starts_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    held_until BIGINT NOT NULL,
    state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'accepted', 'passed')),
    created_at BIGINT NOT NULL
);
CREATE INDEX waitlist_offer_by_time ON waitlist_offer (organization_id, state, starts_at);

CREATE TABLE note (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    contact_id INTEGER NOT NULL REFERENCES contact (id) ON DELETE CASCADE,
    content TEXT NOT NULL,
    author TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX note_by_contact ON note (organization_id, contact_id, id);

CREATE TABLE knowledge_entry (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    category TEXT,
    title TEXT NOT NULL,
    content TEXT NOT NULL,
    UNIQUE (organization_id, category, title)
);

-- Holds tokens that the program folded and stemmed; the row id is the entry's.
CREATE VIRTUAL TABLE knowledge_search USING fts5 (title, content, category, tokenize = "unicode61 remove_diacritics 0");

CREATE TABLE template (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    category TEXT NOT NULL,
    language TEXT NOT NULL,
    body TEXT NOT NULL,
    approved INTEGER NOT NULL DEFAULT 0,
    UNIQUE (organization_id, name, language)
);

CREATE TABLE media (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('image', 'document', 'audio', 'location')),
    name TEXT,
    path TEXT,
    latitude REAL,
    longitude REAL,
    UNIQUE (organization_id, key)
);

CREATE TABLE staff (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('owner', 'manager', 'attendant', 'professional', 'viewer')),
    phone TEXT,
    on_duty INTEGER NOT NULL DEFAULT 1,
    UNIQUE (organization_id, email)
);

CREATE TABLE follow_up (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    contact_id INTEGER NOT NULL REFERENCES contact (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('curiosity', 'value', 'farewell')),
    hint TEXT NOT NULL,
    send_at BIGINT NOT NULL,
    episode INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'sent', 'cancelled', 'skipped')),
    created_at BIGINT NOT NULL
);
CREATE INDEX follow_up_by_contact ON follow_up (organization_id, contact_id, episode);
CREATE INDEX follow_up_due ON follow_up (state, send_at);

CREATE TABLE reminder (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    appointment_id INTEGER NOT NULL REFERENCES appointment (id) ON DELETE CASCADE,
    remind_at BIGINT NOT NULL,
    state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'sent', 'cancelled', 'skipped')),
    created_at BIGINT NOT NULL,
    UNIQUE (organization_id, appointment_id, remind_at)
);
CREATE INDEX reminder_due ON reminder (state, remind_at);

-- Append-only. Rows may be deleted, because erasing a person and retention periods require it, but never changed.
CREATE TABLE audit_log (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    before_value TEXT,
    after_value TEXT
);
CREATE INDEX audit_log_by_subject ON audit_log (organization_id, subject, id);
CREATE TRIGGER audit_log_is_append_only BEFORE UPDATE ON audit_log
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;

-- One row per effect: a key that is here is never executed again.
CREATE TABLE effect_ledger (
    key TEXT PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    turn TEXT,
    tool TEXT NOT NULL,
    args_hash TEXT NOT NULL,
    result TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

-- What happened, for jobs, notices and the console to take up.
CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    payload TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    taken_at BIGINT
);
CREATE INDEX event_waiting ON event (id) WHERE taken_at IS NULL;

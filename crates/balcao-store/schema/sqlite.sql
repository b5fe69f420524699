-- What all migrations together make. Not edited by hand: its test writes it.
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
    active INTEGER NOT NULL DEFAULT 1, notify_whatsapp INTEGER NOT NULL DEFAULT 0, notify_email INTEGER NOT NULL DEFAULT 0, code TEXT,
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
    due_on TEXT, started_on TEXT, anchor_day BIGINT CHECK (anchor_day BETWEEN 1 AND 31), paused_on TEXT, ended_on TEXT, revision BIGINT NOT NULL DEFAULT 0,
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
    cancelled_at BIGINT, uid TEXT, revision BIGINT NOT NULL DEFAULT 0, attendee_phone TEXT, marked_at BIGINT, marked_by TEXT, marked_from TEXT CHECK (marked_from IN ('pending', 'confirmed')), reviewed_at BIGINT, moved_to INTEGER,
    CHECK (starts_at < ends_at AND occupied_from <= starts_at AND ends_at <= occupied_to),
    -- The overlap trigger looks one day back and no further.
    CHECK (occupied_to - occupied_from <= 86400000)
);
CREATE INDEX appointment_by_professional ON appointment (organization_id, professional_id, occupied_from)
    WHERE status <> 'cancelled';
CREATE INDEX appointment_by_time ON appointment (organization_id, occupied_from) WHERE status <> 'cancelled';
CREATE UNIQUE INDEX appointment_once_per_start ON appointment (organization_id, contact_id, starts_at, COALESCE(attendee, ''))
    WHERE status IN ('pending', 'confirmed');
CREATE TABLE slot_claim (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    professional_id INTEGER NOT NULL REFERENCES professional (id) ON DELETE CASCADE,
    seat INTEGER NOT NULL CHECK (seat >= 1),
    quantum INTEGER NOT NULL,
    appointment_id INTEGER NOT NULL REFERENCES appointment (id) ON DELETE CASCADE,
    PRIMARY KEY (organization_id, professional_id, seat, quantum)
) WITHOUT ROWID;
CREATE INDEX slot_claim_by_appointment ON slot_claim (appointment_id);
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
    on_duty INTEGER NOT NULL DEFAULT 1, contact_id INTEGER REFERENCES contact (id) ON DELETE SET NULL, professional_id INTEGER REFERENCES professional (id) ON DELETE SET NULL, active INTEGER NOT NULL DEFAULT 1,
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
, tries INTEGER NOT NULL DEFAULT 0, held_until BIGINT);
CREATE INDEX follow_up_by_contact ON follow_up (organization_id, contact_id, episode);
CREATE INDEX follow_up_due ON follow_up (state, send_at);
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
CREATE TABLE effect_ledger (
    key TEXT PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    turn TEXT,
    tool TEXT NOT NULL,
    args_hash TEXT NOT NULL,
    result TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
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
CREATE TABLE conversation (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    contact_id INTEGER NOT NULL REFERENCES contact (id) ON DELETE CASCADE,
    channel TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'ai' CHECK (state IN ('ai', 'waiting_human', 'human', 'closed')),
    assigned_staff INTEGER REFERENCES staff (id),
    breaker TEXT,
    held TEXT,
    memory TEXT,
    summary TEXT,
    -- Turns before this one are not part of the context any more: the conversation was closed and reopened.
    context_from INTEGER NOT NULL DEFAULT 0,
    -- Counts openings, so that limits per episode start anew.
    episode INTEGER NOT NULL DEFAULT 1,
    opted_out_at BIGINT,
    created_at BIGINT NOT NULL,
    last_message_at BIGINT NOT NULL, professional_id INTEGER REFERENCES professional (id) ON DELETE SET NULL,
    UNIQUE (organization_id, contact_id, channel)
);
CREATE INDEX conversation_waiting ON conversation (organization_id, state, last_message_at);
CREATE TABLE turn (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    conversation_id INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    profile TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'closed')),
    outcome TEXT CHECK (outcome IN ('reply', 'handoff', 'silence')),
    reason TEXT,
    prompt_hash TEXT,
    -- The saved state machine; once closed, the record of what happened.
    machine TEXT,
    -- This turn's part of the transcript, for later turns.
    transcript TEXT,
    model_calls INTEGER NOT NULL DEFAULT 0,
    tool_calls INTEGER NOT NULL DEFAULT 0,
    tokens BIGINT NOT NULL DEFAULT 0,
    cost_micro_usd BIGINT NOT NULL DEFAULT 0,
    opened_at BIGINT NOT NULL,
    closed_at BIGINT
, business_version INTEGER, knowledge_version INTEGER, prompt_version INTEGER);
CREATE UNIQUE INDEX turn_open ON turn (conversation_id) WHERE state = 'open';
CREATE INDEX turn_by_conversation ON turn (organization_id, conversation_id, id);
CREATE INDEX turn_by_time ON turn (organization_id, opened_at);
CREATE TABLE message (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    conversation_id INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    turn_id INTEGER REFERENCES turn (id) ON DELETE CASCADE,
    -- `draft` is a reply that was not sent, because a person had taken over.
    author TEXT NOT NULL CHECK (author IN ('contact', 'agent', 'staff', 'system', 'draft')),
    text TEXT NOT NULL,
    -- What a message that nobody asked for is about (a reminder of appointment 42), in words; null for all others.
    subject TEXT,
    created_at BIGINT NOT NULL
);
CREATE INDEX message_by_conversation ON message (organization_id, conversation_id, created_at);
CREATE UNIQUE INDEX message_reply_once ON message (turn_id) WHERE author = 'agent';
CREATE TABLE handoff (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    conversation_id INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    turn_id INTEGER REFERENCES turn (id) ON DELETE SET NULL,
    reason TEXT NOT NULL,
    summary TEXT,
    note_id INTEGER REFERENCES note (id) ON DELETE SET NULL,
    assigned_staff INTEGER REFERENCES staff (id),
    created_at BIGINT NOT NULL,
    resolved_at BIGINT
, told INTEGER NOT NULL DEFAULT 0);
CREATE INDEX handoff_open ON handoff (organization_id, resolved_at, created_at);
CREATE TABLE flow_run (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    contact_id INTEGER NOT NULL REFERENCES contact (id) ON DELETE CASCADE,
    flow TEXT NOT NULL,
    input TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
    created_at BIGINT NOT NULL
);
CREATE INDEX flow_run_queued ON flow_run (state, id);
CREATE TABLE inbox (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    channel TEXT NOT NULL,
    account TEXT NOT NULL,
    -- SHA-256 of what makes two deliveries one event. It stays when the content is erased.
    event_hash TEXT NOT NULL,
    kind TEXT NOT NULL,
    conversation_id INTEGER REFERENCES conversation (id) ON DELETE SET NULL,
    -- The provider's name of the message.
    provider_message TEXT,
    -- What the turn reads.
    text TEXT,
    -- What came, as JSON.
    payload TEXT,
    provider_at BIGINT,
    received_at BIGINT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('new', 'assigned', 'answered', 'handed_off', 'ignored')),
    reason TEXT,
    turn_id INTEGER REFERENCES turn (id) ON DELETE SET NULL,
    -- One row per event of the provider, for ever (facts: exactly once, I-2).
    UNIQUE (organization_id, channel, account, event_hash)
);
CREATE INDEX inbox_new ON inbox (conversation_id, id) WHERE state = 'new';
CREATE INDEX inbox_by_turn ON inbox (turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX inbox_by_message ON inbox (organization_id, channel, account, provider_message)
    WHERE provider_message IS NOT NULL;
CREATE TABLE stray_event (
    id INTEGER PRIMARY KEY,
    channel TEXT NOT NULL,
    account TEXT NOT NULL,
    event_hash TEXT NOT NULL,
    payload TEXT NOT NULL,
    received_at BIGINT NOT NULL,
    UNIQUE (channel, account, event_hash)
);
CREATE TABLE dispatch (
    conversation_id INTEGER PRIMARY KEY REFERENCES conversation (id) ON DELETE CASCADE,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    account TEXT NOT NULL,
    -- Where to answer, as JSON of the channel.
    recipient TEXT NOT NULL,
    -- When the customer last wrote something that opens the channel's window.
    customer_wrote_at BIGINT,
    -- When what waits is to be answered; null if nothing waits.
    ripe_at BIGINT,
    -- Nobody tries again before.
    not_before BIGINT,
    -- The lease. An owner whose lease ran out died.
    owner TEXT,
    epoch BIGINT NOT NULL DEFAULT 0,
    lease_until BIGINT,
    attempts BIGINT NOT NULL DEFAULT 0,
    failures BIGINT NOT NULL DEFAULT 0,
    blame BIGINT NOT NULL DEFAULT 0,
    suspect INTEGER NOT NULL DEFAULT 0,
    CHECK ((owner IS NULL) = (lease_until IS NULL))
);
CREATE INDEX dispatch_ripe ON dispatch (ripe_at) WHERE owner IS NULL AND ripe_at IS NOT NULL;
CREATE INDEX dispatch_leased ON dispatch (lease_until) WHERE owner IS NOT NULL;
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    conversation_id INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    -- The order within the conversation.
    seq BIGINT NOT NULL,
    turn_id INTEGER REFERENCES turn (id) ON DELETE SET NULL,
    part BIGINT NOT NULL DEFAULT 1,
    kind TEXT NOT NULL,
    channel TEXT NOT NULL,
    account TEXT NOT NULL,
    recipient TEXT NOT NULL,
    -- The message, as JSON of the channel.
    body TEXT NOT NULL,
    -- Our name of the message: statuses repeat it.
    correlation TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'sending', 'sent', 'unknown', 'dead')),
    attempts BIGINT NOT NULL DEFAULT 0,
    -- Pending: not tried before. Unknown: those behind it wait until then.
    not_before BIGINT NOT NULL,
    -- Sending: whoever sends died if nothing is known by then.
    sending_until BIGINT,
    provider_message TEXT,
    -- How far it came, in the channel's word.
    delivery TEXT,
    -- Why it failed, for staff.
    failure TEXT,
    created_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL, given_up_at BIGINT, about TEXT, fallback TEXT, category TEXT, price_micros BIGINT, priced_at BIGINT, claim TEXT, round BIGINT NOT NULL DEFAULT 0, excused BIGINT NOT NULL DEFAULT 0, respelled BIGINT NOT NULL DEFAULT 0, message_id INTEGER REFERENCES message (id) ON DELETE SET NULL, deaths BIGINT NOT NULL DEFAULT 0,
    UNIQUE (conversation_id, seq),
    UNIQUE (correlation),
    CHECK ((state = 'sending') = (sending_until IS NOT NULL))
);
CREATE UNIQUE INDEX outbox_part ON outbox (turn_id, part) WHERE turn_id IS NOT NULL;
CREATE INDEX outbox_pending ON outbox (not_before) WHERE state = 'pending';
CREATE INDEX outbox_sending ON outbox (sending_until) WHERE state = 'sending';
CREATE INDEX outbox_by_message ON outbox (organization_id, channel, account, provider_message)
    WHERE provider_message IS NOT NULL;
CREATE INDEX outbox_troubled ON outbox (organization_id, state, id) WHERE state IN ('unknown', 'dead');
CREATE TABLE chat_entry (
    conversation_id INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    -- Counts from 1.
    seq BIGINT NOT NULL,
    -- What makes two attempts one entry: the visitor's name of their message, or ours of what we send.
    name TEXT NOT NULL,
    author TEXT NOT NULL CHECK (author IN ('visitor', 'agent', 'staff')),
    text TEXT NOT NULL,
    created_at BIGINT NOT NULL, attachment_id INTEGER REFERENCES attachment (id) ON DELETE SET NULL,
    PRIMARY KEY (conversation_id, seq),
    UNIQUE (conversation_id, name)
);
CREATE TABLE api_key (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- The first characters of the key: it is found by them, and shown by them.
    prefix TEXT NOT NULL,
    -- SHA-256 of the whole key, in hexadecimal. The key itself is nowhere.
    hash TEXT NOT NULL,
    -- Words, separated by spaces.
    scopes TEXT NOT NULL,
    per_minute BIGINT NOT NULL CHECK (per_minute > 0),
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    last_used_at BIGINT,
    -- The minute that requests are counted in, and how many were given out in it.
    counted_from BIGINT NOT NULL DEFAULT 0,
    counted BIGINT NOT NULL DEFAULT 0,
    UNIQUE (hash)
);
CREATE INDEX api_key_by_prefix ON api_key (prefix);
CREATE TABLE api_conversation (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    conversation_id INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    PRIMARY KEY (organization_id, name)
);
CREATE INDEX conversation_latest ON conversation (organization_id, last_message_at, id);
CREATE TABLE pace (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    full_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, name)
);
CREATE INDEX pace_by_time ON pace (organization_id, full_at);
CREATE INDEX inbox_waiting ON inbox (received_at) WHERE state IN ('new', 'assigned');
CREATE INDEX handoff_unresolved ON handoff (created_at) WHERE resolved_at IS NULL;
CREATE TABLE rescue (
    inbox_id INTEGER PRIMARY KEY REFERENCES inbox (id) ON DELETE CASCADE,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    rescued_at BIGINT NOT NULL
);
CREATE INDEX event_by_organization ON event (organization_id, id);
CREATE TABLE webhook_cursor (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    endpoint TEXT NOT NULL,
    after_event BIGINT NOT NULL,
    PRIMARY KEY (organization_id, endpoint)
);
CREATE TABLE webhook_delivery (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    endpoint TEXT NOT NULL,
    event_id BIGINT NOT NULL,
    -- What the endpoint reads, the same at every attempt.
    body TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'sending', 'sent', 'dead')),
    attempts BIGINT NOT NULL DEFAULT 0,
    not_before BIGINT NOT NULL,
    -- Sending: whoever sends died if nothing is known by then.
    sending_until BIGINT,
    -- Why the last attempt failed.
    failure TEXT,
    created_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL, deaths BIGINT NOT NULL DEFAULT 0,
    UNIQUE (organization_id, endpoint, event_id),
    CHECK ((state = 'sending') = (sending_until IS NOT NULL))
);
CREATE INDEX webhook_pending ON webhook_delivery (not_before) WHERE state = 'pending';
CREATE INDEX webhook_sending ON webhook_delivery (sending_until) WHERE state = 'sending';
CREATE INDEX webhook_dead ON webhook_delivery (organization_id, id) WHERE state = 'dead';
CREATE TABLE choice (
    conversation_id INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- What a turn reads when it was chosen.
    words TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (conversation_id, name)
);
CREATE INDEX choice_by_end ON choice (expires_at);
CREATE INDEX outbox_priced ON outbox (organization_id, channel, account, priced_at) WHERE priced_at IS NOT NULL;
CREATE INDEX appointment_by_start ON appointment (organization_id, starts_at, status, price_cents, contact_id, professional_id);
CREATE UNIQUE INDEX staff_by_contact ON staff (organization_id, contact_id) WHERE contact_id IS NOT NULL;
CREATE TABLE "attachment" (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    contact_id INTEGER NOT NULL REFERENCES contact (id) ON DELETE CASCADE,
    conversation_id INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    -- What it came in with; null if staff made it.
    inbox_id INTEGER REFERENCES inbox (id) ON DELETE CASCADE,
    -- What shows it in the conversation; null until there is such a message.
    message_id INTEGER REFERENCES message (id) ON DELETE CASCADE,
    channel TEXT NOT NULL,
    account TEXT NOT NULL,
    -- What its message said of it, as JSON of the channel.
    media TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'stored', 'unreadable', 'expired')),
    attempts BIGINT NOT NULL DEFAULT 0,
    -- Nobody tries before.
    not_before BIGINT NOT NULL,
    -- Whoever fetches it died if nothing is known by then.
    lease_until BIGINT,
    -- So long its turn waits for it.
    awaited_until BIGINT NOT NULL,
    -- Its type, as its bytes say.
    mime TEXT,
    size BIGINT,
    -- SHA-256 of its bytes, in hexadecimal.
    sha256 TEXT,
    bytes BLOB,
    -- What is said in it.
    transcript TEXT,
    -- Why it could not be read, for staff.
    failure TEXT,
    created_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL, deaths BIGINT NOT NULL DEFAULT 0,
    UNIQUE (inbox_id)
);
CREATE INDEX attachment_due ON attachment (not_before) WHERE state = 'waiting';
CREATE INDEX attachment_by_conversation ON attachment (organization_id, conversation_id, id);
CREATE INDEX attachment_by_contact ON attachment (contact_id);
CREATE INDEX attachment_by_message ON attachment (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX attachment_by_age ON attachment (organization_id, created_at) WHERE state <> 'expired';
CREATE INDEX chat_entry_by_attachment ON chat_entry (attachment_id) WHERE attachment_id IS NOT NULL;
CREATE TABLE retention (
    organization_id INTEGER PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
    next_at BIGINT NOT NULL,
    -- Whoever deletes died if nothing is known by then.
    lease_until BIGINT
, crashes BIGINT NOT NULL DEFAULT 0);
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
CREATE TABLE entitlement (
    organization_id INTEGER PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
    tier TEXT NOT NULL CHECK (tier IN ('basic', 'complete')),
    -- Until then it has everything.
    trial_ends_at BIGINT,
    -- Features beside the tier, as JSON.
    extra TEXT NOT NULL DEFAULT '[]',
    changed_at BIGINT NOT NULL
);
CREATE INDEX outbox_by_claim ON outbox (claim) WHERE state = 'sending';
CREATE TABLE pause (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    channel TEXT NOT NULL,
    account TEXT NOT NULL,
    -- Since when nothing could be sent.
    since BIGINT NOT NULL,
    -- When it is tried again.
    until BIGINT NOT NULL,
    -- What the channel said last, for staff.
    failure TEXT NOT NULL,
    PRIMARY KEY (organization_id, channel, account)
);
CREATE TABLE pack_delivery (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    pack TEXT NOT NULL,
    -- A hash of what tells this delivery from any other.
    delivery_key TEXT NOT NULL,
    -- A hash of what names the change that it tells of; other deliveries of the same change are dropped.
    change_key TEXT,
    -- What was sent; nothing any more once it was handed on.
    body TEXT,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'handed_on', 'failed')),
    attempts BIGINT NOT NULL DEFAULT 0,
    not_before BIGINT NOT NULL,
    -- Why the last attempt to read it failed.
    failure TEXT,
    received_at BIGINT NOT NULL, deaths BIGINT NOT NULL DEFAULT 0,
    UNIQUE (organization_id, pack, delivery_key),
    UNIQUE (organization_id, pack, change_key),
    CHECK (state <> 'waiting' OR body IS NOT NULL)
);
CREATE INDEX pack_delivery_waiting ON pack_delivery (organization_id, not_before) WHERE state = 'waiting';
CREATE TABLE service_mark (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    served_at BIGINT NOT NULL
);
CREATE TABLE throttle (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    channel TEXT NOT NULL,
    account TEXT NOT NULL,
    -- When as many as a burst may leave at once again, in microseconds of Unix time.
    full_at_us BIGINT NOT NULL,
    -- Nothing leaves before.
    until BIGINT NOT NULL,
    -- How often its pace was halved because the provider said that it was too fast.
    level INTEGER NOT NULL,
    -- When it last said so, or when a step was taken back.
    since BIGINT NOT NULL,
    PRIMARY KEY (organization_id, channel, account)
);
CREATE UNIQUE INDEX handoff_one_open ON handoff (organization_id, conversation_id) WHERE resolved_at IS NULL;
CREATE TABLE knowledge_vector (
    knowledge_id INTEGER PRIMARY KEY REFERENCES knowledge_entry (id) ON DELETE CASCADE,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    -- Vectors of different models are not compared.
    model TEXT NOT NULL,
    -- SHA-256 of the text that it was made of.
    digest BLOB NOT NULL,
    -- Numbers of 32 bits, the low byte first.
    vector BLOB NOT NULL
);
CREATE INDEX knowledge_vector_by_model ON knowledge_vector (organization_id, model);
CREATE INDEX appointment_by_contact ON appointment (organization_id, contact_id, starts_at, status, professional_id);
CREATE INDEX outbox_of_message ON outbox (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX inbox_referred ON inbox (conversation_id, received_at)
WHERE kind = 'message' AND payload LIKE '%"referral":{%';
CREATE TABLE day_budget (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    -- What is counted, and for whom: `files`, `files/web:…`, `strangers_tokens`, …
    name TEXT NOT NULL,
    -- The business's own date.
    day TEXT NOT NULL,
    used BIGINT NOT NULL,
    -- What it may be, by the program that counted last.
    most BIGINT NOT NULL,
    -- When that day ends: the row says nothing any more.
    ends_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, name, day)
);
CREATE INDEX day_budget_by_end ON day_budget (organization_id, ends_at);
CREATE INDEX appointment_unreviewed ON appointment (organization_id, ends_at, id)
    WHERE status = 'confirmed' AND reviewed_at IS NULL;
CREATE TABLE version (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('business', 'knowledge', 'prompt')),
    number INTEGER NOT NULL CHECK (number > 0),
    -- Of the content.
    hash TEXT NOT NULL,
    -- JSON.
    content TEXT NOT NULL,
    author TEXT NOT NULL,
    created_at BIGINT NOT NULL, stated TEXT,
    PRIMARY KEY (organization_id, kind, number)
);
CREATE INDEX version_by_hash ON version (organization_id, kind, hash);
CREATE TRIGGER version_is_immutable BEFORE UPDATE ON version
BEGIN
    SELECT RAISE(ABORT, 'a version never changes');
END;
CREATE TABLE "reminder" (
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
CREATE INDEX reminder_due ON reminder (state, remind_at);
CREATE INDEX reminder_planned ON reminder (organization_id, state, remind_at, id);
CREATE TABLE subscription_payment (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    subscriber_id INTEGER NOT NULL REFERENCES subscriber (id) ON DELETE CASCADE,
    -- What names the payment outside, such as the number of a transfer: it counts once.
    reference TEXT NOT NULL,
    amount_cents BIGINT NOT NULL CHECK (amount_cents > 0),
    -- The due date that it moved; absent if no payment was expected.
    due_from TEXT,
    due_to TEXT NOT NULL,
    noted_at BIGINT NOT NULL,
    noted_by TEXT NOT NULL, is_partial BIGINT NOT NULL DEFAULT 0 CHECK (is_partial IN (0, 1)), taken_back_at BIGINT, taken_back_by TEXT,
    PRIMARY KEY (organization_id, subscriber_id, reference)
);
CREATE TABLE pack_delivery_command (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    delivery_id INTEGER NOT NULL REFERENCES pack_delivery (id) ON DELETE CASCADE,
    pack TEXT NOT NULL,
    command TEXT NOT NULL,
    -- Fixed before the first attempt, so that every attempt is the same call. Absent once the command is done.
    arguments TEXT,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'failed')),
    -- Attempts that ended without an effect.
    attempts BIGINT NOT NULL DEFAULT 0,
    -- Attempts whose end is unknown, the running one included: with any, the command may have run.
    begun BIGINT NOT NULL DEFAULT 0,
    not_before BIGINT NOT NULL,
    failure TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, delivery_id),
    CHECK (state <> 'waiting' OR arguments IS NOT NULL)
);
CREATE INDEX pack_delivery_command_waiting ON pack_delivery_command (organization_id, not_before) WHERE state = 'waiting';
CREATE TABLE outside_calendar (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    calendar_id TEXT NOT NULL,
    -- Where the next listing of changes goes on; absent before the first complete one.
    token TEXT,
    -- The copy holds what was there at this instant; absent before the first complete listing.
    synced_at BIGINT,
    due_at BIGINT NOT NULL,
    claimed_until BIGINT NOT NULL DEFAULT 0,
    -- Each claim counts it up: whoever lost the claim writes nothing more.
    epoch BIGINT NOT NULL DEFAULT 0,
    -- Each complete reading counts it up, and its rows carry it.
    generation BIGINT NOT NULL DEFAULT 0,
    failure TEXT CHECK (failure IN ('unavailable', 'disconnected', 'refused', 'drop')),
    failure_reason TEXT,
    failing_since BIGINT,
    failures BIGINT NOT NULL DEFAULT 0,
    channel_id TEXT,
    -- SHA-256 of the secret that a call must bring, in hexadecimal. The secret itself is nowhere.
    channel_hash TEXT,
    channel_resource TEXT,
    channel_ends_at BIGINT, crashes BIGINT NOT NULL DEFAULT 0, set_aside_at BIGINT,
    PRIMARY KEY (organization_id, calendar_id)
);
CREATE INDEX outside_calendar_due ON outside_calendar (organization_id, due_at);
CREATE UNIQUE INDEX outside_calendar_channel ON outside_calendar (channel_id) WHERE channel_id IS NOT NULL;
CREATE TABLE calendar_link (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    professional_id INTEGER NOT NULL REFERENCES professional (id) ON DELETE CASCADE,
    calendar_id TEXT NOT NULL,
    access TEXT NOT NULL CHECK (access IN ('read', 'write')),
    linked_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, professional_id, calendar_id),
    FOREIGN KEY (organization_id, calendar_id) REFERENCES outside_calendar (organization_id, calendar_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX calendar_link_write ON calendar_link (organization_id, professional_id) WHERE access = 'write';
CREATE INDEX calendar_link_calendar ON calendar_link (organization_id, calendar_id);
CREATE TABLE calendar_busy (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    calendar_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    starts_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    all_day BIGINT NOT NULL,
    version TEXT NOT NULL,
    generation BIGINT NOT NULL,
    PRIMARY KEY (organization_id, calendar_id, event_id),
    FOREIGN KEY (organization_id, calendar_id) REFERENCES outside_calendar (organization_id, calendar_id) ON DELETE CASCADE
);
CREATE INDEX calendar_busy_span ON calendar_busy (organization_id, calendar_id, ends_at, starts_at);
CREATE TABLE calendar_quarantine (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    calendar_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    found_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, calendar_id, event_id)
);
CREATE TABLE calendar_event (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    appointment_id INTEGER NOT NULL REFERENCES appointment (id) ON DELETE CASCADE,
    -- What the ids of its events begin with. A moved appointment keeps it.
    seed TEXT NOT NULL,
    -- A deleted id cannot be used again: the next event has the next number.
    attempt BIGINT NOT NULL DEFAULT 1,
    -- How often an insert under this number may have been sent.
    begun BIGINT NOT NULL DEFAULT 0,
    -- The event as this program last wrote or read it; absent if there is none that we know of.
    calendar_id TEXT,
    event_id TEXT,
    version TEXT,
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
    failure TEXT, crashes BIGINT NOT NULL DEFAULT 0, set_aside_at BIGINT, removed_event_id TEXT, given_up_at BIGINT, must_write BIGINT NOT NULL DEFAULT 0, sent_to TEXT, sent_at BIGINT,
    PRIMARY KEY (organization_id, appointment_id)
);
CREATE INDEX calendar_event_waiting ON calendar_event (organization_id, not_before) WHERE wanted > pushed;
CREATE INDEX calendar_event_outside ON calendar_event (organization_id, calendar_id, event_id);
CREATE TABLE calendar_claim (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    args_hash TEXT NOT NULL,
    appointment_id INTEGER NOT NULL REFERENCES appointment (id) ON DELETE CASCADE,
    answer TEXT NOT NULL, moved_at BIGINT,
    PRIMARY KEY (organization_id, key)
);
CREATE INDEX calendar_claim_appointment ON calendar_claim (organization_id, appointment_id);
CREATE TABLE calendar_conflict (
    id INTEGER PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    appointment_id INTEGER NOT NULL REFERENCES appointment (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    calendar_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    -- Where the event is now, if it is anywhere.
    event_from BIGINT,
    event_to BIGINT,
    version TEXT NOT NULL,
    found_at BIGINT NOT NULL,
    resolved_at BIGINT,
    resolution TEXT
, moved_from INTEGER REFERENCES appointment (id) ON DELETE CASCADE);
CREATE UNIQUE INDEX calendar_conflict_open ON calendar_conflict (organization_id, appointment_id, calendar_id, event_id)
    WHERE resolved_at IS NULL;
CREATE INDEX calendar_event_set_aside ON calendar_event (organization_id, appointment_id) WHERE set_aside_at IS NOT NULL;
CREATE INDEX calendar_conflict_moved_from ON calendar_conflict (moved_from) WHERE moved_from IS NOT NULL;
CREATE TABLE calendar_comparison (
    organization_id INTEGER PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
    -- The local day, YYYY-MM-DD.
    day TEXT NOT NULL,
    claimed_until BIGINT NOT NULL,
    ended_at BIGINT,
    equal BIGINT NOT NULL DEFAULT 0,
    repaired BIGINT NOT NULL DEFAULT 0,
    differing BIGINT NOT NULL DEFAULT 0
, crashes BIGINT NOT NULL DEFAULT 0);
CREATE INDEX pack_delivery_failed ON pack_delivery (organization_id, not_before) WHERE state = 'failed';
CREATE INDEX pack_delivery_command_failed ON pack_delivery_command (organization_id, not_before) WHERE state = 'failed';
CREATE TABLE calendar_conflict_instance (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    conflict_id INTEGER NOT NULL REFERENCES calendar_conflict (id) ON DELETE CASCADE,
    event_id TEXT NOT NULL,
    -- Where the instance is now, if it is anywhere.
    starts_at BIGINT,
    ends_at BIGINT,
    PRIMARY KEY (organization_id, conflict_id, event_id)
);
CREATE INDEX calendar_conflict_instance_event ON calendar_conflict_instance (organization_id, event_id);
CREATE INDEX calendar_conflict_instance_conflict ON calendar_conflict_instance (conflict_id);
CREATE TABLE installation (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    random_id TEXT NOT NULL
);
CREATE TABLE calendar_difference (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    kind TEXT NOT NULL,
    -- Absent of a calendar that was not read, and of an event that shows no visit.
    appointment_id BIGINT,
    calendar_id TEXT,
    event_id TEXT, found_at BIGINT,
    PRIMARY KEY (organization_id, position)
);
CREATE UNIQUE INDEX professional_by_code ON professional (organization_id, code) WHERE code IS NOT NULL AND active = 1;
CREATE INDEX calendar_event_given_up ON calendar_event (organization_id, given_up_at) WHERE given_up_at IS NOT NULL;
CREATE INDEX calendar_conflict_of_visit ON calendar_conflict (organization_id, appointment_id, calendar_id, event_id, id);
CREATE INDEX appointment_moved_to ON appointment (organization_id, moved_to) WHERE moved_to IS NOT NULL;
CREATE TABLE kept_conflict (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    appointment_id INTEGER NOT NULL REFERENCES appointment (id) ON DELETE CASCADE,
    reason TEXT NOT NULL CHECK (reason IN ('time_off', 'business_closed', 'not_working')),
    kept_at BIGINT NOT NULL,
    kept_by TEXT NOT NULL,
    PRIMARY KEY (organization_id, appointment_id, reason)
);
CREATE INDEX kept_conflict_appointment ON kept_conflict (appointment_id);

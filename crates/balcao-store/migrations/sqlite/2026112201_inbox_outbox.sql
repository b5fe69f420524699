-- What comes in, who works on it, and what goes out. The state machines and their invariants stand in `balcao-domain`:
-- `inbox.rs`, `lease.rs`, `outbox.rs`.

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

-- Signed events for an account that nobody here has: kept, so that a mistake in the configuration loses nothing.
CREATE TABLE stray_event (
    id INTEGER PRIMARY KEY,
    channel TEXT NOT NULL,
    account TEXT NOT NULL,
    event_hash TEXT NOT NULL,
    payload TEXT NOT NULL,
    received_at BIGINT NOT NULL,
    UNIQUE (channel, account, event_hash)
);

-- One row per conversation that came in by a channel: where to answer, when it is ripe, and who has the lease.
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
    changed_at BIGINT NOT NULL,
    UNIQUE (conversation_id, seq),
    UNIQUE (correlation),
    CHECK ((state = 'sending') = (sending_until IS NOT NULL))
);
-- One set of messages per turn (facts: exactly once, I-13).
CREATE UNIQUE INDEX outbox_part ON outbox (turn_id, part) WHERE turn_id IS NOT NULL;
CREATE INDEX outbox_pending ON outbox (not_before) WHERE state = 'pending';
CREATE INDEX outbox_sending ON outbox (sending_until) WHERE state = 'sending';
CREATE INDEX outbox_by_message ON outbox (organization_id, channel, account, provider_message)
    WHERE provider_message IS NOT NULL;
CREATE INDEX outbox_troubled ON outbox (organization_id, state, id) WHERE state IN ('unknown', 'dead');

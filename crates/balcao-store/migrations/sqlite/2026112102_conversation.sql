-- Conversations, their messages and turns. JSON columns hold what only the turn engine reads.

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
    last_message_at BIGINT NOT NULL,
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
);
-- One open turn per conversation (facts: exactly once, I-4).
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
-- At most one reply per turn (facts: exactly once, I-13).
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
);
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

-- What is watched, what staff do about what did not leave, and the webhooks that go out.

-- What has no answer yet, those first that wait longest.
CREATE INDEX inbox_waiting ON inbox (received_at) WHERE state IN ('new', 'assigned');
CREATE INDEX handoff_unresolved ON handoff (created_at) WHERE resolved_at IS NULL;

-- A row of the inbox that waited too long and was given to a person, once (facts: exactly once, §3.5).
CREATE TABLE rescue (
    inbox_id INTEGER PRIMARY KEY REFERENCES inbox (id) ON DELETE CASCADE,
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    rescued_at BIGINT NOT NULL
);

-- Staff looked at a message that did not leave, and let it be.
ALTER TABLE outbox ADD COLUMN given_up_at BIGINT;

CREATE INDEX event_by_organization ON event (organization_id, id);

-- Up to which event each endpoint was told. An endpoint that is new is told of what comes after it.
CREATE TABLE webhook_cursor (
    organization_id INTEGER NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    endpoint TEXT NOT NULL,
    after_event BIGINT NOT NULL,
    PRIMARY KEY (organization_id, endpoint)
);

-- One event on its way to one endpoint.
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
    changed_at BIGINT NOT NULL,
    UNIQUE (organization_id, endpoint, event_id),
    CHECK ((state = 'sending') = (sending_until IS NOT NULL))
);
CREATE INDEX webhook_pending ON webhook_delivery (not_before) WHERE state = 'pending';
CREATE INDEX webhook_sending ON webhook_delivery (sending_until) WHERE state = 'sending';
CREATE INDEX webhook_dead ON webhook_delivery (organization_id, id) WHERE state = 'dead';

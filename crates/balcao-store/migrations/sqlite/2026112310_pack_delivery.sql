-- What services of packs told of on their own, until it was handed on. A row stays for ever: it tells a repeat.
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
    received_at BIGINT NOT NULL,
    UNIQUE (organization_id, pack, delivery_key),
    UNIQUE (organization_id, pack, change_key),
    CHECK (state <> 'waiting' OR body IS NOT NULL)
);
CREATE INDEX pack_delivery_waiting ON pack_delivery (organization_id, not_before) WHERE state = 'waiting';

-- Commands that deliveries of packs started: at most one for each delivery. A row stays for ever: it tells a repeat.
CREATE TABLE pack_delivery_command (
    organization_id BIGINT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    delivery_id BIGINT NOT NULL REFERENCES pack_delivery (id) ON DELETE CASCADE,
    pack TEXT COLLATE "C" NOT NULL,
    command TEXT COLLATE "C" NOT NULL,
    -- Fixed before the first attempt, so that every attempt is the same call. Absent once the command is done.
    arguments TEXT COLLATE "C",
    state TEXT COLLATE "C" NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'failed')),
    -- Attempts that ended without an effect.
    attempts BIGINT NOT NULL DEFAULT 0,
    -- Attempts whose end is unknown, the running one included: with any, the command may have run.
    begun BIGINT NOT NULL DEFAULT 0,
    not_before BIGINT NOT NULL,
    failure TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, delivery_id),
    CHECK (state <> 'waiting' OR arguments IS NOT NULL)
);
CREATE INDEX pack_delivery_command_waiting ON pack_delivery_command (organization_id, not_before) WHERE state = 'waiting';
SELECT balcao_wall_off('pack_delivery_command');

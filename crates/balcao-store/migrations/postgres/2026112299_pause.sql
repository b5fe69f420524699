-- Accounts of channels that can send nothing before the operator acts: a token that expired, a bill that is unpaid.
CREATE TABLE pause (
    organization_id BIGINT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    channel TEXT COLLATE "C" NOT NULL,
    account TEXT COLLATE "C" NOT NULL,
    -- Since when nothing could be sent.
    since BIGINT NOT NULL,
    -- When it is tried again.
    until BIGINT NOT NULL,
    -- What the channel said last, for staff.
    failure TEXT NOT NULL,
    PRIMARY KEY (organization_id, channel, account)
);
SELECT balcao_wall_off('pause');

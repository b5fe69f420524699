-- Accounts of channels that can send nothing before the operator acts: a token that expired, a bill that is unpaid.
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

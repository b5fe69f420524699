-- How fast accounts of channels send, counted over all programs.
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

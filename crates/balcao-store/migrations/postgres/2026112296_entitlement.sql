-- What a business may use. No row: everything.
CREATE TABLE entitlement (
    organization_id BIGINT PRIMARY KEY REFERENCES organization (id) ON DELETE CASCADE,
    tier TEXT COLLATE "C" NOT NULL CHECK (tier IN ('basic', 'complete')),
    -- Until then it has everything.
    trial_ends_at BIGINT,
    -- Features beside the tier, as JSON.
    extra TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    changed_at BIGINT NOT NULL
);
SELECT balcao_wall_off('entitlement');

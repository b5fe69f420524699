-- How fast somebody asks, counted over all programs: when they may ask as often at once as a burst allows again.
CREATE TABLE pace (
    organization_id BIGINT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    full_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, name)
);
CREATE INDEX pace_by_time ON pace (organization_id, full_at);
SELECT balcao_wall_off('pace');

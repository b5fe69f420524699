-- What was used of what a day may take (bytes of files, tokens, money), counted over all programs.
CREATE TABLE day_budget (
    organization_id BIGINT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    -- What is counted, and for whom: `files`, `files/web:…`, `strangers_tokens`, …
    name TEXT COLLATE "C" NOT NULL,
    -- The business's own date.
    day TEXT COLLATE "C" NOT NULL,
    used BIGINT NOT NULL,
    -- What it may be, by the program that counted last.
    most BIGINT NOT NULL,
    -- When that day ends: the row says nothing any more.
    ends_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, name, day)
);
CREATE INDEX day_budget_by_end ON day_budget (organization_id, ends_at);
SELECT balcao_wall_off('day_budget');

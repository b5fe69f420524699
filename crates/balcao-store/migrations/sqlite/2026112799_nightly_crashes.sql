-- How often the program crashed at this work since it last came to an end; a claim counts until its end.
ALTER TABLE calendar_comparison ADD COLUMN crashes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE retention ADD COLUMN crashes BIGINT NOT NULL DEFAULT 0;

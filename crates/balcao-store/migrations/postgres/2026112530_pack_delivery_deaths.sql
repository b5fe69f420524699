-- Attempts to read it that the program did not live to end: of one that ends the program each time, three are enough.
ALTER TABLE pack_delivery ADD COLUMN deaths BIGINT NOT NULL DEFAULT 0;

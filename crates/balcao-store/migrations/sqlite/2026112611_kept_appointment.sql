-- That staff keep an appointment although nobody works then, and the reason that they knew. Another reason asks them again.
ALTER TABLE appointment ADD COLUMN kept_for TEXT CHECK (kept_for IN ('time_off', 'business_closed', 'not_working'));
ALTER TABLE appointment ADD COLUMN kept_at BIGINT;
ALTER TABLE appointment ADD COLUMN kept_by TEXT;

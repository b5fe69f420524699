-- A partial payment moves no due date; `due_to` is then the due date as it stayed, or the day of the payment.
ALTER TABLE subscription_payment ADD COLUMN is_partial BIGINT NOT NULL DEFAULT 0 CHECK (is_partial IN (0, 1));
-- A payment that was taken back stays on record, and its reference may be used again.
ALTER TABLE subscription_payment ADD COLUMN taken_back_at BIGINT;
ALTER TABLE subscription_payment ADD COLUMN taken_back_by TEXT;

-- A subscription stands by its dates; its status follows from them. `status` stays for the program from before, which reads it.
ALTER TABLE subscriber ADD COLUMN started_on TEXT COLLATE "C";
-- The day of the month on which payments are due: after a short month the due date returns to it.
ALTER TABLE subscriber ADD COLUMN anchor_day BIGINT CHECK (anchor_day BETWEEN 1 AND 31);
ALTER TABLE subscriber ADD COLUMN paused_on TEXT COLLATE "C";
-- The first day on which it covers nothing.
ALTER TABLE subscriber ADD COLUMN ended_on TEXT COLLATE "C";
-- Each change compares it and counts it up.
ALTER TABLE subscriber ADD COLUMN revision BIGINT NOT NULL DEFAULT 0;
-- Nobody recorded these dates. Two days ago is past in every time zone.
UPDATE subscriber SET ended_on = LEAST(COALESCE(due_on, to_char(CURRENT_DATE - 2, 'YYYY-MM-DD')), to_char(CURRENT_DATE - 2, 'YYYY-MM-DD')) WHERE status = 'cancelled';
UPDATE subscriber SET due_on = LEAST(COALESCE(due_on, to_char(CURRENT_DATE - 2, 'YYYY-MM-DD')), to_char(CURRENT_DATE - 2, 'YYYY-MM-DD')) WHERE status = 'overdue';

-- Payments of subscriptions that somebody noted.
CREATE TABLE subscription_payment (
    organization_id BIGINT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    subscriber_id BIGINT NOT NULL REFERENCES subscriber (id) ON DELETE CASCADE,
    -- What names the payment outside, such as the number of a transfer: it counts once.
    reference TEXT COLLATE "C" NOT NULL,
    amount_cents BIGINT NOT NULL CHECK (amount_cents > 0),
    -- The due date that it moved; absent if no payment was expected.
    due_from TEXT COLLATE "C",
    due_to TEXT COLLATE "C" NOT NULL,
    noted_at BIGINT NOT NULL,
    noted_by TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, subscriber_id, reference)
);
SELECT balcao_wall_off('subscription_payment');

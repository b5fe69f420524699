-- What a customer may tap: the name that we gave a button or a row, and what choosing it means. It counts in its conversation
-- alone, and only for a while.

CREATE TABLE choice (
    conversation_id BIGINT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    organization_id BIGINT NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    -- What a turn reads when it was chosen.
    words TEXT COLLATE "C" NOT NULL,
    expires_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (conversation_id, name)
);
CREATE INDEX choice_by_end ON choice (expires_at);

-- What an unasked-for message is about (`reminder:12`), looked at again before it leaves.
ALTER TABLE outbox ADD COLUMN about TEXT COLLATE "C";
-- The template that takes its place once the channel's window is closed, as JSON of the channel.
ALTER TABLE outbox ADD COLUMN fallback TEXT COLLATE "C";
-- What it will be billed as, in the provider's word, and what it costs, in millionths of the business's currency; known before
-- it is sent.
ALTER TABLE outbox ADD COLUMN category TEXT COLLATE "C";
ALTER TABLE outbox ADD COLUMN price_micros BIGINT;
ALTER TABLE outbox ADD COLUMN priced_at BIGINT;
CREATE INDEX outbox_priced ON outbox (organization_id, channel, account, priced_at) WHERE priced_at IS NOT NULL;
SELECT balcao_wall_off('choice');

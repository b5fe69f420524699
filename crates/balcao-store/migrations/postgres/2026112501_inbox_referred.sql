-- Whom an advertisement led here: looked up for each message that has a price.
CREATE INDEX inbox_referred ON inbox (conversation_id, received_at)
WHERE kind = 'message' AND payload LIKE '%"referral":{%';

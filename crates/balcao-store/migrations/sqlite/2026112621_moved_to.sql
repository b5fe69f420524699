-- The appointment that took this one's place when it was moved: figures do not count a move as a cancellation.
ALTER TABLE appointment ADD COLUMN moved_to INTEGER;

-- The hash of the part of a version that a reply may state: services, people, hours. A change of the rest leaves what was read before
-- it true. NULL in versions from before.
ALTER TABLE version ADD COLUMN stated TEXT;

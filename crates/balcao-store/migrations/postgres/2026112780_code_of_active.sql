-- A professional who left keeps the code of a first message, and another one may have it meanwhile.
DROP INDEX professional_by_code;
CREATE UNIQUE INDEX professional_by_code ON professional (organization_id, code) WHERE code IS NOT NULL AND active = 1;

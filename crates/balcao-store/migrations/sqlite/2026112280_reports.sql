-- Figures are read from the index alone: a year of a busy house is hundreds of thousands of rows.
DROP INDEX appointment_by_start;
CREATE INDEX appointment_by_start ON appointment (organization_id, starts_at, status, price_cents, contact_id, professional_id);

-- Through which contact somebody of staff writes to an assistant.
ALTER TABLE staff ADD COLUMN contact_id INTEGER REFERENCES contact (id) ON DELETE SET NULL;
CREATE UNIQUE INDEX staff_by_contact ON staff (organization_id, contact_id) WHERE contact_id IS NOT NULL;

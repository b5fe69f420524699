//! Appointments. Each that is not cancelled holds claims (see [`crate::scheduling::slot_claim`]).

use balcao_domain::appointment::visit::{MarkAuthor, VisitMark};
use balcao_domain::availability::Occupied;
use balcao_domain::{
    Appointment, AppointmentId, AppointmentStatus, ContactId, Currency, Money, OrganizationId, PlanId, ProfessionalId,
    ServiceId, Span,
};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, read_word, values};
use crate::scheduling::calendar_event;
use crate::scheduling::slot_claim::{self, SlotRequest};

/// An appointment to be booked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAppointment {
    /// Who it is for.
    pub contact: ContactId,
    /// Who is booked.
    pub professional: ProfessionalId,
    /// How many appointments they take at a time.
    pub capacity: u32,
    /// What is booked.
    pub service: Option<ServiceId>,
    /// Its name now.
    pub service_name: String,
    /// When it takes place.
    pub span: Span,
    /// The span with its buffers.
    pub occupied: Span,
    /// Where it stands.
    pub status: AppointmentStatus,
    /// Its price, in cents of the organization's currency.
    pub price_cents: i64,
    /// The plan that covers it.
    pub plan: Option<PlanId>,
    /// The attendee, if another person than the contact comes.
    pub attendee: Option<String>,
    /// Where it was booked.
    pub source: String,
    /// Until when it holds its slot, if it is pending.
    pub expires_at: Option<Timestamp>,
}

const COLUMNS: &str = "id, contact_id, professional_id, service_id, service_name, starts_at, ends_at, occupied_from, \
                       occupied_to, seat, status, price_cents, plan_id, attendee, source, expires_at, \
                       marked_at, marked_by, marked_from, moved_to";

/// Leaves out what is only the trace of a booking that was given up before anyone heard of it (see [`remove_untold`]), and not a visit.
pub(crate) const IS_VISIT: &str =
    "NOT EXISTS (SELECT 1 FROM calendar_event g WHERE g.organization_id = appointment.organization_id
                                   AND g.appointment_id = appointment.id AND g.given_up_at IS NOT NULL)";

fn read(row: &Row<'_>, currency: Currency) -> Result<Appointment, StoreError> {
    Ok(Appointment {
        id: row.get(0)?,
        contact: row.get(1)?,
        professional: row.get(2)?,
        service: row.get(3)?,
        service_name: row.get(4)?,
        span: Span::new(row.get(5)?, row.get(6)?),
        occupied: Span::new(row.get(7)?, row.get(8)?),
        seat: row.get::<Option<u32>>(9)?.unwrap_or_default(),
        status: read_word(row, 10, |text| text.parse().ok())?,
        price: Money::new(row.get(11)?, currency),
        plan: row.get(12)?,
        attendee: row.get(13)?,
        source: row.get(14)?,
        holds_until: row.get(15)?,
        mark: read_mark(row)?,
        moved_to: row.get(19)?,
    })
}

/// The mark in [`COLUMNS`]; `None` of an appointment that ended without a record.
fn read_mark(row: &Row<'_>) -> Result<Option<VisitMark>, StoreError> {
    let (at, by): (Option<Timestamp>, Option<String>) = (row.get(16)?, row.get(17)?);
    let (Some(at), Some(by)) = (at, by) else { return Ok(None) };
    let Ok(by) = by.parse();
    Ok(Some(VisitMark { by, at, from: read_word(row, 18, |text| text.parse().ok())? }))
}

/// Books an appointment with its claims, or nothing: `None` if no seat is free for all of it.
///
/// Of two concurrent calls for overlapping spans of the last seat exactly one succeeds: the claims' primary key decides,
/// and a trigger against overlaps stands behind it. A cancelled one is only recorded and claims nothing.
///
/// # Errors
/// A unique violation if the contact already has an open appointment at that start.
pub fn insert(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    new: &NewAppointment,
    now: Timestamp,
) -> Result<Option<AppointmentId>, StoreError> {
    // The contact's own hold that expired must not stand in the way of the same start.
    let expired: Vec<AppointmentId> = tx.query_all(
        "SELECT id FROM appointment
         WHERE organization_id = ?1 AND contact_id = ?2 AND starts_at = ?3 AND status IN ('pending', 'confirmed')
           AND status = 'pending' AND expires_at <= ?4",
        values![organization, new.contact, new.span.start, now],
        |row| row.get(0),
    )?;
    for hold in expired {
        cancel(tx, organization, hold, &MarkAuthor::Job, now)?;
    }
    let booked = tx.savepoint(|tx| {
        let id = insert_row(tx, organization, new, now)?;
        if !new.status.holds_slot() {
            return Ok::<_, StoreError>(Ok(id));
        }
        let wanted = SlotRequest {
            appointment: id,
            professional: new.professional,
            capacity: new.capacity,
            occupied: new.occupied,
            now,
        };
        cancel_expired(tx, organization, &wanted)?;
        if slot_claim::claim_slot(tx, organization, &wanted)?.is_none() {
            return Ok(Err(()));
        }
        calendar_event::raise(tx, organization, id, now)?;
        Ok(Ok(id))
    })?;
    Ok(booked.ok())
}

/// Cancels pending appointments in the way that have expired: correctness needs no background job.
fn cancel_expired(tx: &mut Tx<'_>, organization: OrganizationId, wanted: &SlotRequest) -> Result<(), StoreError> {
    let expired: Vec<AppointmentId> = tx.query_all(
        "SELECT id FROM appointment
         WHERE organization_id = ?1 AND professional_id = ?2 AND status <> 'cancelled'
           AND occupied_from > ?5 - 86400000 AND occupied_from < ?4 AND occupied_to > ?5
           AND status = 'pending' AND expires_at <= ?3",
        values![organization, wanted.professional, wanted.now, wanted.occupied.end, wanted.occupied.start],
        |row| row.get(0),
    )?;
    for appointment in expired {
        cancel(tx, organization, appointment, &MarkAuthor::Job, wanted.now)?;
    }
    Ok(())
}

fn insert_row(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    new: &NewAppointment,
    now: Timestamp,
) -> Result<AppointmentId, StoreError> {
    tx.insert(
        "INSERT INTO appointment (organization_id, contact_id, professional_id, service_id, service_name, starts_at, ends_at,
             occupied_from, occupied_to, status, price_cents, plan_id, attendee, source, expires_at, created_at, cancelled_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17) RETURNING id",
        values![
            organization,
            new.contact,
            new.professional,
            new.service,
            &new.service_name,
            new.span.start,
            new.span.end,
            new.occupied.start,
            new.occupied.end,
            new.status.as_str(),
            new.price_cents,
            new.plan,
            new.attendee.as_ref(),
            &new.source,
            new.expires_at,
            now,
            Some(now).filter(|_| !new.status.holds_slot()),
        ],
    )
}

/// Cancels an appointment and gives its time back, and drops its reminders that are still to come. The record of who cancelled it keeps
/// the status from before; one that is cancelled keeps the record that it has.
///
/// # Errors
/// What the database said.
pub fn cancel(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: AppointmentId,
    by: &MarkAuthor,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE appointment SET status = 'cancelled', cancelled_at = ?3, marked_at = ?4, marked_by = ?5,
             marked_from = COALESCE(marked_from, status)
         WHERE organization_id = ?1 AND id = ?2 AND status <> 'cancelled'",
        values![organization, id, now, now, by.to_string()],
    )?;
    crate::scheduling::reminder::cancel_of(tx, organization, id)?;
    slot_claim::release(tx, organization, id)?;
    calendar_event::raise(tx, organization, id, now)
}

/// Notes which appointment took the place of a cancelled one that was moved: figures count it there alone. The event that shows it in a
/// external calendar goes over to that appointment.
///
/// # Errors
/// [`StoreError::NoRow`] if the organization has no such appointment.
pub fn set_moved_to(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    from: AppointmentId,
    to: AppointmentId,
) -> Result<(), StoreError> {
    let sql = "UPDATE appointment SET moved_to = ?3 WHERE organization_id = ?1 AND id = ?2";
    let rows = tx.execute(sql, values![organization, from, to])?;
    if rows == 0 {
        return Err(StoreError::NoRow { sql: sql.to_owned() });
    }
    calendar_event::hand_over(tx, organization, from, to)
}

/// The appointments that became this one by moves, each with its time, in no order.
///
/// # Errors
/// What the database said.
pub fn list_moved_into(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: AppointmentId,
) -> Result<Vec<(AppointmentId, Span)>, StoreError> {
    tx.query_all(
        "WITH RECURSIVE earlier (id) AS (
             SELECT id FROM appointment WHERE organization_id = ?1 AND moved_to = ?2
             UNION
             SELECT a.id FROM appointment a JOIN earlier e ON a.moved_to = e.id WHERE a.organization_id = ?1)
         SELECT a.id, a.starts_at, a.ends_at FROM appointment a JOIN earlier e ON e.id = a.id WHERE a.organization_id = ?1",
        values![organization, id],
        |row| Ok((row.get(0)?, Span::new(row.get(1)?, row.get(2)?))),
    )
}

/// Opens an appointment again that was moved, with the status and the time that it had; returns whether its time was still free, and changes
/// nothing if it was not. Its reminders stay dropped, and no appointment is in its place any more.
///
/// # Errors
/// A unique violation if the contact has an open appointment at that start by now.
pub fn reopen(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: AppointmentId,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let wanted = tx.query_optional(
        "SELECT a.professional_id, p.capacity, a.occupied_from, a.occupied_to FROM appointment a
         JOIN professional p ON p.organization_id = ?1 AND p.id = a.professional_id
         WHERE a.organization_id = ?1 AND a.id = ?2 AND a.status = 'cancelled' AND a.moved_to IS NOT NULL AND a.marked_from IS NOT NULL",
        values![organization, id],
        |row| {
            let (professional, capacity, occupied) = (row.get(0)?, row.get(1)?, Span::new(row.get(2)?, row.get(3)?));
            Ok(SlotRequest { appointment: id, professional, capacity, occupied, now })
        },
    )?;
    let Some(wanted) = wanted else { return Ok(false) };
    cancel_expired(tx, organization, &wanted)?;
    if slot_claim::claim_slot(tx, organization, &wanted)?.is_none() {
        return Ok(false);
    }
    tx.execute(
        "UPDATE appointment SET status = marked_from, cancelled_at = NULL, marked_at = NULL, marked_by = NULL, marked_from = NULL,
             moved_to = NULL
         WHERE organization_id = ?1 AND id = ?2",
        values![organization, id],
    )?;
    calendar_event::raise(tx, organization, id, now)?;
    Ok(true)
}

/// Locks an open appointment until the transaction ends, so that a cancellation waits; returns whether it is open.
///
/// # Errors
/// What the database said.
pub fn lock_open(tx: &mut Tx<'_>, organization: OrganizationId, id: AppointmentId) -> Result<bool, StoreError> {
    let sql = "UPDATE appointment SET source = source
               WHERE organization_id = ?1 AND id = ?2 AND status IN ('pending', 'confirmed')";
    Ok(tx.execute(sql, values![organization, id])? == 1)
}

/// Confirms a pending appointment, which expires no more; tells whether it was pending.
///
/// # Errors
/// What the database said.
pub fn confirm(tx: &mut Tx<'_>, organization: OrganizationId, id: AppointmentId) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE appointment SET status = 'confirmed', expires_at = NULL
         WHERE organization_id = ?1 AND id = ?2 AND status = 'pending'",
        values![organization, id],
    )?;
    Ok(changed == 1)
}

/// Gives a held appointment the status and the expiry that were agreed, once the external calendar has it; tells whether it still held its
/// slot.
///
/// # Errors
/// What the database said.
pub fn agree(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: AppointmentId,
    status: AppointmentStatus,
    expires_at: Option<Timestamp>,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE appointment SET status = ?3, expires_at = ?4 WHERE organization_id = ?1 AND id = ?2 AND status = 'pending'",
        values![organization, id, status.as_str(), expires_at],
    )?;
    Ok(changed == 1)
}

/// Removes a cancelled appointment that was never announced. If an insert of its event may have been sent and was not seen to be deleted,
/// the row stays, marked as given up, so that an event that arrives late is known; [`sweep_given_up`] removes it. Conflicts with it end.
/// Returns whether it was removed.
///
/// # Errors
/// What the database said.
pub fn remove_untold(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: AppointmentId,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let removed = tx.execute(
        "DELETE FROM appointment WHERE organization_id = ?1 AND id = ?2 AND status = 'cancelled'
           AND NOT EXISTS (SELECT 1 FROM calendar_event e WHERE e.organization_id = ?1 AND e.appointment_id = ?2
                           AND (e.event_id IS NOT NULL OR e.begun > 0 OR (e.attempt > 1 AND e.removed_event_id IS NULL)))",
        values![organization, id],
    )?;
    if removed == 0 {
        // Staff have nothing to decide about a booking that is not one.
        tx.execute(
            "UPDATE calendar_conflict SET resolved_at = ?3, resolution = 'the booking was given up'
             WHERE organization_id = ?1 AND appointment_id = ?2 AND resolved_at IS NULL
               AND EXISTS (SELECT 1 FROM appointment a WHERE a.organization_id = ?1 AND a.id = ?2 AND a.status = 'cancelled')",
            values![organization, id, now],
        )?;
        tx.execute(
            "UPDATE calendar_event SET given_up_at = ?3
             WHERE organization_id = ?1 AND appointment_id = ?2 AND given_up_at IS NULL
               AND EXISTS (SELECT 1 FROM appointment a WHERE a.organization_id = ?1 AND a.id = ?2 AND a.status = 'cancelled')",
            values![organization, id, now],
        )?;
    }
    Ok(removed == 1)
}

/// Removes the appointments that were given up a day ago, if each calendar was read a day after that, and their events are gone. Returns how
/// many they were.
///
/// # Errors
/// What the database said.
pub fn sweep_given_up(tx: &mut Tx<'_>, organization: OrganizationId, now: Timestamp) -> Result<usize, StoreError> {
    const DAY_MS: i64 = 86_400_000;
    tx.execute(
        "DELETE FROM appointment WHERE organization_id = ?1 AND status = 'cancelled' AND id IN
           (SELECT e.appointment_id FROM calendar_event e
            WHERE e.organization_id = ?1 AND e.given_up_at <= ?2 - ?3 AND e.event_id IS NULL AND e.wanted <= e.pushed
              AND NOT EXISTS (SELECT 1 FROM outside_calendar c WHERE c.organization_id = ?1
                              AND (c.synced_at IS NULL OR c.synced_at < e.given_up_at + ?3)))",
        values![organization, now, DAY_MS],
    )
}

/// The appointment of an id, if the organization has it.
///
/// # Errors
/// What the database said.
pub fn find(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: AppointmentId,
    currency: Currency,
) -> Result<Option<Appointment>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM appointment WHERE organization_id = ?1 AND id = ?2 AND {IS_VISIT}");
    tx.query_optional(&sql, values![organization, id], |row| read(row, currency))
}

/// A contact's appointments, cancelled ones included, in order of start.
///
/// # Errors
/// What the database said.
pub fn of_contact(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    currency: Currency,
) -> Result<Vec<Appointment>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM appointment WHERE organization_id = ?1 AND contact_id = ?2 AND {IS_VISIT} ORDER BY starts_at, id"
    );
    tx.query_all(&sql, values![organization, contact], |row| read(row, currency))
}

pub(crate) fn upcoming() -> String {
    format!(
        "SELECT {COLUMNS} FROM appointment
         WHERE organization_id = ?1 AND contact_id = ?2 AND starts_at >= ?3 AND status IN ('pending', 'confirmed')
           AND (status = 'confirmed' OR (status = 'pending' AND (expires_at IS NULL OR expires_at > ?3)))
         ORDER BY starts_at, id"
    )
}

/// A contact's open appointments that start at `now` or later, in order of start. Expired holds are not open.
///
/// # Errors
/// What the database said.
pub fn upcoming_of_contact(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    currency: Currency,
    now: Timestamp,
) -> Result<Vec<Appointment>, StoreError> {
    tx.query_all(&upcoming(), values![organization, contact, now], |row| read(row, currency))
}

/// Appointments that start from `from` on and before `to`, cancelled ones included, in order of start.
///
/// # Errors
/// What the database said.
pub fn starting_between(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    from: Timestamp,
    to: Timestamp,
    currency: Currency,
) -> Result<Vec<Appointment>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM appointment
         WHERE organization_id = ?1 AND starts_at >= ?2 AND starts_at < ?3 AND {IS_VISIT}
         ORDER BY starts_at, id"
    );
    tx.query_all(&sql, values![organization, from, to], |row| read(row, currency))
}

/// Whether an appointment of a contact was booked, moved or cancelled after an instant. One that was moved is a new one, and
/// the old one is cancelled.
///
/// # Errors
/// What the database said.
pub fn changed_since(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    since: Timestamp,
) -> Result<bool, StoreError> {
    let sql = format!(
        "SELECT count(*) FROM appointment
         WHERE organization_id = ?1 AND contact_id = ?2 AND (created_at > ?3 OR cancelled_at > ?3) AND {IS_VISIT}"
    );
    let found: i64 = tx.query_one(&sql, values![organization, contact, since], |row| row.get(0))?;
    Ok(found > 0)
}

pub(crate) const OCCUPIED: &str = "SELECT professional_id, occupied_from, occupied_to, seat FROM appointment
         WHERE organization_id = ?1 AND occupied_from > ?2 - 86400000 AND occupied_from < ?3 AND occupied_to > ?2
           AND status <> 'cancelled' AND (status <> 'pending' OR expires_at IS NULL OR expires_at > ?4)
         ORDER BY occupied_from";

/// The occupied time of every professional that touches the span, in order of start. Expired holds are free.
///
/// # Errors
/// What the database said.
pub fn occupied(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    span: Span,
    now: Timestamp,
) -> Result<Vec<(ProfessionalId, Occupied)>, StoreError> {
    tx.query_all(OCCUPIED, values![organization, span.start, span.end, now], |row| {
        let occupied = Occupied { span: Span::new(row.get(1)?, row.get(2)?), seat: row.get(3)? };
        Ok((row.get(0)?, occupied))
    })
}

/// Pending appointments that expired by `now`, in order of id.
///
/// # Errors
/// What the database said.
pub fn expired(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    now: Timestamp,
) -> Result<Vec<AppointmentId>, StoreError> {
    tx.query_all(
        "SELECT id FROM appointment WHERE organization_id = ?1 AND status = 'pending' AND expires_at <= ?2 ORDER BY id",
        values![organization, now],
        |row| row.get(0),
    )
}

/// How many appointments that start in the span are on a contact's plan. Holds that expired by `now` are not.
///
/// # Errors
/// What the database said.
pub fn count_on_plan(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    plan: PlanId,
    span: Span,
    now: Timestamp,
) -> Result<u32, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM appointment
         WHERE organization_id = ?1 AND contact_id = ?2 AND plan_id = ?3 AND status <> 'cancelled'
           AND starts_at >= ?4 AND starts_at < ?5
           AND (status <> 'pending' OR expires_at IS NULL OR expires_at > ?6)",
        values![organization, contact, plan, span.start, span.end, now],
        |row| row.get(0),
    )
}

/// Takes an appointment off its plan: it has the price `price_cents` then.
///
/// # Errors
/// What the database said.
pub fn take_off_plan(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: AppointmentId,
    price_cents: i64,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE appointment SET plan_id = NULL, price_cents = ?3 WHERE organization_id = ?1 AND id = ?2",
        values![organization, id, price_cents],
    )?;
    Ok(())
}

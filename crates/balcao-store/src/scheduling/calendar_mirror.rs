//! Our copy of external calendars: the time that their events take, and the events that cannot be read. It holds no word of an event.

use balcao_domain::{AppointmentId, OrganizationId, ProfessionalId, Span};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;

/// The time that an event takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BusyEvent {
    /// Its calendar.
    pub calendar: String,
    /// Its id there.
    pub event: String,
    /// When.
    pub span: Span,
    /// Whether it takes whole days.
    pub all_day: bool,
    /// Its version.
    pub version: String,
}

/// What external calendars say about a professional.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutsideTime {
    /// The professional.
    pub professional: ProfessionalId,
    /// The instant that our copy of the calendar holds; `None` before the first complete reading.
    pub as_of: Option<Timestamp>,
    /// Time that an event takes; `None` if no event of the calendar touches the span that was asked for.
    pub busy: Option<Span>,
}

/// Stores the time that an event takes, as the reading of that number found it.
///
/// # Errors
/// What the database said.
pub fn put(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    event: &BusyEvent,
    generation: i64,
) -> Result<(), StoreError> {
    tx.defer(
        "INSERT INTO calendar_busy (organization_id, calendar_id, event_id, starts_at, ends_at, all_day, version, generation)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (organization_id, calendar_id, event_id) DO UPDATE SET starts_at = excluded.starts_at,
             ends_at = excluded.ends_at, all_day = excluded.all_day, version = excluded.version, generation = excluded.generation",
        values![
            organization,
            &event.calendar,
            &event.event,
            event.span.start,
            event.span.end,
            event.all_day,
            &event.version,
            generation
        ],
    )
}

/// Stores the time that an event takes, as a push found it, if our copy holds none of it: a reading may have listed the event when its time
/// was that of its visit. What a reading found is newer, or is brought up to date by the next one.
///
/// # Errors
/// What the database said.
pub fn put_found(tx: &mut Tx<'_>, organization: OrganizationId, event: &BusyEvent) -> Result<(), StoreError> {
    tx.defer(
        "INSERT INTO calendar_busy (organization_id, calendar_id, event_id, starts_at, ends_at, all_day, version, generation)
         SELECT o.organization_id, o.calendar_id, ?3, CAST(?4 AS BIGINT), CAST(?5 AS BIGINT), ?6, ?7, o.generation
         FROM outside_calendar o WHERE o.organization_id = ?1 AND o.calendar_id = ?2
         ON CONFLICT (organization_id, calendar_id, event_id) DO NOTHING",
        values![
            organization,
            &event.calendar,
            &event.event,
            event.span.start,
            event.span.end,
            event.all_day,
            &event.version
        ],
    )
}

/// Gives back the time of an event.
///
/// # Errors
/// What the database said.
pub fn remove(tx: &mut Tx<'_>, organization: OrganizationId, calendar: &str, event: &str) -> Result<(), StoreError> {
    tx.defer(
        "DELETE FROM calendar_busy WHERE organization_id = ?1 AND calendar_id = ?2 AND event_id = ?3",
        values![organization, calendar, event],
    )
}

/// How many events of a calendar our copy holds that end after an instant.
///
/// # Errors
/// What the database said.
pub fn count(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    calendar: &str,
    after: Timestamp,
) -> Result<u32, StoreError> {
    tx.query_one(
        "SELECT count(*) FROM calendar_busy WHERE organization_id = ?1 AND calendar_id = ?2 AND ends_at > ?3",
        values![organization, calendar, after],
        |row| row.get(0),
    )
}

/// Whether our copy holds an event that ends after an instant.
///
/// # Errors
/// What the database said.
pub fn holds(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    (calendar, event): (&str, &str),
    after: Timestamp,
) -> Result<bool, StoreError> {
    tx.query_one(
        "SELECT EXISTS (SELECT 1 FROM calendar_busy
                        WHERE organization_id = ?1 AND calendar_id = ?2 AND event_id = ?3 AND ends_at > ?4)",
        values![organization, calendar, event, after],
        |row| row.get(0),
    )
}

/// Notes that the reading of that number found an event, and keeps the time that it has in our copy, if it has any.
///
/// # Errors
/// What the database said.
pub fn mark_found(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    (calendar, event): (&str, &str),
    generation: i64,
) -> Result<(), StoreError> {
    tx.defer(
        "UPDATE calendar_busy SET generation = ?4 WHERE organization_id = ?1 AND calendar_id = ?2 AND event_id = ?3",
        values![organization, calendar, event, generation],
    )
}

/// Which events a complete reading did not find that end after an instant.
const MISSING: &str = "organization_id = ?1 AND calendar_id = ?2 AND generation < ?3 AND ends_at > ?4";

/// How many events the complete reading of that number did not find that end after an instant.
///
/// # Errors
/// What the database said.
pub fn count_missing(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    calendar: &str,
    generation: i64,
    after: Timestamp,
) -> Result<u32, StoreError> {
    let sql = format!("SELECT count(*) FROM calendar_busy WHERE {MISSING}");
    tx.query_one(&sql, values![organization, calendar, generation, after], |row| row.get(0))
}

/// The events that the complete reading of that number did not find, and that end after an instant; at most `limit`.
///
/// # Errors
/// What the database said.
pub fn list_missing(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    calendar: &str,
    generation: i64,
    after: Timestamp,
    limit: u32,
) -> Result<Vec<String>, StoreError> {
    let sql = format!("SELECT event_id FROM calendar_busy WHERE {MISSING} ORDER BY event_id LIMIT ?5");
    tx.query_all(&sql, values![organization, calendar, generation, after, limit], |row| row.get(0))
}

/// Forgets events that ended before an instant; returns how many there were.
///
/// # Errors
/// What the database said.
pub fn remove_ended(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    calendar: &str,
    before: Timestamp,
) -> Result<usize, StoreError> {
    let sql = "DELETE FROM calendar_busy WHERE organization_id = ?1 AND calendar_id = ?2 AND ends_at <= ?3";
    tx.execute(sql, values![organization, calendar, before])
}

pub(crate) const OUTSIDE_TIME: &str = "SELECT l.professional_id, c.synced_at, b.starts_at, b.ends_at
         FROM calendar_link l
         JOIN outside_calendar c ON c.organization_id = ?1 AND c.calendar_id = l.calendar_id
         LEFT JOIN calendar_busy b ON b.organization_id = ?1 AND b.calendar_id = l.calendar_id
              AND b.ends_at > ?2 AND b.starts_at < ?3
         WHERE l.organization_id = ?1";

/// What the external calendars say about every professional who has some, in a span, in no order: at least one row for each calendar.
///
/// # Errors
/// What the database said.
pub fn list_outside_time(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    span: Span,
) -> Result<Vec<OutsideTime>, StoreError> {
    tx.query_all(OUTSIDE_TIME, values![organization, span.start, span.end], |row| {
        let (from, to): (Option<Timestamp>, Option<Timestamp>) = (row.get(2)?, row.get(3)?);
        let busy = from.zip(to).map(|(from, to)| Span::new(from, to));
        Ok(OutsideTime { professional: row.get(0)?, as_of: row.get(1)?, busy })
    })
}

/// The open appointments from `now` on that an event of a calendar touches, of the professionals who have the calendar, in order of their
/// starts and ids; at most `limit` behind the one that began at `after`.
///
/// # Errors
/// What the database said.
pub fn list_touched(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    calendar: &str,
    span: Span,
    now: Timestamp,
    (after, id): (Timestamp, i64),
    limit: u32,
) -> Result<Vec<(AppointmentId, Span)>, StoreError> {
    tx.query_all(
        "SELECT a.id, a.starts_at, a.ends_at FROM appointment a
         JOIN calendar_link l ON l.organization_id = ?1 AND l.professional_id = a.professional_id AND l.calendar_id = ?2
         WHERE a.organization_id = ?1 AND a.starts_at >= ?5 AND a.starts_at < ?4 AND a.ends_at > ?3
           AND a.status IN ('pending', 'confirmed') AND (a.starts_at > ?6 OR (a.starts_at = ?6 AND a.id > ?7))
         ORDER BY a.starts_at, a.id LIMIT ?8",
        values![organization, calendar, span.start, span.end, now, after, id, limit],
        |row| Ok((row.get(0)?, Span::new(row.get(1)?, row.get(2)?))),
    )
}

/// An event that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuarantinedEvent {
    /// Its calendar.
    pub calendar: String,
    /// Its id there; empty if even that cannot be read.
    pub event: String,
    /// Why, for staff.
    pub reason: String,
    /// When it was first found so.
    pub found_at: Timestamp,
}

/// Puts an event aside; one that is there already stays as it was found.
///
/// # Errors
/// What the database said.
pub fn quarantine(tx: &mut Tx<'_>, organization: OrganizationId, event: &QuarantinedEvent) -> Result<bool, StoreError> {
    let stored = tx.execute(
        "INSERT INTO calendar_quarantine (organization_id, calendar_id, event_id, reason, found_at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (organization_id, calendar_id, event_id) DO NOTHING",
        values![organization, &event.calendar, &event.event, &event.reason, event.found_at],
    )?;
    Ok(stored == 1)
}

/// Takes an event back that can be read again.
///
/// # Errors
/// What the database said.
pub fn release(tx: &mut Tx<'_>, organization: OrganizationId, calendar: &str, event: &str) -> Result<(), StoreError> {
    tx.defer(
        "DELETE FROM calendar_quarantine WHERE organization_id = ?1 AND calendar_id = ?2 AND event_id = ?3",
        values![organization, calendar, event],
    )
}

/// The events that are put aside, oldest first, at most `limit`.
///
/// # Errors
/// What the database said.
pub fn list_quarantined(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    limit: u32,
) -> Result<Vec<QuarantinedEvent>, StoreError> {
    tx.query_all(
        "SELECT calendar_id, event_id, reason, found_at FROM calendar_quarantine WHERE organization_id = ?1
         ORDER BY found_at, calendar_id, event_id LIMIT ?2",
        values![organization, limit],
        |row| {
            Ok(QuarantinedEvent {
                calendar: row.get(0)?,
                event: row.get(1)?,
                reason: row.get(2)?,
                found_at: row.get(3)?,
            })
        },
    )
}

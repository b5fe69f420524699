//! The event that shows an appointment in an external calendar, and how far the push of it has come.
//!
//! Invariants: whatever makes, moves or cancels an appointment raises `wanted` in the same transaction; so an appointment whose event is
//! not as it should be has `wanted > pushed`, however the program ended. One push holds a row at a time, and a push that lost its
//! claim writes nothing. An appointment that is moved hands its event on.

use balcao_domain::calendar_push::MAX_CRASHES;
use balcao_domain::{AppointmentId, OrganizationId, ProfessionalId, Span};
use jiff::{SignedDuration, Timestamp};

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, values};

/// A use case that changes an appointment pushes it at once; the worker leaves it alone for so long.
const GRACE: SignedDuration = SignedDuration::from_secs(20);

/// An event as this program last wrote or read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownEvent {
    /// Its calendar.
    pub calendar: String,
    /// Its id there.
    pub event: String,
    /// Its version.
    pub version: String,
    /// When.
    pub span: Span,
    /// The appointment that its mark names.
    pub marked: i64,
}

/// An appointment with the event that shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarEvent {
    /// The appointment.
    pub appointment: AppointmentId,
    /// What the ids of its events begin with, another one in each installation: letters `a` to `v` and digits.
    pub seed: String,
    /// The number of the next insert, or of the last one that was sent.
    pub attempt: i64,
    /// How often an insert under this number may have been sent, the one of the present claim included.
    pub begun: i64,
    /// The event, if there is one that we know of.
    pub known: Option<KnownEvent>,
    /// How often the appointment changed.
    pub wanted: i64,
    /// How many of these changes the event shows.
    pub pushed: i64,
    /// The number of the last claim.
    pub claim: i64,
    /// Pushes that failed since the last one that did not.
    pub tries: i64,
    /// Claims whose push has not ended, the present one included: so often the program may have crashed at it.
    pub crashes: u32,
    /// Why the last one failed, for staff.
    pub failure: Option<String>,
    /// The event that was last deleted, because none was wanted.
    pub removed_event: Option<String>,
    /// Whether the event is written whatever is known of it, because a change that was taken back may still arrive.
    pub must_write: bool,
    /// The calendar into which the event was sent by a request whose answer is missing, and when.
    pub sent: Option<(String, Timestamp)>,
}

const COLUMNS: &str = "appointment_id, seed, attempt, begun, calendar_id, event_id, version, shown_from, shown_to, marked, wanted, \
                       pushed, claim, tries, failure, crashes, removed_event_id, must_write, sent_to, sent_at";

fn read(row: &Row<'_>) -> Result<CalendarEvent, StoreError> {
    let known = match row.get::<Option<String>>(5)? {
        None => None,
        Some(event) => Some(KnownEvent {
            calendar: row.get(4)?,
            event,
            version: row.get(6)?,
            span: Span::new(row.get(7)?, row.get(8)?),
            marked: row.get(9)?,
        }),
    };
    Ok(CalendarEvent {
        appointment: row.get(0)?,
        seed: row.get(1)?,
        attempt: row.get(2)?,
        begun: row.get(3)?,
        known,
        wanted: row.get(10)?,
        pushed: row.get(11)?,
        claim: row.get(12)?,
        tries: row.get(13)?,
        failure: row.get(14)?,
        crashes: row.get(15)?,
        removed_event: row.get(16)?,
        must_write: row.get::<i64>(17)? == 1,
        sent: row.get::<Option<String>>(18)?.zip(row.get(19)?),
    })
}

/// Which appointments are raised; `a` is the appointment. An event that was set aside is tried again, because something else is wanted of it.
const RAISE: &str = "INSERT INTO calendar_event (organization_id, appointment_id, seed, wanted, not_before)
    SELECT a.organization_id, a.id, 'b' || CAST(a.organization_id AS TEXT) || 'a' || CAST(a.id AS TEXT) || 'i' || (SELECT i.random_id FROM installation i WHERE i.id = 1)
               || 'c' || CAST(a.created_at AS TEXT),
           1, CAST(?3 AS BIGINT)
    FROM appointment a
    WHERE a.organization_id = ?1 AND {which}
      AND (EXISTS (SELECT 1 FROM calendar_link l WHERE l.organization_id = ?1 AND l.professional_id = a.professional_id
                   AND l.access = 'write')
           OR EXISTS (SELECT 1 FROM calendar_event e WHERE e.organization_id = ?1 AND e.appointment_id = a.id))
    ON CONFLICT (organization_id, appointment_id)
    DO UPDATE SET wanted = calendar_event.wanted + 1, not_before = excluded.not_before, set_aside_at = NULL,
                  crashes = CASE WHEN calendar_event.set_aside_at IS NULL THEN calendar_event.crashes ELSE 0 END";

/// Notes that an appointment changed, if it has an event or its professional has a calendar to write into.
///
/// # Errors
/// What the database said.
pub(crate) fn raise(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    appointment: AppointmentId,
    now: Timestamp,
) -> Result<(), StoreError> {
    let due = now.checked_add(GRACE).unwrap_or(now);
    tx.defer(&RAISE.replace("{which}", "a.id = ?2"), values![organization, appointment, due])
}

/// Notes that the events of a professional's appointments from `now` on have to be looked at: a calendar was linked or unlinked.
///
/// # Errors
/// What the database said.
pub fn raise_all(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    professional: ProfessionalId,
    now: Timestamp,
) -> Result<usize, StoreError> {
    let which = "a.professional_id = ?2 AND a.starts_at >= ?3 AND a.status IN ('pending', 'confirmed')";
    tx.execute(&RAISE.replace("{which}", which), values![organization, professional, now])
}

/// Notes that the event of one appointment has to be looked at, at once.
///
/// # Errors
/// What the database said.
pub fn raise_again(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    appointment: AppointmentId,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(&RAISE.replace("{which}", "a.id = ?2"), values![organization, appointment, now])?;
    Ok(())
}

/// Gives the event of an appointment that was moved to the one that took its place, if that one is to have an event.
///
/// # Errors
/// What the database said.
pub(crate) fn hand_over(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    from: AppointmentId,
    to: AppointmentId,
) -> Result<(), StoreError> {
    let both = values![organization, from, to];
    tx.defer(
        "UPDATE calendar_event SET seed = o.seed, attempt = o.attempt, begun = o.begun, calendar_id = o.calendar_id,
             event_id = o.event_id, version = o.version, shown_from = o.shown_from, shown_to = o.shown_to, marked = o.marked,
             must_write = o.must_write, sent_to = o.sent_to, sent_at = o.sent_at
         FROM calendar_event AS o
         WHERE calendar_event.organization_id = ?1 AND calendar_event.appointment_id = ?3
           AND o.organization_id = ?1 AND o.appointment_id = ?2",
        both,
    )?;
    tx.defer(
        "DELETE FROM calendar_event WHERE organization_id = ?1 AND appointment_id = ?2
           AND EXISTS (SELECT 1 FROM calendar_event n WHERE n.organization_id = ?1 AND n.appointment_id = ?3)",
        both,
    )
}

/// The event of an appointment.
///
/// # Errors
/// What the database said.
pub fn find(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    appointment: AppointmentId,
) -> Result<Option<CalendarEvent>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM calendar_event WHERE organization_id = ?1 AND appointment_id = ?2");
    tx.query_optional(&sql, values![organization, appointment], read)
}

/// The appointment that an event of any of our calendars shows.
///
/// # Errors
/// What the database said.
pub fn find_by_event(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    event: &str,
) -> Result<Option<CalendarEvent>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM calendar_event WHERE organization_id = ?1 AND event_id = ?2 ORDER BY appointment_id LIMIT 1"
    );
    tx.query_optional(&sql, values![organization, event], read)
}

/// Which events of appointments a calendar should hold that end after an instant. Those that staff know to be gone are not among them, nor
/// those whose time our copy of the calendar holds, because they count there.
const SHOWN: &str = "e.organization_id = ?1 AND e.calendar_id = ?2 AND e.shown_to > ?3
    AND NOT EXISTS (SELECT 1 FROM calendar_conflict c
                    WHERE c.organization_id = ?1 AND c.appointment_id = e.appointment_id AND c.event_id = e.event_id
                      AND c.kind IN ('deleted', 'other_calendar') AND c.resolved_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM calendar_busy b
                    WHERE b.organization_id = ?1 AND b.calendar_id = ?2 AND b.event_id = e.event_id AND b.ends_at > ?3)";

/// How many events of appointments a calendar should hold beside those of our copy, and that end after an instant.
///
/// # Errors
/// What the database said.
pub fn count_shown(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    calendar: &str,
    after: Timestamp,
) -> Result<u32, StoreError> {
    let sql = format!("SELECT count(*) FROM calendar_event e WHERE {SHOWN}");
    tx.query_one(&sql, values![organization, calendar, after], |row| row.get(0))
}

/// The events that [`count_shown`] counts, by their ids.
///
/// # Errors
/// What the database said.
pub fn list_shown(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    calendar: &str,
    after: Timestamp,
) -> Result<Vec<String>, StoreError> {
    let sql = format!("SELECT e.event_id FROM calendar_event e WHERE {SHOWN} ORDER BY e.event_id");
    tx.query_all(&sql, values![organization, calendar, after], |row| row.get(0))
}

/// Whether an event that ends after an instant is known to show an appointment.
///
/// # Errors
/// What the database said.
pub fn shows(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    (calendar, event): (&str, &str),
    after: Timestamp,
) -> Result<bool, StoreError> {
    tx.query_one(
        "SELECT EXISTS (SELECT 1 FROM calendar_event
                        WHERE organization_id = ?1 AND calendar_id = ?2 AND event_id = ?3 AND shown_to > ?4)",
        values![organization, calendar, event, after],
        |row| row.get(0),
    )
}

/// The events of appointments that start at `from` or later, in order of the appointment, after `after` and at most `limit`.
///
/// # Errors
/// What the database said.
pub fn list_from(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    from: Timestamp,
    after: i64,
    limit: u32,
) -> Result<Vec<CalendarEvent>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM calendar_event e WHERE e.organization_id = ?1 AND e.appointment_id > ?3
           AND EXISTS (SELECT 1 FROM appointment a WHERE a.organization_id = ?1 AND a.id = e.appointment_id AND a.starts_at >= ?2)
         ORDER BY e.appointment_id LIMIT ?4"
    );
    tx.query_all(&sql, values![organization, from, after, limit], read)
}

/// Claims the event of an appointment, if it is not as it should be, no other push holds it, and the program did not crash at it
/// [`MAX_CRASHES`] times. The claim counts as a crash until its push ends.
///
/// # Errors
/// What the database said.
pub fn claim(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    appointment: AppointmentId,
    now: Timestamp,
    until: Timestamp,
) -> Result<Option<CalendarEvent>, StoreError> {
    let sql = format!(
        "UPDATE calendar_event SET claimed_until = ?4, claim = claim + 1, crashes = crashes + 1,
             begun = CASE WHEN event_id IS NULL THEN begun + 1 ELSE begun END
         WHERE organization_id = ?1 AND appointment_id = ?2 AND wanted > pushed AND claimed_until <= ?3 AND crashes < ?5
         RETURNING {COLUMNS}"
    );
    tx.query_optional(&sql, values![organization, appointment, now, until, MAX_CRASHES], read)
}

/// The appointments whose push is due, the one that waits longest first, at most `limit`.
///
/// # Errors
/// What the database said.
pub fn list_due(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<AppointmentId>, StoreError> {
    tx.query_all(
        "SELECT appointment_id FROM calendar_event
         WHERE organization_id = ?1 AND wanted > pushed AND not_before <= ?2 AND claimed_until <= ?2
           AND crashes < ?4
         ORDER BY not_before, appointment_id LIMIT ?3",
        values![organization, now, limit, MAX_CRASHES],
        |row| row.get(0),
    )
}

/// Records that the event is `known`, as the appointment was when it was claimed; returns whether the claim still held.
///
/// # Errors
/// What the database said.
pub fn record_shown(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    claimed: &CalendarEvent,
    known: &KnownEvent,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE calendar_event SET calendar_id = ?4, event_id = ?5, version = ?6, shown_from = ?7, shown_to = ?8, marked = ?9,
             pushed = ?10, claimed_until = 0, tries = 0, failure = NULL, crashes = 0, set_aside_at = NULL, must_write = 0,
             sent_to = ?11, sent_at = ?12
         WHERE organization_id = ?1 AND appointment_id = ?2 AND claim = ?3",
        values![
            organization,
            claimed.appointment,
            claimed.claim,
            &known.calendar,
            &known.event,
            &known.version,
            known.span.start,
            known.span.end,
            known.marked,
            claimed.wanted,
            claimed.sent.as_ref().map(|(calendar, _)| calendar),
            claimed.sent.as_ref().map(|(_, at)| *at)
        ],
    )?;
    Ok(changed == 1)
}

/// Records that the event does not exist, as it should be; the next one gets the next number. Returns whether the claim still held.
///
/// # Errors
/// What the database said.
pub fn record_gone(tx: &mut Tx<'_>, organization: OrganizationId, claimed: &CalendarEvent) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE calendar_event SET removed_event_id = COALESCE(event_id, removed_event_id),
             calendar_id = NULL, event_id = NULL, version = NULL, shown_from = NULL, shown_to = NULL,
             marked = NULL, attempt = attempt + 1, begun = 0, pushed = ?4, claimed_until = 0, tries = 0, failure = NULL,
             crashes = 0, set_aside_at = NULL, sent_to = NULL, sent_at = NULL
         WHERE organization_id = ?1 AND appointment_id = ?2 AND claim = ?3",
        values![organization, claimed.appointment, claimed.claim, claimed.wanted],
    )?;
    Ok(changed == 1)
}

/// Records that the event of this number is deleted, so that the next insert gets another one. The claim goes on; `None` if it is lost.
///
/// # Errors
/// What the database said.
pub fn begin_anew(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    claimed: &CalendarEvent,
) -> Result<Option<CalendarEvent>, StoreError> {
    let sql = format!(
        "UPDATE calendar_event SET calendar_id = NULL, event_id = NULL, version = NULL, shown_from = NULL, shown_to = NULL,
             marked = NULL, attempt = attempt + 1, begun = 1, sent_to = NULL, sent_at = NULL
         WHERE organization_id = ?1 AND appointment_id = ?2 AND claim = ?3
         RETURNING {COLUMNS}"
    );
    tx.query_optional(&sql, values![organization, claimed.appointment, claimed.claim], read)
}

/// Notes, before the request is sent, that the event is sent into another calendar. The claim goes on; returns whether it still held.
///
/// # Errors
/// What the database said.
pub fn note_sent(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    claimed: &CalendarEvent,
    calendar: &str,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE calendar_event SET sent_to = ?4, sent_at = ?5
         WHERE organization_id = ?1 AND appointment_id = ?2 AND claim = ?3",
        values![organization, claimed.appointment, claimed.claim, calendar, now],
    )?;
    Ok(changed == 1)
}

/// Notes that the event has to be written at once whatever is known of it, because a request that came late may have changed it.
///
/// # Errors
/// What the database said.
pub fn raise_to_write(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    appointment: AppointmentId,
    now: Timestamp,
) -> Result<(), StoreError> {
    let sql = "UPDATE calendar_event SET must_write = 1 WHERE organization_id = ?1 AND appointment_id = ?2";
    tx.execute(sql, values![organization, appointment])?;
    raise_again(tx, organization, appointment, now)
}

/// A push that failed.
#[derive(Debug, Clone, Copy)]
pub struct FailedPush<'a> {
    /// Why, for staff.
    pub failure: &'a str,
    /// When the next one is due.
    pub due: Timestamp,
    /// Whether it certainly sent no insert.
    pub sent_nothing: bool,
}

/// Records a push that failed; returns whether the claim still held.
///
/// # Errors
/// What the database said.
pub fn record_failure(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    claimed: &CalendarEvent,
    failed: FailedPush<'_>,
) -> Result<bool, StoreError> {
    let FailedPush { failure, due, sent_nothing } = failed;
    let changed = tx.execute(
        "UPDATE calendar_event SET claimed_until = 0, tries = tries + 1, failure = ?4, not_before = ?5, crashes = 0,
             set_aside_at = NULL,
             begun = CASE WHEN ?6 = 1 AND event_id IS NULL THEN begun - 1 ELSE begun END
         WHERE organization_id = ?1 AND appointment_id = ?2 AND claim = ?3",
        values![organization, claimed.appointment, claimed.claim, failure, due, sent_nothing],
    )?;
    Ok(changed == 1)
}

/// Takes it that the change of an event arrived whose push has not ended, because the change is taken back: the next push writes the event
/// once more, and a change that arrives later finds another version.
///
/// # Errors
/// What the database said.
pub fn assume_changed(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    appointment: AppointmentId,
    calendar: &str,
    span: Span,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE calendar_event SET calendar_id = ?3, shown_from = ?4, shown_to = ?5, marked = ?2, must_write = 1
         WHERE organization_id = ?1 AND appointment_id = ?2 AND event_id IS NOT NULL AND wanted > pushed",
        values![organization, appointment, calendar, span.start, span.end],
    )?;
    Ok(())
}

/// Leaves the event of an appointment as it is until it is raised again, because staff decide about it.
///
/// # Errors
/// What the database said.
pub fn leave(tx: &mut Tx<'_>, organization: OrganizationId, appointment: AppointmentId) -> Result<(), StoreError> {
    let sql =
        "UPDATE calendar_event SET pushed = wanted, must_write = 0 WHERE organization_id = ?1 AND appointment_id = ?2";
    tx.execute(sql, values![organization, appointment])?;
    Ok(())
}

/// Records how an event is after an edit that a person made, unless a push changed it since it was read.
///
/// # Errors
/// What the database said.
pub fn record_seen(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    appointment: AppointmentId,
    before: &str,
    seen: &KnownEvent,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE calendar_event SET calendar_id = ?4, event_id = ?5, version = ?6, shown_from = ?7, shown_to = ?8, marked = ?9
         WHERE organization_id = ?1 AND appointment_id = ?2 AND version = ?3",
        values![
            organization,
            appointment,
            before,
            &seen.calendar,
            &seen.event,
            &seen.version,
            seen.span.start,
            seen.span.end,
            seen.marked
        ],
    )?;
    Ok(changed == 1)
}

/// Takes an event that carries the seed of an appointment without one: an insert arrived late. The event has to be
/// looked at again. A push that holds the appointment does that itself.
///
/// # Errors
/// What the database said.
pub fn adopt_late(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    appointment: AppointmentId,
    late: &KnownEvent,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE calendar_event SET calendar_id = ?3, event_id = ?4, version = ?5, shown_from = ?6, shown_to = ?7, marked = ?8,
             wanted = wanted + 1, not_before = ?9
         WHERE organization_id = ?1 AND appointment_id = ?2 AND event_id IS NULL AND claimed_until <= ?9",
        values![
            organization,
            appointment,
            &late.calendar,
            &late.event,
            &late.version,
            late.span.start,
            late.span.end,
            late.marked,
            now
        ],
    )?;
    Ok(changed == 1)
}

/// Forgets the event of an appointment, which is deleted, so that the next push makes another one. Of an appointment that is cancelled, it
/// stays known which event was deleted: a person may bring it back.
///
/// # Errors
/// What the database said.
pub fn forget(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    appointment: AppointmentId,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE calendar_event SET calendar_id = NULL, event_id = NULL, version = NULL, shown_from = NULL, shown_to = NULL,
             marked = NULL, attempt = attempt + 1, begun = 0, wanted = wanted + 1, not_before = ?3,
             removed_event_id = CASE WHEN EXISTS (SELECT 1 FROM appointment a WHERE a.organization_id = ?1 AND a.id = ?2
                 AND a.status = 'cancelled') THEN event_id ELSE removed_event_id END
         WHERE organization_id = ?1 AND appointment_id = ?2 AND event_id IS NOT NULL",
        values![organization, appointment, now],
    )?;
    Ok(changed == 1)
}

/// How many pushes wait, and since when the oldest of those that failed is due.
///
/// # Errors
/// What the database said.
pub fn count_waiting(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<(u32, Option<Timestamp>), StoreError> {
    tx.query_one(
        "SELECT count(*), MIN(CASE WHEN tries > 0 THEN not_before END) FROM calendar_event
         WHERE organization_id = ?1 AND wanted > pushed",
        values![organization],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

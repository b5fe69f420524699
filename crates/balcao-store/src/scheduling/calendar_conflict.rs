//! What people did in external calendars that staff have to resolve.
//!
//! Invariant: an appointment has at most one open conflict with one event, by a unique index. A recurring series is one event, of which a
//! conflict lists the instances.

use balcao_domain::outside_event::ConflictKind;
use balcao_domain::{AppointmentId, OrganizationId, Span};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, read_word, values};

/// A conflict that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundConflict {
    /// The appointment.
    pub appointment: AppointmentId,
    /// What a person did.
    pub kind: ConflictKind,
    /// The calendar of the event.
    pub calendar: String,
    /// The event, or the series that it is an instance of; empty in the report of a move, because the event and the appointment agree.
    pub event: String,
    /// Where the event is now, if it is anywhere.
    pub span: Option<Span>,
    /// The version of the event; empty in the report of a move.
    pub version: String,
    /// Of a move, the appointment as the customer knows it.
    pub moved_from: Option<AppointmentId>,
}

/// A conflict as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredConflict {
    /// Its number.
    pub id: i64,
    /// What was found.
    pub found: FoundConflict,
    /// When.
    pub found_at: Timestamp,
    /// When it was resolved, and how.
    pub resolution: Option<(Timestamp, String)>,
}

/// The resolution that leaves an event and its appointment as they are.
pub const OUTSIDE_HOLDS: &str = "what was done outside holds";
/// The resolution that moves the appointment. One that was moved has another number, so of the same one it says that it stays where it is.
pub const CUSTOMER_MOVED: &str = "the customer was moved";

const COLUMNS: &str =
    "id, appointment_id, kind, calendar_id, event_id, event_from, event_to, version, found_at, resolved_at, resolution,
     moved_from";

fn read(row: &Row<'_>) -> Result<StoredConflict, StoreError> {
    let (from, to): (Option<Timestamp>, Option<Timestamp>) = (row.get(5)?, row.get(6)?);
    let (at, how): (Option<Timestamp>, Option<String>) = (row.get(9)?, row.get(10)?);
    let found = FoundConflict {
        appointment: row.get(1)?,
        kind: read_word(row, 2, |word| word.parse().ok())?,
        calendar: row.get(3)?,
        event: row.get(4)?,
        span: from.zip(to).map(|(from, to)| Span::new(from, to)),
        version: row.get(7)?,
        moved_from: row.get(11)?,
    };
    Ok(StoredConflict { id: row.get(0)?, found, found_at: row.get(8)?, resolution: at.zip(how) })
}

/// What [`record`] stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordedConflict {
    /// Its number.
    pub id: i64,
    /// Whether it is to be reported: it is new, or of another kind than before. Of two processes that find the same conflict, one has news.
    pub is_news: bool,
}

/// Stores a conflict, or brings the open one of the same appointment and event up to date.
///
/// # Errors
/// What the database said.
pub fn record(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    found: &FoundConflict,
    now: Timestamp,
) -> Result<RecordedConflict, StoreError> {
    let insert = "INSERT INTO calendar_conflict (organization_id, appointment_id, kind, calendar_id, event_id, event_from, event_to,
                      version, found_at, moved_from)
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
                  ON CONFLICT (organization_id, appointment_id, calendar_id, event_id) WHERE resolved_at IS NULL";
    let values = values![
        organization,
        found.appointment,
        found.kind.as_str(),
        &found.calendar,
        &found.event,
        found.span.map(|span| span.start),
        found.span.map(|span| span.end),
        &found.version,
        now,
        found.moved_from
    ];
    let is_new = tx.query_optional(&format!("{insert} DO NOTHING RETURNING id"), values, |row| row.get(0))?;
    if let Some(id) = is_new {
        return Ok(RecordedConflict { id, is_news: true });
    }
    let other_kind = "UPDATE calendar_conflict SET kind = ?5
                      WHERE organization_id = ?1 AND appointment_id = ?2 AND calendar_id = ?3 AND event_id = ?4
                        AND resolved_at IS NULL AND kind <> ?5
                      RETURNING id";
    let of = values![organization, found.appointment, &found.calendar, &found.event, found.kind.as_str()];
    let changed: Option<i64> = tx.query_optional(other_kind, of, |row| row.get(0))?;
    // The open one may have been resolved meanwhile, so this inserts, too.
    let update = format!(
        "{insert} DO UPDATE SET event_from = excluded.event_from, event_to = excluded.event_to, version = excluded.version RETURNING id"
    );
    Ok(RecordedConflict { id: tx.insert(&update, values)?, is_news: changed.is_some() })
}

/// Instances of a series that one conflict lists.
pub const MAX_INSTANCES: u32 = 100;

/// An instance of a recurring series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeriesInstance {
    /// Its event.
    pub event: String,
    /// Where it is now, if it is anywhere.
    pub span: Option<Span>,
}

/// Lists an instance with an open conflict about its series, or brings it up to date; beyond [`MAX_INSTANCES`] it is not listed.
///
/// # Errors
/// What the database said.
pub fn record_instance(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conflict: i64,
    instance: &SeriesInstance,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO calendar_conflict_instance (organization_id, conflict_id, event_id, starts_at, ends_at)
         SELECT c.organization_id, c.id, CAST(?3 AS TEXT), CAST(?4 AS BIGINT), CAST(?5 AS BIGINT) FROM calendar_conflict c
         WHERE c.organization_id = ?1 AND c.id = ?2
           AND (SELECT count(*) FROM calendar_conflict_instance i
                WHERE i.organization_id = ?1 AND i.conflict_id = ?2 AND i.event_id <> ?3) < ?6
         ON CONFLICT (organization_id, conflict_id, event_id)
         DO UPDATE SET starts_at = excluded.starts_at, ends_at = excluded.ends_at",
        values![
            organization,
            conflict,
            &instance.event,
            instance.span.map(|span| span.start),
            instance.span.map(|span| span.end),
            MAX_INSTANCES
        ],
    )?;
    Ok(())
}

/// The instances that a conflict about a series lists, in order of time.
///
/// # Errors
/// What the database said.
pub fn list_instances(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conflict: i64,
) -> Result<Vec<SeriesInstance>, StoreError> {
    tx.query_all(
        "SELECT event_id, starts_at, ends_at FROM calendar_conflict_instance
         WHERE organization_id = ?1 AND conflict_id = ?2 ORDER BY starts_at, event_id LIMIT ?3",
        values![organization, conflict, MAX_INSTANCES],
        |row| {
            let (from, to): (Option<Timestamp>, Option<Timestamp>) = (row.get(1)?, row.get(2)?);
            Ok(SeriesInstance { event: row.get(0)?, span: from.zip(to).map(|(from, to)| Span::new(from, to)) })
        },
    )
}

/// Takes an instance that is elsewhere now out of a conflict; returns whether the conflict listed it and lists no other one.
///
/// # Errors
/// What the database said.
pub fn remove_instance(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conflict: i64,
    event: &str,
) -> Result<bool, StoreError> {
    let removed = tx.execute(
        "DELETE FROM calendar_conflict_instance WHERE organization_id = ?1 AND conflict_id = ?2 AND event_id = ?3",
        values![organization, conflict, event],
    )?;
    Ok(removed == 1 && list_instances(tx, organization, conflict)?.is_empty())
}

/// The open conflicts, oldest first, at most `limit` behind the number `after`.
///
/// # Errors
/// What the database said.
pub fn list_open(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    after: i64,
    limit: u32,
) -> Result<Vec<StoredConflict>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM calendar_conflict
         WHERE organization_id = ?1 AND id > ?2 AND resolved_at IS NULL ORDER BY id LIMIT ?3"
    );
    tx.query_all(&sql, values![organization, after, limit], read)
}

/// The conflicts that end with a visit ([`ConflictKind::ends_with_visit`]) and whose visit is not to come any more.
const PAST: &str = "kind IN ('moved', 'collision', 'all_day_block', 'copied')
    AND NOT EXISTS (SELECT 1 FROM appointment a WHERE a.organization_id = ?1 AND a.id = calendar_conflict.appointment_id
        AND a.status IN ('pending', 'confirmed') AND a.starts_at > ?2 AND (a.expires_at IS NULL OR a.expires_at > ?2))";

/// How many conflicts are open, without those that ended with their visit.
///
/// # Errors
/// What the database said.
pub fn count_open(tx: &mut Tx<'_>, organization: OrganizationId, now: Timestamp) -> Result<u64, StoreError> {
    let sql = format!(
        "SELECT COUNT(*) FROM calendar_conflict WHERE organization_id = ?1 AND resolved_at IS NULL AND NOT ({PAST})"
    );
    tx.query_one(&sql, values![organization, now], |row| row.get::<i64>(0).map(i64::unsigned_abs))
}

/// The open conflicts of an event, in whatever calendar, in order of their numbers; at most `limit` behind the number `after`.
///
/// # Errors
/// What the database said.
pub fn list_open_of_event(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    event: &str,
    after: i64,
    limit: u32,
) -> Result<Vec<StoredConflict>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM calendar_conflict
         WHERE organization_id = ?1 AND event_id = ?2 AND id > ?3 AND resolved_at IS NULL ORDER BY id LIMIT ?4"
    );
    tx.query_all(&sql, values![organization, event, after, limit], read)
}

/// Whether the last word of staff about an appointment and an event was that what was done outside holds, and this is the same: of the same
/// kind, at the same time. Of a series, this `instance` was listed with the conflict, at the same time.
///
/// # Errors
/// What the database said.
pub fn is_accepted(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    found: &FoundConflict,
    instance: Option<&SeriesInstance>,
) -> Result<bool, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM calendar_conflict
         WHERE organization_id = ?1 AND appointment_id = ?2 AND calendar_id = ?3 AND event_id = ?4 ORDER BY id DESC LIMIT 1"
    );
    let values = values![organization, found.appointment, &found.calendar, &found.event];
    let last = tx.query_optional(&sql, values, read)?;
    let is_same_kind = |last: &StoredConflict| {
        let leaves_it = |how: &str| how == OUTSIDE_HOLDS || how == CUSTOMER_MOVED;
        last.found.kind == found.kind && last.resolution.as_ref().is_some_and(|(_, how)| leaves_it(how))
    };
    let Some(last) = last.filter(is_same_kind) else { return Ok(false) };
    Ok(match instance {
        Some(instance) => list_instances(tx, organization, last.id)?.contains(instance),
        None => last.found.span == found.span,
    })
}

/// Whether staff have to decide about the event of an appointment.
///
/// # Errors
/// What the database said.
pub fn has_open(tx: &mut Tx<'_>, organization: OrganizationId, appointment: AppointmentId) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM calendar_conflict
               WHERE organization_id = ?1 AND appointment_id = ?2 AND moved_from IS NULL AND resolved_at IS NULL LIMIT 1";
    let found: Option<i64> = tx.query_optional(sql, values![organization, appointment], |row| row.get(0))?;
    Ok(found.is_some())
}

/// A conflict by its number.
///
/// # Errors
/// What the database said.
pub fn find(tx: &mut Tx<'_>, organization: OrganizationId, id: i64) -> Result<Option<StoredConflict>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM calendar_conflict WHERE organization_id = ?1 AND id = ?2");
    tx.query_optional(&sql, values![organization, id], read)
}

/// The open report that a person moved this appointment outside.
///
/// # Errors
/// What the database said.
pub fn find_move(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    appointment: AppointmentId,
) -> Result<Option<StoredConflict>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM calendar_conflict
         WHERE organization_id = ?1 AND appointment_id = ?2 AND moved_from IS NOT NULL AND resolved_at IS NULL"
    );
    tx.query_optional(&sql, values![organization, appointment], read)
}

/// Brings the open report of a move up to date after a further move; returns whether the report was still open. What the customer knows
/// stays.
///
/// # Errors
/// What the database said.
pub fn follow_move(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: i64,
    to: AppointmentId,
    span: Span,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE calendar_conflict SET appointment_id = ?3, event_from = ?4, event_to = ?5
         WHERE organization_id = ?1 AND id = ?2 AND moved_from IS NOT NULL AND resolved_at IS NULL",
        values![organization, id, to, span.start, span.end],
    )?;
    Ok(changed == 1)
}

/// Ends the conflicts that end with a visit ([`ConflictKind::ends_with_visit`]) whose appointment was cancelled, moved here or begun since;
/// returns how many. A move that may still be taken back ends none.
///
/// # Errors
/// What the database said.
pub fn end_past(tx: &mut Tx<'_>, organization: OrganizationId, now: Timestamp) -> Result<usize, StoreError> {
    let sql = format!(
        "UPDATE calendar_conflict SET resolved_at = ?2, resolution = 'the appointment was changed since, or it began'
         WHERE organization_id = ?1 AND resolved_at IS NULL AND {PAST}
           AND NOT EXISTS (SELECT 1 FROM appointment a
               JOIN calendar_claim k ON k.organization_id = ?1 AND k.appointment_id = a.moved_to
               WHERE a.organization_id = ?1 AND a.id = calendar_conflict.appointment_id)"
    );
    tx.execute(&sql, values![organization, now])
}

/// Resolves an open conflict; returns whether it was open.
///
/// # Errors
/// What the database said.
pub fn resolve(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: i64,
    resolution: &str,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE calendar_conflict SET resolved_at = ?3, resolution = ?4 WHERE organization_id = ?1 AND id = ?2 AND resolved_at IS NULL",
        values![organization, id, now, resolution],
    )?;
    Ok(changed == 1)
}

/// Opens a conflict again that a move resolved which was taken back, unless the same conflict was found meanwhile. If `is_written`, the way
/// back writes the event, so its version and time are no longer what was found: the version is empty then. Returns whether it is open.
///
/// # Errors
/// What the database said.
pub fn reopen(tx: &mut Tx<'_>, organization: OrganizationId, id: i64, is_written: bool) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE calendar_conflict SET resolved_at = NULL, resolution = NULL,
                version = CASE WHEN ?3 = 1 THEN '' ELSE version END,
                event_from = CASE WHEN ?3 = 1 THEN NULL ELSE event_from END,
                event_to = CASE WHEN ?3 = 1 THEN NULL ELSE event_to END
         WHERE organization_id = ?1 AND id = ?2 AND resolved_at IS NOT NULL AND NOT EXISTS
           (SELECT 1 FROM calendar_conflict o WHERE o.organization_id = ?1 AND o.resolved_at IS NULL
              AND o.appointment_id = calendar_conflict.appointment_id AND o.calendar_id = calendar_conflict.calendar_id
              AND o.event_id = calendar_conflict.event_id)",
        values![organization, id, i64::from(is_written)],
    )?;
    Ok(changed == 1)
}

/// Gives the open conflicts about an appointment's own event, which has the id `event`, to the appointment that the event shows now, if that
/// has none about it; returns whether there was one. An event that has lost its mark, or became a series, stays at the time of the appointment
/// before, which our copy did not hold: it is taken now.
///
/// # Errors
/// What the database said.
pub fn hand_over(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    (from, to): (AppointmentId, AppointmentId),
    event: &str,
) -> Result<bool, StoreError> {
    let handed = tx.execute(
        "UPDATE calendar_conflict SET appointment_id = ?3
         WHERE organization_id = ?1 AND appointment_id = ?2 AND event_id = ?4 AND resolved_at IS NULL
           AND NOT EXISTS (SELECT 1 FROM calendar_conflict c WHERE c.organization_id = ?1 AND c.appointment_id = ?3
                             AND c.event_id = ?4 AND c.resolved_at IS NULL)",
        values![organization, from, to, event],
    )?;
    let take = |of: &str| {
        format!(
            "INSERT INTO calendar_busy (organization_id, calendar_id, event_id, starts_at, ends_at, all_day, version, generation)
             {of} ON CONFLICT (organization_id, calendar_id, event_id) DO NOTHING"
        )
    };
    let of_event =
        "SELECT c.organization_id, c.calendar_id, c.event_id, c.event_from, c.event_to, ?4, c.version, o.generation
         FROM calendar_conflict c JOIN outside_calendar o ON o.organization_id = ?1 AND o.calendar_id = c.calendar_id
         WHERE c.organization_id = ?1 AND c.appointment_id = ?2 AND c.event_id = ?3 AND c.resolved_at IS NULL
           AND c.kind = 'owner_changed' AND c.event_from IS NOT NULL AND c.event_to IS NOT NULL";
    let of_instances =
        "SELECT c.organization_id, c.calendar_id, i.event_id, i.starts_at, i.ends_at, ?4, c.version, o.generation
         FROM calendar_conflict c JOIN outside_calendar o ON o.organization_id = ?1 AND o.calendar_id = c.calendar_id
         JOIN calendar_conflict_instance i ON i.organization_id = ?1 AND i.conflict_id = c.id
         WHERE c.organization_id = ?1 AND c.appointment_id = ?2 AND c.event_id = ?3 AND c.resolved_at IS NULL
           AND c.kind = 'recurring_exception' AND i.starts_at IS NOT NULL AND i.ends_at IS NOT NULL";
    for of in [of_event, of_instances] {
        tx.execute(&take(of), values![organization, to, event, false])?;
    }
    Ok(handed > 0)
}

/// Resolves the open conflict of an appointment with its own event, which is as it should be again.
///
/// # Errors
/// What the database said.
pub fn resolve_own(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    appointment: AppointmentId,
    (calendar, event): (&str, &str),
    resolution: &str,
    now: Timestamp,
) -> Result<usize, StoreError> {
    tx.execute(
        "UPDATE calendar_conflict SET resolved_at = ?5, resolution = ?6
         WHERE organization_id = ?1 AND appointment_id = ?2 AND calendar_id = ?3 AND event_id = ?4 AND resolved_at IS NULL",
        values![organization, appointment, calendar, event, now, resolution],
    )
}

/// Resolves the open conflicts with an event that is as it should be again, or gone; returns how many there were. A conflict about a series
/// ends with the last instance that it lists.
///
/// # Errors
/// What the database said.
pub fn resolve_of_event(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    (calendar, event): (&str, &str),
    resolution: &str,
    now: Timestamp,
) -> Result<usize, StoreError> {
    let listed: Vec<i64> = tx.query_all(
        "DELETE FROM calendar_conflict_instance WHERE organization_id = ?1 AND event_id = ?3
           AND conflict_id IN (SELECT c.id FROM calendar_conflict c
                               WHERE c.organization_id = ?1 AND c.calendar_id = ?2 AND c.resolved_at IS NULL)
         RETURNING conflict_id",
        values![organization, calendar, event],
        |row| row.get(0),
    )?;
    let mut resolved = tx.execute(
        "UPDATE calendar_conflict SET resolved_at = ?4, resolution = ?5
         WHERE organization_id = ?1 AND calendar_id = ?2 AND event_id = ?3 AND resolved_at IS NULL",
        values![organization, calendar, event, now, resolution],
    )?;
    for conflict in listed {
        resolved += tx.execute(
            "UPDATE calendar_conflict SET resolved_at = ?3, resolution = ?4
             WHERE organization_id = ?1 AND id = ?2 AND resolved_at IS NULL
               AND NOT EXISTS (SELECT 1 FROM calendar_conflict_instance i WHERE i.organization_id = ?1 AND i.conflict_id = ?2)",
            values![organization, conflict, now, resolution],
        )?;
    }
    Ok(resolved)
}

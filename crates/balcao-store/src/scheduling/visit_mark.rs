//! Marks: how visits ended, who said so, and the unmarked ones. The rules are in [`balcao_domain::appointment::visit`].
//!
//! Invariant: each write compares the status and the mark with those that its decision was made on, so that of two marks at once one
//! is written and the other is decided again. The server takes up a visit once (`reviewed_at`), whatever staff undo later.

use balcao_domain::appointment::visit::{MarkAuthor, VisitEnd, VisitMark};
use balcao_domain::{Appointment, AppointmentId, AppointmentStatus, ContactId, OrganizationId, ProfessionalId, Span};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Value, values};
use crate::ops::audit::{self, AuditEntry};
use crate::scheduling::calendar_event;
use crate::scheduling::slot_claim::{self, SlotRequest};
use crate::turns::event;

/// A visit that ended without a mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnmarkedVisit {
    /// Its id.
    pub id: AppointmentId,
    /// Who was expected.
    pub contact: ContactId,
    /// The attendee, if another person than the contact was expected.
    pub attendee: Option<String>,
    /// Who was booked.
    pub professional: ProfessionalId,
    /// For what, as it was called at booking.
    pub service: String,
    /// When.
    pub span: Span,
}

/// What became of an undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoWrite {
    /// The appointment is as it was before the mark.
    Written,
    /// It is not as the caller read it, and is left alone.
    ChangedMeanwhile,
    /// Another appointment has its time, so a cancelled one cannot come back.
    SlotTaken,
}

/// The instant of the mark that `read` has, in milliseconds; 0 without one.
fn marked_at_ms(read: &Appointment) -> i64 {
    read.mark.as_ref().map_or(0, |mark| mark.at.as_millisecond())
}

/// Ends an appointment if its status and its mark are still those of `read`; tells whether they were. One that ends as cancelled gives
/// its time back. Its reminders end, too.
///
/// # Errors
/// What the database said.
pub fn set(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    read: &Appointment,
    end: VisitEnd,
    mark: &VisitMark,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE appointment SET status = ?4, marked_at = ?5, marked_by = ?6, marked_from = ?7
         WHERE organization_id = ?1 AND id = ?2 AND status = ?3 AND COALESCE(marked_at, 0) = ?8",
        values![
            organization,
            read.id,
            read.status.as_str(),
            end.status().as_str(),
            mark.at,
            mark.by.to_string(),
            mark.from.as_str(),
            marked_at_ms(read)
        ],
    )?;
    if changed == 0 {
        return Ok(false);
    }
    if end == VisitEnd::Cancelled {
        tx.execute(
            "UPDATE appointment SET cancelled_at = ?3 WHERE organization_id = ?1 AND id = ?2",
            values![organization, read.id, mark.at],
        )?;
        slot_claim::release(tx, organization, read.id)?;
        calendar_event::raise(tx, organization, read.id, mark.at)?;
    }
    crate::scheduling::reminder::cancel_of(tx, organization, read.id)?;
    Ok(true)
}

/// Takes the mark of an appointment away and gives it the status `to`, if its status and its mark are still those of `read`. A cancelled
/// one claims its time again, on any seat of its professional.
///
/// # Errors
/// What the database said.
pub fn clear(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    read: &Appointment,
    to: AppointmentStatus,
    now: Timestamp,
) -> Result<UndoWrite, StoreError> {
    // No index would let two open appointments of one contact at one start stand.
    let twins: i64 = tx.query_one(
        "SELECT count(*) FROM appointment WHERE organization_id = ?1 AND contact_id = ?2 AND starts_at = ?3 AND id <> ?4
           AND status IN ('pending', 'confirmed') AND COALESCE(attendee, '') = ?5",
        values![organization, read.contact, read.span.start, read.id, read.attendee.as_deref().unwrap_or_default()],
        |row| row.get(0),
    )?;
    if twins > 0 {
        return Ok(UndoWrite::SlotTaken);
    }
    let undone = tx.savepoint(|tx| {
        let changed = tx.execute(
            "UPDATE appointment SET status = ?4, marked_at = NULL, marked_by = NULL, marked_from = NULL, cancelled_at = NULL, moved_to = NULL,
                 seat = CASE WHEN status = 'cancelled' THEN NULL ELSE seat END
             WHERE organization_id = ?1 AND id = ?2 AND status = ?3 AND COALESCE(marked_at, 0) = ?5",
            values![organization, read.id, read.status.as_str(), to.as_str(), marked_at_ms(read)],
        )?;
        if changed == 0 {
            return Ok::<_, StoreError>(Err(UndoWrite::ChangedMeanwhile));
        }
        if read.status.holds_slot() {
            return Ok(Ok(UndoWrite::Written));
        }
        let capacity: u32 = tx.query_one(
            "SELECT capacity FROM professional WHERE organization_id = ?1 AND id = ?2",
            values![organization, read.professional],
            |row| row.get(0),
        )?;
        let (appointment, professional, occupied) = (read.id, read.professional, read.occupied);
        let wanted = SlotRequest { appointment, professional, capacity, occupied, now };
        let seat = slot_claim::claim_slot(tx, organization, &wanted)?;
        calendar_event::raise(tx, organization, read.id, now)?;
        Ok(seat.map(|_seat| UndoWrite::Written).ok_or(UndoWrite::SlotTaken))
    })?;
    Ok(undone.unwrap_or_else(|refused| refused))
}

/// The earliest end of a confirmed appointment that the server has not taken up, past or to come.
///
/// # Errors
/// What the database said.
pub fn first_unreviewed(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Option<Timestamp>, StoreError> {
    tx.query_one(
        "SELECT MIN(ends_at) FROM appointment WHERE organization_id = ?1 AND status = 'confirmed' AND reviewed_at IS NULL",
        values![organization],
        |row| row.get(0),
    )
}

/// Whether a confirmed appointment that starts before `starts_before` ends after `ends_after`, so that a day with that midnight is not
/// over.
///
/// # Errors
/// What the database said.
pub fn is_any_to_end(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    ends_after: Timestamp,
    starts_before: Timestamp,
) -> Result<bool, StoreError> {
    let found = tx.query_optional(
        "SELECT id FROM appointment WHERE organization_id = ?1 AND status = 'confirmed' AND reviewed_at IS NULL
           AND ends_at > ?2 AND starts_at < ?3 LIMIT 1",
        values![organization, ends_after, starts_before],
        |row| row.get::<i64>(0),
    )?;
    Ok(found.is_some())
}

/// Takes up unmarked visits that ended by `ended_by`, at most `limit`, those that ended first foremost. Each is given once.
///
/// # Errors
/// What the database said.
pub fn take_up(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    ended_by: Timestamp,
    limit: u32,
    now: Timestamp,
) -> Result<Vec<UnmarkedVisit>, StoreError> {
    let last = last_of_batch(tx, organization, UnmarkedScope::NotTakenUp, Batch { ended_by, limit })?;
    let mut taken = tx.query_all(
        "UPDATE appointment SET reviewed_at = ?4
         WHERE organization_id = ?1 AND status = 'confirmed' AND reviewed_at IS NULL AND (ends_at, id) <= (?2, ?3)
         RETURNING id, contact_id, attendee, professional_id, service_name, starts_at, ends_at",
        values![organization, last.ends_at, last.id, now],
        |row| {
            Ok(UnmarkedVisit {
                id: row.get(0)?,
                contact: row.get(1)?,
                attendee: row.get(2)?,
                professional: row.get(3)?,
                service: row.get(4)?,
                span: Span::new(row.get(5)?, row.get(6)?),
            })
        },
    )?;
    taken.sort_by_key(|one| (one.span.start, one.id));
    Ok(taken)
}

/// Unmarked visits that one transaction takes: those that ended by an instant, at most so many.
#[derive(Debug, Clone, Copy)]
pub struct Batch {
    /// Those that ended later stay.
    pub ended_by: Timestamp,
    /// How many at most.
    pub limit: u32,
}

/// The last visit of a batch, in order of end and id.
struct LastOfBatch {
    ends_at: Timestamp,
    id: i64,
}

/// Finds where a batch ends, so that the statement which takes it is one range of an index. A join with the ids of the batch takes time by
/// the square of its size where PostgreSQL has no statistics yet.
fn last_of_batch(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    scope: UnmarkedScope,
    batch: Batch,
) -> Result<LastOfBatch, StoreError> {
    let sql = format!(
        "SELECT ends_at, id FROM appointment
         WHERE organization_id = ?1 AND status = 'confirmed' AND {} AND ends_at <= ?2
         ORDER BY ends_at, id LIMIT 1 OFFSET ?3",
        scope.condition(4)
    );
    let mut bound = values![organization, batch.ended_by, batch.limit.saturating_sub(1)].to_vec();
    bound.extend(scope.values());
    let last = tx.query_optional(&sql, &bound, |row| Ok(LastOfBatch { ends_at: row.get(0)?, id: row.get(1)? }))?;
    Ok(last.unwrap_or(LastOfBatch { ends_at: batch.ended_by, id: i64::MAX }))
}

/// Which unmarked visits a batch takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnmarkedScope {
    /// Those that the server has not taken up.
    NotTakenUp,
    /// Those that started in a span, taken up or not.
    StartedIn(Span),
    /// Those of one professional that started in a span.
    OfProfessional(ProfessionalId, Span),
}

impl UnmarkedScope {
    /// The condition of a statement whose parameters for it begin at `first`. Each scope has a text of its own, because each is served by
    /// an index of its own.
    fn condition(self, first: usize) -> String {
        let in_span = || format!("starts_at >= ?{first} AND starts_at < ?{}", first + 1);
        match self {
            Self::NotTakenUp => "reviewed_at IS NULL".to_owned(),
            Self::StartedIn(_) => in_span(),
            Self::OfProfessional(..) => format!("{} AND professional_id = ?{}", in_span(), first + 2),
        }
    }

    fn values(self) -> Vec<Value<'static>> {
        match self {
            Self::NotTakenUp => Vec::new(),
            Self::StartedIn(span) => values![span.start, span.end].to_vec(),
            Self::OfProfessional(professional, span) => values![span.start, span.end, professional].to_vec(),
        }
    }
}

/// Marks a batch of unmarked visits as completed, and returns how many it found. Each gets a row of the audit log and an event, and counts
/// as taken up.
///
/// # Errors
/// What the database said.
pub fn complete_unmarked(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    scope: UnmarkedScope,
    batch: Batch,
    by: &MarkAuthor,
    now: Timestamp,
) -> Result<usize, StoreError> {
    let last = last_of_batch(tx, organization, scope, batch)?;
    let sql = format!(
        "UPDATE appointment SET status = 'completed', marked_at = ?4, marked_by = ?5, marked_from = 'confirmed', reviewed_at = ?6
         WHERE organization_id = ?1 AND status = 'confirmed' AND {} AND (ends_at, id) <= (?2, ?3)
         RETURNING id",
        scope.condition(7)
    );
    let mut bound = values![organization, last.ends_at, last.id, now, by.to_string(), now].to_vec();
    bound.extend(scope.values());
    let mut done: Vec<AppointmentId> = tx.query_all(&sql, &bound, |row| row.get(0))?;
    done.sort_unstable();
    if !done.is_empty() {
        crate::scheduling::reminder::cancel_of_ended(tx, organization, now)?;
    }
    let subjects: Vec<String> = done.iter().map(ToString::to_string).collect();
    event::push_each(tx, organization, "appointment_completed", &subjects, now)?;
    let entry = AuditEntry {
        at: now,
        actor: by.name().to_owned(),
        action: "appointment.complete".to_owned(),
        subject: String::new(),
        before: Some(r#"{"status":"confirmed"}"#.to_owned()),
        after: Some(r#"{"status":"completed"}"#.to_owned()),
    };
    audit::append_each(tx, organization, &entry, &subjects)?;
    Ok(subjects.len())
}

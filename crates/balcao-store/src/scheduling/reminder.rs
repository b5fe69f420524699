//! Planned reminders of appointments.
//!
//! Invariant: an appointment has one reminder for each start and each number of minutes before it, by a unique key, however often it is
//! planned and wherever quiet hours move it (I-18).

use balcao_domain::reminder::{PlannedReminder, ReminderOrigin};
use balcao_domain::{AppointmentId, OrganizationId, ReminderId};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, Value, read_word, values};

/// Where a reminder stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReminderState {
    /// It waits for its time.
    Open,
    /// Its message was written.
    Sent,
    /// Its appointment was cancelled, moved or marked.
    Cancelled,
    /// It was due, and something spoke against it.
    Skipped,
}

impl ReminderState {
    /// The word that is stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Sent => "sent",
            Self::Cancelled => "cancelled",
            Self::Skipped => "skipped",
        }
    }

    fn read(word: &str) -> Option<Self> {
        [Self::Open, Self::Sent, Self::Cancelled, Self::Skipped].into_iter().find(|one| one.as_str() == word)
    }
}

/// The start of an appointment that a reminder is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReminderSubject {
    /// The appointment.
    pub appointment: AppointmentId,
    /// Its start.
    pub starts_at: Timestamp,
}

/// A reminder as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reminder {
    /// Its id.
    pub id: ReminderId,
    /// What it reminds of.
    pub subject: ReminderSubject,
    /// When it leaves, and how long before the start it was planned. Quiet hours may have moved it.
    pub planned: PlannedReminder,
    /// Who wanted it.
    pub origin: ReminderOrigin,
    /// Where it stands.
    pub state: ReminderState,
    /// When the contact answered that they will come.
    pub confirmed_at: Option<Timestamp>,
}

const COLUMNS: &str = "id, appointment_id, starts_at, minutes_before, remind_at, origin, state, confirmed_at";

fn read(row: &Row<'_>) -> Result<Reminder, StoreError> {
    Ok(Reminder {
        id: row.get(0)?,
        subject: ReminderSubject { appointment: row.get(1)?, starts_at: row.get(2)? },
        // A row from before the minutes were stored may have been put off until after the start.
        planned: PlannedReminder {
            minutes_before: u32::try_from(row.get::<i64>(3)?).unwrap_or(0),
            remind_at: row.get(4)?,
        },
        origin: read_word(row, 5, |text| text.parse().ok())?,
        state: read_word(row, 6, ReminderState::read)?,
        confirmed_at: row.get(7)?,
    })
}

/// What a second plan of the same reminder changes: a cancelled one is open again, and one that the contact asks for is theirs.
const INSERT: &str = "INSERT INTO reminder (organization_id, appointment_id, starts_at, origin, created_at, minutes_before, remind_at) VALUES ";
const AGAIN: &str = " ON CONFLICT (organization_id, appointment_id, starts_at, minutes_before) DO UPDATE SET
           remind_at = CASE WHEN reminder.state = 'cancelled' THEN excluded.remind_at ELSE reminder.remind_at END,
           state = CASE WHEN reminder.state = 'cancelled' THEN 'open' ELSE reminder.state END,
           origin = CASE WHEN excluded.origin = 'asked' THEN 'asked' ELSE reminder.origin END";

/// Plans a reminder and returns its id. The same one twice is one; a cancelled one is open again.
///
/// The caller holds the appointment: it was inserted in this transaction, or locked by
/// [`lock_open`](crate::scheduling::appointment::lock_open).
///
/// # Errors
/// What the database said.
pub fn insert(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    subject: ReminderSubject,
    origin: ReminderOrigin,
    planned: PlannedReminder,
    now: Timestamp,
) -> Result<ReminderId, StoreError> {
    let sql = format!("{INSERT}(?1, ?2, ?3, ?4, ?5, ?6, ?7){AGAIN} RETURNING id");
    let (minutes, at) = (planned.minutes_before, planned.remind_at);
    tx.insert(&sql, values![organization, subject.appointment, subject.starts_at, origin.as_str(), now, minutes, at])
}

/// Plans reminders in one statement, as [`insert`] does.
///
/// # Errors
/// What the database said.
pub fn insert_each(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    subject: ReminderSubject,
    origin: ReminderOrigin,
    planned: &[PlannedReminder],
    now: Timestamp,
) -> Result<(), StoreError> {
    if planned.is_empty() {
        return Ok(());
    }
    let mut bound = values![organization, subject.appointment, subject.starts_at, origin.as_str(), now].to_vec();
    let mut rows = Vec::with_capacity(planned.len());
    for one in planned {
        let place = bound.len();
        rows.push(format!("(?1, ?2, ?3, ?4, ?5, ?{}, ?{})", place.saturating_add(1), place.saturating_add(2)));
        bound.extend([Value::from(one.minutes_before), Value::from(one.remind_at)]);
    }
    tx.defer(&format!("{INSERT}{}{AGAIN}", rows.join(", ")), &bound)
}

/// The reminders of an appointment in order of time, those that were sent or cancelled included.
///
/// # Errors
/// What the database said.
pub fn list_of(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    appointment: AppointmentId,
) -> Result<Vec<Reminder>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM reminder WHERE organization_id = ?1 AND appointment_id = ?2 ORDER BY remind_at, id"
    );
    tx.query_all(&sql, values![organization, appointment], read)
}

/// The open reminders of an organization in order of time, at most `limit`, those behind `after`.
///
/// # Errors
/// What the database said.
pub fn list_open(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    after: Option<(Timestamp, ReminderId)>,
    limit: u32,
) -> Result<Vec<Reminder>, StoreError> {
    let (at, id) = after.map_or((Timestamp::MIN, None), |(at, id)| (at, Some(id)));
    let sql = format!(
        "SELECT {COLUMNS} FROM reminder WHERE organization_id = ?1 AND state = 'open'
           AND (remind_at > ?2 OR (remind_at = ?2 AND id > COALESCE(?3, 0))) ORDER BY remind_at, id LIMIT ?4"
    );
    tx.query_all(&sql, values![organization, at, id, limit], read)
}

/// The reminder of an id.
///
/// # Errors
/// What the database said.
pub fn find(tx: &mut Tx<'_>, organization: OrganizationId, id: ReminderId) -> Result<Option<Reminder>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM reminder WHERE organization_id = ?1 AND id = ?2");
    tx.query_optional(&sql, values![organization, id], read)
}

/// Notes that the contact answered a sent reminder of this start and will come; returns whether the answer is new.
///
/// # Errors
/// What the database said.
pub fn confirm(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    subject: ReminderSubject,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let sql = "UPDATE reminder SET confirmed_at = ?4
               WHERE organization_id = ?1 AND appointment_id = ?2 AND starts_at = ?3 AND state = 'sent' AND NOT EXISTS (
                   SELECT 1 FROM reminder other WHERE other.organization_id = ?1 AND other.appointment_id = ?2
                     AND other.starts_at = ?3 AND other.confirmed_at IS NOT NULL)";
    Ok(tx.execute(sql, values![organization, subject.appointment, subject.starts_at, now])? > 0)
}

/// Cancels an appointment's open reminders.
///
/// # Errors
/// What the database said.
pub fn cancel_of(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    appointment: AppointmentId,
) -> Result<usize, StoreError> {
    tx.execute(
        "UPDATE reminder SET state = 'cancelled' WHERE organization_id = ?1 AND appointment_id = ?2 AND state = 'open'",
        values![organization, appointment],
    )
}

/// Cancels open reminders, whose time has come, of appointments that ended with a mark.
///
/// # Errors
/// What the database said.
pub(crate) fn cancel_of_ended(tx: &mut Tx<'_>, organization: OrganizationId, now: Timestamp) -> Result<(), StoreError> {
    let sql =
        "UPDATE reminder SET state = 'cancelled' WHERE organization_id = ?1 AND state = 'open' AND remind_at <= ?2
               AND appointment_id IN (SELECT id FROM appointment WHERE organization_id = ?1 AND status = 'completed')";
    tx.defer(sql, values![organization, now])
}

/// A reminder whose time has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueReminder {
    /// Its id.
    pub id: ReminderId,
    /// Whose.
    pub organization: OrganizationId,
    /// Of what.
    pub appointment: AppointmentId,
    /// When it was due.
    pub remind_at: Timestamp,
}

/// Open reminders whose time has come, the oldest first, at most `limit`.
///
/// # Errors
/// What the database said.
pub fn due(tx: &mut Tx<'_>, now: Timestamp, limit: u32) -> Result<Vec<DueReminder>, StoreError> {
    let served = tx.served();
    tx.query_all(
        "SELECT id, organization_id, appointment_id, remind_at FROM reminder
         WHERE state = 'open' AND remind_at <= ?1 AND (organization_id = ?3 OR ?3 IS NULL) ORDER BY remind_at, id LIMIT ?2",
        values![now, limit, served],
        |row| {
            Ok(DueReminder {
                id: row.get(0)?,
                organization: row.get(1)?,
                appointment: row.get(2)?,
                remind_at: row.get(3)?,
            })
        },
    )
}

/// Ends an open reminder: it was fired, or skipped. Tells whether it was open; only then may it have a consequence (I-18).
///
/// # Errors
/// What the database said.
pub fn end(tx: &mut Tx<'_>, organization: OrganizationId, id: ReminderId, fired: bool) -> Result<bool, StoreError> {
    let state = if fired { "sent" } else { "skipped" };
    let sql = "UPDATE reminder SET state = ?3 WHERE organization_id = ?1 AND id = ?2 AND state = 'open'";
    Ok(tx.execute(sql, values![organization, id, state])? == 1)
}

/// Moves an open reminder to another instant; tells whether it did: not if the appointment has one at that instant.
///
/// # Errors
/// What the database said.
pub fn move_to(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: ReminderId,
    remind_at: Timestamp,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE reminder SET remind_at = ?3 WHERE organization_id = ?1 AND id = ?2 AND state = 'open'
           AND NOT EXISTS (SELECT 1 FROM reminder other WHERE other.organization_id = ?1 AND other.remind_at = ?3
                           AND other.appointment_id = reminder.appointment_id)",
        values![organization, id, remind_at],
    )?;
    Ok(changed == 1)
}

//! The nightly comparison of appointments with their events: one for each business and day, whatever the number of processes.
//!
//! A process claims the day before it begins. A claim that ran out without an end may be taken by another process, so a crash delays a
//! comparison and does not lose it. A claim counts as a crash until its end, and after [`MAX_CRASHES`] no process compares before a person
//! takes the comparison up again.

use balcao_domain::calendar_push::MAX_CRASHES;
use balcao_domain::{AppointmentId, OrganizationId};
use jiff::Timestamp;
use jiff::civil::Date;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;

/// What a comparison found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComparisonResult {
    /// Events that are as they should be.
    pub equal: u32,
    /// Events that were not, and are now.
    pub repaired: u32,
    /// Events that a person has to look at.
    pub differing: u32,
}

/// Claims the comparison of a day until `until`; tells whether this process has it. The claim counts as a crash until its end.
///
/// # Errors
/// What the database said.
pub fn claim(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    day: Date,
    now: Timestamp,
    until: Timestamp,
) -> Result<bool, StoreError> {
    let claimed = tx.execute(
        "INSERT INTO calendar_comparison (organization_id, day, claimed_until, crashes) VALUES (?1, ?2, ?4, 1)
         ON CONFLICT (organization_id) DO UPDATE SET day = excluded.day, claimed_until = excluded.claimed_until, ended_at = NULL,
             crashes = calendar_comparison.crashes + 1
         WHERE calendar_comparison.crashes < ?5
           AND (calendar_comparison.day < excluded.day
                OR (calendar_comparison.day = excluded.day AND calendar_comparison.ended_at IS NULL
                    AND calendar_comparison.claimed_until <= ?3))",
        values![organization, day.to_string(), now, until, MAX_CRASHES],
    )?;
    Ok(claimed == 1)
}

/// Takes back the count of a claim whose comparison ended without a result, such as for lack of an answer: that was no crash. The claim
/// holds until it runs out.
///
/// # Errors
/// What the database said.
pub fn forget_crash(tx: &mut Tx<'_>, organization: OrganizationId, day: Date) -> Result<(), StoreError> {
    let sql = "UPDATE calendar_comparison SET crashes = 0 WHERE organization_id = ?1 AND day = ?2";
    tx.execute(sql, values![organization, day.to_string()])?;
    Ok(())
}

/// Whether no process compares any more, because each of [`MAX_CRASHES`] claims ended in a crash.
///
/// # Errors
/// What the database said.
pub fn is_set_aside(tx: &mut Tx<'_>, organization: OrganizationId, now: Timestamp) -> Result<bool, StoreError> {
    let sql =
        "SELECT count(*) FROM calendar_comparison WHERE organization_id = ?1 AND crashes >= ?2 AND claimed_until <= ?3";
    tx.query_one(sql, values![organization, MAX_CRASHES, now], |row| row.get::<i64>(0)).map(|count| count > 0)
}

/// Records the end of the comparison of a day; tells whether it had none yet.
///
/// # Errors
/// What the database said.
pub fn record_end(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    day: Date,
    result: ComparisonResult,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let ComparisonResult { equal, repaired, differing } = result;
    let ended = tx.execute(
        "UPDATE calendar_comparison SET ended_at = ?3, equal = ?4, repaired = ?5, differing = ?6, crashes = 0
         WHERE organization_id = ?1 AND day = ?2 AND ended_at IS NULL",
        values![organization, day.to_string(), now, equal, repaired, differing],
    )?;
    Ok(ended == 1)
}

/// The last comparison that ended, with its end; `None` if the one of the present day runs, or if there was none.
///
/// # Errors
/// What the database said.
pub fn find_last(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
) -> Result<Option<(Timestamp, ComparisonResult)>, StoreError> {
    let sql = "SELECT ended_at, equal, repaired, differing FROM calendar_comparison
               WHERE organization_id = ?1 AND ended_at IS NOT NULL";
    tx.query_optional(sql, values![organization], |row| {
        let result = ComparisonResult { equal: row.get(1)?, repaired: row.get(2)?, differing: row.get(3)? };
        Ok((row.get(0)?, result))
    })
}

/// Differences of a comparison that are stored.
pub const MAX_DIFFERENCES: usize = 200;

/// What a comparison found to differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDifference {
    /// What is the matter, as a word of the comparison.
    pub kind: String,
    /// The appointment, if it is about one.
    pub appointment: Option<AppointmentId>,
    /// The calendar, if it is about one.
    pub calendar: Option<String>,
    /// The event, if it is about one.
    pub event: Option<String>,
    /// When it was first found; `None` of one that is not stored yet, or that an earlier program stored.
    pub found_at: Option<Timestamp>,
}

impl StoredDifference {
    /// Whether both say the same of the same thing, whenever they were found.
    fn is_same(&self, other: &Self) -> bool {
        let key = |one: &'_ Self| (one.kind.clone(), one.appointment, one.calendar.clone(), one.event.clone());
        key(self) == key(other)
    }
}

/// Stores what the last comparison found, the first [`MAX_DIFFERENCES`] of it, instead of what the one before found. What that one found,
/// too, keeps the time of its first discovery.
///
/// # Errors
/// What the database said.
pub fn replace_differences(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    found: &[StoredDifference],
    now: Timestamp,
) -> Result<(), StoreError> {
    let before = list_differences(tx, organization)?;
    tx.execute("DELETE FROM calendar_difference WHERE organization_id = ?1", values![organization])?;
    for (position, one) in (0_i64..).zip(found.iter().take(MAX_DIFFERENCES)) {
        let found_at = before.iter().find(|earlier| earlier.is_same(one)).and_then(|earlier| earlier.found_at);
        tx.defer(
            "INSERT INTO calendar_difference (organization_id, position, kind, appointment_id, calendar_id, event_id, found_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            values![
                organization,
                position,
                &one.kind,
                one.appointment,
                one.calendar.as_ref(),
                one.event.as_ref(),
                found_at.unwrap_or(now)
            ],
        )?;
    }
    Ok(())
}

/// What the last comparison found, in its order.
///
/// # Errors
/// What the database said.
pub fn list_differences(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Vec<StoredDifference>, StoreError> {
    tx.query_all(
        "SELECT kind, appointment_id, calendar_id, event_id, found_at FROM calendar_difference
         WHERE organization_id = ?1 ORDER BY position",
        values![organization],
        |row| {
            Ok(StoredDifference {
                kind: row.get(0)?,
                appointment: row.get(1)?,
                calendar: row.get(2)?,
                event: row.get(3)?,
                found_at: row.get(4)?,
            })
        },
    )
}

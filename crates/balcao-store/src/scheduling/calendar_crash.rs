//! Events and external calendars at which the program crashed each time: they are set aside, and the others go on. So is the nightly
//! comparison.
//!
//! Invariant: a claim counts as a crash before the first call to the service, and the end of its push or reading takes the count back.

use balcao_domain::calendar_push::MAX_CRASHES;
use balcao_domain::{AppointmentId, OrganizationId};
use jiff::Timestamp;

use super::calendar_link::CalendarFailure;
use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;

/// What was set aside.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SetAside {
    /// Appointments whose event is not written any more.
    pub appointments: Vec<AppointmentId>,
    /// Calendars that are not read any more.
    pub calendars: Vec<String>,
}

impl SetAside {
    /// Whether nothing is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.appointments.is_empty() && self.calendars.is_empty()
    }
}

/// Sets aside what the program crashed at [`MAX_CRASHES`] times and no claim holds; gives what was not set aside before.
///
/// # Errors
/// What the database said.
pub fn set_aside(tx: &mut Tx<'_>, organization: OrganizationId, now: Timestamp) -> Result<SetAside, StoreError> {
    let appointments = tx.query_all(
        "UPDATE calendar_event SET set_aside_at = ?2, failure = ?4
         WHERE organization_id = ?1 AND wanted > pushed AND claimed_until <= ?2 AND crashes >= ?3 AND set_aside_at IS NULL
         RETURNING appointment_id",
        values![organization, now, MAX_CRASHES, "the program crashed each time while it wrote this event"],
        |row| row.get(0),
    )?;
    let calendars = tx.query_all(
        "UPDATE outside_calendar SET set_aside_at = ?2, failure = ?4, failure_reason = ?5,
             failing_since = COALESCE(failing_since, CAST(?2 AS BIGINT))
         WHERE organization_id = ?1 AND claimed_until <= ?2 AND crashes >= ?3 AND set_aside_at IS NULL
         RETURNING calendar_id",
        values![
            organization,
            now,
            MAX_CRASHES,
            CalendarFailure::Unavailable.as_str(),
            "the program crashed each time while it read this calendar"
        ],
        |row| row.get(0),
    )?;
    let found = SetAside { appointments, calendars };
    if !found.is_empty() {
        // What the nightly comparison crashed at is found, so that the comparison goes on without it.
        tx.execute("UPDATE calendar_comparison SET crashes = 0 WHERE organization_id = ?1", values![organization])?;
    }
    Ok(found)
}

/// What is set aside, at most `limit` of each kind.
///
/// # Errors
/// What the database said.
pub fn list(tx: &mut Tx<'_>, organization: OrganizationId, limit: u32) -> Result<SetAside, StoreError> {
    let appointments = tx.query_all(
        "SELECT appointment_id FROM calendar_event WHERE organization_id = ?1 AND set_aside_at IS NOT NULL
         ORDER BY appointment_id LIMIT ?2",
        values![organization, limit],
        |row| row.get(0),
    )?;
    let calendars = tx.query_all(
        "SELECT calendar_id FROM outside_calendar WHERE organization_id = ?1 AND set_aside_at IS NOT NULL
         ORDER BY calendar_id LIMIT ?2",
        values![organization, limit],
        |row| row.get(0),
    )?;
    Ok(SetAside { appointments, calendars })
}

/// Takes up again what is set aside, at once; returns how much that is.
///
/// # Errors
/// What the database said.
pub fn take_up(tx: &mut Tx<'_>, organization: OrganizationId, now: Timestamp) -> Result<usize, StoreError> {
    let events = tx.execute(
        "UPDATE calendar_event SET crashes = 0, set_aside_at = NULL, not_before = ?2
         WHERE organization_id = ?1 AND set_aside_at IS NOT NULL",
        values![organization, now],
    )?;
    let calendars = tx.execute(
        "UPDATE outside_calendar SET crashes = 0, set_aside_at = NULL, due_at = ?2
         WHERE organization_id = ?1 AND set_aside_at IS NOT NULL",
        values![organization, now],
    )?;
    let comparison = tx.execute(
        "UPDATE calendar_comparison SET crashes = 0 WHERE organization_id = ?1 AND crashes >= ?2 AND claimed_until <= ?3",
        values![organization, MAX_CRASHES, now],
    )?;
    Ok(events.saturating_add(calendars).saturating_add(comparison))
}

//! Figures and lists of appointments for staff who ask about the business. The database adds up the figures, and the lists come page by
//! page.

use std::ops::ControlFlow;

use balcao_domain::{AppointmentId, AppointmentStatus, ContactId, OrganizationId, ProfessionalId};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{read_word, values};
use crate::scheduling::appointment::IS_VISIT;

/// Appointments of one status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Total {
    /// The status.
    pub status: AppointmentStatus,
    /// How many.
    pub count: u32,
    /// How many of them have begun.
    pub begun: u32,
    /// What they were booked at, together, in cents.
    pub cents: i64,
}

/// How often a contact came and did not come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missed {
    /// Who.
    pub contact: ContactId,
    /// Their name.
    pub name: Option<String>,
    /// How often they did not come.
    pub no_shows: u32,
    /// How often they came.
    pub completed: u32,
}

/// An appointment with the names that go with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Booked {
    /// Its id.
    pub id: AppointmentId,
    /// When it starts.
    pub starts_at: Timestamp,
    /// When it ends.
    pub ends_at: Timestamp,
    /// The attendee, if another person than the contact comes.
    pub client: Option<String>,
    /// The professional of the appointment.
    pub professional: ProfessionalId,
    /// For what, as it was called then.
    pub service: String,
    /// Where it stands.
    pub status: AppointmentStatus,
    /// At what price, in cents.
    pub cents: i64,
    /// Where it was booked.
    pub source: String,
    /// When it was booked.
    pub booked_at: Timestamp,
}

/// Which appointments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    /// The first start that counts.
    pub from: Timestamp,
    /// The first start that no longer counts.
    pub to: Timestamp,
    /// Only those of this professional.
    pub of: Option<ProfessionalId>,
}

/// Totals of appointments, by status; the former time of a moved one does not count. Those that started before `now` have begun.
///
/// # Errors
/// What the database said.
pub fn totals(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    scope: Scope,
    now: Timestamp,
) -> Result<Vec<Total>, StoreError> {
    let sql = format!(
        "SELECT status, COUNT(*), CAST(SUM(price_cents) AS BIGINT), COUNT(*) FILTER (WHERE starts_at < ?5) FROM appointment
         WHERE organization_id = ?1 AND starts_at >= ?2 AND starts_at < ?3 AND moved_to IS NULL
           AND (CAST(?4 AS BIGINT) IS NULL OR professional_id = ?4) AND {IS_VISIT}
         GROUP BY status ORDER BY status"
    );
    tx.query_all(&sql, values![organization, scope.from, scope.to, scope.of, now], |row| {
        Ok(Total {
            status: read_word(row, 0, |text| text.parse().ok())?,
            count: row.get(1)?,
            cents: row.get(2)?,
            begun: row.get(3)?,
        })
    })
}

/// Lists the contacts who missed appointments: most misses first, then the contact who came less often, then the older contact.
///
/// # Errors
/// What the database said.
pub fn missed(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    scope: Scope,
    limit: u32,
) -> Result<Vec<Missed>, StoreError> {
    tx.query_all(
        "SELECT t.contact_id, c.name, t.no_shows, t.completed
         FROM (SELECT contact_id, COUNT(*) FILTER (WHERE status = 'no_show') AS no_shows,
                      COUNT(*) FILTER (WHERE status = 'completed') AS completed
               FROM appointment
               WHERE organization_id = ?1 AND starts_at >= ?2 AND starts_at < ?3
                 AND (CAST(?4 AS BIGINT) IS NULL OR professional_id = ?4)
               GROUP BY contact_id) t
         JOIN contact c ON c.organization_id = ?1 AND c.id = t.contact_id
         WHERE t.no_shows > 0
         ORDER BY t.no_shows DESC, t.completed, t.contact_id
         LIMIT ?5",
        values![organization, scope.from, scope.to, scope.of, limit],
        |row| Ok(Missed { contact: row.get(0)?, name: row.get(1)?, no_shows: row.get(2)?, completed: row.get(3)? }),
    )
}

/// Tells of appointments, in order of start and id, until `tell` has had enough. However many
/// there are, a page of them is held at a time.
///
/// # Errors
/// What the database said.
pub fn each_booked(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    scope: Scope,
    mut tell: impl FnMut(Booked) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    let mut after = 0;
    let mut rest = scope;
    loop {
        let page = page(tx, organization, rest, after)?;
        let Some(last) = page.last() else { return Ok(()) };
        (rest.from, after) = (last.starts_at, i64::from(last.id));
        for one in page {
            if tell(one).is_break() {
                return Ok(());
            }
        }
    }
}

/// Those after an id among those that start first.
fn page(tx: &mut Tx<'_>, organization: OrganizationId, scope: Scope, after: i64) -> Result<Vec<Booked>, StoreError> {
    let sql = format!(
        "SELECT appointment.id, starts_at, ends_at, COALESCE(attendee, c.name), professional_id, service_name, status,
                price_cents, source, appointment.created_at
         FROM appointment
         JOIN contact c ON c.organization_id = appointment.organization_id AND c.id = appointment.contact_id
         WHERE appointment.organization_id = ?1 AND starts_at >= ?2 AND starts_at < ?3 AND (starts_at > ?2 OR appointment.id > ?4)
           AND (CAST(?5 AS BIGINT) IS NULL OR professional_id = ?5) AND {IS_VISIT}
         ORDER BY starts_at, appointment.id
         LIMIT 1000"
    );
    tx.query_all(&sql, values![organization, scope.from, scope.to, after, scope.of], |row| {
        Ok(Booked {
            id: row.get(0)?,
            starts_at: row.get(1)?,
            ends_at: row.get(2)?,
            client: row.get(3)?,
            professional: row.get(4)?,
            service: row.get(5)?,
            status: read_word(row, 6, |text| text.parse().ok())?,
            cents: row.get(7)?,
            source: row.get(8)?,
            booked_at: row.get(9)?,
        })
    })
}

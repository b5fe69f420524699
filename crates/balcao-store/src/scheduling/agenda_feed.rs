//! Agendas as calendars elsewhere read them: the addresses, and the appointments with what those calendars know them by.

use balcao_domain::{AppointmentId, AppointmentStatus, FeedId, OrganizationId, ProfessionalId, Span};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, read_word, values};

/// An address under which an agenda is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feed {
    /// Its id.
    pub id: FeedId,
    /// Whose data it opens.
    pub organization: OrganizationId,
    /// Whose agenda.
    pub professional: ProfessionalId,
    /// How much the feed shows of each appointment: `busy`, `service` or `first_name`.
    pub detail: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// An appointment as a calendar elsewhere knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its id here.
    pub id: AppointmentId,
    /// The professional of the appointment.
    pub professional: ProfessionalId,
    /// What is booked, in words.
    pub service: String,
    /// When it takes place.
    pub span: Span,
    /// Where it stands.
    pub status: AppointmentStatus,
    /// Its name there: the same when it is moved.
    pub uid: String,
    /// How often it was moved.
    pub revision: i64,
    /// When it was booked, moved to where it is, or cancelled.
    pub changed_at: Timestamp,
    /// The attendee, if another person than the contact comes.
    pub attendee: Option<String>,
    /// Their number.
    pub attendee_phone: Option<String>,
    /// The contact's name.
    pub contact: Option<String>,
    /// The contact's number, as it came.
    pub contact_phone: Option<String>,
}

const FEED: &str = "id, organization_id, professional_id, detail, created_at, revoked_at";

fn read_feed(row: &Row<'_>) -> Result<Feed, StoreError> {
    Ok(Feed {
        id: row.get(0)?,
        organization: row.get(1)?,
        professional: row.get(2)?,
        detail: row.get(3)?,
        created_at: row.get(4)?,
        revoked_at: row.get(5)?,
    })
}

/// Adds an address, by the SHA-256 of its token in hexadecimal.
///
/// # Errors
/// A unique violation if the very same token is there.
pub fn insert(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    professional: ProfessionalId,
    hash: &str,
    detail: &str,
    now: Timestamp,
) -> Result<FeedId, StoreError> {
    tx.insert(
        "INSERT INTO agenda_feed (organization_id, professional_id, hash, detail, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id",
        values![organization, professional, hash, detail, now],
    )
}

/// Finds the feed of a token that was not revoked, in any organization, because the request does not name one.
///
/// # Errors
/// What the database said.
pub fn find_by_hash(tx: &mut Tx<'_>, hash: &str) -> Result<Option<Feed>, StoreError> {
    tx.across_organizations();
    let sql = format!("SELECT {FEED} FROM agenda_feed WHERE hash = ?1 AND revoked_at IS NULL");
    tx.query_optional(&sql, values![hash], read_feed)
}

/// An organization's addresses, revoked ones included, in order of id.
///
/// # Errors
/// What the database said.
pub fn list(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Vec<Feed>, StoreError> {
    let sql = format!("SELECT {FEED} FROM agenda_feed WHERE organization_id = ?1 ORDER BY id");
    tx.query_all(&sql, values![organization], read_feed)
}

/// Ends an address; tells whether it was open.
///
/// # Errors
/// What the database said.
pub fn revoke(tx: &mut Tx<'_>, organization: OrganizationId, id: FeedId, now: Timestamp) -> Result<bool, StoreError> {
    let sql = "UPDATE agenda_feed SET revoked_at = ?3 WHERE organization_id = ?1 AND id = ?2 AND revoked_at IS NULL";
    Ok(tx.execute(sql, values![organization, id, now])? == 1)
}

const ENTRY: &str = "a.id, a.professional_id, a.service_name, a.starts_at, a.ends_at, a.status,
                     COALESCE(a.uid, CAST(a.created_at AS TEXT) || '-' || CAST(a.id AS TEXT)), a.revision,
                     COALESCE(a.cancelled_at, a.created_at), a.attendee, a.attendee_phone, c.name, c.phone_received";

fn read_entry(row: &Row<'_>) -> Result<Entry, StoreError> {
    Ok(Entry {
        id: row.get(0)?,
        professional: row.get(1)?,
        service: row.get(2)?,
        span: Span::new(row.get(3)?, row.get(4)?),
        status: read_word(row, 5, |text| text.parse().ok())?,
        uid: row.get(6)?,
        revision: row.get(7)?,
        changed_at: row.get(8)?,
        attendee: row.get(9)?,
        attendee_phone: row.get(10)?,
        contact: row.get(11)?,
        contact_phone: row.get(12)?,
    })
}

/// One appointment.
///
/// # Errors
/// [`StoreError::NoRow`] if the organization has none of this id.
pub fn entry(tx: &mut Tx<'_>, organization: OrganizationId, id: AppointmentId) -> Result<Entry, StoreError> {
    let sql = format!(
        "SELECT {ENTRY} FROM appointment a JOIN contact c ON c.organization_id = a.organization_id AND c.id = a.contact_id
         WHERE a.organization_id = ?1 AND a.id = ?2"
    );
    tx.query_one(&sql, values![organization, id], read_entry)
}

/// A professional's appointments that start in the span and hold their time at `now`, in order of start, at most `limit`.
///
/// # Errors
/// What the database said.
pub fn entries(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    professional: ProfessionalId,
    span: Span,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<Entry>, StoreError> {
    let sql = format!(
        "SELECT {ENTRY} FROM appointment a JOIN contact c ON c.organization_id = a.organization_id AND c.id = a.contact_id
         WHERE a.organization_id = ?1 AND a.professional_id = ?2 AND a.starts_at >= ?3 AND a.starts_at < ?4
           AND a.status <> 'cancelled' AND (a.status <> 'pending' OR a.expires_at IS NULL OR a.expires_at > ?5)
         ORDER BY a.starts_at, a.id LIMIT ?6"
    );
    tx.query_all(&sql, values![organization, professional, span.start, span.end, now, limit], read_entry)
}

/// Gives an appointment what calendars know the one by that it was moved from, and who comes.
///
/// # Errors
/// What the database said.
pub fn moved(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    old: AppointmentId,
    new: AppointmentId,
) -> Result<(), StoreError> {
    let before = entry(tx, organization, old)?;
    tx.execute(
        "UPDATE appointment SET uid = ?3, revision = ?4, attendee_phone = ?5 WHERE organization_id = ?1 AND id = ?2",
        values![organization, new, before.uid, before.revision.saturating_add(1), before.attendee_phone],
    )?;
    Ok(())
}

/// Stores the phone number of the attendee, if another person than the contact comes.
///
/// # Errors
/// What the database said.
pub fn set_attendee_phone(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: AppointmentId,
    phone: &str,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE appointment SET attendee_phone = ?3 WHERE organization_id = ?1 AND id = ?2",
        values![organization, id, phone],
    )?;
    Ok(())
}

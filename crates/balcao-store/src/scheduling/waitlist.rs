//! The waitlist, and the freed slots that were offered from it.

use balcao_domain::availability::Occupied;
use balcao_domain::waitlist::{DayPeriod, WaitlistEntry};
use balcao_domain::{ContactId, OrganizationId, ProfessionalId, ServiceId, Span, WaitlistId};
use jiff::Timestamp;
use jiff::civil::Date;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, Value, values};

fn read(row: &Row<'_>) -> Result<WaitlistEntry, StoreError> {
    let period: Option<String> = row.get(5)?;
    Ok(WaitlistEntry {
        id: row.get(0)?,
        contact: row.get(1)?,
        date: row.get(2)?,
        professional: row.get(3)?,
        service: row.get(4)?,
        period: period.as_deref().and_then(DayPeriod::from_word),
    })
}

/// A wish for a slot that is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEntry {
    /// Who waits.
    pub contact: ContactId,
    /// For which local date.
    pub date: Date,
    /// The professional that the contact wants; `None` for any.
    pub professional: Option<ProfessionalId>,
    /// For what, or for anything.
    pub service: Option<ServiceId>,
    /// For which part of the day, or for any.
    pub period: Option<DayPeriod>,
}

/// Adds an entry.
///
/// # Errors
/// What the database said.
pub fn insert(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    new: &NewEntry,
    now: Timestamp,
) -> Result<WaitlistId, StoreError> {
    tx.insert(
        "INSERT INTO waitlist (organization_id, contact_id, date, professional_id, service_id, period, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id",
        values![
            organization,
            new.contact,
            new.date,
            new.professional,
            new.service,
            new.period.map_or(Value::Null, |period| Value::from(period.as_str())),
            now,
        ],
    )
}

/// Who waits for a date, first come first.
///
/// # Errors
/// What the database said.
pub fn waiting_for(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    date: Date,
) -> Result<Vec<WaitlistEntry>, StoreError> {
    tx.query_all(
        "SELECT id, contact_id, date, professional_id, service_id, period FROM waitlist
         WHERE organization_id = ?1 AND date = ?2 AND state = 'waiting' ORDER BY id",
        values![organization, date],
        read,
    )
}

/// A freed slot, kept for a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewOffer {
    /// For which entry.
    pub entry: WaitlistId,
    /// The contact who receives the offer.
    pub contact: ContactId,
    /// Whose time.
    pub professional: ProfessionalId,
    /// On which seat.
    pub seat: u32,
    /// When, buffers included.
    pub span: Span,
    /// Until when it is kept.
    pub held_until: Timestamp,
}

/// Offers a freed slot and takes the entry out of the queue.
///
/// # Errors
/// What the database said.
pub fn offer(tx: &mut Tx<'_>, organization: OrganizationId, new: &NewOffer, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO waitlist_offer (organization_id, waitlist_id, contact_id, professional_id, seat, starts_at, ends_at,
                                     held_until, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        values![
            organization,
            new.entry,
            new.contact,
            new.professional,
            new.seat,
            new.span.start,
            new.span.end,
            new.held_until,
            now
        ],
    )?;
    tx.execute(
        "UPDATE waitlist SET state = 'offered' WHERE organization_id = ?1 AND id = ?2",
        values![organization, new.entry],
    )?;
    Ok(())
}

pub(crate) const HELD_FOR_OTHERS: &str = "SELECT professional_id, starts_at, ends_at, seat FROM waitlist_offer
         WHERE organization_id = ?1 AND state = 'open' AND starts_at < ?3 AND ends_at > ?2
           AND (contact_id <> ?4 OR ?4 IS NULL) AND held_until > ?5";

/// Time kept for others than `contact` that touches the span.
///
/// # Errors
/// What the database said.
pub fn held_for_others(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    span: Span,
    contact: Option<ContactId>,
    now: Timestamp,
) -> Result<Vec<(ProfessionalId, Occupied)>, StoreError> {
    tx.query_all(HELD_FOR_OTHERS, values![organization, span.start, span.end, contact, now], |row| {
        Ok((row.get(0)?, Occupied { span: Span::new(row.get(1)?, row.get(2)?), seat: row.get(3)? }))
    })
}

/// Marks a contact's open offers that touch the span as taken, with their entries.
///
/// # Errors
/// What the database said.
pub fn accept(tx: &mut Tx<'_>, organization: OrganizationId, contact: ContactId, span: Span) -> Result<(), StoreError> {
    tx.defer(
        "UPDATE waitlist SET state = 'served' WHERE organization_id = ?1 AND id IN (
             SELECT waitlist_id FROM waitlist_offer
             WHERE organization_id = ?1 AND contact_id = ?2 AND state = 'open' AND starts_at < ?4 AND ends_at > ?3)",
        values![organization, contact, span.start, span.end],
    )?;
    tx.defer(
        "UPDATE waitlist_offer SET state = 'accepted'
         WHERE organization_id = ?1 AND contact_id = ?2 AND state = 'open' AND starts_at < ?4 AND ends_at > ?3",
        values![organization, contact, span.start, span.end],
    )
}

/// An offer that the contact did not accept in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LapsedOffer {
    /// Whose time.
    pub professional: ProfessionalId,
    /// On which seat.
    pub seat: u32,
    /// When, buffers included.
    pub span: Span,
}

/// Whether the time to accept an open offer ran out by `now`.
///
/// # Errors
/// What the database said.
pub fn has_lapsed(tx: &mut Tx<'_>, organization: OrganizationId, now: Timestamp) -> Result<bool, StoreError> {
    tx.query_one(
        "SELECT EXISTS (SELECT 1 FROM waitlist_offer
                        WHERE organization_id = ?1 AND state = 'open' AND held_until <= ?2)",
        values![organization, now],
        |row| row.get(0),
    )
}

/// Closes the offers whose time to accept ran out by `now`, and gives them, so that the next in line can be asked.
///
/// # Errors
/// What the database said.
pub fn lapse(tx: &mut Tx<'_>, organization: OrganizationId, now: Timestamp) -> Result<Vec<LapsedOffer>, StoreError> {
    let lapsed = tx.query_all(
        "SELECT professional_id, seat, starts_at, ends_at FROM waitlist_offer
         WHERE organization_id = ?1 AND state = 'open' AND held_until <= ?2 ORDER BY id",
        values![organization, now],
        |row| {
            let span = Span::new(row.get(2)?, row.get(3)?);
            Ok(LapsedOffer { professional: row.get(0)?, seat: row.get(1)?, span })
        },
    )?;
    tx.execute(
        "UPDATE waitlist_offer SET state = 'passed' WHERE organization_id = ?1 AND state = 'open' AND held_until <= ?2",
        values![organization, now],
    )?;
    Ok(lapsed)
}

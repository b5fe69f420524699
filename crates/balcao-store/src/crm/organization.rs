//! Organizations: the tenants.

use balcao_domain::hours::WeeklyHours;
use balcao_domain::scheduling::SchedulingRules;
use balcao_domain::{Currency, OrganizationId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, json, read_word, to_json, values};

/// A business as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Organization {
    /// Its id.
    pub id: OrganizationId,
    /// Its short name, unique in the database.
    pub slug: String,
    /// Its name.
    pub name: String,
    /// Its IANA zone.
    pub timezone: String,
    /// Its language, such as `pt-BR`.
    pub locale: String,
    /// Its currency.
    pub currency: Currency,
    /// Its telephone number, for customers.
    pub phone: Option<String>,
    /// Its address, for customers.
    pub address: Option<String>,
    /// Its usual week.
    pub weekly_hours: WeeklyHours,
    /// Its scheduling rules.
    pub scheduling: SchedulingRules,
}

const COLUMNS: &str = "id, slug, name, timezone, locale, currency, phone, address, weekly_hours, scheduling";

fn read(row: &Row<'_>) -> Result<Organization, StoreError> {
    Ok(Organization {
        id: row.get(0)?,
        slug: row.get(1)?,
        name: row.get(2)?,
        timezone: row.get(3)?,
        locale: row.get(4)?,
        currency: read_word(row, 5, |code| code.parse().ok())?,
        phone: row.get(6)?,
        address: row.get(7)?,
        weekly_hours: json(row, 8)?,
        scheduling: json(row, 9)?,
    })
}

/// Adds an organization; its `id` is not looked at.
///
/// # Errors
/// A unique violation if the slug is taken.
pub fn insert(tx: &mut Tx<'_>, new: &Organization, now: Timestamp) -> Result<OrganizationId, StoreError> {
    tx.across_organizations();
    tx.insert(
        "INSERT INTO organization (slug, name, timezone, locale, currency, phone, address, weekly_hours, scheduling, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) RETURNING id",
        values![
            &new.slug,
            &new.name,
            &new.timezone,
            &new.locale,
            new.currency.code(),
            new.phone.as_ref(),
            new.address.as_ref(),
            to_json(&new.weekly_hours)?,
            to_json(&new.scheduling)?,
            now,
        ],
    )
}

/// Replaces everything of an organization but its id and slug.
///
/// # Errors
/// [`StoreError::NoRow`] if there is none.
pub fn update(tx: &mut Tx<'_>, changed: &Organization) -> Result<(), StoreError> {
    let rows = tx.execute(
        "UPDATE organization SET name = ?2, timezone = ?3, locale = ?4, currency = ?5, phone = ?6, address = ?7,
                                 weekly_hours = ?8, scheduling = ?9
         WHERE id = ?1",
        values![
            changed.id,
            &changed.name,
            &changed.timezone,
            &changed.locale,
            changed.currency.code(),
            changed.phone.as_ref(),
            changed.address.as_ref(),
            to_json(&changed.weekly_hours)?,
            to_json(&changed.scheduling)?,
        ],
    )?;
    if rows == 0 { Err(StoreError::NoRow { sql: "UPDATE organization".to_owned() }) } else { Ok(()) }
}

/// Locks the row of an organization until the transaction ends, so that two editors of a business follow each other.
///
/// # Errors
/// [`StoreError::NoRow`] if there is none.
pub fn lock(tx: &mut Tx<'_>, id: OrganizationId) -> Result<(), StoreError> {
    let rows = tx.execute("UPDATE organization SET name = name WHERE id = ?1", values![id])?;
    if rows == 0 { Err(StoreError::NoRow { sql: "UPDATE organization".to_owned() }) } else { Ok(()) }
}

/// The organization of an id.
///
/// # Errors
/// [`StoreError::NoRow`] if there is none.
pub fn get(tx: &mut Tx<'_>, id: OrganizationId) -> Result<Organization, StoreError> {
    tx.query_one(&format!("SELECT {COLUMNS} FROM organization WHERE id = ?1"), values![id], read)
}

/// The organization of a slug.
///
/// # Errors
/// What the database said.
pub fn find_by_slug(tx: &mut Tx<'_>, slug: &str) -> Result<Option<Organization>, StoreError> {
    tx.across_organizations();
    tx.query_optional(&format!("SELECT {COLUMNS} FROM organization WHERE slug = ?1"), values![slug], read)
}

/// Every organization, in order of id.
///
/// # Errors
/// What the database said.
pub fn list(tx: &mut Tx<'_>) -> Result<Vec<Organization>, StoreError> {
    tx.across_organizations();
    tx.query_all(&format!("SELECT {COLUMNS} FROM organization ORDER BY id"), &[], read)
}

/// Whether the database itself keeps organizations apart for this connection's user. On PostgreSQL superusers and roles with
/// `BYPASSRLS` are above row-level security; SQLite has none, and one program writes.
///
/// # Errors
/// What the database said.
pub fn walls_hold(tx: &mut Tx<'_>) -> Result<bool, StoreError> {
    if !tx.is_postgres() {
        return Ok(true);
    }
    let above = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user";
    tx.query_one(above, &[], |row| row.get::<bool>(0)).map(|above| !above)
}

//! People who use the console.

use balcao_domain::staff::Role;
use balcao_domain::{ContactId, ConversationId, OrganizationId, ProfessionalId, StaffId};
use serde::{Deserialize, Serialize};

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, read_word, values};

/// A person of staff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Staff {
    /// Their id.
    pub id: StaffId,
    /// Their name.
    pub name: String,
    /// Their e-mail address, by which they log in.
    pub email: String,
    /// What they are.
    pub role: Role,
    /// Where alerts to them go, in E.164.
    pub phone: Option<String>,
    /// Whether conversations can be assigned to them now.
    pub on_duty: bool,
    /// The professional that they are, where that was said.
    pub professional: Option<ProfessionalId>,
    /// Whether they work here; one who left is archived.
    pub active: bool,
}

/// Adds a person; the `id` is not looked at.
///
/// # Errors
/// A unique violation if the e-mail address is taken.
pub fn insert(tx: &mut Tx<'_>, organization: OrganizationId, new: &Staff) -> Result<StaffId, StoreError> {
    tx.insert(
        "INSERT INTO staff (organization_id, name, email, role, phone, on_duty, professional_id, active)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) RETURNING id",
        values![
            organization,
            &new.name,
            &new.email,
            new.role.as_str(),
            new.phone.as_ref(),
            new.on_duty,
            new.professional,
            new.active
        ],
    )
}

/// Replaces everything of a person but the id, the e-mail address and the contact. The conversations and open handoffs of a person who
/// is archived by it are then assigned to no person; resolved handoffs keep whose they were.
///
/// # Errors
/// [`StoreError::NoRow`] if there is none.
pub fn update(tx: &mut Tx<'_>, organization: OrganizationId, changed: &Staff) -> Result<(), StoreError> {
    let rows = tx.execute(
        "UPDATE staff SET name = ?3, role = ?4, phone = ?5, on_duty = ?6, professional_id = ?7, active = ?8
         WHERE organization_id = ?1 AND id = ?2",
        values![
            organization,
            changed.id,
            &changed.name,
            changed.role.as_str(),
            changed.phone.as_ref(),
            changed.on_duty,
            changed.professional,
            changed.active
        ],
    )?;
    if rows == 0 {
        return Err(StoreError::NoRow { sql: "UPDATE staff".to_owned() });
    }
    if changed.active {
        return Ok(());
    }
    for sql in [
        "UPDATE conversation SET assigned_staff = NULL WHERE organization_id = ?1 AND assigned_staff = ?2",
        "UPDATE handoff SET assigned_staff = NULL
         WHERE organization_id = ?1 AND assigned_staff = ?2 AND resolved_at IS NULL",
    ] {
        tx.execute(sql, values![organization, changed.id])?;
    }
    Ok(())
}

/// The conversations with staff that are assigned to a person, in order of id.
///
/// # Errors
/// What the database said.
pub fn assigned_conversations(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: StaffId,
) -> Result<Vec<(ConversationId, ContactId)>, StoreError> {
    tx.query_all(
        "SELECT id, contact_id FROM conversation
         WHERE organization_id = ?1 AND assigned_staff = ?2 AND state IN ('waiting_human', 'human') ORDER BY id",
        values![organization, id],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// Everybody who works here, in order of id.
///
/// # Errors
/// What the database said.
pub fn list(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Vec<Staff>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM staff WHERE organization_id = ?1 AND active = 1 ORDER BY id");
    tx.query_all(&sql, values![organization], read)
}

/// Also those who are archived, in order of id: to name who did something, and for the business file.
///
/// # Errors
/// What the database said.
pub fn list_with_archived(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Vec<Staff>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM staff WHERE organization_id = ?1 ORDER BY id");
    tx.query_all(&sql, values![organization], read)
}

/// Who writes through this contact, if anybody who works here does.
///
/// # Errors
/// What the database said.
pub fn of_contact(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
) -> Result<Option<Staff>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM staff WHERE organization_id = ?1 AND contact_id = ?2 AND active = 1");
    tx.query_optional(&sql, values![organization, contact], read)
}

/// The contact through which a staff member writes, if they have written.
///
/// # Errors
/// What the database said.
pub fn contact_of(tx: &mut Tx<'_>, organization: OrganizationId, id: StaffId) -> Result<Option<ContactId>, StoreError> {
    let found = tx.query_optional(
        "SELECT contact_id FROM staff WHERE organization_id = ?1 AND id = ?2",
        values![organization, id],
        |row| row.get(0),
    )?;
    Ok(found.flatten())
}

/// From now on they write through this contact.
///
/// # Errors
/// A unique violation if another staff member writes through this contact.
pub fn set_contact(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: StaffId,
    contact: ContactId,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE staff SET contact_id = ?3 WHERE organization_id = ?1 AND id = ?2",
        values![organization, id, contact],
    )?;
    Ok(())
}

const COLUMNS: &str = "id, name, email, role, phone, on_duty, professional_id, active";

fn read(row: &Row<'_>) -> Result<Staff, StoreError> {
    Ok(Staff {
        id: row.get(0)?,
        name: row.get(1)?,
        email: row.get(2)?,
        role: read_word(row, 3, |text| text.parse().ok())?,
        phone: row.get(4)?,
        on_duty: row.get(5)?,
        professional: row.get(6)?,
        active: row.get(7)?,
    })
}

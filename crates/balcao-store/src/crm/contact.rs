//! Contacts.

use std::collections::BTreeMap;

use balcao_domain::contact::Contact;
use balcao_domain::{ContactId, OrganizationId, Phone, PhoneIdentity};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, json, to_json, values};

const COLUMNS: &str = "id, name, preferred_name, phone_received, channel_user, email, address, custom_fields";

fn read(row: &Row<'_>) -> Result<Contact, StoreError> {
    let phone: Option<String> = row.get(3)?;
    let phone = phone.map(|text| {
        Phone::parse(&text).map_err(|error| StoreError::Decode {
            column: 3,
            wanted: "a telephone number",
            found: error.to_string(),
        })
    });
    Ok(Contact {
        id: row.get(0)?,
        name: row.get(1)?,
        preferred_name: row.get(2)?,
        phone: phone.transpose()?,
        channel_user: row.get(4)?,
        email: row.get(5)?,
        address: row.get(6)?,
        custom_fields: json(row, 7)?,
    })
}

/// A contact to be added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewContact {
    /// Their full name.
    pub name: Option<String>,
    /// How they want to be called.
    pub preferred_name: Option<String>,
    /// Their number.
    pub phone: Option<Phone>,
    /// The channel's own id of them.
    pub channel_user: Option<String>,
    /// Their e-mail address.
    pub email: Option<String>,
    /// Their postal address.
    pub address: Option<String>,
    /// Whatever else the business keeps, by name.
    pub custom_fields: BTreeMap<String, String>,
}

/// Adds a contact.
///
/// # Errors
/// A unique violation if the phone or the channel's user is already known.
pub fn insert(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    new: &NewContact,
    now: Timestamp,
) -> Result<ContactId, StoreError> {
    let identity = new.phone.as_ref().map(Phone::identity);
    tx.insert(
        "INSERT INTO contact (organization_id, name, preferred_name, phone_identity, phone_received, channel_user, email,
                              address, custom_fields, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) RETURNING id",
        values![
            organization,
            new.name.as_ref(),
            new.preferred_name.as_ref(),
            identity.as_ref().map(PhoneIdentity::as_str),
            new.phone.as_ref().map(Phone::as_received),
            new.channel_user.as_ref(),
            new.email.as_ref(),
            new.address.as_ref(),
            to_json(&new.custom_fields)?,
            now,
        ],
    )
}

/// Writes every field of a contact.
///
/// # Errors
/// A unique violation if the phone or the channel's user is another contact's.
pub fn update(tx: &mut Tx<'_>, organization: OrganizationId, contact: &Contact) -> Result<(), StoreError> {
    let identity = contact.phone.as_ref().map(Phone::identity);
    tx.execute(
        "UPDATE contact SET name = ?3, preferred_name = ?4, phone_identity = ?5, phone_received = ?6, channel_user = ?7,
                            email = ?8, address = ?9, custom_fields = ?10
         WHERE organization_id = ?1 AND id = ?2",
        values![
            organization,
            contact.id,
            contact.name.as_ref(),
            contact.preferred_name.as_ref(),
            identity.as_ref().map(PhoneIdentity::as_str),
            contact.phone.as_ref().map(Phone::as_received),
            contact.channel_user.as_ref(),
            contact.email.as_ref(),
            contact.address.as_ref(),
            to_json(&contact.custom_fields)?,
        ],
    )?;
    Ok(())
}

/// The contact of an id, if the organization has it.
///
/// # Errors
/// What the database said.
pub fn find(tx: &mut Tx<'_>, organization: OrganizationId, id: ContactId) -> Result<Option<Contact>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM contact WHERE organization_id = ?1 AND id = ?2");
    tx.query_optional(&sql, values![organization, id], read)
}

/// The contact of an id.
///
/// # Errors
/// [`StoreError::NoRow`] if the organization has none of that id.
pub fn get(tx: &mut Tx<'_>, organization: OrganizationId, id: ContactId) -> Result<Contact, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM contact WHERE organization_id = ?1 AND id = ?2");
    tx.query_one(&sql, values![organization, id], read)
}

/// The contact of a phone, however it is written.
///
/// # Errors
/// What the database said.
pub fn find_by_phone(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    phone: &Phone,
) -> Result<Option<Contact>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM contact WHERE organization_id = ?1 AND phone_identity = ?2");
    tx.query_optional(&sql, values![organization, phone.identity().as_str()], read)
}

/// The contact of a channel's own user id.
///
/// # Errors
/// What the database said.
pub fn find_by_channel_user(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    user: &str,
) -> Result<Option<Contact>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM contact WHERE organization_id = ?1 AND channel_user = ?2");
    tx.query_optional(&sql, values![organization, user], read)
}

/// The instant of the latest event of a contact: staff added the contact, the contact or staff wrote, or an appointment took place or is
/// planned.
///
/// # Errors
/// What the database said.
pub fn last_known_at(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: ContactId,
) -> Result<Option<Timestamp>, StoreError> {
    tx.query_one(
        "SELECT max(at) FROM (
             SELECT created_at AS at FROM contact WHERE organization_id = ?1 AND id = ?2
             UNION ALL SELECT d.customer_wrote_at FROM dispatch d JOIN conversation c ON c.id = d.conversation_id
                 WHERE c.organization_id = ?1 AND c.contact_id = ?2
             UNION ALL SELECT m.created_at FROM message m JOIN conversation c ON c.id = m.conversation_id
                 WHERE c.organization_id = ?1 AND c.contact_id = ?2 AND m.author = 'staff'
             UNION ALL SELECT starts_at FROM appointment
                 WHERE organization_id = ?1 AND contact_id = ?2 AND status <> 'cancelled') AS known",
        values![organization, id],
        |row| row.get(0),
    )
}

/// Contacts in order of id, after `after`, at most `limit` of them.
///
/// # Errors
/// What the database said.
pub fn list(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    after: Option<ContactId>,
    limit: u32,
) -> Result<Vec<Contact>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM contact WHERE organization_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3");
    tx.query_all(&sql, values![organization, after.map_or(0, i64::from), limit], read)
}

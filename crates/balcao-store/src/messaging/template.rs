//! Message templates and the media library.

use balcao_domain::{MediaId, OrganizationId, TemplateId};
use serde::{Deserialize, Serialize};

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;

/// A message template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    /// Its name.
    pub name: String,
    /// The provider's category: `utility`, `marketing`, `authentication`.
    pub category: String,
    /// Its language, such as `pt_BR`.
    pub language: String,
    /// Its text, with `{{1}}` for variables.
    pub body: String,
    /// Whether the provider approved it.
    pub approved: bool,
}

/// An item of the media library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Media {
    /// Its key, by which tools name it.
    pub key: String,
    /// `image`, `document`, `audio` or `location`.
    pub kind: String,
    /// Its name.
    pub name: Option<String>,
    /// The file, for what has one.
    pub path: Option<String>,
    /// Degrees north, for a location.
    pub latitude: Option<f64>,
    /// Degrees east, for a location.
    pub longitude: Option<f64>,
}

/// Adds a template.
///
/// # Errors
/// A unique violation if there is one of that name and language.
pub fn insert_template(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    new: &Template,
) -> Result<TemplateId, StoreError> {
    tx.insert(
        "INSERT INTO template (organization_id, name, category, language, body, approved)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id",
        values![organization, &new.name, &new.category, &new.language, &new.body, new.approved],
    )
}

/// Adds a template, or replaces the one of that name and language.
///
/// # Errors
/// What the database said.
pub fn put_template(tx: &mut Tx<'_>, organization: OrganizationId, new: &Template) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO template (organization_id, name, category, language, body, approved) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (organization_id, name, language) DO UPDATE
             SET category = excluded.category, body = excluded.body, approved = excluded.approved",
        values![organization, &new.name, &new.category, &new.language, &new.body, new.approved],
    )?;
    Ok(())
}

/// Removes a template; tells whether there was one.
///
/// # Errors
/// What the database said.
pub fn remove_template(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    name: &str,
    language: &str,
) -> Result<bool, StoreError> {
    let removed = tx.execute(
        "DELETE FROM template WHERE organization_id = ?1 AND name = ?2 AND language = ?3",
        values![organization, name, language],
    )?;
    Ok(removed == 1)
}

/// Every template, in order of name.
///
/// # Errors
/// What the database said.
pub fn list_templates(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Vec<Template>, StoreError> {
    tx.query_all(
        "SELECT name, category, language, body, approved FROM template WHERE organization_id = ?1 ORDER BY name, language",
        values![organization],
        |row| {
            Ok(Template {
                name: row.get(0)?,
                category: row.get(1)?,
                language: row.get(2)?,
                body: row.get(3)?,
                approved: row.get(4)?,
            })
        },
    )
}

/// Adds an item.
///
/// # Errors
/// A unique violation if the key is taken.
pub fn insert_media(tx: &mut Tx<'_>, organization: OrganizationId, new: &Media) -> Result<MediaId, StoreError> {
    tx.insert(
        "INSERT INTO media (organization_id, key, kind, name, path, latitude, longitude)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id",
        values![organization, &new.key, &new.kind, new.name.as_ref(), new.path.as_ref(), new.latitude, new.longitude],
    )
}

/// Adds an item, or replaces the one of that key.
///
/// # Errors
/// What the database said.
pub fn put_media(tx: &mut Tx<'_>, organization: OrganizationId, new: &Media) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO media (organization_id, key, kind, name, path, latitude, longitude) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (organization_id, key) DO UPDATE
             SET kind = excluded.kind, name = excluded.name, path = excluded.path,
                 latitude = excluded.latitude, longitude = excluded.longitude",
        values![organization, &new.key, &new.kind, new.name.as_ref(), new.path.as_ref(), new.latitude, new.longitude],
    )?;
    Ok(())
}

/// Removes an item; tells whether there was one.
///
/// # Errors
/// What the database said.
pub fn remove_media(tx: &mut Tx<'_>, organization: OrganizationId, key: &str) -> Result<bool, StoreError> {
    let removed =
        tx.execute("DELETE FROM media WHERE organization_id = ?1 AND key = ?2", values![organization, key])?;
    Ok(removed == 1)
}

/// Every item, in order of key.
///
/// # Errors
/// What the database said.
pub fn list_media(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Vec<Media>, StoreError> {
    tx.query_all(
        "SELECT key, kind, name, path, latitude, longitude FROM media WHERE organization_id = ?1 ORDER BY key",
        values![organization],
        |row| {
            Ok(Media {
                key: row.get(0)?,
                kind: row.get(1)?,
                name: row.get(2)?,
                path: row.get(3)?,
                latitude: row.get(4)?,
                longitude: row.get(5)?,
            })
        },
    )
}

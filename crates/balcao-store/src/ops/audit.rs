//! The append-only audit log: who did what to which subject, with the values before and after.

use balcao_domain::OrganizationId;
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{in_batches, values};

/// One act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// When.
    pub at: Timestamp,
    /// Who: `agent`, a person of staff, an MCP key.
    pub actor: String,
    /// What, such as `contact.update`.
    pub action: String,
    /// The person or thing that the action changed, as a printed id.
    pub subject: String,
    /// The value before, as JSON.
    pub before: Option<String>,
    /// The value after, as JSON.
    pub after: Option<String>,
}

impl AuditEntry {
    /// Creates an entry for an action that an operator took with a command on the server.
    #[must_use]
    pub fn by_operator(action: &str, subject: impl std::fmt::Display, at: Timestamp) -> Self {
        Self {
            at,
            actor: "operator".to_owned(),
            action: action.to_owned(),
            subject: subject.to_string(),
            before: None,
            after: None,
        }
    }
}

/// Adds an act.
///
/// # Errors
/// What the database said.
pub fn append(tx: &mut Tx<'_>, organization: OrganizationId, entry: &AuditEntry) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO audit_log (organization_id, at, actor, action, subject, before_value, after_value)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        values![
            organization,
            entry.at,
            &entry.actor,
            &entry.action,
            &entry.subject,
            entry.before.as_ref(),
            entry.after.as_ref()
        ],
    )?;
    Ok(())
}

/// Adds the same act on each of many subjects; the subject of `entry` is not looked at.
///
/// # Errors
/// What the database said.
pub(crate) fn append_each(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    entry: &AuditEntry,
    subjects: &[String],
) -> Result<(), StoreError> {
    in_batches(subjects, 6, |rows, subjects| {
        let sql = format!(
            "INSERT INTO audit_log (organization_id, at, actor, action, before_value, after_value, subject) VALUES {rows}"
        );
        let mut bound =
            values![organization, entry.at, &entry.actor, &entry.action, entry.before.as_ref(), entry.after.as_ref()]
                .to_vec();
        bound.extend(subjects);
        tx.defer(&sql, &bound)
    })
}

/// The acts on one subject, oldest first.
///
/// # Errors
/// What the database said.
pub fn of_subject(tx: &mut Tx<'_>, organization: OrganizationId, subject: &str) -> Result<Vec<AuditEntry>, StoreError> {
    tx.query_all(
        "SELECT at, actor, action, subject, before_value, after_value FROM audit_log
         WHERE organization_id = ?1 AND subject = ?2 ORDER BY id",
        values![organization, subject],
        |row| {
            Ok(AuditEntry {
                at: row.get(0)?,
                actor: row.get(1)?,
                action: row.get(2)?,
                subject: row.get(3)?,
                before: row.get(4)?,
                after: row.get(5)?,
            })
        },
    )
}

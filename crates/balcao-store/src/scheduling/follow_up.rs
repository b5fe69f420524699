//! Planned follow-ups.

use balcao_domain::follow_up::{FollowUp, FollowUpType};
use balcao_domain::{ContactId, FollowUpId, OrganizationId};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, read_word, values};

fn read(row: &Row<'_>) -> Result<FollowUp, StoreError> {
    Ok(FollowUp {
        id: row.get(0)?,
        contact: row.get(1)?,
        kind: read_word(row, 2, FollowUpType::from_word)?,
        hint: row.get(3)?,
        send_at: row.get(4)?,
        episode: row.get(5)?,
    })
}

/// A follow-up to be planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFollowUp {
    /// Who gets it.
    pub contact: ContactId,
    /// What it is for.
    pub kind: FollowUpType,
    /// What it should say.
    pub hint: String,
    /// When it is due.
    pub send_at: Timestamp,
    /// Which episode of the conversation it belongs to.
    pub episode: u32,
}

/// Adds a follow-up.
///
/// # Errors
/// What the database said.
pub fn insert(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    new: &NewFollowUp,
    now: Timestamp,
) -> Result<FollowUpId, StoreError> {
    tx.insert(
        "INSERT INTO follow_up (organization_id, contact_id, kind, hint, send_at, episode, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id",
        values![organization, new.contact, new.kind.as_str(), &new.hint, new.send_at, new.episode, now],
    )
}

/// How many of an episode are open or sent.
///
/// # Errors
/// What the database said.
pub fn count_of_episode(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    episode: u32,
) -> Result<u32, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM follow_up
         WHERE organization_id = ?1 AND contact_id = ?2 AND episode = ?3 AND state IN ('open', 'sent')",
        values![organization, contact, episode],
        |row| row.get(0),
    )
}

/// A contact's open follow-ups, in order of when they are due.
///
/// # Errors
/// What the database said.
pub fn open_of_contact(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
) -> Result<Vec<FollowUp>, StoreError> {
    tx.query_all(
        "SELECT id, contact_id, kind, hint, send_at, episode FROM follow_up
         WHERE organization_id = ?1 AND contact_id = ?2 AND state = 'open' ORDER BY send_at, id",
        values![organization, contact],
        read,
    )
}

/// Cancels a contact's open follow-ups, or one of them, and gives how many.
///
/// # Errors
/// What the database said.
pub fn cancel_open(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    only: Option<FollowUpId>,
) -> Result<usize, StoreError> {
    tx.execute(
        "UPDATE follow_up SET state = 'cancelled'
         WHERE organization_id = ?1 AND contact_id = ?2 AND state = 'open' AND (id = ?3 OR ?3 IS NULL)",
        values![organization, contact, only],
    )
}

/// Cancels a contact's open follow-ups. The caller does not learn their number.
///
/// # Errors
/// What the database said.
pub fn drop_open(tx: &mut Tx<'_>, organization: OrganizationId, contact: ContactId) -> Result<(), StoreError> {
    tx.defer(
        "UPDATE follow_up SET state = 'cancelled' WHERE organization_id = ?1 AND contact_id = ?2 AND state = 'open'",
        values![organization, contact],
    )
}

/// A follow-up that a worker has claimed to write its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueFollowUp {
    /// Whose.
    pub organization: OrganizationId,
    /// What is due.
    pub follow_up: FollowUp,
    /// How many workers have claimed it, this one included. A number above 1 means that an earlier worker did not finish.
    pub tries: u32,
}

/// Claims the unclaimed open follow-up that has been due longest, until `held_until`; `None` if no follow-up is due.
///
/// # Errors
/// What the database said.
pub fn take_due(tx: &mut Tx<'_>, now: Timestamp, held_until: Timestamp) -> Result<Option<DueFollowUp>, StoreError> {
    let served = tx.served();
    tx.query_optional(
        "UPDATE follow_up SET tries = tries + 1, held_until = ?2 WHERE id =
           (SELECT id FROM follow_up WHERE state = 'open' AND send_at <= ?1 AND COALESCE(held_until, 0) <= ?1
            AND (organization_id = ?3 OR ?3 IS NULL) ORDER BY send_at, id LIMIT 1)
         RETURNING id, contact_id, kind, hint, send_at, episode, organization_id, tries",
        values![now, held_until, served],
        |row| Ok(DueFollowUp { organization: row.get(6)?, follow_up: read(row)?, tries: row.get(7)? }),
    )
}

/// Ends an open follow-up: it was fired, or skipped. Tells whether it was open; only then may it have a consequence (I-18).
///
/// # Errors
/// What the database said.
pub fn end(tx: &mut Tx<'_>, organization: OrganizationId, id: FollowUpId, fired: bool) -> Result<bool, StoreError> {
    let state = if fired { "sent" } else { "skipped" };
    let sql = "UPDATE follow_up SET state = ?3 WHERE organization_id = ?1 AND id = ?2 AND state = 'open'";
    Ok(tx.execute(sql, values![organization, id, state])? == 1)
}

/// Moves an open follow-up to another instant; no worker can claim it until then.
///
/// # Errors
/// What the database said.
pub fn move_to(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: FollowUpId,
    send_at: Timestamp,
) -> Result<bool, StoreError> {
    let sql = "UPDATE follow_up SET send_at = ?3, held_until = NULL WHERE organization_id = ?1 AND id = ?2 AND state = 'open'";
    Ok(tx.execute(sql, values![organization, id, send_at])? == 1)
}

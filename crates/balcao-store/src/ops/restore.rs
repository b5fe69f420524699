//! A database that was restored from a backup: what happened since is not in it.
//!
//! What was about to leave when the backup was made has probably left, and what was about to be answered was answered by a program of
//! whose work nothing is known here. So nothing of that is done a second time: it is held, and staff see it. Keys of effects keep
//! their values.

use balcao_domain::{ConversationId, OrganizationId};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;
use crate::messaging::handoff::{self, NewHandoff};
use crate::turns::event;

/// Why a conversation is with a person, and a turn over.
pub const REASON: &str = "restored";
/// The event that says that it was restored.
pub const EVENT: &str = "restored";
/// Why a message is held, for staff.
const FAILURE: &str = "the database was restored from a backup: it may have left since";
/// Why a delivery of a pack, or the command that it started, is held, for staff.
const PACK_FAILURE: &str = "the database was restored from a backup: the lost program may have done it";

/// What was held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Held {
    /// Messages that waited to leave. After the restore it is unknown whether they arrived.
    pub messages: usize,
    /// Conversations that waited for an answer; now a person has them.
    pub conversations: usize,
    /// Reminders and follow-ups that were due.
    pub timers: usize,
    /// The last that the database knows of; nothing, if nothing ever came or left.
    pub last_known: Option<Timestamp>,
}

/// Holds everything of an organization that a program whose work is lost may have done. Holding twice holds nothing more.
///
/// Of timers those due by `due_by` are held; later ones fire.
///
/// # Errors
/// What the database said.
pub fn hold(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    now: Timestamp,
    due_by: Timestamp,
) -> Result<Held, StoreError> {
    let last_known = tx.query_one(
        "SELECT MAX(at) FROM (SELECT MAX(received_at) AS at FROM inbox WHERE organization_id = ?1
                              UNION ALL SELECT MAX(changed_at) AS at FROM outbox WHERE organization_id = ?1
                              UNION ALL SELECT MAX(created_at) AS at FROM message WHERE organization_id = ?1) AS known",
        values![organization],
        |row| row.get(0),
    )?;
    let messages = tx.execute(
        "UPDATE outbox SET state = 'unknown', failure = ?2, not_before = ?3, sending_until = NULL, changed_at = ?3
         WHERE organization_id = ?1 AND state IN ('pending', 'sending')",
        values![organization, FAILURE, now],
    )?;
    let open: Vec<ConversationId> = tx.query_all(
        "SELECT c.id FROM conversation c WHERE c.organization_id = ?1
            AND (EXISTS (SELECT 1 FROM inbox i WHERE i.conversation_id = c.id AND i.state IN ('new', 'assigned'))
              OR EXISTS (SELECT 1 FROM turn t WHERE t.conversation_id = c.id AND t.state = 'open'))
         ORDER BY c.id",
        values![organization],
        |row| row.get(0),
    )?;
    for conversation in &open {
        hand_over(tx, organization, *conversation, now)?;
    }
    let mut timers: usize = 0;
    for sql in [
        "UPDATE reminder SET state = 'skipped' WHERE organization_id = ?1 AND state = 'open' AND remind_at <= ?2",
        "UPDATE follow_up SET state = 'skipped' WHERE organization_id = ?1 AND state = 'open' AND send_at <= ?2",
    ] {
        timers = timers.saturating_add(tx.execute(sql, values![organization, due_by])?);
    }
    for sql in [
        "UPDATE pack_delivery SET state = 'failed', failure = ?2 WHERE organization_id = ?1 AND state = 'waiting'",
        "UPDATE pack_delivery_command SET state = 'failed', failure = ?2 WHERE organization_id = ?1 AND state = 'waiting'",
    ] {
        tx.execute(sql, values![organization, PACK_FAILURE])?;
    }
    // Endpoints outside tell repeats apart by the numbers of events: none that the lost program gave may come again.
    event::push_past_all(tx, organization, EVENT, &organization.to_string(), now)?;
    Ok(Held { messages, conversations: open.len(), timers, last_known })
}

/// Gives a conversation to a person, without a word to the customer: they may have had their answer.
fn hand_over(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    now: Timestamp,
) -> Result<(), StoreError> {
    let at_work = tx.execute(
        "UPDATE conversation SET state = 'waiting_human', held = NULL
         WHERE organization_id = ?1 AND id = ?2 AND state IN ('ai', 'closed')",
        values![organization, conversation],
    )?;
    if at_work > 0 {
        let new =
            NewHandoff { conversation, turn: None, reason: REASON, summary: None, note: None, assigned_staff: None };
        handoff::insert(tx, organization, &new, now)?;
    }
    tx.execute(
        "UPDATE turn SET state = 'closed', outcome = 'handoff', reason = 'restored', closed_at = ?3
         WHERE organization_id = ?1 AND conversation_id = ?2 AND state = 'open'",
        values![organization, conversation, now],
    )?;
    tx.execute(
        "UPDATE inbox SET state = 'handed_off'
         WHERE organization_id = ?1 AND conversation_id = ?2 AND state IN ('new', 'assigned')",
        values![organization, conversation],
    )?;
    tx.execute(
        "UPDATE dispatch SET owner = NULL, lease_until = NULL, ripe_at = NULL, not_before = NULL, attempts = 0, failures = 0,
                             blame = 0, suspect = 0, epoch = epoch + 1
         WHERE organization_id = ?1 AND conversation_id = ?2",
        values![organization, conversation],
    )?;
    Ok(())
}

/// Notes that a server is at work on this database.
///
/// # Errors
/// What the database said.
pub fn mark(tx: &mut Tx<'_>, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO service_mark (id, served_at) VALUES (1, ?1)
         ON CONFLICT (id) DO UPDATE SET served_at = excluded.served_at",
        values![now],
    )?;
    Ok(())
}

/// When a server was last at work on this database, to the minute.
///
/// # Errors
/// What the database said.
pub fn marked(tx: &mut Tx<'_>) -> Result<Option<Timestamp>, StoreError> {
    tx.query_optional("SELECT served_at FROM service_mark WHERE id = 1", &[], |row| row.get(0))
}

//! Who works on which conversation: leases fenced by an epoch.
//!
//! The rules are in [`balcao_domain::lease`]. [`lease_due`] finds due conversations and those whose lease expired because a process died. The
//! holder works under [`Lease`], and each of its transactions begins with [`guard`] (I-5). Its last transaction calls [`finish`], so that
//! the lease ends if and only if the work is done.

use balcao_domain::lease::{AttemptHistory, MAX_FAILURES};
use balcao_domain::{ContactId, ConversationId, OrganizationId};
use balcao_seeded_bugs::{Bug, is_on};
use jiff::{SignedDuration, Timestamp};

use crate::database::error::StoreError;
use crate::database::lease::Lease;
use crate::database::tx::Tx;
use crate::database::value::{Row, values};
use crate::database::wakeup::Wakeup;

/// A conversation with a new lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeasedConversation {
    /// The right to work on it.
    pub lease: Lease,
    /// The contact of the conversation.
    pub contact: ContactId,
    /// How messages travel.
    pub channel: String,
    /// The business's account.
    pub account: String,
    /// What is remembered of the attempts before, this lease included.
    pub attempts: AttemptHistory,
    /// How long the lease lasts from each renewal on.
    pub lasts: SignedDuration,
}

/// The process that leases conversations, and how many.
#[derive(Debug, Clone, Copy)]
pub struct LeaseRequest<'a> {
    /// Who: a name that no other process has.
    pub owner: &'a str,
    /// Now.
    pub now: Timestamp,
    /// When the leases run out.
    pub until: Timestamp,
    /// At most so many.
    pub limit: u32,
    /// At most so many suspects among them.
    pub suspects: u32,
}

/// Where a conversation's answers go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The business's account.
    pub account: String,
    /// The recipient, as JSON of the channel.
    pub recipient: String,
    /// When the customer last wrote something that opens the channel's window.
    pub customer_wrote_at: Option<Timestamp>,
}

/// Remembers where a conversation is answered; a `customer_wrote_at` that is older than what is known changes nothing.
///
/// # Errors
/// What the database said.
pub fn set_route(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    route: &Route,
) -> Result<(), StoreError> {
    tx.defer(
        "INSERT INTO dispatch (conversation_id, organization_id, account, recipient, customer_wrote_at)
         VALUES (?2, ?1, ?3, ?4, ?5)
         ON CONFLICT (conversation_id) DO UPDATE SET account = excluded.account, recipient = excluded.recipient,
             customer_wrote_at = CASE WHEN dispatch.customer_wrote_at IS NULL
                                        OR dispatch.customer_wrote_at < excluded.customer_wrote_at
                                      THEN excluded.customer_wrote_at ELSE dispatch.customer_wrote_at END",
        values![organization, conversation, &route.account, &route.recipient, route.customer_wrote_at],
    )
}

/// Where a conversation is answered; `None` if it did not come in by a channel.
///
/// # Errors
/// What the database said.
pub fn route(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
) -> Result<Option<Route>, StoreError> {
    tx.query_optional(
        "SELECT account, recipient, customer_wrote_at FROM dispatch WHERE organization_id = ?1 AND conversation_id = ?2",
        values![organization, conversation],
        |row| Ok(Route { account: row.get(0)?, recipient: row.get(1)?, customer_wrote_at: row.get(2)? }),
    )
}

/// Says that the channel's window of a conversation is closed, as the provider says who failed a message at `at`; what the
/// customer wrote after that counts.
///
/// # Errors
/// What the database said.
pub fn close_window(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    at: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE dispatch SET customer_wrote_at = NULL
         WHERE organization_id = ?1 AND conversation_id = ?2 AND customer_wrote_at < ?3",
        values![organization, conversation, at],
    )?;
    Ok(())
}

/// Changes the address of a conversation's contact. Later replies and messages that have not left go to the new address.
///
/// # Errors
/// What the database said.
pub fn readdress(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    recipient: &str,
) -> Result<(), StoreError> {
    for sql in [
        "UPDATE dispatch SET recipient = ?3 WHERE organization_id = ?1 AND conversation_id = ?2",
        "UPDATE outbox SET recipient = ?3 WHERE organization_id = ?1 AND conversation_id = ?2 AND state <> 'sent'",
    ] {
        tx.execute(sql, values![organization, conversation, recipient])?;
    }
    Ok(())
}

/// Says when what waits in a conversation is to be answered; `None`: nothing waits.
///
/// # Errors
/// What the database said.
pub fn set_due(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    ripe_at: Option<Timestamp>,
) -> Result<(), StoreError> {
    if ripe_at.is_some() {
        tx.hint(Wakeup::Turn);
    }
    tx.defer(
        "UPDATE dispatch SET ripe_at = ?3 WHERE organization_id = ?1 AND conversation_id = ?2",
        values![organization, conversation, ripe_at],
    )
}

/// Leases conversations that are due, or whose lease expired because a process died. The longest wait comes first.
///
/// Of two that lease at the same time each gets others: it is one write transaction.
///
/// # Errors
/// What the database said.
pub fn lease_due(tx: &mut Tx<'_>, request: &LeaseRequest<'_>) -> Result<Vec<LeasedConversation>, StoreError> {
    let served = tx.served();
    let found = tx.query_all(
        "SELECT d.organization_id, d.conversation_id, d.epoch, c.contact_id, c.channel, d.account, d.attempts, d.failures,
                d.blame, d.suspect, CASE WHEN d.owner IS NULL THEN 0 ELSE 1 END
         FROM dispatch d JOIN conversation c ON c.id = d.conversation_id
         WHERE ((d.owner IS NULL AND d.ripe_at <= ?1) OR (d.owner IS NOT NULL AND d.lease_until <= ?1))
           AND (d.not_before IS NULL OR d.not_before <= ?1)
           AND (?3 = 1 OR (d.owner IS NULL AND d.suspect = 0))
           AND (d.organization_id = ?4 OR ?4 IS NULL)
         ORDER BY COALESCE(d.ripe_at, d.lease_until), d.conversation_id LIMIT ?2",
        values![request.now, request.limit, request.suspects > 0, served],
        |row| leased_conversation(row, request),
    )?;
    let mut suspects = request.suspects;
    let mut taken = Vec::new();
    for mut one in found {
        if one.attempts.poison_suspect {
            let Some(left) = suspects.checked_sub(1) else { continue };
            suspects = left;
        }
        one.lease.epoch = one.lease.epoch.saturating_add(1);
        take(tx, &one, request)?;
        taken.push(one);
    }
    Ok(taken)
}

/// Leases conversations without a valid lease that have had an unanswered inbound event since before `since`, so that a person gets them.
/// Their attempt history makes the next lease holder hand them over, too. Each row is a reason once, for ever.
///
/// What was not due before `since` did not wait for that long. Those who were left behind by a program that died, and are not
/// to blame for it as far as is known, wait for each other: they are stuck only if what came in came before `suspects_since`.
///
/// # Errors
/// What the database said.
pub fn lease_stuck(
    tx: &mut Tx<'_>,
    request: &LeaseRequest<'_>,
    since: Timestamp,
    suspects_since: Timestamp,
) -> Result<Vec<LeasedConversation>, StoreError> {
    let served = tx.served();
    let mut found = tx.query_all(
        "SELECT d.organization_id, d.conversation_id, d.epoch, c.contact_id, c.channel, d.account, d.attempts, d.failures,
                d.blame, d.suspect, CASE WHEN d.owner IS NULL THEN 0 ELSE 1 END
         FROM dispatch d JOIN conversation c ON c.id = d.conversation_id
         WHERE (d.owner IS NULL OR d.lease_until <= ?1) AND d.conversation_id IN (
             SELECT i.conversation_id FROM inbox i WHERE i.state IN ('new', 'assigned') AND i.received_at <= ?2
             AND (i.received_at <= ?4 OR d.blame > 0 OR (d.owner IS NULL AND d.suspect = 0))
             AND NOT EXISTS (SELECT 1 FROM rescue r WHERE r.inbox_id = i.id))
           AND (d.owner IS NOT NULL OR d.ripe_at IS NULL OR d.ripe_at <= ?2)
           AND (d.organization_id = ?5 OR ?5 IS NULL)
         ORDER BY d.conversation_id LIMIT ?3",
        values![request.now, since, request.limit, suspects_since, served],
        |row| leased_conversation(row, request),
    )?;
    for one in &mut found {
        one.attempts.failures = one.attempts.failures.max(MAX_FAILURES);
        one.lease.epoch = one.lease.epoch.saturating_add(1);
        take(tx, one, request)?;
        tx.execute(
            "INSERT INTO rescue (inbox_id, organization_id, rescued_at)
             SELECT i.id, i.organization_id, CAST(?4 AS BIGINT) FROM inbox i
             WHERE i.organization_id = ?1 AND i.conversation_id = ?2 AND i.state IN ('new', 'assigned') AND i.received_at <= ?3
             ON CONFLICT (inbox_id) DO NOTHING",
            values![one.lease.organization, one.lease.conversation, since, request.now],
        )?;
    }
    Ok(found)
}

/// A row of both queries, with the history of attempts that the lease leads to.
fn leased_conversation(row: &Row<'_>, request: &LeaseRequest<'_>) -> Result<LeasedConversation, StoreError> {
    let lease = Lease { organization: row.get(0)?, conversation: row.get(1)?, epoch: row.get(2)? };
    let before = AttemptHistory {
        attempts: row.get(6)?,
        failures: row.get(7)?,
        crashes: row.get(8)?,
        poison_suspect: row.get(9)?,
    };
    let attempts = before.count_attempt(row.get(10)?);
    let lasts = request.until.duration_since(request.now);
    Ok(LeasedConversation { lease, contact: row.get(3)?, channel: row.get(4)?, account: row.get(5)?, attempts, lasts })
}

fn take(tx: &mut Tx<'_>, one: &LeasedConversation, request: &LeaseRequest<'_>) -> Result<(), StoreError> {
    let (lease, history) = (&one.lease, &one.attempts);
    let changed = tx.execute(
        "UPDATE dispatch SET owner = ?3, epoch = ?4, lease_until = ?5, attempts = ?6, failures = ?7, blame = ?8, suspect = ?9
         WHERE organization_id = ?1 AND conversation_id = ?2 AND epoch = ?4 - 1",
        values![
            lease.organization,
            lease.conversation,
            request.owner,
            lease.epoch,
            request.until,
            history.attempts,
            history.failures,
            history.crashes,
            history.poison_suspect,
        ],
    )?;
    held(tx, changed, lease)
}

/// Checks that the lease is still the current one. It must be the first statement of every transaction under the lease. No other process
/// can lease the conversation before the transaction ends.
///
/// # Errors
/// [`StoreError::LeaseLost`].
pub fn guard(tx: &mut Tx<'_>, lease: &Lease) -> Result<(), StoreError> {
    let changed = tx.execute(
        "UPDATE dispatch SET epoch = epoch WHERE organization_id = ?1 AND conversation_id = ?2 AND epoch = ?3
         AND owner IS NOT NULL",
        values![lease.organization, lease.conversation, lease.epoch],
    )?;
    held(tx, changed, lease)
}

/// Extends the lease to `until`, but never shortens it. The holder relies on the end that it knows, and two renewals may arrive in the
/// wrong order.
///
/// # Errors
/// [`StoreError::LeaseLost`]: stop working.
pub fn renew(tx: &mut Tx<'_>, lease: &Lease, until: Timestamp) -> Result<(), StoreError> {
    let changed = tx.execute(
        "UPDATE dispatch SET lease_until = CASE WHEN lease_until > ?4 THEN lease_until ELSE ?4 END
         WHERE organization_id = ?1 AND conversation_id = ?2 AND epoch = ?3 AND owner IS NOT NULL",
        values![lease.organization, lease.conversation, lease.epoch, until],
    )?;
    held(tx, changed, lease)
}

/// Ends the lease because its work is done, and resets the attempt history. A conversation with new messages stays due.
///
/// # Errors
/// [`StoreError::LeaseLost`].
pub fn finish(tx: &mut Tx<'_>, lease: &Lease) -> Result<(), StoreError> {
    let changed = tx.execute(
        "UPDATE dispatch SET owner = NULL, lease_until = NULL, not_before = NULL, attempts = 0, failures = 0, blame = 0,
                             suspect = 0
         WHERE organization_id = ?1 AND conversation_id = ?2 AND epoch = ?3 AND owner IS NOT NULL",
        values![lease.organization, lease.conversation, lease.epoch],
    )?;
    held(tx, changed, lease)
}

/// Ends the lease because its work failed: it is tried again after the pause that its history of attempts asks for.
///
/// # Errors
/// [`StoreError::LeaseLost`].
pub fn fail(tx: &mut Tx<'_>, leased: &LeasedConversation, now: Timestamp) -> Result<(), StoreError> {
    let (lease, history) = (&leased.lease, leased.attempts.failed());
    let pause = SignedDuration::try_from(history.pause()).unwrap_or(SignedDuration::ZERO);
    let not_before = now.checked_add(pause).unwrap_or(now);
    end(tx, lease, now, Some(not_before), history.failures)
}

/// Ends the lease before the work is done, because the program stops. The next process can go on at once.
///
/// # Errors
/// [`StoreError::LeaseLost`].
pub fn give_back(tx: &mut Tx<'_>, leased: &LeasedConversation, now: Timestamp) -> Result<(), StoreError> {
    end(tx, &leased.lease, now, None, leased.attempts.failures)
}

/// Ends a lease with work left: the conversation is due, be it only for its open turn.
fn end(
    tx: &mut Tx<'_>,
    lease: &Lease,
    now: Timestamp,
    not_before: Option<Timestamp>,
    failures: u32,
) -> Result<(), StoreError> {
    let changed = tx.execute(
        "UPDATE dispatch SET owner = NULL, lease_until = NULL, ripe_at = COALESCE(ripe_at, ?4), not_before = ?5, failures = ?6
         WHERE organization_id = ?1 AND conversation_id = ?2 AND epoch = ?3 AND owner IS NOT NULL",
        values![lease.organization, lease.conversation, lease.epoch, now, not_before, failures],
    )?;
    held(tx, changed, lease)
}

fn held(tx: &mut Tx<'_>, changed: usize, lease: &Lease) -> Result<(), StoreError> {
    if changed != 1 && !is_on(Bug::EpochNotGuarded) {
        return Err(StoreError::LeaseLost { conversation: lease.conversation });
    }
    tx.under(*lease);
    Ok(())
}

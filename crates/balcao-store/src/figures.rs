//! What waits, and since when, over all organizations: for metrics and alarms.
//!
//! Read in one transaction by queries over partial indexes: they cost what waits, not what is stored. Every process over the
//! same database reads the same.

use jiff::Timestamp;

use crate::error::StoreError;
use crate::tx::Tx;
use crate::value::{Value, values};

/// Things that wait.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waiting {
    /// How many.
    pub count: u32,
    /// Since when the oldest of them waits, or when the first of them was due.
    pub since: Option<Timestamp>,
}

impl Waiting {
    /// How long the oldest has waited, in seconds; 0 if nothing waits.
    #[must_use]
    pub fn age(&self, now: Timestamp) -> u64 {
        let age = self.since.map_or(0, |since| now.duration_since(since).as_secs());
        u64::try_from(age).unwrap_or(0)
    }
}

/// Everything that waits at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    /// What came in and has no answer yet.
    pub inbox: Waiting,
    /// Conversations whose burst is ripe and that nobody works on.
    pub ripe: Waiting,
    /// Turns that began and did not end.
    pub open_turns: u32,
    /// Messages that wait to be sent.
    pub pending: Waiting,
    /// Messages that are being sent.
    pub sending: Waiting,
    /// Accounts of channels that can send nothing before the operator acts, while something waits to leave by them.
    pub paused: Waiting,
    /// Messages that may or may not have been sent, and that staff have not dealt with.
    pub unknown: u32,
    /// Messages that will not be sent, and that staff have not dealt with.
    pub dead: u32,
    /// Reminders whose time has come.
    pub reminders: Waiting,
    /// Follow-ups whose time has come.
    pub follow_ups: Waiting,
    /// Conversations that wait for, or are with, a person.
    pub handoffs: Waiting,
    /// Those of them that nobody has taken.
    pub untaken: Waiting,
    /// Outgoing webhooks that wait to be delivered.
    pub webhooks: Waiting,
    /// Outgoing webhooks that were given up.
    pub dead_webhooks: u32,
}

impl Figures {
    /// Messages that have not left: pending, or being sent.
    #[must_use]
    pub fn unsent(&self) -> Waiting {
        joined(self.pending, self.sending)
    }

    /// Jobs whose time has come: reminders and follow-ups.
    #[must_use]
    pub fn due(&self) -> Waiting {
        joined(self.reminders, self.follow_ups)
    }
}

fn joined(one: Waiting, other: Waiting) -> Waiting {
    let since = [one.since, other.since].into_iter().flatten().min();
    Waiting { count: one.count.saturating_add(other.count), since }
}

/// Reads what waits now.
///
/// # Errors
/// What the database said.
pub fn read(tx: &mut Tx<'_>, now: Timestamp) -> Result<Figures, StoreError> {
    Ok(Figures {
        inbox: waiting(tx, "SELECT count(*), min(received_at) FROM inbox WHERE state IN ('new', 'assigned')", &[])?,
        ripe: waiting(
            tx,
            "SELECT count(*), min(ripe_at) FROM dispatch WHERE owner IS NULL AND ripe_at IS NOT NULL AND ripe_at <= ?1",
            values![now],
        )?,
        open_turns: count(tx, "SELECT count(*) FROM turn WHERE state = 'open'")?,
        pending: waiting(tx, "SELECT count(*), min(created_at) FROM outbox WHERE state = 'pending'", &[])?,
        sending: waiting(tx, "SELECT count(*), min(created_at) FROM outbox WHERE state = 'sending'", &[])?,
        paused: waiting(
            tx,
            "SELECT count(*), min(p.since) FROM pause p WHERE EXISTS (
                 SELECT 1 FROM outbox o WHERE o.state = 'pending' AND o.organization_id = p.organization_id
                 AND o.channel = p.channel AND o.account = p.account)",
            &[],
        )?,
        unknown: troubled(tx, "unknown")?,
        dead: troubled(tx, "dead")?,
        reminders: waiting(
            tx,
            "SELECT count(*), min(remind_at) FROM reminder WHERE state = 'open' AND remind_at <= ?1",
            values![now],
        )?,
        follow_ups: waiting(
            tx,
            "SELECT count(*), min(send_at) FROM follow_up WHERE state = 'open' AND send_at <= ?1",
            values![now],
        )?,
        handoffs: waiting(tx, "SELECT count(*), min(created_at) FROM handoff WHERE resolved_at IS NULL", &[])?,
        untaken: waiting(
            tx,
            "SELECT count(*), min(h.created_at) FROM handoff h JOIN conversation c ON c.id = h.conversation_id
             WHERE h.resolved_at IS NULL AND c.state = 'waiting_human'",
            &[],
        )?,
        webhooks: waiting(tx, "SELECT count(*), min(created_at) FROM webhook_delivery WHERE state = 'pending'", &[])?,
        dead_webhooks: count(tx, "SELECT count(*) FROM webhook_delivery WHERE state = 'dead'")?,
    })
}

fn troubled(tx: &mut Tx<'_>, state: &str) -> Result<u32, StoreError> {
    let sql = "SELECT count(*) FROM outbox WHERE state IN ('unknown', 'dead') AND state = ?1 AND given_up_at IS NULL";
    tx.across_organizations();
    tx.query_one(sql, values![state], |row| row.get(0))
}

fn count(tx: &mut Tx<'_>, sql: &str) -> Result<u32, StoreError> {
    tx.across_organizations();
    tx.query_one(sql, &[], |row| row.get(0))
}

fn waiting(tx: &mut Tx<'_>, sql: &str, values: &[Value<'_>]) -> Result<Waiting, StoreError> {
    tx.across_organizations();
    tx.query_one(sql, values, |row| Ok(Waiting { count: row.get(0)?, since: row.get(1)? }))
}

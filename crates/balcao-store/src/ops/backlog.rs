//! What waits, and since when, in the organizations that a handle serves: for metrics and alarms.
//!
//! Read in one transaction by queries over partial indexes: they cost what waits, not what is stored. Every process that
//! serves the same organization over the same database reads the same.

use balcao_domain::calendar_push::MAX_CRASHES;
use jiff::{SignedDuration, Timestamp};

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, values};
use crate::ops::day_budget::{self, DayCounter, Used};

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
    /// Due conversations that no process has leased.
    pub due: Waiting,
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
    /// Those of them that staff have not taken.
    pub untaken: Waiting,
    /// External calendars that cannot be read, since the first failure in a row.
    pub calendars: Waiting,
    /// Appointments whose event in an external calendar was set aside, because the program crashed each time while it wrote the event.
    pub set_aside: Waiting,
    /// Nightly comparisons with external calendars that were set aside after crashes, since their last claim ended.
    pub comparisons: Waiting,
    /// Deletions of old data that were set aside after crashes, since they were due.
    pub deletions: Waiting,
    /// Deliveries of packs' services that were set aside within the last day, since their last attempt.
    pub unread_deliveries: Waiting,
    /// Commands that such deliveries started and that were set aside within the last day, since their last attempt.
    pub undone_commands: Waiting,
    /// Outgoing webhooks that wait to be delivered.
    pub webhooks: Waiting,
    /// Outgoing webhooks that were given up.
    pub dead_webhooks: u32,
    /// Those of them at which the program died each time, since they were given up.
    pub crashed_webhooks: Waiting,
    /// What is used of what today may take.
    pub budgets: [Option<(DayCounter, Used)>; 3],
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

    /// The work of nights that was set aside after crashes: comparisons with external calendars and deletions of old data.
    #[must_use]
    pub fn nightly(&self) -> Waiting {
        joined(self.comparisons, self.deletions)
    }

    /// What services of packs sent, and the commands that it started, where either was set aside within the last day.
    #[must_use]
    pub fn deliveries(&self) -> Waiting {
        joined(self.unread_deliveries, self.undone_commands)
    }
}

fn joined(one: Waiting, other: Waiting) -> Waiting {
    let since = [one.since, other.since].into_iter().flatten().min();
    Waiting { count: one.count.saturating_add(other.count), since }
}

/// Reads what waits now, of the organizations that this handle serves.
///
/// # Errors
/// What the database said.
pub fn read(tx: &mut Tx<'_>, now: Timestamp) -> Result<Figures, StoreError> {
    Ok(Figures {
        inbox: waiting(tx, "SELECT count(*), min(received_at) FROM inbox t WHERE state IN ('new', 'assigned')", None)?,
        due: waiting(
            tx,
            "SELECT count(*), min(ripe_at) FROM dispatch t WHERE owner IS NULL AND ripe_at IS NOT NULL AND ripe_at <= ?2",
            Some(now),
        )?,
        open_turns: count(tx, "SELECT count(*) FROM turn t WHERE state = 'open'")?,
        pending: waiting(tx, "SELECT count(*), min(created_at) FROM outbox t WHERE state = 'pending'", None)?,
        sending: waiting(tx, "SELECT count(*), min(created_at) FROM outbox t WHERE state = 'sending'", None)?,
        paused: waiting(
            tx,
            "SELECT count(*), min(t.since) FROM pause t WHERE EXISTS (
                 SELECT 1 FROM outbox o WHERE o.state = 'pending' AND o.organization_id = t.organization_id
                 AND o.channel = t.channel AND o.account = t.account)",
            None,
        )?,
        unknown: troubled(tx, "unknown")?,
        dead: troubled(tx, "dead")?,
        reminders: waiting(
            tx,
            "SELECT count(*), min(remind_at) FROM reminder t WHERE state = 'open' AND remind_at <= ?2",
            Some(now),
        )?,
        follow_ups: waiting(
            tx,
            "SELECT count(*), min(send_at) FROM follow_up t WHERE state = 'open' AND send_at <= ?2",
            Some(now),
        )?,
        calendars: waiting(
            tx,
            "SELECT count(*), min(failing_since) FROM outside_calendar t WHERE failure IS NOT NULL",
            None,
        )?,
        set_aside: waiting(
            tx,
            "SELECT count(*), min(set_aside_at) FROM calendar_event t WHERE set_aside_at IS NOT NULL",
            None,
        )?,
        comparisons: crashed(
            tx,
            "SELECT count(*), min(claimed_until) FROM calendar_comparison t WHERE claimed_until <= ?2 AND crashes >= ?3",
            now,
        )?,
        deletions: crashed(
            tx,
            "SELECT count(*), min(next_at) FROM retention t WHERE lease_until <= ?2 AND crashes >= ?3",
            now,
        )?,
        unread_deliveries: waiting(
            tx,
            "SELECT count(*), min(not_before) FROM pack_delivery t WHERE state = 'failed' AND not_before > ?2",
            Some(a_day_ago(now)),
        )?,
        undone_commands: waiting(
            tx,
            "SELECT count(*), min(not_before) FROM pack_delivery_command t WHERE state = 'failed' AND not_before > ?2",
            Some(a_day_ago(now)),
        )?,
        handoffs: waiting(tx, "SELECT count(*), min(created_at) FROM handoff t WHERE resolved_at IS NULL", None)?,
        untaken: waiting(
            tx,
            "SELECT count(*), min(t.created_at) FROM handoff t JOIN conversation c ON c.id = t.conversation_id
             WHERE t.resolved_at IS NULL AND c.state = 'waiting_human'",
            None,
        )?,
        webhooks: waiting(
            tx,
            "SELECT count(*), min(created_at) FROM webhook_delivery t WHERE state = 'pending'",
            None,
        )?,
        dead_webhooks: count(tx, "SELECT count(*) FROM webhook_delivery t WHERE state = 'dead'")?,
        // An attempt that ends, however it does, takes the deaths back.
        crashed_webhooks: waiting(
            tx,
            "SELECT count(*), min(changed_at) FROM webhook_delivery t WHERE state = 'dead' AND deaths > 0",
            None,
        )?,
        budgets: day_budget::of_today(tx, now)?.map(|(counted, used)| (used.most > 0).then_some((counted, used))),
    })
}

/// An alarm reports for a day what was set aside, because no command takes it up again.
fn a_day_ago(now: Timestamp) -> Timestamp {
    now.checked_sub(SignedDuration::from_hours(24)).unwrap_or(now)
}

fn troubled(tx: &mut Tx<'_>, state: &str) -> Result<u32, StoreError> {
    let sql = "SELECT count(*) FROM outbox t WHERE state IN ('unknown', 'dead') AND state = ?2 AND given_up_at IS NULL";
    let served = tx.served();
    tx.query_one(&of_served(sql), values![served, state], |row| row.get(0))
}

fn count(tx: &mut Tx<'_>, sql: &str) -> Result<u32, StoreError> {
    let served = tx.served();
    tx.query_one(&of_served(sql), values![served], |row| row.get(0))
}

fn waiting(tx: &mut Tx<'_>, sql: &str, now: Option<Timestamp>) -> Result<Waiting, StoreError> {
    let served = tx.served();
    let read = |row: &Row<'_>| Ok(Waiting { count: row.get(0)?, since: row.get(1)? });
    match now {
        Some(now) => tx.query_one(&of_served(sql), values![served, now], read),
        None => tx.query_one(&of_served(sql), values![served], read),
    }
}

/// The work that is not claimed any more, because the program crashed at it [`MAX_CRASHES`] times.
fn crashed(tx: &mut Tx<'_>, sql: &str, now: Timestamp) -> Result<Waiting, StoreError> {
    let served = tx.served();
    let read = |row: &Row<'_>| Ok(Waiting { count: row.get(0)?, since: row.get(1)? });
    tx.query_one(&of_served(sql), values![served, now, MAX_CRASHES], read)
}

/// The same of the organizations that are served: the rows of `t` have theirs.
fn of_served(sql: &str) -> String {
    format!("{sql} AND (t.organization_id = ?1 OR ?1 IS NULL)")
}

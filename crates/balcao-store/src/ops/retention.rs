//! What is old enough to be deleted (P-06), and who is at it.
//!
//! Invariants: retention deletes nothing that open work still needs. An open turn keeps its messages, its journal and its ledger rows,
//! however old, because only these rows say what it did. Once a turn is closed its effects cannot run again, with or without the row
//! ([`crate::turns::ledger`]). A message that is still to be sent keeps the files of its conversation. An inbox row loses its content and
//! stays for ever, because it identifies a repeat (I-2). A second deletion changes nothing.

use balcao_domain::OrganizationId;
use balcao_domain::calendar_push::MAX_CRASHES;
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;

/// What grows old.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RetentionKind {
    /// A file of staff that was never sent.
    UnsentFile,
    /// The bytes of a file; that there was one stays.
    File,
    /// The inside of a turn that is over: steps, calls, results.
    Trace,
    /// A message.
    Message,
    /// What a visitor of the web chat reads again.
    ChatEntry,
    /// What later turns read of one that is over.
    Transcript,
    /// What a handoff that is resolved was about.
    Summary,
    /// The content of what came in; that it came stays.
    Inbox,
    /// A message that was sent, or that staff let be.
    Outbox,
    /// An outgoing webhook that was delivered, or given up.
    Webhook,
    /// Events, which the outgoing webhooks have reported; the latest event stays.
    Event,
    /// That the watchdog gave a message to a person.
    Rescue,
    /// The record of an effect.
    Ledger,
    /// Inbound events for an unknown account.
    Stray,
    /// The unreadable content of a service's delivery; the record of its arrival stays.
    PackDelivery,
    /// The arguments of a command that a delivery started and that was set aside; the record of the command stays.
    DeliveryCommand,
}

/// How a kind is found and deleted.
struct Rule {
    table: &'static str,
    /// What names a row.
    key: &'static str,
    /// When it began to grow old.
    since: &'static str,
    /// Which rows may go.
    may_go: &'static str,
    /// What is forgotten of a row that stays; `None`: the row goes.
    forgets: Option<&'static str>,
}

impl RetentionKind {
    /// Every kind, in the order in which they are deleted.
    pub const ALL: [Self; 16] = [
        Self::UnsentFile,
        Self::File,
        Self::Trace,
        Self::Message,
        Self::ChatEntry,
        Self::Transcript,
        Self::Summary,
        Self::Inbox,
        Self::Outbox,
        Self::Webhook,
        Self::Event,
        Self::Rescue,
        Self::Ledger,
        Self::Stray,
        Self::PackDelivery,
        Self::DeliveryCommand,
    ];

    /// The word it is shown as.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnsentFile => "unsent_files",
            Self::File => "files",
            Self::Trace => "traces",
            Self::Message => "messages",
            Self::ChatEntry => "chat_entries",
            Self::Transcript => "transcripts",
            Self::Summary => "summaries",
            Self::Inbox => "inbox",
            Self::Outbox => "outbox",
            Self::Webhook => "webhooks",
            Self::Event => "events",
            Self::Rescue => "rescues",
            Self::Ledger => "ledger",
            Self::Stray => "strays",
            Self::PackDelivery => "pack_deliveries",
            Self::DeliveryCommand => "delivery_commands",
        }
    }

    fn rule(self) -> Rule {
        let row = |table, since, may_go| Rule { table, key: "id", since, may_go, forgets: None };
        match self {
            Self::UnsentFile => row("attachment", "created_at", "inbox_id IS NULL AND message_id IS NULL"),
            Self::File => Rule {
                forgets: Some("bytes = NULL, state = 'expired'"),
                ..row(
                    "attachment",
                    "created_at",
                    "state IN ('stored', 'unreadable') AND bytes IS NOT NULL
                     AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.organization_id = ?1
                                     AND o.conversation_id = attachment.conversation_id AND o.state IN ('pending', 'sending'))",
                )
            },
            Self::Trace => Rule {
                forgets: Some("machine = NULL"),
                ..row("turn", "opened_at", "state = 'closed' AND machine IS NOT NULL")
            },
            Self::Message => row(
                "message",
                "created_at",
                "NOT EXISTS (SELECT 1 FROM turn t WHERE t.id = message.turn_id AND t.state = 'open')",
            ),
            Self::ChatEntry => {
                Rule { key: "(conversation_id, seq)", ..row("chat_entry", "created_at", "organization_id = ?1") }
            }
            Self::Transcript => Rule {
                forgets: Some("transcript = NULL"),
                ..row("turn", "opened_at", "state = 'closed' AND transcript IS NOT NULL")
            },
            Self::Summary => {
                Rule { forgets: Some("summary = NULL"), ..row("handoff", "resolved_at", "summary IS NOT NULL") }
            }
            // The provider's name of a message holds the customer's number; what tells a repeat is the hash.
            Self::Inbox => Rule {
                forgets: Some("text = NULL, payload = NULL, provider_message = NULL"),
                ..row("inbox", "received_at", "state NOT IN ('new', 'assigned') AND (payload IS NOT NULL OR text IS NOT NULL OR provider_message IS NOT NULL)")
            },
            Self::Outbox => row(
                "outbox",
                "changed_at",
                "(state = 'sent' OR (state IN ('dead', 'unknown') AND given_up_at IS NOT NULL))",
            ),
            Self::Webhook => row("webhook_delivery", "changed_at", "state IN ('sent', 'dead')"),
            // Numbers must go on rising, because each endpoint remembers the number of the last event that it received.
            Self::Event => row(
                "event",
                "created_at",
                "id < (SELECT max(later.id) FROM event later WHERE later.organization_id = ?1)",
            ),
            Self::Rescue => Rule { key: "inbox_id", ..row("rescue", "rescued_at", "inbox_id > 0") },
            Self::Ledger => Rule {
                key: "key",
                ..row(
                    "effect_ledger",
                    "created_at",
                    "NOT EXISTS (SELECT 1 FROM turn t WHERE t.organization_id = ?1 AND t.state = 'open'
                                 AND effect_ledger.turn = 'trn_' || CAST(t.id AS TEXT))",
                )
            },
            Self::Stray => row("stray_event", "received_at", "id > 0"),
            Self::PackDelivery => Rule {
                forgets: Some("body = NULL"),
                ..row("pack_delivery", "received_at", "state = 'failed' AND body IS NOT NULL")
            },
            Self::DeliveryCommand => Rule {
                key: "delivery_id",
                forgets: Some("arguments = NULL"),
                ..row("pack_delivery_command", "created_at", "state = 'failed' AND arguments IS NOT NULL")
            },
        }
    }

    /// Which rows are meant.
    fn condition(self) -> String {
        let Rule { since, may_go, .. } = self.rule();
        // A stray event belongs to no organization.
        let whose = if self == Self::Stray { "?1 > 0" } else { "organization_id = ?1" };
        format!("{whose} AND {since} < ?2 AND {may_go}")
    }
}

/// How many rows of a kind are older than an instant and may go.
///
/// # Errors
/// What the database said.
pub fn count(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    old: RetentionKind,
    before: Timestamp,
) -> Result<i64, StoreError> {
    let sql = format!("SELECT count(*) FROM {} WHERE {}", old.rule().table, old.condition());
    tx.query_one(&sql, values![organization, before], |row| row.get(0))
}

/// Deletes at most `limit` of them; gives how many.
///
/// # Errors
/// What the database said.
pub fn delete(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    old: RetentionKind,
    before: Timestamp,
    limit: u32,
) -> Result<usize, StoreError> {
    let Rule { table, key, forgets, .. } = old.rule();
    let verb = match forgets {
        Some(what) => format!("UPDATE {table} SET {what}"),
        None => format!("DELETE FROM {table}"),
    };
    let columns = key.trim_matches(['(', ')']);
    let sql = format!(
        "{verb} WHERE {key} IN (SELECT {columns} FROM {table} WHERE {} ORDER BY {columns} LIMIT ?3)",
        old.condition()
    );
    tx.execute(&sql, values![organization, before, limit])
}

/// Claims the deletion of an organization's old rows until `until`, if it is due and no process has it. If the claim is not renewed by
/// then, its process counts as dead. The claim counts as a crash until it ends; after [`MAX_CRASHES`] nothing is deleted before a person
/// takes it up again ([`take_up`]). The first deletion of an organization is due at `first`.
///
/// # Errors
/// What the database said.
pub fn claim(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    now: Timestamp,
    until: Timestamp,
    first: Timestamp,
) -> Result<bool, StoreError> {
    tx.execute(
        "INSERT INTO retention (organization_id, next_at) VALUES (?1, ?2) ON CONFLICT (organization_id) DO NOTHING",
        values![organization, first],
    )?;
    let claimed = tx.execute(
        "UPDATE retention SET lease_until = ?3, crashes = crashes + 1
         WHERE organization_id = ?1 AND next_at <= ?2 AND (lease_until IS NULL OR lease_until <= ?2) AND crashes < ?4",
        values![organization, now, until, MAX_CRASHES],
    )?;
    Ok(claimed == 1)
}

/// Extends the claim that lasts until `held` to `until`; returns whether the caller still had the claim.
///
/// # Errors
/// What the database said.
pub fn renew(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    held: Timestamp,
    until: Timestamp,
) -> Result<bool, StoreError> {
    let sql = "UPDATE retention SET lease_until = ?3 WHERE organization_id = ?1 AND lease_until = ?2";
    Ok(tx.execute(sql, values![organization, held, until])? == 1)
}

/// Ends the claim that is held until `held`: the next time is `next`. Tells whether it was still held.
///
/// # Errors
/// What the database said.
pub fn finish(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    held: Timestamp,
    next: Timestamp,
) -> Result<bool, StoreError> {
    let sql = "UPDATE retention SET lease_until = NULL, next_at = ?3, crashes = 0
               WHERE organization_id = ?1 AND lease_until = ?2";
    Ok(tx.execute(sql, values![organization, held, next])? == 1)
}

/// Gives the claim back that is held until `held`, before all was deleted: the work stopped and did not crash.
///
/// # Errors
/// What the database said.
pub fn give_back(tx: &mut Tx<'_>, organization: OrganizationId, held: Timestamp) -> Result<(), StoreError> {
    let sql = "UPDATE retention SET lease_until = NULL, crashes = 0 WHERE organization_id = ?1 AND lease_until = ?2";
    tx.execute(sql, values![organization, held])?;
    Ok(())
}

/// Takes up again what was set aside after [`MAX_CRASHES`]; tells whether it was.
///
/// # Errors
/// What the database said.
pub fn take_up(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<bool, StoreError> {
    let sql = "UPDATE retention SET crashes = 0 WHERE organization_id = ?1 AND crashes >= ?2";
    Ok(tx.execute(sql, values![organization, MAX_CRASHES])? == 1)
}

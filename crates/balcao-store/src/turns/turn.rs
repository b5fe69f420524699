//! The turn journal: a turn's saved state while it is open, its record once it is closed.
//!
//! Invariants: a conversation has at most one open turn, by a unique index (I-4); every change demands that the turn is open, so
//! that of two who end it one does; what is saved before a call runs is what a successor goes on from (I-6).

use balcao_domain::{ConversationId, MessageId, OrganizationId, TurnId, VersionKind, VersionName};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;

/// How a turn ended and what it used up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closing<'a> {
    /// The turn.
    pub id: TurnId,
    /// `reply`, `handoff` or `silence`.
    pub outcome: &'a str,
    /// Why, for staff.
    pub reason: Option<&'a str>,
    /// The record, as JSON.
    pub machine: &'a str,
    /// Hash of the prompt that it was answered from.
    pub prompt_hash: &'a str,
    /// Its part of the transcript, as JSON.
    pub transcript: &'a str,
    /// What the turn used up since the last [`restart`].
    pub spent: Spent,
}

/// What turns used up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Model calls.
    pub model_calls: i64,
    /// Tool calls that ran.
    pub tool_calls: i64,
    /// Tokens, input and output together.
    pub tokens: i64,
    /// Cost in millionths of a US dollar.
    pub cost_micro_usd: i64,
}

/// What a turn runs under, by number of version; `None` where no such version is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TurnVersions {
    /// Of the business.
    pub business: Option<i64>,
    /// Of the knowledge.
    pub knowledge: Option<i64>,
    /// Of the prompt.
    pub prompt: Option<i64>,
}

impl TurnVersions {
    /// Their names.
    pub fn names(self) -> impl Iterator<Item = VersionName> {
        let named = |kind, number: Option<i64>| number.map(|number| VersionName { kind, number });
        let all = [
            named(VersionKind::Business, self.business),
            named(VersionKind::Knowledge, self.knowledge),
            named(VersionKind::Prompt, self.prompt),
        ];
        all.into_iter().flatten()
    }
}

/// The agent that opens a turn.
#[derive(Debug, Clone, Copy)]
pub struct TurnAgent<'a> {
    /// The id of its profile.
    pub profile: &'a str,
    /// The hash of the version of its prompt.
    pub prompt: &'a str,
}

/// Opens a turn under the last versions of business and knowledge, and the version of the agent's prompt.
///
/// # Errors
/// A unique violation if the conversation has an open one.
pub fn open(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    agent: TurnAgent<'_>,
    now: Timestamp,
) -> Result<(TurnId, TurnVersions), StoreError> {
    tx.insert_returning(
        "INSERT INTO turn (organization_id, conversation_id, profile, opened_at, business_version, knowledge_version, prompt_version)
         VALUES (?1, ?2, ?3, ?4,
             (SELECT max(number) FROM version WHERE organization_id = ?1 AND kind = 'business'),
             (SELECT max(number) FROM version WHERE organization_id = ?1 AND kind = 'knowledge'),
             (SELECT max(number) FROM version WHERE organization_id = ?1 AND kind = 'prompt' AND hash = ?5))
         RETURNING id, business_version, knowledge_version, prompt_version",
        values![organization, conversation, agent.profile, now, agent.prompt],
        |row| Ok((row.get(0)?, TurnVersions { business: row.get(1)?, knowledge: row.get(2)?, prompt: row.get(3)? })),
    )
}

/// Names what an open turn runs under, where [`open`] found no such version.
///
/// # Errors
/// [`StoreError::NoRow`] if the turn is not open.
pub fn set_versions(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: TurnId,
    versions: TurnVersions,
) -> Result<(), StoreError> {
    let sql = "UPDATE turn SET business_version = ?3, knowledge_version = ?4, prompt_version = ?5
               WHERE organization_id = ?1 AND id = ?2 AND state = 'open'";
    let TurnVersions { business, knowledge, prompt } = versions;
    exactly_one(tx.execute(sql, values![organization, id, business, knowledge, prompt])?, sql)
}

/// Saves the state machine of an open turn, and the hash of its prompt.
///
/// # Errors
/// [`StoreError::NoRow`] if the turn is not open, because another process closed it.
pub fn save(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: TurnId,
    machine: &str,
    prompt_hash: &str,
) -> Result<(), StoreError> {
    let sql =
        "UPDATE turn SET machine = ?3, prompt_hash = ?4 WHERE organization_id = ?1 AND id = ?2 AND state = 'open'";
    exactly_one(tx.execute(sql, values![organization, id, machine, prompt_hash])?, sql)
}

/// Lets an open turn begin again: what was saved of it is forgotten, what was spent on it is not.
///
/// # Errors
/// [`StoreError::NoRow`] if the turn is not open, because another process closed it.
pub fn restart(tx: &mut Tx<'_>, organization: OrganizationId, id: TurnId, spent: Spent) -> Result<(), StoreError> {
    let sql = "UPDATE turn SET machine = NULL, model_calls = model_calls + ?3, tool_calls = tool_calls + ?4,
                   tokens = tokens + ?5, cost_micro_usd = cost_micro_usd + ?6
               WHERE organization_id = ?1 AND id = ?2 AND state = 'open'";
    let Spent { model_calls, tool_calls, tokens, cost_micro_usd } = spent;
    exactly_one(tx.execute(sql, values![organization, id, model_calls, tool_calls, tokens, cost_micro_usd])?, sql)
}

/// Closes an open turn.
///
/// # Errors
/// [`StoreError::NoRow`] if the turn is not open, because another process closed it.
pub fn close(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    closing: &Closing<'_>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let sql = "UPDATE turn SET state = 'closed', outcome = ?3, reason = ?4, machine = ?5, transcript = ?6,
             model_calls = model_calls + ?7, tool_calls = tool_calls + ?8, tokens = tokens + ?9,
             cost_micro_usd = cost_micro_usd + ?10, closed_at = ?11, prompt_hash = ?12
         WHERE organization_id = ?1 AND id = ?2 AND state = 'open'";
    let changed = tx.execute(
        sql,
        values![
            organization,
            closing.id,
            closing.outcome,
            closing.reason,
            closing.machine,
            closing.transcript,
            closing.spent.model_calls,
            closing.spent.tool_calls,
            closing.spent.tokens,
            closing.spent.cost_micro_usd,
            now,
            closing.prompt_hash
        ],
    )?;
    exactly_one(changed, sql)
}

/// The open turn of a conversation, with its saved state (`None` before its first step was saved).
///
/// # Errors
/// What the database said.
pub fn find_open(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
) -> Result<Option<(TurnId, Option<String>)>, StoreError> {
    tx.query_optional(
        "SELECT id, machine FROM turn WHERE organization_id = ?1 AND conversation_id = ?2 AND state = 'open'",
        values![organization, conversation],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

pub(crate) const TRANSCRIPTS: &str = "SELECT transcript, CASE WHEN
             (business_version = (SELECT max(number) FROM version WHERE organization_id = ?1 AND kind = 'business')
              OR (SELECT stated FROM version WHERE organization_id = ?1 AND kind = 'business' AND number = business_version)
                 = (SELECT stated FROM version WHERE organization_id = ?1 AND kind = 'business' ORDER BY number DESC LIMIT 1))
             AND knowledge_version = (SELECT max(number) FROM version WHERE organization_id = ?1 AND kind = 'knowledge')
         THEN 1 ELSE 0 END
     FROM turn WHERE organization_id = ?1 AND conversation_id = ?2 AND id >= ?3 AND state = 'closed'
         AND transcript IS NOT NULL ORDER BY id DESC LIMIT ?4";

/// What was said and read in a closed turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// The messages, as JSON.
    pub messages: String,
    /// Whether business and knowledge are as they were in the turn, as far as a reply may state them.
    pub is_current: bool,
}

/// The transcripts of the last `limit` closed turns from `from` on, oldest first.
///
/// # Errors
/// What the database said.
pub fn transcripts(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    from: i64,
    limit: u32,
) -> Result<Vec<Transcript>, StoreError> {
    let mut found = tx.query_all(TRANSCRIPTS, values![organization, conversation, from, limit], |row| {
        Ok(Transcript { messages: row.get(0)?, is_current: row.get::<i64>(1)? == 1 })
    })?;
    found.reverse();
    Ok(found)
}

/// How many closed turns with a transcript a conversation has from `from` on.
///
/// # Errors
/// What the database said.
pub fn count_transcripts(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    from: i64,
) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT count(*) FROM turn WHERE organization_id = ?1 AND conversation_id = ?2 AND id >= ?3 AND state = 'closed'
             AND transcript IS NOT NULL",
        values![organization, conversation, from],
        |row| row.get(0),
    )
}

/// What the organization's turns (of one conversation, if given) used up since an instant.
///
/// # Errors
/// What the database said.
pub fn spent_since(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: Option<ConversationId>,
    since: Timestamp,
) -> Result<Spent, StoreError> {
    let sums = "SELECT CAST(COALESCE(sum(model_calls), 0) AS BIGINT), CAST(COALESCE(sum(tool_calls), 0) AS BIGINT),
                CAST(COALESCE(sum(tokens), 0) AS BIGINT), CAST(COALESCE(sum(cost_micro_usd), 0) AS BIGINT)
                FROM turn WHERE organization_id = ?1";
    let read = |row: &crate::database::value::Row<'_>| {
        Ok(Spent {
            model_calls: row.get(0)?,
            tool_calls: row.get(1)?,
            tokens: row.get(2)?,
            cost_micro_usd: row.get(3)?,
        })
    };
    match conversation {
        Some(one) => tx.query_one(
            &format!("{sums} AND conversation_id = ?2 AND opened_at >= ?3"),
            values![organization, one, since],
            read,
        ),
        None => tx.query_one(&format!("{sums} AND opened_at >= ?2"), values![organization, since], read),
    }
}

/// Adds a model call that came after a turn's reply to what the turn used up.
///
/// # Errors
/// [`StoreError::NoRow`] if the organization has no such turn.
pub fn add_model_call(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: TurnId,
    tokens: i64,
    cost_micro_usd: i64,
) -> Result<(), StoreError> {
    let sql =
        "UPDATE turn SET model_calls = model_calls + 1, tokens = tokens + ?3, cost_micro_usd = cost_micro_usd + ?4
               WHERE organization_id = ?1 AND id = ?2";
    exactly_one(tx.execute(sql, values![organization, id, tokens, cost_micro_usd])?, sql)
}

/// Rewrites what is saved of a turn, its state or record and its transcript, if they are still kept.
///
/// # Errors
/// [`StoreError::NoRow`] if the organization has no such turn.
pub fn rewrite(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: TurnId,
    rewritten: impl Fn(&str) -> String,
) -> Result<(), StoreError> {
    let (machine, transcript): (Option<String>, Option<String>) = tx.query_one(
        "SELECT machine, transcript FROM turn WHERE organization_id = ?1 AND id = ?2",
        values![organization, id],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let (machine, transcript) = (machine.as_deref().map(&rewritten), transcript.as_deref().map(&rewritten));
    tx.execute(
        "UPDATE turn SET machine = ?3, transcript = ?4 WHERE organization_id = ?1 AND id = ?2",
        values![organization, id, machine.as_ref(), transcript.as_ref()],
    )?;
    Ok(())
}

/// A turn with what is saved of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedTurn {
    /// Its id.
    pub id: TurnId,
    /// Whether it goes on.
    pub open: bool,
    /// How it ended.
    pub outcome: Option<String>,
    /// Why, for staff.
    pub reason: Option<String>,
    /// The state machine or the record, as JSON; `None` before the first step was saved.
    pub machine: Option<String>,
    /// When it began.
    pub opened_at: Timestamp,
    /// When it ended.
    pub closed_at: Option<Timestamp>,
    /// What it ran under.
    pub versions: TurnVersions,
}

/// The last `limit` turns of a conversation, the newest first.
///
/// # Errors
/// What the database said.
pub fn latest(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    limit: u32,
) -> Result<Vec<SavedTurn>, StoreError> {
    tx.query_all(
        "SELECT id, state, outcome, reason, machine, opened_at, closed_at, business_version, knowledge_version, prompt_version FROM turn
         WHERE organization_id = ?1 AND conversation_id = ?2 ORDER BY id DESC LIMIT ?3",
        values![organization, conversation, limit],
        |row| {
            Ok(SavedTurn {
                id: row.get(0)?,
                open: row.get::<String>(1)? == "open",
                outcome: row.get(2)?,
                reason: row.get(3)?,
                machine: row.get(4)?,
                opened_at: row.get(5)?,
                closed_at: row.get(6)?,
                versions: TurnVersions { business: row.get(7)?, knowledge: row.get(8)?, prompt: row.get(9)? },
            })
        },
    )
}

/// What the turns ran under that wrote the messages of a conversation from `first` to `last`. What the agent did not write has none.
///
/// # Errors
/// What the database said.
pub fn versions_of_messages(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    first: MessageId,
    last: MessageId,
) -> Result<Vec<(MessageId, TurnVersions)>, StoreError> {
    tx.query_all(
        "SELECT m.id, t.business_version, t.knowledge_version, t.prompt_version FROM message m JOIN turn t ON t.id = m.turn_id
         WHERE m.organization_id = ?1 AND m.conversation_id = ?2 AND m.id BETWEEN ?3 AND ?4 AND m.author IN ('agent', 'draft')
         ORDER BY m.id",
        values![organization, conversation, first, last],
        |row| Ok((row.get(0)?, TurnVersions { business: row.get(1)?, knowledge: row.get(2)?, prompt: row.get(3)? })),
    )
}

/// The record of a closed turn, as JSON.
///
/// # Errors
/// [`StoreError::NoRow`] if the organization has no such turn.
pub fn record(tx: &mut Tx<'_>, organization: OrganizationId, id: TurnId) -> Result<Option<String>, StoreError> {
    tx.query_one("SELECT machine FROM turn WHERE organization_id = ?1 AND id = ?2", values![organization, id], |row| {
        row.get(0)
    })
}

fn exactly_one(changed: usize, sql: &str) -> Result<(), StoreError> {
    if changed == 1 { Ok(()) } else { Err(StoreError::NoRow { sql: sql.to_owned() }) }
}

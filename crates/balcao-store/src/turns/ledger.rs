//! The effect ledger: a key that was used is never executed again.
//!
//! Effect and record commit together, so an effect is recorded if and only if it happened.

use balcao_domain::conversation::ConversationState;
use balcao_domain::{ConversationId, OrganizationId, TurnId};
use balcao_seeded_bugs::{Bug, is_on};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{json, read_word, to_json, values};

/// What makes two executions the same effect.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EffectKey {
    /// The key, unique in the database: a function of turn, step, ordinal, tool and canonical arguments.
    pub key: String,
    /// The hash of the canonical arguments. The same key with another hash is an error.
    pub args_hash: String,
    /// The turn that it is an effect of, where there is one: it must still be open.
    pub turn: Option<TurnId>,
    /// The tool.
    pub tool: String,
}

/// The result of an effect, and whether it was executed now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded<T> {
    /// What the effect gave, now or then.
    pub value: T,
    /// Whether it had been executed before, so that nothing was done now.
    pub repeated: bool,
}

/// Executes `effect` unless its key was used before; then the recorded result is given again.
///
/// # Errors
/// [`StoreError::KeyReused`] if the key was used for other arguments or by another organization; [`StoreError::LeaseLost`] if another
/// process ended the turn while this one slept (I-5); [`StoreError::TakenOver`] if a person has its conversation. If `effect` fails, its
/// own error, and then nothing is recorded.
pub fn once<T, E>(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    key: &EffectKey,
    now: Timestamp,
    effect: impl FnOnce(&mut Tx<'_>) -> Result<T, E>,
) -> Result<Recorded<T>, E>
where
    T: Serialize + DeserializeOwned,
    E: From<StoreError>,
{
    let reused = || StoreError::KeyReused { key: key.key.clone() };
    if let Some(value) = find(tx, organization, key)? {
        return Ok(Recorded { value, repeated: true });
    }
    demand_open(tx, organization, key)?;
    let value = effect(tx)?;
    let inserted = tx.execute(
        "INSERT INTO effect_ledger (key, organization_id, turn, tool, args_hash, result, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING",
        values![
            &key.key,
            organization,
            key.turn.map(|turn| turn.to_string()),
            &key.tool,
            &key.args_hash,
            to_json(&value)?,
            now
        ],
    )?;
    // Another organization has it, whose row is not for us to see.
    if inserted == 1 { Ok(Recorded { value, repeated: false }) } else { Err(reused().into()) }
}

/// What an effect gave, if it was executed: how a lost answer is looked up.
///
/// # Errors
/// [`StoreError::KeyReused`] if the key was used for other arguments; else what the database said.
pub fn find<T: DeserializeOwned>(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    key: &EffectKey,
) -> Result<Option<T>, StoreError> {
    let reused = || StoreError::KeyReused { key: key.key.clone() };
    tx.query_optional(
        "SELECT args_hash, result FROM effect_ledger WHERE key = ?1 AND organization_id = ?2",
        values![&key.key, organization],
        |row| if row.get::<String>(0)? == key.args_hash { json(row, 1) } else { Err(reused()) },
    )
}

/// Refuses an effect of a turn that another process has ended, because its result would reach no caller. It also refuses an effect in a
/// conversation that a person took over, because only people change that one (I-17).
///
/// # Errors
/// As [`once`] refuses an effect.
pub fn demand_open(tx: &mut Tx<'_>, organization: OrganizationId, key: &EffectKey) -> Result<(), StoreError> {
    let Some(turn) = key.turn else { return Ok(()) };
    let found: Option<(ConversationId, String, ConversationState)> = tx.query_optional(
        "SELECT c.id, t.state, c.state FROM turn t JOIN conversation c ON c.id = t.conversation_id
         WHERE t.organization_id = ?1 AND t.id = ?2",
        values![organization, turn],
        |row| Ok((row.get(0)?, row.get(1)?, read_word(row, 2, ConversationState::from_word)?)),
    )?;
    match found {
        Some((conversation, turn, _)) if turn != "open" => Err(StoreError::LeaseLost { conversation }),
        Some((conversation, _, state)) if !state.agent_speaks() && !is_on(Bug::TakeoverNotChecked) => {
            Err(StoreError::TakenOver { conversation })
        }
        Some(_) | None => Ok(()),
    }
}

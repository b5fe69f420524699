//! The identity under which a call runs, and its key. None of it ever comes from a model (I-19).

use jiff::{Timestamp, Zoned};
use serde::{Deserialize, Serialize};

use crate::Locale;

/// The identity that the runtime binds to a turn. Tools act on this contact and organization; no argument names another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Principal {
    /// The organization's id.
    pub organization: i64,
    /// The conversation's contact.
    pub contact: i64,
    /// The conversation.
    pub conversation: i64,
    /// The turn.
    pub turn: i64,
    /// True for a profile that talks with staff instead of customers.
    pub staff_facing: bool,
    /// The conversation's language.
    pub locale: Locale,
}

/// The idempotency key of one call: a function of turn, step, position, tool and canonical arguments.
///
/// Equal on every replay of the turn, different for every other call.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EffectKey(String);

impl EffectKey {
    /// Derives the key. `args_hash` is [`crate::canonical::hash`] of the arguments.
    #[must_use]
    pub fn derive(turn: i64, step: u32, index: u32, tool: &str, args_hash: &str) -> Self {
        Self(crate::canonical::hash_text(&format!("{turn}/{step}/{index}/{tool}/{args_hash}")))
    }

    /// The key's text: 40 lower-case hexadecimal digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What a handler receives beside its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolContext {
    /// The identity that the call runs for.
    pub principal: Principal,
    /// The call's idempotency key.
    pub key: EffectKey,
    /// Hash of the canonical arguments: the same key with another hash is a conflict.
    pub args_hash: String,
    /// The organization's local time when the turn began: what "tomorrow" is counted from, also on a replay.
    pub now: Zoned,
    /// The confirmed question, if the call needed a confirmation. What a command would do by now may differ from it.
    pub agreed: Option<Agreed>,
    /// The prices that our replies of this conversation named, the newest reply first.
    pub told_prices: Vec<ToldPrices>,
}

/// The prices of one reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldPrices {
    /// What the customer had written before.
    pub asked: String,
    /// The lines that name prices, each with its prices in cents.
    pub lines: Vec<(String, Vec<i64>)>,
}

/// A question with a yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreed {
    /// The question, word by word.
    pub question: String,
    /// When it was asked.
    pub asked_at: Timestamp,
}

impl ToolContext {
    /// What a pack's helpers take for now, in milliseconds since 1970: a confirmed call is computed as of the time of its question.
    /// Else the time that went by until the yes would make another call of it.
    #[must_use]
    pub fn helpers_now(&self) -> i64 {
        let now = || self.now.timestamp();
        self.agreed.as_ref().map_or_else(now, |agreed| agreed.asked_at).as_millisecond()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Locale;

    fn context(agreed: Option<Agreed>) -> ToolContext {
        let principal = Principal {
            organization: 1,
            contact: 1,
            conversation: 1,
            turn: 1,
            staff_facing: false,
            locale: Locale::En,
        };
        let now: Zoned = "2026-11-23T10:00[America/Sao_Paulo]".parse().unwrap();
        ToolContext {
            principal,
            key: EffectKey::derive(1, 2, 3, "book", "hash"),
            args_hash: "hash".to_owned(),
            now,
            agreed,
            told_prices: Vec::new(),
        }
    }

    #[test]
    fn a_key_is_a_digest_of_everything_that_makes_the_call_this_one() {
        assert_eq!(EffectKey::derive(1, 2, 3, "book", "hash").as_str(), crate::canonical::hash_text("1/2/3/book/hash"));
        let keys = [(9, 2, 3, "book"), (1, 9, 3, "book"), (1, 2, 9, "book"), (1, 2, 3, "move"), (1, 2, 3, "book")];
        let keys: Vec<EffectKey> = keys
            .iter()
            .map(|(turn, step, index, tool)| EffectKey::derive(*turn, *step, *index, tool, "hash"))
            .collect();
        assert!(keys.iter().enumerate().all(|(place, key)| !keys[..place].contains(key)));
    }

    #[test]
    fn helpers_take_the_time_of_the_question_that_was_agreed_to() {
        let cx = context(None);
        assert_eq!(cx.helpers_now(), cx.now.timestamp().as_millisecond());
        let asked_at = Timestamp::from_second(1_795_000_000).unwrap();
        let agreed = Agreed { question: "Shall I?".to_owned(), asked_at };
        assert_eq!(context(Some(agreed)).helpers_now(), 1_795_000_000_000);
    }
}

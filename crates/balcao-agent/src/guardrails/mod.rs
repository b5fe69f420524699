//! Guardrails: checks of a message before any model request. Each check is a pure function, and the first check that does not pass decides
//! what happens to the turn.
//!
//! If a check itself fails, a person takes over. To add a guardrail, copy a neighbour and list it in [`ALL`].

mod asks_for_human;
mod budget;
mod business_hours;
mod flood;
mod forbidden_topic;
mod hot_lead;
mod human_assigned;
mod max_messages;
mod opt_out;
mod visit_confirmed;

use serde::{Deserialize, Serialize};

use crate::record::GuardRecord;
use crate::{handoff::HandoffReason, profile::Profile, prompt};

/// What the guardrails look at, beside the message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GuardInput {
    /// A person has the conversation, or was called.
    pub human_has_it: bool,
    /// The contact asked for no more messages.
    pub opted_out: bool,
    /// Messages of this contact within the last minute, this one included.
    pub messages_last_minute: u32,
    /// Whether we asked them to slow down lately.
    pub slowed_down: SlowedDown,
    /// Replies of the AI in this conversation on this local day.
    pub ai_messages_today: u32,
    /// The contact's pipeline stages.
    pub stages: Vec<String>,
    /// Whether the business is open now.
    pub open_now: bool,
    /// What the conversation used up today.
    pub conversation_today: DaySpent,
    /// What the organization used up today.
    pub organization_today: DaySpent,
    /// A ceiling of the day beside the profile's that is reached: its name.
    pub exhausted: Option<String>,
    /// What the contact reads if the message is a yes to a reminder and nothing else.
    pub visit_confirmed: Option<String>,
}

/// Whether a contact who writes too much was asked to slow down within the last ten minutes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlowedDown {
    /// They were not.
    #[default]
    No,
    /// They were, and this is the first that they write after it.
    JustNow,
    /// They were, and have written on.
    Before,
}

/// What a day has used up so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DaySpent {
    /// Model calls.
    pub model_calls: u64,
    /// Tool calls.
    pub tool_calls: u64,
    /// Tokens, input and output together.
    pub tokens: u64,
    /// Cost in millionths of a US dollar.
    pub cost_micro_usd: u64,
}

/// What one guardrail says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Decision {
    /// Nothing to say.
    Pass,
    /// Nothing to stop, but something to store.
    Note(Vec<GuardEffect>),
    /// Nothing is sent.
    Silence(Vec<GuardEffect>),
    /// This text is sent.
    Reply(String, Vec<GuardEffect>),
    /// A person takes over; the text replaces the usual notice.
    Handoff(HandoffReason, Option<String>, Vec<GuardEffect>),
}

/// What all guardrails together say.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Guarded {
    Pass,
    Silence(String),
    Reply(String),
    Handoff { reason: HandoffReason, reply: Option<String> },
}

/// Something that is stored when the turn closes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub enum GuardEffect {
    /// The contact gets a tag.
    Tag {
        /// The tag's name.
        name: String,
    },
    /// A note to staff.
    Note {
        /// Its text.
        text: String,
    },
    /// Tells staff of a hot lead.
    HotLead {
        /// The pattern or the stage of the profile that makes it one.
        why: String,
    },
    /// The contact wants no proactive messages.
    OptOut,
    /// The contact wants them again.
    OptIn,
}

/// A guardrail's inputs.
pub(crate) struct Guard<'a> {
    pub(crate) profile: &'a Profile,
    /// The customer's own words.
    pub(crate) text: &'a str,
    /// The same with what they forwarded, which the model reads, too. It leaves out messages of ours that they answer.
    pub(crate) with_forwarded: &'a str,
    pub(crate) input: &'a GuardInput,
}

type Check = fn(&Guard<'_>) -> Result<Decision, String>;

/// All guardrails, in the order in which they run.
pub(crate) const ALL: &[(&str, Check)] = &[
    ("human_assigned", human_assigned::check),
    ("asks_for_human", asks_for_human::check),
    ("opt_out", opt_out::check),
    ("flood", flood::check),
    ("visit_confirmed", visit_confirmed::check),
    ("forbidden_topic", forbidden_topic::check),
    ("max_messages", max_messages::check),
    ("budget", budget::check),
    ("hot_lead", hot_lead::check),
    ("business_hours", business_hours::check),
];

/// Runs all guardrails; the first that does not pass decides. Notes of earlier ones are kept.
pub(crate) fn run(
    profile: &Profile,
    inbound: &str,
    input: &GuardInput,
) -> (Guarded, Vec<GuardRecord>, Vec<GuardEffect>) {
    let (text, with_forwarded) = (&prompt::own_words(inbound), &prompt::own_and_forwarded(inbound));
    run_all(ALL, &Guard { profile, text, with_forwarded, input })
}

fn run_all(all: &[(&str, Check)], guard: &Guard<'_>) -> (Guarded, Vec<GuardRecord>, Vec<GuardEffect>) {
    let (mut records, mut effects) = (Vec::new(), Vec::new());
    for (name, check) in all {
        let decision = check(guard).unwrap_or_else(|failure| {
            Decision::Handoff(HandoffReason::GuardrailFailed(format!("{name}: {failure}")), None, Vec::new())
        });
        let (action, verdict, more) = match decision {
            Decision::Pass => continue,
            Decision::Note(more) => ("note", None, more),
            Decision::Silence(more) => ("silence", Some(Guarded::Silence((*name).to_owned())), more),
            Decision::Reply(text, more) => ("reply", Some(Guarded::Reply(text)), more),
            Decision::Handoff(reason, reply, more) => ("handoff", Some(Guarded::Handoff { reason, reply }), more),
        };
        records.push(GuardRecord { guardrail: (*name).to_owned(), action: action.to_owned() });
        effects.extend(more);
        if let Some(verdict) = verdict {
            return (verdict, records, effects);
        }
    }
    (Guarded::Pass, records, effects)
}

#[cfg(test)]
#[path = "guardrails_tests.rs"]
mod tests;

//! The scenario file format.

use std::fmt;

use jiff::civil::DateTime;
use serde::Deserialize;

/// A scenario.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    /// Its name in reports.
    pub(crate) id: String,
    /// The business: `NAME` of a file `NAME.yaml`.
    pub(crate) business: String,
    /// The agent profile.
    pub(crate) profile: String,
    /// The business's local time at the first turn.
    pub(crate) now: DateTime,
    /// Who writes.
    pub(crate) contact: Customer,
    /// What they write, in order.
    pub(crate) turns: Vec<TurnStep>,
    /// What must hold after all turns.
    #[serde(default)]
    pub(crate) expect: Expectation,
}

/// Who writes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Customer {
    /// Their phone; nothing for staff.
    #[serde(default)]
    pub(crate) phone: Option<String>,
    /// The e-mail address of somebody of staff, who asks a profile for staff.
    #[serde(default)]
    pub(crate) staff: Option<String>,
    /// The name that the channel gives, for a contact that is not known yet.
    #[serde(default)]
    pub(crate) name: Option<String>,
}

/// One turn of the customer.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TurnStep {
    /// The text; lines are a burst of several messages.
    pub(crate) customer: String,
    /// Time that passes before this turn, such as `2h`, `90m`, `1d`; one minute if not said (none before the first).
    #[serde(default)]
    pub(crate) wait: Option<String>,
    /// What must hold after this turn.
    #[serde(default)]
    pub(crate) expect: Expectation,
}

/// What must hold. All keys that are given must.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Expectation {
    /// The turn's outcome.
    pub(crate) outcome: Option<String>,
    /// Every one occurs in the reply; of a list inside the list, one.
    pub(crate) mentions: Vec<Mention>,
    /// None occurs in the reply.
    pub(crate) not_mentions: Vec<Mention>,
    /// Exactly these appointments of the contact start after `now`.
    pub(crate) appointments: Option<Vec<ExpectedAppointment>>,
    /// Tools that ran.
    pub(crate) tools_called: Vec<String>,
    /// Tools that did not run.
    pub(crate) tools_not_called: Vec<String>,
    /// Fields of the conversation.
    pub(crate) conversation: Option<ExpectedConversation>,
    /// Fields of the contact.
    pub(crate) contact: Option<ExpectedContact>,
    /// Internal notes.
    pub(crate) notes: Option<ExpectedNotes>,
    /// Messages sent to the customer in this turn.
    pub(crate) messages_out: Option<usize>,
    /// Nothing of anybody else changed.
    pub(crate) other_contacts_unchanged: Option<bool>,
}

/// One text, or one of several.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Mention {
    /// This one.
    One(String),
    /// One of these.
    OneOf(Vec<String>),
}

/// An appointment; fields that are not given are free.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ExpectedAppointment {
    /// Who is booked.
    pub(crate) professional: Option<String>,
    /// What is booked.
    pub(crate) service: Option<String>,
    /// The local start.
    pub(crate) starts: Option<DateTime>,
    /// Its status.
    pub(crate) status: Option<String>,
}

impl fmt::Display for ExpectedAppointment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_any = |text: &Option<String>| text.clone().unwrap_or_else(|| "any".to_owned());
        let starts = self.starts.map_or_else(|| "any time".to_owned(), |at| at.strftime("%Y-%m-%d %H:%M").to_string());
        write!(f, "{} with {} at {starts}", or_any(&self.service), or_any(&self.professional))?;
        self.status.as_ref().map_or(Ok(()), |status| write!(f, " ({status})"))
    }
}

/// A conversation; fields that are not given are free.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ExpectedConversation {
    /// `ai`, `waiting_human`, `human`, `closed`.
    pub(crate) state: Option<String>,
    /// Whether somebody is assigned, or who.
    pub(crate) assigned: Option<Assigned>,
}

/// Whether somebody is assigned, or who.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Assigned {
    /// Somebody, or nobody.
    Anybody(bool),
    /// This person.
    Named(String),
}

/// A contact; fields that are not given are free.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ExpectedContact {
    /// Their name.
    pub(crate) name: Option<String>,
    /// Their e-mail.
    pub(crate) email: Option<String>,
    /// Their tags, in any order.
    pub(crate) tags: Option<Vec<String>>,
    /// A stage that they are in.
    pub(crate) stage: Option<String>,
}

/// Internal notes: how many, or what one of them mentions.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum ExpectedNotes {
    /// So many.
    Count(usize),
    /// One of them mentions all of these.
    Facts(NoteFacts),
}

/// See [`ExpectedNotes`].
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct NoteFacts {
    /// So many.
    pub(crate) count: Option<usize>,
    /// One note mentions all of these.
    pub(crate) mentions: Vec<Mention>,
}

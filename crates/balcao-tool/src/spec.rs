//! A command as its pack defines it.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    Locale, canonical,
    effect::{Behaviour, Confirm},
    error::ErrorCode,
    text::Localised,
};

/// One callable tool. The JSON Schemas are the source of truth; handlers are checked against them.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandSpec {
    /// The tool's name as models see it: snake_case.
    pub name: String,
    /// The pack that defines it.
    pub pack: String,
    /// What it does and when to use it.
    pub description: Localised,
    /// JSON Schema 2020-12 of the arguments: a closed object.
    pub input_schema: Value,
    /// JSON Schema 2020-12 of a success or refusal.
    pub output_schema: Value,
    /// What it may change.
    pub behaviour: Behaviour,
    /// Who must agree first.
    pub confirm: Confirm,
    /// When a call is stopped.
    pub timeout: Duration,
    /// How long an effect of class `queryable` may take until it can be found again.
    pub settle: Duration,
    /// What the model should do next, per error code.
    pub on_error: BTreeMap<ErrorCode, Localised>,
    /// Never offered to a model.
    pub internal: bool,
    /// Arguments that must come from the conversation, by name: a model that makes one up is corrected.
    pub said: BTreeMap<String, SaidAs>,
    /// The professional that it is about, if no argument names one: the runtime finds out before a turn calls it.
    pub with: Option<With>,
    /// What it does to the customer's affairs. Where a command that changes something says nothing, they are asked first.
    pub act: Option<Act>,
}

/// What a call does to the customer's affairs, and so whose word it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Books an appointment: only on the customer's word.
    Book,
    /// Moves one: only on the customer's word.
    Move,
    /// Cancels one: only on the customer's word.
    Cancel,
    /// Puts them on a waiting list: only on the customer's word.
    Waitlist,
    /// Plans a reminder: only on the customer's word.
    Remind,
    /// Keeps what they said of themselves in their record: what the profile lets it keep.
    Record,
    /// Keeps a note of what they said of themselves: what the profile lets it keep.
    Note,
    /// Tags them by what they said of themselves: what the profile lets it keep.
    Tag,
    /// Moves them to a stage by what they said of themselves: what the profile lets it keep.
    Stage,
    /// Does nothing to their affairs, such as calling a person: needs no confirmation.
    Desk,
}

/// The professional that the calls of a conversation are about, if no argument names one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum With {
    /// Always one: without a professional no call runs.
    One,
    /// The professional that the customer names; any, while the customer names none.
    AskedFor,
}

/// How an argument that must come from the conversation is looked for in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SaidAs {
    /// A day that the customer named, or that we proposed.
    Day,
    /// A time of day that the customer named, or that we proposed.
    Time,
    /// A person or thing that the customer or we named, or that the customer left to us.
    Name,
    /// What the customer wrote of themselves, in their words.
    Words,
    /// The customer's own name, as they named themselves.
    OwnName,
    /// Minutes before something, an amount of time that the customer named or that we proposed.
    LeadTime,
    /// A part of the day, which the customer named or which we proposed.
    PartOfDay,
    /// A service that the customer or we named in full; else the customer is asked, and nothing is corrected.
    Service,
    /// A tag that the profile lets be kept, or a list of such, in the customer's words.
    Tag,
    /// A stage that the profile lets be kept, in the customer's words.
    Stage,
    /// Fields of the business's own, each one that the profile lets be kept, with values in the customer's words.
    Fields,
}

impl CommandSpec {
    /// Changes whenever anything that a model, an approval or a journal relies on changes.
    #[must_use]
    pub fn contract_hash(&self) -> String {
        canonical::hash(&json!({
            "name": self.name,
            "pack": self.pack,
            "description": self.description,
            "input": self.input_schema,
            "output": self.output_schema,
            "behaviour": self.behaviour,
            "confirm": self.confirm,
            "timeout_ms": u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX),
            "said": self.said,
            "act": self.act,
        }))
    }

    /// Limits an argument to certain values.
    pub(crate) fn limit(&mut self, argument: &str, values: Vec<Value>) -> Result<(), String> {
        let property = self.input_schema.pointer_mut(&format!("/properties/{argument}")).and_then(Value::as_object_mut);
        let Some(property) = property else { return Err(format!("`{}` has no argument `{argument}`", self.name)) };
        property.insert("enum".to_owned(), Value::Array(values));
        Ok(())
    }

    /// The guidance of this command for `code`, if it has any of its own.
    #[must_use]
    pub fn guidance(&self, code: ErrorCode, locale: Locale) -> Option<&str> {
        self.on_error.get(&code).map(|text| text.get(locale))
    }
}

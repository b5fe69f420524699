//! What a pack knows of the other side: shapes of fields and payloads, known mistakes, and how data is reshaped.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

/// A JSON Schema, or the name of one under `schemas`.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum SchemaRef {
    /// By name.
    Named(String),
    /// In place.
    Inline(Value),
}

/// Steps from one shape of data to another.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Processor {
    /// Its id.
    pub id: String,
    /// What it is for.
    #[serde(default)]
    pub summary: Option<String>,
    /// What it takes.
    #[serde(default)]
    pub input_schema: Option<SchemaRef>,
    /// What it gives.
    #[serde(default)]
    pub output_schema: Option<SchemaRef>,
    /// What it does, in order.
    pub steps: Vec<Step>,
}

/// One step of a processor: it takes the value and gives the next.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Step {
    /// A helper: called with the value and the context (`{input}`: what the processor began with).
    Helper(String),
    /// A built-in step: an object with one key.
    BuiltIn(BuiltIn),
}

/// A step that needs no code.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum BuiltIn {
    /// A helper, called with these expressions over the value; `$` is the value.
    Helper {
        /// Its id.
        id: String,
        /// The arguments.
        arguments: Vec<String>,
    },
    /// What an expression gives.
    Path(String),
    /// Fields, each set to what an expression over the value gives.
    Set(IndexMap<String, String>),
    /// Keeps these fields only.
    Pick(Vec<String>),
    /// Drops these fields.
    Omit(Vec<String>),
    /// Renames fields.
    Rename(IndexMap<String, String>),
    /// Tells the payload's format and gives `{format, payload}`; with `false`, the payload alone.
    Payload(bool),
    /// Another processor.
    Processor(String),
}

/// How the values of one type of field are shaped.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldMapping {
    /// What it looks like.
    pub structure: Value,
    /// What is sent to write it; absent if it is as read, or cannot be written.
    #[serde(default)]
    pub write: Option<Value>,
    /// It cannot be written.
    #[serde(default)]
    pub read_only: bool,
    /// The helper that reads it, as `helpers.<id>` or its id.
    #[serde(default)]
    pub extraction: Option<String>,
    /// What an empty one gives.
    #[serde(default)]
    pub empty: Value,
    /// One of them.
    pub example: Value,
    /// What the extraction gives for the example; checked by `pack test`.
    #[serde(default)]
    pub extracted: Option<Value>,
    /// What is worth knowing.
    #[serde(default)]
    pub notes: Option<String>,
}

impl FieldMapping {
    /// The id of the helper that reads it.
    #[must_use]
    pub fn helper(&self) -> Option<&str> {
        self.extraction.as_deref().map(|named| named.strip_prefix("helpers.").unwrap_or(named))
    }
}

/// One format of what the other side sends.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PayloadSchema {
    /// Whether it is this one: an expression over what came.
    pub detection: String,
    /// Where the data is: an expression over what came.
    pub path: String,
    /// What the data must look like.
    #[serde(default)]
    pub schema: Option<SchemaRef>,
    /// What is worth knowing.
    #[serde(default)]
    pub notes: Option<String>,
}

/// A known wrong use, with the right one.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AntiPattern {
    /// Its id.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// When it is met, in words.
    #[serde(default)]
    pub pattern: Option<String>,
    /// The wrong use: code or data.
    pub wrong: Value,
    /// The right one; this or `better`.
    #[serde(default)]
    pub correct: Option<Value>,
    /// What is better, where nothing is right.
    #[serde(default)]
    pub better: Option<Value>,
    /// Why.
    pub why: String,
    /// What the other side cannot do at all.
    #[serde(default)]
    pub limitation: Option<String>,
    /// The validator that finds it, as `validators.<id>` or its id.
    #[serde(default)]
    pub reference: Option<String>,
    /// The commands whose context includes this entry, beside those of the validator. Without both it concerns the pack as a whole.
    #[serde(default)]
    pub commands: Vec<String>,
}

impl AntiPattern {
    /// The id of the validator that finds it.
    #[must_use]
    pub fn validator(&self) -> Option<&str> {
        self.reference.as_deref().map(|named| named.strip_prefix("validators.").unwrap_or(named))
    }

    /// Whether it is about the pack as a whole, and not about certain commands.
    #[must_use]
    pub fn of_the_whole(&self) -> bool {
        self.reference.is_none() && self.commands.is_empty()
    }

    /// What should be done instead.
    #[must_use]
    pub fn instead(&self) -> Option<&Value> {
        self.correct.as_ref().or(self.better.as_ref())
    }
}

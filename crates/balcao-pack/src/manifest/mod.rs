//! `tool.yaml` as data. Its shape is fixed by `tool.schema.json`; what cannot be said in a schema is in [`crate::check`].

mod examples;
mod knowledge;
mod validators;

use std::{collections::BTreeMap, time::Duration};

pub use examples::{Arrange, ArrangedCall, EdgeCase, EdgeInput, Examples, FailureCase, Subject, SuccessCase};
pub use knowledge::{AntiPattern, BuiltIn, FieldMapping, PayloadSchema, Processor, SchemaRef, Step};
pub(crate) use validators::Verdict;
pub use validators::{
    AssigneeForm, Assignees, CheckKind, CheckSpec, EnumFrom, FieldIds, Fix, HelperCheck, HelperRead, Range, Reference,
    TaskIdForm, TaskIds, Validator,
};

use indexmap::IndexMap;

use balcao_sandbox::Language;
use balcao_tool::{
    Act, Behaviour, CommandSpec, Confirm, Effect, EffectClass, ErrorCode, Localised, SaidAs, With, limits,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The whole file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The pack.
    pub tool: Pack,
}

/// A pack.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pack {
    /// Its id, by which profiles name it.
    pub id: String,
    /// Where its commands run.
    #[serde(rename = "type")]
    pub kind: PackKind,
    /// Its name for people.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What it is for.
    pub description: Localised,
    /// JSON Schema of what an organization must set up; `secret: true` marks what is kept encrypted and never shown.
    #[serde(default)]
    pub settings: Option<Value>,
    /// How the other side is reached; its kind says what belongs here.
    #[serde(default)]
    pub connection: Option<Value>,
    /// Prose for search: texts, or files of the folder.
    #[serde(default)]
    pub knowledge_base: Vec<Knowledge>,
    /// Larger programs of the pack, by name: files that are carried along, found by search and never run by us.
    #[serde(default)]
    pub scripts: Vec<String>,
    /// Its commands.
    pub commands: Vec<Command>,
    /// JSON Schemas that others refer to by name.
    #[serde(default)]
    pub schemas: IndexMap<String, Value>,
    /// Chains of steps from one shape of data to another.
    #[serde(default)]
    pub processors: Vec<Processor>,
    /// Checks before a command runs.
    #[serde(default)]
    pub validators: Vec<Validator>,
    /// How the values of fields are shaped: per group and type.
    #[serde(default)]
    pub field_mappings: IndexMap<String, IndexMap<String, FieldMapping>>,
    /// Formats of the other side's deliveries, in the order in which detection tries them.
    #[serde(default)]
    pub payload_schemas: IndexMap<String, PayloadSchema>,
    /// Known wrong uses, with the right ones.
    #[serde(default)]
    pub anti_patterns: Vec<AntiPattern>,
    /// Functions that compute, for validators, processors and commands.
    #[serde(default)]
    pub helpers: Vec<Helper>,
    /// Examples, which are tests.
    #[serde(default)]
    pub examples: Examples,
}

/// Where a pack's commands run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PackKind {
    /// In this program.
    Native,
    /// Behind an HTTP API.
    Http,
    /// On an MCP server.
    Mcp,
    /// In helpers that call the pack's own commands.
    Script,
}

impl PackKind {
    /// The word in `type`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Http => "http",
            Self::Mcp => "mcp",
            Self::Script => "script",
        }
    }
}

/// Prose of a pack.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Knowledge {
    /// A title for people; the file's name without one.
    #[serde(default)]
    pub title: Option<String>,
    /// The text itself; this or `file`.
    #[serde(default)]
    pub text: Option<String>,
    /// The file of the folder that holds it.
    #[serde(default)]
    pub file: Option<String>,
}

/// Processors around a command.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Around {
    /// Over the arguments, before the command runs.
    pub before: Vec<String>,
    /// Over the result, before the output schema is checked.
    pub after: Vec<String>,
    /// Over that, if a model reads it: commands and checks of the pack get what `after` gave.
    pub for_model: Vec<String>,
}

/// A helper as written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Helper {
    /// Its id.
    pub id: String,
    /// What it is written in; not stated: JavaScript.
    #[serde(default = "javascript")]
    pub language: Language,
    /// Ids of the helpers that it uses.
    #[serde(default)]
    pub dependencies: Vec<String>,
    /// The code itself; this or `file`.
    #[serde(default)]
    pub function: Option<String>,
    /// The file that holds the code, from the pack's folder.
    #[serde(default)]
    pub file: Option<String>,
    /// How it is called, such as `resolveFieldId(name, fields)`. Its name is the function that is called.
    #[serde(default)]
    pub signature: Option<String>,
    /// What it is for, in a sentence.
    #[serde(default)]
    pub summary: Option<String>,
    /// What a model is shown of it.
    #[serde(default)]
    pub inject: Inject,
    /// Compiled when it is first needed; if not, as soon as a worker starts.
    #[serde(default = "yes")]
    pub lazy_load: bool,
}

/// What a model is shown of a helper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Inject {
    /// Its signature and summary.
    #[default]
    Signature,
    /// Its code.
    Source,
    /// Nothing.
    Never,
}

/// The command that undoes another one: its id, or an object that says where its arguments come from, too.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "Undone")]
pub struct UndoneBy {
    /// Its id.
    pub command: String,
    /// Its arguments: expressions over `{input, result}` of the call that is undone. Those that are not stated are found by their names.
    pub arguments: IndexMap<String, String>,
}

/// `undo` as it is written.
#[derive(Deserialize)]
#[serde(untagged)]
enum Undone {
    Id(String),
    With(UndoneWith),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UndoneWith {
    command: String,
    #[serde(default)]
    arguments: IndexMap<String, String>,
}

impl From<Undone> for UndoneBy {
    fn from(undone: Undone) -> Self {
        match undone {
            Undone::Id(command) => Self { command, arguments: IndexMap::new() },
            Undone::With(UndoneWith { command, arguments }) => Self { command, arguments },
        }
    }
}

const fn javascript() -> Language {
    Language::JavaScript
}

/// A command as written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// Its id: the tool's name, with `-` for `_` if the author prefers.
    pub id: String,
    /// What it does and when to use it.
    pub description: Localised,
    /// A word of the pack's own by which search tells its commands apart, such as `comments`; no part of the contract.
    #[serde(default)]
    pub category: Option<String>,
    /// Its contract is always in view, however many commands the pack has.
    #[serde(default)]
    pub core: bool,
    /// JSON Schema of the arguments.
    pub input_schema: Value,
    /// JSON Schema of a success or refusal.
    pub output_schema: Value,
    /// What it may change.
    pub effect: Effect,
    /// How that survives a crash; not stated: `read` for a read, else the worst case.
    #[serde(default)]
    pub effect_class: Option<EffectClass>,
    /// Calling it twice changes nothing more.
    #[serde(default)]
    pub idempotent: bool,
    /// What it does can be undone.
    #[serde(default)]
    pub reversible: bool,
    /// It reaches other systems; not stated: it does.
    #[serde(default = "yes")]
    pub open_world: bool,
    /// The person who must confirm. By default a read needs no confirmation, and any other command needs the customer's.
    #[serde(default)]
    pub confirm: Option<Confirm>,
    /// When a call is stopped.
    #[serde(default)]
    pub timeout_ms: Option<u64>,
    /// How long a `queryable` effect may take until it can be found again.
    #[serde(default)]
    pub settle_ms: Option<u64>,
    /// How it runs: the native handler's name, or what the pack's kind understands.
    pub handler: Value,
    /// Helpers that a model needs to know when it calls this.
    #[serde(default)]
    pub uses_helpers: Vec<String>,
    /// Validators beside those that name this command themselves.
    #[serde(default)]
    pub uses_validators: Vec<String>,
    /// Processors around it.
    #[serde(default)]
    pub uses_processors: Around,
    /// The command that undoes it.
    #[serde(default)]
    pub undo: Option<UndoneBy>,
    /// What the model should do next, per error code.
    #[serde(default)]
    pub on_error: BTreeMap<ErrorCode, Localised>,
    /// Never offered to a model.
    #[serde(default)]
    pub internal: bool,
    /// Arguments that must come from the conversation, by name.
    #[serde(default)]
    pub said: BTreeMap<String, SaidAs>,
    /// The professional of the booking, if no argument names one.
    #[serde(default)]
    pub with: Option<With>,
    /// What it does to the customer's affairs.
    #[serde(default)]
    pub act: Option<Act>,
    /// Examples that belong to it.
    #[serde(default)]
    pub example_refs: Vec<String>,
}

const fn yes() -> bool {
    true
}

impl Command {
    /// The definition that the tool layer works with.
    #[must_use]
    pub fn spec(&self, pack: &str) -> CommandSpec {
        let read = self.effect == Effect::Read;
        CommandSpec {
            name: self.id.replace('-', "_"),
            pack: pack.to_owned(),
            description: self.description.clone(),
            input_schema: self.input_schema.clone(),
            output_schema: self.output_schema.clone(),
            behaviour: Behaviour {
                effect: self.effect,
                class: self.effect_class.unwrap_or(if read { EffectClass::Read } else { EffectClass::Blind }),
                idempotent: self.idempotent || read,
                reversible: self.reversible,
                open_world: self.open_world,
            },
            confirm: self.confirm.unwrap_or(if read { Confirm::None } else { Confirm::Customer }),
            timeout: self.timeout_ms.map_or(limits::DEFAULT_TIMEOUT, Duration::from_millis),
            settle: self.settle_ms.map_or(limits::DEFAULT_SETTLE, Duration::from_millis),
            on_error: self.on_error.clone(),
            internal: self.internal,
            said: self.said.clone(),
            with: self.with,
            act: self.act,
        }
    }
}

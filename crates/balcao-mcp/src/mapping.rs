//! How a command becomes a call of a server's tool, and what is made of its answer.

use std::collections::BTreeMap;

use balcao_connector::{Outcome, Problem};
use balcao_pack::expression::Expression;
use balcao_tool::{ErrorCode, FieldProblem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::error::{CallError, FailureKind};

/// Levels of a text that is taken for JSON.
const MOST_LEVELS: usize = 64;

/// Longest part of what a server said that is kept for staff, in characters.
const MAX_DETAIL: usize = 500;

/// The handler of a command of type `mcp`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    /// The tool's name on the server.
    pub tool: String,
    /// Its arguments, as expressions over the command's; what gives `null` is left out. Without this they go as they are.
    #[serde(default)]
    pub arguments: Option<BTreeMap<String, String>>,
    /// Arguments of the command that this server does not take: a call with one of them is refused.
    #[serde(default)]
    pub without: Vec<String>,
    /// Arguments of the command that only the pack's checks look at: they are taken and not sent.
    #[serde(default)]
    pub only_checked: Vec<String>,
    /// The argument by which the server tells a repeated call from a second one.
    #[serde(default)]
    pub key: Option<String>,
    /// Where in the answer the result is, as a JSON pointer.
    #[serde(default)]
    pub at: Option<String>,
    /// The field under which a result that is a list stands: a command's result is an object.
    #[serde(default, rename = "as")]
    pub named: Option<String>,
    /// What the server's errors mean: the first whose words are in them, whatever their case, is the one. What is listed here was
    /// certainly not done.
    #[serde(default)]
    pub errors: Vec<Meaning>,
}

/// What an error of a server means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Meaning {
    /// Words that are in it.
    pub says: String,
    /// The tool layer's code, such as `not_found`.
    pub code: String,
}

/// A mapping that can be used.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) tool: String,
    arguments: Option<Vec<(String, Expression)>>,
    without: Vec<String>,
    key: Option<String>,
    at: String,
    named: Option<String>,
    errors: Vec<(String, ErrorCode)>,
}

impl Mapping {
    /// The JSON Schema, for editors and to be part of another schema.
    #[must_use]
    pub fn schema() -> Value {
        Problem::schema_of::<Self>()
    }

    /// Reads and checks a handler.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its place and what would be right.
    pub(crate) fn read(value: &Value) -> Result<Self, Vec<Problem>> {
        Problem::reading(value)
    }

    pub(crate) fn compile(&self, input_schema: &Value) -> Result<Call, Vec<Problem>> {
        let mut problems = Vec::new();
        if self.tool.trim().is_empty() {
            problems.push(Problem::new("/tool", "the tool of the server has no name"));
        }
        let at = self.at.clone().unwrap_or_default();
        if !at.is_empty() && !at.starts_with('/') {
            let found = Problem::new("/at", "a JSON pointer begins with `/`");
            problems.push(found.suggest(format!("write it as `/{at}`")));
        }
        let mut arguments = Vec::new();
        for (name, text) in self.arguments.iter().flatten() {
            match Expression::parse(text) {
                Ok(expression) => arguments.push((name.clone(), expression)),
                Err(error) => problems.push(Problem::new(format!("/arguments/{name}"), error.to_string())),
            }
        }
        problems.extend(self.forgotten(input_schema));
        let mut errors = Vec::new();
        for (place, meaning) in self.errors.iter().enumerate() {
            match serde_json::from_value::<ErrorCode>(Value::from(meaning.code.as_str())) {
                Ok(code) if !meaning.says.trim().is_empty() => errors.push((meaning.says.to_lowercase(), code)),
                Ok(_) => {
                    problems.push(Problem::new(format!("/errors/{place}/says"), "every error says nothing at all"))
                }
                Err(_unknown) => {
                    let message = format!("unknown code `{}`", meaning.code);
                    let known = ErrorCode::ALL.map(ErrorCode::as_str);
                    problems.push(Problem::new(format!("/errors/{place}/code"), message).nearest(&meaning.code, known));
                }
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let arguments = self.arguments.as_ref().map(|_| arguments);
        let (without, key, named) = (self.without.clone(), self.key.clone(), self.named.clone());
        Ok(Call { tool: self.tool.clone(), arguments, without, key, at, named, errors })
    }

    /// Arguments of the command that no expression mentions: they would be lost without a word.
    fn forgotten(&self, input_schema: &Value) -> Vec<Problem> {
        let Some(arguments) = &self.arguments else { return Vec::new() };
        let properties = input_schema.get("properties").and_then(Value::as_object);
        let mentioned = |name: &str| {
            let word = |c: char| !(c.is_alphanumeric() || c == '_' || c == '$');
            arguments.values().any(|text| text.split(word).any(|part| part == name || part == "$"))
        };
        let told = |name: &String| self.without.contains(name) || self.only_checked.contains(name);
        let lost = |name: &&String| !mentioned(name) && !told(name);
        properties
            .into_iter()
            .flat_map(Map::keys)
            .filter(lost)
            .map(|name| {
                let found = Problem::new("/arguments", format!("the argument `{name}` goes nowhere"));
                found.suggest(format!("map it, such as `{name}: {name}`, or list it under `without`"))
            })
            .collect()
    }
}

impl Call {
    /// What was given and this server does not take, each told.
    pub(crate) fn refused(&self, args: &Value) -> Vec<FieldProblem> {
        let given = |name: &&String| args.get(name.as_str()).is_some_and(|value| !value.is_null());
        let told = |name: &String| FieldProblem {
            pointer: format!("/{name}"),
            problem: "unknown_field".to_owned(),
            expected: "nothing here: this connection does not take it".to_owned(),
            ..FieldProblem::default()
        };
        self.without.iter().filter(given).map(told).collect()
    }

    /// What the tool gets.
    pub(crate) fn arguments(&self, args: &Value, key: &str) -> Result<Map<String, Value>, String> {
        let mut sent = match &self.arguments {
            None => args.as_object().cloned().unwrap_or_default(),
            Some(mapped) => {
                let mut sent = Map::new();
                for (name, expression) in mapped {
                    let value = expression.value(args).map_err(|error| format!("the argument `{name}`: {error}"))?;
                    if !value.is_null() {
                        sent.insert(name.clone(), value);
                    }
                }
                sent
            }
        };
        if let Some(argument) = &self.key {
            sent.insert(argument.clone(), key.into());
        }
        Ok(sent)
    }

    /// The command's result, of an object of the protocol's `CallToolResult`.
    pub(crate) fn result(&self, answer: &Value) -> Result<Value, CallError> {
        let text = texts(answer);
        if answer.get("isError").and_then(Value::as_bool).unwrap_or(false) {
            return Err(self.meaning(&text));
        }
        // Without structure, text that is an object or a list is taken for one; anything else stays a text.
        let read = || match balcao_json::read_within(text.as_bytes(), MOST_LEVELS, balcao_json::MOST_VALUES) {
            Ok(value) if value.is_object() || value.is_array() => value,
            Ok(_) | Err(_) => json!({ "text": text }),
        };
        let whole = match answer.get("structuredContent") {
            Some(structured) if self.at != WRAPPED && is_wrapped(structured, &text) => read(),
            Some(structured) => structured.clone(),
            None => read(),
        };
        let found = whole.pointer(&self.at).cloned().ok_or_else(|| {
            let detail = format!("there is nothing at `{}` of the answer", self.at);
            CallError::new(FailureKind::Unreadable, Outcome::Unknown, detail)
        })?;
        Ok(match &self.named {
            Some(name) if found.is_array() => json!({ name.as_str(): found }),
            Some(_) | None => found,
        })
    }

    fn meaning(&self, text: &str) -> CallError {
        let said = text.to_lowercase();
        let detail: String = text.chars().take(MAX_DETAIL).collect();
        match self.errors.iter().find(|(words, _)| said.contains(words)) {
            Some((_, code)) => CallError::unsent(FailureKind::Told(*code), detail),
            None => CallError::new(FailureKind::Failed, Outcome::Unknown, detail),
        }
    }
}

/// Where a server written with the protocol's Python SDK puts the text of a tool that gives a text.
const WRAPPED: &str = "/result";

/// Whether that is all the structure that there is: then the text is the answer.
fn is_wrapped(structured: &Value, text: &str) -> bool {
    let only = structured.as_object().filter(|fields| fields.len() == 1);
    only.and_then(|fields| fields.get("result")) == Some(&Value::from(text))
}

/// The texts of an answer, one below the other.
fn texts(answer: &Value) -> String {
    let blocks = answer.get("content").and_then(Value::as_array).into_iter().flatten();
    let texts = blocks.filter(|block| block.get("type").and_then(Value::as_str) == Some("text"));
    texts.filter_map(|block| block.get("text")?.as_str()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
#[path = "mapping_tests.rs"]
mod tests;

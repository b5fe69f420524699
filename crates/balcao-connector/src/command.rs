//! One request of a service as its author describes it, held against the arguments that it is made of.

mod check;

use std::collections::BTreeMap;

use reqwest::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    fields::check_header_name,
    lookup::Find,
    pagination::Pagination,
    problem::{self, Problem, escape},
    template::{Template, Text},
};

use check::{Check, Known};

/// How arguments become a request, and its answer a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HttpCommand {
    /// What is done.
    pub method: Verb,
    /// Behind the base: `/v2/list/{list_id}/task`. Each placeholder stays within its segment.
    pub path: String,
    /// The query: constants and placeholders. A list becomes a repeated name, an object its JSON; what is absent is left out.
    #[serde(default)]
    pub query: BTreeMap<String, Value>,
    /// Arguments that go into the query under their own names.
    #[serde(default)]
    pub query_fields: Vec<String>,
    /// Headers of this command.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The body: a JSON value with placeholders, which keep the types of their values.
    #[serde(default)]
    pub body: Option<Value>,
    /// Arguments that go into the body under their own names.
    #[serde(default)]
    pub body_fields: Vec<String>,
    /// How the body is written.
    #[serde(default)]
    pub encoding: Encoding,
    /// A POST that changes nothing, such as a search: a command whose effect is `read` says so of it. It is not sent by rehearsals and trial
    /// runs, for only its author knows.
    #[serde(default)]
    pub safe: bool,
    /// Doing it twice changes nothing more. Not stated: a GET or HEAD only.
    #[serde(default)]
    pub idempotent: Option<bool>,
    /// What of the answer is the result.
    #[serde(default)]
    pub response: Response,
    /// How further pages are asked for.
    #[serde(default)]
    pub pagination: Option<Pagination>,
    /// One request for each entry of a list.
    #[serde(default)]
    pub for_each: Option<ForEach>,
    /// How long a call may take; not stated: as the connection says.
    #[serde(default)]
    #[schemars(range(min = 100, max = 120_000))]
    pub timeout_ms: Option<u64>,
}

/// A method of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verb {
    /// Reads.
    Get,
    /// Reads the head.
    Head,
    /// Makes, or does.
    Post,
    /// Replaces.
    Put,
    /// Changes.
    Patch,
    /// Deletes.
    Delete,
}

impl Verb {
    pub(crate) const fn method(self) -> Method {
        match self {
            Self::Get => Method::GET,
            Self::Head => Method::HEAD,
            Self::Post => Method::POST,
            Self::Put => Method::PUT,
            Self::Patch => Method::PATCH,
            Self::Delete => Method::DELETE,
        }
    }

    /// Whether it changes nothing by its definition (RFC 9110 §9.2.1).
    pub(crate) const fn is_safe(self) -> bool {
        matches!(self, Self::Get | Self::Head)
    }
}

/// How a body is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    /// As JSON.
    #[default]
    Json,
    /// As a form.
    Form,
    /// In parts. A field that is an object with `base64` is a file, with `name` and `media_type`.
    Multipart,
}

/// What of an answer is the result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Response {
    /// JSON pointer to the part that matters; not stated: all of it.
    pub at: Option<String>,
    /// What is kept of the part, or of each of its entries: keys, or ways such as `status.status`. Not stated: all.
    pub keep: Vec<String>,
    /// Put the result under this key, so that a list becomes an object.
    #[serde(rename = "as")]
    pub under: Option<String>,
    /// The result where the answer has no body; not stated: an empty object.
    pub empty: Option<Map<String, Value>>,
    /// Any type of content that is not JSON is taken as a text, up to the limit of bytes.
    pub text: bool,
    /// Of a list, only the entries of this name.
    pub find: Option<Find>,
}

/// One request for each entry of a list, each with its own result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForEach {
    /// The argument that is the list. Its entry is `{item}`, a part of it `{item.name}`.
    pub argument: String,
    /// Most entries.
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 500))]
    pub at_most: usize,
    /// Requests side by side.
    #[serde(default = "four")]
    #[schemars(range(min = 1, max = 16))]
    pub parallel: usize,
    /// Fields of an entry that go into the body under their own names.
    #[serde(default)]
    pub body_fields: Vec<String>,
}

const fn fifty() -> usize {
    50
}
const fn four() -> usize {
    4
}

/// A command whose every part was checked, ready to be called.
#[derive(Debug, Clone)]
pub struct Operation {
    pub(crate) command: HttpCommand,
    pub(crate) path: Vec<Text>,
    pub(crate) query: Vec<(String, Template)>,
    pub(crate) headers: Vec<(String, Text)>,
    pub(crate) body: Option<Template>,
}

impl HttpCommand {
    /// The JSON Schema, for editors and to be part of another schema.
    #[must_use]
    pub fn schema() -> Value {
        problem::schema_of::<Self>()
    }

    /// Reads a command from YAML's or JSON's values. [`HttpCommand::compile`] looks at its placeholders.
    ///
    /// # Errors
    /// Everything that is wrong with its shape.
    pub fn read(value: &Value) -> Result<Self, Vec<Problem>> {
        problem::read(value)
    }

    /// Checks the command against the schema of its arguments, and makes it ready.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its place and what would be right.
    pub fn compile(&self, input_schema: &Value) -> Result<Operation, Vec<Problem>> {
        let mut check = Check { command: self, known: Known::from_schema(input_schema), problems: Vec::new() };
        let path = check.path();
        let mut query: Vec<(String, Template)> = Vec::new();
        for (name, value) in &self.query {
            let at = format!("/query/{}", escape(name));
            query.push((name.clone(), check.template(value, &at)));
        }
        for (index, name) in self.query_fields.iter().enumerate() {
            query.push((name.clone(), check.field(name, &format!("/query_fields/{index}"))));
        }
        let mut headers = Vec::new();
        for (name, value) in &self.headers {
            let at = format!("/headers/{}", escape(name));
            check_header_name(name, &at, &mut check.problems);
            headers.extend(check.text(value, &at).map(|text| (name.clone(), text)));
        }
        let body = check.body();
        check.rest();
        if check.problems.is_empty() {
            Ok(Operation { command: self.clone(), path, query, headers, body })
        } else {
            Err(check.problems)
        }
    }
}

impl Operation {
    /// Whether the request may be sent again after nothing came back.
    pub(crate) fn repeatable(&self) -> bool {
        self.command.idempotent.unwrap_or(self.command.method.is_safe())
    }

    /// The command that it was made of.
    #[must_use]
    pub fn command(&self) -> &HttpCommand {
        &self.command
    }
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;

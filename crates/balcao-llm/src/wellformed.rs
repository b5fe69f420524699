//! What every request must keep to, whoever builds it: the strictest rule of all vendors, so that any of them can be asked.
//!
//! The rules are [`Problem`]'s variants. The scripted provider refuses requests that break them; property tests use them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{
    message::{Message, ToolCallRequest},
    provider::{ModelRequest, ResponseFormat, ToolDefinition},
};

/// Longest name of a tool.
const MAX_NAME: usize = 64;

/// A rule that a request breaks. Positions count messages from 0.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// There must be something to answer.
    #[error("the transcript is empty")]
    NoMessages,
    /// The first message is a user's.
    #[error("the transcript does not begin with a user message")]
    FirstNotUser,
    /// The last message is a user's or a tool result: there must be something to answer.
    #[error("the last message is the assistant's own")]
    LastIsAssistant,
    /// Users and assistant take turns.
    #[error("message {at}: two {role} messages in a row")]
    SameRoleTwice {
        /// The second one's position.
        at: usize,
        /// `user` or `assistant`.
        role: &'static str,
    },
    /// No message is blank; an assistant's may have calls instead of text.
    #[error("message {at} is empty")]
    Empty {
        /// Its position.
        at: usize,
    },
    /// Every call has exactly one result, before anything else is said.
    #[error("message {at}: call {id} has no result")]
    CallWithoutResult {
        /// The position of the assistant's message.
        at: usize,
        /// The call's id.
        id: String,
    },
    /// A result answers a call of the assistant's message before it, once.
    #[error("message {at}: result for {id}, which waits for none")]
    ResultWithoutCall {
        /// The position of the result.
        at: usize,
        /// The id that it names.
        id: String,
    },
    /// Results stand in the order of their calls.
    #[error("message {at}: the result for {id} is out of order")]
    ResultOutOfOrder {
        /// The position of the result.
        at: usize,
        /// The id that it names.
        id: String,
    },
    /// A result names the tool that was called.
    #[error("message {at}: the result for {id} names another tool than the call")]
    ResultOfOtherTool {
        /// The position of the result.
        at: usize,
        /// The call's id.
        id: String,
    },
    /// A result is JSON text.
    #[error("message {at}: invalid result for {id}; expected JSON")]
    ResultNotJson {
        /// The position of the result.
        at: usize,
        /// The call's id.
        id: String,
    },
    /// Ids of calls are unique in a request.
    #[error("message {at}: call id {id} was used before")]
    DuplicateId {
        /// The position of the second call's message.
        at: usize,
        /// The id.
        id: String,
    },
    /// A call has an id and a name.
    #[error("message {at}: a call without id or name")]
    NamelessCall {
        /// Its position.
        at: usize,
    },
    /// Tools have distinct names.
    #[error("two tools are named {name}")]
    DuplicateTool {
        /// The name.
        name: String,
    },
    /// Names of tools are snake_case (letters, digits, `_`), 1 to 64 characters.
    #[error("invalid tool name {name:?}; expected 1 to {MAX_NAME} letters, digits and `_`")]
    ToolName {
        /// The name.
        name: String,
    },
    /// A tool's arguments are an object.
    #[error("the schema of {name} is not that of an object")]
    ToolSchema {
        /// The tool's name.
        name: String,
    },
    /// The schema of a JSON answer has a name (as for tools, or with `-`) and is an object.
    #[error("the answer's format has no name or no schema")]
    Format,
    /// The answer may have at least one token.
    #[error("no output is allowed")]
    NoOutput,
}

/// Every rule that `request` breaks, in the order of the request. Empty if it is well formed.
#[must_use]
pub fn check(request: &ModelRequest) -> Vec<Problem> {
    let mut problems = Vec::new();
    check_tools(&request.tools, &mut problems);
    if let ResponseFormat::Json { name, schema } = &request.format
        && !(is_name(&name.replace('-', "_")) && schema.is_object())
    {
        problems.push(Problem::Format);
    }
    if request.max_output_tokens == 0 {
        problems.push(Problem::NoOutput);
    }
    check_order(&request.messages, &mut problems);
    check_calls(&request.messages, &mut problems);
    problems
}

fn check_tools(tools: &[ToolDefinition], problems: &mut Vec<Problem>) {
    let mut names = BTreeSet::new();
    for tool in tools {
        let name = tool.name.clone();
        if !names.insert(&tool.name) {
            problems.push(Problem::DuplicateTool { name: name.clone() });
        }
        if !is_name(&name) {
            problems.push(Problem::ToolName { name: name.clone() });
        }
        if tool.input_schema.get("type").and_then(Value::as_str) != Some("object") {
            problems.push(Problem::ToolSchema { name });
        }
    }
}

fn is_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn check_order(messages: &[Message], problems: &mut Vec<Problem>) {
    match messages.first() {
        None => problems.push(Problem::NoMessages),
        Some(Message::User { .. }) => {}
        Some(Message::Assistant { .. } | Message::ToolResult { .. }) => problems.push(Problem::FirstNotUser),
    }
    if let Some(Message::Assistant { .. }) = messages.last() {
        problems.push(Problem::LastIsAssistant);
    }
    for (at, message) in messages.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| messages.get(at));
        let (empty, role) = match (message, before) {
            (Message::User { text }, Some(Message::User { .. })) => (text.trim().is_empty(), Some("user")),
            (Message::User { text }, _) => (text.trim().is_empty(), None),
            (Message::Assistant { text, tool_calls }, before) => {
                let twice = matches!(before, Some(Message::Assistant { .. }));
                (text.trim().is_empty() && tool_calls.is_empty(), twice.then_some("assistant"))
            }
            (Message::ToolResult { content, .. }, _) => (content.trim().is_empty(), None),
        };
        if let Some(role) = role {
            problems.push(Problem::SameRoleTwice { at, role });
        }
        if empty {
            problems.push(Problem::Empty { at });
        }
    }
}

/// Calls of the last assistant's message that still wait, in their order.
#[derive(Default)]
struct Waiting<'a> {
    at: usize,
    calls: Vec<&'a ToolCallRequest>,
}

fn check_calls(messages: &[Message], problems: &mut Vec<Problem>) {
    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    let mut waiting = Waiting::default();
    for (at, message) in messages.iter().enumerate() {
        match message {
            Message::ToolResult { call_id, name, content, .. } => {
                let id = call_id.clone();
                let Some(position) = waiting.calls.iter().position(|call| call.id == *call_id) else {
                    problems.push(Problem::ResultWithoutCall { at, id });
                    continue;
                };
                let call = waiting.calls.remove(position);
                if position != 0 {
                    problems.push(Problem::ResultOutOfOrder { at, id: id.clone() });
                }
                if call.name != *name {
                    problems.push(Problem::ResultOfOtherTool { at, id: id.clone() });
                }
                if !content.trim().is_empty() && serde_json::from_str::<serde::de::IgnoredAny>(content).is_err() {
                    problems.push(Problem::ResultNotJson { at, id });
                }
            }
            Message::User { .. } => give_up(&mut waiting, problems),
            Message::Assistant { tool_calls, .. } => {
                give_up(&mut waiting, problems);
                waiting.at = at;
                for call in tool_calls {
                    if call.id.is_empty() || call.name.is_empty() {
                        problems.push(Problem::NamelessCall { at });
                    }
                    if used.insert(&call.id, at).is_some() {
                        problems.push(Problem::DuplicateId { at, id: call.id.clone() });
                    }
                    waiting.calls.push(call);
                }
            }
        }
    }
    give_up(&mut waiting, problems);
}

fn give_up(waiting: &mut Waiting<'_>, problems: &mut Vec<Problem>) {
    let at = waiting.at;
    problems.extend(waiting.calls.drain(..).map(|call| Problem::CallWithoutResult { at, id: call.id.clone() }));
}

#[cfg(test)]
#[path = "wellformed_tests.rs"]
mod tests;

//! A command over HTTP as a tool.

use std::sync::Arc;

use async_trait::async_trait;
use balcao_tool::{
    ErrorCode, FieldProblem, Found, Internal, ModelText, Preview, ToolContext, ToolError, ToolHandler, ToolOutput,
    ToolResult,
};
use serde_json::{Map, Value};

use crate::{
    account::Account,
    command::Operation,
    error::{CallError, FailureKind, Outcome},
};

/// A command of a pack whose kind is `http`.
#[derive(Debug)]
pub struct HttpTool {
    account: Arc<Account>,
    operation: Operation,
    input_schema: Value,
    keyed: bool,
}

impl HttpTool {
    /// A command of that account. `input_schema` is the one that the operation was compiled against. `keyed`: the service tells a repeat
    /// of this command by its key, so the key is sent and a call that got no answer is sent again; otherwise neither, whatever header
    /// the connection names.
    #[must_use]
    pub fn new(account: Arc<Account>, operation: Operation, input_schema: Value, keyed: bool) -> Self {
        Self { account, operation, input_schema, keyed }
    }
}

#[async_trait]
impl ToolHandler for HttpTool {
    async fn call(&self, cx: &ToolContext, args: Value) -> ToolResult<ToolOutput> {
        let key = self.keyed.then_some(cx.key.as_str());
        let called = self.account.call(&self.operation, &object(args), key).await;
        let output = |value: Value| {
            // For an unknown name, "no" is the correct answer.
            let missed = self.operation.command.response.find.is_some()
                && value.get("found") == Some(&Value::Bool(false))
                && value.get("more").is_none();
            if missed { ToolOutput::refusal(value) } else { ToolOutput::success(value) }
        };
        match called {
            // Of a list, one entry that nobody knows of is enough: a person has to look.
            Ok(value) if self.operation.command.for_each.is_some() && any_uncertain(&value) => {
                let told = "some entries may have been done or not; `results` says which";
                Err(Box::new(ToolError::new(ErrorCode::Timeout, told).detail("results", value).uncertain()))
            }
            // Of a list of which nothing was done nobody may say that something was.
            Ok(value) if self.operation.command.for_each.is_some() && none_done(&value) => {
                let told = "none of the entries was done; `results` says why";
                Err(Box::new(ToolError::new(first_code(&value), told).detail("results", value)))
            }
            called => called.map(output).map_err(|error| Box::new(tool_error(&error))),
        }
    }

    async fn preview(&self, _cx: &ToolContext, args: Value) -> ToolResult<Preview> {
        let planned =
            self.account.plan(&self.operation, &object(args)).map_err(|error| Box::new(tool_error(&error)))?;
        let lines: Vec<String> = planned.iter().map(|request| request.describe().to_string()).collect();
        Ok(Preview::Ask(lines.join("\n")))
    }

    async fn find(&self, _cx: &ToolContext, _args: Value) -> ToolResult<Found> {
        let note = Internal::note(
            "an HTTP command cannot look up what became of an earlier attempt; declare it keyed or blind",
        );
        Err(ToolError::new(ErrorCode::Internal, "it is not known whether this was done").internal(note).into())
    }

    fn confirmable(&self) -> bool {
        true
    }

    fn is_safe(&self) -> bool {
        self.operation.command.method.is_safe()
    }

    fn repeats(&self) -> bool {
        true
    }

    fn args_schema(&self) -> Value {
        self.input_schema.clone()
    }
}

fn any_uncertain(summary: &Value) -> bool {
    let entries = summary.get("results").and_then(Value::as_array);
    entries.into_iter().flatten().any(|entry| entry.get("uncertain") == Some(&Value::Bool(true)))
}

/// Whether there were entries, and all that were sent failed.
fn none_done(summary: &Value) -> bool {
    let count = |name: &str| summary.get(name).and_then(Value::as_u64).unwrap_or_default();
    count("done") == 0 && count("failed") > 0
}

/// The code of the first entry that failed.
fn first_code(summary: &Value) -> ErrorCode {
    let mut entries = summary.get("results").and_then(Value::as_array).into_iter().flatten();
    let kind = entries.find_map(|entry| serde_json::from_value(entry.get("kind")?.clone()).ok());
    kind.map_or(ErrorCode::Internal, code_of)
}

fn object(args: Value) -> Map<String, Value> {
    match args {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    }
}

const fn code_of(kind: FailureKind) -> ErrorCode {
    match kind {
        FailureKind::Invalid => ErrorCode::InvalidArguments,
        FailureKind::NotFound => ErrorCode::NotFound,
        FailureKind::Conflict => ErrorCode::Conflict,
        FailureKind::Forbidden => ErrorCode::Forbidden,
        FailureKind::RateLimited => ErrorCode::RateLimited,
        FailureKind::Timeout => ErrorCode::Timeout,
        FailureKind::Unavailable => ErrorCode::Unavailable,
        // The model can do nothing about either, and must not try.
        FailureKind::Unauthorized | FailureKind::Unreadable => ErrorCode::Internal,
    }
}

/// A failure for the tool layer: our words for the model, the service's for staff.
fn tool_error(error: &CallError) -> ToolError {
    let code = code_of(error.kind);
    let mut told = ToolError::new(code, ModelText::new(error.for_model())).internal(Internal::note(error.for_staff()));
    if let Some(service_code) = &error.code {
        told = told.detail("service_code", service_code.clone());
    }
    if let Some(wait) = error.retry_after {
        told = told.detail("retry_after_s", wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0)));
    }
    told.fields = error
        .problems
        .iter()
        .map(|problem| FieldProblem {
            pointer: problem.pointer.clone(),
            problem: problem.message.clone(),
            expected: problem.suggestion.clone().unwrap_or_else(|| "a value that makes a request".to_owned()),
            ..FieldProblem::default()
        })
        .collect();
    if error.outcome == Outcome::Unknown { told.uncertain() } else { told }
}

//! Commands that are helpers of the pack: `handler: {helper: id}`. They compute, and touch nothing.

use std::sync::Arc;

use async_trait::async_trait;
use balcao_sandbox::{Call, HelperError, Sandbox};
use balcao_tool::{
    Effect, ErrorCode, Found, Internal, Preview, ToolContext, ToolError, ToolHandler, ToolOutput, ToolResult,
};
use balcao_yaml::nearest;
use serde_json::Value;

use super::{Finding, Kind, PackParts};
use crate::manifest::{Command, Pack};

/// Runs commands in the pack's own helpers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Script;

impl Kind for Script {
    fn check(&self, pack: &Pack) -> Vec<Finding> {
        let what = "a pack of type `script` reaches nothing, and has no `connection`";
        let found = pack.connection.is_some().then(|| Finding::new("/connection", what).suggest("remove it"));
        found.into_iter().collect()
    }

    fn handler(&self, parts: PackParts<'_>, command: &Command) -> Result<Arc<dyn ToolHandler>, Vec<Finding>> {
        let helpers = || parts.pack.helpers.iter().map(|helper| helper.id.as_str());
        let Some(id) = command.handler.get("helper").and_then(Value::as_str) else {
            let finding = Finding::new("/handler", "a command of a script pack names its helper");
            return Err(vec![finding.suggest("write `handler: {helper: <id>}`")]);
        };
        let mut findings = Vec::new();
        if !helpers().any(|known| known == id) {
            let finding = Finding::new("/handler/helper", format!("unknown helper `{id}`"));
            findings.push(match nearest(id, helpers()) {
                Some(near) => finding.suggest(format!("did you mean `{near}`?")),
                None => finding,
            });
        }
        if command.effect != Effect::Read {
            let finding = Finding::new("/effect", "a helper computes and changes nothing");
            findings.push(finding.suggest("write `effect: read`"));
        }
        if !findings.is_empty() {
            return Err(findings);
        }
        let handler = Helped {
            helper: id.to_owned(),
            schema: command.input_schema.clone(),
            sandbox: parts.sandbox.map(Arc::clone),
        };
        Ok(Arc::new(handler))
    }

    fn computes(&self) -> bool {
        true
    }
}

struct Helped {
    helper: String,
    schema: Value,
    sandbox: Option<Arc<Sandbox>>,
}

#[async_trait]
impl ToolHandler for Helped {
    async fn call(&self, cx: &ToolContext, args: Value) -> ToolResult<ToolOutput> {
        let arguments = [args];
        let call = Call { now_ms: cx.now.timestamp().as_millisecond(), ..Call::new(&self.helper, &arguments) };
        let answer = run(self.sandbox.as_deref(), &call).await.map_err(|error| failed(&error))?;
        Ok(ToolOutput::success(answer))
    }

    async fn preview(&self, _cx: &ToolContext, _args: Value) -> ToolResult<Preview> {
        Err(ToolError::new(ErrorCode::Internal, "this command cannot be confirmed").into())
    }

    async fn find(&self, _cx: &ToolContext, _args: Value) -> ToolResult<Found> {
        Ok(Found::Absent)
    }

    fn confirmable(&self) -> bool {
        false
    }

    fn args_schema(&self) -> Value {
        self.schema.clone()
    }
}

/// Why a helper gave no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    /// The loader gave the pack no sandbox for its helpers.
    #[error("helper `{0}` was called, and this pack was loaded without a sandbox")]
    NoSandbox(String),
    /// It failed.
    #[error(transparent)]
    Helper(#[from] HelperError),
}

/// Runs a helper where helpers run.
pub(crate) async fn run(sandbox: Option<&Sandbox>, call: &Call<'_>) -> Result<Value, RunError> {
    let Some(sandbox) = sandbox else { return Err(RunError::NoSandbox(call.helper.to_owned())) };
    Ok(sandbox.call(call).await?)
}

/// What the model learns of it: the helper's own words, if it is the helper's fault.
pub(crate) fn failed(error: &RunError) -> ToolError {
    let words = match error {
        RunError::Helper(error) if error.is_the_helpers() => error.for_model(),
        RunError::Helper(_) | RunError::NoSandbox(_) => "the tool failed".to_owned(),
    };
    let words = balcao_tool::ModelText::new(words);
    ToolError::new(ErrorCode::Internal, words).internal(Internal::from_error(error))
}

//! The handler of a pack's command: checks that read come before it, processors around it.
//!
//! What the engine calls is this; what runs is the kind's handler, and only with arguments that every check let pass.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use balcao_sandbox::Sandbox;
use balcao_tool::{
    ErrorCode, Found, Internal, Preview, ToolContext, ToolError, ToolHandler, ToolOutput, ToolResult, validate::Schema,
};
use serde_json::Value;
use tokio::time::timeout;

use crate::{
    process::Processors,
    validate::{CheckContext, Lookup, argument_checks::Shared},
};

/// A handler behind its checks.
#[derive(Clone)]
pub(crate) struct Guarded {
    pub(crate) inner: Arc<dyn ToolHandler>,
    pub(crate) admission: Option<Shared>,
    pub(crate) input: Schema,
    pub(crate) lookup: Arc<dyn Lookup>,
    pub(crate) sandbox: Option<Arc<Sandbox>>,
    pub(crate) processors: Arc<Processors>,
    pub(crate) before: Vec<String>,
    pub(crate) after: Vec<String>,
    /// How long the checks may take: a part of the call's time, so that a call whose checks hang is known not to have run.
    pub(crate) patience: Duration,
}

impl Guarded {
    /// The arguments that the handler gets, and what was mended in those that came.
    async fn admitted(&self, cx: &ToolContext, args: Value) -> ToolResult<(Value, Vec<String>)> {
        let Some(admission) = self.admission.as_ref().filter(|admission| admission.reads()) else {
            return Ok((args, Vec::new()));
        };
        let world = CheckContext { cx, lookup: self.lookup.as_ref(), sandbox: self.sandbox.as_deref() };
        match timeout(self.patience, admission.admit(world, &self.input, args)).await {
            Ok(admitted) => {
                let checked = admitted.map_err(Box::<ToolError>::from)?;
                Ok((checked.args, checked.mended))
            }
            Err(_elapsed) => {
                let note = Internal::note(format!("the checks took longer than {} ms", self.patience.as_millis()));
                let words = "the checks before the call took too long; nothing has been done";
                Err(ToolError::new(ErrorCode::Timeout, words).internal(note).into())
            }
        }
    }

    async fn prepared(&self, cx: &ToolContext, args: Value) -> ToolResult<Value> {
        self.run(&self.before, cx, args).await
    }

    async fn run(&self, ids: &[String], cx: &ToolContext, value: Value) -> ToolResult<Value> {
        let now_ms = cx.helpers_now();
        let mut value = value;
        for id in ids {
            let sandbox = self.sandbox.as_deref();
            value = self.processors.run(id, value, sandbox, now_ms).await.map_err(|error| {
                let words = "what the other side answered could not be read";
                ToolError::new(ErrorCode::Internal, words).internal(Internal::from_error(&error))
            })?;
        }
        Ok(value)
    }

    /// What came back, reshaped. The call has run: what fails from here on leaves it done.
    async fn finished(&self, cx: &ToolContext, output: ToolOutput, mended: Vec<String>) -> ToolResult<ToolOutput> {
        let ToolOutput { value, refused, .. } = output;
        // The effect may well have happened: only its answer could not be read.
        let reshaped = if refused { Ok(value) } else { self.run(&self.after, cx, value).await };
        let value = reshaped.map_err(|error| Box::new(error.uncertain()))?;
        Ok(ToolOutput { value, mended, ..output })
    }
}

#[async_trait]
impl ToolHandler for Guarded {
    async fn call(&self, cx: &ToolContext, args: Value) -> ToolResult<ToolOutput> {
        let (args, mended) = self.admitted(cx, args).await?;
        let args = self.prepared(cx, args).await?;
        let output = self.inner.call(cx, args).await?;
        self.finished(cx, output, mended).await
    }

    async fn preview(&self, cx: &ToolContext, args: Value) -> ToolResult<Preview> {
        let (args, _mended) = self.admitted(cx, args).await?;
        let args = self.prepared(cx, args).await?;
        self.inner.preview(cx, args).await
    }

    async fn find(&self, cx: &ToolContext, args: Value) -> ToolResult<Found> {
        // The earlier attempt was admitted with these arguments. What has changed since does not make it undone.
        let (args, mended) = match self.admitted(cx, args.clone()).await {
            Ok(admitted) => admitted,
            Err(_changed) => (args, Vec::new()),
        };
        let args = self.prepared(cx, args).await?;
        match self.inner.find(cx, args).await? {
            Found::There(output) => Ok(Found::There(self.finished(cx, output, mended).await?)),
            Found::Absent => Ok(Found::Absent),
        }
    }

    fn confirmable(&self) -> bool {
        self.inner.confirmable()
    }

    fn is_safe(&self) -> bool {
        self.inner.is_safe()
    }

    fn repeats(&self) -> bool {
        self.inner.repeats()
    }

    fn args_schema(&self) -> Value {
        self.inner.args_schema()
    }

    fn mending(&self) -> Option<Arc<dyn ToolHandler>> {
        let admission = Arc::new(self.admission.as_ref()?.mended_where_known()?);
        Some(Arc::new(Self { admission: Some(admission), ..self.clone() }))
    }

    fn calls(&self, args: &Value) -> Vec<String> {
        self.inner.calls(args)
    }
}

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
    manifest::Around,
    process::{ProcessContext, ProcessError, Processors},
    validate::{CheckContext, Lookup, argument_checks::Shared},
};

/// Who reads the results of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResultAudience {
    /// A model.
    Model,
    /// Commands and checks of the pack itself.
    Pack,
}

/// A handler behind its checks.
#[derive(Clone)]
pub(crate) struct Guarded {
    pub(crate) inner: Arc<dyn ToolHandler>,
    pub(crate) admission: Option<Shared>,
    pub(crate) input: Schema,
    pub(crate) lookup: Arc<dyn Lookup>,
    pub(crate) sandbox: Option<Arc<Sandbox>>,
    pub(crate) processors: Arc<Processors>,
    pub(crate) around: Around,
    pub(crate) audience: ResultAudience,
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
        let context = self.context(cx, None);
        self.processors.run_all(&self.around.before, args, context).await.map_err(|error| {
            let words = "the arguments could not be prepared; nothing has been done";
            ToolError::new(ErrorCode::Internal, words).internal(Internal::from_error(&error)).into()
        })
    }

    fn context<'a>(&'a self, cx: &ToolContext, arguments: Option<&'a Value>) -> ProcessContext<'a> {
        ProcessContext { sandbox: self.sandbox.as_deref(), now_ms: cx.helpers_now(), arguments }
    }

    /// What came back, reshaped. The call has run: what fails from here on leaves it done. A model then reads the result as it came, with
    /// a warning; commands and checks of the pack, which rely on its shape, get an error.
    async fn finished(
        &self,
        cx: &ToolContext,
        args: &Value,
        output: ToolOutput,
        mended: Vec<String>,
    ) -> ToolResult<ToolOutput> {
        let output = ToolOutput { mended, ..output };
        if output.refused {
            return Ok(output);
        }
        let context = self.context(cx, Some(args));
        let after = self.processors.run_all(&self.around.after, output.value.clone(), context).await;
        match (after, self.audience) {
            (Ok(value), ResultAudience::Pack) => Ok(ToolOutput { value, ..output }),
            (Ok(value), ResultAudience::Model) => {
                let shown = self.processors.run_all(&self.around.for_model, value.clone(), context).await;
                Ok(match shown {
                    Ok(value) => ToolOutput { value, ..output },
                    Err(error) => ToolOutput { value, ..unprocessed(output, &error) },
                })
            }
            (Err(error), ResultAudience::Model) => Ok(unprocessed(output, &error)),
            (Err(error), ResultAudience::Pack) => {
                // The effect may well have happened: only its answer could not be read.
                let words = "what the other side answered could not be read";
                let told = ToolError::new(ErrorCode::Internal, words).internal(Internal::from_error(&error));
                Err(Box::new(told.uncertain()))
            }
        }
    }
}

/// The result as it came, with the reason for staff.
fn unprocessed(output: ToolOutput, error: &ProcessError) -> ToolOutput {
    ToolOutput { unprocessed: Some(Internal::from_error(error)), ..output }
}

#[async_trait]
impl ToolHandler for Guarded {
    async fn call(&self, cx: &ToolContext, args: Value) -> ToolResult<ToolOutput> {
        let (args, mended) = self.admitted(cx, args).await?;
        let prepared = self.prepared(cx, args.clone()).await?;
        let output = self.inner.call(cx, prepared).await?;
        self.finished(cx, &args, output, mended).await
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
        let prepared = self.prepared(cx, args.clone()).await?;
        match self.inner.find(cx, prepared).await? {
            Found::There(output) => Ok(Found::There(self.finished(cx, &args, output, mended).await?)),
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

//! The code behind a command.

use std::{marker::PhantomData, sync::Arc};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    context::ToolContext,
    error::{ErrorCode, Internal, ToolError, ToolResult},
    outcome::ToolOutput,
};

/// What would happen if a call ran now.
#[derive(Debug, Clone, PartialEq)]
pub enum Preview {
    /// It may run; this one sentence asks the customer whether it should.
    Ask(String),
    /// It would be refused: this is the answer, and no confirmation is needed.
    Refused(ToolOutput),
}

/// What a look-up of an earlier attempt found.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// It had happened: this is its answer.
    There(ToolOutput),
    /// It had not, for certain.
    Absent,
}

/// A command's code, erased. Implement [`NativeTool`] instead and [`erase`] it.
#[async_trait]
pub trait ToolHandler: Send + Sync {
    /// Runs the command. The arguments satisfy the input schema.
    ///
    /// # Errors
    /// [`ToolError`] for everything that is neither a success nor a correct "no".
    async fn call(&self, cx: &ToolContext, args: Value) -> ToolResult<ToolOutput>;

    /// Says what [`Self::call`] would do, without doing it. Called only for commands that need a confirmation.
    ///
    /// # Errors
    /// As [`Self::call`].
    async fn preview(&self, cx: &ToolContext, args: Value) -> ToolResult<Preview>;

    /// Looks for the effect of an earlier attempt under the same key. Only asked of commands of class `queryable`.
    ///
    /// # Errors
    /// [`ToolError`] if that is not known.
    async fn find(&self, cx: &ToolContext, args: Value) -> ToolResult<Found>;

    /// Whether [`Self::preview`] does more than fail.
    fn confirmable(&self) -> bool;

    /// JSON Schema of the Rust arguments, to be held against the command's input schema when a pack is loaded.
    fn args_schema(&self) -> Value;

    /// Whether a call changes nothing at the other side, judged by what is sent and not by what a pack says of it. Rehearsals and trial runs
    /// send nothing else. Yes, if not given: what a command in Rust does is its own.
    fn is_safe(&self) -> bool {
        true
    }

    /// Whether it takes up calls of unknown outcome by itself, as often as its pack says: then no caller does.
    fn repeats(&self) -> bool {
        false
    }

    /// The same command, for a profile that lets arguments be mended; `None` if that makes no difference to it.
    fn mending(&self) -> Option<Arc<dyn ToolHandler>> {
        None
    }

    /// The other tools that a call with these arguments may call, by name. If one of them needs a confirmation, this call needs it,
    /// and it does not run while one of them is withdrawn. No I/O. None, if not given.
    fn calls(&self, args: &Value) -> Vec<String> {
        let _unused = args;
        Vec::new()
    }
}

/// A command in Rust: parses, calls one use case, shapes the answer.
#[async_trait]
pub trait NativeTool: Send + Sync + 'static {
    /// The arguments. `#[serde(deny_unknown_fields)]`, fields named as in the input schema.
    type Args: DeserializeOwned + JsonSchema + Send + 'static;

    /// Whether the command has a [`Self::preview`], so that a confirmation can be requested before it runs.
    const CONFIRMABLE: bool = false;

    /// Runs the command.
    ///
    /// # Errors
    /// [`ToolError`] for everything that is neither a success nor a correct "no".
    async fn call(&self, cx: &ToolContext, args: Self::Args) -> ToolResult<ToolOutput>;

    /// The question that must be agreed to before the command runs. Commands without confirmation keep the default.
    ///
    /// # Errors
    /// As [`Self::call`].
    async fn preview(&self, _cx: &ToolContext, _args: Self::Args) -> ToolResult<Preview> {
        let note = Internal::note("the command demands confirmation, but its handler has no preview");
        Err(ToolError::new(ErrorCode::Internal, "this command cannot be confirmed").internal(note).into())
    }

    /// Looks for the effect of an earlier attempt by the marker that it wrote. Commands of other classes than `queryable`
    /// keep the default.
    ///
    /// # Errors
    /// [`ToolError`] if that is not known.
    async fn find(&self, _cx: &ToolContext, _args: Self::Args) -> ToolResult<Found> {
        let note = Internal::note("the command is declared queryable, but its handler cannot look its effect up");
        Err(ToolError::new(ErrorCode::Internal, "it is not known whether this was done").internal(note).into())
    }
}

/// Wraps a [`NativeTool`] so that a registry can hold it.
pub fn erase<T: NativeTool>(tool: T) -> Arc<dyn ToolHandler> {
    Arc::new(Erased { tool, args: PhantomData })
}

struct Erased<T: NativeTool> {
    tool: T,
    args: PhantomData<fn() -> T::Args>,
}

#[async_trait]
impl<T: NativeTool> ToolHandler for Erased<T> {
    async fn call(&self, cx: &ToolContext, args: Value) -> ToolResult<ToolOutput> {
        self.tool.call(cx, typed::<T::Args>(args)?).await
    }

    async fn preview(&self, cx: &ToolContext, args: Value) -> ToolResult<Preview> {
        self.tool.preview(cx, typed::<T::Args>(args)?).await
    }

    async fn find(&self, cx: &ToolContext, args: Value) -> ToolResult<Found> {
        self.tool.find(cx, typed::<T::Args>(args)?).await
    }

    fn confirmable(&self) -> bool {
        T::CONFIRMABLE
    }

    fn args_schema(&self) -> Value {
        schemars::schema_for!(T::Args).to_value()
    }
}

/// The schema was satisfied, so a failure here is our defect: schema and struct disagree.
fn typed<A: DeserializeOwned>(args: Value) -> ToolResult<A> {
    serde_json::from_value(args).map_err(|error| ToolError::from_source(ErrorCode::Internal, &error).into())
}

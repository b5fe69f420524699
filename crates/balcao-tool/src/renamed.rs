//! A command under another name: for profiles whose packs have commands of the same name.
//!
//! The pack, the command and the contract stay what they are: approvals and acceptances hold on. Only the name that models use changes,
//! also where the command speaks of others of its pack.

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use serde_json::Value;

use crate::{
    ToolContext, ToolResult,
    handler::{Found, Preview, ToolHandler},
    outcome::ToolOutput,
    registry::Tool,
};

/// The names of a pack's commands that models know by another name: from the name in the pack to the one that is exposed.
pub type ExposedNames = BTreeMap<String, String>;

impl Tool {
    /// The same command as one of a pack whose commands have these exposed names; its own name stays if it is not among them.
    ///
    /// # Errors
    /// If a schema does not compile; it did for the command itself.
    pub fn renamed(&self, names: &Arc<ExposedNames>) -> Result<Self, String> {
        let mut spec = self.spec.clone();
        if let Some(name) = names.get(&spec.name) {
            spec.name.clone_from(name);
        }
        let handler = Arc::new(Renamed { inner: Arc::clone(&self.handler), names: Arc::clone(names) });
        let mut renamed = Self::new(spec, handler)?;
        renamed.input = self.input.clone();
        renamed.output = self.output.clone();
        renamed.contract_hash.clone_from(&self.contract_hash);
        renamed.command.clone_from(&self.command);
        renamed.check.clone_from(&self.check);
        Ok(renamed)
    }
}

/// A handler that speaks of other commands by their exposed names.
struct Renamed {
    inner: Arc<dyn ToolHandler>,
    names: Arc<ExposedNames>,
}

impl Renamed {
    fn rename_undo(&self, mut output: ToolOutput) -> ToolOutput {
        let undo = output.undo.as_mut().and_then(|undo| undo.get_mut("tool"));
        if let Some(tool) = undo
            && let Some(name) = tool.as_str().and_then(|tool| self.names.get(tool))
        {
            *tool = Value::from(name.as_str());
        }
        output
    }
}

#[async_trait]
impl ToolHandler for Renamed {
    async fn call(&self, cx: &ToolContext, args: Value) -> ToolResult<ToolOutput> {
        Ok(self.rename_undo(self.inner.call(cx, args).await?))
    }

    async fn preview(&self, cx: &ToolContext, args: Value) -> ToolResult<Preview> {
        self.inner.preview(cx, args).await
    }

    async fn find(&self, cx: &ToolContext, args: Value) -> ToolResult<Found> {
        Ok(match self.inner.find(cx, args).await? {
            Found::There(output) => Found::There(self.rename_undo(output)),
            Found::Absent => Found::Absent,
        })
    }

    fn confirmable(&self) -> bool {
        self.inner.confirmable()
    }

    fn args_schema(&self) -> Value {
        self.inner.args_schema()
    }

    fn is_safe(&self) -> bool {
        self.inner.is_safe()
    }

    fn repeats(&self) -> bool {
        self.inner.repeats()
    }

    fn mending(&self) -> Option<Arc<dyn ToolHandler>> {
        Some(Arc::new(Self { inner: self.inner.mending()?, names: Arc::clone(&self.names) }))
    }

    fn calls(&self, args: &Value) -> Vec<String> {
        let name = |called: String| self.names.get(&called).cloned().unwrap_or(called);
        self.inner.calls(args).into_iter().map(name).collect()
    }
}

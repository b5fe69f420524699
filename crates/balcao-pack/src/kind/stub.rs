//! Commands that are described and cannot run here, for a program that checks or shows a pack without its kind.

use std::sync::Arc;

use async_trait::async_trait;
use balcao_tool::{ErrorCode, Found, Preview, ToolContext, ToolError, ToolHandler, ToolOutput, ToolResult};
use serde_json::{Value, json};

use super::{Finding, Kind, PackParts};
use crate::manifest::{Command, Pack};

/// Takes every pack and runs none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Described;

impl Kind for Described {
    fn check(&self, _pack: &Pack) -> Vec<Finding> {
        Vec::new()
    }

    fn handler(&self, _parts: PackParts<'_>, command: &Command) -> Result<Arc<dyn ToolHandler>, Vec<Finding>> {
        Ok(Arc::new(Unreachable { schema: command.input_schema.clone() }))
    }
}

struct Unreachable {
    schema: Value,
}

fn refused<T>() -> ToolResult<T> {
    let error = ToolError::new(ErrorCode::Unavailable, "this command cannot be run here");
    Err(error.detail("reason", json!("its pack was loaded to be looked at")).into())
}

#[async_trait]
impl ToolHandler for Unreachable {
    async fn call(&self, _cx: &ToolContext, _args: Value) -> ToolResult<ToolOutput> {
        refused()
    }

    async fn preview(&self, _cx: &ToolContext, _args: Value) -> ToolResult<Preview> {
        refused()
    }

    async fn find(&self, _cx: &ToolContext, _args: Value) -> ToolResult<Found> {
        refused()
    }

    fn confirmable(&self) -> bool {
        true
    }

    fn args_schema(&self) -> Value {
        self.schema.clone()
    }
}

//! A tool of a server as a tool of ours.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use balcao_tool::{ErrorCode, Found, Internal, Preview, ToolContext, ToolError, ToolHandler, ToolOutput, ToolResult};
use serde_json::{Map, Value};

use crate::{error::CallError, mapping::Call, server::Server};

/// A command of a pack whose commands run on a server.
#[derive(Debug)]
pub(crate) struct McpTool {
    /// Nobody is connected without one.
    pub(crate) server: Option<Arc<Server>>,
    pub(crate) call: Call,
    pub(crate) input_schema: Value,
    /// A little less than what the tool layer grants: what ends by itself says what became of it.
    pub(crate) within: Duration,
    /// The pack says that it changes nothing.
    pub(crate) reads: bool,
}

impl McpTool {
    fn arguments(&self, cx: &ToolContext, args: &Value) -> ToolResult<Map<String, Value>> {
        let refused = self.call.refused(args);
        if !refused.is_empty() {
            return Err(ToolError::invalid(refused).into());
        }
        self.call.arguments(args, cx.key.as_str()).map_err(|why| {
            let note = Internal::note(why);
            ToolError::new(ErrorCode::Internal, "the arguments cannot be put as the service wants them")
                .internal(note)
                .into()
        })
    }
}

#[async_trait]
impl ToolHandler for McpTool {
    async fn call(&self, cx: &ToolContext, args: Value) -> ToolResult<ToolOutput> {
        let arguments = self.arguments(cx, &args)?;
        let Some(server) = &self.server else {
            let note = Internal::note("the pack was loaded without a server to call");
            return Err(ToolError::new(ErrorCode::Unavailable, "the service is not connected").internal(note).into());
        };
        let called = if self.reads {
            server.read(&self.call.tool, arguments, self.within).await
        } else {
            server.call(&self.call.tool, arguments, self.within).await
        };
        // What a tool says of its failure may hold what it was given, our secrets among it.
        let struck = |error: CallError| server.struck(error);
        let result = called.and_then(|answer| self.call.result(&answer).map_err(struck));
        result.map(ToolOutput::success).map_err(|error| Box::new(error.to_tool_error()))
    }

    async fn preview(&self, cx: &ToolContext, args: Value) -> ToolResult<Preview> {
        let arguments = self.arguments(cx, &args)?;
        Ok(Preview::Ask(format!("{} {}", self.call.tool, Value::Object(arguments))))
    }

    async fn find(&self, _cx: &ToolContext, _args: Value) -> ToolResult<Found> {
        let note = Internal::note("a tool of a server cannot look up what became of an earlier attempt");
        Err(ToolError::new(ErrorCode::Internal, "it is not known whether this was done").internal(note).into())
    }

    fn confirmable(&self) -> bool {
        true
    }

    /// What a server does with a call only the server knows.
    fn is_safe(&self) -> bool {
        false
    }

    fn args_schema(&self) -> Value {
        self.input_schema.clone()
    }
}

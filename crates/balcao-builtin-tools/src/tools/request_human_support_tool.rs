//! `requestHumanSupportTool`: a person takes over, and the agent is silent. Closing the turn carries it out.

use async_trait::async_trait;
use balcao_tool::{NativeTool, Receipt, ReceiptKind, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::in_locale;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    #[expect(dead_code, reason = "the turn reads it from the call, for the note to staff")]
    reason: String,
}

pub(crate) struct RequestHumanSupportTool;

#[async_trait]
impl NativeTool for RequestHumanSupportTool {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, _args: Args) -> ToolResult<ToolOutput> {
        let message = in_locale(
            cx,
            "A conversa foi transferida para um atendente humano.",
            "The conversation was handed to a person of the team.",
        );
        let value = json!({"success": true, "message": message});
        Ok(ToolOutput::success(value).receipt(Receipt::bare(ReceiptKind::HandedOff)))
    }
}

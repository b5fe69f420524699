//! `endConversationTool`: the matter is settled. Closing the turn archives the conversation; a later message reopens it.

use async_trait::async_trait;
use balcao_tool::{NativeTool, Receipt, ReceiptKind, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::in_locale;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    #[expect(dead_code, reason = "the record of the turn keeps it")]
    reason: Option<String>,
}

pub(crate) struct EndConversationTool;

#[async_trait]
impl NativeTool for EndConversationTool {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, _args: Args) -> ToolResult<ToolOutput> {
        let message =
            in_locale(cx, "A conversa foi finalizada e arquivada.", "The conversation was ended and archived.");
        let value = json!({"success": true, "message": message});
        Ok(ToolOutput::success(value).receipt(Receipt::bare(ReceiptKind::Ended)))
    }
}

//! `transfer_to_human`: a person takes over. The turn ends with this call; closing the turn carries it out.

use async_trait::async_trait;
use balcao_app::AppContext;
use balcao_app::turns;
use balcao_tool::{NativeTool, Receipt, ReceiptKind, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{broke, in_locale, organization};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    reason: String,
}

pub(crate) struct TransferToHuman {
    pub(crate) app: AppContext,
}

#[async_trait]
impl NativeTool for TransferToHuman {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let assigned = turns::next_assignee(&self.app, organization(cx)?).await.map_err(broke)?;
        let value = json!({
            "success": true,
            "assigned_to": assigned,
            "reason": args.reason,
            "message": in_locale(cx, "A equipe foi avisada e assume a conversa.", "Staff have been told and take the conversation."),
        });
        Ok(ToolOutput::success(value).receipt(Receipt::bare(ReceiptKind::HandedOff)))
    }
}

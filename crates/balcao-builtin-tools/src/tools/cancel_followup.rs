//! `cancel_followup`: drops planned follow-ups.

use async_trait::async_trait;
use balcao_app::scheduling::follow_ups::FollowUps;
use balcao_domain::FollowUpId;
use balcao_tool::{NativeTool, Receipt, ReceiptKind, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{bad_field, broke, contact, in_locale, key, organization};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    followup_id: Option<i64>,
}

pub(crate) struct CancelFollowup {
    pub(crate) follow_ups: FollowUps,
}

#[async_trait]
impl NativeTool for CancelFollowup {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let only = args.followup_id.map(FollowUpId::try_from).transpose();
        let only =
            only.map_err(|error| bad_field("followup_id", "out_of_range", error.to_string(), args.followup_id))?;
        let key = key(cx, "cancel_followup");
        let done = self.follow_ups.cancel(organization(cx)?, contact(cx)?, key, only).await.map_err(broke)?;
        let cancelled = match done.value {
            Ok(cancelled) => cancelled.cancelled,
            Err(never) => match never {},
        };
        let message = if cancelled == 0 {
            in_locale(cx, "Não havia retomada agendada.", "There was no planned follow-up.")
        } else {
            in_locale(cx, "Retomada cancelada.", "Follow-up dropped.")
        };
        let output = ToolOutput::success(json!({"success": true, "cancelled": cancelled, "message": message}));
        // Where there was nothing to drop, nothing was called off.
        Ok(if cancelled == 0 { output } else { output.receipt(Receipt::bare(ReceiptKind::MessageCancelled)) })
    }
}

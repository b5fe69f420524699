//! `schedule_followup`: takes the conversation up later.

use async_trait::async_trait;
use balcao_app::AppContext;
use balcao_app::scheduling::follow_ups::{FollowUpRefusal, FollowUpRequest, FollowUps};
use balcao_app::turns;
use balcao_domain::follow_up::FollowUpType;
use balcao_tool::{NativeTool, Receipt, ReceiptKind, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{bad_field, broke, contact, conversation, in_locale, internal, key, opted_out, organization};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    delay_minutes: u32,
    message_hint: String,
    followup_type: String,
}

pub(crate) struct ScheduleFollowup {
    pub(crate) app: AppContext,
    pub(crate) follow_ups: FollowUps,
    pub(crate) delays: Vec<u32>,
}

#[async_trait]
impl NativeTool for ScheduleFollowup {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let (delay, hint) = (args.delay_minutes, args.message_hint.clone());
        let kind = FollowUpType::from_word(&args.followup_type)
            .ok_or_else(|| internal("the schema allows another follow-up type"))?;
        let request = FollowUpRequest {
            delay_min: args.delay_minutes,
            allowed_delays_min: self.delays.clone(),
            hint: args.message_hint,
            kind,
            episode: turns::episode(&self.app, organization(cx)?, conversation(cx)?).await.map_err(broke)?,
        };
        let key = key(cx, "schedule_followup");
        let done = self.follow_ups.schedule(organization(cx)?, contact(cx)?, key, request).await.map_err(broke)?;
        match done.value {
            Ok(planned) => Ok(ToolOutput::success(json!({
                "success": true,
                "followup_id": i64::from(planned.id),
                "send_at": planned.send_at_local,
                "message": in_locale(cx, "Retomada agendada.", "Follow-up planned."),
            }))
            .receipt(Receipt::bare(ReceiptKind::MessagePlanned))),
            Err(FollowUpRefusal::TooMany { limit }) => {
                let message =
                    in_locale(cx, "Você já tem mensagens programadas demais.", "You have too many planned messages.");
                Ok(ToolOutput::refusal(
                    json!({"success": false, "reason": "TOO_MANY", "limit": limit, "message": message}),
                ))
            }
            Err(FollowUpRefusal::OptedOut) => Ok(opted_out(cx)),
            Err(FollowUpRefusal::Delay { allowed_min }) => {
                Err(bad_field("delay_minutes", "not_allowed", format!("one of {allowed_min:?}"), delay))
            }
            Err(FollowUpRefusal::EmptyHint) => Err(bad_field("message_hint", "empty", "a text", hint)),
        }
    }
}

//! `cancelAppointmentTool`: cancels an event of the contact. Another contact's is as if it did not exist.

use std::sync::Arc;

use async_trait::async_trait;
use balcao_app::scheduling::calendar::{self, Calendar, EntryId};
use balcao_tool::{NativeTool, Preview, ReceiptKind, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::calendar::{calendar_broke, event, owner, refused, when};
use crate::support::{in_locale, key, visit_receipt};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Args {
    event_id: String,
}

pub(crate) struct CancelAppointmentTool {
    pub(crate) calendar: Arc<dyn Calendar>,
}

#[async_trait]
impl NativeTool for CancelAppointmentTool {
    type Args = Args;
    const CONFIRMABLE: bool = true;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let (id, key) = (EntryId::new(args.event_id.trim()), key(cx, "cancelAppointmentTool"));
        match calendar::cancel(self.calendar.as_ref(), owner(cx)?, key, &id).await.map_err(calendar_broke)? {
            Ok(done) => Ok(ToolOutput::success(json!({
                "success": true,
                "message": in_locale(cx, "O agendamento foi cancelado com sucesso.", "The appointment was cancelled."),
                "event": event(cx, &done.entry),
            }))
            .receipt(visit_receipt(ReceiptKind::Cancelled, &done.entry.visit))),
            Err(refusal) => refused(cx, refusal),
        }
    }

    async fn preview(&self, cx: &ToolContext, args: Args) -> ToolResult<Preview> {
        let id = EntryId::new(args.event_id.trim());
        match self.calendar.would_cancel(owner(cx)?, &id).await.map_err(calendar_broke)? {
            Ok(done) => {
                let at = when(cx, &done.entry);
                Ok(Preview::Ask(match in_locale(cx, "pt", "en") {
                    "pt" => format!("Posso cancelar o seu horário de {at}?"),
                    _ => format!("May I cancel your appointment on {at}?"),
                }))
            }
            Err(refusal) => Ok(Preview::Refused(refused(cx, refusal)?)),
        }
    }
}

//! `join_waitlist`: told when a matching time frees.

use async_trait::async_trait;
use balcao_app::waitlist::{JoinRefusal, JoinRequest, Waitlist};
use balcao_domain::waitlist::DayPeriod;
use balcao_tool::{NativeTool, Receipt, ReceiptKind, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{broke, contact, date, key, name_error, organization, say, weekday};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    date: String,
    barber_name: Option<String>,
    service_name: Option<String>,
    period: Option<String>,
}

pub(crate) struct JoinWaitlist {
    pub(crate) waitlist: Waitlist,
}

#[async_trait]
impl NativeTool for JoinWaitlist {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let day = date(cx, &args.date, "date")?;
        let request = JoinRequest {
            date: day,
            professional: args.barber_name,
            service: args.service_name.clone(),
            period: args.period.as_deref().and_then(DayPeriod::from_word),
        };
        let key = key(cx, "join_waitlist");
        let done = self.waitlist.join(organization(cx)?, contact(cx)?, key, request).await.map_err(broke)?;
        let joined = match done.value {
            Ok(joined) => joined,
            Err(JoinRefusal::PastDate { today }) => {
                let message = say(cx, "Esse dia já passou.", "That day is over.");
                let value =
                    json!({"success": false, "reason": "PAST_DATE", "today": today.to_string(), "message": message});
                return Ok(ToolOutput::refusal(value));
            }
            Err(JoinRefusal::Professional(refusal)) => return Err(name_error(refusal, "barber_name")),
            Err(JoinRefusal::Service(refusal)) => return Err(name_error(refusal, "service_name")),
        };
        let message = if joined.already_waiting {
            say(cx, "O cliente já estava na lista de espera.", "The customer was on the waiting list already.")
        } else {
            say(
                cx,
                "Na lista de espera; avisamos se abrir um horário.",
                "On the waiting list; we write if a time opens.",
            )
        };
        let value = json!({
            "success": true,
            "date": day.to_string(),
            "weekday": weekday(cx, day),
            "position": joined.position,
            "message": message,
        });
        let receipt = Receipt { day: Some(day), service: args.service_name, ..Receipt::bare(ReceiptKind::Waitlisted) };
        Ok(ToolOutput::success(value).receipt(receipt))
    }
}

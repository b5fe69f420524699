//! `join_waitlist`: told when a matching time frees.

use async_trait::async_trait;
use balcao_app::scheduling::waitlist::{JoinRefusal, JoinRequest, Waitlist};
use balcao_domain::waitlist::DayPeriod;
use balcao_tool::{NativeTool, Receipt, ReceiptKind, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{broke, contact, date, in_locale, key, name_error, open_until, organization, periods, weekday};

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
            service: args.service_name,
            period: args.period.as_deref().and_then(DayPeriod::from_word),
        };
        let key = key(cx, "join_waitlist");
        let done = self.waitlist.join(organization(cx)?, contact(cx)?, key, request).await.map_err(broke)?;
        let joined = match done.value {
            Ok(joined) => joined,
            Err(JoinRefusal::PastDate { today }) => {
                let message = in_locale(cx, "Esse dia já passou.", "That day is over.");
                let value =
                    json!({"success": false, "reason": "PAST_DATE", "today": today.to_string(), "message": message});
                return Ok(ToolOutput::refusal(value));
            }
            Err(JoinRefusal::TooFar { last_date }) => {
                let message = open_until(cx, last_date);
                let last = last_date.to_string();
                let value = json!({"success": false, "reason": "TOO_FAR", "last_date": last, "message": message});
                return Ok(ToolOutput::refusal(value));
            }
            Err(JoinRefusal::OutsideHours { open, note }) => {
                let message = in_locale(
                    cx,
                    "Nesse dia não há horário que possa abrir para isso.",
                    "No time that would serve can open on that day.",
                );
                let mut value = json!({
                    "success": false,
                    "reason": "OUTSIDE_HOURS",
                    "date": day.to_string(),
                    "weekday": weekday(cx, day),
                    "open": periods(&open),
                    "message": message,
                });
                if let (Some(note), Some(map)) = (note, value.as_object_mut()) {
                    map.insert("note".to_owned(), note.into());
                }
                return Ok(ToolOutput::refusal(value));
            }
            Err(JoinRefusal::NotOffered { service, professional, offered_by }) => {
                let message = in_locale(
                    cx,
                    "Esse profissional não faz esse serviço.",
                    "This professional does not offer this service.",
                );
                return Ok(ToolOutput::refusal(json!({
                    "success": false,
                    "reason": "NOT_OFFERED",
                    "service": service,
                    "barber": professional,
                    "offered_by": offered_by,
                    "message": message,
                })));
            }
            Err(JoinRefusal::Professional(refusal)) => return Err(name_error(refusal, "barber_name")),
            Err(JoinRefusal::Service(refusal)) => return Err(name_error(refusal, "service_name")),
        };
        let message = if joined.already_waiting {
            in_locale(cx, "Você já estava na lista de espera.", "You were on the waiting list already.")
        } else {
            in_locale(
                cx,
                "Na lista de espera; avisamos se abrir um horário.",
                "On the waiting list; we write if a time opens.",
            )
        };
        // What was understood, so that a near name is confirmed and not assumed.
        let value = json!({
            "success": true,
            "date": day.to_string(),
            "weekday": weekday(cx, day),
            "barber": joined.professional,
            "service": joined.service,
            "position": joined.position,
            "message": message,
        });
        let receipt = Receipt {
            day: Some(day),
            professional: joined.professional,
            service: joined.service,
            ..Receipt::bare(ReceiptKind::Waitlisted)
        };
        Ok(ToolOutput::success(value).receipt(receipt))
    }
}

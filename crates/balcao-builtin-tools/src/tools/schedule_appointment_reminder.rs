//! `schedule_appointment_reminder`: a message before an appointment.

use async_trait::async_trait;
use balcao_app::scheduling::reminders::{ReminderRefusal, Reminders};
use balcao_tool::{ErrorCode, NativeTool, ReceiptKind, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::cancel_appointment::appointment_id;
use crate::support::{appointment, broke, contact, history_error, in_locale, key, opted_out, organization, receipt};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    appointment_id: Option<i64>,
    minutes_before: Option<u32>,
}

pub(crate) struct ScheduleAppointmentReminder {
    pub(crate) reminders: Reminders,
    /// Where neither the customer nor the business says how long before.
    pub(crate) usual_minutes: u32,
}

#[async_trait]
impl NativeTool for ScheduleAppointmentReminder {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let id = appointment_id(args.appointment_id)?;
        let key = key(cx, "schedule_appointment_reminder");
        let done = self
            .reminders
            .schedule(organization(cx)?, contact(cx)?, key, id, args.minutes_before, self.usual_minutes)
            .await
            .map_err(broke)?;
        match done.value {
            Ok(planned) => Ok(ToolOutput::success(json!({
                "success": true,
                "remind_at": planned.remind_at_local,
                "minutes_before": planned.minutes_before,
                "appointment": appointment(cx, &planned.appointment),
                "message": in_locale(cx, "Lembrete agendado.", "Reminder planned."),
            }))
            .receipt(receipt(ReceiptKind::MessagePlanned, &planned.appointment))
            .receipt(receipt(ReceiptKind::Existing, &planned.appointment))),
            Err(ReminderRefusal::NotFound { upcoming }) if id.is_none() && upcoming.is_empty() => {
                let message = in_locale(cx, "Você não tem horário marcado.", "You have no upcoming appointment.");
                Ok(ToolOutput::refusal(json!({"success": false, "reason": "NO_UPCOMING", "message": message})))
            }
            Err(ReminderRefusal::NotFound { upcoming }) => Err(history_error(cx, ErrorCode::NotFound, &upcoming)),
            Err(ReminderRefusal::Ambiguous { candidates }) => Err(history_error(cx, ErrorCode::Ambiguous, &candidates)),
            Err(ReminderRefusal::OptedOut) => Ok(opted_out(cx)),
            Err(ReminderRefusal::TooLate { minutes_left, minutes_before }) => {
                let (left, before) = (length(minutes_left), length(i64::from(minutes_before)));
                let message = match in_locale(cx, "pt", "en") {
                    "pt" => format!(
                        "A hora desse lembrete já passou: o seu horário é daqui a {left}, e o lembrete seria {before} antes. \
                         Posso lembrar mais perto do horário."
                    ),
                    _ => format!(
                        "The time of that reminder has passed: your appointment is in {left}, and the reminder would come {before} \
                         before it. I can remind you closer to it."
                    ),
                };
                let value =
                    json!({"success": false, "reason": "TOO_LATE", "minutes_left": minutes_left, "message": message});
                Ok(ToolOutput::refusal(value))
            }
        }
    }
}

/// A length of time in words that both languages share: "1 d 2 h", "30 min".
fn length(minutes: i64) -> String {
    let parts = [(minutes / 1_440, "d"), (minutes / 60 % 24, "h"), (minutes % 60, "min")];
    let said: Vec<String> =
        parts.iter().filter(|(number, _)| *number > 0).map(|(number, unit)| format!("{number} {unit}")).collect();
    if said.is_empty() { "0 min".to_owned() } else { said.join(" ") }
}

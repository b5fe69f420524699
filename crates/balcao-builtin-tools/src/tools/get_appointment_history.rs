//! `get_appointment_history`: the contact's appointments, past and to come.

use async_trait::async_trait;
use balcao_app::scheduling::appointments::Appointments;
use balcao_tool::{NativeTool, ReceiptKind, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{appointment, broke, contact, in_locale, organization, receipt};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

pub(crate) struct GetAppointmentHistory {
    pub(crate) appointments: Appointments,
}

#[async_trait]
impl NativeTool for GetAppointmentHistory {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, _args: Args) -> ToolResult<ToolOutput> {
        let history = self.appointments.history(organization(cx)?, contact(cx)?).await.map_err(broke)?;
        let known = !history.upcoming.is_empty() || history.total_visits > 0 || !history.last.is_empty();
        let message = match history.upcoming.len() {
            0 => in_locale(cx, "Nenhum horário marcado.", "No upcoming appointment."),
            1 => in_locale(cx, "Um horário marcado.", "One upcoming appointment."),
            _ => in_locale(cx, "Mais de um horário marcado.", "Several upcoming appointments."),
        };
        let views = |list: &[balcao_app::scheduling::appointments::AppointmentView]| {
            list.iter().map(|view| appointment(cx, view)).collect::<Value>()
        };
        let value = json!({
            "found": known,
            "client_name": history.client_name,
            "from": history.from.map(|date| date.to_string()),
            "to": history.to.to_string(),
            "total_visits": history.total_visits,
            "upcoming_count": history.upcoming.len(),
            "upcoming": views(&history.upcoming),
            "preferred_barber": history.preferred_professional,
            "last_5": views(&history.last),
            "message": message,
        });
        let mut output = if known { ToolOutput::success(value) } else { ToolOutput::refusal(value) };
        output.receipts = history.upcoming.iter().map(|view| receipt(ReceiptKind::Existing, view)).collect();
        Ok(output)
    }
}

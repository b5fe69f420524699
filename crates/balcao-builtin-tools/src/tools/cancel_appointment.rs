//! `cancel_appointment`: cancels an appointment of the contact.

use async_trait::async_trait;
use balcao_app::scheduling::booking::Booking;
use balcao_domain::AppointmentId;
use balcao_tool::{NativeTool, Preview, ReceiptKind, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{
    appointment, bad_field, booking_refusal, broke, contact, day, in_locale, key, organization, receipt, time_in_words,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    appointment_id: Option<i64>,
}

pub(crate) struct CancelAppointment {
    pub(crate) booking: Booking,
}

#[async_trait]
impl NativeTool for CancelAppointment {
    type Args = Args;
    const CONFIRMABLE: bool = true;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let id = appointment_id(args.appointment_id)?;
        let done = self
            .booking
            .cancel(organization(cx)?, contact(cx)?, key(cx, "cancel_appointment"), id)
            .await
            .map_err(broke)?;
        match done.value {
            Ok(view) => Ok(ToolOutput::success(json!({
                "success": true,
                "appointment_id": i64::from(view.id),
                "cancelled": appointment(cx, &view),
                "message": in_locale(cx, "Cancelado.", "Cancelled."),
            }))
            .receipt(receipt(ReceiptKind::Cancelled, &view))),
            Err(refusal) => booking_refusal(cx, refusal, id.is_some()),
        }
    }

    async fn preview(&self, cx: &ToolContext, args: Args) -> ToolResult<Preview> {
        let id = appointment_id(args.appointment_id)?;
        match self.booking.preview_cancel(organization(cx)?, contact(cx)?, id).await.map_err(broke)? {
            Ok(view) => {
                let (what, who) = (&view.service, &view.professional);
                let (on, at) = (day(cx, view.date), time_in_words(cx, &view.start));
                Ok(Preview::Ask(match in_locale(cx, "pt", "en") {
                    "pt" => format!("Posso cancelar o seu horário de {what} com {who}, {on} às {at}?"),
                    _ => format!("May I cancel your appointment for {what} with {who}, {on} at {at}?"),
                }))
            }
            Err(refusal) => Ok(Preview::Refused(booking_refusal(cx, refusal, id.is_some())?)),
        }
    }
}

/// The id's range is the schema's; this repeats it for the type.
pub(crate) fn appointment_id(id: Option<i64>) -> ToolResult<Option<AppointmentId>> {
    id.map(AppointmentId::try_from)
        .transpose()
        .map_err(|error| bad_field("appointment_id", "out_of_range", error.to_string(), id))
}

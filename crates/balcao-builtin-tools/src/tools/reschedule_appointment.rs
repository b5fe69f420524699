//! `reschedule_appointment`: moves an appointment of the contact, in one transaction.

use async_trait::async_trait;
use balcao_app::scheduling::booking::{Booking, BookingRefusal, RescheduleRequest};
use balcao_tool::{NativeTool, Preview, ReceiptKind, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::cancel_appointment::appointment_id;
use super::create_appointment::service;
use crate::support::{
    appointment, ask_first, ask_if_price_changed, booking_refusal, broke, changed_price, contact, date, day, in_locale,
    is_price_agreed, key, minutes, organization, plan_notice, price_notice, question_after, receipt, time_in_words,
    with_sentence,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    new_date: String,
    new_start_hour: String,
    barber_name: Option<String>,
    service_id: Option<i64>,
    appointment_id: Option<i64>,
}

pub(crate) struct RescheduleAppointment {
    pub(crate) booking: Booking,
}

impl RescheduleAppointment {
    fn request(cx: &ToolContext, args: Args) -> ToolResult<RescheduleRequest> {
        Ok(RescheduleRequest {
            appointment: appointment_id(args.appointment_id)?,
            date: date(cx, &args.new_date, "new_date")?,
            start_min: minutes(&args.new_start_hour)?,
            professional: args.barber_name,
            service: service(None, args.service_id)?,
            source: "agent".to_owned(),
            price_agreed: is_price_agreed(cx),
        })
    }
}

#[async_trait]
impl NativeTool for RescheduleAppointment {
    type Args = Args;
    const CONFIRMABLE: bool = true;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        if let Some(asked) = ask_if_price_changed(cx, self.preview(cx, args.clone())).await? {
            return Ok(asked);
        }
        let given = args.appointment_id.is_some();
        let request = Self::request(cx, args.clone())?;
        let key = key(cx, "reschedule_appointment");
        let done = self.booking.reschedule(organization(cx)?, contact(cx)?, key, request).await.map_err(broke)?;
        match done.value {
            Ok(moved) => {
                let of_plan = plan_notice(cx, &moved.new);
                let of_price = changed_price(cx, moved.old.price, moved.new.appointment.price);
                let notice = of_plan.clone().or_else(|| of_price.clone());
                Ok(ToolOutput::success(json!({
                    "success": true,
                    "old_appointment_cancelled": true,
                    "old_appointment": appointment(cx, &moved.old),
                    "new_appointment": appointment(cx, &moved.new.appointment),
                    "plan_notice": of_plan,
                    "price_notice": of_price,
                    "message": with_sentence(in_locale(cx, "Remarcado.", "Rescheduled."), notice.as_deref()),
                }))
                .receipt(receipt(ReceiptKind::Rescheduled, &moved.new.appointment)))
            }
            Err(BookingRefusal::PriceNotAgreed) => ask_first(self.preview(cx, args).await?),
            Err(refusal) => booking_refusal(cx, refusal, given),
        }
    }

    async fn preview(&self, cx: &ToolContext, args: Args) -> ToolResult<Preview> {
        let given = args.appointment_id.is_some();
        let request = RescheduleRequest { price_agreed: true, ..Self::request(cx, args)? };
        match self.booking.preview_reschedule(organization(cx)?, contact(cx)?, request).await.map_err(broke)? {
            Ok(moved) => {
                let (old, new) = (&moved.old, &moved.new.appointment);
                let (old_on, old_at) = (day(cx, old.date), time_in_words(cx, &old.start));
                let (on, at) = (day(cx, new.date), time_in_words(cx, &new.start));
                let (was, what) =
                    (with(cx, &old.service, &old.professional), with(cx, &new.service, &new.professional));
                // What changes is said: a customer who agrees to another day has not agreed to another person.
                let question = match (in_locale(cx, "pt", "en"), was == what) {
                    ("pt", true) => format!("Posso remarcar {was} de {old_on} às {old_at} para {on} às {at}?"),
                    ("pt", false) => {
                        format!("Posso trocar {was}, {old_on} às {old_at}, por {what}, {on} às {at}?")
                    }
                    (_, true) => format!("May I move {was} from {old_on} at {old_at} to {on} at {at}?"),
                    (_, false) => format!("May I change {was}, {old_on} at {old_at}, to {what}, {on} at {at}?"),
                };
                let notice = price_notice(cx, &moved.new).or_else(|| changed_price(cx, old.price, new.price));
                Ok(question_after(notice, question))
            }
            Err(refusal) => Ok(Preview::Refused(booking_refusal(cx, refusal, given)?)),
        }
    }
}

/// "Corte com Íris Valente".
fn with(cx: &ToolContext, service: &str, professional: &str) -> String {
    format!("{service} {} {professional}", in_locale(cx, "com", "with"))
}

//! `rescheduleAppointmentTool`: moves an event of the contact in one act. The old time is given up only if the new one is had.

use std::sync::Arc;

use async_trait::async_trait;
use balcao_app::scheduling::booking::{BookingRefusal, RescheduleRequest};
use balcao_app::scheduling::calendar::{self, Calendar, Done, EntryId, Refusal};
use balcao_tool::{NativeTool, Preview, ReceiptKind, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::calendar::{calendar_broke, date, notice, owner, price_notice_of, refused, when, written};
use crate::support::{
    ask_first, ask_if_price_changed, day, in_locale, is_price_agreed, key, minutes, question_after, time_in_words,
    visit_receipt, weekday, with_sentence,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Args {
    event_id: String,
    new_date: String,
    new_time: String,
}

pub(crate) struct RescheduleAppointmentTool {
    pub(crate) calendar: Arc<dyn Calendar>,
}

/// Which event, and when it is to be instead. Service and professional stay.
fn request(cx: &ToolContext, args: &Args) -> ToolResult<(EntryId, RescheduleRequest)> {
    let request = RescheduleRequest {
        appointment: None,
        date: date(cx, &args.new_date, "newDate")?,
        start_min: minutes(&args.new_time)?,
        professional: None,
        service: None,
        source: "agent".to_owned(),
        price_agreed: is_price_agreed(cx),
    };
    Ok((EntryId::new(args.event_id.trim()), request))
}

#[async_trait]
impl NativeTool for RescheduleAppointmentTool {
    type Args = Args;
    const CONFIRMABLE: bool = true;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        if let Some(asked) = ask_if_price_changed(cx, self.preview(cx, args.clone())).await? {
            return Ok(asked);
        }
        let ((id, request), key) = (request(cx, &args)?, key(cx, "rescheduleAppointmentTool"));
        let done = calendar::reschedule(self.calendar.as_ref(), owner(cx)?, key, &id, request).await;
        match done.map_err(calendar_broke)? {
            Ok(done) => Ok(success(cx, &done)),
            Err(Refusal::Rule(BookingRefusal::PriceNotAgreed)) => ask_first(self.preview(cx, args).await?),
            Err(refusal) => refused(cx, refusal),
        }
    }

    async fn preview(&self, cx: &ToolContext, args: Args) -> ToolResult<Preview> {
        let (id, request) = request(cx, &args)?;
        let request = RescheduleRequest { price_agreed: true, ..request };
        match self.calendar.would_reschedule(owner(cx)?, &id, request).await.map_err(calendar_broke)? {
            Ok(done) => {
                let to = when(cx, &done.entry);
                let from = done.before.as_ref().map(|visit| (day(cx, visit.date), time_in_words(cx, &visit.start)));
                let question = match (in_locale(cx, "pt", "en"), from) {
                    ("pt", Some((on, at))) => format!("Posso remarcar o seu horário de {on} às {at} para {to}?"),
                    ("pt", None) => format!("Posso remarcar o seu horário para {to}?"),
                    (_, Some((on, at))) => format!("May I move your appointment from {on} at {at} to {to}?"),
                    (_, None) => format!("May I move your appointment to {to}?"),
                };
                Ok(question_after(price_notice_of(cx, &done), question))
            }
            Err(refusal) => Ok(Preview::Refused(refused(cx, refusal)?)),
        }
    }
}

fn success(cx: &ToolContext, done: &Done) -> ToolOutput {
    let (one, at) = (&done.entry.visit, when(cx, &done.entry));
    let (services, professionals) = (one.parts.services(), one.parts.professionals());
    let message = match in_locale(cx, "pt", "en") {
        "pt" => format!("O agendamento foi remarcado: {services} com {professionals}, {at}."),
        _ => format!("The appointment was moved: {services} with {professionals}, {at}."),
    };
    ToolOutput::success(json!({
        "success": true,
        "message": with_sentence(&message, notice(cx, done).as_deref()),
        "eventId": done.entry.id.as_str(),
        "date": written(one.date),
        "weekday": weekday(cx, one.date),
        "start": one.start,
        "end": one.finish,
        "service": services,
        "professional": professionals,
    }))
    .receipt(visit_receipt(ReceiptKind::Rescheduled, one))
}

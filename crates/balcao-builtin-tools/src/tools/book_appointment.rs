//! `book_appointment`: a session with the conversation's professional, for whoever writes or for somebody else.

use async_trait::async_trait;
use balcao_app::scheduling::booking::BookingRefusal;
use balcao_app::scheduling::intake::{Intake, IntakeBooked, IntakeRefusal, IntakeRequest};
use balcao_domain::Phone;
use balcao_tool::{NativeTool, Preview, ReceiptKind, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{
    ask_first, ask_if_price_changed, bad_field, broke, contact, conversation, date, day, in_locale, intake_refusal,
    is_price_agreed, key, minutes, organization, plan_notice, price_notice, question_after, receipt, time_in_words,
    weekday, with_sentence,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    date: String,
    time: String,
    client_name: String,
    client_phone: String,
    #[serde(default)]
    service: Option<String>,
}

pub(crate) struct BookAppointment {
    pub(crate) intake: Intake,
}

fn request(cx: &ToolContext, args: Args) -> ToolResult<IntakeRequest> {
    let client_phone = Phone::parse(&args.client_phone).map_err(|error| {
        bad_field("client_phone", &error.to_string(), "area code and number", args.client_phone.as_str())
    })?;
    let client_name = args.client_name.split_whitespace().collect::<Vec<_>>().join(" ");
    if client_name.is_empty() {
        return Err(bad_field("client_name", "no name", "the name of whoever comes", args.client_name));
    }
    Ok(IntakeRequest {
        date: date(cx, &args.date, "date")?,
        start_min: minutes(&args.time)?,
        client_name,
        client_phone,
        service: args.service,
        price_agreed: is_price_agreed(cx),
    })
}

#[async_trait]
impl NativeTool for BookAppointment {
    type Args = Args;
    const CONFIRMABLE: bool = true;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        if let Some(asked) = ask_if_price_changed(cx, self.preview(cx, args.clone())).await? {
            return Ok(asked);
        }
        let (request, key) = (request(cx, args.clone())?, key(cx, "book_appointment"));
        let name = request.client_name.clone();
        let done = self.intake.book(organization(cx)?, contact(cx)?, conversation(cx)?, key, request).await;
        match done.map_err(broke)?.value {
            Ok(booked) => Ok(success(cx, &booked, &name)),
            Err(IntakeRefusal::Booking(BookingRefusal::PriceNotAgreed)) => ask_first(self.preview(cx, args).await?),
            Err(refusal) => intake_refusal(cx, refusal),
        }
    }

    async fn preview(&self, cx: &ToolContext, args: Args) -> ToolResult<Preview> {
        let request = IntakeRequest { price_agreed: true, ..request(cx, args)? };
        let would = self.intake.preview(organization(cx)?, contact(cx)?, conversation(cx)?, request).await;
        match would.map_err(broke)? {
            Ok(would) => {
                let one = &would.booked.appointment;
                let (on, at) = (day(cx, one.date), time_in_words(cx, &one.start));
                let (what, with) = (&one.service, &one.professional);
                let price = match &would.booked.plan_name {
                    Some(plan) => format!("{} {plan}", in_locale(cx, "plano", "plan")),
                    None => one.price.to_string(),
                };
                let name = would.for_somebody_else.unwrap_or_default();
                let notice = price_notice(cx, &would.booked);
                let question = match (in_locale(cx, "pt", "en"), name.is_empty()) {
                    ("pt", true) => format!("Posso marcar {what} ({price}) com {with}, {on} às {at}?"),
                    ("pt", false) => format!("Posso marcar {what} ({price}) para {name} com {with}, {on} às {at}?"),
                    (_, true) => format!("May I book {what} ({price}) with {with}, {on} at {at}?"),
                    (_, false) => format!("May I book {what} ({price}) for {name} with {with}, {on} at {at}?"),
                };
                Ok(question_after(notice, question))
            }
            Err(refusal) => Ok(Preview::Refused(intake_refusal(cx, refusal)?)),
        }
    }
}

fn success(cx: &ToolContext, done: &IntakeBooked, client_name: &str) -> ToolOutput {
    let one = &done.booked.appointment;
    let message = match (done.booked.already_booked, done.for_somebody_else.is_some()) {
        (true, _) => {
            in_locale(cx, "Esse horário já estava marcado; nada mudou.", "It was booked already; nothing changed.")
        }
        (false, true) => in_locale(cx, "Marcado para outra pessoa.", "Booked for somebody else."),
        (false, false) => in_locale(cx, "Marcado.", "Booked."),
    };
    let notice = plan_notice(cx, &done.booked);
    ToolOutput::success(json!({
        "success": true,
        "appointment_id": i64::from(one.id),
        "professional": one.professional,
        "service": one.service,
        "date": one.date.to_string(),
        "weekday": weekday(cx, one.date),
        "time": one.start,
        "finish": one.finish,
        "client_name": client_name,
        "for_somebody_else": done.for_somebody_else.is_some(),
        "price": one.price.to_string(),
        "plan_name": done.booked.plan_name,
        "plan_notice": notice,
        "already_booked": done.booked.already_booked,
        "message": with_sentence(message, notice.as_deref()),
    }))
    .receipt(receipt(ReceiptKind::Booked, one))
}

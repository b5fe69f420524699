//! `create_appointment`: books for the contact of the conversation.

use async_trait::async_trait;
use balcao_app::scheduling::booking::{BookRequest, Booked, Booking, BookingRefusal, ServiceChoice};
use balcao_domain::ServiceId;
use balcao_tool::{NativeTool, Preview, ReceiptKind, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{
    ask_first, ask_if_price_changed, bad_field, booking_refusal, broke, contact, date, day, in_locale, is_price_agreed,
    key, minutes, organization, plan_notice, price_notice, question_after, receipt, time_in_words, weekday,
    with_sentence,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    barber_name: String,
    date: String,
    start_hour: String,
    service_name: Option<String>,
    service_id: Option<i64>,
}

pub(crate) struct CreateAppointment {
    pub(crate) booking: Booking,
}

impl CreateAppointment {
    fn request(cx: &ToolContext, args: Args) -> ToolResult<BookRequest> {
        Ok(BookRequest {
            professional: Some(args.barber_name.into()),
            service: service(args.service_name, args.service_id)?,
            date: date(cx, &args.date, "date")?,
            start_min: minutes(&args.start_hour)?,
            attendee: None,
            pending: false,
            source: "agent".to_owned(),
            price_agreed: is_price_agreed(cx),
        })
    }
}

#[async_trait]
impl NativeTool for CreateAppointment {
    type Args = Args;
    const CONFIRMABLE: bool = true;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        if let Some(asked) = ask_if_price_changed(cx, self.preview(cx, args.clone())).await? {
            return Ok(asked);
        }
        let request = Self::request(cx, args.clone())?;
        let key = key(cx, "create_appointment");
        let done = self.booking.book(organization(cx)?, contact(cx)?, key, request).await.map_err(broke)?;
        match done.value {
            Ok(booked) => Ok(success(cx, &booked)),
            Err(BookingRefusal::PriceNotAgreed) => ask_first(self.preview(cx, args).await?),
            Err(refusal) => booking_refusal(cx, refusal, false),
        }
    }

    async fn preview(&self, cx: &ToolContext, args: Args) -> ToolResult<Preview> {
        let request = BookRequest { price_agreed: true, ..Self::request(cx, args)? };
        let would = self.booking.preview_book(organization(cx)?, contact(cx)?, request).await.map_err(broke)?;
        match would {
            Ok(booked) => {
                let one = &booked.appointment;
                // A visit may be booked before it is clear what for.
                let unnamed = one.service.is_empty().then(|| in_locale(cx, "um horário", "a time"));
                let (what, who) = (unnamed.unwrap_or(&one.service), &one.professional);
                let (on, at) = (day(cx, one.date), time_in_words(cx, &one.start));
                let question = match in_locale(cx, "pt", "en") {
                    "pt" => format!("Posso marcar {what} com {who}, {on} às {at}?"),
                    _ => format!("May I book {what} with {who}, {on} at {at}?"),
                };
                // A customer with a plan expects to pay nothing, and others what they read, so the price comes before the question.
                Ok(question_after(price_notice(cx, &booked), question))
            }
            Err(refusal) => Ok(Preview::Refused(booking_refusal(cx, refusal, false)?)),
        }
    }
}

/// A service by name, by id or by both. The id's range is the schema's.
pub(crate) fn service(name: Option<String>, id: Option<i64>) -> ToolResult<Option<ServiceChoice>> {
    let typed = id.map(ServiceId::try_from).transpose();
    let id = typed.map_err(|error| bad_field("service_id", "out_of_range", error.to_string(), id))?;
    Ok(match (name, id) {
        (Some(name), Some(id)) => Some(ServiceChoice::NameAndId { name, id }),
        (None, Some(id)) => Some(ServiceChoice::Id(id)),
        (Some(name), None) => Some(ServiceChoice::Name(name)),
        (None, None) => None,
    })
}

fn success(cx: &ToolContext, booked: &Booked) -> ToolOutput {
    let one = &booked.appointment;
    let message = if booked.already_booked {
        in_locale(
            cx,
            "Você já tinha exatamente este horário; nada mudou.",
            "You had exactly this appointment; nothing changed.",
        )
    } else {
        in_locale(cx, "Marcado.", "Booked.")
    };
    let notice = plan_notice(cx, booked);
    ToolOutput::success(json!({
        "success": true,
        "appointment_id": i64::from(one.id),
        "barber": one.professional,
        "date": one.date.to_string(),
        "weekday": weekday(cx, one.date),
        "start_hour": one.start,
        "finish_hour": one.finish,
        "service": one.service,
        "price": one.price.to_string(),
        "type": if booked.plan_name.is_some() { "plan" } else { "single" },
        "is_subscriber": booked.is_subscriber,
        "plan_name": booked.plan_name,
        "plan_notice": notice,
        "already_booked": booked.already_booked,
        "message": with_sentence(message, notice.as_deref()),
    }))
    .receipt(receipt(ReceiptKind::Booked, one))
}

//! `scheduleAppointmentTool`: books in the calendar for the contact of the conversation.

use std::sync::Arc;

use async_trait::async_trait;
use balcao_app::context::names::may_be_theirs;
use balcao_app::crm::contacts::{ContactUpdate, Contacts};
use balcao_app::scheduling::booking::{BookRequest, BookingRefusal, ServiceChoice};
use balcao_app::scheduling::calendar::{self, Calendar, Done, Refusal};
use balcao_app::scheduling::intake::Intake;
use balcao_store::turns::ledger::EffectKey;
use balcao_tool::{NativeTool, Preview, ReceiptKind, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::calendar::{
    calendar_broke, date, notice, owner, price_notice_of, refused, when, with_whom, written,
};
use crate::support::{
    ask_first, ask_if_price_changed, broke, contact, in_locale, is_price_agreed, key, minutes, organization,
    question_after, visit_receipt, weekday, with_sentence,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Args {
    service_name: String,
    appointment_date: String,
    appointment_time: String,
    client_full_name: Option<String>,
}

pub(crate) struct ScheduleAppointmentTool {
    pub(crate) calendar: Arc<dyn Calendar>,
    pub(crate) contacts: Contacts,
    /// Whom the profile books, if not the conversation's professional or anybody who is free.
    pub(crate) professional: Option<String>,
    pub(crate) intake: Intake,
}

/// What a name beside a booking means.
enum Named {
    /// The contact's own, or none.
    Own,
    /// That of a contact who had none.
    New(String),
    /// Somebody else's, for whom the contact books.
    Other(String),
}

impl ScheduleAppointmentTool {
    async fn named(&self, cx: &ToolContext, given: Option<&str>) -> ToolResult<Named> {
        let Some(given) = given.map(str::trim).filter(|name| !name.is_empty()) else { return Ok(Named::Own) };
        let known = self.contacts.info(organization(cx)?, contact(cx)?).await.map_err(broke)?;
        if may_be_theirs(given, known.name.as_deref(), known.preferred_name.as_deref()) {
            return Ok(Named::Own);
        }
        let nameless = known.name.is_none() && known.preferred_name.is_none();
        Ok(if nameless { Named::New(given.to_owned()) } else { Named::Other(given.to_owned()) })
    }

    async fn request(&self, cx: &ToolContext, args: &Args, named: &Named) -> ToolResult<BookRequest> {
        Ok(BookRequest {
            professional: with_whom(cx, self.professional.as_ref(), &self.intake).await?.map(Into::into),
            service: Some(ServiceChoice::Name(args.service_name.clone())),
            date: date(cx, &args.appointment_date, "appointmentDate")?,
            start_min: minutes(&args.appointment_time)?,
            attendee: if let Named::Other(name) = named { Some(name.clone()) } else { None },
            pending: false,
            source: "agent".to_owned(),
            price_agreed: is_price_agreed(cx),
        })
    }

    /// Keeps the name of a contact who had none. A name that cannot be kept takes nothing from the booking: it is done, and is
    /// asked for again another time.
    async fn keep_name(&self, cx: &ToolContext, name: String) -> ToolResult<()> {
        let key = key(cx, "scheduleAppointmentTool");
        let key = EffectKey { key: format!("{}/name", key.key), ..key };
        let update = ContactUpdate { name: Some(name), ..ContactUpdate::default() };
        let kept = self.contacts.update(organization(cx)?, contact(cx)?, key, "agent".to_owned(), update).await;
        if let Err(error) = kept {
            tracing::warn!(%error, "a booking's name was not kept");
        }
        Ok(())
    }
}

#[async_trait]
impl NativeTool for ScheduleAppointmentTool {
    type Args = Args;
    const CONFIRMABLE: bool = true;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        if let Some(asked) = ask_if_price_changed(cx, self.preview(cx, args.clone())).await? {
            return Ok(asked);
        }
        let named = self.named(cx, args.client_full_name.as_deref()).await?;
        let request = self.request(cx, &args, &named).await?;
        let key = key(cx, "scheduleAppointmentTool");
        let done = calendar::book(self.calendar.as_ref(), owner(cx)?, key, request).await.map_err(calendar_broke)?;
        let done = match done {
            Ok(done) => done,
            Err(Refusal::Rule(BookingRefusal::PriceNotAgreed)) => return ask_first(self.preview(cx, args).await?),
            Err(refusal) => return refused(cx, refusal),
        };
        if let Named::New(name) = named {
            self.keep_name(cx, name).await?;
        }
        Ok(success(cx, &done))
    }

    async fn preview(&self, cx: &ToolContext, args: Args) -> ToolResult<Preview> {
        let named = self.named(cx, args.client_full_name.as_deref()).await?;
        let request = BookRequest { price_agreed: true, ..self.request(cx, &args, &named).await? };
        match self.calendar.would_book(owner(cx)?, request).await.map_err(calendar_broke)? {
            Ok(done) => {
                let parts = &done.entry.visit.parts;
                let (what, who) = (parts.services(), parts.professionals());
                let at = when(cx, &done.entry);
                let question = match in_locale(cx, "pt", "en") {
                    "pt" => format!("Posso marcar {what} com {who}, {at}?"),
                    _ => format!("May I book {what} with {who}, {at}?"),
                };
                Ok(question_after(price_notice_of(cx, &done), question))
            }
            Err(refusal) => Ok(Preview::Refused(refused(cx, refusal)?)),
        }
    }
}

fn success(cx: &ToolContext, done: &Done) -> ToolOutput {
    let one = &done.entry.visit;
    let saved = if done.already {
        in_locale(cx, "Você já tinha este agendamento; nada mudou.", "You had this appointment already.")
    } else {
        in_locale(cx, "Agendamento salvo com sucesso no sistema.", "The appointment was saved.")
    };
    let at = when(cx, &done.entry);
    let (services, professionals) = (one.parts.services(), one.parts.professionals());
    let what = match in_locale(cx, "pt", "en") {
        "pt" => format!("{services} com {professionals}, {at}."),
        _ => format!("{services} with {professionals}, {at}."),
    };
    ToolOutput::success(json!({
        "success": true,
        "message": with_sentence(&format!("{saved} {what}"), notice(cx, done).as_deref()),
        "eventId": done.entry.id.as_str(),
        "date": written(one.date),
        "weekday": weekday(cx, one.date),
        "start": one.start,
        "end": one.finish,
        "service": services,
        "professional": professionals,
        "alreadyBooked": done.already,
    }))
    .receipt(visit_receipt(ReceiptKind::Booked, one))
}

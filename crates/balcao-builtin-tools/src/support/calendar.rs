//! What the tools of pack `calendar` share: dates as DD/MM/YYYY, events without a word of what they are, and refusals in
//! that dialect.

use balcao_app::scheduling::booking::BookingRefusal;
use balcao_app::scheduling::calendar::{CalendarError, Done, Entry, Owner, Reading, Refusal, Source};
use balcao_app::scheduling::intake::Intake;
use balcao_domain::hours::Period;
use balcao_language::resolve_date;
use balcao_tool::{ErrorCode, ToolContext, ToolError, ToolOutput, ToolResult};
use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::{Map, Value, json};

use super::{
    bad_field, booking_refusal, broke, changed_price, contact, conversation, date_error, day, in_locale, internal,
    name_error, organization, plan_sentence, price_sentence, time_in_words,
};

/// For whom the tools of a turn act on the calendar.
pub(crate) fn owner(cx: &ToolContext) -> ToolResult<Owner> {
    Ok(Owner { organization: organization(cx)?, contact: contact(cx)? })
}

/// `DD/MM/YYYY`.
pub(crate) fn written(date: Date) -> String {
    date.strftime("%d/%m/%Y").to_string()
}

/// Reads a date argument: DD/MM/YYYY or the customer's words, counted from the turn's day.
pub(crate) fn date(cx: &ToolContext, text: &str, argument: &str) -> ToolResult<Date> {
    let read = resolve_date(text, cx.now.date()).map(|resolved| resolved.date);
    read.map_err(|problem| date_error(&problem, text, argument, "DD/MM/YYYY", written))
}

/// Reads `startDate` and `endDate`: at most `most` days apart.
pub(crate) fn range(cx: &ToolContext, start: &str, end: &str, most: i32) -> ToolResult<(Date, Date)> {
    let (from, to) = (date(cx, start, "startDate")?, date(cx, end, "endDate")?);
    let days = from.until(to).map_or(i32::MAX, |span| span.get_days());
    if days < 0 {
        return Err(bad_field("endDate", "out_of_range", format!("{} or later", written(from)), end));
    }
    if days > most {
        let expected = format!("at most {most} days after {}", written(from));
        return Err(bad_field("endDate", "out_of_range", expected, end));
    }
    Ok((from, to))
}

/// "08:00-12:00, 14:00-18:00"; or that the business is closed, or that nobody who was asked about works.
pub(crate) fn business_hours(cx: &ToolContext, open: &[Period], closed: bool) -> String {
    if closed {
        return in_locale(cx, "Fechado", "Closed").to_owned();
    }
    if open.is_empty() {
        return in_locale(cx, "Sem atendimento", "Nobody works").to_owned();
    }
    open.iter().map(Period::to_string).collect::<Vec<_>>().join(", ")
}

/// An event as a model sees it: when it is and how it is named for cancelling, and nothing else.
pub(crate) fn event(cx: &ToolContext, entry: &Entry) -> Value {
    let (on, until) = (written(entry.visit.date), written(entry.visit.finish_date));
    json!({
        "id": entry.id.as_str(),
        "summary": in_locale(cx, "Compromisso Ocupado", "Busy"),
        "start": format!("{on} {}", entry.visit.start),
        "end": format!("{until} {}", entry.visit.finish),
    })
}

/// When an entry is, in words: "sexta, 27/11 às 15h".
pub(crate) fn when(cx: &ToolContext, entry: &Entry) -> String {
    let (on, at) = (day(cx, entry.visit.date), time_in_words(cx, &entry.visit.start));
    match in_locale(cx, "pt", "en") {
        "pt" => format!("{on} às {at}"),
        _ => format!("{on} at {at}"),
    }
}

/// Why an act has the full price although the customer has a plan, or the price that a move changes, as a sentence for the customer.
pub(crate) fn notice(cx: &ToolContext, done: &Done) -> Option<String> {
    let now = done.entry.visit.price;
    let changed = || done.before.as_ref().and_then(|before| changed_price(cx, before.price, now));
    plan_sentence(cx, done.plan_notice.as_ref(), now).or_else(changed)
}

/// [`notice`], or that the price is not the one that the customer read.
pub(crate) fn price_notice_of(cx: &ToolContext, done: &Done) -> Option<String> {
    let visit = &done.entry.visit;
    notice(cx, done).or_else(|| price_sentence(cx, &visit.parts.services(), visit.price))
}

/// What is to be said of an answer that the calendar itself did not give.
pub(crate) fn age<T>(cx: &ToolContext, seen: &Reading<T>) -> Option<String> {
    match seen.source {
        Source::Live => None,
        Source::Mirror { as_of } => Some(age_of_copy(cx, as_of)),
    }
}

/// That an answer is from our copy of a calendar, and as of when.
pub(crate) fn age_of_copy(cx: &ToolContext, as_of: Timestamp) -> String {
    let at = as_of.to_zoned(cx.now.time_zone().clone()).strftime("%d/%m/%Y %H:%M").to_string();
    match in_locale(cx, "pt", "en") {
        "pt" => format!("A agenda não respondeu; isto é da nossa cópia, como estava em {at}, e pode ter mudado."),
        _ => format!("The calendar did not answer; this is from our copy, as of {at}, and may have changed."),
    }
}

/// Puts the age of our copy before whatever a result says, if the result is from the copy.
pub(crate) fn note_age(cx: &ToolContext, value: &mut Value, as_of: Option<Timestamp>) {
    let (Some(as_of), Some(fields)) = (as_of, value.as_object_mut()) else { return };
    let age = age_of_copy(cx, as_of);
    let message = match fields.get("message").and_then(Value::as_str) {
        Some(message) => format!("{age} {message}"),
        None => age,
    };
    fields.insert("message".to_owned(), message.into());
}

/// A calendar that broke: the model learns that it did, staff learn why.
pub(crate) fn calendar_broke(error: CalendarError) -> Box<ToolError> {
    match error {
        CalendarError::UseCase(error) => broke(error),
        CalendarError::Unavailable { .. } | CalendarError::Unknown { .. } | CalendarError::Disconnected { .. } => {
            let told = ToolError::from_source(ErrorCode::Unavailable, &error);
            if error.is_unknown() { told.uncertain() } else { told }.into()
        }
    }
}

/// A correct "no" becomes `success: false` with its reason; a name or id that does not exist becomes an error.
///
/// # Errors
/// `not_found` and `ambiguous`, with what would be right.
pub(crate) fn refused(cx: &ToolContext, refusal: Refusal) -> ToolResult<ToolOutput> {
    match refusal {
        Refusal::Changed { now } => {
            let now_at = when(cx, &now);
            let told = match in_locale(cx, "pt", "en") {
                "pt" => format!("Esse compromisso foi mudado; agora é {now_at}. Nada foi feito."),
                _ => format!("This event was changed; it is now {now_at}. Nothing was done."),
            };
            let value = json!({"success": false, "reason": "CHANGED", "error": told, "event": event(cx, &now)});
            Ok(ToolOutput::refusal(value))
        }
        Refusal::NotFound { .. } => Err(ToolError::new(ErrorCode::NotFound, "this contact has no such event")
            .detail("argument", "eventId")
            .into()),
        Refusal::Rule(BookingRefusal::Service(refusal)) => Err(name_error(refusal, "serviceName")),
        // The name is the profile's, not the model's.
        Refusal::Rule(BookingRefusal::Professional(refusal)) => {
            Err(internal(&format!("the professional that the profile books is not there: {refusal:?}")))
        }
        Refusal::Rule(rule) => {
            let output = booking_refusal(cx, rule, true)?;
            Ok(ToolOutput { value: Value::Object(dialect(&output.value)), ..output })
        }
    }
}

/// A refusal of booking in the words of this pack.
fn dialect(value: &Value) -> Map<String, Value> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let br = |value: &Value| {
        value.as_str().and_then(|text| text.parse().ok()).map_or(Value::Null, |day| written(day).into())
    };
    let slot = |one: &Value| json!({"date": br(&one["date"]), "weekday": one["weekday"], "time": one["start_hour"], "professional": one["barber"]});
    let hours = |all: &Value| {
        let periods = all.as_array().into_iter().flatten();
        periods.map(|one| format!("{}-{}", text(&one["opens"]), text(&one["closes"]))).collect::<Vec<_>>().join(", ")
    };
    let mut told = Map::new();
    for (key, fact) in value.as_object().into_iter().flatten() {
        let (name, fact) = match key.as_str() {
            "success" | "reason" | "note" | "service" | "limit" => (key.as_str(), fact.clone()),
            "message" => ("error", fact.clone()),
            "alternatives" => ("alternatives", fact.as_array().into_iter().flatten().map(slot).collect()),
            "works" => ("businessHours", hours(fact).into()),
            "notice_minutes" => ("noticeMinutes", fact.clone()),
            "last_date" => ("lastDate", br(fact)),
            "today" => ("today", br(fact)),
            "time_now" => ("timeNow", fact.clone()),
            "barber" => ("professional", fact.clone()),
            "offered_by" => ("offeredBy", fact.clone()),
            // What else the neighbours tell are appointments in their shape.
            _ => continue,
        };
        told.insert(name.to_owned(), fact);
    }
    told
}

/// Whom a call is about: the one whom the profile books, else the conversation's professional, else anybody.
pub(crate) async fn with_whom(
    cx: &ToolContext,
    profile: Option<&String>,
    intake: &Intake,
) -> ToolResult<Option<String>> {
    match profile {
        Some(name) => Ok(Some(name.clone())),
        None => intake.with_whom(organization(cx)?, conversation(cx)?).await.map_err(broke),
    }
}

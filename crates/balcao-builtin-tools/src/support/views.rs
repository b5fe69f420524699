//! Shapes that several tools answer with.

use balcao_app::scheduling::appointments::AppointmentView;
use balcao_app::scheduling::availability::Slot;
use balcao_app::scheduling::calendar::Visit;
use balcao_domain::hours::Period;
use balcao_language::format;
use balcao_tool::{Receipt, ReceiptKind, ToolContext};
use jiff::civil::{Date, Time};
use serde_json::{Value, json};

use super::words;

/// An appointment as a model sees it.
pub(crate) fn appointment(cx: &ToolContext, view: &AppointmentView) -> Value {
    let mut value = json!({
        "appointment_id": i64::from(view.id),
        "date": view.date.to_string(),
        "weekday": weekday(cx, view.date),
        "start_hour": view.start,
        "finish_hour": view.finish,
        "service": view.service,
        "barber": view.professional,
        "status": view.status.as_str(),
        "price": view.price.to_string(),
    });
    // For whom the contact booked it: their own words.
    if let (Some(fields), Some(attendee)) = (value.as_object_mut(), &view.attendee) {
        fields.insert("attendee".to_owned(), attendee.as_str().into());
    }
    value
}

/// Slots that may be offered instead.
pub(crate) fn slots(cx: &ToolContext, slots: &[Slot]) -> Value {
    let one = |slot: &Slot| json!({"date": slot.date.to_string(), "weekday": weekday(cx, slot.date), "start_hour": slot.start, "barber": slot.professional});
    slots.iter().map(one).collect()
}

/// What an appointment proves.
pub(crate) fn receipt(kind: ReceiptKind, view: &AppointmentView) -> Receipt {
    visit_receipt(kind, &view.clone().into())
}

/// What a reply may state of a calendar's entry.
pub(crate) fn visit_receipt(kind: ReceiptKind, visit: &Visit) -> Receipt {
    let time = |text: &str| text.parse::<Time>().ok();
    Receipt {
        kind,
        day: Some(visit.date),
        start: time(&visit.start),
        end: time(&visit.finish),
        professional: Some(visit.parts.professionals()),
        service: Some(visit.parts.services()),
        price_cents: Some(visit.price.cents),
    }
}

/// Opening periods.
pub(crate) fn periods(periods: &[Period]) -> Value {
    periods.iter().map(|period| json!({"opens": period.opens(), "closes": period.closes()})).collect()
}

/// A weekday's name.
pub(crate) fn weekday(cx: &ToolContext, date: Date) -> &'static str {
    format::weekday(date.weekday(), words(cx))
}

/// A day as it is said: "sexta, 27/11".
pub(crate) fn day(cx: &ToolContext, date: Date) -> String {
    format::day(date, words(cx))
}

/// `HH:MM` as it is said: "15h30".
pub(crate) fn time_in_words(cx: &ToolContext, text: &str) -> String {
    text.parse::<Time>().map_or_else(|_| text.to_owned(), |time| format::time(time, words(cx)))
}

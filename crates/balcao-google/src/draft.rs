//! How an event that the program writes stands in a request.

use balcao_app::context::calendar_service::EventDraft;
use balcao_domain::outside_event::{EventMark, EventOwner};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

/// The private property that names the installation.
pub(crate) const INSTALLATION: &str = "balcaoInstallation";
/// The private property that names the business.
pub(crate) const ORGANIZATION: &str = "balcaoOrganization";
/// The private property that names the appointment.
pub(crate) const APPOINTMENT: &str = "balcaoAppointment";

/// Whether an event may have this id: 5 to 1024 characters of base32hex.
pub(crate) fn is_event_id(id: &str) -> bool {
    (5..=1_024).contains(&id.len()) && id.bytes().all(|one| one.is_ascii_digit() || (b'a'..=b'v').contains(&one))
}

/// A draft as a new event, with its id.
pub(crate) fn insertion(draft: &EventDraft) -> Value {
    let mut body = body(draft);
    if let Some(fields) = body.as_object_mut() {
        fields.insert("id".to_owned(), json!(draft.id));
    }
    body
}

/// All that the program says of an event, without its id.
fn body(draft: &EventDraft) -> Value {
    let EventMark { owner: EventOwner { installation, organization }, appointment } = &draft.mark;
    json!({
        "summary": draft.title,
        "description": draft.description,
        "start": moment(draft.span.start, &draft.zone),
        "end": moment(draft.span.end, &draft.zone),
        "status": "confirmed",
        "transparency": "opaque",
        // People who may only read the calendar see that the time is taken, and not by whose visit.
        "visibility": "private",
        "reminders": { "useDefault": false },
        "extendedProperties": {
            "private": {
                INSTALLATION: installation,
                ORGANIZATION: organization.to_string(),
                APPOINTMENT: appointment.to_string(),
            },
        },
    })
}

/// A draft as changes of an event that exists. A person may have made it one of whole days, so that is taken back.
pub(crate) fn changes(draft: &EventDraft) -> Value {
    let mut body = body(draft);
    for key in ["start", "end"] {
        if let Some(time) = body.get_mut(key).and_then(Value::as_object_mut) {
            time.insert("date".to_owned(), Value::Null);
        }
    }
    body
}

/// A time with its offset and the name of its zone.
fn moment(at: Timestamp, zone: &TimeZone) -> Value {
    let text = at.to_zoned(zone.clone()).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
    json!({ "dateTime": text, "timeZone": zone.iana_name().unwrap_or("UTC") })
}

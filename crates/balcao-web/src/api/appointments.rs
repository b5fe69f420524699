//! Appointments: read, booked, moved, cancelled, by the same rules as everywhere.

mod reminders;

use balcao_app::admin::keys::Scope;
use balcao_app::crm::contacts::Contacts;
use balcao_app::scheduling::appointments::{AppointmentFilter, AppointmentRecord, AppointmentView, Appointments};
use balcao_app::scheduling::booking::{BookRequest, Booked, Booking, RescheduleRequest, ServiceChoice};
use balcao_domain::hours::parse_minute;
use balcao_domain::subscription::NotCovered;
use balcao_domain::{AppointmentId, AppointmentStatus, ContactId};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::catalog::Price;
use super::cursor::{self, Page};
use super::endpoint::{Call, Done, Endpoint, Nothing, PathId, Route, field, parameter};
use super::method::Method;
use super::{input, refusals};
use crate::problem::Problem;
use reminders::RemindedAppointment;

/// Where appointments of the API are said to be booked.
const SOURCE: &str = "api";

/// Which appointments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AppointmentQuery {
    /// The first local date; today, if absent.
    #[schemars(extend("format" = "date"), example = &"2026-11-23")]
    from: Option<String>,
    /// The last local date; that of `from`, if absent.
    #[schemars(extend("format" = "date"), example = &"2026-11-29")]
    to: Option<String>,
    /// Only unmarked visits that have ended; without dates those of the last thirty days.
    #[serde(default)]
    unmarked: bool,
    /// How many rows at most.
    #[schemars(range(min = 1, max = 100), example = 25)]
    limit: Option<u32>,
    /// `next_cursor` of the page before; without it, the first page.
    #[schemars(length(max = 200), regex(pattern = r"^[A-Za-z0-9_-]+$"))]
    cursor: Option<String>,
}

/// Where an appointment stands.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    /// It only holds its time until it is confirmed or expires.
    Pending,
    /// It takes place.
    Confirmed,
    /// It took place.
    Completed,
    /// The contact did not come.
    NoShow,
    /// It does not take place.
    Cancelled,
}

impl From<AppointmentStatus> for Status {
    fn from(status: AppointmentStatus) -> Self {
        match status {
            AppointmentStatus::Pending => Self::Pending,
            AppointmentStatus::Confirmed => Self::Confirmed,
            AppointmentStatus::Completed => Self::Completed,
            AppointmentStatus::NoShow => Self::NoShow,
            AppointmentStatus::Cancelled => Self::Cancelled,
        }
    }
}

/// An appointment, in the local time of the business.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Appointment {
    /// Its id.
    id: String,
    /// Whose it is.
    contact_id: String,
    /// Who is booked.
    professional: String,
    /// What is booked; empty for a visit without a service.
    service: String,
    /// Its id.
    service_id: Option<String>,
    /// The local date.
    date: String,
    /// The local time it starts, `HH:MM`.
    start: String,
    /// The local time it ends, `HH:MM`.
    finish: String,
    /// Where it stands.
    status: Status,
    /// The price at booking; zero where a plan covers it.
    price: Price,
    /// The person who comes, if that is not the contact.
    attendee: Option<String>,
    /// Who ended it; `null` of an open one, and of one that ended without a record.
    mark: Option<Mark>,
    /// The appointment in its place, if it was moved; it is `cancelled` then.
    moved_to: Option<String>,
}

/// Who said how an appointment ended.
#[derive(Debug, Serialize, JsonSchema)]
struct Mark {
    /// The e-mail address of a staff member, `api:` and a key, `customer`, `operator`, or `job`: the server assumed it.
    by: String,
    /// When.
    #[schemars(extend("format" = "date-time"))]
    at: String,
}

/// What is to be booked.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AppointmentBooking {
    /// The contact.
    #[schemars(regex(pattern = r"^con_[1-9][0-9]{0,9}$"), example = &"con_12")]
    contact_id: String,
    /// The local date.
    #[schemars(extend("format" = "date"), example = &"2026-11-24")]
    date: String,
    /// The local time it starts, `HH:MM`.
    #[schemars(regex(pattern = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"), example = &"10:30")]
    start: String,
    /// What, by name or alias; a visit of the usual time, if `service` and `service_id` are absent.
    #[schemars(length(min = 1, max = 200), regex(pattern = r"^[^\u0000]*$"), example = &"Corte")]
    service: Option<String>,
    /// What, by id. With `service`, both must mean the same.
    #[schemars(regex(pattern = r"^srv_[1-9][0-9]{0,9}$"), example = &"srv_1")]
    service_id: Option<String>,
    /// The professional, by name; any who is free and offers the service, if absent.
    #[schemars(length(min = 1, max = 200), regex(pattern = r"^[^\u0000]*$"), example = &"Davi")]
    professional: Option<String>,
    /// The person who comes, if that is not the contact.
    #[schemars(length(min = 1, max = 120), regex(pattern = r"^[^\u0000]*$"), example = &"Léo")]
    attendee: Option<String>,
    /// Whether it only holds the time until it is confirmed or expires.
    #[serde(default)]
    pending: bool,
}

/// When an appointment is to be instead.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AppointmentMove {
    /// The new local date.
    #[schemars(extend("format" = "date"), example = &"2026-11-25")]
    date: String,
    /// The new local time, `HH:MM`.
    #[schemars(regex(pattern = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"), example = &"15:00")]
    start: String,
    /// The professional, by name; as before, if absent.
    #[schemars(length(min = 1, max = 200), regex(pattern = r"^[^\u0000]*$"), example = &"Davi")]
    professional: Option<String>,
    /// What, by name or alias; as before, if absent.
    #[schemars(length(min = 1, max = 200), regex(pattern = r"^[^\u0000]*$"), example = &"Corte")]
    service: Option<String>,
}

/// An appointment that the contact has now.
#[derive(Debug, Serialize, JsonSchema)]
struct AppointmentBooked {
    /// The appointment.
    appointment: Appointment,
    /// Whether the contact had it already, so that nothing was done.
    already_booked: bool,
    /// The plan that pays for it.
    plan_name: Option<String>,
    /// The contact's plan that does not pay for it; of a move only if it became dearer.
    plan_notice: Option<PlanNotice>,
    /// Whether a name was a near spelling only.
    near_name: bool,
}

/// A plan that does not pay, and why.
#[derive(Debug, Serialize, JsonSchema)]
struct PlanNotice {
    /// The plan.
    plan: String,
    /// Why the appointment has its full price.
    reason: NoticeReason,
}

/// Why a plan does not pay.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum NoticeReason {
    /// The plan does not include the service.
    OtherService,
    /// The appointments of the period are used up.
    QuotaUsed,
    /// A payment is late.
    Overdue,
    /// The subscription rests.
    Paused,
    /// The subscription is over by the day of the visit.
    Ended,
}

/// An appointment that was moved.
#[derive(Debug, Serialize, JsonSchema)]
struct AppointmentMoved {
    /// What was cancelled.
    old: Appointment,
    /// What was booked instead.
    new: AppointmentBooked,
}

pub(super) fn appointment(view: AppointmentView, contact: ContactId) -> Appointment {
    Appointment {
        id: view.id.to_string(),
        contact_id: contact.to_string(),
        professional: view.professional,
        service: view.service,
        service_id: view.service_id.map(|id| id.to_string()),
        date: view.date.to_string(),
        start: view.start,
        finish: view.finish,
        status: view.status.into(),
        price: view.price.into(),
        attendee: view.attendee,
        mark: view.mark.map(|mark| Mark { by: mark.by.name().to_owned(), at: mark.at.to_string() }),
        moved_to: view.moved_to.map(|to| to.to_string()),
    }
}

fn booked(booked: Booked, contact: ContactId) -> AppointmentBooked {
    AppointmentBooked {
        appointment: appointment(booked.appointment, contact),
        already_booked: booked.already_booked,
        plan_name: booked.plan_name,
        plan_notice: booked.plan_notice.map(|notice| PlanNotice {
            plan: notice.plan,
            reason: match notice.reason {
                NotCovered::OtherService => NoticeReason::OtherService,
                NotCovered::QuotaUsed { .. } => NoticeReason::QuotaUsed,
                NotCovered::Overdue { .. } => NoticeReason::Overdue,
                NotCovered::Paused => NoticeReason::Paused,
                NotCovered::Ended { .. } => NoticeReason::Ended,
            },
        }),
        near_name: booked.near_name,
    }
}

pub(super) fn example(status: &str) -> Value {
    let mark = ["completed", "no_show", "cancelled"].contains(&status);
    let mark = mark.then(|| json!({ "by": "davi@figueira.example", "at": "2026-11-24T14:05:00Z" }));
    json!({ "id": "apt_31", "contact_id": "con_12", "professional": "Davi Lopes", "service": "Corte",
        "service_id": "srv_1", "date": "2026-11-24", "start": "10:30", "finish": "11:00", "status": status,
        "price": { "cents": 5000, "currency": "BRL" }, "attendee": null, "mark": mark, "moved_to": null })
}

const NOT_BOOKED: (u16, &str) = (
    409,
    "The time cannot be had, and why: `slot_taken`, `outside_hours`, `too_soon`, `too_far`, `past_date`, `no_such_time`, \
     `off_grid`, `not_offered`, `too_many_open`, `other_at_that_time`; of an appointment that is changed also \
     `already_started`, `already_cancelled`, `moved` with `facts.moved_to`, `cancellation_notice`. `facts.alternatives` are the nearest free times.",
);

pub(super) fn endpoints() -> Result<Vec<Endpoint>, String> {
    let new = json!({ "appointment": example("confirmed"), "already_booked": false, "plan_name": null,
            "plan_notice": null, "near_name": false });
    let list = Route {
        method: Method::Get,
        path: "/v1/appointments",
        scope: Scope::Read,
        name: "list_appointments",
        group: "Appointments",
        summary: "Appointments of a day or several",
        description: "In order of start, cancelled ones included.",
        id: None,
        success: 200,
        refusals: &[],
        body: None,
        answer: json!({ "items": [reminders::example()], "next_cursor": null }),
    };
    let show = Route {
        path: "/v1/appointments/{id}",
        name: "get_appointment",
        summary: "One appointment",
        description: "",
        id: Some(PathId { kind: "appointment", prefix: AppointmentId::PREFIX }),
        answer: reminders::example(),
        ..list.clone()
    };
    let book = Route {
        method: Method::Post,
        scope: Scope::Write,
        name: "book_appointment",
        summary: "Book an appointment",
        description: "By the same rules as for a customer: hours, notice, capacity, plans. If the contact has the very same \
                      one already, that is given.",
        success: 201,
        refusals: &[NOT_BOOKED],
        body: Some(json!({ "contact_id": "con_12", "service": "Corte", "professional": "Davi", "date": "2026-11-24",
            "start": "10:30" })),
        answer: new.clone(),
        ..list.clone()
    };
    let reschedule = Route {
        method: Method::Post,
        path: "/v1/appointments/{id}/reschedule",
        scope: Scope::Write,
        name: "reschedule_appointment",
        summary: "Move an appointment",
        description: "The old time is freed only if the new one is had. With the same professional and the same service the price \
                      and the length stay as they were booked; else those of today hold. `old.price` and `new.appointment.price` \
                      are the price before and now.",
        refusals: &[NOT_BOOKED],
        body: Some(json!({ "date": "2026-11-25", "start": "15:00" })),
        answer: json!({ "old": example("cancelled"), "new": new }),
        ..show.clone()
    };
    let cancel = Route {
        path: "/v1/appointments/{id}/cancel",
        name: "cancel_appointment",
        summary: "Cancel an appointment",
        description: "Its time is free at once, and offered to the waiting list.",
        refusals: &[(409, "`already_started`, `already_cancelled` or `cancellation_notice`.")],
        body: None,
        answer: example("cancelled"),
        ..reschedule.clone()
    };
    Ok(vec![
        Endpoint::new(list, page)?,
        Endpoint::new(book, create)?,
        Endpoint::new(show, get)?,
        Endpoint::new(reschedule, change)?,
        Endpoint::new(cancel, end)?,
    ])
}

async fn page(call: Call, query: AppointmentQuery, _body: Nothing) -> Result<Done<Page<RemindedAppointment>>, Problem> {
    let date = |name: &str, text: Option<String>| text.map(|text| parameter::<Date>(name, &text)).transpose();
    let filter =
        AppointmentFilter { from: date("from", query.from)?, to: date("to", query.to)?, unmarked: query.unmarked };
    if let (Some(from), Some(to)) = (filter.from, filter.to)
        && to < from
    {
        return Err(input::bad_parameter("to", &to.to_string(), format!("no day before {from}, that of `from`")));
    }
    let after = query.cursor.as_deref().map(cursor::read_instant).transpose()?;
    let limit = cursor::limit(query.limit);
    let found = Appointments::new(call.api.app()).page(call.organization(), filter, after, limit).await?;
    let next_cursor = found.next.map(|(at, id)| cursor::of_instant(at, id.into()));
    let items = found.items.into_iter().map(reminders::shown);
    Ok(Page { items: items.collect(), next_cursor }.into())
}

async fn found(call: &Call) -> Result<(AppointmentId, AppointmentRecord), Problem> {
    let id: AppointmentId = call.id()?;
    let found = Appointments::new(call.api.app()).find(call.organization(), id).await?;
    found.map(|found| (id, found)).ok_or_else(|| refusals::missing("appointment", id))
}

async fn get(call: Call, _query: Nothing, _body: Nothing) -> Result<Done<RemindedAppointment>, Problem> {
    let (_, found) = found(&call).await?;
    Ok(reminders::shown(found).into())
}

fn booking(call: &Call) -> Booking {
    Booking::new(call.api.app()).by(call.caller.actor())
}

async fn create(call: Call, _query: Nothing, asked: AppointmentBooking) -> Result<Done<AppointmentBooked>, Problem> {
    let contact: ContactId = field("/contact_id", &asked.contact_id)?;
    let service_id = asked.service_id.map(|text| field("/service_id", &text)).transpose()?;
    let request = BookRequest {
        professional: asked.professional.map(Into::into),
        service: match (asked.service, service_id) {
            (Some(name), Some(id)) => Some(ServiceChoice::NameAndId { name, id }),
            (Some(name), None) => Some(ServiceChoice::Name(name)),
            (None, Some(id)) => Some(ServiceChoice::Id(id)),
            (None, None) => None,
        },
        date: field("/date", &asked.date)?,
        start_min: minute(&asked.start)?,
        attendee: asked.attendee,
        pending: asked.pending,
        source: SOURCE.to_owned(),
        price_agreed: true,
    };
    if Contacts::new(call.api.app()).find(call.organization(), contact).await?.is_none() {
        let expected = "the id of a contact; `GET /v1/contacts` finds them".to_owned();
        return Err(input::bad_field("/contact_id", &asked.contact_id, expected));
    }
    let done = booking(&call).book(call.organization(), contact, call.key.clone(), request).await?;
    let new = done.value.map_err(refusals::of_booking)?;
    Ok(Done::once(booked(new, contact), done.repeated))
}

async fn change(call: Call, _query: Nothing, asked: AppointmentMove) -> Result<Done<AppointmentMoved>, Problem> {
    let (id, AppointmentRecord { contact, .. }) = found(&call).await?;
    let request = RescheduleRequest {
        appointment: Some(id),
        date: field("/date", &asked.date)?,
        start_min: minute(&asked.start)?,
        professional: asked.professional,
        service: asked.service.map(ServiceChoice::Name),
        source: SOURCE.to_owned(),
        price_agreed: true,
    };
    let done = booking(&call).reschedule(call.organization(), contact, call.key.clone(), request).await?;
    let moved = done.value.map_err(refusals::of_booking)?;
    let answer = AppointmentMoved { old: appointment(moved.old, contact), new: booked(moved.new, contact) };
    Ok(Done::once(answer, done.repeated))
}

async fn end(call: Call, _query: Nothing, _body: Nothing) -> Result<Done<Appointment>, Problem> {
    let (id, AppointmentRecord { contact, .. }) = found(&call).await?;
    let done = booking(&call).cancel(call.organization(), contact, call.key.clone(), Some(id)).await?;
    let cancelled = done.value.map_err(refusals::of_booking)?;
    Ok(Done::once(appointment(cancelled, contact), done.repeated))
}

fn minute(text: &str) -> Result<u16, Problem> {
    parse_minute(text).map_err(|error| input::bad_field("/start", text, error.to_string()))
}

//! Bookings outside of working time: listed, and moved, cancelled or kept.

use balcao_app::admin::keys::Scope;
use balcao_app::context::staff_email::Actor;
use balcao_app::messaging::outbound::reach::Reach;
use balcao_app::scheduling::appointments::AppointmentView;
use balcao_app::scheduling::availability::Slot;
use balcao_app::scheduling::ways_out::{ChangeNotice, Conflict, ResolveRefusal, Way, WayOut, WaysOut};
use balcao_domain::AppointmentId;
use balcao_domain::hours::parse_minute;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::appointments::{Appointment, appointment, example};
use super::endpoint::{Call, Done, Endpoint, Nothing, PathId, Route, field};
use super::method::Method;
use super::{input, refusals};
use crate::problem::Problem;

/// How many conflicts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ConflictQuery {
    /// How many at most.
    #[schemars(range(min = 1, max = 200), example = 100)]
    limit: Option<u32>,
}

/// A booking to come that lies outside of working time.
#[derive(Debug, Serialize, JsonSchema)]
struct ConflictingAppointment {
    /// The appointment.
    appointment: Appointment,
    /// Why: `time_off`, `business_closed` or `not_working`.
    reason: String,
}

/// The first conflicts.
#[derive(Debug, Serialize, JsonSchema)]
struct ConflictList {
    /// In order of start.
    items: Vec<ConflictingAppointment>,
    /// How many there are besides.
    more: usize,
}

/// A free time.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FreeTime {
    /// Whose.
    professional: String,
    /// The local date.
    date: String,
    /// The local time, `HH:MM`.
    start: String,
}

impl FreeTime {
    /// The time of a booking.
    pub(super) fn from_view(view: &AppointmentView) -> Self {
        Self { professional: view.professional.clone(), date: view.date.to_string(), start: view.start.clone() }
    }
}

/// How a message reaches a contact.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Delivery {
    /// `message`, `template`, or `nothing`.
    form: String,
    /// The price in millionths of the currency of the business: 0 is free of charge, `null` is unknown.
    price_micros: Option<u64>,
    /// The name of the template.
    template: Option<String>,
    /// Why nothing reaches them: `opted_out`, `no_channel`, `no_template` or `monthly_cap`.
    reason: Option<String>,
}

/// Something that can be done, with what the contact would read.
#[derive(Debug, Serialize, JsonSchema)]
struct Choice {
    /// `move`, `cancel` or `keep`.
    way: String,
    /// Of a move, the new time.
    to: Option<FreeTime>,
    /// The message, in the language of the business.
    text: String,
    /// How it would reach them now.
    delivery: Delivery,
}

/// A booking with its ways out.
#[derive(Debug, Serialize, JsonSchema)]
struct WayOutList {
    /// The appointment.
    appointment: Appointment,
    /// Why it lies outside of working time, as in the list of conflicts; `null` if it does not.
    reason: Option<String>,
    /// Whether staff keep it in spite of that reason.
    kept: bool,
    /// Moves to the next free times, those of the same professional first; cancelling; keeping, where there is a reason to.
    ways: Vec<Choice>,
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("example" = "move"))]
enum Word {
    /// Another time.
    Move,
    /// It does not take place.
    Cancel,
    /// The professional works all the same.
    Keep,
}

/// A way out that a person chose.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Resolution {
    /// What is to be done.
    way: Word,
    /// Of a move, the new local date.
    #[schemars(extend("format" = "date"), example = &"2026-11-27")]
    date: Option<String>,
    /// Of a move, the new local time, `HH:MM`.
    #[schemars(regex(pattern = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"), example = &"10:00")]
    start: Option<String>,
    /// Of a move, the professional by name; as before, if absent.
    #[schemars(length(min = 1, max = 200), regex(pattern = r"^[^\u0000]*$"), example = &"Davi")]
    professional: Option<String>,
    /// Whether the contact gets the message; if absent, of a move and of a cancellation.
    notify: Option<bool>,
    /// The e-mail address of the staff member who chose; if absent, the key is said to have done it.
    #[schemars(length(min = 1, max = 254), regex(pattern = r"^[^\u0000]*$"), example = &"davi@figueira.example")]
    staff: Option<String>,
}

/// A message to the contact.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Notice {
    /// The message.
    text: String,
    /// How it reaches them. With `nothing` it was not written.
    delivery: Delivery,
}

/// A booking after a way out.
#[derive(Debug, Serialize, JsonSchema)]
struct ResolvedAppointment {
    /// The appointment as it is now; of a move, the new one.
    appointment: Appointment,
    /// Whether anything changed: the same way a second time changes nothing.
    changed: bool,
    /// The message; `null` if nothing changed or the caller did not want one.
    notice: Option<Notice>,
}

const NOT_RESOLVED: (u16, &str) = (
    409,
    "`not_to_come`; of `keep` also `no_conflict`; of a move why the time cannot be had, as of a booking: `slot_taken`, `outside_hours`, …",
);

pub(super) fn endpoints() -> Result<Vec<Endpoint>, String> {
    let free = json!({ "form": "message", "price_micros": 0, "template": null, "reason": null });
    let text = "Infelizmente precisamos cancelar o seu horário de Corte com Davi Lopes, terça, 24/11 às 10h30. \
                Responda aqui para marcar outro.";
    let choice: Value = json!({ "way": "cancel", "to": null, "text": text, "delivery": free });
    let list = Route {
        method: Method::Get,
        path: "/v1/conflicts",
        scope: Scope::Read,
        name: "list_conflicts",
        group: "Appointments",
        summary: "Bookings outside of working time",
        description: "Bookings to come in a time off, a holiday or closed hours that staff do not keep, in order of start.",
        id: None,
        success: 200,
        refusals: &[],
        body: None,
        answer: json!({ "items": [{ "appointment": example("confirmed"), "reason": "time_off" }], "more": 0 }),
    };
    let show = Route {
        path: "/v1/appointments/{id}/ways-out",
        name: "list_ways_out",
        summary: "The ways out of a booking",
        description: "To move it, to cancel it, or to keep it, each with the exact message that the contact would get. Nothing changes.",
        id: Some(PathId { kind: "appointment", prefix: AppointmentId::PREFIX }),
        refusals: &[(409, "`not_to_come`.")],
        answer: json!({ "appointment": example("confirmed"), "reason": "time_off", "kept": false, "ways": [choice] }),
        ..list.clone()
    };
    let resolve = Route {
        method: Method::Post,
        path: "/v1/appointments/{id}/resolve",
        scope: Scope::Write,
        name: "resolve_appointment",
        summary: "Take a way out of a booking",
        description: "Moves, cancels or keeps the booking, notes it in the audit log, and writes the message to the contact, all at once. \
                      The cancellation notice does not bind staff.",
        refusals: &[NOT_RESOLVED],
        body: Some(json!({ "way": "cancel", "staff": "davi@figueira.example" })),
        answer: json!({ "appointment": example("cancelled"), "changed": true, "notice": { "text": text, "delivery": free } }),
        ..show.clone()
    };
    Ok(vec![
        Endpoint::new(list, conflicts)?,
        Endpoint::new(show, ways_out)?,
        Endpoint::new(resolve, resolve_appointment)?,
    ])
}

fn use_case(call: &Call) -> WaysOut {
    WaysOut::new(call.api.app(), call.api.policies())
}

fn delivery(reach: Reach) -> Delivery {
    let none = Delivery { form: "nothing".to_owned(), price_micros: None, template: None, reason: None };
    match reach {
        Reach::Message { price_micros } => Delivery { form: "message".to_owned(), price_micros, ..none },
        Reach::Template { name, price_micros } => {
            Delivery { form: "template".to_owned(), price_micros, template: Some(name), ..none }
        }
        Reach::Nothing { reason } => Delivery { reason: Some(reason.as_str().to_owned()), ..none },
    }
}

fn choice(one: WayOut) -> Choice {
    let time =
        |slot: Slot| FreeTime { professional: slot.professional, date: slot.date.to_string(), start: slot.start };
    Choice { way: one.way.to_owned(), to: one.to.map(time), text: one.text, delivery: delivery(one.reach) }
}

pub(super) fn notice(notice: ChangeNotice) -> Notice {
    Notice { text: notice.text, delivery: delivery(notice.reach) }
}

async fn conflicts(call: Call, query: ConflictQuery, _body: Nothing) -> Result<Done<ConflictList>, Problem> {
    let limit = usize::try_from(query.limit.unwrap_or(100)).unwrap_or(usize::MAX);
    let found = use_case(&call).conflicts(call.organization(), limit).await?;
    let item = |one: Conflict| ConflictingAppointment {
        appointment: appointment(one.appointment, one.contact),
        reason: one.reason.as_str().to_owned(),
    };
    Ok(ConflictList { items: found.items.into_iter().map(item).collect(), more: found.more }.into())
}

async fn ways_out(call: Call, _query: Nothing, _body: Nothing) -> Result<Done<WayOutList>, Problem> {
    let found = use_case(&call).find(call.organization(), call.id()?).await?.map_err(refused)?;
    let list = WayOutList {
        appointment: appointment(found.appointment, found.contact),
        reason: found.reason.map(|reason| reason.as_str().to_owned()),
        kept: found.is_kept,
        ways: found.ways.into_iter().map(choice).collect(),
    };
    Ok(list.into())
}

async fn resolve_appointment(
    call: Call,
    _query: Nothing,
    asked: Resolution,
) -> Result<Done<ResolvedAppointment>, Problem> {
    let by = asked.staff.clone().map_or_else(|| Actor::Program(call.caller.actor()), Actor::Staff);
    let (notify, way) = (asked.notify, way(asked)?);
    let ways = use_case(&call).once(call.key.clone());
    let done = ways.resolve(call.organization(), call.id()?, way, notify, by).await?.map_err(refused)?;
    let notice = done.notice.map(notice);
    let appointment = appointment(done.appointment, done.contact);
    Ok(ResolvedAppointment { appointment, changed: done.changed, notice }.into())
}

fn way(asked: Resolution) -> Result<Way, Problem> {
    let Resolution { way, date, start, professional, .. } = asked;
    if way != Word::Move {
        for (pointer, given) in [("/date", &date), ("/start", &start), ("/professional", &professional)] {
            if let Some(given) = given {
                return Err(input::bad_field(pointer, given, "nothing: only a move has a new time".to_owned()));
            }
        }
        return Ok(if way == Word::Cancel { Way::Cancel } else { Way::Keep });
    }
    let missing = |pointer| input::bad_field(pointer, "", "the new local time of the move".to_owned());
    let (date, start) = (date.ok_or_else(|| missing("/date"))?, start.ok_or_else(|| missing("/start"))?);
    let start_min = parse_minute(&start).map_err(|error| input::bad_field("/start", &start, error.to_string()))?;
    Ok(Way::Move { date: field("/date", &date)?, start_min, professional })
}

fn refused(refusal: ResolveRefusal) -> Problem {
    refusals::of_resolution(refusal)
}

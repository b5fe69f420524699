//! What people changed in external calendars: listed, shown with the ways out, resolved.

use std::str::FromStr;

use balcao_app::admin::keys::Scope;
use balcao_app::context::staff_email::Actor;
use balcao_app::scheduling::calendar_conflicts::{
    BookingEffect, CalendarConflict, CalendarConflicts, ConflictChoice, ConflictRefusal, ConflictWay, ConflictWays,
    InstanceTime,
};
use balcao_domain::hours::parse_minute;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::appointments::{Appointment, appointment, example};
use super::calendars::GROUP;
use super::cursor::{self, Page, PageQuery};
use super::endpoint::{Call, Done, Endpoint, Nothing, PathId, Route, field};
use super::method::Method;
use super::ways_out::{FreeTime, Notice, notice};
use super::{input, refusals};
use crate::problem::Problem;

/// The prefix of the id of a conflict.
const PREFIX: &str = "conflict";

/// The id of a conflict: `conflict_3` is the one that `balcao calendar` calls 3.
#[derive(Debug, Clone, Copy)]
struct ConflictId(i64);

impl FromStr for ConflictId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number =
            text.strip_prefix(PREFIX).and_then(|rest| rest.strip_prefix('_')).and_then(|rest| rest.parse().ok());
        number
            .map(Self)
            .ok_or_else(|| format!("unknown conflict `{text}`; `/v1/calendars/conflicts` lists the open ones"))
    }
}

/// A booking that a person changed in an external calendar.
#[derive(Debug, Serialize, JsonSchema)]
struct OutsideConflict {
    /// Its id.
    id: String,
    /// What the person did: `deleted`, `refused_move`, `moved_and_resized`, `shortened`, `lengthened`, `became_all_day`, `no_longer_busy`,
    /// `other_calendar`, `owner_changed`, `copied`, `recurring_exception`, `collision`, `all_day_block`; or `moved`: the booking followed, and
    /// the contact does not know it yet.
    kind: String,
    /// The booking as it stands.
    appointment: Appointment,
    /// Of `moved`, the booking as the contact knows it.
    known: Option<Appointment>,
    /// The contact's name.
    contact_name: Option<String>,
    /// The local time at which the event begins now.
    event_from: Option<String>,
    /// The local time at which it ends.
    event_to: Option<String>,
    /// Of a recurring series, the local times of its instances, in order, at most 100.
    instances: Vec<Instance>,
    /// When it was found.
    found_at: String,
}

/// When an instance of a series is.
#[derive(Debug, Serialize, JsonSchema)]
struct Instance {
    /// The local time at which it begins.
    from: String,
    /// The local time at which it ends.
    to: String,
}

/// A conflict with what staff can do about it.
#[derive(Debug, Serialize, JsonSchema)]
struct OutsideConflictWays {
    /// The conflict.
    conflict: OutsideConflict,
    /// Exactly the ways that can be taken now.
    ways: Vec<OutsideConflictWay>,
}

/// A way that can be taken, with what follows from it.
#[derive(Debug, Serialize, JsonSchema)]
struct OutsideConflictWay {
    /// What is to be done.
    choice: Word,
    /// What becomes of the booking: it `stays` as it is, `moves`, or `ends`.
    effect: String,
    /// Of a booking that moves, its new time.
    to: Option<FreeTime>,
    /// What the contact would read, and how it would reach them at what price; `null` if they would read nothing.
    notice: Option<Notice>,
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("example" = "take"))]
enum Word {
    /// What was done outside holds: a deleted event cancels its booking, a moved one moves it, and of `moved` the contact gets the message.
    Take,
    /// Ours is put back as it was.
    Restore,
    /// The booking is cancelled, and the contact gets the message.
    Cancel,
    /// The contact gets another time.
    Move,
}

/// What a person chose.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ConflictResolution {
    /// What is to be done.
    choice: Word,
    /// Of a move, the new local date.
    #[schemars(extend("format" = "date"), example = &"2026-11-27")]
    date: Option<String>,
    /// Of a move, the new local time, `HH:MM`.
    #[schemars(regex(pattern = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"), example = &"10:00")]
    start: Option<String>,
    /// Of a move, the professional by name; as before, if absent.
    #[schemars(length(min = 1, max = 200), regex(pattern = r"^[^\u0000]*$"), example = &"Davi")]
    professional: Option<String>,
    /// Whether the contact gets the message; it does if absent.
    notify: Option<bool>,
    /// The e-mail address of the staff member who chose; if absent, the key is said to have done it.
    #[schemars(length(min = 1, max = 254), regex(pattern = r"^[^\u0000]*$"), example = &"davi@figueira.example")]
    staff: Option<String>,
}

/// A conflict that was resolved.
#[derive(Debug, Serialize, JsonSchema)]
struct ResolvedOutsideConflict {
    /// Its id.
    id: String,
    /// The booking as it is now; `null` if the choice left it as it was.
    appointment: Option<Appointment>,
    /// The message to the contact; `null` if there was none.
    notice: Option<Notice>,
}

pub(super) fn endpoints() -> Result<Vec<Endpoint>, String> {
    let conflict: Value = json!({
        "id": "conflict_3", "kind": "deleted", "appointment": example("confirmed"), "known": null, "contact_name": "Lívia Sá",
        "event_from": null, "event_to": null, "instances": [], "found_at": "2026-11-24T12:00:00Z"
    });
    let text = "Infelizmente precisamos cancelar o seu horário de Corte com Davi Lopes, terça, 24/11 às 10h30. \
                Responda aqui para marcar outro.";
    let free = json!({ "form": "message", "price_micros": 0, "template": null, "reason": null });
    let list = Route {
        method: Method::Get,
        path: "/v1/calendars/conflicts",
        scope: Scope::Read,
        name: "list_calendar_conflicts",
        group: GROUP,
        summary: "What people changed in external calendars",
        description: "Bookings that a person changed there, and moves of which the contact does not know yet. Oldest first.",
        id: None,
        success: 200,
        refusals: &[],
        body: None,
        answer: json!({ "items": [conflict], "next_cursor": null }),
    };
    let show = Route {
        path: "/v1/calendars/conflicts/{id}/ways-out",
        name: "list_calendar_conflict_ways",
        summary: "What can be done about a conflict",
        description: "Exactly the ways that can be taken, each with the message that the contact would get, and its price. Nothing changes.",
        id: Some(PathId { kind: "conflict", prefix: PREFIX }),
        refusals: &[],
        answer: json!({ "conflict": conflict, "ways": [
            { "choice": "take", "effect": "ends", "to": null, "notice": { "text": text, "delivery": free } },
            { "choice": "restore", "effect": "stays", "to": null, "notice": null },
        ] }),
        ..list.clone()
    };
    let resolve = Route {
        method: Method::Post,
        path: "/v1/calendars/conflicts/{id}/resolve",
        scope: Scope::Write,
        name: "resolve_calendar_conflict",
        summary: "Resolve a conflict",
        description: "What was done outside holds, ours is put back, the contact moves, or the booking is cancelled. A conflict is resolved once: a second call finds it no \
                      more.",
        refusals: &[(
            409,
            "`changed` if the person changed the event again; `not_ours` if another person's event is to be put back; `not_to_come`; of a move why the time cannot be had: `slot_taken`, …",
        )],
        body: Some(json!({ "choice": "take", "staff": "davi@figueira.example" })),
        answer: json!({ "id": "conflict_3", "appointment": example("cancelled"), "notice": { "text": text, "delivery": free } }),
        ..show.clone()
    };
    Ok(vec![
        Endpoint::new(list, list_conflicts)?,
        Endpoint::new(show, list_ways)?,
        Endpoint::new(resolve, resolve_conflict)?,
    ])
}

fn use_case(call: &Call) -> CalendarConflicts {
    CalendarConflicts::new(call.api.app(), call.api.policies())
}

fn id_of(number: i64) -> String {
    format!("{PREFIX}_{number}")
}

fn shown(one: CalendarConflict) -> OutsideConflict {
    let contact = one.contact;
    OutsideConflict {
        id: id_of(one.id),
        kind: one.kind.as_str().to_owned(),
        appointment: appointment(one.appointment, contact),
        known: one.known.map(|known| appointment(known, contact)),
        contact_name: one.contact_name,
        event_from: one.event_from.map(|at| at.to_string()),
        event_to: one.event_to.map(|at| at.to_string()),
        instances: one.instances.iter().map(instance).collect(),
        found_at: one.found_at.to_string(),
    }
}

fn instance(one: &InstanceTime) -> Instance {
    Instance { from: one.from.to_string(), to: one.to.to_string() }
}

async fn list_conflicts(call: Call, query: PageQuery, _body: Nothing) -> Result<Done<Page<OutsideConflict>>, Problem> {
    let found = use_case(&call).page(call.organization(), query.id()?, query.limit()).await?;
    let next_cursor = found.next.map(cursor::of_id);
    Ok(Page { items: found.items.into_iter().map(shown).collect(), next_cursor }.into())
}

async fn list_ways(call: Call, _query: Nothing, _body: Nothing) -> Result<Done<OutsideConflictWays>, Problem> {
    let ConflictId(number) = call.id()?;
    let found = use_case(&call).find(call.organization(), number).await?;
    let ConflictWays { conflict, ways } = found.map_err(refused)?;
    Ok(OutsideConflictWays { conflict: shown(conflict), ways: ways.into_iter().map(way).collect() }.into())
}

fn way(one: ConflictWay) -> OutsideConflictWay {
    let choice = match one.choice {
        ConflictChoice::TakeOutside => Word::Take,
        ConflictChoice::Restore => Word::Restore,
        ConflictChoice::Cancel => Word::Cancel,
        ConflictChoice::Move { .. } => Word::Move,
    };
    let to = (one.effect == BookingEffect::Moves).then(|| FreeTime::from_view(&one.appointment));
    OutsideConflictWay { choice, effect: one.effect.as_str().to_owned(), to, notice: one.notice.map(notice) }
}

async fn resolve_conflict(
    call: Call,
    _query: Nothing,
    asked: ConflictResolution,
) -> Result<Done<ResolvedOutsideConflict>, Problem> {
    let ConflictId(number) = call.id()?;
    let by = asked.staff.clone().map_or_else(|| Actor::Program(call.caller.actor()), Actor::Staff);
    let (notify, chosen) = (asked.notify.unwrap_or(true), chosen(asked)?);
    let done = use_case(&call).resolve(call.organization(), number, chosen, notify, by).await?.map_err(refused)?;
    let (mut now, mut told) = (None, None);
    if let Some(booking) = done.booking {
        now = Some(appointment(booking.appointment, booking.contact));
        told = booking.notice.map(notice);
    }
    Ok(ResolvedOutsideConflict { id: id_of(done.id), appointment: now, notice: told }.into())
}

fn chosen(asked: ConflictResolution) -> Result<ConflictChoice, Problem> {
    let ConflictResolution { choice, date, start, professional, .. } = asked;
    if choice != Word::Move {
        for (pointer, given) in [("/date", &date), ("/start", &start), ("/professional", &professional)] {
            if let Some(given) = given {
                return Err(input::bad_field(pointer, given, "nothing: only a move has a new time".to_owned()));
            }
        }
    }
    match choice {
        Word::Take => return Ok(ConflictChoice::TakeOutside),
        Word::Restore => return Ok(ConflictChoice::Restore),
        Word::Cancel => return Ok(ConflictChoice::Cancel),
        Word::Move => {}
    }
    let missing = |pointer| input::bad_field(pointer, "", "the new local time of the move".to_owned());
    let (date, start) = (date.ok_or_else(|| missing("/date"))?, start.ok_or_else(|| missing("/start"))?);
    let start_min = parse_minute(&start).map_err(|error| input::bad_field("/start", &start, error.to_string()))?;
    Ok(ConflictChoice::Move { date: field("/date", &date)?, start_min, professional })
}

fn refused(refusal: ConflictRefusal) -> Problem {
    let told = refusal.to_string();
    match refusal {
        ConflictRefusal::NotFound { id } => refusals::missing("conflict", id_of(id)),
        ConflictRefusal::Changed { .. } => refusals::conflict("changed", told),
        ConflictRefusal::NotOurs { .. } => refusals::conflict("not_ours", told),
        ConflictRefusal::Booking(refusal) => refusals::of_resolution(refusal),
    }
}

//! Visits: how they ended, the author of that mark, and its undo.

use balcao_app::UseCaseError;
use balcao_app::admin::keys::Scope;
use balcao_app::context::staff_email::Actor;
use balcao_app::scheduling::visits::{VisitRefusal, VisitView, Visits};
use balcao_domain::AppointmentId;
use balcao_domain::appointment::visit::VisitEnd;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::appointments::{Appointment, appointment, example};
use super::endpoint::{Call, Done, Endpoint, Nothing, PathId, Route, field};
use super::method::Method;
use super::refusals;
use crate::problem::Problem;

/// How a visit ended.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("example" = "no_show"))]
enum End {
    /// It took place.
    Completed,
    /// The contact did not come.
    NoShow,
    /// It was called off, and the call-off was not entered before its start.
    Cancelled,
}

/// How a visit ended, and who says so.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct VisitMarking {
    /// How it ended.
    end: End,
    /// The e-mail address of the staff member who says so; if absent, the key is said to have done it.
    #[schemars(length(min = 1, max = 254), regex(pattern = r"^[^\u0000]*$"), example = &"davi@figueira.example")]
    staff: Option<String>,
}

/// Who undoes a mark.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MarkUndo {
    /// The e-mail address of the staff member who undoes it; if absent, the key is said to have done it.
    #[schemars(length(min = 1, max = 254), regex(pattern = r"^[^\u0000]*$"), example = &"davi@figueira.example")]
    staff: Option<String>,
}

/// A day whose other visits took place.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DayCompletion {
    /// The local date.
    #[schemars(extend("format" = "date"), example = &"2026-11-24")]
    date: String,
    /// The e-mail address of the staff member who says so; if absent, the key is said to have done it.
    #[schemars(length(min = 1, max = 254), regex(pattern = r"^[^\u0000]*$"), example = &"davi@figueira.example")]
    staff: Option<String>,
}

/// A visit after a mark or an undo.
#[derive(Debug, Serialize, JsonSchema)]
struct MarkedVisit {
    /// The appointment as it is now.
    appointment: Appointment,
    /// Whether anything changed: the same mark a second time changes nothing.
    changed: bool,
}

/// What was marked of a day.
#[derive(Debug, Serialize, JsonSchema)]
struct CompletedDay {
    /// How many visits were marked.
    completed: usize,
}

const NOT_MARKED: (u16, &str) = (
    409,
    "`not_begun`, `hold_expired`, `moved` with the one in its place in `facts`, `marked_before` with the mark in `facts`, or `changed_meanwhile`: ask again.",
);
const NOT_UNDONE: (u16, &str) = (
    409,
    "`not_marked`, `moved`, `no_record`, `cancelled_before`, `too_late` with the mark in `facts`, `slot_taken` or `changed_meanwhile`.",
);

pub(super) fn endpoints() -> Result<Vec<Endpoint>, String> {
    let marked: Value = json!({ "appointment": example("no_show"), "changed": true });
    let mark = Route {
        method: Method::Post,
        path: "/v1/appointments/{id}/mark",
        scope: Scope::Write,
        name: "mark_visit",
        group: "Appointments",
        summary: "Mark how a visit ended",
        description: "From its start on. The same mark again changes nothing; another one is refused, with who marked it and when, \
                      until that mark is undone. What the server assumed gives way to a mark within a day.",
        id: Some(PathId { kind: "appointment", prefix: AppointmentId::PREFIX }),
        success: 200,
        refusals: &[NOT_MARKED],
        body: Some(json!({ "end": "no_show", "staff": "davi@figueira.example" })),
        answer: marked,
    };
    let undo = Route {
        path: "/v1/appointments/{id}/undo-mark",
        name: "undo_visit_mark",
        summary: "Undo the mark of a visit",
        description: "For 24 hours after the mark. The appointment is then as it was before.",
        refusals: &[NOT_UNDONE],
        body: Some(json!({ "staff": "davi@figueira.example" })),
        answer: json!({ "appointment": example("confirmed"), "changed": true }),
        ..mark.clone()
    };
    let day = Route {
        path: "/v1/visits/complete-day",
        name: "complete_day",
        summary: "Mark the other visits of a day as completed",
        description: "Those of a local date that have ended and that nobody marked: mark the exceptions first.",
        id: None,
        refusals: &[],
        body: Some(json!({ "date": "2026-11-24", "staff": "davi@figueira.example" })),
        answer: json!({ "completed": 12 }),
        ..mark.clone()
    };
    Ok(vec![Endpoint::new(mark, mark_visit)?, Endpoint::new(undo, undo_visit_mark)?, Endpoint::new(day, complete_day)?])
}

fn visits(call: &Call) -> Visits {
    Visits::new(call.api.app()).once(call.key.clone())
}

fn actor(call: &Call, staff: Option<String>) -> Actor {
    staff.map_or_else(|| Actor::Program(call.caller.actor()), Actor::Staff)
}

fn granted<T>(answer: Result<Result<T, VisitRefusal>, UseCaseError>) -> Result<T, Problem> {
    answer?.map_err(refusals::of_visit)
}

fn shown(visit: VisitView) -> Done<MarkedVisit> {
    MarkedVisit { appointment: appointment(visit.appointment, visit.contact), changed: visit.changed }.into()
}

async fn mark_visit(call: Call, _query: Nothing, asked: VisitMarking) -> Result<Done<MarkedVisit>, Problem> {
    let end = match asked.end {
        End::Completed => VisitEnd::Completed,
        End::NoShow => VisitEnd::NoShow,
        End::Cancelled => VisitEnd::Cancelled,
    };
    let by = actor(&call, asked.staff);
    Ok(shown(granted(visits(&call).mark_visit(call.organization(), call.id()?, end, by).await)?))
}

async fn undo_visit_mark(call: Call, _query: Nothing, asked: MarkUndo) -> Result<Done<MarkedVisit>, Problem> {
    let by = actor(&call, asked.staff);
    Ok(shown(granted(visits(&call).undo_visit_mark(call.organization(), call.id()?, by).await)?))
}

async fn complete_day(call: Call, _query: Nothing, asked: DayCompletion) -> Result<Done<CompletedDay>, Problem> {
    let date = field("/date", &asked.date)?;
    let by = actor(&call, asked.staff);
    let completed = granted(visits(&call).complete_day(call.organization(), date, by).await)?;
    Ok(CompletedDay { completed }.into())
}

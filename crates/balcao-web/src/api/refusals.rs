//! What use cases refuse, and what breaks in them, as problems: a code for programs, a sentence for people, and the facts that
//! would help. Details of a fault go to the log and never into the answer.

use axum::http::StatusCode;
use balcao_app::UseCaseError;
use balcao_app::admin::business::{BusinessRefusal, EditError};
use balcao_app::context::calendar_service::ServiceError;
use balcao_app::context::names::NameRefusal;
use balcao_app::context::staff_email::UnknownStaff;
use balcao_app::conversations::ConversationRefusal;
use balcao_app::crm::contacts::{BadField, BadValue, UpdateRefusal};
use balcao_app::crm::subscriptions::SubscriptionRefusal;
use balcao_app::messaging::files::FileRefusal;
use balcao_app::messaging::outbound::dead_letters::DeadLetterRefusal;
use balcao_app::scheduling::availability::{AvailabilityRefusal, Slot};
use balcao_app::scheduling::booking::BookingRefusal;
use balcao_app::scheduling::visits::{GivenMark, VisitRefusal};
use balcao_app::scheduling::ways_out::ResolveRefusal;
use balcao_domain::attachment::AttachmentState;
use balcao_domain::{AppointmentId, FailureClass};
use balcao_tool::FieldProblem;
use serde_json::{Value, json};

use super::input;
use crate::problem::Problem;

/// What broke while a use case ran.
pub(super) fn failed(error: &UseCaseError) -> Problem {
    if error.is_key_reused() {
        return Problem::with_code(
            StatusCode::UNPROCESSABLE_ENTITY,
            "idempotency_key_reused",
            "this `Idempotency-Key` was used for another request; take a fresh one",
        );
    }
    tracing::error!(%error, "a call of the API failed");
    if error.is_for_want_of_a_database() {
        return Problem::unavailable("the database does not answer, or has no room; try again with the same key");
    }
    match error.class() {
        FailureClass::Transient => Problem::unavailable("the database is busy; try again with the same key"),
        FailureClass::Refused | FailureClass::Correction | FailureClass::Fault => {
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "something broke here; it was logged")
        }
    }
}

pub(super) fn conflict(code: &str, detail: impl Into<String>) -> Problem {
    Problem::with_code(StatusCode::CONFLICT, code, detail)
}

/// A slot among the facts of a problem.
fn slot(slot: &Slot) -> Value {
    json!({ "professional": slot.professional, "date": slot.date.to_string(), "start": slot.start })
}

/// The record does not exist.
pub(super) fn missing(kind: &str, id: impl std::fmt::Display) -> Problem {
    Problem::new(StatusCode::NOT_FOUND, format!("unknown {kind} {id}"))
}

/// What an unknown address of staff should have been.
fn an_address(unknown: &UnknownStaff) -> String {
    format!("the e-mail address of somebody of staff: {}", unknown.known.join(", "))
}

pub(super) fn of_conversation(refusal: ConversationRefusal) -> Problem {
    match refusal {
        ConversationRefusal::NotFound { id } => missing("conversation", id),
        ConversationRefusal::UnknownStaff(unknown) => {
            named("/staff", "unknown_name", &unknown.email, an_address(&unknown), None)
        }
        ConversationRefusal::WithAgent => conflict("with_agent", "the agent has this conversation already"),
        ConversationRefusal::NoFile { id } => named(
            "/attachment_id",
            "unknown_name",
            &id.to_string(),
            "a file that was added to this conversation and not sent yet".to_owned(),
            None,
        ),
        ConversationRefusal::Empty => input::bad_field("/text", "", "a text that is more than spaces".to_owned()),
        ConversationRefusal::TooLong { chars } => {
            input::bad_field("/text", &format!("{chars} characters"), "at most 4000 characters".to_owned())
        }
    }
}

pub(super) fn of_file(refusal: FileRefusal) -> Problem {
    let told = refusal.to_string();
    match refusal {
        FileRefusal::NotFound { id } => missing("file", id),
        FileRefusal::NotHere { state: AttachmentState::Expired, .. } => {
            Problem::with_code(StatusCode::GONE, "expired", told)
        }
        FileRefusal::NotHere { state, .. } => conflict(state.as_str(), told),
        FileRefusal::NoConversation { id } => missing("conversation", id),
        FileRefusal::UnknownStaff(unknown) => input::bad_parameter("staff", &unknown.email, an_address(&unknown)),
        FileRefusal::Empty => Problem::with_code(StatusCode::UNPROCESSABLE_ENTITY, "empty_file", told),
        FileRefusal::TooLarge { limit } => {
            Problem::with_code(StatusCode::PAYLOAD_TOO_LARGE, "too_large", told).fact("limit", limit)
        }
        FileRefusal::DayFull { wait_s, .. } | FileRefusal::ContactFull { wait_s, .. } => {
            Problem::with_code(StatusCode::TOO_MANY_REQUESTS, "too_many_files", told).retry_after(wait_s)
        }
        FileRefusal::NoRoom => {
            Problem::with_code(StatusCode::TOO_MANY_REQUESTS, "no_room", told).retry_after(FileRefusal::NO_ROOM_S)
        }
        FileRefusal::Type { found } => {
            Problem::with_code(StatusCode::UNPROCESSABLE_ENTITY, "bad_file_type", told).fact("found", found)
        }
    }
}

pub(super) fn of_dead_letter(refusal: DeadLetterRefusal) -> Problem {
    match refusal {
        DeadLetterRefusal::NotFound { id } => missing("failed message", id),
        DeadLetterRefusal::UnknownStaff(unknown) => {
            named("/staff", "unknown_name", &unknown.email, an_address(&unknown), None)
        }
        DeadLetterRefusal::MayArriveTwice { .. } => {
            conflict("may_arrive_twice", format!("{refusal}; say `may_arrive_twice` if that is right"))
        }
        DeadLetterRefusal::GivenUp { .. } => conflict("given_up", refusal.to_string()),
    }
}

pub(super) fn of_update(refusal: UpdateRefusal) -> Problem {
    let bad = |one: BadField| {
        let pointer = if one.custom { format!("/custom_fields/{}", one.field) } else { format!("/{}", one.field) };
        let (problem, expected) = match one.problem {
            BadValue::Email => ("bad_format", "an e-mail address, for example ana@example.com"),
            BadValue::Empty => ("too_short", "a value that is more than spaces"),
            BadValue::TooLong => ("too_long", "at most 500 characters"),
            BadValue::Birthday => ("bad_format", "a date such as 1990-05-17, from 1900 to today"),
        };
        FieldProblem {
            pointer,
            problem: problem.to_owned(),
            expected: expected.to_owned(),
            got: Some(one.text.chars().take(80).collect::<String>().into()),
            ..FieldProblem::default()
        }
    };
    match refusal {
        UpdateRefusal::Nothing => input::bad_field("", "nothing", "at least one field to change".to_owned()),
        UpdateRefusal::Fields(fields) => input::unfit(fields.into_iter().map(bad).collect()),
        UpdateRefusal::TooManyFields => {
            input::bad_field("/custom_fields", "more", "at most 50 custom fields of one contact".to_owned())
        }
    }
}

fn named(pointer: &str, problem: &str, got: &str, expected: String, nearest: Option<String>) -> Problem {
    input::unfit(vec![FieldProblem {
        pointer: pointer.to_owned(),
        problem: problem.to_owned(),
        expected,
        got: Some(got.chars().take(80).collect::<String>().into()),
        nearest: nearest.map(Into::into),
        ..FieldProblem::default()
    }])
}

pub(super) fn of_name(pointer: &str, refusal: NameRefusal) -> Problem {
    match refusal {
        NameRefusal::NotFound { query, nearest, known } => {
            named(pointer, "unknown_name", &query, format!("one of {}", known.join(", ")), nearest)
        }
        NameRefusal::Ambiguous { query, candidates } => {
            named(pointer, "ambiguous", &query, format!("only one of {}", candidates.join(", ")), None)
        }
    }
}

fn with_slots(problem: Problem, alternatives: &[Slot]) -> Problem {
    let slots: Vec<_> = alternatives.iter().map(slot).collect();
    problem.fact("alternatives", slots)
}

pub(super) fn of_booking(refusal: BookingRefusal) -> Problem {
    match refusal {
        BookingRefusal::SlotTaken { alternatives } => {
            with_slots(conflict("slot_taken", "somebody else has that time"), &alternatives)
        }
        BookingRefusal::OutsideHours { works, note, absent, alternatives } => {
            let works: Vec<String> = works.iter().map(ToString::to_string).collect();
            let detail = absent.map_or_else(
                || "nobody works at that time".to_owned(),
                |name| format!("{name} does not work on that day"),
            );
            let problem = conflict("outside_hours", detail).fact("works", works);
            with_slots(problem.fact("note", json!(note)), &alternatives)
        }
        BookingRefusal::TooSoon { notice_min, alternatives } => {
            let detail = format!("appointments are made at least {notice_min} minutes ahead");
            with_slots(conflict("too_soon", detail).fact("notice_min", notice_min), &alternatives)
        }
        BookingRefusal::TooFar { last_date } => {
            conflict("too_far", format!("the last date that can be booked is {last_date}"))
                .fact("last_date", last_date.to_string())
        }
        BookingRefusal::PastDate { today, time } => {
            conflict("past_date", format!("that is over: it is {today}, {time} there")).fact("today", today.to_string())
        }
        BookingRefusal::NoSuchTime => conflict("no_such_time", "the clock change skips that time"),
        BookingRefusal::OffGrid { alternatives } => {
            with_slots(conflict("off_grid", "appointments begin at full five minutes"), &alternatives)
        }
        BookingRefusal::NotOffered { service, professional, offered_by } => {
            let who = professional.unwrap_or_else(|| "nobody".to_owned());
            let detail = if offered_by.is_empty() {
                format!("nobody offers {service}")
            } else {
                format!("{who} does not offer {service}")
            };
            conflict("not_offered", detail).fact("offered_by", offered_by)
        }
        BookingRefusal::TooManyOpen { limit, upcoming } => {
            let ids: Vec<String> = upcoming.iter().map(|one| one.id.to_string()).collect();
            let detail = format!("the contact holds {limit} appointments, as many as it may");
            conflict("too_many_open", detail).fact("appointments", ids)
        }
        BookingRefusal::OtherAtThatTime { existing } => {
            conflict("other_at_that_time", "the contact has another appointment at that time")
                .fact("appointments", vec![existing.id.to_string()])
        }
        BookingRefusal::Professional(refusal) => of_name("/professional", refusal),
        BookingRefusal::Service(refusal) => of_name("/service", refusal),
        BookingRefusal::NoSuchService { known } => named(
            "/service_id",
            "unknown_name",
            "",
            format!("the id of one of {}; `GET /v1/services` lists them", known.join(", ")),
            None,
        ),
        BookingRefusal::NotFound { .. } => Problem::new(StatusCode::NOT_FOUND, "the contact has no such appointment"),
        BookingRefusal::Ambiguous { candidates } => {
            let ids: Vec<String> = candidates.iter().map(|one| one.id.to_string()).collect();
            conflict("ambiguous", "several appointments could be meant").fact("appointments", ids)
        }
        BookingRefusal::AlreadyStarted => conflict("already_started", "the appointment has begun or is over"),
        BookingRefusal::AlreadyCancelled => conflict("already_cancelled", "the appointment was cancelled before"),
        BookingRefusal::Moved { to } => moved(format!("the appointment was moved to {to} before"), to),
        BookingRefusal::PriceNotAgreed => {
            conflict("price_not_agreed", "the contact has not agreed to the price of the visit")
        }
        BookingRefusal::CancellationNotice { notice_min } => {
            let detail = format!("it can be changed up to {notice_min} minutes before its start");
            conflict("cancellation_notice", detail).fact("notice_min", notice_min)
        }
    }
}

/// An appointment that was moved, with the one in its place.
fn moved(told: String, to: AppointmentId) -> Problem {
    conflict("moved", told).fact("moved_to", to.to_string())
}

/// A mark that stands in the way, as a fact.
fn mark(given: &GivenMark) -> serde_json::Value {
    json!({ "by": given.by.name(), "name": given.name, "at": given.at.to_string() })
}

pub(super) fn of_visit(refusal: VisitRefusal) -> Problem {
    let told = refusal.to_string();
    match refusal {
        VisitRefusal::NotFound { id } => missing("appointment", id),
        VisitRefusal::UnknownStaff(unknown) => {
            named("/staff", "unknown_name", &unknown.email, an_address(&unknown), None)
        }
        VisitRefusal::NotAllowed { .. } | VisitRefusal::OfAnother { .. } => {
            Problem::with_code(StatusCode::FORBIDDEN, "not_allowed", told)
        }
        VisitRefusal::NotBegun { starts_at, .. } => {
            conflict("not_begun", told).fact("starts_at", starts_at.to_string())
        }
        VisitRefusal::Moved { to, .. } => moved(told, to),
        VisitRefusal::DayToCome { .. } => conflict("not_begun", told),
        VisitRefusal::HoldExpired { .. } => conflict("hold_expired", told),
        VisitRefusal::MarkedBefore { end, mark: given, .. } => conflict("marked_before", told)
            .fact("end", end.to_string())
            .fact("mark", given.as_ref().map_or(serde_json::Value::Null, mark)),
        VisitRefusal::NotMarked { .. } => conflict("not_marked", told),
        VisitRefusal::NoRecord { .. } => conflict("no_record", told),
        VisitRefusal::CancelledBefore { .. } => conflict("cancelled_before", told),
        VisitRefusal::TooLate { mark: given, .. } => conflict("too_late", told).fact("mark", mark(&given)),
        VisitRefusal::SlotTaken { .. } => conflict("slot_taken", told),
        VisitRefusal::ChangedMeanwhile { .. } => conflict("changed_meanwhile", told),
    }
}

pub(super) fn of_resolution(refusal: ResolveRefusal) -> Problem {
    let told = refusal.to_string();
    match refusal {
        ResolveRefusal::NotFound { id } => missing("appointment", id),
        ResolveRefusal::UnknownStaff(unknown) => {
            named("/staff", "unknown_name", &unknown.email, an_address(&unknown), None)
        }
        ResolveRefusal::NotAllowed { .. } => Problem::with_code(StatusCode::FORBIDDEN, "not_allowed", told),
        ResolveRefusal::Moved { to, .. } => moved(told, to),
        ResolveRefusal::Ended { .. } | ResolveRefusal::Begun { .. } => conflict("not_to_come", told),
        ResolveRefusal::NoConflict { .. } => conflict("no_conflict", told),
        ResolveRefusal::Booking(refusal) => of_booking(refusal),
    }
}

/// Why the calendar service outside gave no answer.
pub(super) fn of_calendar_service(error: &ServiceError) -> Problem {
    match error {
        ServiceError::Disconnected { .. } => conflict("not_connected", error.to_string()),
        ServiceError::NotFound { .. } | ServiceError::Refused { .. } => conflict("refused", error.to_string()),
        ServiceError::Unavailable { .. }
        | ServiceError::Unknown { .. }
        | ServiceError::Duplicate
        | ServiceError::Changed
        | ServiceError::Deleted
        | ServiceError::TokenGone
        | ServiceError::TooMany { .. }
        | ServiceError::Unreadable { .. } => {
            Problem::unavailable("the calendar service does not answer; try again later")
        }
    }
}

pub(super) fn of_subscription(refusal: SubscriptionRefusal) -> Problem {
    let told = refusal.to_string();
    let wrong = |pointer: &str| {
        let problem =
            FieldProblem { pointer: pointer.to_owned(), problem: "out_of_range".to_owned(), ..FieldProblem::default() };
        input::unfit(vec![FieldProblem { expected: told.clone(), ..problem }])
    };
    match refusal {
        SubscriptionRefusal::NotFound { id } => missing("subscription", id),
        SubscriptionRefusal::NoContact { id } => named(
            "/contact_id",
            "unknown_name",
            &id.to_string(),
            "the id of a contact; `GET /v1/contacts` finds them".to_owned(),
            None,
        ),
        SubscriptionRefusal::Plan(refusal) => of_name("/plan", refusal),
        SubscriptionRefusal::UnknownStaff(unknown) => {
            named("/staff", "unknown_name", &unknown.email, an_address(&unknown), None)
        }
        SubscriptionRefusal::NotAllowed { .. } => Problem::with_code(StatusCode::FORBIDDEN, "not_allowed", told),
        SubscriptionRefusal::AlreadySubscribed { id, status, .. } => {
            conflict("already_subscribed", told).fact("subscription", id.to_string()).fact("status", status.as_str())
        }
        SubscriptionRefusal::Ended { on } => conflict("ended", told).fact("ended", on.to_string()),
        SubscriptionRefusal::EndsBeforeStart { .. } => wrong("/ends"),
        SubscriptionRefusal::StartsLater { .. } => wrong("/started"),
        SubscriptionRefusal::DueBeforeStart { .. } => wrong("/due"),
        SubscriptionRefusal::OtherDue { due } => {
            conflict("other_due", told).fact("due", json!(due.map(|due| due.to_string())))
        }
        SubscriptionRefusal::BeyondCalendar => conflict("beyond_calendar", told),
        SubscriptionRefusal::Amount { .. } => wrong("/amount_cents"),
        SubscriptionRefusal::LessThanPrice { price, .. }
        | SubscriptionRefusal::MoreThanPrice { price, .. }
        | SubscriptionRefusal::NotPartial { price, .. }
        | SubscriptionRefusal::NotMore { price, .. } => conflict("other_amount", told).fact("price_cents", price.cents),
        SubscriptionRefusal::NoPayment { .. } => conflict("no_payment", told),
        SubscriptionRefusal::PaymentTooOld { noted_at } => {
            conflict("too_late", told).fact("noted_at", noted_at.to_string())
        }
        SubscriptionRefusal::DueMovedSince { due } => {
            conflict("due_moved", told).fact("due", json!(due.map(|due| due.to_string())))
        }
        SubscriptionRefusal::PaidUntil { until, days, .. } => {
            conflict("paid_until", told).fact("until", until.to_string()).fact("days", days)
        }
        SubscriptionRefusal::Reference => wrong("/reference"),
        SubscriptionRefusal::ReferenceUsed { amount } => {
            conflict("reference_used", told).fact("amount_cents", amount.cents)
        }
        SubscriptionRefusal::ChangedMeanwhile => conflict("changed_meanwhile", told),
    }
}

/// Where the fields of a document stand in the body of a request.
#[derive(Debug, Clone)]
pub(super) enum EditedFields {
    /// All of them in one field.
    In(&'static str),
    /// Each edited one in its own: those of a mapping `set`, `add` or `take`, by the name of the field.
    Named(Vec<(&'static str, String)>),
}

impl EditedFields {
    /// The field of the request for a pointer of the document.
    fn of_document(&self, pointer: &str) -> String {
        match self {
            Self::In(field) => format!("/{field}{pointer}"),
            Self::Named(_) => {
                // Behind the section there is a mapping, or a list of them.
                let steps =
                    pointer.split('/').skip(2).skip_while(|step| step.bytes().all(|byte| byte.is_ascii_digit()));
                let path = steps.collect::<Vec<_>>().join(".");
                let holds =
                    |field: &str| path == field || path.strip_prefix(field).is_some_and(|rest| rest.starts_with('.'));
                self.named(holds)
            }
        }
    }

    fn of_error(&self, error: &EditError) -> String {
        match error {
            EditError::Unknown { .. } | EditError::Ambiguous { .. } => "/name".to_owned(),
            EditError::OnlyChanged { .. } => "/action".to_owned(),
            EditError::Nameless { field, .. } => format!("/set/{field}"),
            EditError::Taken { section, .. } | EditError::NameStays { section } => {
                format!("/set/{}", section.name_field().unwrap_or("name"))
            }
            EditError::NotAList { field } | EditError::NoSuchItem { field, .. } => {
                self.named(|given| given == field || given.split('.').any(|step| step == field))
            }
        }
    }

    fn named(&self, is_meant: impl Fn(&str) -> bool) -> String {
        match self {
            Self::In(field) => format!("/{field}"),
            Self::Named(given) => match given.iter().find(|(_, field)| is_meant(field)) {
                Some((mapping, field)) => format!("/{mapping}/{}", field.replace('~', "~0").replace('/', "~1")),
                None => "/set".to_owned(),
            },
        }
    }
}

/// A document that describes an invalid business: one entry for each mistake, of its field, what is wrong and what would be right.
pub(super) fn of_document(mistakes: impl Iterator<Item = (String, String, Option<String>)>) -> Problem {
    let mistake = |(pointer, problem, right): (String, String, Option<String>)| FieldProblem {
        pointer,
        problem,
        expected: right.unwrap_or_else(|| "a valid business".to_owned()),
        ..FieldProblem::default()
    };
    input::unfit(mistakes.map(mistake).collect())
}

/// `fields` are those of the request that asked for it.
pub(super) fn of_business(refusal: BusinessRefusal, fields: &EditedFields) -> Problem {
    let told = refusal.to_string();
    match refusal {
        BusinessRefusal::OtherBusiness { .. } => conflict("other_business", told),
        BusinessRefusal::UnknownVersion { .. } => Problem::new(StatusCode::NOT_FOUND, told),
        BusinessRefusal::Moved { now } => conflict("plan_moved", told).fact("plan", now.hash),
        BusinessRefusal::Impossible { .. } => conflict("impossible", told),
        BusinessRefusal::Edit(error) => {
            let (pointer, expected) = (fields.of_error(&error), "an edit that fits the business".to_owned());
            input::unfit(vec![FieldProblem {
                pointer,
                problem: error.to_string(),
                expected,
                ..FieldProblem::default()
            }])
        }
        BusinessRefusal::Invalid { place, problems } => of_document(
            problems
                .into_iter()
                .map(|one| (fields.of_document(&one.pointer), format!("{place}: {}", one.message), one.suggestion)),
        ),
    }
}

pub(super) fn of_availability(refusal: AvailabilityRefusal) -> Problem {
    match refusal {
        AvailabilityRefusal::PastDate { today, .. } => {
            conflict("past_date", format!("that date is over: it is {today} there")).fact("today", today.to_string())
        }
        AvailabilityRefusal::TooFar { last_date, .. } => {
            conflict("too_far", format!("the last date that can be booked is {last_date}"))
                .fact("last_date", last_date.to_string())
        }
        AvailabilityRefusal::Duration { duration_min } => {
            input::bad_parameter("duration_min", &duration_min.to_string(), "a multiple of 5 from 5 to 720".to_owned())
        }
        AvailabilityRefusal::Professional(refusal) => of_name("/professional", refusal),
        AvailabilityRefusal::Service(refusal) => of_name("/service", refusal),
        AvailabilityRefusal::NotOffered { service, professional, offered_by, .. } => {
            conflict("not_offered", format!("{professional} does not offer {service}")).fact("offered_by", offered_by)
        }
    }
}

#[cfg(test)]
#[path = "refusals_tests.rs"]
mod tests;

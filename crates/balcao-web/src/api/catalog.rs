//! Services, professionals and free times.

use balcao_app::admin::keys::Scope;
use balcao_app::scheduling::availability::{Availability, AvailabilityQuery, Slot};
use balcao_app::scheduling::catalog::Catalog;
use balcao_domain::Money;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::cursor::Page;
use super::endpoint::{Call, Done, Endpoint, Nothing, Route, parameter};
use super::method::Method;
use super::refusals;
use crate::problem::Problem;

/// An amount of money.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Price {
    /// Cents of the currency.
    cents: i64,
    /// ISO 4217: `BRL`, …
    currency: String,
}

impl From<Money> for Price {
    fn from(money: Money) -> Self {
        Self { cents: money.cents, currency: money.currency.code().to_owned() }
    }
}

/// A service.
#[derive(Debug, Serialize, JsonSchema)]
struct Service {
    /// Its id.
    id: String,
    /// Its name.
    name: String,
    /// What it is.
    description: Option<String>,
    /// Its price.
    price: Price,
    /// How long it takes.
    duration_min: u32,
}

/// A professional.
#[derive(Debug, Serialize, JsonSchema)]
struct Professional {
    /// Their id.
    id: String,
    /// Their name.
    name: String,
    /// What they are.
    profession: Option<String>,
    /// The services that they offer.
    services: Vec<String>,
    /// When they work today, as `09:00-12:00`.
    works_today: Vec<String>,
}

/// A day, and what for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DayQuery {
    /// The local date; today, if absent.
    #[schemars(extend("format" = "date"), example = &"2026-11-24")]
    date: Option<String>,
    /// A service by name or alias. Its duration counts before `duration_min`.
    #[schemars(length(min = 1, max = 200), regex(pattern = r"^[^\u0000]*$"), example = &"Corte")]
    service: Option<String>,
    /// A professional by name; everybody, if absent.
    #[schemars(length(min = 1, max = 200), regex(pattern = r"^[^\u0000]*$"), example = &"Davi")]
    professional: Option<String>,
    /// How long a visit without a service takes; the business's usual time, if absent too.
    #[schemars(range(min = 5, max = 720), extend("multipleOf" = 5), example = 30)]
    duration_min: Option<u32>,
}

/// A time that can be booked.
#[derive(Debug, Serialize, JsonSchema)]
struct FreeSlot {
    /// The professional.
    professional: String,
    /// The local date.
    date: String,
    /// The local time it starts, `HH:MM`.
    start: String,
}

/// The free times of one professional.
#[derive(Debug, Serialize, JsonSchema)]
struct FreeTimes {
    /// Their name.
    professional: String,
    /// Local times that an appointment can start at, `HH:MM`, in order.
    slots: Vec<String>,
}

/// What is free on a day.
#[derive(Debug, Serialize, JsonSchema)]
struct DayAvailability {
    /// The local date.
    date: String,
    /// How long the visit takes.
    duration_min: u32,
    /// The service that was understood.
    service: Option<String>,
    /// The professional that was understood.
    professional: Option<String>,
    /// Whether a name was a near spelling only.
    near_name: bool,
    /// How many slots are free in all.
    total: usize,
    /// By professional; those with nothing free are left out.
    results: Vec<FreeTimes>,
    /// Why the day is not like its weekday.
    note: Option<String>,
    /// On a day without free slots, the first one after it, within 30 days.
    next_available: Option<FreeSlot>,
    /// If an external calendar did not answer: the instant of our copy, which the answer is from.
    as_of: Option<String>,
}

impl From<Slot> for FreeSlot {
    fn from(slot: Slot) -> Self {
        Self { professional: slot.professional, date: slot.date.to_string(), start: slot.start }
    }
}

fn route(path: &'static str, name: &'static str, summary: &'static str, answer: Value) -> Route {
    Route {
        method: Method::Get,
        path,
        scope: Scope::Read,
        name,
        group: "Catalog",
        summary,
        description: "",
        id: None,
        success: 200,
        refusals: &[],
        body: None,
        answer,
    }
}

pub(super) fn endpoints() -> Result<Vec<Endpoint>, String> {
    let service = json!({ "items": [{ "id": "srv_1", "name": "Corte", "description": null, "duration_min": 30,
        "price": { "cents": 5000, "currency": "BRL" } }], "next_cursor": null });
    let professional = json!({ "items": [{ "id": "pro_1", "name": "Davi Lopes", "profession": "barbeiro",
        "services": ["Corte"], "works_today": ["09:00-12:00", "13:00-18:00"] }], "next_cursor": null });
    let day = json!({ "date": "2026-11-24", "duration_min": 30, "service": "Corte", "professional": null,
        "near_name": false, "total": 2, "results": [{ "professional": "Davi Lopes", "slots": ["09:00", "09:30"] }],
        "note": null, "next_available": null, "as_of": null });
    let availability = Route {
        description: "The same slots that the agent offers.",
        refusals: &[
            (409, "`past_date`, `too_far` or `not_offered`: the question has no answer, and why."),
            (422, "A name is unknown or could mean several; `errors` says which there are."),
        ],
        ..route("/v1/availability", "get_availability", "What is free on a day", day)
    };
    Ok(vec![
        Endpoint::new(route("/v1/services", "list_services", "The services that can be booked", service), services)?,
        Endpoint::new(
            route("/v1/professionals", "list_professionals", "The professionals that can be booked", professional),
            professionals,
        )?,
        Endpoint::new(availability, free)?,
    ])
}

async fn services(call: Call, _query: Nothing, _body: Nothing) -> Result<Done<Page<Service>>, Problem> {
    let offer = Catalog::new(call.api.app()).offer(call.organization()).await?;
    let shown = |one: balcao_app::scheduling::catalog::ServiceView| Service {
        id: one.id.to_string(),
        name: one.name,
        description: one.description,
        price: one.price.into(),
        duration_min: one.duration_min,
    };
    Ok(Page { items: offer.services.into_iter().map(shown).collect(), next_cursor: None }.into())
}

async fn professionals(call: Call, _query: Nothing, _body: Nothing) -> Result<Done<Page<Professional>>, Problem> {
    let offer = Catalog::new(call.api.app()).offer(call.organization()).await?;
    let shown = |one: balcao_app::scheduling::catalog::ProfessionalView| Professional {
        id: one.id.to_string(),
        name: one.name,
        profession: one.profession,
        services: one.services,
        works_today: one.works.iter().map(ToString::to_string).collect(),
    };
    Ok(Page { items: offer.professionals.into_iter().map(shown).collect(), next_cursor: None }.into())
}

async fn free(call: Call, query: DayQuery, _body: Nothing) -> Result<Done<DayAvailability>, Problem> {
    let asked = AvailabilityQuery {
        date: query.date.map(|text| parameter("date", &text)).transpose()?,
        professional: query.professional,
        service: query.service,
        duration_min: query.duration_min,
    };
    let found = Availability::new(call.api.app()).on(call.organization(), None, asked).await?;
    let day = found.map_err(refusals::of_availability)?;
    let times = |one: balcao_app::scheduling::availability::ProfessionalSlots| FreeTimes {
        professional: one.professional,
        slots: one.slots,
    };
    Ok(DayAvailability {
        date: day.date.to_string(),
        duration_min: day.duration_min,
        service: day.service,
        professional: day.professional,
        near_name: day.near_name,
        total: day.total,
        results: day.results.into_iter().map(times).collect(),
        note: day.note,
        as_of: day.as_of.map(|at| at.to_string()),
        next_available: day.next_available.map(Into::into),
    }
    .into())
}

//! External calendars: what is linked, how old our copies are, what people changed there, and what staff do about it.
//!
//! The same use cases as the commands of `balcao calendar`. No answer has a secret: grants and push channels are not shown.

use balcao_app::admin::keys::Scope;
use balcao_app::scheduling::calendar_comparison::{CalendarComparison, Comparison, Difference};
use balcao_app::scheduling::calendar_links::{CalendarLinks, CalendarStatus, LastDifference, LinkRefusal, LinkStatus};
use balcao_app::scheduling::calendar_work::{CalendarWork, SyncRefusal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::endpoint::{Call, Done, Endpoint, Nothing, Route};
use super::method::Method;
use super::{input, refusals};
use crate::problem::Problem;

/// The group of the document.
pub(super) const GROUP: &str = "External calendars";

/// A calendar that the connected account sees.
#[derive(Debug, Serialize, JsonSchema)]
struct OutsideCalendar {
    /// Its id in the service, as `link` takes it.
    calendar: String,
    /// Its name.
    name: String,
    /// Its IANA time zone.
    time_zone: String,
    /// Whether the account may write events into it.
    writable: bool,
    /// Who owns its data, where the service says so.
    data_owner: Option<String>,
}

/// The calendars that the connected account sees.
#[derive(Debug, Serialize, JsonSchema)]
struct OutsideCalendarList {
    /// In the order of the service.
    items: Vec<OutsideCalendar>,
}

/// A calendar of a professional, and how our copy of it is.
#[derive(Debug, Serialize, JsonSchema)]
struct Link {
    /// The professional's name.
    professional: String,
    /// The id of the calendar in the service.
    calendar: String,
    /// Whether the professional's appointments are written into it.
    write: bool,
    /// The instant that our copy holds; `null` before the first complete reading.
    synced_at: Option<String>,
    /// Whether that is so long ago that nothing of the professional is offered.
    too_old: bool,
    /// Why the last reading failed.
    failure: Option<String>,
    /// Since when readings fail.
    failing_since: Option<String>,
}

/// How the calendars of the business are.
#[derive(Debug, Serialize, JsonSchema)]
struct CalendarOverview {
    /// The service that the program is connected to, such as `google`; `null` without one.
    service: Option<String>,
    /// In order of professional and calendar.
    links: Vec<Link>,
    /// Appointments whose event is not as it should be yet.
    waiting: u32,
    /// Ids of appointments among them whose event is not written any more, because the program crashed at it each time; at most 1000.
    set_aside: Vec<String>,
    /// Whether the nightly comparison runs no more, because the program crashed at it each time.
    comparison_set_aside: bool,
    /// Open conflicts.
    conflicts: u64,
    /// Events that cannot be read, each with its reason.
    unreadable: Vec<String>,
    /// The last nightly comparison that ended; `null` while the one of the present day runs, and before the first.
    last_comparison: Option<NightlyComparison>,
    /// What the last nightly comparison found to differ, the first 200.
    differences: Vec<EventDifference>,
}

/// The last nightly comparison of appointments with their events.
#[derive(Debug, Serialize, JsonSchema)]
struct NightlyComparison {
    /// When it ended.
    ended_at: String,
    /// Events that were as they should be.
    equal: u32,
    /// Events that were not, and that the comparison repaired.
    repaired: u32,
    /// Events that a person has to look at.
    differing: u32,
}

/// A calendar to link.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewLink {
    /// The professional by name.
    #[schemars(length(min = 1, max = 200), regex(pattern = r"^[^\u0000]*$"), example = &"Wesley")]
    professional: String,
    /// The id of the calendar in the service.
    #[schemars(length(min = 1, max = 256), regex(pattern = r"^[^\u0000]*$"), example = &"wesley@group.calendar.example")]
    calendar: String,
    /// Whether the professional's appointments are written into it.
    #[serde(default)]
    write: bool,
}

/// A link to take away.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OldLink {
    /// The professional by name.
    #[schemars(length(min = 1, max = 200), regex(pattern = r"^[^\u0000]*$"), example = &"Wesley")]
    professional: String,
    /// The id of the calendar in the service.
    #[schemars(length(min = 1, max = 256), regex(pattern = r"^[^\u0000]*$"), example = &"wesley@group.calendar.example")]
    calendar: String,
}

/// How to read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SyncRequest {
    /// Says that many events did disappear at once.
    #[serde(default)]
    accept_drop: bool,
}

/// What is not as it should be.
#[derive(Debug, Serialize, JsonSchema)]
struct EventDifference {
    /// The appointment; `null` of a calendar that was not read, and of an event that shows no appointment.
    appointment_id: Option<String>,
    /// The calendar, where it is about one.
    calendar: Option<String>,
    /// The event, where it is about one.
    event: Option<String>,
    /// `conflict` if staff have to decide, `changed` if the next reading judges it, `not_pushed` if the service did not take it, `not_read` if
    /// the calendar could not be read, `unreadable` if the event cannot be read, `vanished` if it is gone together with very many others,
    /// `no_appointment` if an event of ours shows no appointment, `accepted` if staff let stand that the event differs from its appointment.
    what: String,
    /// When a nightly comparison first found it; `null` of a comparison that you ask for.
    found_at: Option<String>,
}

/// A comparison of the appointments to come with their events.
#[derive(Debug, Serialize, JsonSchema)]
struct EventComparison {
    /// Events that are as they should be.
    equal: usize,
    /// Events that were not, and are now.
    repaired: usize,
    /// Those that need a person, or the service.
    differences: Vec<EventDifference>,
    /// Calendars that could not be read, so that nothing is known of what people did in them.
    unread: Vec<UnreadCalendar>,
}

/// A linked calendar that could not be read.
#[derive(Debug, Serialize, JsonSchema)]
struct UnreadCalendar {
    /// Its id in the service.
    calendar: String,
    /// Why.
    reason: String,
}

const NOT_ANSWERED: (u16, &str) = (503, "`unavailable`: the service does not answer.");
const NOT_CONNECTED: (u16, &str) =
    (409, "`not_connected`: the program has no calendar service, or a person has to connect it again.");

pub(super) fn endpoints() -> Result<Vec<Endpoint>, String> {
    let link = json!({ "professional": "Wesley Moura", "calendar": "wesley@group.calendar.example", "write": true,
                       "synced_at": "2026-11-24T12:00:00Z", "too_old": false, "failure": null, "failing_since": null });
    let overview: Value = json!({ "service": "google", "links": [link], "waiting": 0, "set_aside": [], "comparison_set_aside": false, "conflicts": 0, "unreadable": [],
                                   "last_comparison": { "ended_at": "2026-11-24T06:00:12Z", "equal": 31, "repaired": 1, "differing": 0 },
                                   "differences": [] });
    let status = Route {
        method: Method::Get,
        path: "/v1/calendars",
        scope: Scope::Read,
        name: "get_calendars",
        group: GROUP,
        summary: "The linked calendars",
        description: "Which calendar belongs to whom, how old each copy is, and what waits to be written.",
        id: None,
        success: 200,
        refusals: &[],
        body: None,
        answer: overview.clone(),
    };
    let outside = Route {
        path: "/v1/calendars/outside",
        scope: Scope::Business,
        name: "list_outside_calendars",
        summary: "The calendars that can be linked",
        description: "Asks the service which calendars the connected account sees; none without a service.",
        refusals: &[NOT_CONNECTED, NOT_ANSWERED],
        answer: json!({ "items": [{ "calendar": "wesley@group.calendar.example", "name": "Wesley",
                                    "time_zone": "America/Sao_Paulo", "writable": true, "data_owner": null }] }),
        ..status.clone()
    };
    let link = Route {
        method: Method::Post,
        path: "/v1/calendars/link",
        scope: Scope::Business,
        name: "link_calendar",
        summary: "Link a calendar to a professional",
        description: "Its events take the professional's time. With `write` the professional's appointments are written into it. Until the \
                      first reading nothing of the professional is offered.",
        refusals: &[(409, "`other_written`: appointments of the professional are written into another calendar.")],
        body: Some(json!({ "professional": "Wesley", "calendar": "wesley@group.calendar.example", "write": true })),
        ..status.clone()
    };
    let unlink = Route {
        path: "/v1/calendars/unlink",
        name: "unlink_calendar",
        summary: "Unlink a calendar from a professional",
        description: "Events of appointments to come are taken out of a calendar that they were written into.",
        refusals: &[(409, "`not_linked`.")],
        body: Some(json!({ "professional": "Wesley", "calendar": "wesley@group.calendar.example" })),
        ..link.clone()
    };
    let sync = Route {
        path: "/v1/calendars/sync",
        name: "sync_calendars",
        summary: "Read the linked calendars now",
        description: "Also writes what waits, and takes up what was set aside. A calendar that the service does not answer for has its `failure` in the answer.",
        refusals: &[(
            409,
            "`not_connected`; `many_deletions` if so many events disappeared that a person has to say that it is true, with `accept_drop`.",
        )],
        body: Some(json!({ "accept_drop": false })),
        ..link.clone()
    };
    let reconcile = Route {
        path: "/v1/calendars/reconcile",
        name: "reconcile_calendars",
        summary: "Compare appointments with their events",
        description: "Asks the service for the event of every appointment to come. The server does it each night. Repairs what needs \
                      no person, and lists the rest.",
        refusals: &[NOT_CONNECTED, NOT_ANSWERED],
        body: Some(json!({})),
        answer: json!({ "equal": 12, "repaired": 1, "differences": [{ "calendar": "ana@example.com", "event": "ev1", "appointment_id": "apt_31", "found_at": null, "what": "conflict" }], "unread": [] }),
        ..link.clone()
    };
    Ok(vec![
        Endpoint::new(status, get_calendars)?,
        Endpoint::new(outside, list_outside)?,
        Endpoint::new(link, link_calendar)?,
        Endpoint::new(unlink, unlink_calendar)?,
        Endpoint::new(sync, sync_calendars)?,
        Endpoint::new(reconcile, reconcile_calendars)?,
    ])
}

fn links(call: &Call) -> CalendarLinks {
    CalendarLinks::new(call.api.app())
}

async fn overview(call: &Call) -> Result<Done<CalendarOverview>, Problem> {
    let status = links(call).status(call.organization()).await?;
    let CalendarStatus { service, links, waiting, set_aside, comparison_set_aside, .. } = status;
    let (conflicts, unreadable) = (status.conflicts, status.unreadable);
    let (last_comparison, differences) = (status.last_comparison, status.differences);
    let link = |one: LinkStatus| Link {
        professional: one.professional,
        calendar: one.calendar,
        write: one.is_written,
        synced_at: one.synced_at.map(|at| at.to_string()),
        too_old: one.is_too_old,
        failure: one.failure,
        failing_since: one.failing_since.map(|at| at.to_string()),
    };
    let (service, links) = (service.map(str::to_owned), links.into_iter().map(link).collect());
    let set_aside = set_aside.iter().map(ToString::to_string).collect();
    let last_comparison = last_comparison.map(|last| NightlyComparison {
        ended_at: last.ended_at.to_string(),
        equal: last.equal,
        repaired: last.repaired,
        differing: last.differing,
    });
    let difference =
        |LastDifference { what, appointment, calendar, event, found_at }: LastDifference| EventDifference {
            found_at: found_at.map(|at| at.to_string()),
            appointment_id: appointment.map(|one| one.to_string()),
            calendar,
            event,
            what,
        };
    let differences = differences.into_iter().map(difference).collect();
    Ok(CalendarOverview {
        service,
        links,
        waiting,
        set_aside,
        comparison_set_aside,
        conflicts,
        unreadable,
        last_comparison,
        differences,
    }
    .into())
}

async fn get_calendars(call: Call, _query: Nothing, _body: Nothing) -> Result<Done<CalendarOverview>, Problem> {
    overview(&call).await
}

async fn list_outside(call: Call, _query: Nothing, _body: Nothing) -> Result<Done<OutsideCalendarList>, Problem> {
    let found = links(&call).list_outside(call.organization()).await;
    let items = found.map_err(|error| refusals::of_calendar_service(&error))?.into_iter().map(|one| OutsideCalendar {
        calendar: one.id,
        name: one.name,
        time_zone: one.zone,
        writable: one.is_writable,
        data_owner: one.data_owner,
    });
    Ok(OutsideCalendarList { items: items.collect() }.into())
}

async fn link_calendar(call: Call, _query: Nothing, asked: NewLink) -> Result<Done<CalendarOverview>, Problem> {
    let NewLink { professional, calendar, write } = asked;
    links(&call).link(call.organization(), professional, calendar, write).await?.map_err(refused)?;
    overview(&call).await
}

async fn unlink_calendar(call: Call, _query: Nothing, asked: OldLink) -> Result<Done<CalendarOverview>, Problem> {
    links(&call).unlink(call.organization(), asked.professional, asked.calendar).await?.map_err(refused)?;
    overview(&call).await
}

async fn sync_calendars(call: Call, _query: Nothing, asked: SyncRequest) -> Result<Done<CalendarOverview>, Problem> {
    let work = CalendarWork::new(call.api.app());
    work.sync(call.organization(), asked.accept_drop).await?.map_err(|refusal| {
        let told = refusal.to_string();
        match refusal {
            SyncRefusal::NotConnected => refusals::conflict("not_connected", told),
            SyncRefusal::ManyDeletions { calendar, known, gone } => {
                let problem = refusals::conflict("many_deletions", told).fact("calendar", calendar);
                problem.fact("known", known).fact("gone", gone)
            }
        }
    })?;
    overview(&call).await
}

async fn reconcile_calendars(call: Call, _query: Nothing, _body: Nothing) -> Result<Done<EventComparison>, Problem> {
    let compared = CalendarComparison::new(call.api.app()).run(call.organization(), false).await?;
    let Comparison { equal, repaired, differences, unread } =
        compared.map_err(|error| refusals::of_calendar_service(&error))?;
    let difference = |Difference { what, appointment, calendar, event }: Difference| EventDifference {
        found_at: None,
        appointment_id: appointment.map(|one| one.to_string()),
        calendar,
        event,
        what: what.as_str().to_owned(),
    };
    let unread = unread.into_iter().map(|one| UnreadCalendar { calendar: one.calendar, reason: one.reason }).collect();
    let differences = differences.into_iter().map(difference).collect();
    Ok(EventComparison { equal, repaired, differences, unread }.into())
}

fn refused(refusal: LinkRefusal) -> Problem {
    let told = refusal.to_string();
    match refusal {
        LinkRefusal::Professional(name) => refusals::of_name("/professional", name),
        LinkRefusal::OtherWritten { other, .. } => refusals::conflict("other_written", told).fact("calendar", other),
        LinkRefusal::NotLinked { .. } => refusals::conflict("not_linked", told),
        LinkRefusal::InvalidId => input::bad_field("/calendar", "", told),
    }
}

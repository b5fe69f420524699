//! Lists of events: filters, pages, and sync tokens with what they are bound to.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::cursors::{Page, SyncPoint};
use super::events::shown_to;
use super::recurrence;
use super::refusal::Refusal;
use super::shape::Query;
use super::state::{Calendar, Event, State};

/// Parameters of a list.
const KNOWN: [&str; 12] = [
    "eventTypes",
    "maxResults",
    "orderBy",
    "pageToken",
    "privateExtendedProperty",
    "q",
    "showDeleted",
    "singleEvents",
    "syncToken",
    "timeMax",
    "timeMin",
    "timeZone",
];
/// What must not stand beside a sync token.
const NOT_BESIDE_A_TOKEN: [&str; 5] = ["orderBy", "privateExtendedProperty", "q", "timeMax", "timeMin"];
/// What a sync token is bound to.
const BOUND: [&str; 2] = ["singleEvents", "eventTypes"];
/// How far series are listed.
const AHEAD: SignedDuration = SignedDuration::from_hours(24 * 365);

/// `GET …/events`.
pub(super) fn list(state: &mut State, calendar: &str, query: &Query) -> Result<Value, Refusal> {
    query.only(&KNOWN)?;
    if state.calendar(calendar)?.role == "freeBusyReader" {
        return Err(Refusal::new(403, "requiredAccessLevel", "You need to have reader access to this calendar."));
    }
    let calendar = state.resolved(calendar);
    let parameters = parameters(query);
    let page = match query.get("pageToken") {
        Some(token) => {
            let page = state.listings.pages.get(token).cloned();
            let page = page.ok_or_else(|| Refusal::invalid("Invalid page token value."))?;
            if page.calendar != calendar || page.parameters != parameters {
                return Err(Refusal::invalid("The page token was given for other parameters."));
            }
            page
        }
        None => Page {
            items: items(state, &calendar, query)?,
            revision: state.revision,
            is_empty_first: false,
            calendar,
            parameters,
        },
    };
    answer(state, query, page)
}

/// One page, with the token of the next one or of the next list.
fn answer(state: &mut State, query: &Query, mut page: Page) -> Result<Value, Refusal> {
    let size = query.page_size(2_500)?.min(state.listings.page_size.unwrap_or(2_500));
    let is_first = !query.has("pageToken");
    let many = if page.is_empty_first { 0 } else { size.min(page.items.len()) };
    let rest = page.items.split_off(many);
    let shown = std::mem::replace(&mut page.items, rest);
    page.is_empty_first = is_first && state.listings.empty_page;
    let calendar = state.calendar(&page.calendar)?;
    let mut answer = json!({ "kind": "calendar#events", "summary": calendar.name, "timeZone": calendar.zone_name,
        "accessRole": calendar.role, "updated": state.now().to_string(), "items": shown });
    if page.items.is_empty() && !page.is_empty_first {
        // A list in an order of its own, or of a part of the time, gives none.
        if !NOT_BESIDE_A_TOKEN.iter().any(|name| *name != "timeMin" && query.has(name)) {
            let point = SyncPoint { calendar: page.calendar, bound: bound(query), revision: page.revision };
            let token = state.fresh("CPDAlvWDx70CEPDAlvWDx70C");
            state.listings.tokens.insert(token.clone(), point);
            answer["nextSyncToken"] = json!(token);
        }
    } else {
        let token = state.fresh("EiMKGm");
        state.listings.pages.insert(token.clone(), page);
        answer["nextPageToken"] = json!(token);
    }
    Ok(answer)
}

/// What a list holds, before it is cut into pages.
fn items(state: &State, calendar: &str, query: &Query) -> Result<Vec<Value>, Refusal> {
    let (from, until) = (query.instant("timeMin")?, query.instant("timeMax")?);
    if let (Some(from), Some(until)) = (from, until)
        && until <= from
    {
        return Err(Refusal::new(400, "timeRangeEmpty", "The specified time range is empty."));
    }
    let singly = query.flag("singleEvents")?;
    let by_start = match query.get("orderBy") {
        None => false,
        Some("startTime") if singly => true,
        Some("startTime") => {
            return Err(Refusal::invalid("The requested ordering is not available for the particular query."));
        }
        Some(other) => return Err(Refusal::invalid(format!("Invalid value for orderBy: {other}"))),
    };
    let since = query.get("syncToken").map(|token| since(state, calendar, query, token)).transpose()?;
    let with_deleted = since.is_some() || query.flag("showDeleted")?;
    let zone = &state.calendar(calendar)?.zone;
    let types: Vec<&str> = query.all("eventTypes").collect();
    let property = query.get("privateExtendedProperty").map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let mut all: Vec<Event> = listed(state, calendar, singly)?;
    all.retain(|event| {
        let bounds = event.bounds(zone);
        let in_time = from.is_none_or(|from| bounds.is_some_and(|(_, end)| end > from))
            && until.is_none_or(|until| bounds.is_some_and(|(start, _)| start < until));
        let kind = event.text("eventType").unwrap_or("default");
        let marked = |(key, value): (&str, &str)| {
            let private = event.body.get("extendedProperties").and_then(|both| both.get("private"));
            private.and_then(|private| private.get(key)).and_then(Value::as_str) == Some(value)
        };
        since.is_none_or(|since| event.revision > since)
            && (with_deleted || !event.is_cancelled())
            && in_time
            && (types.is_empty() || types.contains(&kind))
            && property.is_none_or(marked)
    });
    if by_start {
        all.sort_by_key(|event| event.bounds(zone).map(|(start, _)| start));
    }
    all.iter().map(|event| shown_to(state, calendar, event)).collect()
}

/// The revision from which a sync token goes on.
fn since(state: &State, calendar: &str, query: &Query, token: &str) -> Result<u64, Refusal> {
    if let Some(name) = NOT_BESIDE_A_TOKEN.iter().find(|name| query.has(name)) {
        return Err(Refusal::invalid(format!("Sync token cannot be combined with {name}.")));
    }
    if query.get("showDeleted") == Some("false") {
        return Err(Refusal::invalid("Sync token cannot be combined with showDeleted=false."));
    }
    let gone = || Refusal::new(410, "fullSyncRequired", "Sync token expired, a full sync is required.");
    let point = state.listings.tokens.get(token).ok_or_else(gone)?;
    if point.calendar != calendar || point.bound != bound(query) {
        return Err(Refusal::invalid("The sync token was given for other parameters."));
    }
    Ok(point.revision)
}

/// Series or their instances, with all that stands for itself.
fn listed(state: &State, calendar: &str, singly: bool) -> Result<Vec<Event>, Refusal> {
    let calendar = state.calendar(calendar)?;
    let stored: BTreeSet<&str> = calendar.events.keys().map(String::as_str).collect();
    let until = state.now().saturating_add(AHEAD).unwrap_or(Timestamp::MAX);
    let mut all = Vec::new();
    for event in calendar.events.values() {
        if singly && event.is_series() {
            let made = recurrence::instances(event, until).into_iter();
            // An exception stands for itself.
            all.extend(made.filter(|one| one.text("id").is_none_or(|id| !stored.contains(id))));
        } else {
            all.push(event.clone());
        }
    }
    Ok(all)
}

fn bound(query: &Query) -> Vec<Vec<String>> {
    BOUND.iter().map(|name| query.all(name).map(str::to_owned).collect()).collect()
}

fn parameters(query: &Query) -> Vec<(&'static str, Vec<String>)> {
    let others = KNOWN.iter().filter(|name| **name != "pageToken");
    others.map(|name| (*name, query.all(name).map(str::to_owned).collect())).collect()
}

/// `GET …/users/me/calendarList`.
pub(super) fn calendars(state: &State, query: &Query) -> Result<Value, Refusal> {
    query.only(&["maxResults", "minAccessRole", "pageToken", "showHidden"])?;
    let size = query.page_size(250)?.min(state.listings.page_size.unwrap_or(250));
    let ranks = ["freeBusyReader", "reader", "writer", "owner"];
    let rank = |role: &str| ranks.iter().position(|known| *known == role);
    let least = match query.get("minAccessRole") {
        None => 0,
        Some(role) => rank(role).ok_or_else(|| Refusal::invalid("Invalid value for minAccessRole"))?,
    };
    let all = state.calendars.iter().filter(|(_, one)| rank(&one.role).is_some_and(|rank| rank >= least));
    let skipped = match query.get("pageToken") {
        None => 0,
        Some(token) => {
            let at = token.strip_prefix("list").and_then(|at| at.parse::<usize>().ok());
            at.ok_or_else(|| Refusal::invalid("Invalid page token value."))?
        }
    };
    let entry = |(id, one): (&String, &Calendar)| {
        let mut entry = json!({ "kind": "calendar#calendarListEntry", "id": id, "summary": one.name,
            "timeZone": one.zone_name, "accessRole": one.role });
        if one.is_primary {
            entry["primary"] = json!(true);
        }
        if let Some(owner) = &one.data_owner {
            entry["dataOwner"] = json!(owner);
        }
        entry
    };
    let rest: Vec<Value> = all.skip(skipped).map(entry).collect();
    let mut answer = json!({ "kind": "calendar#calendarList", "items": rest.iter().take(size).collect::<Vec<_>>() });
    if rest.len() > size {
        answer["nextPageToken"] = json!(format!("list{}", skipped + size));
    }
    Ok(answer)
}

/// The part of an answer that `fields` selects, for example `nextPageToken,items(id,start)`.
pub(super) fn selected(answer: Value, query: &Query) -> Result<Value, Refusal> {
    let Some(fields) = query.get("fields").filter(|fields| *fields != "*") else { return Ok(answer) };
    let mut rest = fields;
    let selected = select(&answer, &mut rest);
    let invalid = || Refusal::new(400, "invalidParameter", format!("Invalid field selection {fields}"));
    selected.filter(|_| rest.is_empty()).ok_or_else(invalid)
}

/// Reads one list of names, up to its end or its bracket; `None` if it cannot be read.
fn select(value: &Value, rest: &mut &str) -> Option<Value> {
    let mut kept = serde_json::Map::new();
    let mut lists: Vec<serde_json::Map<String, Value>> = vec![];
    let entries = value.as_array();
    if let Some(entries) = entries {
        lists = vec![serde_json::Map::new(); entries.len().max(1)];
    }
    loop {
        let end = rest.find([',', '(', ')', '/']).unwrap_or(rest.len());
        let (name, after) = rest.split_at_checked(end)?;
        if name.is_empty() || !name.chars().all(|one| one.is_ascii_alphanumeric()) {
            return None;
        }
        let opens = after.chars().next();
        let inner = after.strip_prefix(['(', '/']);
        let mut left = inner.unwrap_or(after);
        let take = |value: &Value, left: &mut &str| {
            let Some(found) = value.get(name) else {
                // The names inside are read nevertheless, to find their end.
                return if inner.is_some() { select(&Value::Null, left).map(|_| None) } else { Some(None) };
            };
            if inner.is_some() { select(found, left).map(Some) } else { Some(Some(found.clone())) }
        };
        let begin = left;
        if let Some(entries) = entries {
            if entries.is_empty() {
                take(&Value::Null, &mut left)?;
            }
            for (entry, list) in entries.iter().zip(&mut lists) {
                left = begin;
                if let Some(found) = take(entry, &mut left)? {
                    list.insert(name.to_owned(), found);
                }
            }
        } else if let Some(found) = take(value, &mut left)? {
            kept.insert(name.to_owned(), found);
        }
        if opens == Some('(') {
            left = left.strip_prefix(')')?;
        }
        *rest = left;
        match left.chars().next() {
            // A path such as `a/b` ends at the comma of the list around it.
            Some(',') => *rest = left.get(1..)?,
            _ => break,
        }
    }
    Some(match entries {
        Some(entries) => Value::Array(lists.into_iter().take(entries.len()).map(Value::Object).collect()),
        None => Value::Object(kept),
    })
}

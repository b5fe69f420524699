//! `getAvailableSlotsTool`: opening hours and busy times of some days. Whose they are, nobody is told.

use std::sync::Arc;

use async_trait::async_trait;
use balcao_app::scheduling::calendar::{BusyDay, BusyQuery, Calendar, Refusal};
use balcao_app::scheduling::catalog::{ProfessionalView, ServiceView};
use balcao_app::scheduling::intake::Intake;
use balcao_domain::Money;
use balcao_domain::hours::parse_minute;
use balcao_tool::{NativeTool, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::support::calendar::{age, business_hours, calendar_broke, owner, range, refused, with_whom, written};
use crate::support::{open_until, weekday};

/// Most days of one question after the first.
const MOST_DAYS: i32 = 30;
/// So many days are told with every start that is free; of more, hours and busy times alone.
const DAYS_WITH_STARTS: usize = 7;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Args {
    start_date: String,
    end_date: String,
}

pub(crate) struct GetAvailableSlotsTool {
    pub(crate) calendar: Arc<dyn Calendar>,
    /// Whom the profile books, if not the conversation's professional or anybody who is free.
    pub(crate) professional: Option<String>,
    pub(crate) intake: Intake,
}

#[async_trait]
impl NativeTool for GetAvailableSlotsTool {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let (from, to) = range(cx, &args.start_date, &args.end_date, MOST_DAYS)?;
        let owner = owner(cx)?;
        let professional = with_whom(cx, self.professional.as_ref(), &self.intake).await?;
        let query = BusyQuery { from, to, professional: professional.clone() };
        let busy = self.calendar.busy(owner, query).await.map_err(calendar_broke)?;
        let mut message: Vec<String> = age(cx, &busy).into_iter().collect();
        let days = match busy.value {
            Ok(days) => days,
            Err(refusal) => return refused(cx, Refusal::Rule(refusal)),
        };
        if let Some(last) = days.last().map(|day| day.date).filter(|last| *last < to) {
            message.push(open_until(cx, last));
        }
        let offer = self.calendar.offer(owner.organization).await.map_err(calendar_broke)?.value;
        let people = || {
            let wanted = |name: &String| professional.as_ref().is_none_or(|only| only == name);
            offer.professionals.iter().filter(move |one| wanted(&one.name))
        };
        let services = offer.services.iter().filter_map(|one| on_offer(one, people()));
        let with_free = days.len() <= DAYS_WITH_STARTS;
        let mut value = json!({
            "success": true,
            "days": days.iter().map(|day| shown(cx, day, with_free)).collect::<Value>(),
            "services": services.collect::<Value>(),
            "professionals": people().map(|one| one.name.as_str()).collect::<Value>(),
        });
        if let (Some(fields), false) = (value.as_object_mut(), message.is_empty()) {
            fields.insert("message".to_owned(), message.join(" ").into());
        }
        Ok(ToolOutput::success(value))
    }
}

/// A service with what it costs and how long it takes; `None` if none of these people offers it. Where their prices differ
/// the price is "R$ 50,00 a R$ 70,00"; where their lengths differ, the usual one stands.
fn on_offer<'a>(service: &ServiceView, people: impl Iterator<Item = &'a ProfessionalView>) -> Option<Value> {
    let terms = |one: &ProfessionalView| {
        let own = one.terms.iter().find(|own| own.service == service.name);
        own.map_or((service.price, service.duration_min), |own| (own.price, own.duration_min))
    };
    let offered: Vec<(Money, u32)> = people.filter(|one| one.services.contains(&service.name)).map(terms).collect();
    let prices = || offered.iter().map(|(price, _)| *price);
    let (lowest, highest) = (prices().min_by_key(|one| one.cents)?, prices().max_by_key(|one| one.cents)?);
    let price = if lowest == highest { lowest.to_string() } else { format!("{lowest} a {highest}") };
    let minutes =
        offered.first().map(|(_, minutes)| *minutes).filter(|first| offered.iter().all(|one| one.1 == *first));
    let minutes = minutes.unwrap_or(service.duration_min);
    Some(json!({"name": service.name, "durationMinutes": minutes, "price": price}))
}

/// Starts as runs, "10:15-16:30", both ends included, in the step of `all`: the smallest gap there. What stands alone is
/// written alone. A list of each service's starts would be longer than all the rest.
fn runs(starts: &[String], all: &[String]) -> Value {
    let gap = |pair: &[String]| match pair {
        [one, next] => parse_minute(next).ok()?.checked_sub(parse_minute(one).ok()?),
        _ => None,
    };
    let step = all.windows(2).filter_map(gap).filter(|gap| *gap > 0).min();
    let follows = |one: &String, next: &String| step.is_some() && gap(&[one.clone(), next.clone()]) == step;
    let written = |run: &[String]| match run {
        [first, .., last] => format!("{first}-{last}"),
        _ => run.concat(),
    };
    starts.chunk_by(follows).map(written).collect()
}

/// `with_free` names the starts, too: a reply may name no time that stands nowhere.
fn shown(cx: &ToolContext, day: &BusyDay, with_free: bool) -> Value {
    let busy = day.busy.iter().map(|period| json!({"start": period.opens(), "end": period.closes()}));
    let mut value = json!({
        "date": written(day.date),
        "weekday": weekday(cx, day.date),
        "businessHours": business_hours(cx, &day.open, day.closed),
        "busySlots": busy.collect::<Value>(),
    });
    if let Some(fields) = value.as_object_mut() {
        if with_free {
            fields.insert("freeSlots".to_owned(), day.free.iter().map(String::as_str).collect());
            let of = day.free_for.iter().filter(|(_, starts)| *starts != day.free);
            let of: Map<String, Value> = of.map(|(name, starts)| (name.clone(), runs(starts, &day.free))).collect();
            if !of.is_empty() {
                fields.insert("freeSlotsOf".to_owned(), of.into());
            }
        }
        if let Some(note) = &day.note {
            fields.insert("note".to_owned(), note.as_str().into());
        }
    }
    value
}

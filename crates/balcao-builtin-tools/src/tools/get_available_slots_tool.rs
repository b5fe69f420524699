//! `getAvailableSlotsTool`: opening hours and busy times of some days. Whose they are, nobody is told.

use std::sync::Arc;

use async_trait::async_trait;
use balcao_app::calendar::{BusyDay, BusyQuery, Calendar, Refusal};
use balcao_app::intake::Intake;
use balcao_tool::{NativeTool, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

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
        let offered = |name: &String| people().any(|one| one.services.contains(name));
        let services = offer.services.iter().filter(|one| offered(&one.name));
        let with_free = days.len() <= DAYS_WITH_STARTS;
        let mut value = json!({
            "success": true,
            "days": days.iter().map(|day| shown(cx, day, with_free)).collect::<Value>(),
            "services": services.map(|one| json!({"name": one.name, "durationMinutes": one.duration_min})).collect::<Value>(),
            "professionals": people().map(|one| one.name.as_str()).collect::<Value>(),
        });
        if let (Some(fields), false) = (value.as_object_mut(), message.is_empty()) {
            fields.insert("message".to_owned(), message.join(" ").into());
        }
        Ok(ToolOutput::success(value))
    }
}

/// `with_free` names the starts, too: a reply may name no time that stands nowhere.
fn shown(cx: &ToolContext, day: &BusyDay, with_free: bool) -> Value {
    let busy = day.busy.iter().map(|period| json!({"start": period.opens(), "end": period.closes()}));
    let mut value = json!({
        "date": written(day.date),
        "weekday": weekday(cx, day.date),
        "businessHours": business_hours(cx, &day.open),
        "busySlots": busy.collect::<Value>(),
    });
    if let Some(fields) = value.as_object_mut() {
        if with_free {
            fields.insert("freeSlots".to_owned(), day.free.iter().map(String::as_str).collect());
        }
        if let Some(note) = &day.note {
            fields.insert("note".to_owned(), note.as_str().into());
        }
    }
    value
}

//! `get_available_slots`: what is free with the conversation's professional.

use async_trait::async_trait;
use balcao_app::scheduling::intake::{Intake, NoFreeSlot, Outside};
use balcao_tool::{NativeTool, Offer, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::support::calendar::note_age;
use crate::support::{
    broke, contact, conversation, date, in_locale, intake_refusal, open_until, organization, slots, weekday,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    date: String,
    #[serde(default)]
    service: Option<String>,
}

pub(crate) struct GetAvailableSlots {
    pub(crate) intake: Intake,
}

#[async_trait]
impl NativeTool for GetAvailableSlots {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let day = date(cx, &args.date, "date")?;
        let found = self.intake.sessions(organization(cx)?, contact(cx)?, conversation(cx)?, day, args.service).await;
        let found = match found.map_err(broke)? {
            Ok(found) => found,
            Err(refusal) => return intake_refusal(cx, refusal),
        };
        let mut value = json!({
            "date": found.date.to_string(),
            "weekday": weekday(cx, found.date),
            "professional": found.professional,
            "service": found.service,
            "slots": found.slots,
            "session_minutes": found.session_min,
            "timezone": found.timezone,
        });
        let outside = found.outside.map(|outside| match outside {
            Outside::Past => ("PAST_DATE", in_locale(cx, "Esse dia já passou.", "That day is over.").to_owned()),
            Outside::TooFar(last) => ("TOO_FAR", open_until(cx, last)),
        });
        // Free time of a day that is over, or too far ahead, is in no copy.
        if let (Some(fields), Some((reason, message))) = (value.as_object_mut(), outside) {
            fields.insert("reason".to_owned(), reason.into());
            fields.insert("message".to_owned(), message.into());
            return Ok(ToolOutput::refusal(value));
        }
        if let (Some(fields), Some(empty)) = (value.as_object_mut(), &found.empty) {
            fields.extend(why(empty));
            fields.insert("next_free".to_owned(), slots(cx, &found.next));
        }
        note_age(cx, &mut value, found.as_of);
        let starts = found.slots.iter().filter_map(|start| start.parse().ok());
        let offers = starts.map(|start| Offer {
            day: found.date,
            start,
            professional: found.professional.clone(),
            service: None,
        });
        let next = found.next.iter().filter_map(|slot| {
            let start = slot.start.parse().ok()?;
            Some(Offer { day: slot.date, start, professional: slot.professional.clone(), service: None })
        });
        Ok(ToolOutput::success(value).offering(offers.chain(next)))
    }
}

/// What is told of a day without free times.
fn why(empty: &NoFreeSlot) -> Map<String, Value> {
    let flag = |name: &str| (name.to_owned(), true.into());
    match empty {
        NoFreeSlot::Closed { note } => {
            let note = note.clone().map(|note| ("note".to_owned(), note.into()));
            std::iter::once(flag("closed")).chain(note).collect()
        }
        NoFreeSlot::Away => Map::from_iter([flag("away")]),
        NoFreeSlot::NoHours => Map::from_iter([flag("no_hours")]),
        NoFreeSlot::Full => Map::new(),
    }
}

//! `get_business_hours`: when the business is open.

use async_trait::async_trait;
use balcao_app::scheduling::hours::{BusinessHours, DayHours};
use balcao_tool::{NativeTool, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{broke, date, organization, periods, weekday};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    date: Option<String>,
}

pub(crate) struct GetBusinessHours {
    pub(crate) hours: BusinessHours,
}

#[async_trait]
impl NativeTool for GetBusinessHours {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let day = args.date.map(|text| date(cx, &text, "date")).transpose()?;
        let view = self.hours.view(organization(cx)?, day).await.map_err(broke)?;
        let one = |day: &DayHours| {
            let mut value = json!({"date": day.date.to_string(), "weekday": weekday(cx, day.date), "periods": periods(&day.periods)});
            if let (Some(note), Some(map)) = (&day.note, value.as_object_mut()) {
                map.insert("note".to_owned(), note.as_str().into());
            }
            value
        };
        Ok(ToolOutput::success(json!({
            "timezone": view.timezone,
            "open_now": view.open_now,
            "next_opening": view.next_opening.map(|opening| format!("{}T{}", opening.date, opening.opens)),
            "days": view.days.iter().map(one).collect::<Vec<Value>>(),
        })))
    }
}

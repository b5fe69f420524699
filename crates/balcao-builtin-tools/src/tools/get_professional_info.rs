//! `get_professional_info`: who the conversation's professional is, and on what terms.

use async_trait::async_trait;
use balcao_app::intake::Intake;
use balcao_tool::{NativeTool, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{broke, conversation, intake_refusal, organization, periods, weekday};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

pub(crate) struct GetProfessionalInfo {
    pub(crate) intake: Intake,
}

#[async_trait]
impl NativeTool for GetProfessionalInfo {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, _args: Args) -> ToolResult<ToolOutput> {
        let found = match self.intake.professional(organization(cx)?, conversation(cx)?).await.map_err(broke)? {
            Ok(found) => found,
            Err(refusal) => return intake_refusal(cx, refusal),
        };
        let hours = found.working_hours.iter().map(|(date, works)| {
            json!({ "date": date.to_string(), "weekday": weekday(cx, *date), "periods": periods(works) })
        });
        Ok(ToolOutput::success(json!({
            "name": found.name,
            "profession": found.profession,
            "session_minutes": found.session_min,
            "price": found.price.map(|price| price.to_string()),
            "working_hours": hours.collect::<Value>(),
        })))
    }
}

//! `get_professional_info`: who the conversation's professional is, and on what terms.

use async_trait::async_trait;
use balcao_app::scheduling::catalog::Catalog;
use balcao_app::scheduling::intake::Intake;
use balcao_tool::{NativeTool, ToolContext, ToolError, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{broke, conversation, intake_refusal, organization, periods, professionals, services, weekday};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

pub(crate) struct GetProfessionalInfo {
    pub(crate) intake: Intake,
    pub(crate) catalog: Catalog,
}

#[async_trait]
impl NativeTool for GetProfessionalInfo {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, _args: Args) -> ToolResult<ToolOutput> {
        let offer = self.catalog.offer(organization(cx)?).await.map_err(broke)?;
        let (mut services, mut professionals) = (services(&offer), professionals(&offer));
        // Here no tool finds a service or a professional by what customers call them.
        services.iter_mut().zip(&offer.services).for_each(|(told, one)| also_called(told, &one.aliases));
        professionals.iter_mut().zip(&offer.professionals).for_each(|(told, one)| also_called(told, &one.aliases));
        let found = match self.intake.professional(organization(cx)?, conversation(cx)?).await.map_err(broke)? {
            Ok(found) => found,
            // Who does what helps to choose.
            Err(refusal) => {
                let told = |error: Box<ToolError>| {
                    error.detail("services", json!(services)).detail("professionals", json!(professionals)).into()
                };
                return intake_refusal(cx, refusal).map_err(told);
            }
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
            "services": services,
            "professionals": professionals,
        })))
    }
}

fn also_called(told: &mut Value, aliases: &[String]) {
    if let Some(fields) = told.as_object_mut().filter(|_| !aliases.is_empty()) {
        fields.insert("aliases".to_owned(), json!(aliases));
    }
}

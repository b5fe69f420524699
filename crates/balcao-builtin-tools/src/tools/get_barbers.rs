//! `get_barbers`: who works on a day.

use async_trait::async_trait;
use balcao_app::scheduling::catalog::Catalog;
use balcao_tool::{NativeTool, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{broke, date, name_error, organization, periods, weekday};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    date: Option<String>,
    service_name: Option<String>,
}

pub(crate) struct GetBarbers {
    pub(crate) catalog: Catalog,
}

#[async_trait]
impl NativeTool for GetBarbers {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let day = args.date.map(|text| date(cx, &text, "date")).transpose()?.unwrap_or_else(|| cx.now.date());
        let found = self.catalog.professionals(organization(cx)?, Some(day), args.service_name).await.map_err(broke)?;
        let working = found.map_err(|refusal| name_error(refusal, "service_name"))?;
        let barbers: Vec<_> = working
            .professionals
            .iter()
            .map(|one| json!({"name": one.name, "services": one.services, "works": periods(&one.works), "restrictions": one.restrictions}))
            .collect();
        let mut value = json!({
            "date": day.to_string(),
            "weekday": weekday(cx, day),
            "total": barbers.len(),
            "barbers": barbers,
        });
        // What was understood, so that a near name is confirmed and not assumed.
        if let (Some(service), Some(map)) = (working.service, value.as_object_mut()) {
            map.insert("service".to_owned(), service.into());
        }
        Ok(ToolOutput::success(value))
    }
}

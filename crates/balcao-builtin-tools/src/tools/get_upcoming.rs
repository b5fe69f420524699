//! `get_upcoming`: the agenda ahead.

use async_trait::async_trait;
use balcao_app::admin::staff_access::StaffAccess;
use balcao_app::reports::analytics::Analytics;
use balcao_tool::{NativeTool, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::analyst::sees;
use crate::support::{broke, organization};

const DAYS: u32 = 7;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    days: Option<u32>,
}

pub(crate) struct GetUpcoming {
    pub(crate) people: StaffAccess,
    pub(crate) analytics: Analytics,
}

#[async_trait]
impl NativeTool for GetUpcoming {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let sees = sees(&self.people, cx).await?;
        let days = args.days.unwrap_or(DAYS);
        let ahead = self.analytics.upcoming(organization(cx)?, sees, days).await.map_err(broke)?;
        Ok(ToolOutput::success(json!(ahead)))
    }
}

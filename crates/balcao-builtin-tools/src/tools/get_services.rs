//! `get_services`: what the business offers, with prices.

use async_trait::async_trait;
use balcao_app::scheduling::catalog::Catalog;
use balcao_tool::{NativeTool, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{broke, organization, professionals, services};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

pub(crate) struct GetServices {
    pub(crate) catalog: Catalog,
}

#[async_trait]
impl NativeTool for GetServices {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, _args: Args) -> ToolResult<ToolOutput> {
        let offer = self.catalog.offer(organization(cx)?).await.map_err(broke)?;
        let (services, barbers) = (services(&offer), professionals(&offer));
        Ok(ToolOutput::success(json!({
            "total_services": services.len(),
            "total_barbers": barbers.len(),
            "services": services,
            "barbers": barbers,
        })))
    }
}

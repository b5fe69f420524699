//! `get_subscription_plans`: plans on sale, from data.

use async_trait::async_trait;
use balcao_app::scheduling::catalog::Catalog;
use balcao_tool::{NativeTool, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{broke, organization};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

pub(crate) struct GetSubscriptionPlans {
    pub(crate) catalog: Catalog,
}

#[async_trait]
impl NativeTool for GetSubscriptionPlans {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, _args: Args) -> ToolResult<ToolOutput> {
        let plans = self.catalog.plans(organization(cx)?).await.map_err(broke)?;
        let plans: Vec<_> = plans
            .iter()
            .map(|plan| {
                json!({
                    "id": i64::from(plan.id),
                    "name": plan.name,
                    "price": plan.price.to_string(),
                    "period": plan.period,
                    "benefits": plan.benefits,
                    "services": plan.services,
                    "quota": plan.quota,
                })
            })
            .collect();
        Ok(ToolOutput::success(json!({"plans": plans})))
    }
}

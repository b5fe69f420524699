//! `get_services`: what the business offers, with prices.

use async_trait::async_trait;
use balcao_app::catalog::Catalog;
use balcao_tool::{NativeTool, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{broke, organization};

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
        let services: Vec<_> = offer
            .services
            .iter()
            .map(|service| {
                json!({
                    "id": i64::from(service.id),
                    "name": service.name,
                    "price": service.price.to_string(),
                    "duration_minutes": service.duration_min,
                    "duration_display": display(service.duration_min),
                })
            })
            .collect();
        let barbers: Vec<_> = offer
            .professionals
            .iter()
            .map(|one| {
                // Prices and durations of their own, where the service's do not hold for them.
                let own = one.terms.iter().map(|terms| {
                    json!({
                        "service": terms.service,
                        "price": terms.price.to_string(),
                        "duration_minutes": terms.duration_min,
                    })
                });
                let own: Vec<_> = own.collect();
                json!({
                    "name": one.name,
                    "restrictions": one.restrictions,
                    "services": one.services,
                    "own_terms": own,
                })
            })
            .collect();
        Ok(ToolOutput::success(json!({
            "total_services": services.len(),
            "total_barbers": barbers.len(),
            "services": services,
            "barbers": barbers,
        })))
    }
}

fn display(minutes: u32) -> String {
    match (minutes / 60, minutes % 60) {
        (0, rest) => format!("{rest} min"),
        (hours, 0) => format!("{hours}h"),
        (hours, rest) => format!("{hours}h{rest:02}"),
    }
}

//! `list_pipeline_stages`: what stages there are, and where the contact stands.

use async_trait::async_trait;
use balcao_app::crm::pipelines::Pipelines;
use balcao_tool::{NativeTool, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{broke, contact, organization};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

pub(crate) struct ListPipelineStages {
    pub(crate) pipelines: Pipelines,
}

#[async_trait]
impl NativeTool for ListPipelineStages {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, _args: Args) -> ToolResult<ToolOutput> {
        let pipelines = self.pipelines.list(organization(cx)?, contact(cx)?).await.map_err(broke)?;
        Ok(ToolOutput::success(json!({"pipelines": pipelines})))
    }
}

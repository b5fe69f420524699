//! `move_pipeline_stage`: the contact to another stage. No receipt: the customer never sees it, and no reply may speak of it.

use async_trait::async_trait;
use balcao_app::crm::pipelines::{MoveRefusal, Pipelines};
use balcao_tool::{ErrorCode, ModelText, NativeTool, ToolContext, ToolError, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{broke, contact, in_locale, key, name_error, organization};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    stage_name: String,
    pipeline_name: Option<String>,
}

pub(crate) struct MovePipelineStage {
    pub(crate) pipelines: Pipelines,
}

#[async_trait]
impl NativeTool for MovePipelineStage {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let key = key(cx, "move_pipeline_stage");
        let done = self
            .pipelines
            .place(organization(cx)?, contact(cx)?, key, args.stage_name, args.pipeline_name)
            .await
            .map_err(broke)?;
        let moved = done.value.map_err(refused)?;
        Ok(ToolOutput::success(json!({
            "success": true,
            "pipeline": moved.pipeline,
            "stage": moved.stage,
            "action": if moved.was_in_pipeline { "updated" } else { "created" },
            "message": in_locale(cx, "Etapa atualizada.", "Stage updated."),
        })))
    }
}

fn refused(refusal: MoveRefusal) -> Box<ToolError> {
    match refusal {
        MoveRefusal::Pipeline(refusal) => name_error(refusal, "pipeline_name"),
        MoveRefusal::UnknownStage { query, nearest, available } => {
            ToolError::new(ErrorCode::NotFound, ModelText::new(format!("there is no stage `{query}`")))
                .detail("nearest", nearest.map_or(json!([]), |name| json!([name])))
                .detail("available_stages", json!(available))
                .into()
        }
        MoveRefusal::Ambiguous { candidates } => {
            ToolError::new(ErrorCode::Ambiguous, "this stage exists in several pipelines")
                .detail("candidates", json!(candidates))
                .into()
        }
    }
}

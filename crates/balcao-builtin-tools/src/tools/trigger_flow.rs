//! `trigger_flow`: says that automations do not exist yet. No profile offers it; `balcao pack run` reaches it.

use async_trait::async_trait;
use balcao_tool::{NativeTool, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::support::in_locale;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    #[serde(rename = "flow_id")]
    _flow_id: String,
    #[serde(rename = "input")]
    _input: Option<Map<String, Value>>,
}

pub(crate) struct TriggerFlow;

#[async_trait]
impl NativeTool for TriggerFlow {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, _args: Args) -> ToolResult<ToolOutput> {
        let message = in_locale(
            cx,
            "Automações ainda não existem aqui; nada foi iniciado.",
            "There are no automations here yet; nothing was started.",
        );
        Ok(ToolOutput::refusal(json!({"success": false, "reason": "not_available", "message": message})))
    }
}

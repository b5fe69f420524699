//! `trigger_flow`: starts an automation that the profile permits.

use async_trait::async_trait;
use balcao_app::conversations::flows::Flows;
use balcao_tool::{ErrorCode, NativeTool, Receipt, ReceiptKind, ToolContext, ToolError, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::support::{broke, contact, in_locale, key, organization};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    flow_id: String,
    input: Option<Map<String, Value>>,
}

pub(crate) struct TriggerFlow {
    pub(crate) flows: Flows,
    pub(crate) allowed: Vec<String>,
}

#[async_trait]
impl NativeTool for TriggerFlow {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        if !self.allowed.contains(&args.flow_id) {
            let error = ToolError::new(ErrorCode::Forbidden, "this automation is not on the profile's list");
            return Err(error.detail("allowed", json!(self.allowed)).into());
        }
        let input = Value::Object(args.input.unwrap_or_default());
        let done = self
            .flows
            .trigger(organization(cx)?, contact(cx)?, key(cx, "trigger_flow"), args.flow_id, input)
            .await
            .map_err(broke)?;
        let value = json!({"success": true, "run_id": done, "message": in_locale(cx, "Automação iniciada.", "Automation started.")});
        Ok(ToolOutput::success(value).receipt(Receipt::bare(ReceiptKind::Started)))
    }
}

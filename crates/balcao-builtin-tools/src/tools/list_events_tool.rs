//! `listEventsTool`: the contact's own events, by id and time alone.

use std::sync::Arc;

use async_trait::async_trait;
use balcao_app::scheduling::calendar::Calendar;
use balcao_tool::{NativeTool, ReceiptKind, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::calendar::{age, calendar_broke, event, owner, range};
use crate::support::visit_receipt;

/// Most days of one question after the first.
const MOST_DAYS: i32 = 366;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Args {
    start_date: String,
    end_date: String,
}

pub(crate) struct ListEventsTool {
    pub(crate) calendar: Arc<dyn Calendar>,
}

#[async_trait]
impl NativeTool for ListEventsTool {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let (from, to) = range(cx, &args.start_date, &args.end_date, MOST_DAYS)?;
        let own = self.calendar.list(owner(cx)?, from, to).await.map_err(calendar_broke)?;
        let mut value =
            json!({"success": true, "events": own.value.iter().map(|entry| event(cx, entry)).collect::<Value>()});
        if let (Some(fields), Some(age)) = (value.as_object_mut(), age(cx, &own)) {
            fields.insert("message".to_owned(), age.into());
        }
        let mut output = ToolOutput::success(value);
        output.receipts = own.value.iter().map(|entry| visit_receipt(ReceiptKind::Existing, &entry.visit)).collect();
        Ok(output)
    }
}

//! `add_internal_note`: a note that only staff see.

use async_trait::async_trait;
use balcao_app::crm::notes::{NoteRefusal, Notes};
use balcao_tool::limits::MAX_QUOTED_CHARS;
use balcao_tool::{NativeTool, Receipt, ReceiptKind, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{bad_field, broke, contact, in_locale, key, organization};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    content: String,
}

pub(crate) struct AddInternalNote {
    pub(crate) notes: Notes,
}

#[async_trait]
impl NativeTool for AddInternalNote {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let key = key(cx, "add_internal_note");
        let start: String = args.content.chars().take(MAX_QUOTED_CHARS).collect();
        let done = self
            .notes
            .add(organization(cx)?, contact(cx)?, key, "agent".to_owned(), args.content)
            .await
            .map_err(broke)?;
        done.value.map_err(|refusal| match refusal {
            NoteRefusal::Empty => bad_field("content", "empty", "a text", start),
            NoteRefusal::TooLong => bad_field("content", "too_long", "a shorter text", start),
        })?;
        let value =
            json!({"success": true, "message": in_locale(cx, "Nota guardada para a equipe.", "Note kept for staff.")});
        Ok(ToolOutput::success(value).receipt(Receipt::bare(ReceiptKind::Noted)))
    }
}

//! `updateConversationTagsTool`: internal tags on whoever writes. No receipt: the customer never sees them.

use async_trait::async_trait;
use balcao_app::crm::contacts::Contacts;
use balcao_tool::{NativeTool, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{broke, contact, in_locale, key, name_error, organization};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    tags: Vec<String>,
}

pub(crate) struct UpdateConversationTagsTool {
    pub(crate) contacts: Contacts,
    pub(crate) may_create: bool,
}

#[async_trait]
impl NativeTool for UpdateConversationTagsTool {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let key = key(cx, "updateConversationTagsTool");
        let done = self.contacts.add_tags(organization(cx)?, contact(cx)?, key, args.tags, self.may_create).await;
        let saved: Vec<String> = match done.map_err(broke)?.value {
            Ok(given) => given.into_iter().map(|tagged| tagged.tag).collect(),
            Err(refusal) => return Err(name_error(refusal, "tags")),
        };
        let message = in_locale(cx, "As etiquetas foram salvas com sucesso na conversa.", "The tags were saved.");
        Ok(ToolOutput::success(json!({"success": true, "message": message, "tags": saved})))
    }
}

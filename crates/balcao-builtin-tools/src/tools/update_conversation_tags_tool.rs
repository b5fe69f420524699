//! `updateConversationTagsTool`: internal tags on whoever writes. No receipt: the customer never sees them.

use async_trait::async_trait;
use balcao_app::contacts::Contacts;
use balcao_store::ledger::EffectKey;
use balcao_tool::{NativeTool, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{broke, contact, key, name_error, organization, say};

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
        let own = key(cx, "updateConversationTagsTool");
        let mut saved: Vec<String> = Vec::new();
        for (index, tag) in args.tags.into_iter().enumerate() {
            let key = EffectKey { key: format!("{}/{index}", own.key), ..own.clone() };
            let done = self.contacts.add_tag(organization(cx)?, contact(cx)?, key, tag, self.may_create).await;
            match done.map_err(broke)?.value {
                Ok(tagged) => saved.push(tagged.tag),
                Err(refusal) => return Err(name_error(refusal, "tags").detail("saved", json!(saved)).into()),
            }
        }
        let message = say(cx, "As etiquetas foram salvas com sucesso na conversa.", "The tags were saved.");
        Ok(ToolOutput::success(json!({"success": true, "message": message, "tags": saved})))
    }
}

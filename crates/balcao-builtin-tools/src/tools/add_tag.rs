//! `add_tag`: an internal tag on the contact. No receipt: the customer never sees it, and no reply may speak of it.

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
    tag_name: String,
}

pub(crate) struct AddTag {
    pub(crate) contacts: Contacts,
    pub(crate) may_create: bool,
}

#[async_trait]
impl NativeTool for AddTag {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let key = key(cx, "add_tag");
        let done = self
            .contacts
            .add_tag(organization(cx)?, contact(cx)?, key, args.tag_name, self.may_create)
            .await
            .map_err(broke)?;
        let tagged = done.value.map_err(|refusal| name_error(refusal, "tag_name"))?;
        let message = if tagged.was_present {
            in_locale(cx, "O cliente já tinha essa etiqueta.", "The customer had this tag already.")
        } else {
            in_locale(cx, "Etiqueta adicionada.", "Tag added.")
        };
        let value =
            json!({"success": true, "tag": tagged.tag, "already_existed": tagged.was_present, "message": message});
        Ok(ToolOutput::success(value))
    }
}

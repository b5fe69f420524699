//! `get_contact_info`: what is on file about the contact.

use async_trait::async_trait;
use balcao_app::crm::contacts::Contacts;
use balcao_tool::{NativeTool, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::support::{broke, contact, organization};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

pub(crate) struct GetContactInfo {
    pub(crate) contacts: Contacts,
}

#[async_trait]
impl NativeTool for GetContactInfo {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, _args: Args) -> ToolResult<ToolOutput> {
        let view = self.contacts.info(organization(cx)?, contact(cx)?).await.map_err(broke)?;
        let stages: Vec<_> =
            view.pipeline_stages.iter().map(|at| json!({"pipeline": at.pipeline, "stage": at.stage})).collect();
        Ok(ToolOutput::success(json!({
            "id": i64::from(view.id),
            "name": view.name,
            "preferred_name": view.preferred_name,
            "phone": view.phone,
            "email": view.email,
            "address": view.address,
            "custom_fields": view.custom_fields,
            "tags": view.tags,
            "pipeline_stages": stages,
        })))
    }
}

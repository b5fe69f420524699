//! `update_contact`: what the customer told about themselves. Never the phone.

use std::collections::BTreeMap;

use async_trait::async_trait;
use balcao_app::contacts::{ContactUpdate, Contacts, UpdateRefusal};
use balcao_tool::{NativeTool, Receipt, ReceiptKind, ToolContext, ToolError, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{bad_field, broke, contact, key, organization, say};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    name: Option<String>,
    email: Option<String>,
    preferred_name: Option<String>,
    address: Option<String>,
    custom_fields: Option<BTreeMap<String, Value>>,
}

pub(crate) struct UpdateContact {
    pub(crate) contacts: Contacts,
}

#[async_trait]
impl NativeTool for UpdateContact {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let plain = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let update = ContactUpdate {
            name: args.name,
            preferred_name: args.preferred_name,
            email: args.email,
            address: args.address,
            custom_fields: args
                .custom_fields
                .unwrap_or_default()
                .into_iter()
                .map(|(name, value)| (name, plain(value)))
                .collect(),
        };
        let key = key(cx, "update_contact");
        let done = self
            .contacts
            .update(organization(cx)?, contact(cx)?, key, "agent".to_owned(), update)
            .await
            .map_err(broke)?;
        let updated = done.value.map_err(refused)?.updated;
        let value = json!({"success": true, "updated": updated, "message": say(cx, "Dados atualizados.", "Updated.")});
        Ok(ToolOutput::success(value).receipt(Receipt::bare(ReceiptKind::Updated)))
    }
}

fn refused(refusal: UpdateRefusal) -> Box<ToolError> {
    match refusal {
        UpdateRefusal::Nothing => bad_field("name", "nothing_to_update", "at least one field"),
        UpdateRefusal::Email { text } => {
            bad_field("email", "bad_format", format!("an address such as name@example.com, not `{text}`"))
        }
        UpdateRefusal::Empty { field } => bad_field(&field, "empty", "a text"),
        UpdateRefusal::TooLong { field } => bad_field(&field, "too_long", "a shorter text"),
        UpdateRefusal::TooManyFields => bad_field("custom_fields", "too_many", "fewer fields"),
    }
}

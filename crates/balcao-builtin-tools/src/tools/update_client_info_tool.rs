//! `updateClientInfoTool`: what the customer told of themselves, and a note for the team. Never the phone.

use async_trait::async_trait;
use balcao_app::crm::contacts::{ContactUpdate, Contacts, NotWritten};
use balcao_tool::{NativeTool, Receipt, ReceiptKind, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::update_contact;
use crate::support::{bad_field, broke, contact, in_locale, key, organization};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Args {
    preferred_name: Option<String>,
    address_text: Option<String>,
    notes: Option<String>,
}

pub(crate) struct UpdateClientInfoTool {
    pub(crate) contacts: Contacts,
}

#[async_trait]
impl NativeTool for UpdateClientInfoTool {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let (organization, contact) = (organization(cx)?, contact(cx)?);
        let told = [
            (in_locale(cx, "Nome Preferido", "Preferred name"), args.preferred_name.clone()),
            (in_locale(cx, "Endereço", "Address"), args.address_text.clone()),
            (in_locale(cx, "Anotações", "Notes"), args.notes.clone()),
        ];
        let key = key(cx, "updateClientInfoTool");
        let note = args.notes.clone();
        let update = (args.preferred_name.is_some() || args.address_text.is_some()).then(|| ContactUpdate {
            preferred_name: args.preferred_name,
            address: args.address_text,
            ..ContactUpdate::default()
        });
        let done = self.contacts.write_down(organization, contact, key, "agent".to_owned(), update, note).await;
        done.map_err(broke)?.value.map_err(|refusal| match refusal {
            NotWritten::Contact(refusal) => update_contact::refused(refusal, named),
            NotWritten::Note(_) => bad_field("notes", "empty", "a text", args.notes.unwrap_or_default()),
        })?;
        let saved = told.into_iter().filter_map(|(name, value)| Some(format!("{name}='{}'", value?.trim())));
        let saved = saved.collect::<Vec<_>>().join(", ");
        let message = match in_locale(cx, "pt", "en") {
            "pt" => format!("Dados do cliente foram salvos no sistema: {saved}."),
            _ => format!("The customer's data were saved: {saved}."),
        };
        Ok(ToolOutput::success(json!({"success": true, "message": message}))
            .receipt(Receipt::bare(ReceiptKind::Updated)))
    }
}

/// What the arguments are called that the use case calls so.
fn named(field: &str) -> &str {
    match field {
        "preferred_name" => "preferredName",
        "address" => "addressText",
        other => other,
    }
}

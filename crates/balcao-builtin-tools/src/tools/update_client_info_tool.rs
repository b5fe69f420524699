//! `updateClientInfoTool`: what the customer told of themselves, and a note for the team. Never the phone.

use async_trait::async_trait;
use balcao_app::contacts::{ContactUpdate, Contacts};
use balcao_app::notes::Notes;
use balcao_store::ledger::EffectKey;
use balcao_tool::{NativeTool, Receipt, ReceiptKind, ToolContext, ToolError, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::update_contact;
use crate::support::{bad_field, broke, contact, key, organization, say};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Args {
    preferred_name: Option<String>,
    address_text: Option<String>,
    notes: Option<String>,
}

pub(crate) struct UpdateClientInfoTool {
    pub(crate) contacts: Contacts,
    pub(crate) notes: Notes,
}

#[async_trait]
impl NativeTool for UpdateClientInfoTool {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let (organization, contact) = (organization(cx)?, contact(cx)?);
        let told = [
            (say(cx, "Nome Preferido", "Preferred name"), args.preferred_name.clone()),
            (say(cx, "Endereço", "Address"), args.address_text.clone()),
            (say(cx, "Anotações", "Notes"), args.notes.clone()),
        ];
        let own = key(cx, "updateClientInfoTool");
        if args.preferred_name.is_some() || args.address_text.is_some() {
            let update = ContactUpdate {
                preferred_name: args.preferred_name,
                address: args.address_text,
                ..ContactUpdate::default()
            };
            let key = EffectKey { key: format!("{}/contact", own.key), ..own.clone() };
            let done = self.contacts.update(organization, contact, key, "agent".to_owned(), update).await;
            done.map_err(broke)?.value.map_err(|refusal| update_contact::refused(refusal, named))?;
        }
        if let Some(text) = args.notes {
            let key = EffectKey { key: format!("{}/notes", own.key), ..own };
            let done = self.notes.add(organization, contact, key, "agent".to_owned(), text.clone()).await;
            let refused = |_refusal| -> Box<ToolError> { bad_field("notes", "empty", "a text", text) };
            done.map_err(broke)?.value.map_err(refused)?;
        }
        let saved = told.into_iter().filter_map(|(name, value)| Some(format!("{name}='{}'", value?.trim())));
        let saved = saved.collect::<Vec<_>>().join(", ");
        let message = match say(cx, "pt", "en") {
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

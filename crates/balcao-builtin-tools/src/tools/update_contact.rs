//! `update_contact`: what the customer told about themselves. Never the phone.

use std::collections::BTreeMap;

use async_trait::async_trait;
use balcao_app::crm::contacts::{BadField, BadValue, ContactUpdate, Contacts, UpdateRefusal};
use balcao_tool::limits::MAX_QUOTED_CHARS;
use balcao_tool::{FieldProblem, NativeTool, Receipt, ReceiptKind, ToolContext, ToolError, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{broke, contact, in_locale, key, organization};

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
        let updated = done.value.map_err(|refusal| refused(refusal, |field| field))?.updated;
        let value =
            json!({"success": true, "updated": updated, "message": in_locale(cx, "Dados atualizados.", "Updated.")});
        Ok(ToolOutput::success(value).receipt(Receipt::bare(ReceiptKind::Updated)))
    }
}

/// The error of an update that was refused; `named` says what the tool calls a field.
pub(super) fn refused(refusal: UpdateRefusal, named: impl Fn(&str) -> &str) -> Box<ToolError> {
    let fields = match refusal {
        UpdateRefusal::Nothing => vec![problem(String::new(), "too_few", "at least one field", None)],
        UpdateRefusal::TooManyFields => vec![problem("/custom_fields".to_owned(), "too_many", "fewer fields", None)],
        UpdateRefusal::Fields(fields) => fields.into_iter().map(|field| bad(field, &named)).collect(),
    };
    ToolError::invalid(fields).into()
}

fn bad(field: BadField, named: &impl Fn(&str) -> &str) -> FieldProblem {
    let (word, expected) = match field.problem {
        BadValue::Email => ("bad_format", "an address such as name@example.com"),
        BadValue::Empty => ("empty", "a text"),
        BadValue::TooLong => ("too_long", "a shorter text"),
        BadValue::Birthday => ("bad_format", "a date YYYY-MM-DD that is not in the future"),
    };
    let name = if field.custom {
        // A name of the customer's may hold what separates the steps of a JSON pointer.
        format!("custom_fields/{}", field.field.replace('~', "~0").replace('/', "~1"))
    } else {
        named(&field.field).to_owned()
    };
    problem(format!("/{name}"), word, expected, Some(field.text))
}

fn problem(pointer: String, problem: &str, expected: &str, got: Option<String>) -> FieldProblem {
    let got = got.map(|text| text.chars().take(MAX_QUOTED_CHARS).collect::<String>().into());
    FieldProblem { pointer, problem: problem.to_owned(), expected: expected.to_owned(), got, ..FieldProblem::default() }
}

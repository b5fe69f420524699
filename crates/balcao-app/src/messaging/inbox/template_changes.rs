//! What Meta does to templates by itself: it pauses, disables and rejects them, and moves them to a dearer category. Messages with such
//! a template become dead letters from then on, so staff must learn of the change.

use balcao_channel::inbound::UnknownEvent;
use balcao_store::{Tx, turns::event};
use serde_json::{Value, json};

use super::EventHandler;
use crate::context::app_context::UseCaseError;
use crate::context::metrics;

/// Longest name of a template that is passed on, in characters: as long as Meta lets one be.
const NAME_CHARS: usize = 512;

/// A change of a template that staff should know about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TemplateChange {
    /// Its name.
    name: String,
    /// Its language.
    language: String,
    /// What became of it, in one word of ours.
    change: &'static str,
    /// Why, or from which category to which, in Meta's words.
    detail: String,
}

/// What an event says of a template; `None` if it is about something else, or is good news.
pub(super) fn change(event: &UnknownEvent) -> Option<TemplateChange> {
    let value = event.raw.get("value")?;
    let text =
        |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().chars().take(NAME_CHARS).collect();
    let (change, detail) = match event.field.as_str() {
        "message_template_status_update" => {
            let change = match value.get("event")?.as_str()?.to_ascii_uppercase().as_str() {
                "REJECTED" => "rejected",
                "PAUSED" => "paused",
                "DISABLED" => "disabled",
                "FLAGGED" => "flagged",
                "PENDING_DELETION" | "DELETED" => "deleted",
                "ARCHIVED" => "archived",
                "LOCKED" | "LIMIT_EXCEEDED" => "locked",
                _ => return None,
            };
            (change, text("reason"))
        }
        "template_category_update" => {
            let (before, after): (String, String) = (text("previous_category"), text("new_category"));
            ("category", format!("from {before} to {after}"))
        }
        _ => return None,
    };
    Some(TemplateChange {
        name: text("message_template_name"),
        language: text("message_template_language"),
        change,
        detail,
    })
}

impl EventHandler<'_> {
    /// Tells log, metrics and endpoints of it.
    pub(super) fn template_changed(
        &self,
        tx: &mut Tx<'_>,
        told: &TemplateChange,
    ) -> Result<&'static str, UseCaseError> {
        let TemplateChange { name, language, change, detail } = told;
        tracing::warn!(name, language, change, detail, "Meta changed a template; see it in the WhatsApp manager");
        metrics::template_changed(change);
        let payload = json!({ "language": language, "change": change, "detail": detail }).to_string();
        event::push(tx, self.organization(), "template_changed", name, &payload, self.now)?;
        Ok("staff were told of a changed template")
    }
}

#[cfg(test)]
#[path = "template_changes_tests.rs"]
mod tests;

//! Where a single edit is seen.

use serde_json::{Value, json};

/// Where an edit is seen, by a value that is there after it and was not before it, or the other way round.
#[derive(Debug, Clone)]
pub struct Evidence {
    /// Where to look.
    pub place: Place,
    /// The value.
    pub value: &'static str,
    /// Whether the edit brings the value; if not, the edit takes it away.
    pub is_new: bool,
}

/// Where an edit is seen.
#[derive(Debug, Clone)]
pub enum Place {
    /// In what the model reads in the next turn.
    Turn {
        /// What a customer asks, so that the offline model reads it; nothing where it has no use for the tool, and the document shows it.
        words: &'static str,
        /// The tool.
        tool: &'static str,
        /// Its arguments.
        arguments: Value,
    },
    /// In the document of the business, because no turn of a customer can show it.
    Document {
        /// Why not.
        why: &'static str,
    },
}

impl Evidence {
    pub(super) fn new(value: &'static str, words: &'static str, tool: &'static str, arguments: Value) -> Self {
        Self { place: Place::Turn { words, tool, arguments }, value, is_new: true }
    }

    pub(super) const fn of_document(value: &'static str, why: &'static str) -> Self {
        Self { place: Place::Document { why }, value, is_new: true }
    }

    /// The same of a value that the edit takes away.
    pub(super) fn gone(self) -> Self {
        Self { is_new: false, ..self }
    }
}

/// What the free times of a day show.
pub(super) fn free(
    value: &'static str,
    words: &'static str,
    date: &str,
    person: Option<&str>,
    service: &str,
) -> Evidence {
    let mut arguments = json!({ "date": date, "service_name": service });
    if let (Some(person), Some(fields)) = (person, arguments.as_object_mut()) {
        fields.insert("barber_name".to_owned(), json!(person));
    }
    Evidence::new(value, words, "check_availability", arguments)
}

/// What the hours of a day show.
pub(super) fn hours(value: &'static str, words: &'static str, date: &str) -> Evidence {
    Evidence::new(value, words, "get_business_hours", json!({ "date": date }))
}

pub(super) fn offer(value: &'static str, words: &'static str) -> Evidence {
    Evidence::new(value, words, "get_services", json!({}))
}

pub(super) fn plan(value: &'static str) -> Evidence {
    Evidence::new(value, "quais são os planos?", "get_subscription_plans", json!({}))
}

pub(super) fn stages(value: &'static str) -> Evidence {
    Evidence::new(value, "", "list_pipeline_stages", json!({}))
}

pub(super) fn known(value: &'static str) -> Evidence {
    Evidence::new(value, "vocês aceitam pets?", "search_knowledge_base", json!({ "query": "pets" }))
}

/// The value that an answer about free times has only if it understood the names.
pub(super) const UNDERSTOOD: &str = "total_free_slots";
/// The value that it has only if something is free.
pub(super) const FREE: &str = r#""available":true"#;

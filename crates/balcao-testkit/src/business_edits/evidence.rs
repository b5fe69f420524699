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
        /// What a customer says.
        words: &'static str,
        /// Whether the offline model then calls the tools by itself; if not, a script has to.
        is_offline: bool,
        /// The tools with their arguments, in order.
        calls: Vec<(&'static str, Value)>,
    },
    /// In the version of the business that the next turn ran under, because no tool reads it.
    Version {
        /// Why not.
        why: &'static str,
    },
}

impl Evidence {
    pub(super) fn new(value: &'static str, words: &'static str, tool: &'static str, arguments: Value) -> Self {
        Self::scripted(value, words, vec![(tool, arguments)], true)
    }

    const fn scripted(
        value: &'static str,
        words: &'static str,
        calls: Vec<(&'static str, Value)>,
        is_offline: bool,
    ) -> Self {
        Self { place: Place::Turn { words, is_offline, calls }, value, is_new: true }
    }

    pub(super) const fn of_version(value: &'static str, why: &'static str) -> Self {
        Self { place: Place::Version { why }, value, is_new: true }
    }

    /// This evidence by the calls of a script: the offline model calls the tools in another way.
    pub(super) fn by_script(self) -> Self {
        let place = match self.place {
            Place::Turn { words, calls, .. } => Place::Turn { words, is_offline: false, calls },
            place @ Place::Version { .. } => place,
        };
        Self { place, ..self }
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
    Evidence::scripted(value, "oi", vec![("list_pipeline_stages", json!({}))], false)
}

/// What the reminder of a visit that the same turn books shows.
pub(super) fn reminder(value: &'static str, words: &'static str, date: &str) -> Evidence {
    let booking =
        json!({ "date": date, "start_hour": "10:00", "barber_name": "Wesley", "service_name": "Sobrancelha" });
    let calls = vec![("create_appointment", booking), ("schedule_appointment_reminder", json!({}))];
    Evidence::scripted(value, words, calls, false)
}

/// A tag that the business does not have, and that the profile of a test lets the model keep (`records.tags`): the error that refuses it
/// names the tags that there are.
pub const ABSENT_TAG: &str = "Vizinho";

/// Which tags that error names.
pub(super) fn tags(value: &'static str) -> Evidence {
    Evidence::scripted(value, "sou vizinho da barbearia", vec![("add_tag", json!({ "tag_name": ABSENT_TAG }))], false)
}

/// Who takes the conversation over.
pub(super) fn hand_off(value: &'static str) -> Evidence {
    let reason = json!({ "reason": "quer falar com uma pessoa" });
    Evidence::scripted(value, "oi", vec![("transfer_to_human", reason)], false)
}

pub(super) fn known(value: &'static str) -> Evidence {
    Evidence::new(value, "vocês aceitam pets?", "search_knowledge_base", json!({ "query": "pets" }))
}

/// The value that an answer about free times has only if it understood the names.
pub(super) const UNDERSTOOD: &str = "total_free_slots";
/// The value that it has only if something is free.
pub(super) const FREE: &str = r#""available":true"#;

//! The account's templates, and what a message that uses one must hold.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::rules::{Broken, Verdict, broken, demand};

/// The longest body that a template may come to once its gaps are filled.
const LONGEST: usize = 1_024;

/// A template as Meta has it.
#[derive(Debug, Clone)]
pub struct Template {
    name: String,
    language: String,
    status: String,
    category: String,
    /// With its gaps: `{{nome}}`, or `{{1}}`.
    body: String,
    quick_replies: Vec<String>,
}

impl Template {
    /// An approved one in `pt_BR` about something that the customer has with the business. Its gaps are in its words:
    /// `{{nome}}`, or `{{1}}` and so on.
    #[must_use]
    pub fn new(name: &str, body: &str) -> Self {
        let (name, body, language) = (name.to_owned(), body.to_owned(), "pt_BR".to_owned());
        let (status, category) = ("APPROVED".to_owned(), "UTILITY".to_owned());
        Self { name, language, status, category, body, quick_replies: Vec::new() }
    }

    /// The same in another state, such as `PAUSED`.
    #[must_use]
    pub fn in_state(mut self, status: &str) -> Self {
        status.clone_into(&mut self.status);
        self
    }

    /// The same in another language.
    #[must_use]
    pub fn in_language(mut self, language: &str) -> Self {
        language.clone_into(&mut self.language);
        self
    }

    /// The same with buttons of the kind "quick reply".
    #[must_use]
    pub fn with_buttons(mut self, titles: &[&str]) -> Self {
        self.quick_replies = titles.iter().map(|title| (*title).to_owned()).collect();
        self
    }

    pub(super) fn is(&self, name: &str, language: &str) -> bool {
        self.name == name && self.language == language
    }

    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.is(&other.name, &other.language)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn set_state(&mut self, status: &str) {
        status.clone_into(&mut self.status);
    }

    /// As the list of templates shows it.
    pub(super) fn listed(&self) -> Value {
        let mut components = vec![json!({ "type": "BODY", "text": self.body })];
        let button = |title: &String| json!({ "type": "QUICK_REPLY", "text": title });
        if !self.quick_replies.is_empty() {
            let buttons: Vec<Value> = self.quick_replies.iter().map(button).collect();
            components.push(json!({ "type": "BUTTONS", "buttons": buttons }));
        }
        let format = if self.is_numbered() { "POSITIONAL" } else { "NAMED" };
        json!({ "name": self.name, "status": self.status, "category": self.category, "language": self.language,
            "parameter_format": format, "components": components, "id": "1" })
    }

    /// What it is billed as.
    pub(super) fn billed_as(&self) -> String {
        self.category.to_ascii_lowercase()
    }

    fn gaps(&self) -> BTreeSet<&str> {
        self.body.split("{{").skip(1).filter_map(|rest| Some(rest.split_once("}}")?.0)).collect()
    }

    fn is_numbered(&self) -> bool {
        self.gaps().iter().all(|gap| gap.parse::<u32>().is_ok())
    }
}

/// Whether a message may use a template so: it exists, is approved, and each of its gaps is filled once.
pub(super) fn fits<'t>(all: &'t [Template], used: &Value) -> Result<&'t Template, Broken> {
    let text = |path: &str| used.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let found = all.iter().find(|one| one.is(text("/name"), text("/language/code")));
    let unknown = "The template does not exist in the specified language or the template has not been approved.";
    let template = found.ok_or_else(|| broken(132_001, unknown))?;
    match template.status.as_str() {
        "APPROVED" => {}
        "PAUSED" => return Err(broken(132_015, "The template is paused for its low quality.")),
        "DISABLED" => return Err(broken(132_016, "The template was paused too often and is disabled.")),
        _ => return Err(broken(132_001, unknown)),
    }
    let components = used.get("components").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let of_kind = |kind: &'static str| components.iter().filter(move |one| one["type"] == kind);
    let parameters = of_kind("body").filter_map(|body| body["parameters"].as_array()).flatten();
    filled(template, &parameters.collect::<Vec<_>>())?;
    of_kind("button").try_for_each(|button| pressed(template, button))?;
    Ok(template)
}

fn filled(template: &Template, parameters: &[&Value]) -> Verdict {
    let gaps = template.gaps();
    let count = format!("The number of parameters ({}) is not the expected one ({}).", parameters.len(), gaps.len());
    demand(gaps.len() == parameters.len(), 132_000, &count)?;
    let names: BTreeSet<&str> = parameters.iter().filter_map(|one| one["parameter_name"].as_str()).collect();
    let named_well = if template.is_numbered() { names.is_empty() } else { names == gaps };
    demand(named_well, 132_012, "The parameters' format is not the template's.")?;
    let filled: usize = parameters.iter().filter_map(|one| one["text"].as_str()).map(|text| text.chars().count()).sum();
    demand(template.body.chars().count() + filled <= LONGEST, 132_005, "The text with its parameters is too long.")
}

fn pressed(template: &Template, button: &Value) -> Verdict {
    let place = button["index"].as_str().and_then(|index| index.parse::<usize>().ok());
    let known = place.is_some_and(|place| place < template.quick_replies.len());
    demand(known && button["sub_type"] == "quick_reply", 132_018, "The template has no such button.")
}

#[cfg(test)]
#[path = "templates_tests.rs"]
mod tests;

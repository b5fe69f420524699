//! Which command a delivery of a pack starts, and with which arguments. Pure: the delivery is an argument.
//!
//! Invariant: what a service said is data. It fills arguments; it never selects the command.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

/// A rule of the operator: a delivery for which it holds starts a command of the same pack.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeliveryRule {
    /// The command's name in its pack.
    pub command: String,
    /// JSON pointers into the prepared delivery, each with the value that must stand there. Empty: every delivery.
    #[serde(default)]
    pub when: BTreeMap<String, Value>,
    /// Arguments from the prepared delivery: the name of the argument, and the JSON pointer to its value.
    #[serde(default)]
    pub fields: BTreeMap<String, String>,
    /// Arguments that are the same for every delivery.
    #[serde(default)]
    pub values: Map<String, Value>,
}

impl DeliveryRule {
    /// Whether the rule applies to a prepared delivery.
    #[must_use]
    pub fn is_for(&self, said: &Value) -> bool {
        self.when.iter().all(|(pointer, wanted)| said.pointer(pointer) == Some(wanted))
    }

    /// The arguments of the command for a prepared delivery. A field that is null there is left out, as if nothing had been given.
    ///
    /// # Errors
    /// Every field that the delivery lacks, in words for staff; no value of the delivery is in them.
    pub fn arguments(&self, said: &Value) -> Result<Map<String, Value>, String> {
        let (mut arguments, mut missing) = (self.values.clone(), Vec::new());
        for (name, pointer) in &self.fields {
            match said.pointer(pointer) {
                Some(Value::Null) => {}
                Some(value) => drop(arguments.insert(name.clone(), value.clone())),
                None => missing.push(format!("`{pointer}` for the argument `{name}`")),
            }
        }
        if missing.is_empty() {
            return Ok(arguments);
        }
        Err(format!("on_delivery `{}`: the prepared delivery has no {}", self.command, missing.join(", no ")))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rule(rule: Value) -> DeliveryRule {
        serde_json::from_value(rule).unwrap()
    }

    #[test]
    fn a_rule_applies_if_every_value_stands_where_it_says() {
        let said = json!({ "event": "paid", "order": { "id": 7, "items": ["a"] } });
        let is_for = |when: Value| rule(json!({ "command": "note", "when": when })).is_for(&said);
        assert!(is_for(json!({})) && is_for(json!({ "/event": "paid", "/order/id": 7, "/order/items/0": "a" })));
        assert!(!is_for(json!({ "/event": "paid", "/order/id": "7" })), "a text is not a number");
        assert!(!is_for(json!({ "/absent": null })) && !is_for(json!({ "/event": "Paid" })));
    }

    #[test]
    fn arguments_are_fixed_values_and_fields_and_every_missing_field_is_named() {
        let said = json!({ "order": { "id": "o-7", "note": null }, "event": "secret words" });
        let of = |fields: Value| rule(json!({ "command": "note", "values": { "text": "pago" }, "fields": fields }));
        let given = of(json!({ "id": "/order/id", "note": "/order/note" })).arguments(&said);
        assert_eq!(Value::from(given.unwrap()), json!({ "text": "pago", "id": "o-7" }));
        let missing = of(json!({ "id": "/order/nr", "to": "/phone", "event": "/event" })).arguments(&said).unwrap_err();
        assert_eq!(
            missing,
            "on_delivery `note`: the prepared delivery has no `/order/nr` for the argument `id`, no `/phone` for the argument `to`"
        );
    }
}

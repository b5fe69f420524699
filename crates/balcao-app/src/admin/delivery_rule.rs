//! What a delivery of a pack starts: a command with its arguments, or a turn with its text. Pure: the delivery is an argument.
//!
//! Invariant: what a service said is data. It fills arguments and places of a text; it never selects the command or the words around it.

use std::collections::BTreeMap;

use balcao_domain::{ContactId, Phone};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::messaging::inbox::service_messages::{Addressee, ServiceMessage};

/// Longest text of a turn, in characters, without its values.
pub const MAX_TEXT_CHARS: usize = 500;
/// Longest value in the text of a turn, in characters.
pub const MAX_VALUE_CHARS: usize = 200;

/// A rule of the operator: a delivery for which it holds starts a command of the same pack, or a turn of the agent. One of the two.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeliveryRule {
    /// The command's name in its pack.
    #[serde(default)]
    pub command: Option<String>,
    /// The turn that it starts.
    #[serde(default)]
    pub turn: Option<TurnRule>,
    /// JSON pointers into the prepared delivery, each with the value that must stand there. Empty: every delivery.
    #[serde(default)]
    pub when: BTreeMap<String, Value>,
    /// Arguments of the command, or places of the text, from the prepared delivery: the name, and the JSON pointer to the value.
    #[serde(default)]
    pub fields: BTreeMap<String, String>,
    /// Arguments of the command that are the same for every delivery.
    #[serde(default)]
    pub values: Map<String, Value>,
}

/// The turn that a delivery starts: its contact, and what the agent reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnRule {
    /// A JSON pointer into the prepared delivery, to the phone of the contact. Either this or `contact`.
    #[serde(default)]
    pub phone: Option<String>,
    /// A JSON pointer to the id of the contact.
    #[serde(default)]
    pub contact: Option<String>,
    /// What the agent reads; `{name}` is a value of `fields`.
    pub text: String,
}

impl DeliveryRule {
    /// What the rule is called in messages for staff: by what it starts.
    #[must_use]
    pub fn name(&self) -> &str {
        self.command.as_deref().unwrap_or("turn")
    }

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
        Err(format!("on_delivery `{}`: the prepared delivery has no {}", self.name(), missing.join(", no ")))
    }
}

impl TurnRule {
    /// The names in braces of a text, in their order.
    ///
    /// # Errors
    /// What is wrong with the braces.
    pub fn places(&self) -> Result<Vec<&str>, String> {
        let (mut places, mut rest) = (Vec::new(), self.text.as_str());
        while let Some(at) = rest.find(['{', '}']) {
            let (_, from) = rest.split_at(at);
            let place = from.strip_prefix('{').and_then(|inside| inside.split_once('}'));
            let Some((name, after)) = place.filter(|(name, _)| !name.is_empty() && !name.contains('{')) else {
                return Err("invalid braces in the text; expected places such as `{id}`".to_owned());
            };
            places.push(name);
            rest = after;
        }
        Ok(places)
    }

    /// The message for the agent. `fields` are those of the rule.
    ///
    /// # Errors
    /// Every value that the delivery lacks or that has no place in a message, in words for staff; no value of the delivery is in them.
    pub fn message(&self, fields: &BTreeMap<String, String>, said: &Value) -> Result<ServiceMessage, String> {
        let mut wrong = Vec::new();
        let to = addressee(self, said).map_err(|reason| wrong.push(reason));
        let mut values = BTreeMap::new();
        for (name, pointer) in fields {
            match said.pointer(pointer).map_or_else(|| Err("is missing".to_owned()), one_line) {
                Ok(value) => drop(values.insert(name.as_str(), value)),
                Err(reason) => wrong.push(format!("`{pointer}` for `{{{name}}}` {reason}")),
            }
        }
        let text = fill(&self.text, &values);
        match to {
            Ok(to) if wrong.is_empty() => Ok(ServiceMessage { to, text }),
            _ => Err(format!("on_delivery `turn`: in the prepared delivery {}", wrong.join(", "))),
        }
    }
}

/// Reads the contact of a delivery.
fn addressee(rule: &TurnRule, said: &Value) -> Result<Addressee, String> {
    let text = |pointer: &str| match said.pointer(pointer) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Number(number)) => Ok(number.to_string()),
        Some(_) => Err(format!("`{pointer}` is neither a text nor a number")),
        None => Err(format!("`{pointer}` is missing")),
    };
    if let Some(pointer) = &rule.phone {
        let phone = Phone::parse(&text(pointer)?);
        return phone.map(Addressee::Phone).map_err(|_unreadable| format!("`{pointer}` holds no phone number"));
    }
    let pointer = rule.contact.as_deref().unwrap_or_default();
    let id: Option<ContactId> = text(pointer)?.parse().ok().and_then(|id: i64| ContactId::try_from(id).ok());
    id.map(Addressee::Contact).ok_or_else(|| format!("`{pointer}` holds no id of a contact"))
}

/// A value as it stands in a text: one line, so that it cannot look like words of the operator.
fn one_line(value: &Value) -> Result<String, String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        Value::Null => return Err("is null".to_owned()),
        Value::Array(_) | Value::Object(_) => return Err("is a list or an object; expected one value".to_owned()),
    };
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    match plain.chars().count() {
        0 => Err("is empty".to_owned()),
        chars if chars > MAX_VALUE_CHARS => Err(format!("has {chars} characters; expected at most {MAX_VALUE_CHARS}")),
        _ => Ok(plain),
    }
}

/// Fills each place once, so that braces in a value stay as they are.
fn fill(template: &str, values: &BTreeMap<&str, String>) -> String {
    let (mut filled, mut rest) = (String::new(), template);
    while let Some((before, inside)) = rest.split_once('{') {
        let Some((name, after)) = inside.split_once('}') else { break };
        filled.push_str(before);
        filled.push_str(values.get(name).map_or("", String::as_str));
        rest = after;
    }
    filled + rest
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

    fn turn(text: &str) -> TurnRule {
        TurnRule { phone: Some("/to".to_owned()), contact: None, text: text.to_owned() }
    }

    #[test]
    fn text_of_a_turn_takes_one_line_of_each_value_and_no_value_becomes_a_place() {
        let fields = BTreeMap::from([("id".to_owned(), "/id".to_owned()), ("by".to_owned(), "/by".to_owned())]);
        let said = json!({ "to": "+55 31 98888-0001", "id": 7, "by": "Ana\n\n{id} [cliente] sim" });
        let message = turn("Pedido {id}, por {by}.").message(&fields, &said).unwrap();
        assert_eq!(message.text, "Pedido 7, por Ana {id} [cliente] sim.");
        assert!(matches!(message.to, Addressee::Phone(phone) if phone.e164() == "+5531988880001"));
    }

    #[test]
    fn every_value_without_a_place_in_a_message_is_named_and_none_is_shown() {
        let field = |name: &str| (name.to_owned(), format!("/{name}"));
        let fields = BTreeMap::from(["long", "list", "null", "gone", "blank"].map(field));
        let said = json!({ "to": "segredo", "long": "x".repeat(201), "list": [1], "null": null, "blank": " " });
        let wrong = turn("{long}{list}{null}{gone}{blank}").message(&fields, &said).unwrap_err();
        for told in
            ["`/to` holds no phone", "`/long` for `{long}` has 201", "is a list", "is null", "is missing", "is empty"]
        {
            assert!(wrong.contains(told), "{told}: {wrong}");
        }
        assert!(!wrong.contains("segredo") && !wrong.contains("xxx"), "{wrong}");
        let by_id = TurnRule { phone: None, contact: Some("/id".to_owned()), text: "x".to_owned() };
        assert!(by_id.message(&BTreeMap::new(), &json!({ "id": "17" })).is_ok());
        assert!(by_id.message(&BTreeMap::new(), &json!({ "id": "17 ou 18" })).is_err());
    }

    #[test]
    fn braces_of_a_text_are_places_or_a_mistake() {
        assert_eq!(turn("Pedido {id}: {by}").places(), Ok(vec!["id", "by"]));
        for wrong in ["{", "}", "{}", "{id", "id}", "{a{b}}"] {
            assert!(turn(wrong).places().is_err(), "{wrong}");
        }
    }
}

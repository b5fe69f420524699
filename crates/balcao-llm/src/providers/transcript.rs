//! What all request builders need of a transcript: ids that the vendor takes, arguments that are an object.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json};

use crate::{message::Message, provider::ModelRequest};

/// Which call ids a vendor takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdRule {
    /// Letters, digits, `_` and `-`, at most 40 characters: OpenAI refuses longer ones, Anthropic other characters.
    Plain,
    /// Exactly nine letters or digits (Mistral).
    NineAlphanumeric,
}

impl IdRule {
    fn allows(self, id: &str) -> bool {
        match self {
            Self::Plain => {
                (1..=40).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
            }
            Self::NineAlphanumeric => id.len() == 9 && id.bytes().all(|b| b.is_ascii_alphanumeric()),
        }
    }
}

/// Call ids as one vendor takes them: a transcript may hold ids of another vendor after a fallback.
///
/// Ids that fit stay; others become `c00000001`, by position, which every vendor takes.
#[derive(Debug)]
pub(crate) struct WireIds<'a>(HashMap<&'a str, String>);

impl<'a> WireIds<'a> {
    pub(crate) fn new(request: &'a ModelRequest, rule: IdRule) -> Self {
        let ids = request.messages.iter().flat_map(|message| match message {
            Message::Assistant { tool_calls, .. } => tool_calls.iter().map(|call| call.id.as_str()).collect(),
            Message::User { .. } => Vec::new(),
            Message::ToolResult { call_id, .. } => vec![call_id.as_str()],
        });
        let ids: Vec<&str> = ids.collect();
        let mut taken: BTreeSet<String> = ids.iter().filter(|id| rule.allows(id)).map(|id| (*id).to_owned()).collect();
        let mut map: HashMap<&str, String> = HashMap::new();
        let mut ordinal = 0_usize;
        for id in ids {
            if map.contains_key(id) {
                continue;
            }
            let mut wire = id.to_owned();
            if !rule.allows(id) {
                loop {
                    ordinal += 1;
                    wire = format!("c{ordinal:08}");
                    if taken.insert(wire.clone()) {
                        break;
                    }
                }
            }
            map.insert(id, wire);
        }
        Self(map)
    }

    pub(crate) fn get<'b>(&'b self, id: &'b str) -> &'b str {
        self.0.get(id).map_or(id, String::as_str)
    }
}

/// The arguments of a past call as the object that vendors demand; nothing, `null`, and either in quotes are no arguments. What is no object is shown to the model as it was
/// written, under a name that says so: dropping it would hide the model's own mistake from it.
pub(crate) fn arguments_object(raw: &str) -> Value {
    let read = |text: &str| match text.trim() {
        "" => Ok(Value::Null),
        text => balcao_json::read(text.as_bytes(), balcao_json::MOST_LEVELS),
    };
    let value = read(raw).and_then(|value| match value {
        Value::String(inner) => read(&inner),
        value @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => Ok(value),
    });
    match value {
        Ok(object @ Value::Object(_)) => object,
        Ok(Value::Null) => json!({}),
        _ => json!({ "malformed_arguments": raw }),
    }
}

/// Names of the tools that the transcript mentions, in order, once each.
pub(crate) fn mentioned_tools(request: &ModelRequest) -> Vec<&str> {
    let mut names = Vec::new();
    for message in &request.messages {
        if let Message::Assistant { tool_calls, .. } = message {
            for call in tool_calls {
                if !names.contains(&call.name.as_str()) {
                    names.push(call.name.as_str());
                }
            }
        }
    }
    names
}

/// A temperature in the vendor's unit.
pub(crate) fn temperature(milli: u32) -> f64 {
    f64::from(milli) / 1000.0
}

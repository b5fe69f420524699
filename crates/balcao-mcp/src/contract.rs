//! What a server says of a tool, and how it stands to what a person accepted.

use std::fmt::Write as _;

use balcao_tool::canonical;
use serde_json::{Value, json};

/// Largest contract that is looked at, in bytes of JSON.
const MAX_CONTRACT_BYTES: usize = 64 * 1024;
/// Deepest nesting of one.
const MAX_CONTRACT_DEPTH: usize = 16;

/// A tool as its server describes it. Untrusted text: it is shown to whoever reviews it, through [`visible`], and to nobody else.
#[derive(Debug, Clone, PartialEq)]
pub struct Contract {
    /// Its name there.
    pub name: String,
    /// Name, title, description, schemas and annotations.
    pub whole: Value,
}

impl Contract {
    /// A tool of a list.
    ///
    /// # Errors
    /// Why it is no contract that anybody could review.
    pub fn from_tool(tool: &Value) -> Result<Self, String> {
        let name = tool.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let part = |key: &str| tool.get(key).cloned().unwrap_or(Value::Null);
        let whole = json!({
            "name": part("name"),
            "title": part("title"),
            "description": part("description"),
            "input_schema": part("inputSchema"),
            "output_schema": part("outputSchema"),
            "annotations": part("annotations"),
        });
        // Depth first: what writes a value goes as deep as the value does.
        if depth(&whole) > MAX_CONTRACT_DEPTH {
            return Err(format!("its contract is nested more than {MAX_CONTRACT_DEPTH} deep"));
        }
        if whole.to_string().len() > MAX_CONTRACT_BYTES {
            return Err(format!("its contract is longer than {} KiB", MAX_CONTRACT_BYTES / 1024));
        }
        Ok(Self { name, whole })
    }

    /// Changes with every part of it.
    #[must_use]
    pub fn hash(&self) -> String {
        canonical::hash(&self.whole)
    }
}

fn depth(value: &Value) -> usize {
    // An own stack: a hostile value must not use up ours.
    let (mut deepest, mut rest) = (0, vec![(value, 1)]);
    while let Some((value, level)) = rest.pop() {
        deepest = deepest.max(level);
        if level > MAX_CONTRACT_DEPTH {
            return level;
        }
        match value {
            Value::Array(items) => rest.extend(items.iter().map(|item| (item, level + 1))),
            Value::Object(fields) => rest.extend(fields.values().map(|item| (item, level + 1))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    deepest
}

/// How a tool of a server stands to what a person accepted. Only the first may be called.
#[derive(Debug, Clone, PartialEq)]
pub enum Standing {
    /// As it was accepted.
    Accepted,
    /// Nobody has looked at it yet.
    New(Contract),
    /// It is not what was accepted any more.
    Changed {
        /// What was accepted.
        was: Value,
        /// What the server says now.
        is: Contract,
    },
    /// It was accepted, and the server has it no longer.
    Vanished,
    /// It cannot be accepted, and why.
    Refused(String),
}

impl Standing {
    /// What is the matter, for staff; nothing of the server's words is in it.
    #[must_use]
    pub fn for_staff(&self) -> String {
        match self {
            Self::Accepted => "as it was accepted".to_owned(),
            Self::New(_) => "nobody has accepted it yet".to_owned(),
            Self::Changed { .. } => "the server changed it after it was accepted".to_owned(),
            Self::Vanished => "the server does not have it, or has it no longer".to_owned(),
            Self::Refused(why) => why.clone(),
        }
    }
}

/// A text of a server, for a person who reviews it: what cannot be seen, or turns the writing round, is written out.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter == '\n' || !hidden(letter) {
            shown.push(letter);
        } else {
            // Writing to a string cannot fail.
            let _never = write!(shown, "⟨U+{:04X}⟩", u32::from(letter));
        }
    }
    shown
}

/// Controls, formats (zero width, directions, tags), variation selectors, fillers, private use, and spaces that are no plain space.
fn hidden(letter: char) -> bool {
    let odd_space = letter.is_whitespace() && letter != ' ';
    letter.is_control()
        || odd_space
        || matches!(u32::from(letter),
            0x00AD | 0x034F | 0x061C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F
            | 0x202A..=0x202E | 0x2060..=0x206F | 0x2800 | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB
            | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE000..=0xF8FF | 0xE0000..=0xE0FFF | 0xF0000..=0x10_FFFF)
}

#[cfg(test)]
#[path = "contract_tests.rs"]
mod tests;

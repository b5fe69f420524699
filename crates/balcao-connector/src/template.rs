//! Templates: `{name}` stands for an argument, `{settings.name}` for a setting, `{item}` or `{item.name}` for the entry of a list
//! that a command goes through one by one. `{{` and `}}` are braces.
//!
//! A text that is one placeholder and nothing else takes the value with its type; a placeholder inside a text must be a word, a
//! number or a truth value. What is absent is left out, key and all; an explicit `null` is kept, since it clears.
//!
//! Invariants: a template never fails half way, and never turns one value into the syntax of another: values are put into JSON, or are
//! escaped by whoever builds an address.

use serde_json::{Map, Value};

use crate::problem::{Problem, escape};

/// Where placeholders find their values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) arguments: &'a Map<String, Value>,
    pub(crate) settings: &'a Map<String, Value>,
    pub(crate) item: Option<&'a Value>,
}

/// A name that begins a placeholder and is no argument's.
pub(crate) const RESERVED: [&str; 2] = ["settings", "item"];

/// A placeholder: `settings.team`, `item.id`, `assignees.add`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hole(pub(crate) Vec<String>);

impl Hole {
    fn parse(text: &str) -> Option<Self> {
        let steps: Vec<String> = text.split('.').map(str::to_owned).collect();
        let fine =
            |step: &String| !step.is_empty() && step.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        steps.iter().all(fine).then_some(Self(steps))
    }

    pub(crate) fn first(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }

    fn find<'a>(&self, scope: Scope<'a>) -> Option<&'a Value> {
        let (first, rest) = self.0.split_first()?;
        let (mut here, rest) = match (first.as_str(), scope.item) {
            ("settings", _) => {
                let (name, rest) = rest.split_first()?;
                (scope.settings.get(name)?, rest)
            }
            ("item", Some(item)) => (item, rest),
            (name, _) => (scope.arguments.get(name)?, rest),
        };
        for step in rest {
            here = match here.as_array() {
                Some(items) => items.get(step.parse::<usize>().ok()?)?,
                None => here.get(step)?,
            };
        }
        Some(here)
    }
}

/// Part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    Literal(String),
    Hole(Hole),
}

/// A text with placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text(pub(crate) Vec<Piece>);

impl Text {
    /// Reads a text; the error says what is wrong with its braces.
    pub(crate) fn parse(source: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut rest = source;
        while let Some((at, brace)) = rest.char_indices().find(|(_, c)| matches!(c, '{' | '}')) {
            let (before, tail) = rest.split_at_checked(at).unwrap_or((rest, ""));
            literal.push_str(before);
            if let Some(after) = tail.strip_prefix("{{").or_else(|| tail.strip_prefix("}}")) {
                literal.push(brace);
                rest = after;
                continue;
            }
            let inner = tail.strip_prefix('{').and_then(|tail| tail.split_once('}'));
            let Some((name, after)) = inner else {
                return Err(format!(
                    "a lone `{brace}` in `{source}`; write `{{name}}`, or `{brace}{brace}` for the sign"
                ));
            };
            let Some(hole) = Hole::parse(name) else {
                return Err(format!(
                    "invalid placeholder `{{{name}}}`; expected `{{name}}`, `{{name.part}}` or `{{settings.name}}`"
                ));
            };
            if !literal.is_empty() {
                pieces.push(Piece::Literal(std::mem::take(&mut literal)));
            }
            pieces.push(Piece::Hole(hole));
            rest = after;
        }
        literal.push_str(rest);
        if !literal.is_empty() || pieces.is_empty() {
            pieces.push(Piece::Literal(literal));
        }
        Ok(Self(pieces))
    }

    pub(crate) fn holes(&self) -> impl Iterator<Item = &Hole> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Hole(hole) => Some(hole),
            Piece::Literal(_) => None,
        })
    }

    /// The text with each value put in by `put`; `None` if one is absent.
    ///
    /// # Errors
    /// The placeholder whose value cannot stand in a text.
    pub(crate) fn fill(
        &self,
        scope: Scope<'_>,
        put: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<String>, Problem> {
        let mut filled = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Literal(text) => filled.push_str(text),
                Piece::Hole(hole) => {
                    let Some(value) = hole.find(scope) else { return Ok(None) };
                    let Some(text) = plain(value) else {
                        return Err(unfit(hole, "must be a text, a number or true/false"));
                    };
                    let Some(text) = put(&text) else {
                        return Err(unfit(hole, "holds what cannot stand there"));
                    };
                    filled.push_str(&text);
                }
            }
        }
        Ok(Some(filled))
    }

    /// The value: typed if the text is one placeholder.
    fn value(&self, scope: Scope<'_>) -> Result<Option<Value>, Problem> {
        match self.0.as_slice() {
            [Piece::Hole(hole)] => Ok(hole.find(scope).cloned()),
            _ => Ok(self.fill(scope, &|text| Some(text.to_owned()))?.map(Value::String)),
        }
    }
}

fn unfit(hole: &Hole, message: &str) -> Problem {
    Problem::new(format!("/{}", hole.0.iter().map(|step| escape(step)).collect::<Vec<_>>().join("/")), message)
}

/// A value as it stands in a text, if it can.
pub(crate) fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A JSON value with placeholders.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Template {
    Text(Text),
    Constant(Value),
    Array(Vec<Template>),
    Object(Vec<(String, Template)>),
}

impl Template {
    /// Reads a template; every bad text in it is a problem below `at`.
    pub(crate) fn parse(source: &Value, at: &str, problems: &mut Vec<Problem>) -> Self {
        match source {
            Value::String(text) => match Text::parse(text) {
                Ok(text) => Self::Text(text),
                Err(message) => {
                    problems.push(Problem::new(at, message));
                    Self::Constant(Value::Null)
                }
            },
            Value::Array(items) => {
                let read = |(index, item): (usize, &Value)| Self::parse(item, &format!("{at}/{index}"), problems);
                Self::Array(items.iter().enumerate().map(read).collect())
            }
            Value::Object(fields) => {
                let read = |(key, field): (&String, &Value)| {
                    (key.clone(), Self::parse(field, &format!("{at}/{}", escape(key)), problems))
                };
                Self::Object(fields.iter().map(read).collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => Self::Constant(source.clone()),
        }
    }

    /// A placeholder for one argument.
    pub(crate) fn argument(name: &str) -> Self {
        Self::Text(Text(vec![Piece::Hole(Hole(vec![name.to_owned()]))]))
    }

    /// The value, or `None` if all that it is made of is absent.
    ///
    /// # Errors
    /// The first placeholder whose value does not fit.
    pub(crate) fn fill(&self, scope: Scope<'_>) -> Result<Option<Value>, Problem> {
        match self {
            Self::Text(text) => text.value(scope),
            Self::Constant(value) => Ok(Some(value.clone())),
            Self::Array(items) => {
                let mut filled = Vec::new();
                for item in items {
                    filled.extend(item.fill(scope)?);
                }
                Ok((!filled.is_empty() || items.is_empty()).then_some(Value::Array(filled)))
            }
            Self::Object(fields) => {
                let mut filled = Map::new();
                for (key, field) in fields {
                    if let Some(value) = field.fill(scope)? {
                        filled.insert(key.clone(), value);
                    }
                }
                Ok((!filled.is_empty() || fields.is_empty()).then_some(Value::Object(filled)))
            }
        }
    }

    /// All placeholders in it.
    pub(crate) fn holes(&self) -> Vec<&Hole> {
        match self {
            Self::Text(text) => text.holes().collect(),
            Self::Constant(_) => Vec::new(),
            Self::Array(items) => items.iter().flat_map(Self::holes).collect(),
            Self::Object(fields) => fields.iter().flat_map(|(_, field)| field.holes()).collect(),
        }
    }
}

#[cfg(test)]
#[path = "template_tests.rs"]
mod tests;

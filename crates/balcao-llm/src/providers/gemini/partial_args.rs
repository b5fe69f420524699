//! Arguments that Gemini streams as values by JSON path (`$.items[0].name`), put together again.

use balcao_json::Pieces;
use serde::Deserialize;
use serde_json::{Map, Value, value::RawValue};

use crate::failure::Failure;
use crate::providers::draft::unreadable;

/// Largest index that a path may name: a gap is filled with nulls, and a huge one would fill memory.
const MAX_INDEX: usize = 1_000;
/// Deepest path.
const MAX_DEPTH: usize = 32;

/// One value, or a piece of one.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PartialArg {
    json_path: String,
    string_value: Option<Box<RawValue>>,
    number_value: Option<serde_json::Number>,
    bool_value: Option<bool>,
    null_value: Option<Value>,
}

/// Arguments so far.
#[derive(Debug, Default)]
pub(super) struct PartialArgs {
    root: Option<Value>,
    /// The path of the text that came last, and half a character of it that waits for its other half.
    last: (String, Pieces),
}

enum Step {
    Key(String),
    Index(usize),
}

impl PartialArgs {
    /// Sets a value; strings that come in pieces grow.
    pub(super) fn apply(&mut self, arg: PartialArg) -> Result<(), Failure> {
        let steps =
            steps(&arg.json_path).ok_or_else(|| Failure::malformed("an argument at a path that cannot be read"))?;
        if self.last.0 != arg.json_path {
            self.last = (arg.json_path.clone(), Pieces::new());
        }
        let mut place = self.root.get_or_insert_with(|| Value::Object(Map::new()));
        for step in steps {
            place = descend(place, step)
                .ok_or_else(|| Failure::malformed("an argument inside a value that holds no arguments"))?;
        }
        let PartialArg { string_value, number_value, bool_value, null_value, .. } = arg;
        match (string_value, number_value, bool_value) {
            (Some(piece), _, _) => {
                let piece = self.last.1.push(piece.get()).map_err(|cause| unreadable(&cause))?;
                match place {
                    Value::String(text) => text.push_str(&piece),
                    Value::Null => *place = Value::String(piece),
                    Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                        return Err(Failure::malformed("a text where another value stands"));
                    }
                }
            }
            (None, Some(number), _) => *place = Value::Number(number),
            (None, None, Some(flag)) => *place = Value::Bool(flag),
            (None, None, None) => {
                // `nullValue: "NULL_VALUE"`, or a mere sign that the value ends here.
                if null_value.is_some() {
                    *place = Value::Null;
                }
            }
        }
        Ok(())
    }

    /// The arguments as JSON text; empty if none came.
    pub(super) fn text(&self) -> String {
        self.root.as_ref().map(Value::to_string).unwrap_or_default()
    }
}

fn descend(place: &mut Value, step: Step) -> Option<&mut Value> {
    match step {
        Step::Key(key) => {
            if place.is_null() {
                *place = Value::Object(Map::new());
            }
            Some(place.as_object_mut()?.entry(key).or_insert(Value::Null))
        }
        Step::Index(index) => {
            if place.is_null() {
                *place = Value::Array(Vec::new());
            }
            let items = place.as_array_mut()?;
            while items.len() <= index {
                items.push(Value::Null);
            }
            items.get_mut(index)
        }
    }
}

/// `$.a[0].b` and `$['a'].b` as steps.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(tail) = rest.strip_prefix('.') {
            let end = tail.find(['.', '[']).unwrap_or(tail.len());
            let (key, tail) = tail.split_at_checked(end)?;
            if key.is_empty() {
                return None;
            }
            steps.push(Step::Key(key.to_owned()));
            rest = tail;
        } else {
            let inner = rest.strip_prefix('[')?;
            let quote = inner.chars().next().filter(|first| matches!(first, '\'' | '"'));
            if let Some(quote) = quote {
                let (key, tail) = inner.strip_prefix(quote)?.split_once(quote)?;
                steps.push(Step::Key(key.to_owned()));
                rest = tail.strip_prefix(']')?;
            } else {
                let (index, tail) = inner.split_once(']')?;
                steps.push(Step::Index(index.parse().ok().filter(|index| *index <= MAX_INDEX)?));
                rest = tail;
            }
        }
        if steps.len() > MAX_DEPTH {
            return None;
        }
    }
    Some(steps)
}

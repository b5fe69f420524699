//! The memory that all patterns of a pack take together once they are compiled.
//!
//! A pattern of twenty bytes may take a mebibyte once it is compiled, so neither the bytes of a pack nor the number of its patterns bound it.

use balcao_tool::limits::MAX_PATTERN_MEMORY;
use balcao_yaml::escape;
use regex_automata::nfa::thompson::{Compiler, Config};
use serde_json::{Map, Value};

use crate::expression::Expression;

/// Memory of all compiled patterns of a pack together, in bytes. A pattern that looks around counts as the largest one.
const MAX_BYTES: usize = 32 << 20;
/// A compiled pattern takes four to five times the memory of its automaton: measured over patterns from 1 to 300 KiB.
const COPIES: usize = 4;

/// The place at which the patterns of a pack exceed their budget, as a pointer, and the problem; `None` if they do not.
pub(crate) fn find_excess(pack: &Value) -> Option<(String, String)> {
    let mut left = MAX_BYTES;
    let at = find(pack, "", &mut left)?;
    let most = MAX_BYTES >> 20;
    Some((at, format!("with this one, the patterns of the pack take more than {most} MiB of memory")))
}

/// The place of the first pattern in this value for which less memory is left than it takes.
fn find(value: &Value, at: &str, left: &mut usize) -> Option<String> {
    let patterns = match value {
        Value::Object(map) => {
            // Of a schema: by the property. Of a check: by the field.
            let of_properties = map.get("patternProperties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
            let of_fields = map.get("pattern").and_then(Value::as_object).into_iter().flat_map(Map::values);
            let written = map.get("pattern").into_iter().chain(of_fields).filter_map(Value::as_str);
            of_properties.map(String::as_str).chain(written).map(str::to_owned).collect()
        }
        Value::String(text) if text.contains("matches") => Expression::texts(text),
        Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    if patterns.iter().any(|pattern| !takes(pattern, left)) {
        return Some(at.to_owned());
    }
    match value {
        Value::Object(map) => map.iter().find_map(|(key, inside)| find(inside, &format!("{at}/{}", escape(key)), left)),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(place, item)| find(item, &format!("{at}/{place}"), left))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// Takes the memory of a pattern off what is left; `false` if there is less.
fn takes(pattern: &str, left: &mut usize) -> bool {
    let config = Config::new().nfa_size_limit(Some(MAX_PATTERN_MEMORY));
    let automaton = Compiler::new().configure(config).build(pattern);
    let bytes = automaton.map_or(MAX_PATTERN_MEMORY, |automaton| automaton.memory_usage()).saturating_mul(COPIES);
    let Some(rest) = left.checked_sub(bytes) else { return false };
    *left = rest;
    true
}

//! The shape of a `tool.yaml`, held against its schema.
//!
//! The check repairs or leaves out what is misshapen, so that it can report all mistakes at once. It takes a key or a word that is nearly
//! one of ours for that one. It leaves out any other unknown key, and every value that is not valid at its place. A missing required
//! value gets a placeholder ([`placeholder_for`]); without a fitting placeholder the entry is left out. The check does not report mere
//! consequences of a mistake ([`Source::owes`]). Only a pack without commands is looked at no further.

use std::{collections::BTreeSet, sync::LazyLock};

use balcao_tool::{FieldProblem, validate::Schema};
use balcao_yaml::{Problem, escape};
use serde_json::Value;

use crate::{
    recovery::{entry_of, placeholder_for},
    source::{MAX_PROBLEMS, Source, unescape},
};

/// The JSON Schema of `tool.yaml`, for editors and for the loader.
pub const SCHEMA: &str = include_str!("tool.schema.json");

static COMPILED: LazyLock<Result<Schema, String>> = LazyLock::new(|| {
    let source: Value = serde_json::from_str(SCHEMA).map_err(|error| error.to_string())?;
    Schema::compile(&source)
});

/// How often a definition is looked at again after something of it was mended or left out: mistakes lie within one another.
const MAX_LOOKS: usize = 24;

/// What came of holding a definition against the schema.
pub(crate) struct Shape {
    /// Everything that is wrong with its shape.
    pub(crate) problems: Vec<Problem>,
    /// Whether what is left of it has the right shape.
    pub(crate) readable: bool,
}

/// Tells what is misshapen, and leaves of the source what can be looked at further.
pub(crate) fn check_and_recover(source: &mut Source) -> Shape {
    let mut problems = Vec::new();
    let schema = match COMPILED.as_ref() {
        Ok(schema) => schema,
        Err(reason) => return Shape { problems: vec![source.problem("", reason.clone(), None)], readable: false },
    };
    let (mut renamed, mut stood_in): (Vec<String>, BTreeSet<String>) = (Vec::new(), BTreeSet::new());
    for _ in 0..MAX_LOOKS {
        // The check reports only the first of very many mistakes, because a longer search takes long and does not help the author.
        if problems.len() > MAX_PROBLEMS {
            break;
        }
        let found = schema.first_problems(&source.value, MAX_PROBLEMS + 1);
        if found.is_empty() {
            return Shape { problems, readable: true };
        }
        let (unknown, found): (Vec<_>, Vec<_>) = found.into_iter().partition(|found| found.problem == "unknown_field");
        if !unknown.is_empty() {
            // What is missing may be there under a misspelt name: keys come first.
            problems.extend(unknown.iter().map(|found| problem_of(source, found)));
            for one in unknown {
                renamed.extend(mend_key(source, &one));
            }
            continue;
        }
        // That a value does not fit the name that its key was taken for says only that the key meant something else.
        let (mistaken, found): (Vec<_>, Vec<_>) = found.into_iter().partition(|found| renamed.contains(&found.pointer));
        for one in &mistaken {
            renamed.retain(|meant| *meant != one.pointer);
            if let Some((parent, name)) = one.pointer.rsplit_once('/') {
                source.strip(parent, &unescape(name));
            }
        }
        if !mistaken.is_empty() {
            continue;
        }
        let (mut gone, mut hopeless) = (Vec::new(), false);
        for one in &found {
            // What was taken away before, or stands in for it, is wrong once.
            let again = source.is_damaged(&one.pointer);
            if !again {
                problems.push(problem_of(source, one));
            }
            match mend(source, one, again, &mut stood_in) {
                Mended::Here => {}
                Mended::Without(pointer) => gone.push(pointer),
                Mended::Not => hopeless = true,
            }
        }
        if hopeless {
            break;
        }
        source.remove(gone);
    }
    Shape { problems, readable: false }
}

/// Takes an unknown key for the one that was meant, or leaves it out; gives the place that it was taken for.
fn mend_key(source: &mut Source, unknown: &FieldProblem) -> Option<String> {
    let (parent, name) = key_of(&source.value, &unknown.pointer)?;
    let meant = unknown.nearest.as_ref().and_then(Value::as_str).filter(|meant| {
        let there = source.value.pointer(&parent).and_then(|value| value.get(*meant));
        there.is_none()
    });
    let Some(meant) = meant else {
        source.strip(&parent, &name);
        return None;
    };
    source.rename(&parent, &name, meant);
    Some(format!("{parent}/{}", escape(meant)))
}

/// The object that holds a key and the key itself, of a pointer whose last step is not escaped.
fn key_of(value: &Value, pointer: &str) -> Option<(String, String)> {
    pointer.rmatch_indices('/').find_map(|(at, _)| {
        let (parent, name) = pointer.split_at_checked(at)?;
        let name = name.strip_prefix('/')?;
        value.pointer(parent)?.as_object()?.contains_key(name).then(|| (parent.to_owned(), name.to_owned()))
    })
}

/// What became of a misshapen value.
enum Mended {
    /// Another one is there, or none.
    Here,
    /// This has to go: an entry, or an item of a list.
    Without(String),
    /// Everything hangs on it.
    Not,
}

/// Takes a value as it was meant, or away; where one has to be, puts another.
fn mend(source: &mut Source, one: &FieldProblem, again: bool, stood_in: &mut BTreeSet<String>) -> Mended {
    let pointer = one.pointer.as_str();
    let (is_there, placed) = (source.value.pointer(pointer).is_some(), source.placed(pointer));
    let meant = one.nearest.as_ref().filter(|_| is_there && !again);
    if meant.is_none() {
        source.touch(pointer);
    }
    if let Some(meant) = meant {
        source.put(pointer, meant.clone());
        return Mended::Here;
    }
    // First it goes: whether it has to be there is what the next look tells.
    if is_there && !stood_in.contains(&placed) {
        return without(source, pointer);
    }
    match placeholder_for(pointer).filter(|_| stood_in.insert(placed)) {
        Some(value) => {
            source.put(pointer, value);
            Mended::Here
        }
        None => match pointer.rsplit_once('/') {
            Some((parent, _)) if parent.len() > "/tool".len() => {
                source.touch(parent);
                without(source, parent)
            }
            _ => Mended::Not,
        },
    }
}

/// Takes a value away: a field at once, an entry or an item of a list after the others of this look were mended.
fn without(source: &mut Source, pointer: &str) -> Mended {
    let Some((parent, last)) = pointer.rsplit_once('/') else { return Mended::Not };
    if pointer == "/tool/commands" || parent.is_empty() {
        return Mended::Not;
    }
    let is_entry = entry_of(pointer).is_some_and(|entry| entry.at == pointer);
    if is_entry || source.value.pointer(parent).is_some_and(Value::is_array) {
        return Mended::Without(pointer.to_owned());
    }
    source.strip(parent, &unescape(last));
    Mended::Here
}

/// A mistake with its place.
fn problem_of(source: &Source, found: &FieldProblem) -> Problem {
    let suggestion = match found.nearest.as_ref().and_then(Value::as_str) {
        Some(name) => format!("did you mean `{name}`?"),
        None if found.problem == "bad_format" && found.pointer.ends_with("/id") => rule_of_ids(&found.pointer),
        None => format!("expected {}", found.expected),
    };
    let last = found.pointer.rsplit('/').next().unwrap_or_default();
    let message = match found.problem.as_str() {
        "missing" => format!("`{last}` is missing"),
        other => other.replace('_', " "),
    };
    source.problem(&found.pointer, message, Some(suggestion))
}

/// What an id may look like, in words.
fn rule_of_ids(pointer: &str) -> String {
    let (letters, example) = match pointer.split('/').nth(2) {
        Some("id") => ("lower-case letters, digits and `_`, 2 to 32 of them", "salon"),
        Some("commands") => ("letters, digits, `_` and `-`, 2 to 63 of them", "create_appointment"),
        _ => ("lower-case letters, digits, `_` and `-`, at most 63 of them", "extract-custom-field"),
    };
    format!("an id is {letters}, a lower-case letter first, such as `{example}`")
}

#[cfg(test)]
#[path = "schema_check_tests.rs"]
mod tests;

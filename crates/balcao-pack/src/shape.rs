//! The shape of a `tool.yaml`, held against its schema.
//!
//! What is misshapen is told, and then taken as it was meant or left out, so that the rest can be looked at and everything is told at once:
//! a key that is nearly one of ours is taken for it, any other unknown key is left out, and so is an entry that has a mistake in its shape.
//! Nothing is told of what an entry that was left out would have brought ([`Source::owes`]). Where a part that everything hangs on is
//! misshapen the look ends.

use std::sync::LazyLock;

use balcao_tool::{FieldProblem, validate::Schema};
use balcao_yaml::{Problem, escape};
use serde_json::{Value, json};

use crate::{
    load::SCHEMA,
    source::{MAX_PROBLEMS, Source},
};

static COMPILED: LazyLock<Result<Schema, String>> = LazyLock::new(|| {
    let source: Value = serde_json::from_str(SCHEMA).map_err(|error| error.to_string())?;
    Schema::compile(&source)
});

/// How often a definition is looked at again after something of it was mended or left out: mistakes lie within one another.
const MAX_LOOKS: usize = 8;

/// Sections that are lists of entries, as the steps of their pointers.
const LISTS: [&[&str]; 9] = [
    &["commands"],
    &["helpers"],
    &["processors"],
    &["validators"],
    &["anti_patterns"],
    &["knowledge_base"],
    &["examples", "success_cases"],
    &["examples", "failure_cases"],
    &["examples", "edge_cases"],
];

/// Sections whose entries are known by their keys, and how deep those lie.
const MAPS: [(&str, usize); 3] = [("schemas", 1), ("payload_schemas", 1), ("field_mappings", 2)];

/// What came of holding a definition against the schema.
pub(crate) struct Shape {
    /// Everything that is wrong with its shape.
    pub(crate) problems: Vec<Problem>,
    /// Whether what is left of it has the right shape.
    pub(crate) readable: bool,
}

/// Tells what is misshapen, and leaves of the source what can be looked at further.
pub(crate) fn settle(source: &mut Source) -> Shape {
    let mut problems = Vec::new();
    let schema = match COMPILED.as_ref() {
        Ok(schema) => schema,
        Err(reason) => return Shape { problems: vec![source.problem("", reason.clone(), None)], readable: false },
    };
    let mut renamed: Vec<String> = Vec::new();
    for _ in 0..MAX_LOOKS {
        let found = schema.first_problems(&source.value, MAX_PROBLEMS + 1);
        if found.is_empty() {
            return Shape { problems, readable: true };
        }
        let (unknown, found): (Vec<_>, Vec<_>) = found.into_iter().partition(|found| found.problem == "unknown_field");
        if !unknown.is_empty() {
            // What is missing may be there under a misspelt name: keys come first.
            problems.extend(unknown.iter().map(|found| told(source, found)));
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
        problems.extend(found.iter().map(|found| told(source, found)));
        if !leave_out(source, &found) {
            break;
        }
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

fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// Leaves out the entries with mistakes; false if one lies in no entry.
fn leave_out(source: &mut Source, found: &[FieldProblem]) -> bool {
    let mut entries: Vec<(String, usize)> = Vec::new();
    for one in found {
        if let Some(entry) = entry_of(&one.pointer) {
            entries.push(entry);
        } else if let Some((parent, name)) = keyed_entry_of(&one.pointer) {
            source.leave_out_key(&parent, &unescape(&name));
        } else if !stand_in(source, &one.pointer) {
            return false;
        }
    }
    // From the back, so that those before them keep their places.
    entries.sort_by(|a, b| b.cmp(a));
    entries.dedup();
    for (list, place) in entries {
        source.leave_out(&list, place);
    }
    // A pack without a command is none, and that is not what is wrong with it.
    source.value.pointer("/tool/commands").and_then(Value::as_array).is_some_and(|commands| !commands.is_empty())
}

/// The entry of a list that a pointer lies in: the list, and its place.
fn entry_of(pointer: &str) -> Option<(String, usize)> {
    let steps: Vec<&str> = pointer.strip_prefix("/tool/")?.split('/').collect();
    LISTS.iter().find_map(|list| {
        let place = steps.strip_prefix(*list)?.first()?.parse().ok()?;
        Some((format!("/tool/{}", list.join("/")), place))
    })
}

/// The same for entries that are known by their keys.
fn keyed_entry_of(pointer: &str) -> Option<(String, String)> {
    let mut steps = pointer.strip_prefix("/tool/")?.split('/');
    let section = steps.next()?;
    let (_, depth) = MAPS.iter().find(|(name, _)| *name == section)?;
    let keys: Vec<&str> = steps.take(*depth).collect();
    let (name, above) = keys.split_last().filter(|_| keys.len() == *depth)?;
    let parent = above.iter().fold(format!("/tool/{section}"), |parent, step| format!("{parent}/{step}"));
    Some((parent, (*name).to_owned()))
}

/// Writes something for what a pack says of itself to people, on which nothing else hangs.
fn stand_in(source: &mut Source, pointer: &str) -> bool {
    let (name, value) = match pointer {
        "/tool/name" => (pointer, json!("?")),
        "/tool/version" => (pointer, json!("0.0.0")),
        _ if pointer == "/tool/description" || pointer.starts_with("/tool/description/") => {
            ("/tool/description", json!({"pt-BR": "?", "en": "?"}))
        }
        _ => return false,
    };
    let Some(tool) = source.value.get_mut("tool").and_then(Value::as_object_mut) else { return false };
    tool.insert(name.trim_start_matches("/tool/").to_owned(), value);
    true
}

/// A mistake with its place.
fn told(source: &Source, found: &FieldProblem) -> Problem {
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
#[path = "shape_tests.rs"]
mod tests;

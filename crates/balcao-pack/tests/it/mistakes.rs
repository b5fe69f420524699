//! A mistake hides no other mistake, and its mere consequences are not reported.

use std::sync::Arc;

use balcao_connector::Http;
use balcao_pack::{Handlers, Loader, SCHEMA, check_helpers, manifest::PackKind};
use balcao_tool::validate::Schema;
use balcao_yaml::{Document, Problem};
use serde_json::{Value, json};

use crate::{
    loading::{folder, guide},
    world::{Canned, pack},
};

/// The problems that the loader reports for a definition, with those of the helpers' code.
async fn examined(files: &[(&str, &str)]) -> Vec<String> {
    match Canned::default().loader().examine(folder(files).path()) {
        Ok(_) => Vec::new(),
        Err(unloaded) => {
            let code = unloaded.code.unwrap().check().await.unwrap();
            unloaded.problems.iter().chain(&code).map(ToString::to_string).collect()
        }
    }
}

#[tokio::test]
async fn mistakes_of_one_entry_and_of_the_pack_itself_hide_none_and_the_code_is_looked_at_all_the_same() {
    let more = "  helpers:
    - {id: a, inject: srouce, dependencies: [gone], function: \"(x) => x +\"}
    - {id: b, lazy_load: maybe, dependencies: [c], file: helpers/b.js}
    - {id: c, file: helpers/c.js}
  validators:
    - id: v
      validates: update_task
      checks:
        - {range: {name: {min: x}}}
        - {pattern: {name: '('}, message: 7}
";
    let text = pack(more)
        .replacen("  id: tasks\n", "  id: My tasks\n", 1)
        .replacen("  version: 1.0.0\n", "  version: 1\n", 1)
        .replacen(
            "      confirm: customer\n",
            "      confirm: customer\n      timeout_ms: soon\n      uses_helpers: [nobody]\n",
            1,
        );
    let files = [("tool.yaml", text.as_str()), ("helpers/b.js", "(x) => => x\n"), ("helpers/c.js", "(x) => (x\n")];
    let found = examined(&files).await;
    let told = found.join("\n");
    for expected in [
        "an id is lower-case letters",
        "version: 1\n",
        "timeout_ms: soon",
        "unknown helper `nobody`",
        "did you mean `source`?",
        "`gone`",
        "helper `a`: SyntaxError",
        "lazy_load: maybe",
        "helpers/b.js:1:",
        "helpers/c.js:1:",
        "min: x",
        "invalid pattern `(`",
        "message: 7",
    ] {
        assert!(told.contains(expected), "{expected} in {told}");
    }
    assert_eq!(found.len(), 13, "{told}");
}

#[tokio::test]
async fn a_helper_behind_a_broken_one_is_told_of_its_own_mistake() {
    let more = "  helpers:\n    - {id: a, dependencies: [b], file: helpers/a.js}\n    - {id: b, file: helpers/b.js}\n    \
                - {id: c, dependencies: [b], file: helpers/c.js}\n";
    let files = [
        ("tool.yaml", &*pack(more)),
        ("helpers/a.js", "(x) => (x\n"),
        ("helpers/b.js", "(x) => => x\n"),
        ("helpers/c.js", "(x) => b(x)\n"),
    ];
    let loaded = Canned::default().loader().load_folder(folder(&files).path()).unwrap();
    let found = check_helpers(loaded.sandbox.as_ref().unwrap()).await.unwrap();
    let mut files: Vec<&str> = found.iter().map(|one| one.file.as_str()).collect();
    files.sort_unstable();
    assert_eq!(files, ["helpers/a.js", "helpers/b.js"], "{found:#?}");
}

/// Loads a definition as the program would, over HTTP.
fn over_http(definition: &Value) -> Vec<Problem> {
    let loader = Loader::new(Handlers::new()).kind(PackKind::Http, Arc::new(Http::offline()));
    loader.load("tool.yaml", &format!("{definition:#}")).err().unwrap_or_default()
}

/// The places of the fields of a definition: its own, and those of its entries.
fn fields(definition: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (name, section) in definition["tool"].as_object().unwrap() {
        let at = format!("/tool/{name}");
        let mut entries: Vec<(String, &Value)> = Vec::new();
        match section {
            Value::Array(items) => {
                entries.extend(items.iter().enumerate().map(|(place, item)| (format!("{at}/{place}"), item)));
            }
            Value::Object(_) if name == "examples" => {
                for (list, cases) in section.as_object().unwrap() {
                    let cases = cases.as_array().unwrap().iter().enumerate();
                    entries.extend(cases.map(|(place, item)| (format!("{at}/{list}/{place}"), item)));
                    found.push(format!("{at}/{list}"));
                }
            }
            Value::Object(keyed) if ["payload_schemas", "schemas"].contains(&name.as_str()) => {
                entries.extend(keyed.iter().map(|(key, item)| (format!("{at}/{key}"), item)));
            }
            Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        for (at, entry) in entries {
            found.extend(entry.as_object().into_iter().flatten().map(|(field, _)| format!("{at}/{field}")));
            found.push(at);
        }
        found.push(at);
    }
    found
}

/// What is wrong with it, without its place: what stands before it may have other lines.
fn messages(definition: &Value) -> Vec<String> {
    over_http(definition).into_iter().map(|one| format!("{}; {:?}", one.message, one.suggestion)).collect()
}

/// Of the pairs of mistakes, how many are passed over for one that is looked at.
const EVERY: usize = 11;

/// The definition with another value at a place.
fn with(definition: &Value, at: &str, value: &Value) -> Value {
    let mut mutant = definition.clone();
    *mutant.pointer_mut(at).unwrap() = value.clone();
    mutant
}

#[test]
fn of_two_mistakes_in_one_entry_of_the_guides_definition_both_are_told() {
    let whole = Document::read("tool.yaml", &guide()).unwrap().value;
    let mut mutants: Vec<(String, Value, String)> = Vec::new();
    for field in fields(&whole) {
        // Words of their own, so that no message is about the other one.
        let word = format!("?{}", mutants.len());
        for wrong in [json!(-7), json!(word), json!([word])] {
            if let [only] = messages(&with(&whole, &field, &wrong)).as_slice() {
                mutants.push((field.clone(), wrong, only.clone()));
            }
        }
    }
    let (mut met, mut looked_at, mut lost) = (0, 0, Vec::new());
    for (place, (one, value, first)) in mutants.iter().enumerate() {
        for (other, another, second) in mutants.iter().skip(place + 1) {
            let siblings = one != other && one.rsplit_once('/').unwrap().0 == other.rsplit_once('/').unwrap().0;
            // What an example says of an input that is not there cannot be held; a schema tells of its first mistake alone.
            let entangled = |field: &String| field.contains("/failure_cases/") || field.starts_with("/tool/schemas/");
            if !siblings || entangled(one) {
                continue;
            }
            met += 1;
            // All of them take minutes; each field is among those that are looked at.
            if met % EVERY != 0 {
                continue;
            }
            looked_at += 1;
            let told = messages(&with(&with(&whole, one, value), other, another));
            if !told.contains(first) || !told.contains(second) {
                lost.push(format!("{one} = {value}, {other} = {another}: {first} / {second}: {told:#?}"));
            }
        }
    }
    assert!(lost.is_empty(), "{} of {looked_at}: {}", lost.len(), lost.join("\n"));
    assert!(looked_at > 200, "{looked_at}");
}

#[test]
fn of_one_mistake_in_the_shape_of_the_guides_definition_one_thing_is_told() {
    let whole = Document::read("tool.yaml", &guide()).unwrap().value;
    assert_eq!(over_http(&whole), []);
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let schema = Schema::compile(&schema).unwrap();
    let (mut looked_at, mut noisy) = (0, Vec::new());
    for field in fields(&whole) {
        let (parent, name) = field.rsplit_once('/').unwrap();
        let mut mutants = Vec::new();
        for wrong in [json!(-7), json!("?!"), json!(["?!"])] {
            let mut mutant = whole.clone();
            *mutant.pointer_mut(&field).unwrap() = wrong;
            mutants.push(mutant);
        }
        let mut without = whole.clone();
        if let Some(object) = without.pointer_mut(parent).unwrap().as_object_mut() {
            object.remove(name);
            mutants.push(without);
        }
        for mutant in mutants {
            // One that keeps the shape is about what it says, and that may be wrong in several places.
            if schema.problems(&mutant).len() != 1 {
                continue;
            }
            looked_at += 1;
            let told: Vec<String> = over_http(&mutant).iter().map(ToString::to_string).collect();
            let now = mutant.pointer(&field);
            if told.len() != 1 {
                noisy.push(format!("{field} is {now:?}: {told:#?}"));
            }
        }
    }
    assert!(noisy.is_empty(), "{} of {looked_at}: {}", noisy.len(), noisy.join("\n"));
    assert!(looked_at > 200, "{looked_at}");
}

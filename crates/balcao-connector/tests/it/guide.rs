//! The author's guide: what it shows of HTTP can be read, and everything that can be written stands in it.

use std::collections::BTreeSet;

use balcao_connector::{Connection, HttpCommand};
use balcao_yaml::Document;
use serde_json::{Map, Value, json};

/// The chapter of `docs/PACKS.md`.
fn chapter() -> &'static str {
    let (_, rest) = include_str!("../../../../docs/PACKS.md").split_once("\n## 11. HTTP\n").unwrap();
    rest.split("\n## ").next().unwrap()
}

/// The words of a text that a placeholder or a list of arguments may name.
fn words(text: &str) -> BTreeSet<&str> {
    let words = text.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_');
    words.filter(|word| !word.is_empty() && !["item", "settings"].contains(word)).collect()
}

#[test]
fn every_example_of_the_guides_chapter_can_be_read() {
    let (mut connections, mut handlers) = (0, 0);
    for block in chapter().split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap()) {
        let read = Document::read("PACKS.md", block).unwrap_or_else(|problem| panic!("{problem}\n{block}")).value;
        let parts = read.as_array().cloned().unwrap_or_else(|| vec![read.clone()]);
        // Each word may be an argument here: what is looked at is the request.
        let known: Map<String, Value> = words(block).into_iter().map(|word| (word.to_owned(), json!({}))).collect();
        let schema = json!({ "required": words(block), "properties": known });
        for part in parts {
            if let Some(connection) = part.get("connection") {
                Connection::read(connection).unwrap_or_else(|problems| panic!("{connection}: {problems:#?}"));
                connections += 1;
            }
            if let Some(handler) = part.get("handler") {
                let read = HttpCommand::read(handler).and_then(|command| command.compile(&schema));
                read.unwrap_or_else(|problems| panic!("{handler}: {problems:#?}"));
                handlers += 1;
            }
        }
    }
    assert!(connections >= 9 && handlers >= 10, "{connections} connections, {handlers} handlers");
}

/// The names of all properties of a schema, at whatever depth.
fn properties(schema: &Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(fields) => {
            for (key, field) in fields {
                if let (true, Some(all)) = (key == "properties", field.as_object()) {
                    names.extend(all.keys().cloned());
                }
                properties(field, names);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| properties(item, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn everything_that_a_connection_and_a_request_may_say_stands_in_the_guide() {
    let mut names = BTreeSet::new();
    for schema in [Connection::schema(), HttpCommand::schema()] {
        properties(&schema, &mut names);
    }
    let said = |name: &&String| {
        let (in_prose, as_key) = (format!("`{name}`"), format!("{name}:"));
        let inside = |before: &str| before.ends_with(|sign: char| sign.is_alphanumeric() || sign == '_');
        let mut before: Vec<&str> = chapter().split(&as_key).collect();
        before.pop();
        chapter().contains(&in_prose) || before.into_iter().any(|before| !inside(before))
    };
    let missing: Vec<&String> = names.iter().filter(|name| !said(name)).collect();
    assert!(missing.is_empty() && names.len() >= 60, "{missing:?} of {}", names.len());
}

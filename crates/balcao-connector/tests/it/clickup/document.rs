//! Every request of the pack against ClickUp's own OpenAPI document: path, method, query, body.

use std::{fs, sync::Arc};

use balcao_connector::{Body, Request};
use balcao_testkit::{
    fakes::clickup::TOKEN,
    mock::{ValidatingMock, material},
};
use serde_json::{Value, json};

use super::{World, account, command, compiled, pack};
use crate::server::{TestClock, arguments};

fn document() -> Option<Value> {
    let path = material("clickup/clickup-api-v2-reference.json");
    let Ok(text) = fs::read(&path) else {
        balcao_testkit::skip(&format!("{} is missing", path.display()));
        return None;
    };
    Some(serde_json::from_slice(&text).unwrap())
}

/// A value for an argument of that schema.
fn sample(name: &str, schema: &Value) -> Value {
    match name {
        "assignees" if schema["items"].is_null() => json!(null),
        "field_id" | "id" => json!("5a3c9d0e-0000-4222-8333-444455556666"),
        "endpoint" => json!("https://example.test/hook"),
        "tag_fg" | "tag_bg" => json!("#2ecd6f"),
        "base64" => json!("b2k="),
        "media_type" => json!("image/png"),
        // ClickUp's document declares milliseconds as 32 bits: any number will do here.
        _ if schema["description"].as_str().is_some_and(|text| text.contains("milissegundos")) => json!(1_795_269_600),
        _ => {
            if let Some(options) = schema["enum"].as_array() {
                return options[0].clone();
            }
            let kind = schema["type"].as_str().or(schema["type"][0].as_str()).unwrap_or("string");
            match kind {
                "integer" | "number" => json!(5),
                "boolean" => json!(true),
                "array" => json!([sample("", &schema["items"])]),
                "object" => object(schema),
                _ => json!("90110223"),
            }
        }
    }
}

fn object(schema: &Value) -> Value {
    let fields = schema["properties"].as_object().cloned().unwrap_or_default();
    let filled = fields.iter().map(|(name, field)| (name.clone(), sample(name, field)));
    Value::Object(filled.filter(|(_, value)| !value.is_null()).collect())
}

/// The operation that a request is, with the template of its path.
fn operation<'a>(document: &'a Value, request: &Request) -> Option<(&'a str, &'a Value)> {
    let path: Vec<&str> = request.url.path().split('/').skip(2).collect();
    let fits = |template: &str| {
        let parts: Vec<&str> = template.split('/').skip(1).collect();
        parts.len() == path.len() && parts.iter().zip(&path).all(|(part, have)| part.starts_with('{') || part == have)
    };
    let method = request.method.as_str().to_lowercase();
    // A fixed path goes before one with a parameter in the same place.
    let paths = document["paths"].as_object()?;
    let mut found: Vec<(&str, &Value)> = paths
        .iter()
        .filter(|(template, operations)| fits(template) && operations.get(&method).is_some())
        .map(|(template, operations)| (template.as_str(), &operations[&method]))
        .collect();
    found.sort_by_key(|(template, _)| template.matches('{').count());
    found.first().copied()
}

fn problems(document: &Value, request: &Request) -> Vec<String> {
    let Some((template, operation)) = operation(document, request) else {
        return vec![format!("{} {} is not in the document", request.method, request.url.path())];
    };
    let mut problems = Vec::new();
    let declared: Vec<&Value> =
        operation["parameters"].as_array().into_iter().flatten().filter(|one| one["in"] == json!("query")).collect();
    for (name, _) in request.url.query_pairs() {
        let bare = name.trim_end_matches("[]");
        if !declared.iter().any(|one| one["name"].as_str().is_some_and(|known| known.trim_end_matches("[]") == bare)) {
            problems.push(format!("{template}: unknown parameter `{name}`"));
        }
    }
    for required in declared.iter().filter(|one| one["required"] == json!(true)) {
        if !request.url.query_pairs().any(|(name, _)| required["name"] == json!(name)) {
            problems.push(format!("{template}: the parameter {} is missing", required["name"]));
        }
    }
    let content = &operation["requestBody"]["content"];
    match &request.body {
        Body::Json(body) => {
            let mut schema = content["application/json"]["schema"].clone();
            if schema.is_null() {
                problems.push(format!("{template}: takes no body"));
            } else {
                // The document refers from one body to another.
                for part in ["components", "paths"] {
                    schema[part] = document[part].clone();
                }
                let compiled = jsonschema::options().build(&schema).unwrap();
                problems.extend(
                    compiled.iter_errors(body).map(|error| format!("{template}: {}: {error}", error.instance_path())),
                );
                let known = schema["properties"].as_object();
                // The document's schema writes `depedency_of`; its own text, and the request that removes one, `dependency_of`.
                let misprint =
                    |key: &str| key == "dependency_of" && known.is_some_and(|map| map.contains_key("depedency_of"));
                let fields = body.as_object().into_iter().flatten();
                let unknown =
                    fields.filter(|(key, _)| known.is_some_and(|map| !map.contains_key(*key)) && !misprint(key));
                problems.extend(unknown.map(|(key, _)| format!("{template}: `{key}` is not in the body's schema")));
            }
        }
        Body::Multipart(_) if content.get("multipart/form-data").is_none() => {
            problems.push(format!("{template}: takes no parts"))
        }
        Body::Empty if operation["requestBody"]["required"] == json!(true) => {
            problems.push(format!("{template}: wants a body"))
        }
        Body::Empty | Body::Form(_) | Body::Multipart(_) => {}
    }
    problems
}

/// Every command that makes requests of its own, with all its arguments and with those that must be there.
fn calls(pack: &Value) -> Vec<(&Value, Value)> {
    let mut calls = Vec::new();
    // What is made of other commands makes no request of its own.
    for command in pack["commands"].as_array().unwrap().iter().filter(|one| one["handler"].get("calls").is_none()) {
        let schema = &command["input_schema"];
        let mut all = object(schema);
        match command["id"].as_str().unwrap() {
            "update_task" => {
                for key in ["assignees", "group_assignees", "watchers"] {
                    all[key] = json!({ "add": [5], "rem": if key == "assignees" { json!([6]) } else { json!([]) } });
                }
            }
            "create_task" | "create_subtask" => all["assignees"] = json!([5]),
            _ => {}
        }
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut least = all.clone();
        least.as_object_mut().unwrap().retain(|name, _| required.contains(&name.as_str()));
        calls.extend([(command, all), (command, least)]);
    }
    calls
}

#[test]
fn every_request_is_one_of_clickups_own_document() {
    let Some(document) = document() else { return };
    let (world, pack) = (World::new(), pack());
    let mut told = Vec::new();
    let mut count = 0;
    for (command, args) in calls(&pack) {
        let id = command["id"].as_str().unwrap();
        let planned = world.account.plan(&compiled(command), &arguments(args.clone()));
        for request in planned.unwrap_or_else(|error| panic!("{id} {args}: {error}")) {
            count += 1;
            told.extend(problems(&document, &request).into_iter().map(|problem| format!("{id}: {problem}")));
        }
    }
    told.sort();
    told.dedup();
    assert!(told.is_empty(), "{}", told.join("\n"));
    assert!(count > 140, "{count} requests");
}

/// The same document in a validating mock: a judge that is not ours, over real HTTP.
#[tokio::test]
async fn second_opinion_clickups_own_document_takes_every_request() {
    let Some(mut document) = document() else { return };
    // OpenAPI says that a parameter `Content-Type` is to be passed over (4.8.12.2); this mock demands it of requests without a body.
    for operation in document["paths"]
        .as_object_mut()
        .unwrap()
        .values_mut()
        .flat_map(|path| path.as_object_mut().unwrap().values_mut())
    {
        if let Some(parameters) = operation.get_mut("parameters").and_then(Value::as_array_mut) {
            parameters.retain(|one| one["name"] != json!("Content-Type"));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("clickup.json");
    fs::write(&file, document.to_string()).unwrap();
    let Some(mock) = ValidatingMock::over(&file).unwrap() else { return };
    let pack = pack();
    let account = account(&pack, TOKEN, mock.url(), Arc::new(TestClock::default()));
    let mut told = Vec::new();
    let mut count = 0;
    // Of a list of files that has one this mock makes no list.
    for (command, args) in calls(&pack).into_iter().filter(|(command, _)| command["id"] != json!("attach_file")) {
        count += 1;
        let id = command["id"].as_str().unwrap();
        // Its answers are examples, not what was asked for: what is made of them is not judged here.
        if let Err(error) = account.call(&compiled(command), &arguments(args), Some("key")).await
            && error.status.is_some_and(|status| (400..500).contains(&status))
        {
            told.push(format!("{id}: {error:?}"));
        }
    }
    assert!(told.is_empty(), "{}", told.join("\n"));
    assert!(count > 140, "{count} calls");
    // It does judge.
    let mut wrong = command(&pack, "create_list").clone();
    wrong["handler"]["body_fields"] = json!(["content"]);
    let args = arguments(object(&wrong["input_schema"]));
    let refused = account.call(&compiled(&wrong), &args, None).await.unwrap_err();
    assert_eq!(refused.status, Some(422));
}

//! The helpers of the pack `clickup`: its edge cases, each in a real worker, and every recorded delivery and task at hand.
//!
//! The pack's folder is read as data: its own loader lies in another crate, which depends on this one.
//!
//! Time stands in these tests: the processor time of a default call is kept to, and how long a busy machine takes over it is not.
#![expect(clippy::indexing_slicing, reason = "tests")]

use std::{fs, path::PathBuf};

use balcao_sandbox::{Bundle, Call, Helper, HelperError, Sandbox};
use balcao_yaml::Document;
use serde_json::{Value, json};

use crate::{hold, launcher};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../packs/clickup")
}

fn read(path: &str) -> Value {
    let text = fs::read_to_string(folder().join(path)).unwrap();
    Document::read(path, &text).unwrap().value
}

fn pack() -> Value {
    read("tool.yaml")["tool"].clone()
}

fn bundled(pack: &Value) -> Sandbox {
    let helper = |entry: &Value| {
        let (id, file) = (entry["id"].as_str().unwrap(), entry["file"].as_str().unwrap());
        let dependencies = entry["dependencies"].as_array().cloned().unwrap_or_default();
        let dependencies: Vec<&str> = dependencies.iter().map(|name| name.as_str().unwrap()).collect();
        let source = fs::read_to_string(folder().join(file)).unwrap();
        let mut helper = Helper::javascript(id, file, &source).with_dependencies(&dependencies);
        helper.function = entry["signature"].as_str().map(|text| text.split('(').next().unwrap().to_owned());
        helper
    };
    let helpers = pack["helpers"].as_array().unwrap().iter().map(helper).collect();
    Sandbox::new(Bundle::new(helpers).unwrap(), launcher(), 1)
}

/// Runs a processor whose steps are helpers.
async fn process(sandbox: &Sandbox, pack: &Value, id: &str, input: Value) -> Result<Value, HelperError> {
    let processor = pack["processors"].as_array().unwrap().iter().find(|one| one["id"] == json!(id)).unwrap();
    let mut value = input;
    for step in processor["steps"].as_array().unwrap() {
        value = sandbox.call(&Call::new(step.as_str().unwrap(), &[value])).await?;
    }
    Ok(value)
}

/// Whether `value` is `expected`; objects may have more fields where it says so.
fn fits(value: &Value, expected: &Value, partial: bool) -> bool {
    match (value, expected) {
        (Value::Object(value), Value::Object(expected)) => {
            (partial || value.len() == expected.len())
                && expected.iter().all(|(key, field)| value.get(key).is_some_and(|value| fits(value, field, partial)))
        }
        (Value::Array(value), Value::Array(expected)) => {
            value.len() == expected.len() && value.iter().zip(expected).all(|(value, one)| fits(value, one, partial))
        }
        (Value::Number(value), Value::Number(expected)) => value.as_f64() == expected.as_f64(),
        _ => value == expected,
    }
}

#[tokio::test(start_paused = true)]
async fn every_helper_of_the_clickup_pack_compiles() {
    let _time = hold();
    assert_eq!(bundled(&pack()).check().await.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn the_edge_cases_of_the_clickup_pack_hold() {
    let _time = hold();
    let pack = pack();
    let sandbox = bundled(&pack);
    let (mut failures, mut count, mut covered) = (Vec::new(), 0, Vec::new());
    for file in ["ids-and-names.yaml", "fields.yaml", "webhooks.yaml"] {
        for edge in read(&format!("examples/edge-cases/{file}")).as_array().unwrap() {
            for case in edge["cases"].as_array().unwrap() {
                let arguments = case["arguments"].as_array().cloned().unwrap_or_else(|| vec![case["input"].clone()]);
                let result = match (edge["helper"].as_str(), edge["processor"].as_str()) {
                    (Some(helper), _) => {
                        covered.push(helper.to_owned());
                        sandbox.call(&Call::new(helper, &arguments)).await
                    }
                    (_, Some(processor)) => {
                        let known =
                            pack["processors"].as_array().unwrap().iter().find(|one| one["id"] == json!(processor));
                        let steps = known.unwrap()["steps"].as_array().unwrap().iter();
                        covered.extend(steps.filter_map(|step| step.as_str().map(str::to_owned)));
                        process(&sandbox, &pack, processor, arguments[0].clone()).await
                    }
                    _ => continue,
                };
                count += 1;
                let partial = case["partial"] == json!(true);
                let held = match (&result, case["error"].as_str()) {
                    (Err(error), Some(part)) => error.for_model().contains(part),
                    (Ok(value), None) => fits(value, &case["expected"], partial),
                    _ => false,
                };
                if !held {
                    failures.push(format!("{}: {case}\n  gave {result:?}", edge["id"]));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count > 120, "{count} cases");
    for helper in pack["helpers"].as_array().unwrap() {
        let id = helper["id"].as_str().unwrap();
        // A helper that calls commands computes nothing without their answers: a success case holds it.
        let calls = helper["signature"].as_str().unwrap_or_default().contains("tools");
        assert!(calls || id == "finish-structured" || covered.iter().any(|name| name == id), "`{id}` has no edge case");
    }
}

#[tokio::test(start_paused = true)]
async fn every_field_type_is_extracted_as_its_mapping_says_and_what_is_written_is_accepted() {
    let _time = hold();
    let pack = pack();
    let sandbox = bundled(&pack);
    let mappings = pack["field_mappings"]["custom_fields"].as_object().unwrap();
    assert_eq!(mappings.len(), 25);
    for (kind, mapping) in mappings {
        let extracted = sandbox.call(&Call::new("extract-custom-field", &[mapping["example"].clone()])).await.unwrap();
        assert!(fits(&extracted, &mapping["extracted"], false), "{kind}: {extracted}");
        let empty = sandbox.call(&Call::new("extract-custom-field", &[json!({ "type": kind })])).await.unwrap();
        assert_eq!(empty, mapping["empty"], "{kind}");
        let read_only = mapping["read_only"] == json!(true);
        assert_eq!(mapping.get("write").is_none(), read_only, "{kind}");
        let value = mapping.get("write").cloned().unwrap_or(json!(1));
        let judged = sandbox.call(&Call::new("check-field-value", &[json!(kind), value])).await.unwrap();
        assert_eq!(judged["valid"], json!(!read_only), "{kind}: {judged}");
    }
}

/// A plain generator: the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }
}

/// Every place in a value, as JSON pointers, the whole one not among them.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, field)| (name.clone(), field)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(place, item)| (place.to_string(), item)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    for (name, field) in inner {
        let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
        found.push(at.clone());
        places(field, &at, found);
    }
}

/// What strangers send: of no type that anybody promised, called like what every object has, or an object that cannot be made a text
/// or a number.
fn strange() -> Vec<Value> {
    let plain = [json!(null), json!(7.5), json!(-1), json!("ção\u{0}"), json!([[]]), json!({"": null}), json!(true)];
    let named =
        [json!("constructor"), json!("__proto__"), json!({"__proto__": {"id": 1}}), json!([["__proto__"], [[1]]])];
    let unmade = [json!({"toString": 1}), json!({"valueOf": null, "toString": null}), json!([{"toString": 1}])];
    plain.into_iter().chain(named).chain(unmade).collect()
}

#[tokio::test(start_paused = true)]
async fn whatever_stands_where_in_a_delivery_it_becomes_structured() {
    let _time = hold();
    let pack = pack();
    let sandbox = bundled(&pack);
    let cases = read("examples/edge-cases/webhooks.yaml");
    let cases = cases.as_array().unwrap().iter().filter(|edge| edge["processor"] == json!("webhook-to-structured"));
    let deliveries: Vec<Value> =
        cases.flat_map(|edge| edge["cases"].as_array().unwrap()).map(|case| case["input"].clone()).collect();
    let strange = strange();
    let mut changed = Vec::new();
    for delivery in &deliveries {
        let mut all = Vec::new();
        places(delivery, "", &mut all);
        for (place, value) in all.iter().flat_map(|place| strange.iter().map(move |value| (place, value))) {
            let mut delivery = delivery.clone();
            *delivery.pointer_mut(place).unwrap() = value.clone();
            changed.push(delivery);
        }
    }
    let mut dice = Dice(3);
    for round in 0..300 {
        let mut delivery = deliveries[round % deliveries.len()].clone();
        for _ in 0..=dice.below(3) {
            let mut all = Vec::new();
            places(&delivery, "", &mut all);
            let Some(place) = all.get(dice.below(all.len())) else { continue };
            *delivery.pointer_mut(place).unwrap() = strange[dice.below(strange.len())].clone();
        }
        changed.push(delivery);
    }
    for delivery in changed {
        let structured = process(&sandbox, &pack, "webhook-to-structured", delivery.clone()).await;
        let structured = structured.unwrap_or_else(|error| panic!("{}\n{delivery}", error.for_model()));
        for part in
            ["webhook_metadata", "task_info", "hierarchy", "people", "relationships", "custom_fields", "summary"]
        {
            assert!(structured[part].is_object(), "{part} of {structured}\n{delivery}");
        }
        assert!(structured["warnings"].is_array(), "{structured}");
    }
}

#[tokio::test(start_paused = true)]
async fn no_check_of_a_value_and_no_extraction_stumbles_over_what_strangers_send() {
    let _time = hold();
    let pack = pack();
    let sandbox = bundled(&pack);
    let strange = strange();
    let types = pack["field_mappings"]["custom_fields"].as_object().unwrap().keys().map(|kind| json!(kind));
    let types: Vec<Value> = types.chain(strange.clone()).collect();
    let mut calls = Vec::new();
    for (kind, value) in types.iter().flat_map(|kind| strange.iter().map(move |value| (kind, value))) {
        let inner =
            json!({"options": [value], "count": value, "start": value, "end": value, "id": value, "location": value});
        for value in [value, &json!([value]), &inner, &json!({"location": {"lat": value, "lng": value}})] {
            let config = json!({"options": [value, inner], "count": value, "start": value, "end": value});
            let field = json!({"id": value, "name": value, "type": kind, "value": value, "type_config": config});
            let entry = json!({"id": value, "type": kind, "value": value, "config": config});
            let task = json!({"name": value, "due_date": value, "tags": value, "assignees": [value], "custom_fields": [field, value]});
            calls.push(("check-field-value", vec![kind.clone(), value.clone(), config]));
            calls.push(("check-field-entries", vec![json!([entry])]));
            calls.push(("check-known-fields", vec![json!([entry]), json!({"custom_fields": [field, value]})]));
            calls.push(("task-copy", vec![task]));
            calls.push(("extract-custom-field", vec![field]));
        }
    }
    for (helper, arguments) in &calls {
        if let Err(error) = sandbox.call(&Call::new(helper, arguments)).await {
            panic!("{}\n{helper} {arguments:?}", error.for_model());
        }
    }
}

/// Where the structured form keeps what an event that names no task is about.
const PLACES: [(&str, &str); 5] = [
    ("space_id", "/hierarchy/space/id"),
    ("folder_id", "/hierarchy/folder/id"),
    ("list_id", "/hierarchy/list/id"),
    ("goal_id", "/webhook_metadata/goal_id"),
    ("key_result_id", "/webhook_metadata/key_result_id"),
];

#[tokio::test(start_paused = true)]
async fn every_recorded_delivery_and_task_becomes_structured() {
    let _time = hold();
    let material = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/material/clickup");
    if !material.is_dir() {
        balcao_skip::skip(&format!("{} is missing", material.display()));
        return;
    }
    let pack = pack();
    let sandbox = bundled(&pack);
    let mut count = 0;
    for entry in fs::read_dir(material.join("webhooks")).unwrap() {
        let path = entry.unwrap().path();
        let delivery: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let structured = process(&sandbox, &pack, "webhook-to-structured", delivery.clone()).await.unwrap();
        let format = if name.starts_with("automation_legacy") { "legacy" } else { "api_event" };
        assert_eq!(structured["webhook_metadata"]["format"], json!(format), "{name}");
        if let Some(task) = delivery.get("task_id") {
            assert_eq!(&structured["task_info"]["id"], task, "{name}");
        } else if format == "api_event" {
            assert_eq!(structured["warnings"], json!([]), "{name}");
        }
        for (key, place) in PLACES {
            let told = delivery.get(key).unwrap_or(&Value::Null);
            assert!(format == "legacy" || structured.pointer(place) == Some(told), "{key} of {name}: {structured}");
        }
        count += 1;
    }
    let tasks: Value =
        serde_json::from_slice(&fs::read(material.join("tasks/task_list_response.json")).unwrap()).unwrap();
    for task in tasks["tasks"].as_array().unwrap() {
        let delivery = json!({ "body": { "payload": task } });
        let structured = process(&sandbox, &pack, "webhook-to-structured", delivery).await.unwrap();
        assert_eq!(structured["task_info"]["name"], task["name"]);
        assert_eq!(structured["warnings"], json!([]), "{structured}");
        let fields = task["custom_fields"].as_array().map_or(0, Vec::len);
        assert_eq!(structured["summary"]["custom_fields"], json!(fields));
        count += 1;
    }
    assert!(count > 14, "{count}");
}

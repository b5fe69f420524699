//! The OpenAPI document says what there is, and nothing else.

use reqwest::Method;
use serde_json::Value;

use super::world::{operations, quiet};

#[tokio::test]
async fn every_route_is_in_the_document_and_every_operation_is_a_route() {
    let shop = quiet([], std::time::Duration::ZERO).await;
    let served = shop.finish(shop.request(Method::GET, "/v1/openapi.json")).await;
    assert_eq!((served.status, &served.body), (200, &shop.document));
    let all: Vec<String> =
        operations(&shop.document).iter().map(|(method, path, _)| format!("{method} {path}")).collect();
    let expected = [
        "POST /v1/turn",
        "GET /v1/conversations",
        "GET /v1/conversations/{id}",
        "GET /v1/conversations/{id}/messages",
        "POST /v1/conversations/{id}/take",
        "POST /v1/conversations/{id}/reply",
        "POST /v1/conversations/{id}/notes",
        "POST /v1/conversations/{id}/give-back",
        "GET /v1/handoffs",
        "POST /v1/conversations/{id}/attachments",
        "GET /v1/attachments/{id}",
        "GET /v1/contacts",
        "GET /v1/contacts/{id}",
        "PATCH /v1/contacts/{id}",
        "GET /v1/appointments",
        "POST /v1/appointments",
        "GET /v1/appointments/{id}",
        "POST /v1/appointments/{id}/reschedule",
        "POST /v1/appointments/{id}/cancel",
        "POST /v1/appointments/{id}/mark",
        "POST /v1/appointments/{id}/undo-mark",
        "POST /v1/visits/complete-day",
        "GET /v1/conflicts",
        "GET /v1/appointments/{id}/ways-out",
        "POST /v1/appointments/{id}/resolve",
        "GET /v1/calendars",
        "GET /v1/calendars/outside",
        "POST /v1/calendars/link",
        "POST /v1/calendars/unlink",
        "POST /v1/calendars/sync",
        "POST /v1/calendars/reconcile",
        "GET /v1/calendars/conflicts",
        "GET /v1/calendars/conflicts/{id}/ways-out",
        "POST /v1/calendars/conflicts/{id}/resolve",
        "GET /v1/subscriptions",
        "POST /v1/subscriptions",
        "GET /v1/subscriptions/{id}",
        "POST /v1/subscriptions/{id}/payments",
        "POST /v1/subscriptions/{id}/payments/take-back",
        "POST /v1/subscriptions/{id}/renew",
        "POST /v1/subscriptions/{id}/pause",
        "POST /v1/subscriptions/{id}/resume",
        "POST /v1/subscriptions/{id}/end",
        "POST /v1/business/knowledge",
        "GET /v1/business",
        "POST /v1/business/plan",
        "POST /v1/business/apply",
        "POST /v1/business/edit",
        "GET /v1/versions",
        "GET /v1/versions/{id}",
        "GET /v1/services",
        "GET /v1/professionals",
        "GET /v1/availability",
        "GET /v1/outbox",
        "GET /v1/outbox/{id}",
        "POST /v1/outbox/{id}/retry",
        "POST /v1/outbox/{id}/give-up",
        "GET /v1/openapi.json",
    ];
    assert_eq!(all, expected);
    for (method, path, scope) in operations(&shop.document) {
        let answer = shop.finish(shop.request(method, &path.replace("{id}", "x_1"))).await;
        assert_eq!(answer.status, if scope.is_some() { 401 } else { 200 }, "{path}");
    }
}

#[tokio::test]
async fn its_references_lead_somewhere_its_names_are_unique_and_its_examples_fit() {
    let shop = quiet([], std::time::Duration::ZERO).await;
    let document = &shop.document;
    let mut references = Vec::new();
    collect(document, &mut references);
    assert!(references.len() > 30);
    for place in references {
        assert!(document.pointer(place.trim_start_matches('#')).is_some(), "{place}");
    }
    let mut names = Vec::new();
    for (method, path, _) in operations(document) {
        let operation = &document["paths"][&path][method.as_str().to_lowercase()];
        names.push(operation["operationId"].as_str().unwrap().to_owned());
        for response in operation["responses"].as_object().unwrap().values() {
            let described =
                response["$ref"].as_str().map(|place| document.pointer(place.trim_start_matches('#')).unwrap());
            assert!(!described.unwrap_or(response)["description"].as_str().unwrap().is_empty(), "{path}");
            example_fits(&shop, &path, &response["content"]["application/json"]);
        }
        example_fits(&shop, &path, &operation["requestBody"]["content"]["application/json"]);
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            for example in
                parameter["schema"]["examples"].as_array().into_iter().flatten().chain(parameter.get("example"))
            {
                assert_eq!(shop.misfits(&parameter["schema"], example), [""; 0], "{path}");
            }
        }
    }
    for schema in document["components"]["schemas"].as_object().unwrap().values() {
        for example in schema["examples"].as_array().into_iter().flatten() {
            assert_eq!(shop.misfits(schema, example), [""; 0], "{schema}");
        }
        for field in schema["properties"].as_object().into_iter().flatten().map(|(_, field)| field) {
            assert!(field["description"].is_string() || field["$ref"].is_string(), "{field} says nothing of itself");
            for example in field["examples"].as_array().into_iter().flatten() {
                assert_eq!(shop.misfits(field, example), [""; 0], "{field}");
            }
        }
    }
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}

fn example_fits(shop: &super::world::Shop, path: &str, content: &Value) {
    if let Some(example) = content.get("example") {
        assert_eq!(shop.misfits(&content["schema"], example), [""; 0], "{path}");
    }
}

fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|field| collect(field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

//! What does not fit is refused with everything that is wrong with it, and changes nothing.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use super::world::{Answer, Shop, quiet};

fn nearest(answer: &Answer, pointer: &str) -> Option<String> {
    let errors = answer.body["errors"].as_array()?;
    Some(errors.iter().find(|one| one["pointer"] == pointer)?["nearest"].as_str()?.to_owned())
}

fn fields(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(pointer, problem)| ((*pointer).to_owned(), (*problem).to_owned())).collect()
}

/// Method, path, body, and the bad fields: pointer and problem.
type Case<'a> = (Method, &'a str, Value, &'a [(&'a str, &'a str)]);

#[tokio::test]
async fn a_41_every_bad_field_of_a_body_is_named() {
    let shop = quiet([], Duration::ZERO).await;
    let contact = shop.contact("caio").await;
    let long = "a".repeat(4_001);
    let booking = |extra: Value| {
        let mut all =
            json!({ "contact_id": contact, "service": "Sobrancelha", "date": "2026-11-25", "start": "11:00" });
        all.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        all
    };
    let many: serde_json::Map<String, Value> = (0..51).map(|n| (format!("f{n}"), json!("x"))).collect();
    let path = format!("/v1/contacts/{contact}");
    let cases: Vec<Case<'_>> = vec![
        (Method::POST, "/v1/turn", json!({}), &[("/conversation", "missing"), ("/text", "missing")]),
        (Method::POST, "/v1/turn", json!([]), &[("", "wrong_type")]),
        (Method::POST, "/v1/turn", json!("oi"), &[("", "wrong_type")]),
        (
            Method::POST,
            "/v1/turn",
            json!({ "conversation": 7, "tex": "oi", "text": null }),
            &[("/conversation", "wrong_type"), ("/text", "wrong_type"), ("/tex", "unknown_field")],
        ),
        (Method::POST, "/v1/turn", json!({ "conversation": "", "text": "oi" }), &[("/conversation", "too_short")]),
        (Method::POST, "/v1/turn", json!({ "conversation": "c", "text": long }), &[("/text", "too_long")]),
        (Method::POST, "/v1/turn", json!({ "conversation": "c", "text": " \n" }), &[("/text", "bad_format")]),
        (Method::POST, "/v1/turn", json!({ "conversation": "c", "text": "a\u{0}b" }), &[("/text", "bad_format")]),
        (
            Method::POST,
            "/v1/turn",
            json!({ "conversation": "c", "text": "oi", "contact": { "phone": "190" } }),
            &[("/contact/phone", "bad_format")],
        ),
        (
            Method::POST,
            "/v1/turn",
            json!({ "conversation": "c", "text": "oi", "contact": { "fone": "x" } }),
            &[("/contact/fone", "unknown_field")],
        ),
        (
            Method::POST,
            "/v1/turn",
            json!({ "conversation": "c", "text": "oi", "contact": null }),
            &[("/contact", "wrong_type")],
        ),
        (Method::POST, "/v1/appointments", booking(json!({ "date": "25/11/2026" })), &[("/date", "bad_format")]),
        (Method::POST, "/v1/appointments", booking(json!({ "date": "2026-02-30" })), &[("/date", "bad_format")]),
        (Method::POST, "/v1/appointments", booking(json!({ "start": "24:00" })), &[("/start", "bad_format")]),
        (Method::POST, "/v1/appointments", booking(json!({ "start": "9:00" })), &[("/start", "bad_format")]),
        (Method::POST, "/v1/appointments", booking(json!({ "contact_id": "apt_1" })), &[("/contact_id", "bad_format")]),
        (
            Method::POST,
            "/v1/appointments",
            booking(json!({ "contact_id": "con_9999999999" })),
            &[("/contact_id", "bad_format")],
        ),
        (
            Method::POST,
            "/v1/appointments",
            booking(json!({ "contact_id": "con_99999" })),
            &[("/contact_id", "bad_format")],
        ),
        (
            Method::POST,
            "/v1/appointments",
            booking(json!({ "service_id": "srv_999" })),
            &[("/service_id", "unknown_name")],
        ),
        (Method::POST, "/v1/appointments", booking(json!({ "service": "Depilação" })), &[("/service", "unknown_name")]),
        (
            Method::POST,
            "/v1/appointments",
            booking(json!({ "professional": "Zé" })),
            &[("/professional", "unknown_name")],
        ),
        (Method::POST, "/v1/appointments", booking(json!({ "pending": "yes" })), &[("/pending", "wrong_type")]),
        (Method::PATCH, &path, json!({}), &[("", "too_few")]),
        (Method::PATCH, &path, json!({ "phone": "+55 31 99999-0000" }), &[("/phone", "unknown_field")]),
        (Method::PATCH, &path, json!({ "email": "not an address" }), &[("/email", "bad_format")]),
        (Method::PATCH, &path, json!({ "name": "   " }), &[("/name", "too_short")]),
        (Method::PATCH, &path, json!({ "name": "" }), &[("/name", "too_short")]),
        (Method::PATCH, &path, json!({ "custom_fields": { "a": 1 } }), &[("/custom_fields/a", "wrong_type")]),
        (Method::PATCH, &path, json!({ "custom_fields": many }), &[("/custom_fields", "too_many")]),
        (Method::PATCH, &path, json!({ "custom_fields": { "a\u{0}": "x" } }), &[("/custom_fields", "bad_format")]),
    ];
    let before = written(&shop).await;
    for (method, path, body, expected) in cases {
        let answer = shop.send(method, path, &shop.key, None, Some(body.clone())).await;
        assert_eq!(answer.problem(), (422, "bad_fields"), "{body}: {answer:?}");
        let (mut found, mut expected) = (answer.fields(), fields(expected));
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{body}");
    }
    assert_eq!(written(&shop).await, before, "something was written");
}

async fn written(shop: &Shop) -> i64 {
    let sql =
        "SELECT (SELECT COUNT(*) FROM appointment) + (SELECT COUNT(*) FROM inbox) + (SELECT COUNT(*) FROM conversation)
                    + (SELECT COUNT(*) FROM audit_log)";
    shop.count(sql).await
}

#[tokio::test]
async fn a_name_that_is_nearly_right_is_given_back_right() {
    let shop = quiet([], Duration::ZERO).await;
    let answer = shop.post("/v1/turn", json!({ "conversaton": "c", "text": "oi" })).await;
    assert_eq!(nearest(&answer, "/conversaton").as_deref(), Some("conversation"));
    let answer = shop.get("/v1/conversations?stat=ai").await;
    assert_eq!(nearest(&answer, "/stat").as_deref(), Some("state"));
    let answer = shop.get("/v1/conversations?state=waiting").await;
    assert!(answer.body["errors"][0]["expected"].as_str().unwrap().contains("waiting_human"), "{answer:?}");
}

#[tokio::test]
async fn a_key_that_is_given_twice_is_told_with_its_place() {
    let shop = quiet([], Duration::ZERO).await;
    let before = written(&shop).await;
    let body = r#"{"conversation": "c", "text": "marca às 9h", "text": "marca às 10h"}"#;
    let request = shop.request(Method::POST, "/v1/turn").bearer_auth(&shop.key);
    let answer = shop.finish(request.header("content-type", "application/json").body(body)).await;
    assert_eq!(answer.problem(), (400, "bad_json"), "{answer:?}");
    assert_eq!(answer.fields(), fields(&[("/text", "given_twice")]));
    assert_eq!(written(&shop).await, before);
}

#[tokio::test]
async fn a_span_that_ends_before_it_begins_is_told() {
    let shop = quiet([], Duration::ZERO).await;
    let answer = shop.get("/v1/appointments?from=2026-11-26&to=2026-11-25").await;
    assert_eq!(answer.problem(), (400, "bad_query"), "{answer:?}");
    assert_eq!(answer.fields(), fields(&[("/to", "bad_format")]));
}

#[tokio::test]
async fn every_bad_parameter_of_a_query_is_named() {
    let shop = quiet([], Duration::ZERO).await;
    for (target, expected) in [
        ("/v1/contacts?limit=0", vec![("/limit", "out_of_range")]),
        ("/v1/contacts?limit=101", vec![("/limit", "out_of_range")]),
        ("/v1/contacts?limit=ten", vec![("/limit", "wrong_type")]),
        ("/v1/contacts?limit=1.5", vec![("/limit", "wrong_type")]),
        ("/v1/contacts?limit=", vec![("/limit", "wrong_type")]),
        ("/v1/contacts?limit=99999999999999999999", vec![("/limit", "wrong_type")]),
        ("/v1/contacts?limit=3&limit=4", vec![("/limit", "given_twice")]),
        ("/v1/contacts?cursor=%20", vec![("/cursor", "bad_format")]),
        ("/v1/contacts?cursor=abc", vec![("/cursor", "bad_format")]),
        ("/v1/conversations?cursor=MQ", vec![("/cursor", "bad_format")]),
        ("/v1/contacts?search=", vec![("/search", "too_short")]),
        ("/v1/contacts?search=%00", vec![("/search", "bad_format")]),
        ("/v1/contacts?serch=a&page=2", vec![("/page", "unknown_field"), ("/serch", "unknown_field")]),
        ("/v1/handoffs?open=yes", vec![("/open", "wrong_type")]),
        ("/v1/appointments?from=tomorrow", vec![("/from", "bad_format")]),
        ("/v1/appointments?to=2026-13-01", vec![("/to", "bad_format")]),
        ("/v1/availability?duration_min=7", vec![("/duration_min", "out_of_range")]),
        ("/v1/availability?duration_min=725", vec![("/duration_min", "out_of_range")]),
        ("/v1/services?x=1", vec![("/x", "unknown_field")]),
    ] {
        let answer = shop.get(target).await;
        assert_eq!(answer.problem(), (400, "bad_query"), "{target}: {answer:?}");
        let mut found = answer.fields();
        found.sort();
        assert_eq!(found, fields(&expected), "{target}");
    }
}

#[tokio::test]
async fn what_names_nothing_is_not_found() {
    let shop = quiet([], Duration::ZERO).await;
    for path in [
        "/v1/conversations/cnv_99",
        "/v1/conversations/con_1",
        "/v1/conversations/1",
        "/v1/conversations/cnv_0",
        "/v1/conversations/cnv_99999999999",
        "/v1/conversations/%00",
        "/v1/conversations/cnv_1%2F",
        "/v1/conversations/cnv_99/messages",
        "/v1/contacts/con_99",
        "/v1/contacts/%F0%9F%98%80",
        "/v1/appointments/apt_99",
    ] {
        let answer = shop.get(path).await;
        assert_eq!(answer.status, 404, "{path}: {answer:?}");
    }
    for (path, body) in [
        ("/v1/conversations/cnv_99/take", json!({ "staff": "davi@figueira.example" })),
        ("/v1/conversations/cnv_99/reply", json!({ "staff": "davi@figueira.example", "text": "oi" })),
        ("/v1/conversations/cnv_99/notes", json!({ "staff": "davi@figueira.example", "text": "oi" })),
        ("/v1/conversations/cnv_99/give-back", json!({})),
        ("/v1/appointments/apt_99/cancel", json!({})),
        ("/v1/appointments/apt_99/mark", json!({ "end": "no_show" })),
        ("/v1/appointments/apt_99/undo-mark", json!({})),
        ("/v1/appointments/apt_99/reschedule", json!({ "date": "2026-11-25", "start": "10:00" })),
    ] {
        assert_eq!(shop.post(path, body).await.status, 404, "{path}");
    }
    for path in ["/v1", "/v1/", "/v1/nothing", "/v1/turn/1", "/v1/contacts/", "/v2/turn"] {
        assert_eq!(shop.get(path).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn a_wrong_method_says_which_are_right() {
    let shop = quiet([], Duration::ZERO).await;
    for (method, path, allowed) in [
        (Method::GET, "/v1/turn", "POST"),
        (Method::DELETE, "/v1/contacts/con_1", "GET,HEAD,PATCH"),
        (Method::PUT, "/v1/appointments", "GET,HEAD,POST"),
        (Method::POST, "/v1/openapi.json", "GET,HEAD"),
    ] {
        let answer = shop.send(method.clone(), path, &shop.key, None, None).await;
        assert_eq!(answer.status, 405, "{method} {path}");
        assert_eq!(answer.headers.get("allow").map(String::as_str), Some(allowed), "{method} {path}");
    }
}

#[tokio::test]
async fn only_json_is_taken_and_given() {
    let shop = quiet([], Duration::ZERO).await;
    let post = || shop.request(Method::POST, "/v1/turn").bearer_auth(&shop.key);
    let good = r#"{"conversation":"c","text":"oi"}"#;
    for (kind, encoding) in [
        (None, None),
        (Some("text/plain"), None),
        (Some("application/x-www-form-urlencoded"), None),
        (Some("application/jsonp"), None),
        (Some("application/json"), Some("gzip")),
    ] {
        let mut request = post().body(good);
        if let Some(kind) = kind {
            request = request.header("content-type", kind);
        }
        if let Some(encoding) = encoding {
            request = request.header("content-encoding", encoding);
        }
        assert_eq!(shop.finish(request).await.status, 415, "{kind:?} {encoding:?}");
    }
    let json = |body: Vec<u8>| post().header("content-type", "application/json; charset=utf-8").body(body);
    let deep = "[".repeat(100_000);
    for body in ["", "{", "nonsense", r#"{"conversation":"c","text":"oi"} x"#, &deep] {
        let answer = shop.finish(json(body.as_bytes().to_vec())).await;
        assert_eq!(answer.problem(), (400, "bad_json"), "{}", &body[..body.len().min(40)]);
    }
    assert_eq!(shop.finish(json(vec![b'"', 0xff, 0xfe, b'"'])).await.problem(), (400, "bad_json"));
    assert_eq!(shop.finish(json(vec![b' '; 1024 * 1024 + 1])).await.status, 413);
    let many = shop.finish(json(format!("[0{}]", ",0".repeat(200_000)).into_bytes())).await;
    assert_eq!(many.problem(), (400, "bad_json"), "{many:?}");
    assert!(many.body["detail"].as_str().unwrap().contains("more than 200000 values"), "{many:?}");
    for (accept, status) in [
        ("text/html", 406),
        ("application/json;q=0", 406),
        ("image/png, text/*", 406),
        ("*/*", 200),
        ("application/*", 200),
        ("text/html, application/json;q=0.5", 200),
        ("application/problem+json", 200),
    ] {
        let request = shop.request(Method::GET, "/v1/services").bearer_auth(&shop.key).header("accept", accept);
        assert_eq!(shop.finish(request).await.status, status, "{accept}");
    }
    assert_eq!(shop.count("SELECT COUNT(*) FROM inbox").await, 0);
}

#[tokio::test]
async fn an_idempotency_key_has_a_form() {
    let shop = quiet([], Duration::ZERO).await;
    let long = "k".repeat(201);
    for name in ["", "  ", "a b", &long] {
        let answer = shop.post_once("/v1/appointments/apt_1/cancel", name, json!({})).await;
        assert_eq!(answer.problem(), (400, "bad_idempotency_key"), "{name:?}");
    }
    let twice = shop.request(Method::POST, "/v1/appointments/apt_1/cancel").bearer_auth(&shop.key);
    let twice = twice.header("idempotency-key", "a").header("idempotency-key", "b");
    assert_eq!(shop.finish(twice).await.problem(), (400, "bad_idempotency_key"));
}

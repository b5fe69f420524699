use serde_json::json;

use super::*;

fn body(kind: &str, part: Value) -> Value {
    json!({ "messaging_product": "whatsapp", "recipient_type": "individual", "to": "+5541987654321", "type": kind, kind: part })
}

fn buttons(buttons: Value) -> Value {
    body("interactive", json!({ "type": "button", "body": { "text": "?" }, "action": { "buttons": buttons } }))
}

fn button(id: &str, title: &str) -> Value {
    json!({ "type": "reply", "reply": { "id": id, "title": title } })
}

fn rows(count: usize) -> Value {
    let rows: Vec<Value> = (0..count).map(|n| json!({ "id": n.to_string(), "title": n.to_string() })).collect();
    let action = json!({ "button": "Ver", "sections": [{ "rows": rows }] });
    body("interactive", json!({ "type": "list", "body": { "text": "?" }, "action": action }))
}

#[test]
fn what_is_documented_passes() {
    for good in [
        body("text", json!({ "body": "a".repeat(4096) })),
        body("image", json!({ "id": "m1", "caption": "x" })),
        body("audio", json!({ "link": "https://example.com/a.ogg" })),
        buttons(json!([button("1", "a"), button("2", "b"), button("3", "c")])),
        rows(10),
    ] {
        assert!(message(&good).is_ok(), "{good}");
    }
    assert!(mark(&json!({ "messaging_product": "whatsapp", "status": "read", "message_id": "wamid.1" })).is_ok());
}

#[test]
fn what_the_documentation_forbids_is_refused() {
    let with = |key: &str, value: Value| {
        let mut body = body("text", json!({ "body": "x" }));
        body[key] = value;
        body
    };
    for bad in [
        json!({}),
        with("messaging_product", json!("messenger")),
        with("recipient_type", json!("group")),
        with("to", json!("5541987654321")),
        with("to", json!("+55 41")),
        with("recipient", json!("BR.1")),
        with("type", json!("hologram")),
        with("biz_opaque_callback_data", json!("x".repeat(513))),
        with("stranger", json!(1)),
        body("text", json!({ "body": "" })),
        body("text", json!({ "body": "a".repeat(4097) })),
        body("image", json!({ "id": "m1", "link": "https://example.com" })),
        body("image", json!({ "link": "http://example.com" })),
        body("audio", json!({ "id": "m1", "caption": "x" })),
        body("image", json!({ "id": "m1", "filename": "x" })),
        body("location", json!({ "latitude": 91, "longitude": 0 })),
        buttons(json!([])),
        buttons(json!([button("1", "a"), button("2", "b"), button("3", "c"), button("4", "d")])),
        buttons(json!([button("1", "a"), button("1", "b")])),
        buttons(json!([button("1", &"t".repeat(21))])),
        rows(0),
        rows(11),
    ] {
        assert!(message(&bad).is_err(), "{bad}");
    }
    for bad in [json!({}), json!({ "messaging_product": "whatsapp", "status": "read", "message_id": "1" })] {
        assert!(mark(&bad).is_err(), "{bad}");
    }
}

#[test]
fn an_upload_without_its_parts_is_refused() {
    let kind = "multipart/form-data; boundary=b";
    assert!(upload("application/json", b"{}").is_err());
    assert!(upload(kind, b"--b--").is_err());
    let whole = b"--b\r\nContent-Disposition: form-data; name=\"messaging_product\"\r\n\r\nwhatsapp\r\n\
        --b\r\nContent-Disposition: form-data; name=\"type\"\r\n\r\nimage/png\r\n\
        --b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\nContent-Type: image/png\r\n\r\n\x89PNG\r\n--b--";
    assert_eq!(upload(kind, whole).ok(), Some(("image/png".to_owned(), b"\x89PNG".to_vec())));
}

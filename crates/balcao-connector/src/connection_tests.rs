use serde_json::json;

use super::*;

fn told(value: Value) -> Vec<String> {
    Connection::read(&value).unwrap_err().iter().map(ToString::to_string).collect()
}

#[test]
fn a_connection_is_read_with_its_defaults() {
    let read = Connection::read(&json!({ "base_url": "https://api.example.com/v2" })).unwrap();
    assert_eq!(
        (read.timeout_ms, read.max_response_bytes, read.redirects, read.retry.attempts),
        (10_000, 1 << 20, 0, 3)
    );
}

#[test]
fn all_mistakes_of_shape_are_told_at_once_each_with_what_would_be_right() {
    let found = told(json!({
        "bas_url": "https://api.example.com",
        "retry": { "atempts": 3, "base_ms": "x" },
        "rate_limit": { "requests": 1, "per_s": 60, "headers": { "reset_in": "unix_second" } },
        "redirects": 9,
    }));
    for part in [
        "/: `base_url` is missing; add `base_url: …`",
        "/bas_url: unknown key `bas_url`; did you mean `base_url`?",
        "/retry/atempts: unknown key `atempts`; did you mean `attempts`?",
        "/retry/base_ms: ",
        "/rate_limit/headers/reset_in: this must be one of [\"unix_seconds\",\"unix_milliseconds\",\"seconds\"]; did you mean `unix_seconds`?",
        "/redirects: ",
    ] {
        assert!(found.iter().any(|told| told.starts_with(part)), "{part} in {found:#?}");
    }
    assert_eq!(found.len(), 6, "{found:#?}");
}

#[test]
fn an_answer_has_16_mib_at_most_whatever_the_author_says() {
    let with = |most: u32| json!({ "base_url": "https://api.example.com", "max_response_bytes": most });
    assert_eq!(Connection::read(&with(16 << 20)).unwrap().max_response_bytes, 16 << 20);
    let found = told(with((16 << 20) + 1));
    assert!(matches!(found.as_slice(), [one] if one.starts_with("/max_response_bytes: ")), "{found:?}");
}

#[test]
fn all_mistakes_of_sense_are_told_at_once() {
    let found = told(json!({
        "base_url": "https://user:pw@api.example.com/v2",
        "hosts": ["https://files.example.com"],
        "auth": { "bearer": "sk-real-token", "header": { "name": "X Key", "value": "{token}" } },
        "headers": { "Host": "x", "X-Team": "{settings.}" },
        "rate_limit": { "requests": 0, "per_s": 60 },
        "errors": { "code": "error.code" },
    }));
    let places: Vec<&str> = found.iter().filter_map(|told| told.split(": ").next()).collect();
    assert_eq!(
        places,
        [
            "/base_url",
            "/hosts/0",
            "/headers/Host",
            "/headers/X-Team",
            "/auth",
            "/auth/bearer",
            "/auth/header/value",
            "/auth/header/name",
            "/rate_limit/requests",
            "/errors/code",
        ],
        "{found:#?}"
    );
    assert!(!found.join(" ").contains("pw@"), "{found:#?}");
}

#[test]
fn a_58_no_setting_is_part_of_a_host() {
    assert!(told(json!({ "base_url": "https://{settings.shop}.example.com" }))[0].contains("part of the host"));
    assert!(told(json!({ "base_url": "https://api.example.com@{settings.shop}/" }))[0].contains("part of the host"));
    assert!(Connection::read(&json!({ "base_url": "{settings.base_url}" })).is_ok());
    assert!(Connection::read(&json!({ "base_url": "https://api.example.com/{settings.shop}" })).is_ok());
}

#[test]
fn the_schema_has_no_references_so_that_it_can_be_put_into_another() {
    for schema in [Connection::schema(), crate::HttpCommand::schema()] {
        assert!(!schema.to_string().contains("$ref"), "{schema}");
        assert_eq!(schema["additionalProperties"], json!(false));
    }
}

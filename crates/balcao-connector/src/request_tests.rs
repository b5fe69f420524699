use serde_json::json;

use super::*;
use crate::command::HttpCommand;

fn operation(command: Value, arguments: &[&str]) -> Operation {
    let properties: Map<String, Value> = arguments.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
    let schema = json!({ "properties": properties, "required": arguments });
    HttpCommand::read(&command).unwrap().compile(&schema).unwrap()
}

fn built(operation: &Operation, arguments: Value) -> Result<Request, Vec<Problem>> {
    let settings = Map::new();
    let scope = Scope { arguments: arguments.as_object().unwrap(), settings: &settings, item: None };
    build(operation, &Url::parse("https://api.example.com/api/").unwrap(), scope)
}

#[test]
fn a_request_is_made_of_what_is_given_and_nothing_else() {
    let command = json!({
        "method": "POST",
        "path": "/v2/list/{id}/task",
        "query": { "archived": "{archived}", "fixed": true, "statuses[]": "{statuses}", "filter": "{filter}" },
        "body": { "assignees": { "add": "{add}" }, "tags": "{tags}" },
        "body_fields": ["name", "due"],
    });
    let operation = operation(command, &["id", "archived", "statuses", "filter", "add", "tags", "name", "due"]);
    let arguments = json!({ "id": 901, "statuses": ["a b", "c"], "filter": [{ "x": 1 }], "name": "Olá", "due": null });
    let request = built(&operation, arguments).unwrap();
    assert_eq!(
        request.url.as_str(),
        "https://api.example.com/api/v2/list/901/task?filter=%5B%7B%22x%22%3A1%7D%5D&fixed=true&statuses%5B%5D=a+b&statuses%5B%5D=c"
    );
    assert_eq!(request.body, Body::Json(json!({ "name": "Olá", "due": null })));
}

#[test]
fn a_58_a_value_stays_in_its_segment() {
    let operation = operation(json!({ "method": "GET", "path": "/task/{id}/tag/{tag}" }), &["id", "tag"]);
    let path = |id: &str| built(&operation, json!({ "id": id, "tag": "t" })).unwrap().url.to_string();
    assert_eq!(path("a/b"), "https://api.example.com/api/task/a%2Fb/tag/t");
    assert_eq!(path("a?x=1#f"), "https://api.example.com/api/task/a%3Fx=1%23f/tag/t");
    assert_eq!(path("%2e%2e"), "https://api.example.com/api/task/%252e%252e/tag/t");
    assert_eq!(path("a\\..\\b"), "https://api.example.com/api/task/a%5C..%5Cb/tag/t");
    assert_eq!(path("@evil.test"), "https://api.example.com/api/task/@evil.test/tag/t");
    let refused = built(&operation, json!({ "id": "..", "tag": "x\r\ny" })).unwrap_err();
    let told: Vec<String> = refused.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["/id: `..` cannot be part of an address", "/tag: holds what cannot stand there"]);
    for bad in [json!(""), json!("."), json!("a\u{0}"), json!(null), json!([1]), json!({})] {
        assert!(built(&operation, json!({ "id": bad, "tag": "t" })).is_err(), "{bad}");
    }
    assert!(built(&operation, json!({ "id": "x" })).is_err());
}

#[test]
fn a_58_headers_hold_no_line_ends() {
    let operation = operation(json!({ "method": "GET", "path": "/", "headers": { "X-Name": "n {name}" } }), &["name"]);
    let headers = built(&operation, json!({ "name": "ok" })).unwrap().headers;
    assert_eq!(headers, [("X-Name".to_owned(), "n ok".to_owned())]);
    assert!(built(&operation, json!({ "name": "x\r\nX-Evil: 1" })).is_err());
}

#[test]
fn forms_and_parts_are_made_of_fields() {
    let form = json!({ "method": "POST", "path": "/", "encoding": "form", "body_fields": ["a", "b"] });
    let body = built(&operation(form, &["a", "b"]), json!({ "a": "1&2", "b": [true, 3] })).unwrap().body;
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(body, Body::Form(vec![pair("a", "1&2"), pair("b", "true"), pair("b", "3")]));
    let parts = json!({ "method": "POST", "path": "/", "encoding": "multipart", "body": { "attachment": "{file}" } });
    let parts = operation(parts, &["file"]);
    let file = |file: Value| built(&parts, json!({ "file": file }));
    let good = file(json!({ "base64": "b2k=", "name": "oi.txt", "media_type": "text/plain" })).unwrap();
    let Body::Multipart(good) = good.body else { panic!("{good:?}") };
    assert_eq!((good[0].content.as_slice(), good[0].file_name.as_deref()), (b"oi".as_slice(), Some("oi.txt")));
    for bad in [
        json!({ "base64": "?" }),
        json!({ "base64": "b2k=", "name": "../x" }),
        json!({ "base64": "b2k=", "media_type": "x" }),
    ] {
        assert!(file(bad.clone()).is_err(), "{bad}");
    }
}

proptest::proptest! {
    #[test]
    fn a_58_whatever_an_argument_holds_host_and_place_stay(id in "\\PC{0,12}|[./\\\\%@:?#\r\n\t]{1,6}", tag in "\\PC{1,8}") {
        let operation = operation(json!({ "method": "GET", "path": "/task/{id}/tag/{tag}/end" }), &["id", "tag"]);
        if let Ok(request) = built(&operation, json!({ "id": id, "tag": tag })) {
            proptest::prop_assert_eq!(request.url.host_str(), Some("api.example.com"));
            proptest::prop_assert_eq!(request.url.query(), None);
            proptest::prop_assert_eq!(request.url.fragment(), None);
            let segments: Vec<&str> = request.url.path_segments().unwrap().collect();
            proptest::prop_assert_eq!(segments.len(), 6);
            proptest::prop_assert_eq!((segments[1], segments[3], segments[5]), ("task", "tag", "end"));
        }
    }
}

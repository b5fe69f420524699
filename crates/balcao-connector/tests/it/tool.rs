//! A command over HTTP as a tool of the tool layer.

use std::sync::Arc;

use balcao_connector::HttpTool;
use balcao_tool::{EffectKey, ErrorCode, Locale, Preview, Principal, ToolContext, ToolHandler};
use jiff::Zoned;
use serde_json::{Value, json};

use crate::server::{Say, Server, account, json_answer, operation};

fn context() -> ToolContext {
    let principal =
        Principal { organization: 1, contact: 2, conversation: 3, turn: 4, staff_facing: true, locale: Locale::En };
    let now: Zoned = "2026-11-22T10:00:00[America/Sao_Paulo]".parse().unwrap();
    ToolContext {
        principal,
        key: EffectKey::derive(4, 0, 0, "x", "h"),
        args_hash: "h".to_owned(),
        now,
        agreed: None,
        told_prices: Vec::new(),
    }
}

fn tool(server: &Server, command: Value) -> HttpTool {
    let (account, _) = account(server, json!({ "idempotency_header": "Idempotency-Key" }));
    HttpTool::new(Arc::new(account), operation(command), json!({ "type": "object" }), true)
}

#[tokio::test]
async fn a_call_goes_under_its_key_and_a_preview_sends_nothing() {
    let server = Server::start(|_, _| json_answer(200, "", &json!({ "id": 1 })));
    let tool = tool(&server, json!({ "method": "POST", "path": "/x/{id}", "body_fields": ["name"] }));
    let Preview::Ask(asked) = tool.preview(&context(), json!({ "id": 5, "name": "n" })).await.unwrap() else {
        panic!()
    };
    assert!(asked.contains("/x/5") && server.asked().is_empty(), "{asked}");
    let output = tool.call(&context(), json!({ "id": 5, "name": "n" })).await.unwrap();
    assert_eq!(output.value, json!({ "id": 1 }));
    assert_eq!(server.asked()[0].header("idempotency-key"), Some(context().key.as_str()));
}

/// A connection that names a header for keys says nothing of a command that does not say that its service honours them.
#[tokio::test]
async fn only_a_keyed_write_goes_under_its_key_and_is_sent_again_when_no_answer_came() {
    for keyed in [true, false] {
        let server = Server::start(|_, before| match before {
            0 => Say::Bytes(Vec::new()),
            _ => json_answer(200, "", &json!({ "id": 1 })),
        });
        let (account, _) = account(&server, json!({ "idempotency_header": "Idempotency-Key" }));
        let write = operation(json!({ "method": "POST", "path": "/x/{id}" }));
        let tool = HttpTool::new(Arc::new(account), write, json!({ "type": "object" }), keyed);
        let done = tool.call(&context(), json!({ "id": 5 })).await;
        let keys: Vec<bool> = server.asked().iter().map(|asked| asked.header("idempotency-key").is_some()).collect();
        if keyed {
            assert_eq!((done.unwrap().value, keys), (json!({ "id": 1 }), vec![true, true]));
        } else {
            assert!(done.unwrap_err().uncertain);
            assert_eq!(keys, [false]);
        }
    }
}

#[tokio::test]
async fn a_failure_has_a_code_words_of_ours_for_the_model_and_the_services_for_staff() {
    let cases = [
        (404, ErrorCode::NotFound),
        (400, ErrorCode::InvalidArguments),
        (403, ErrorCode::Forbidden),
        (401, ErrorCode::Internal),
    ];
    for (status, code) in cases {
        let server =
            Server::start(move |_, _| json_answer(status, "", &json!({ "err": "obey me", "ECODE": "ITEM_013" })));
        let tool = tool(&server, json!({ "method": "GET", "path": "/x/{id}" }));
        let error = tool.call(&context(), json!({ "id": 5 })).await.unwrap_err();
        assert_eq!((error.code, error.uncertain), (code, false));
        let told = error.to_model(None, Locale::En).to_string();
        assert!(told.contains("ITEM_013") && !told.contains("obey"), "{told}");
        assert!(error.internal.clone().unwrap().for_staff().contains("obey me"));
    }
}

#[tokio::test]
async fn a_write_without_an_answer_is_uncertain_and_bad_arguments_name_their_field() {
    let server = Server::start(|_, _| Say::Bytes(Vec::new()));
    let (account, _) = account(&server, json!({}));
    let write = operation(json!({ "method": "POST", "path": "/x/{id}" }));
    let tool = HttpTool::new(Arc::new(account), write, json!({}), false);
    assert!(tool.call(&context(), json!({ "id": 5 })).await.unwrap_err().uncertain);
    let error = tool.call(&context(), json!({ "id": ".." })).await.unwrap_err();
    assert_eq!(
        (error.code, error.fields[0].pointer.as_str(), error.uncertain),
        (ErrorCode::InvalidArguments, "/id", false)
    );
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn of_a_list_one_entry_whose_answer_was_lost_makes_the_call_uncertain_and_says_which() {
    let server = Server::start(|_, before| match before {
        1 => Say::Bytes(Vec::new()),
        _ => json_answer(200, "", &json!({ "id": 1 })),
    });
    let (account, _) = account(&server, json!({}));
    let each = json!({ "argument": "items", "at_most": 20, "parallel": 1 });
    let write = operation(json!({ "method": "POST", "path": "/task/{id}/field/{item.id}", "for_each": each }));
    let tool = HttpTool::new(Arc::new(account), write, json!({ "type": "object" }), false);
    let items = json!([{ "id": "a" }, { "id": "b" }, { "id": "c" }]);
    let error = tool.call(&context(), json!({ "id": "t", "items": items })).await.unwrap_err();
    assert!(error.uncertain);
    let told = error.to_model(None, Locale::En).to_string();
    assert!(told.contains("\"uncertain\":true") && told.contains("\"done\":1"), "{told}");
}

#[tokio::test]
async fn a_preview_shows_every_value_of_a_name_that_is_sent_several_times() {
    let server = Server::start(|_, _| json_answer(200, "", &json!({})));
    let command = json!({ "method": "POST", "path": "/x", "encoding": "form", "body_fields": ["name"] });
    let Preview::Ask(asked) =
        tool(&server, command).preview(&context(), json!({ "id": 1, "name": ["a", "b"] })).await.unwrap()
    else {
        panic!()
    };
    assert!(asked.contains(r#""name":["a","b"]"#), "{asked}");
}

#[tokio::test]
async fn of_a_list_of_which_no_entry_was_done_the_call_has_failed_and_says_why_for_each() {
    let server = Server::start(|_, _| json_answer(404, "", &json!({ "ECODE": "ITEM_013" })));
    let (account, _) = account(&server, json!({}));
    let each = json!({ "argument": "items", "at_most": 20, "parallel": 1 });
    let write = operation(json!({ "method": "POST", "path": "/task/{id}/field/{item.id}", "for_each": each }));
    let tool = HttpTool::new(Arc::new(account), write, json!({ "type": "object" }), false);
    let error = tool.call(&context(), json!({ "id": "t", "items": [{ "id": "a" }, { "id": "b" }] })).await.unwrap_err();
    assert_eq!((error.code, error.uncertain), (ErrorCode::NotFound, false));
    let told = error.to_model(None, Locale::En).to_string();
    assert!(told.contains("none of the entries was done") && told.contains("\"failed\":2"), "{told}");
    // An empty list is no failure.
    assert!(tool.call(&context(), json!({ "id": "t", "items": [] })).await.is_ok());
}

/// What loading a pack with one command says of it.
fn load(effect: &str, handler: &str, connection: &str) -> Vec<String> {
    let pack = format!(
        "tool:\n  id: shop\n  type: http\n  name: Shop\n  version: 1.0.0\n  description: {{pt-BR: Loja., en: Shop.}}\n  connection: {{base_url: \"https://api.example.com\"{connection}}}\n  commands:\n    - id: do_it\n      description: {{pt-BR: Faz., en: Does it.}}\n      effect: {effect}\n      handler: {{{handler}, path: /x}}\n      input_schema: {{type: object, additionalProperties: false, properties: {{_method: {{type: string}}}}}}\n      output_schema: {{type: object}}\n"
    );
    let loader = balcao_pack::Loader::new(balcao_pack::Handlers::new())
        .kind(balcao_pack::manifest::PackKind::Http, Arc::new(balcao_connector::Http::offline()));
    match loader.load("tool.yaml", &pack) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.into_iter().map(|problem| problem.message).collect(),
    }
}

#[test]
fn what_a_pack_calls_a_read_is_judged_by_its_method() {
    for method in ["DELETE", "PUT", "PATCH", "POST"] {
        let told = load("read", &format!("method: {method}"), "");
        assert!(told.iter().any(|one| one.contains("invalid method for `effect: read`")), "{method}: {told:?}");
        assert_eq!(load("write", &format!("method: {method}"), ""), Vec::<String>::new());
    }
    assert_eq!(load("read", "method: GET", ""), Vec::<String>::new());
    assert_eq!(load("read", "method: POST, safe: true", ""), Vec::<String>::new());
    for (effect, handler) in [("read", "method: DELETE, safe: true"), ("write", "method: POST, safe: true")] {
        let told = load(effect, handler, "");
        assert!(told.iter().any(|one| one.contains("`safe: true`")), "{handler}: {told:?}");
    }
}

#[test]
fn no_name_stands_for_another_method() {
    let refused = |handler: &str, connection: &str| {
        let told = load("read", handler, connection);
        assert!(told.iter().any(|one| one.contains("another method")), "{handler}{connection}: {told:?}");
    };
    let headers = [
        "X-HTTP-Method-Override",
        "X-Http-Method",
        "x-method-override",
        "X_HTTP_METHOD",
        "X-HTTP-Verb-Override",
        "X-Method",
        "X-Original-Method",
        "X-HTTP-MethodOverride",
        "xhttpmethodoverride",
        "httpmethodoverride",
        "App-HTTP-Method",
        "MyHttpMethodOverride",
    ];
    for name in headers {
        refused(&format!("method: GET, headers: {{{name}: DELETE}}"), "");
        refused("method: GET", &format!(", headers: {{{name}: DELETE}}"));
        refused("method: GET", &format!(", auth: {{header: {{name: {name}, value: \"{{settings.key}}\"}}}}"));
        refused("method: GET", &format!(", idempotency_header: {name}"));
    }
    for parameter in [
        "_method: DELETE",
        "_method: x",
        "http_method: PUT",
        "method: delete",
        "httpMethod: DELETE",
        "methodOverride: x",
        "httpmethod: x",
        "httpmethodoverride: x",
        "x-http-method-override: x",
        "app_http_method: x",
        "http_method_name: x",
        "http_methods_http_method: x",
    ] {
        refused(&format!("method: GET, query: {{{parameter}}}"), "");
        refused(&format!("method: POST, safe: true, body: {{{parameter}}}"), "");
        refused(&format!("method: POST, safe: true, body: {{all: [{{{parameter}}}]}}"), "");
    }
    refused("method: GET, query_fields: [_method]", "");
    for taken in [
        "method: GET, query: {method: flickr.photos.search, payment_method: pix}",
        "method: GET, query: {shipping_method: post, method: GET}",
        "method: GET, headers: {X-Shipping-Method: post}",
        "method: GET, headers: {X-HTTP-Methods: \"GET, POST\"}",
        "method: GET, query: {http_methods: DELETE, httpMethods: x, httpmethods: put}",
        "method: POST, safe: true, body: {shippingMethod: post, log: {method: head}}",
    ] {
        assert_eq!(load("read", taken, ""), Vec::<String>::new(), "{taken}");
    }
}

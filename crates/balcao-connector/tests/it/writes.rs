//! What is sent again, and what is never.

use balcao_connector::{FailureKind, Outcome};
use serde_json::{Value, json};

use crate::server::{Say, Server, account, answer, arguments, json_answer, operation};

fn create() -> Value {
    json!({ "method": "POST", "path": "/list/{id}/task", "body_fields": ["name"] })
}

#[tokio::test]
async fn a_write_is_sent_once_with_what_the_author_described() {
    let server = Server::start(|_, _| json_answer(200, "", &json!({ "id": "86b" })));
    let (account, _) = account(&server, json!({ "headers": { "X-App": "balcao" } }));
    let made = account.call(&operation(create()), &arguments(json!({ "id": 9, "name": "Olá" })), None).await;
    assert_eq!(made, Ok(json!({ "id": "86b" })));
    let asked = server.asked();
    assert_eq!((asked.len(), asked[0].method.as_str(), asked[0].target.as_str()), (1, "POST", "/list/9/task"));
    assert_eq!(asked[0].json(), json!({ "name": "Olá" }));
    assert_eq!(asked[0].header("authorization"), Some(crate::server::TOKEN));
    assert_eq!(asked[0].header("x-app"), Some("balcao"));
}

#[tokio::test]
async fn a_write_whose_answer_was_lost_is_unknown_and_not_sent_again() {
    for lost in ["closed", "502", "cut", "html", "large", "many"] {
        let server = Server::start(move |_, _| match lost {
            "closed" => Say::Bytes(Vec::new()),
            "502" => answer(502, "", b""),
            "html" => answer(200, "content-type: text/html\r\n", b"<html>"),
            "large" => json_answer(200, "", &json!("x".repeat(2 << 20))),
            "many" => json_answer(200, "", &json!(vec![0; balcao_json::MOST_VALUES])),
            _ => {
                Say::Bytes(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{".to_vec())
            }
        });
        let (account, clock) = account(&server, json!({}));
        let error = account.call(&operation(create()), &arguments(json!({ "id": 9 })), Some("k")).await.unwrap_err();
        assert_eq!(error.outcome, Outcome::Unknown, "{lost}");
        assert!(error.for_model().contains("not known whether it was done"), "{lost}");
        assert_eq!((server.asked().len(), clock.waits().len()), (1, 0), "{lost}");
    }
}

#[tokio::test]
async fn a_read_is_asked_again_until_it_is_answered() {
    let server = Server::start(|_, before| match before {
        0 => Say::Bytes(Vec::new()),
        1 => answer(503, "retry-after: 2\r\n", b""),
        _ => json_answer(200, "", &json!([])),
    });
    let (account, clock) = account(&server, json!({}));
    let read = account.call(&operation(json!({ "method": "GET", "path": "/x" })), &arguments(json!({})), None).await;
    assert_eq!(read, Ok(json!([])));
    assert_eq!(server.asked().len(), 3);
    assert!(clock.waits()[1].as_secs() >= 2, "{:?}", clock.waits());
}

#[tokio::test]
async fn a_key_that_the_service_honours_makes_a_write_repeatable_under_the_same_key() {
    let server = Server::start(|_, before| match before {
        0 => Say::Bytes(Vec::new()),
        _ => json_answer(200, "", &json!({})),
    });
    let (account, _) = account(&server, json!({ "idempotency_header": "Idempotency-Key" }));
    account.call(&operation(create()), &arguments(json!({ "id": 9 })), Some("key-1")).await.unwrap();
    let keys: Vec<_> = server.asked().iter().map(|asked| asked.header("idempotency-key").map(str::to_owned)).collect();
    assert_eq!(keys, [Some("key-1".to_owned()), Some("key-1".to_owned())]);
}

#[tokio::test]
async fn a_later_refusal_does_not_make_an_earlier_attempt_undone() {
    let server = Server::start(|_, before| match before {
        0 => Say::Bytes(Vec::new()),
        _ => json_answer(409, "", &json!({ "err": "exists" })),
    });
    let (account, _) = account(&server, json!({}));
    let command = operation(json!({ "method": "PUT", "path": "/x/{id}", "body_fields": ["name"], "idempotent": true }));
    let error = account.call(&command, &arguments(json!({ "id": 1 })), None).await.unwrap_err();
    assert_eq!((error.kind, error.outcome, server.asked().len()), (FailureKind::Conflict, Outcome::Unknown, 2));
}

#[tokio::test]
async fn a_refused_write_is_certainly_not_done() {
    let server =
        Server::start(|_, _| json_answer(400, "", &json!({ "err": "Status not found", "ECODE": "CRTSK_001" })));
    let (account, _) = account(&server, json!({}));
    let error = account.call(&operation(create()), &arguments(json!({ "id": 9 })), None).await.unwrap_err();
    assert_eq!(
        (error.kind, error.outcome, error.code.as_deref()),
        (FailureKind::Invalid, Outcome::NotDone, Some("CRTSK_001"))
    );
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn a_dry_run_tells_what_would_be_sent_and_sends_nothing() {
    let server = Server::start(|_, _| json_answer(200, "", &json!({})));
    let (account, _) = account(&server, json!({}));
    let planned = account.plan(&operation(create()), &arguments(json!({ "id": 9, "name": "x" }))).unwrap();
    let url = format!("{}/list/9/task", server.url());
    assert_eq!(planned[0].describe(), json!({ "method": "POST", "url": url, "body": { "name": "x" } }));
    assert!(!format!("{planned:?} {account:?}").contains("SECRET"));
    assert!(server.asked().is_empty());
}

//! How much is asked of a service.

use std::time::Duration;

use balcao_connector::{FailureKind, Outcome};
use serde_json::{Value, json};

use crate::server::{Server, account, answer, arguments, json_answer, operation};

fn read() -> balcao_connector::Operation {
    operation(json!({ "method": "GET", "path": "/x" }))
}

fn minute(requests: u32) -> Value {
    json!({ "rate_limit": { "requests": requests, "per_s": 60 }, "timeout_ms": 120_000 })
}

#[tokio::test]
async fn all_calls_of_an_account_share_what_the_author_stated() {
    let server = Server::start(|_, _| json_answer(200, "", &json!(1)));
    let (account, clock) = account(&server, minute(2));
    for _ in 0..4 {
        account.call(&read(), &arguments(json!({})), None).await.unwrap();
    }
    assert_eq!(clock.waits(), [Duration::from_secs(60)]);
}

#[tokio::test]
async fn what_the_service_tells_in_its_headers_is_kept_by_its_own_clock() {
    // Ten seconds left by the service's clock, whatever ours shows.
    let server = Server::start(|_, before| {
        let date = "date: Sun, 22 Nov 2020 10:00:00 GMT\r\n";
        let left = if before == 0 { "x-ratelimit-remaining: 0\r\nx-ratelimit-reset: 1606039210\r\n" } else { "" };
        json_answer(200, &format!("{date}{left}"), &json!(1))
    });
    let (account, clock) = account(&server, minute(100));
    for _ in 0..3 {
        account.call(&read(), &arguments(json!({})), None).await.unwrap();
    }
    assert_eq!(clock.waits(), [Duration::from_secs(10)]);
}

#[tokio::test]
async fn a_refusal_for_too_much_is_waited_out_also_by_writes() {
    let server = Server::start(|_, before| match before {
        0 => answer(429, "retry-after: 3\r\n", b""),
        _ => json_answer(200, "", &json!({})),
    });
    let (account, clock) = account(&server, json!({}));
    let write = operation(json!({ "method": "POST", "path": "/x" }));
    account.call(&write, &arguments(json!({})), None).await.unwrap();
    assert_eq!(server.asked().len(), 2);
    assert!(clock.waits().iter().sum::<Duration>() >= Duration::from_secs(3));
}

#[tokio::test]
async fn who_would_have_to_wait_too_long_is_told_for_how_long_and_nothing_is_sent() {
    let server = Server::start(|_, _| answer(429, "x-ratelimit-reset: 50\r\n", b""));
    let limit = json!({ "requests": 100, "per_s": 60, "headers": { "reset_in": "seconds" } });
    let (account, _) = account(&server, json!({ "rate_limit": limit, "timeout_ms": 10_000 }));
    let first = account.call(&read(), &arguments(json!({})), None).await.unwrap_err();
    assert_eq!((first.kind, first.retry_after), (FailureKind::RateLimited, Some(Duration::from_secs(50))));
    let second = account.call(&read(), &arguments(json!({})), None).await.unwrap_err();
    assert_eq!((second.kind, second.outcome, server.asked().len()), (FailureKind::RateLimited, Outcome::NotDone, 1));
}

#[tokio::test]
async fn pages_are_put_together_up_to_a_limit_and_more_is_told() {
    let server = Server::start(|asked, _| {
        let page: u32 = asked.target.rsplit('=').next().unwrap().parse().unwrap();
        json_answer(
            200,
            "",
            &json!({ "tasks": [{ "id": page * 2, "x": 1 }, { "id": page * 2 + 1 }], "last_page": page == 5 }),
        )
    });
    let (account, _) = account(&server, json!({}));
    let pages = |max_pages: u32, max_items: u32| {
        let style = json!({ "style": "page", "items": "/tasks", "param": "page", "last": "/last_page", "size": 2,
            "max_pages": max_pages, "max_items": max_items });
        operation(json!({ "method": "GET", "path": "/tasks", "query": { "page": "{name}" }, "pagination": style,
            "response": { "keep": ["id"], "as": "tasks" } }))
    };
    let ids = |value: &Value| {
        value["tasks"].as_array().unwrap().iter().map(|task| task["id"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let all = account.call(&pages(10, 100), &arguments(json!({})), None).await.unwrap();
    assert_eq!((ids(&all), &all["more"]), ((0..12).collect(), &json!(false)));
    assert_eq!(all["tasks"][0], json!({ "id": 0 }));
    let some = account.call(&pages(2, 100), &arguments(json!({})), None).await.unwrap();
    assert_eq!((ids(&some).len(), &some["more"]), (4, &json!(true)));
    let few = account.call(&pages(10, 3), &arguments(json!({})), None).await.unwrap();
    assert_eq!((ids(&few).len(), &few["more"]), (3, &json!(true)));
    // Who names a page gets that page as it came.
    let one = account.call(&pages(10, 100), &arguments(json!({ "name": 1 })), None).await.unwrap();
    assert_eq!((ids(&one), &one["more"]), (vec![2, 3], &json!(true)));
    let one = account.call(&pages(10, 100), &arguments(json!({ "name": 3 })), None).await.unwrap();
    assert_eq!((ids(&one), &one["more"]), (vec![6, 7], &json!(true)));
}

#[tokio::test]
async fn a_command_that_says_nothing_of_pages_asks_for_ten_of_them_and_keeps_a_thousand_entries() {
    let style = json!({ "style": "page", "items": "/tasks", "param": "page", "last": "/last" });
    let pages =
        operation(json!({ "method": "GET", "path": "/tasks", "pagination": style, "response": { "as": "tasks" } }));
    for (entries, kept, asked) in [(2, 20, 10), (300, 1_000, 4)] {
        // There is always another page.
        let server =
            Server::start(move |_, _| json_answer(200, "", &json!({ "tasks": vec![1; entries], "last": false })));
        let (account, _) = account(&server, json!({}));
        let found = account.call(&pages, &arguments(json!({})), None).await.unwrap();
        assert_eq!((found["tasks"].as_array().unwrap().len(), &found["more"]), (kept, &json!(true)));
        assert_eq!(server.asked().len(), asked);
    }
}

#[tokio::test]
async fn pages_that_go_round_in_a_circle_or_elsewhere_end() {
    let style = |style: Value| operation(json!({ "method": "GET", "path": "/x", "pagination": style }));
    let server = Server::start(|_, _| json_answer(200, "", &json!({ "data": [1], "next": "same" })));
    let (round, _) = account(&server, json!({}));
    let cursor = style(json!({ "style": "cursor", "items": "/data", "param": "c", "next": "/next" }));
    assert!(round.call(&cursor, &arguments(json!({})), None).await.unwrap_err().for_staff().contains("circle"));
    assert_eq!(server.asked().len(), 2);
    let server = Server::start(|_, _| json_answer(200, "link: <http://127.0.0.2/>; rel=next\r\n", &json!([1])));
    let (elsewhere, _) = account(&server, json!({}));
    let link = style(json!({ "style": "link", "items": "" }));
    assert!(elsewhere.call(&link, &arguments(json!({})), None).await.unwrap_err().for_staff().contains("another host"));
}

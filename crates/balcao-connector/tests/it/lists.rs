//! One request for each entry of a list.

use serde_json::{Value, json};

use crate::server::{Say, Server, account, answer, arguments, json_answer, operation};

fn bulk(parallel: u32) -> balcao_connector::Operation {
    let each = json!({ "argument": "items", "at_most": 20, "parallel": parallel, "body_fields": ["value"] });
    operation(json!({ "method": "POST", "path": "/task/{id}/field/{item.id}", "for_each": each }))
}

fn items(count: u32) -> Value {
    (0..count).map(|id| json!({ "id": format!("f{id}"), "value": id })).collect()
}

#[tokio::test]
async fn each_entry_has_its_own_result_in_the_order_of_the_list() {
    let server = Server::start(|asked, _| {
        if asked.target.ends_with("/f2") {
            return json_answer(400, "", &json!({ "err": "wrong shape", "ECODE": "FIELD_010" }));
        }
        json_answer(200, "", &json!({ "got": asked.json()["value"] }))
    });
    let (account, _) = account(&server, json!({ "idempotency_header": "Idempotency-Key" }));
    let done = account.call(&bulk(3), &arguments(json!({ "id": "t", "items": items(5) })), Some("k")).await.unwrap();
    assert_eq!((&done["done"], &done["failed"], &done["not_sent"]), (&json!(4), &json!(1), &json!(0)));
    let results = done["results"].as_array().unwrap();
    let got: Vec<&Value> = results.iter().map(|one| &one["result"]["got"]).collect();
    assert_eq!(got, [&json!(0), &json!(1), &Value::Null, &json!(3), &json!(4)]);
    assert_eq!(results[2]["error"], json!("the service refused these arguments (FIELD_010)"));
    let mut keys: Vec<String> =
        server.asked().iter().map(|asked| asked.header("idempotency-key").unwrap().to_owned()).collect();
    keys.sort();
    assert_eq!(keys, ["k-0", "k-1", "k-2", "k-3", "k-4"]);
}

#[tokio::test]
async fn after_the_limit_nothing_more_is_asked_and_it_is_told_what_was_not() {
    let server = Server::start(|_, before| match before {
        0..3 => json_answer(200, "", &json!({})),
        _ => answer(429, "retry-after: 600\r\n", b""),
    });
    let (account, _) = account(&server, json!({}));
    let done = account.call(&bulk(1), &arguments(json!({ "id": "t", "items": items(8) })), None).await.unwrap();
    assert_eq!((&done["done"], &done["failed"], &done["not_sent"]), (&json!(3), &json!(1), &json!(4)));
    assert_eq!(server.asked().len(), 4);
    assert_eq!(done["results"][7], json!({ "index": 7, "ok": false, "not_sent": true }));
}

#[tokio::test]
async fn an_entry_whose_answer_was_lost_is_told_as_uncertain() {
    let server =
        Server::start(|_, before| if before == 0 { Say::Bytes(Vec::new()) } else { json_answer(200, "", &json!({})) });
    let (account, _) = account(&server, json!({}));
    let done = account.call(&bulk(1), &arguments(json!({ "id": "t", "items": items(2) })), None).await.unwrap();
    assert_eq!(done["results"][0]["uncertain"], json!(true));
    assert_eq!(done["not_sent"], json!(1));
}

#[tokio::test]
async fn an_entry_that_makes_no_request_fails_alone_and_too_long_a_list_fails_whole() {
    let server = Server::start(|_, _| json_answer(200, "", &json!({})));
    let (account, _) = account(&server, json!({}));
    let list = json!([{ "id": "a", "value": 1 }, { "id": "..", "value": 1 }, { "value": 1 }]);
    let done = account.call(&bulk(2), &arguments(json!({ "id": "t", "items": list })), None).await.unwrap();
    assert_eq!((&done["done"], &done["failed"]), (&json!(1), &json!(2)));
    assert_eq!(done["results"][1]["problems"], json!(["/item/id: `..` cannot be part of an address"]));
    let error = account.call(&bulk(2), &arguments(json!({ "id": "t", "items": items(21) })), None).await.unwrap_err();
    assert_eq!(error.problems[0].to_string(), "/items: 21 entries; at most 20 at once");
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn links_in_several_headers_and_with_commas_in_their_titles_are_followed() {
    let server = Server::start(|asked, _| {
        let links = if asked.target.contains("page=2") {
            "link: </x?page=1>; rel=\"prev\"\r\n"
        } else {
            "link: </x?page=0>; rel=prev; title=\"um, dois; rel=next\"\r\nlink: </x?page=2>; title=\"tr\u{ea}s, quatro\"; rel=\"next last\"\r\n"
        };
        json_answer(200, links, &json!([asked.target]))
    });
    let (account, _) = account(&server, json!({}));
    let linked = operation(json!({ "method": "GET", "path": "/x", "pagination": { "style": "link", "items": "" } }));
    let found = account.call(&linked, &arguments(json!({})), None).await.unwrap();
    assert_eq!(found, json!({ "items": ["/x", "/x?page=2"], "more": false }));
}

#[tokio::test]
async fn an_answer_behind_a_byte_order_mark_is_read() {
    let body = |inner: &str| [b"\xef\xbb\xbf".as_slice(), inner.as_bytes()].concat();
    let server = Server::start(move |asked, _| {
        let inner = if asked.target.contains("empty") { "" } else { "{\"a\": \"\\ud83d\"}" };
        answer(200, "content-type: application/json\r\n", &body(inner))
    });
    let (account, _) = account(&server, json!({}));
    for (path, read) in [("/x", json!({ "a": "\u{fffd}" })), ("/empty", json!({}))] {
        let get = operation(json!({ "method": "GET", "path": path }));
        assert_eq!(account.call(&get, &arguments(json!({})), None).await.unwrap(), read, "{path}");
    }
}

#[tokio::test]
async fn an_empty_page_that_leads_on_is_not_the_last_one() {
    let list = operation(json!({ "method": "GET", "path": "/x", "response": { "as": "found" }, "pagination":
        { "style": "cursor", "items": "/data", "param": "c", "next": "/next", "max_pages": 3 } }));
    let page = |data: Value, next: Value| json_answer(200, "", &json!({ "data": data, "next": next }));
    let filtered = Server::start(move |asked, _| {
        if asked.target.contains("c=2") { page(json!([1]), json!(false)) } else { page(json!([]), json!(2)) }
    });
    let (found, _) = account(&filtered, json!({}));
    let done = found.call(&list, &arguments(json!({})), None).await.unwrap();
    assert_eq!(done, json!({ "found": [1], "more": false }));
    // The limit of pages ends a list of empty pages, and `more` says so.
    let endless = Server::start(move |_, before| page(json!([]), json!(before + 1)));
    let (found, _) = account(&endless, json!({}));
    let done = found.call(&list, &arguments(json!({})), None).await.unwrap();
    assert_eq!((done, endless.asked().len()), (json!({ "found": [], "more": true }), 3));
    // One that leads to itself has nothing after it.
    let same = Server::start(move |_, _| page(json!([]), json!("same")));
    let (found, _) = account(&same, json!({}));
    let done = found.call(&list, &arguments(json!({})), None).await.unwrap();
    assert_eq!((done, same.asked().len()), (json!({ "found": [], "more": false }), 2));
}

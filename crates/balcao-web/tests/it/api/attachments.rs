//! Files in and out by the API: whoever may, of their own business, as what they are.

use balcao_app::admin::keys::Scope;
use balcao_llm::providers::scripted::says;
use reqwest::Method;
use serde_json::{Value, json};

use super::world::{Shop, shop};

const PDF: &[u8] = b"%PDF-1.7\n<script>alert(1)</script>";
const STAFF: &str = "davi@figueira.example";

async fn begun() -> (Shop, String) {
    let shop = shop([says("Olá!")]).await;
    let turn = shop.post("/v1/turn", json!({ "conversation": "a", "text": "oi" })).await;
    assert_eq!(turn.status, 200, "{turn:?}");
    let found = shop.get("/v1/conversations").await;
    let id = found.body["items"][0]["id"].as_str().unwrap().to_owned();
    (shop, id)
}

#[tokio::test]
async fn a_97_a_file_is_added_sent_shown_and_saved_but_never_opened() {
    let (shop, id) = begun().await;
    let added = shop.upload(&id, &shop.key, "pre%C3%A7os.html", PDF).await;
    assert_eq!(added.status, 201, "{added:?}");
    let file = added.body["id"].as_str().unwrap().to_owned();
    assert_eq!((&added.body["name"], &added.body["mime"]), (&json!("preços.html.pdf"), &json!("application/pdf")));
    let reply = format!("/v1/conversations/{id}/reply");
    let sent = shop.post(&reply, json!({ "staff": STAFF, "attachment_id": file })).await;
    assert_eq!(sent.status, 200, "{sent:?}");
    for path in [format!("/v1/conversations/{id}"), format!("/v1/conversations/{id}/messages")] {
        let shown = shop.get(&path).await.body;
        let messages = shown["messages"].as_array().or(shown["items"].as_array()).unwrap().clone();
        let with: Vec<&Value> = messages.iter().filter(|one| one["attachments"][0]["id"] == file.as_str()).collect();
        assert_eq!(with.len(), 1, "{path}: {messages:?}");
        assert_eq!(with[0]["text"], "[documento: preços.html.pdf]");
    }
    let (headers, bytes) = shop.download(&format!("/v1/attachments/{file}"), &shop.key).await;
    assert_eq!(bytes, PDF);
    assert_eq!(headers["content-type"], "application/pdf");
    assert!(headers["content-disposition"].starts_with("attachment; filename=\"pre_os.html.pdf\""), "{headers:?}");
    assert_eq!(headers["x-content-type-options"], "nosniff");
    assert!(headers["content-security-policy"].contains("sandbox"));
    assert_eq!(headers["cache-control"], "no-store");
}

#[tokio::test]
async fn a_32_a_file_of_another_business_does_not_exist() {
    let (shop, id) = begun().await;
    let file = shop.upload(&id, &shop.key, "a.pdf", PDF).await.body["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/attachments/{file}");
    assert_eq!(shop.send(Method::GET, &path, &shop.rival_key, None, None).await.status, 404);
    assert_eq!(shop.upload(&id, &shop.rival_key, "a.pdf", PDF).await.status, 404);
    let reader = shop.make_key(shop.organization, &[Scope::Read]).await;
    assert_eq!(shop.download(&path, &reader).await.1, PDF);
    assert_eq!(shop.upload(&id, &reader, "a.pdf", PDF).await.problem(), (403, "insufficient_scope"));
    assert_eq!(shop.get("/v1/attachments/att_99").await.status, 404);
    assert_eq!(shop.get("/v1/attachments/x").await.status, 404);
}

#[tokio::test]
async fn what_cannot_be_sent_says_why() {
    let (shop, id) = begun().await;
    assert_eq!(shop.upload(&id, &shop.key, "a.pdf", b"").await.problem(), (422, "empty_file"));
    assert_eq!(shop.upload(&id, &shop.key, "a.pdf", b"MZ\x90\0\x03\0\0\0").await.problem(), (422, "bad_file_type"));
    let mut picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    picture.resize(5 * 1024 * 1024 + 1, 0);
    assert_eq!(shop.upload(&id, &shop.key, "a.png", &picture).await.problem(), (413, "too_large"));
    picture.truncate(5 * 1024 * 1024);
    assert_eq!(shop.upload(&id, &shop.key, "a.png", &picture).await.status, 201, "more than other bodies may have");
    assert_eq!(shop.upload("cnv_99", &shop.key, "a.pdf", PDF).await.status, 404);
    let path = format!("/v1/conversations/{id}/attachments?staff=x@y.example&name=a.pdf");
    let stranger = shop.request(Method::POST, &path).bearer_auth(&shop.key);
    let stranger = stranger.header("content-type", "application/octet-stream").body(PDF);
    assert_eq!(shop.finish(stranger).await.problem(), (400, "bad_query"));
    let typed = shop.request(Method::POST, &path).bearer_auth(&shop.key).header("content-type", "text/html").body(PDF);
    assert_eq!(shop.finish(typed).await.status, 415);
    let reply = format!("/v1/conversations/{id}/reply");
    let nothing = shop.post(&reply, json!({ "staff": STAFF, "text": " " })).await;
    assert_eq!(nothing.fields()[0].0, "/text");
    let unknown = shop.post(&reply, json!({ "staff": STAFF, "attachment_id": "att_99" })).await;
    assert_eq!(unknown.fields(), [("/attachment_id".to_owned(), "unknown_name".to_owned())]);
}

#[tokio::test]
async fn a_file_that_is_added_twice_under_one_key_is_one() {
    let (shop, id) = begun().await;
    let path = format!("/v1/conversations/{id}/attachments?staff={STAFF}&name=a.pdf");
    let add = async |bytes: &'static [u8]| {
        let request = shop.request(Method::POST, &path).bearer_auth(&shop.key).header("idempotency-key", "one");
        shop.finish(request.header("content-type", "application/octet-stream").body(bytes)).await
    };
    let (first, second) = (add(PDF).await, add(PDF).await);
    assert_eq!((first.status, &first.body), (201, &second.body));
    assert_eq!(add(b"%PDF-1.7 other").await.problem(), (422, "idempotency_key_reused"));
    assert_eq!(shop.count("SELECT COUNT(*) FROM attachment").await, 1);
}

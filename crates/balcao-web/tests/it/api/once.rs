//! A request that is repeated happens once and is answered alike; a turn survives whoever asked for it.

use std::time::Duration;

use balcao_llm::providers::scripted::says;
use reqwest::Method;
use serde_json::{Value, json};

use super::world::{quiet, shop};

const DAVI: &str = "davi@figueira.example";

fn oi(conversation: &str) -> Value {
    json!({ "conversation": conversation, "text": "oi" })
}

#[tokio::test]
async fn the_same_key_is_the_same_turn() {
    let shop = shop([says("Olá! Como posso ajudar?"), says("Até logo!")]).await;
    let first = shop.post_once("/v1/turn", "a-1", oi("c")).await;
    assert_eq!((first.status, &first.body["reply"]), (200, &json!("Olá! Como posso ajudar?")));
    assert!(!first.headers.contains_key("idempotency-replayed"));
    let again = shop.post_once("/v1/turn", "a-1", json!({ "text": "oi", "conversation": "c" })).await;
    assert_eq!(again.body, first.body);
    assert_eq!(again.headers.get("idempotency-replayed").map(String::as_str), Some("true"));
    let other = shop.post_once("/v1/turn", "a-1", json!({ "conversation": "c", "text": "tchau" })).await;
    assert_eq!(other.problem(), (422, "idempotency_key_reused"));
    let elsewhere = shop.post_once("/v1/conversations/cnv_1/give-back", "a-1", json!({})).await;
    assert_eq!(elsewhere.problem(), (422, "idempotency_key_reused"));
    let fresh = shop.post_once("/v1/turn", "a-2", json!({ "conversation": "c", "text": "tchau" })).await;
    assert_eq!(fresh.body["reply"], "Até logo!");
    assert_eq!(
        (fresh.body["contact_id"] == first.body["contact_id"], shop.count("SELECT COUNT(*) FROM turn").await),
        (true, 2)
    );
}

#[tokio::test]
async fn keys_of_different_callers_do_not_meet() {
    let shop = shop([says("Bom dia!"), says("Bom dia!")]).await;
    let ours = shop.post_once("/v1/turn", "k", oi("c")).await;
    let theirs = shop.send(Method::POST, "/v1/turn", &shop.rival_key, Some("k"), Some(oi("c"))).await;
    assert_eq!((ours.status, theirs.status), (200, 200));
    assert_ne!(ours.body["turn_id"], theirs.body["turn_id"]);
}

#[tokio::test]
async fn twenty_repeats_at_once_are_one_turn() {
    let shop = shop([says("Bom dia!")]).await;
    let all = futures::future::join_all((0..20).map(|_| shop.post_once("/v1/turn", "k", oi("c")))).await;
    assert!(all.iter().all(|one| one.status == 200 && one.body == all[0].body), "{all:?}");
    let fresh = all.iter().filter(|one| !one.headers.contains_key("idempotency-replayed")).count();
    assert_eq!((fresh, shop.count("SELECT COUNT(*) FROM turn").await), (1, 1));
}

#[tokio::test]
async fn a_turn_that_nobody_waits_for_any_more_is_answered_to_who_asks_again() {
    let shop = quiet([says("Bom dia!")], Duration::from_millis(30)).await;
    let late = shop.post_once("/v1/turn", "k", oi("c")).await;
    assert_eq!(late.problem(), (504, "turn_not_over"));
    assert_eq!(shop.count("SELECT COUNT(*) FROM inbox WHERE state = 'new'").await, 1);
    shop.open();
    let answer = loop {
        let answer = shop.post_once("/v1/turn", "k", oi("c")).await;
        if answer.status != 504 {
            break answer;
        }
    };
    assert_eq!((answer.status, &answer.body["reply"]), (200, &json!("Bom dia!")));
    assert_eq!(shop.count("SELECT COUNT(*) FROM turn").await, 1);
}

#[tokio::test]
async fn nothing_of_a_turn_goes_into_the_outbox() {
    let shop = shop([says("Bom dia!")]).await;
    let answer = shop.post("/v1/turn", oi("c")).await;
    let id = answer.body["conversation_id"].as_str().unwrap();
    let written = json!({ "staff": DAVI, "text": "Aqui é o Davi." });
    assert_eq!(shop.post(&format!("/v1/conversations/{id}/reply"), written).await.status, 200);
    assert_eq!(shop.count("SELECT COUNT(*) FROM outbox").await, 0);
    let said = shop.get(&format!("/v1/conversations/{id}/messages")).await;
    assert_eq!(said.body["items"][0]["text"], "Aqui é o Davi.");
}

#[tokio::test]
async fn a_booking_asked_for_again_is_the_same_booking_whatever_became_of_it() {
    let shop = quiet([], Duration::ZERO).await;
    let contact = shop.contact("caio").await;
    let booking = json!({ "contact_id": contact, "service": "Sobrancelha", "date": "2026-11-25", "start": "11:00" });
    let first = shop.post_once("/v1/appointments", "b", booking.clone()).await;
    assert_eq!(first.status, 201);
    let id = first.body["appointment"]["id"].as_str().unwrap().to_owned();
    let cancelled = shop.post_once(&format!("/v1/appointments/{id}/cancel"), "c", json!({})).await;
    assert_eq!(cancelled.body["status"], "cancelled");
    let again = shop.post_once("/v1/appointments", "b", booking.clone()).await;
    assert_eq!((again.status, &again.body), (201, &first.body));
    let again = shop.post_once(&format!("/v1/appointments/{id}/cancel"), "c", json!({})).await;
    assert_eq!((again.status, &again.body), (200, &cancelled.body));
    assert_eq!(
        shop.post(&format!("/v1/appointments/{id}/cancel"), json!({})).await.problem(),
        (409, "already_cancelled")
    );
    assert_eq!(shop.count("SELECT COUNT(*) FROM appointment WHERE source = 'api'").await, 1);
    // A refusal is an answer too.
    let late = json!({ "contact_id": contact, "service": "Sobrancelha", "date": "2026-11-25", "start": "03:00" });
    let refused = shop.post_once("/v1/appointments", "r", late.clone()).await;
    assert_eq!(refused.problem(), (409, "outside_hours"));
    assert_eq!(shop.post_once("/v1/appointments", "r", late).await.body, refused.body);
}

#[tokio::test]
async fn what_staff_do_twice_under_one_key_happens_once() {
    let shop = shop([says("Bom dia!")]).await;
    let id = shop.post("/v1/turn", oi("c")).await.body["conversation_id"].as_str().unwrap().to_owned();
    let reply = format!("/v1/conversations/{id}/reply");
    let note = format!("/v1/conversations/{id}/notes");
    for _ in 0..3 {
        assert_eq!(shop.post_once(&reply, "r", json!({ "staff": DAVI, "text": "Oi!" })).await.status, 200);
        assert_eq!(shop.post_once(&note, "n", json!({ "staff": DAVI, "text": "Prefere ligação." })).await.status, 200);
    }
    let shown = shop.get(&format!("/v1/conversations/{id}")).await;
    let staff = shown.body["messages"].as_array().unwrap().iter().filter(|one| one["author"] == "staff").count();
    assert_eq!((staff, shown.body["notes"].as_array().unwrap().len()), (1, 1));
    let back = format!("/v1/conversations/{id}/give-back");
    assert_eq!(shop.post_once(&back, "g", json!({})).await.status, 200);
    assert_eq!(shop.post_once(&back, "g", json!({})).await.status, 200);
    assert_eq!(shop.post_once(&back, "g2", json!({})).await.problem(), (409, "with_agent"));
}

#[tokio::test]
async fn without_a_key_each_request_is_another() {
    let shop = shop([says("Um."), says("Dois.")]).await;
    let (first, second) = (shop.post("/v1/turn", oi("c")).await, shop.post("/v1/turn", oi("c")).await);
    assert_ne!(first.body["turn_id"], second.body["turn_id"]);
}

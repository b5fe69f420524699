//! Visits end by the API: marks, undo, and unmarked visits.

use std::time::Duration;

use jiff::SignedDuration;
use reqwest::Method;
use serde_json::json;

use super::world::{Shop, quiet};

const DAVI: &str = "davi@figueira.example";

/// Books Lívia's eyebrows for tomorrow at eleven, and lets so many minutes pass since then.
async fn visited(minutes_since: i64) -> (Shop, String) {
    let shop = quiet([], Duration::ZERO).await;
    let contact = shop.contact("lívia").await;
    let booking = json!({ "contact_id": contact, "service": "Sobrancelha", "date": "2026-11-25", "start": "11:00" });
    let booked = shop.post("/v1/appointments", booking).await;
    let id = booked.body["appointment"]["id"].as_str().unwrap().to_owned();
    assert!(booked.body["appointment"]["mark"].is_null(), "{booked:?}");
    shop.clock.set("2026-11-25T14:00:00Z".parse().unwrap());
    shop.clock.advance(SignedDuration::from_mins(minutes_since));
    (shop, id)
}

#[tokio::test]
async fn visit_is_marked_told_of_and_undone() {
    let (shop, id) = visited(10).await;
    let mark = format!("/v1/appointments/{id}/mark");
    let marked = shop.post(&mark, json!({ "end": "no_show", "staff": DAVI })).await;
    assert_eq!((marked.status, &marked.body["changed"]), (200, &json!(true)), "{marked:?}");
    let told = json!({ "by": DAVI, "at": "2026-11-25T14:10:00Z" });
    assert_eq!(
        (&marked.body["appointment"]["status"], &marked.body["appointment"]["mark"]),
        (&json!("no_show"), &told)
    );
    assert_eq!(shop.get(&format!("/v1/appointments/{id}")).await.body["mark"], told);
    let again = shop.post(&mark, json!({ "end": "no_show" })).await;
    assert_eq!((again.status, &again.body["changed"]), (200, &json!(false)));
    let other = shop.post(&mark, json!({ "end": "completed" })).await;
    assert_eq!(other.problem(), (409, "marked_before"));
    let fact = json!({ "by": DAVI, "name": "Davi Lopes", "at": "2026-11-25T14:10:00Z" });
    assert_eq!((&other.body["facts"]["mark"], &other.body["facts"]["end"]), (&fact, &json!("no_show")), "{other:?}");
    let undo = format!("/v1/appointments/{id}/undo-mark");
    let undone = shop.post_once(&undo, "u", json!({})).await;
    assert_eq!((undone.status, &undone.body["appointment"]["status"]), (200, &json!("confirmed")));
    assert_eq!(shop.post_once(&undo, "u", json!({})).await.body, undone.body);
    assert_eq!(shop.post(&undo, json!({})).await.problem(), (409, "not_marked"));
    let actors: Vec<_> = shop.audit(&id).await.into_iter().map(|one| (one.actor, one.action)).collect();
    assert_eq!(actors.len(), 3, "{actors:?}");
    assert_eq!(actors[1], (DAVI.to_owned(), "appointment.no_show".to_owned()));
    assert!(actors[2].0.starts_with("api:") && actors[2].1 == "appointment.undo_mark", "{actors:?}");
    shop.post(&mark, json!({ "end": "completed", "staff": DAVI })).await;
    shop.clock.advance(SignedDuration::from_hours(24));
    let late = shop.post(&undo, json!({ "staff": DAVI })).await;
    assert_eq!(late.problem(), (409, "too_late"));
    assert_eq!(late.body["facts"]["mark"]["name"], "Davi Lopes");
}

#[tokio::test]
async fn what_does_not_fit_is_refused() {
    let (shop, id) = visited(-1).await;
    let mark = format!("/v1/appointments/{id}/mark");
    let early = shop.post(&mark, json!({ "end": "completed" })).await;
    assert_eq!(early.problem(), (409, "not_begun"));
    assert_eq!(early.body["facts"]["starts_at"], "2026-11-25T14:00:00Z");
    for (body, field) in [
        (json!({}), "/end"),
        (json!({ "end": "confirmed" }), "/end"),
        (json!({ "end": "no_show", "staff": "ninguem@figueira.example" }), "/staff"),
        (json!({ "end": "no_show", "staff": "" }), "/staff"),
        (json!({ "end": "no_show", "at": "now" }), "/at"),
    ] {
        let answer = shop.post(&mark, body.clone()).await;
        assert_eq!((answer.status, answer.fields()[0].0.as_str()), (422, field), "{body}: {answer:?}");
    }
    let rival = shop.send(Method::POST, &mark, &shop.rival_key, None, Some(json!({ "end": "no_show" }))).await;
    assert_eq!(rival.status, 404, "{rival:?}");
}

#[tokio::test]
async fn what_nobody_marked_is_listed_and_completed_by_the_day() {
    let (shop, id) = visited(60).await;
    let unmarked = "/v1/appointments?unmarked=true";
    let listed = shop.get(unmarked).await;
    assert_eq!(listed.body["items"].as_array().unwrap().len(), 1, "{listed:?}");
    assert_eq!(listed.body["items"][0]["id"], json!(id));
    let day = "/v1/visits/complete-day";
    let theirs = shop.send(Method::POST, day, &shop.rival_key, None, Some(json!({ "date": "2026-11-25" }))).await;
    assert_eq!((theirs.status, &theirs.body), (200, &json!({ "completed": 0 })));
    assert_eq!(shop.post(day, json!({ "date": "2026-11-24" })).await.body, json!({ "completed": 0 }));
    let done = shop.post_once(day, "d", json!({ "date": "2026-11-25", "staff": DAVI })).await;
    assert_eq!(done.body, json!({ "completed": 1 }), "{done:?}");
    assert_eq!(shop.post_once(day, "d", json!({ "date": "2026-11-25", "staff": DAVI })).await.body, done.body);
    assert!(shop.get(unmarked).await.body["items"].as_array().unwrap().is_empty());
    assert_eq!(shop.get(&format!("/v1/appointments/{id}")).await.body["mark"]["by"], DAVI);
    let bad = shop.post(day, json!({ "date": "2026-02-30" })).await;
    assert_eq!(bad.fields(), [("/date".to_owned(), "bad_format".to_owned())]);
}

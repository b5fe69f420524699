//! Bookings on a day on which the business closes: listed, shown with their ways out, resolved. And reminders of appointments.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;

use super::world::{Shop, quiet};

const DAVI: &str = "davi@figueira.example";

/// Books Lívia's eyebrows for tomorrow at eleven; then the business closes on that day.
async fn closed() -> (Shop, String) {
    let shop = quiet([], Duration::ZERO).await;
    let contact = shop.contact("lívia").await;
    let booking = json!({ "contact_id": contact, "service": "Sobrancelha", "date": "2026-11-25", "start": "11:00" });
    let booked = shop.post("/v1/appointments", booking).await;
    let id = booked.body["appointment"]["id"].as_str().unwrap().to_owned();
    assert_eq!(shop.get("/v1/conflicts").await.body, json!({ "items": [], "more": 0 }));
    shop.close_on("2026-11-25").await;
    (shop, id)
}

#[tokio::test]
async fn booking_on_a_closed_day_is_listed_shown_and_resolved_once() {
    let (shop, id) = closed().await;
    let listed = shop.get("/v1/conflicts?limit=1").await.body;
    assert_eq!((&listed["items"][0]["appointment"]["id"], &listed["more"]), (&json!(id), &json!(0)));
    assert_eq!(listed["items"][0]["reason"], "business_closed");
    let path = format!("/v1/appointments/{id}");
    let shown = shop.get(&format!("{path}/ways-out")).await;
    assert_eq!((shown.status, &shown.body["kept"]), (200, &json!(false)), "{shown:?}");
    let ways = shown.body["ways"].as_array().unwrap();
    assert!(ways.iter().any(|one| one["way"] == "move" && one["to"]["date"] != "2026-11-25"), "{shown:?}");
    let cancel = ways.iter().find(|one| one["way"] == "cancel").unwrap();
    assert!(cancel["text"].as_str().unwrap().starts_with("Infelizmente precisamos cancelar"), "{cancel}");
    assert_eq!(cancel["delivery"]["reason"], "no_channel", "Lívia never wrote");

    let resolve = format!("{path}/resolve");
    let body = json!({ "way": "move", "date": "2026-11-26", "start": "14:00", "staff": DAVI });
    let moved = shop.post_once(&resolve, "m", body.clone()).await;
    assert_eq!((moved.status, &moved.body["changed"]), (200, &json!(true)), "{moved:?}");
    assert_eq!(moved.body["appointment"]["date"], "2026-11-26");
    assert_eq!(moved.body["notice"]["delivery"]["form"], "nothing");
    assert_eq!(shop.post_once(&resolve, "m", body.clone()).await.body, moved.body);
    let again = shop.post(&resolve, body).await;
    assert_eq!((again.status, &again.body["changed"]), (200, &json!(false)), "{again:?}");
    let acts: Vec<_> = shop.audit(&id).await.into_iter().map(|one| (one.actor, one.action)).collect();
    assert_eq!(acts.last().unwrap(), &(DAVI.to_owned(), "appointment.reschedule".to_owned()));
    assert_eq!(shop.get("/v1/conflicts").await.body["items"], json!([]));
}

#[tokio::test]
async fn choice_that_does_not_fit_is_refused() {
    let (shop, id) = closed().await;
    let resolve = format!("/v1/appointments/{id}/resolve");
    for (body, field) in [
        (json!({}), "/way"),
        (json!({ "way": "move", "date": "2026-11-26" }), "/start"),
        (json!({ "way": "move", "start": "14:00" }), "/date"),
        (json!({ "way": "cancel", "date": "2026-11-26" }), "/date"),
        (json!({ "way": "keep", "professional": "Davi" }), "/professional"),
        (json!({ "way": "cancel", "staff": "ninguem@figueira.example" }), "/staff"),
    ] {
        let answer = shop.post(&resolve, body.clone()).await;
        assert_eq!((answer.status, answer.fields()[0].0.as_str()), (422, field), "{body}: {answer:?}");
    }
    let taken = shop.post(&resolve, json!({ "way": "move", "date": "2026-11-25", "start": "14:00" })).await;
    assert_eq!(taken.problem(), (409, "outside_hours"));
    let rival = shop.send(Method::POST, &resolve, &shop.rival_key, None, Some(json!({ "way": "cancel" }))).await;
    assert_eq!(rival.status, 404, "{rival:?}");
    let theirs = shop.send(Method::GET, "/v1/conflicts", &shop.rival_key, None, None).await;
    assert_eq!(theirs.body["items"], json!([]));
    assert_eq!(shop.post(&resolve, json!({ "way": "keep" })).await.body["changed"], true);
    assert_eq!(shop.get("/v1/conflicts").await.body["items"], json!([]));
}

#[tokio::test]
async fn appointment_shows_its_reminders() {
    let (shop, id) = closed().await;
    let shown = shop.get(&format!("/v1/appointments/{id}")).await.body;
    let reminders: Vec<_> = shown["reminders"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["minutes_before"].as_u64().unwrap(),
                one["remind_at"].as_str().unwrap(),
                one["state"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(reminders, [(1440, "2026-11-24T14:00:00Z", "open"), (60, "2026-11-25T13:00:00Z", "open")]);
    let listed = shop.get("/v1/appointments?from=2026-11-25").await.body;
    let same = listed["items"].as_array().unwrap().iter().find(|one| one["id"] == json!(id)).unwrap();
    assert_eq!(same["reminders"], shown["reminders"]);
}

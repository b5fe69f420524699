//! External calendars by the API: linked, shown, compared, and what people changed there resolved.

use std::time::Duration;

use serde_json::json;

use super::world::quiet;

const CALENDAR: &str = "davi@calendar.example";

#[tokio::test]
async fn calendars_are_linked_shown_and_unlinked() {
    let shop = quiet([], Duration::ZERO).await;
    let link = json!({ "professional": "Wesley Moura", "calendar": CALENDAR, "write": true });
    let linked = shop.post("/v1/calendars/link", link).await;
    assert_eq!(linked.status, 200, "{linked:?}");
    let one = &shop.get("/v1/calendars").await.body["links"][0];
    assert_eq!((&one["calendar"], &one["write"], &one["too_old"]), (&json!(CALENDAR), &json!(true), &json!(true)));
    let other = json!({ "professional": "Wesley Moura", "calendar": "other@calendar.example", "write": true });
    assert_eq!(shop.post("/v1/calendars/link", other.clone()).await.problem(), (409, "other_written"));
    let mut without = other;
    without.as_object_mut().unwrap().remove("write");
    assert_eq!(shop.post("/v1/calendars/unlink", without).await.problem(), (409, "not_linked"));
    assert_eq!(shop.post("/v1/calendars/sync", json!({})).await.problem(), (409, "not_connected"));
    assert_eq!(shop.get("/v1/calendars/outside").await.body["items"], json!([]), "no service is connected here");
    let old = json!({ "professional": "Wesley Moura", "calendar": CALENDAR });
    assert_eq!(shop.post("/v1/calendars/unlink", old).await.body["links"], json!([]));
    let unknown = shop.post("/v1/calendars/link", json!({ "professional": "Zuleica", "calendar": CALENDAR })).await;
    assert_eq!(unknown.fields()[0].0, "/professional");
}

#[tokio::test]
async fn a_conflict_is_listed_shown_and_resolved_once() {
    let shop = quiet([], Duration::ZERO).await;
    let contact = shop.contact("lívia").await;
    let booking = json!({ "contact_id": contact, "service": "Sobrancelha", "date": "2026-11-25", "start": "11:00" });
    let booked = shop.post("/v1/appointments", booking).await;
    let conflict = shop.calendar_conflict(booked.body["appointment"]["id"].as_str().unwrap()).await;
    let later = json!({ "contact_id": contact, "service": "Sobrancelha", "date": "2026-11-25", "start": "15:00" });
    let later = shop.post("/v1/appointments", later).await;
    let other = shop.calendar_conflict(later.body["appointment"]["id"].as_str().unwrap()).await;
    let first = shop.get("/v1/calendars/conflicts?limit=1").await.body;
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = shop.get(&format!("/v1/calendars/conflicts?limit=1&cursor={cursor}")).await.body;
    assert_eq!((&first["items"][0]["id"], &second["items"][0]["id"]), (&json!(conflict), &json!(other)));
    assert!(second["next_cursor"].is_null(), "{second}");
    let put_back = json!({ "choice": "restore" });
    assert_eq!(shop.post(&format!("/v1/calendars/conflicts/{other}/resolve"), put_back).await.status, 200);
    let path = format!("/v1/calendars/conflicts/{conflict}");
    let ways = shop.get(&format!("{path}/ways-out")).await.body;
    assert_eq!(ways["conflict"]["kind"], "deleted", "{ways}");
    let all = ways["ways"].as_array().unwrap();
    let words: Vec<_> =
        all.iter().map(|way| (way["choice"].as_str().unwrap(), way["effect"].as_str().unwrap())).collect();
    assert_eq!(words[..2], [("take", "ends"), ("restore", "stays")]);
    assert!(words.len() > 2 && words[2..].iter().all(|way| *way == ("move", "moves")), "{words:?}");
    assert!(all[2]["to"]["start"].is_string() && all[1]["notice"].is_null(), "{ways}");
    assert!(all[0]["notice"]["delivery"].as_object().unwrap().contains_key("price_micros"), "{ways}");
    let resolve = format!("{path}/resolve");
    let wrong = shop.post(&resolve, json!({ "choice": "take", "date": "2026-11-26" })).await;
    assert_eq!((wrong.status, wrong.fields()[0].0.as_str()), (422, "/date"));
    let taken = shop.post(&resolve, json!({ "choice": "take" })).await;
    assert_eq!(taken.body["appointment"]["status"], "cancelled", "{taken:?}");
    assert_eq!(taken.body["notice"], all[0]["notice"], "as it was shown");
    assert_eq!(shop.get("/v1/calendars/conflicts").await.body["items"], json!([]));
    assert_eq!(shop.post(&resolve, json!({ "choice": "take" })).await.status, 404);
}

//! Subscriptions by the API: start, payments, and what they refuse.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;

use super::world::{Shop, quiet};

const DAVI: &str = "davi@figueira.example";

async fn overdue() -> (Shop, String) {
    let shop = quiet([], Duration::ZERO).await;
    let listed = shop.get("/v1/subscriptions?status=overdue").await;
    let items = listed.body["items"].as_array().unwrap();
    assert_eq!(
        (items.len(), &items[0]["plan"], &items[0]["due"]),
        (1, &json!("Raiz"), &json!("2026-11-08")),
        "{listed:?}"
    );
    let id = items[0]["id"].as_str().unwrap().to_owned();
    (shop, id)
}

#[tokio::test]
async fn subscription_is_paid_paused_resumed_and_ended() {
    let (shop, id) = overdue().await;
    let path = format!("/v1/subscriptions/{id}");
    let payment = json!({ "reference": "PIX-1", "staff": DAVI });
    let paid = shop.post(&format!("{path}/payments"), payment.clone()).await;
    assert_eq!((paid.status, &paid.body["subscription"]["due"]), (200, &json!("2026-12-08")), "{paid:?}");
    assert_eq!(paid.body["subscription"]["status"], "active");
    let again = shop.post(&format!("{path}/payments"), payment).await;
    assert_eq!((&again.body["changed"], &again.body["subscription"]["due"]), (&json!(false), &json!("2026-12-08")));
    let renewal = json!({ "due": "2026-12-08" });
    let renewed = shop.post(&format!("{path}/renew"), renewal.clone()).await;
    assert_eq!(renewed.body["subscription"]["due"], "2027-01-08", "{renewed:?}");
    assert_eq!(shop.post(&format!("{path}/renew"), renewal).await.body["changed"], false);
    let paused = shop.post(&format!("{path}/pause"), json!({})).await;
    assert_eq!(paused.body["subscription"]["status"], "paused", "{paused:?}");
    let resumed = shop.post(&format!("{path}/resume"), json!({ "staff": DAVI })).await;
    assert_eq!(resumed.body["subscription"]["status"], "active", "{resumed:?}");
    let early = shop.post(&format!("{path}/end"), json!({})).await;
    assert_eq!((early.problem(), &early.body["facts"]["until"]), ((409, "paid_until"), &json!("2027-01-08")));
    let ended = shop.post(&format!("{path}/end"), json!({ "lose_paid_days": true })).await;
    assert_eq!(ended.body["subscription"]["status"], "cancelled", "{ended:?}");
    let late = shop.post(&format!("{path}/payments"), json!({ "reference": "PIX-2" })).await;
    assert_eq!(late.problem(), (409, "ended"));
    let shown = shop.get(&path).await;
    assert_eq!(shown.body["payments"].as_array().unwrap().len(), 1, "{shown:?}");
    assert_eq!(shown.body["payments"][0]["noted_by"], DAVI);
    let actions: Vec<_> = shop.audit(&id).await.into_iter().map(|one| one.action).collect();
    let expected = ["pay", "renew", "pause", "resume", "end"].map(|act| format!("subscription.{act}"));
    assert_eq!(actions, expected);
    let contact = shop.contact("lívia").await;
    let started = shop.post("/v1/subscriptions", json!({ "contact_id": contact, "plan": "raiz" })).await;
    assert_eq!((started.status, &started.body["subscription"]["id"]), (201, &json!(id)), "{started:?}");
}

#[tokio::test]
async fn payment_of_another_amount_is_accepted_by_a_word_and_taken_back() {
    let (shop, id) = overdue().await;
    let path = format!("/v1/subscriptions/{id}/payments");
    let half = json!({ "reference": "PIX-1", "amount_cents": 4450 });
    let refused = shop.post(&path, half).await;
    assert_eq!((refused.problem(), &refused.body["facts"]["price_cents"]), ((409, "other_amount"), &json!(8900)));
    let half = json!({ "reference": "PIX-1", "amount_cents": 4450, "accept": "partial" });
    let noted = shop.post(&path, half).await;
    assert_eq!((&noted.body["changed"], &noted.body["subscription"]["due"]), (&json!(true), &json!("2026-11-08")));
    let taken = shop.post(&format!("{path}/take-back"), json!({ "reference": "PIX-1", "staff": DAVI })).await;
    assert_eq!(taken.body["changed"], true, "{taken:?}");
    let shown = shop.get(&format!("/v1/subscriptions/{id}")).await;
    let payment = &shown.body["payments"][0];
    assert_eq!((&payment["partial"], &payment["taken_back_by"]), (&json!(true), &json!(DAVI)));
    let unknown = shop.post(&format!("{path}/take-back"), json!({ "reference": "PIX-9" })).await;
    assert_eq!(unknown.problem(), (409, "no_payment"));
}

#[tokio::test]
async fn booking_says_why_a_plan_does_not_pay() {
    let (shop, _) = overdue().await;
    let contact = shop.contact("lívia").await;
    let booking =
        json!({ "contact_id": contact, "service": "Corte na máquina", "date": "2026-11-25", "start": "11:00" });
    let booked = shop.post("/v1/appointments", booking).await;
    assert_eq!(booked.body["plan_notice"], json!({ "plan": "Raiz", "reason": "overdue" }), "{booked:?}");
    assert_eq!(booked.body["appointment"]["price"]["cents"], 5000);
}

#[tokio::test]
async fn what_does_not_fit_is_refused() {
    let (shop, id) = overdue().await;
    let path = format!("/v1/subscriptions/{id}");
    let contact = shop.contact("lívia").await;
    let twice = shop.post("/v1/subscriptions", json!({ "contact_id": contact, "plan": "Raiz" })).await;
    assert_eq!((twice.problem(), &twice.body["facts"]["subscription"]), ((409, "already_subscribed"), &json!(id)));
    let other_due = shop.post(&format!("{path}/renew"), json!({ "due": "2026-09-08" })).await;
    assert_eq!((other_due.problem(), &other_due.body["facts"]["due"]), ((409, "other_due"), &json!("2026-11-08")));
    let unknown = json!({ "contact_id": "con_999999", "plan": "Copa" });
    for (to, body, field) in [
        ("/payments", json!({ "reference": "PIX-1", "amount_cents": -1 }), "/amount_cents"),
        ("/payments", json!({ "reference": " " }), "/reference"),
        ("/payments", json!({}), "/reference"),
        ("/renew", json!({}), "/due"),
        ("/renew", json!({ "due": "2026-02-31" }), "/due"),
        ("/end", json!({ "ends": "10000-01-01" }), "/ends"),
        ("/pause", json!({ "staff": "ninguem@figueira.example" }), "/staff"),
        ("", unknown, "/contact_id"),
        ("", json!({ "contact_id": contact, "plan": "Ouro" }), "/plan"),
        ("", json!({ "contact_id": contact, "plan": "Copa", "started": "2027-01-01" }), "/started"),
        ("", json!({ "contact_id": contact, "plan": "Copa", "due": "2026-01-01" }), "/due"),
    ] {
        let at = if to.is_empty() { "/v1/subscriptions".to_owned() } else { format!("{path}{to}") };
        let answer = shop.post(&at, body.clone()).await;
        assert_eq!((answer.status, answer.fields()[0].0.as_str()), (422, field), "{body}: {answer:?}");
    }
    let rival = shop.send(Method::POST, &format!("{path}/pause"), &shop.rival_key, None, Some(json!({}))).await;
    assert_eq!(rival.status, 404, "{rival:?}");
    let theirs = shop.send(Method::GET, "/v1/subscriptions", &shop.rival_key, None, None).await;
    assert!(!theirs.body["items"].as_array().unwrap().iter().any(|one| one["id"] == json!(id)), "{theirs:?}");
}

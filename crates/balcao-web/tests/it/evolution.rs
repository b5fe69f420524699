//! The webhook of a gateway.

use axum::body::Body;
use axum::http::Request;
use serde_json::json;

use crate::{SECRET, Shop, shop, whole};

async fn post(shop: &Shop, key: Option<&str>, body: String) -> (u16, String) {
    let mut request = Request::post("/webhooks/evolution").header("content-type", "application/json");
    if let Some(key) = key {
        request = request.header("apikey", key);
    }
    whole(shop.ask(request.body(Body::from(body)).unwrap()).await).await
}

#[tokio::test]
async fn h07_a_body_whose_key_is_not_in_a_header_is_read_to_256_kib_and_no_further() {
    let shop = shop().await;
    let padded = |bytes: usize| json!({ "apikey": SECRET, "event": "x", "data": "x".repeat(bytes) }).to_string();
    for (key, bytes, status) in [
        (None, 250 * 1024, 200),
        (None, 256 * 1024, 413),
        (Some(SECRET), 300 * 1024, 200),
        (Some(SECRET), 3 * 1024 * 1024, 413),
        (Some("wrong"), 1, 401),
    ] {
        let (found, told) = post(&shop, key, padded(bytes)).await;
        assert_eq!(found, status, "{key:?} {bytes}: {told}");
    }
}

#[tokio::test]
async fn h07_a_body_of_more_than_200_000_values_is_refused_to_the_gateway_too() {
    let shop = shop().await;
    let of = |values: usize| format!("{{\"event\":\"x\",\"more\":[0{}]}}", ",0".repeat(values - 1));
    // The object, the event and the list are values as well.
    for (values, status) in [(200_000 - 3, 200), (200_000 - 2, 413)] {
        let (found, told) = post(&shop, Some(SECRET), of(values)).await;
        assert_eq!(found, status, "{values}: {told}");
    }
}

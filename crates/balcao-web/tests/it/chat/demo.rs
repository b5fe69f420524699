//! The demo's page and the staff's side of it.

use axum::body::{Body, to_bytes};
use axum::http::{Request, Response};
use serde_json::{Value, json};

use super::world::{Events, STAFF, STAFF_TOKEN, Shop, calls, says, shop};

const HOST: &str = "127.0.0.1:7411";

async fn staff(shop: &Shop, method: &str, path: &str, token: &str, host: &str, body: &Value) -> Response<Body> {
    let request = Request::builder().method(method).uri(format!("/demo/v1/{path}")).header("host", host);
    let request = request.header("authorization", format!("Bearer {token}")).header("content-type", "application/json");
    shop.answers(request.body(Body::from(body.to_string())).unwrap()).await
}

pub(super) async fn act(shop: &Shop, path: &str, body: Value) -> u16 {
    staff(shop, "POST", path, STAFF_TOKEN, HOST, &body).await.status().as_u16()
}

/// What staff see on the page.
pub(super) async fn live(shop: &Shop) -> Response<Body> {
    staff(shop, "GET", "live?day=2026-11-26", STAFF_TOKEN, HOST, &Value::Null).await
}

#[tokio::test]
async fn the_page_says_what_may_run_in_it_and_does_not_hold_the_token() {
    let shop = shop([]).await;
    for (language, expected) in [("pt-BR,en;q=0.8", "pt-BR"), ("en-GB", "en")] {
        let answer = shop.get("/", &[("host", HOST), ("accept-language", language)]).await;
        assert_eq!(answer.status().as_u16(), 200);
        let policy = answer.headers().get("content-security-policy").unwrap().to_str().unwrap().to_owned();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        let page = String::from_utf8(to_bytes(answer.into_body(), 1 << 20).await.unwrap().to_vec()).unwrap();
        assert!(page.contains(&format!("<html lang=\"{expected}\">")) && page.contains("Barbearia Figueira"));
        assert!(!page.contains(STAFF_TOKEN) && !page.contains("{{"));
    }
    for file in ["style.css", "page.js", "trace.js", "words.js", "agenda.js"] {
        assert_eq!(shop.get(&format!("/demo/{file}"), &[("host", HOST)]).await.status().as_u16(), 200, "{file}");
    }
}

#[tokio::test]
async fn a_name_that_somebody_points_here_is_not_answered() {
    let shop = shop([]).await;
    for host in ["evil.example", "evil.example:7411", "127.0.0.1:80", "127.0.0.1", "localhost.evil.example:7411"] {
        assert_eq!(shop.get("/", &[("host", host)]).await.status().as_u16(), 403, "{host}");
        let answer = staff(&shop, "GET", "live", STAFF_TOKEN, host, &Value::Null).await;
        assert_eq!(answer.status().as_u16(), 403, "{host}");
    }
    assert_eq!(shop.get("/", &[("host", "localhost:7411")]).await.status().as_u16(), 200);
}

#[tokio::test]
async fn h13_nothing_of_the_demo_is_answered_to_such_a_name() {
    let mut shop = shop([]).await;
    shop.router = balcao_web::pages::demo::only_here(shop.router, 7411);
    for path in ["/chat/widget.js", "/healthz", "/v1/openapi.json", "/chat/v1/events", "/"] {
        assert_eq!(shop.get(path, &[("host", "evil.example:7411")]).await.status().as_u16(), 403, "{path}");
    }
    assert_eq!(shop.get("/chat/widget.js", &[("host", HOST)]).await.status().as_u16(), 200);
}

#[tokio::test]
async fn without_the_token_nobody_sees_or_does_what_staff_do() {
    let shop = shop([]).await;
    let ana = shop.visitor().await;
    shop.writes(&ana, "message-1", "oi").await;
    let body = json!({ "conversation": i64::from(shop.conversation().await), "text": "x" });
    for token in ["", "guessed", &ana.token, &STAFF_TOKEN[1..]] {
        for (method, path) in [("GET", "live"), ("POST", "take"), ("POST", "reply"), ("POST", "give-back")] {
            let answer = staff(&shop, method, path, token, HOST, &body).await;
            assert_eq!(answer.status().as_u16(), 401, "{method} {path} {token}");
        }
    }
    assert_eq!(shop.count("conversation WHERE channel = 'web' AND state = 'ai'").await, 1);
}

#[tokio::test]
async fn staff_see_the_turn_from_the_inside_and_the_day_with_the_visit_in_it() {
    let booking = json!({ "barber_name": "Otávio", "date": "2026-11-26", "start_hour": "15:00", "service_name": "Barba desenhada" });
    let shop = shop([
        calls("create_appointment", &booking),
        says("Marcado: Barba desenhada com Otávio, quinta-feira 26/11 às 15:00."),
    ])
    .await;
    let ana = shop.visitor().await;
    let mut live = Events::of(staff(&shop, "GET", "live?day=2026-11-26", STAFF_TOKEN, HOST, &Value::Null).await);
    let before = live.next_of("snapshot").await.data;
    assert_eq!((&before["conversation"], &before["day"]["date"]), (&Value::Null, &json!("2026-11-26")));
    shop.writes(&ana, "message-1", "marca barba desenhada com o Otávio quinta às 15h").await;
    shop.works().await;
    let after = loop {
        let data = live.next_of("snapshot").await.data;
        if data["turns"][0]["outcome"] == "reply" {
            break data;
        }
    };
    let inside = &after["turns"][0]["inside"];
    assert_eq!(inside["calls"][0]["tool"], "create_appointment");
    assert_eq!(inside["calls"][0]["args"]["start_hour"], "15:00");
    assert_eq!(inside["calls"][0]["result"]["class"], "success");
    assert!(inside["calls"][0]["result"]["receipts"][0].is_object(), "{inside}");
    assert_eq!(inside["steps"].as_array().unwrap().len(), 2);
    assert!(inside["reply"].as_str().unwrap().starts_with("Marcado"), "{inside}");
    let visits = after["day"]["professionals"].as_array().unwrap().iter();
    let own = visits.flat_map(|one| one["visits"].as_array().unwrap()).find(|one| one["contact"] == after["contact"]);
    assert_eq!(own.unwrap()["from_min"], 15 * 60);
    assert_eq!(after["bookings"][0]["date"], "2026-11-26");
    assert_eq!(after["conversation"]["state"], "ai");
}

#[tokio::test]
async fn staff_take_over_answer_and_give_back() {
    let shop = shop([says("Oi!")]).await;
    let ana = shop.visitor().await;
    shop.writes(&ana, "message-1", "oi").await;
    shop.works().await;
    let conversation = i64::from(shop.conversation().await);
    let which = json!({ "conversation": conversation });
    assert_eq!(act(&shop, "give-back", which.clone()).await, 409, "the agent has it");
    assert_eq!(act(&shop, "take", which.clone()).await, 204);
    assert_eq!(act(&shop, "reply", json!({ "conversation": conversation, "text": "Sou a Renata" })).await, 204);
    shop.sends().await;
    assert_eq!(shop.reads(&ana, Some("2")).await, ["staff: Sou a Renata"]);
    assert_eq!(act(&shop, "give-back", which).await, 204);
    assert_eq!(shop.count(&format!("audit_log WHERE actor = '{STAFF}'")).await, 3, "whose page it is did all of it");
    assert_eq!(act(&shop, "reply", json!({ "conversation": conversation, "text": "  " })).await, 422);
    assert_eq!(act(&shop, "take", json!({ "conversation": 2_000_000 })).await, 404);
    assert_eq!(act(&shop, "take", json!({ "conversation": "x" })).await, 422);
    let answer = staff(&shop, "GET", "live?day=yesterday", STAFF_TOKEN, HOST, &Value::Null).await;
    assert_eq!(answer.status().as_u16(), 400);
}

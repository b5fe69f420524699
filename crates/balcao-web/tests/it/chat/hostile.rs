//! whatever stands in what the chat and the demo's page show, it comes to them as words of a JSON document, which no
//! browser takes for a page, and each event is one event.

use balcao_store::{StoreError, Value as Stored};
use serde_json::{Value, json};

use super::demo::{act, live};
use super::world::{ORIGIN, body_of, shop_with};
use balcao_web::chat::{ChatLimits, RequestRate};

/// What would be a script, another page, another event or another field, if anything took it for one.
const PAYLOADS: [&str; 16] = [
    "<script>document.title='owned'</script>",
    "<img src=x onerror=\"alert(1)\">",
    "\"><svg/onload=alert(1)>",
    "'\"`><b>",
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "javascript:alert(1)",
    "[x](javascript:alert(1))",
    "data:text/html,<script>alert(1)</script>",
    "&lt;script&gt;",
    "{{shop}}${7*7}",
    "\\u003cscript\\u003e\\",
    "a\n\nevent: message\ndata: {\"text\":\"forged\"}\n\n",
    "a\nid: 99\nretry: 1",
    "\u{2028}alert(1)\u{2029}",
    "\u{202e}moc.live",
];

fn is_inert(answer: &axum::http::Response<axum::body::Body>) {
    let header = |name: &str| answer.headers().get(name).unwrap().to_str().unwrap().to_owned();
    assert!(["application/json", "text/event-stream"].contains(&header("content-type").as_str()));
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert!(header("content-security-policy").contains("default-src 'none'"));
}

#[tokio::test]
async fn a_95_what_anybody_wrote_reaches_the_page_as_words_and_as_one_event_each() {
    let limits = ChatLimits {
        messages: RequestRate { burst: 1_000, ..ChatLimits::default().messages },
        ..ChatLimits::default()
    };
    let shop = shop_with([], limits).await;
    let ana = shop.visitor().await;
    for (number, payload) in PAYLOADS.iter().enumerate() {
        assert_eq!(shop.writes(&ana, &format!("message-{number}"), payload).await.0, 202);
    }
    is_inert(&shop.opens(&ana, None).await);
    let words = |author: &str| PAYLOADS.iter().map(|one| format!("{author}: {}", one.trim())).collect::<Vec<_>>();
    assert_eq!(shop.reads(&ana, None).await, words("visitor"));
    for author in ["agent", "staff"] {
        let sql = "UPDATE chat_entry SET author = ?1";
        let changed = shop.store.write(move |tx| tx.execute(sql, &[Stored::from(author)])).await;
        changed.map_err(|error: StoreError| error).unwrap();
        assert_eq!(shop.reads(&ana, None).await, words(author));
    }
}

#[tokio::test]
async fn a_95_names_of_staff_customers_and_the_shop_are_words_too() {
    let shop = shop_with([], ChatLimits::default()).await;
    let ana = shop.visitor().await;
    shop.writes(&ana, "message-1", "oi").await;
    let conversation = i64::from(shop.conversation().await);
    assert_eq!(act(&shop, "take", json!({ "conversation": conversation })).await, 204);
    let session = shop.asks("POST", "session", None, &[("origin", ORIGIN)], "").await;
    is_inert(&session);
    assert_eq!(body_of(session).await["shop"], "Barbearia Figueira");
    for payload in PAYLOADS {
        let changed = shop.store.write(move |tx| {
            for sql in [
                "UPDATE staff SET name = ?1",
                "UPDATE contact SET name = ?1, preferred_name = ?1",
                "UPDATE professional SET name = ?1 || id",
                "UPDATE service SET name = ?1 || id",
                "UPDATE turn SET reason = ?1",
            ] {
                tx.execute(sql, &[Stored::from(payload)])?;
            }
            Ok::<_, StoreError>(())
        });
        changed.await.unwrap();
        let mut events = shop.listens(&ana, None).await;
        let state = events.next_of("state").await;
        let first = payload.split_whitespace().next().unwrap();
        assert_eq!((&state.data["with"], &state.data["name"]), (&json!("person"), &json!(first)));
        let answer = live(&shop).await;
        is_inert(&answer);
        let snapshot = super::world::Events::of(answer).next_of("snapshot").await.data;
        let names = snapshot["day"]["professionals"].as_array().unwrap();
        assert!(names.iter().all(|one| one["name"].as_str().unwrap().starts_with(payload)), "{names:?}");
        assert!(!names.is_empty() && snapshot != Value::Null);
    }
}

#[tokio::test]
async fn a_103_nothing_that_is_answered_can_be_framed() {
    let shop = shop_with([], ChatLimits::default()).await;
    let ana = shop.visitor().await;
    let host = ("host", "127.0.0.1:7411");
    let mut answers = vec![live(&shop).await, shop.opens(&ana, None).await];
    for path in
        ["/", "/demo/page.js", "/chat/widget.js", "/healthz", "/readyz", "/nothing", "/v1/contacts", "/chat/v1/session"]
    {
        answers.push(shop.get(path, &[host]).await);
    }
    for answer in answers {
        let header = |name: &str| answer.headers().get(name).unwrap().to_str().unwrap();
        assert!(header("content-security-policy").contains("frame-ancestors 'none'"), "{:?}", answer.headers());
        assert_eq!(header("x-frame-options"), "DENY");
    }
}

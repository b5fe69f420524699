//! The web chat as its visitors' pages use it, and the demo's page.

mod budgets;
mod demo;
mod door;
mod files;
mod hostile;
mod limits;
mod stream;
mod world;

use balcao_app::messaging::web_chat::ChatMailbox;
use balcao_channel::UserId;
use balcao_channel::channels::web::Mailbox;
use serde_json::json;

use world::{ORIGIN, Visit, shop};

#[tokio::test]
async fn i_1_what_is_answered_with_202_is_stored_and_five_times_is_once() {
    let shop = shop([]).await;
    let ana = shop.visitor().await;
    for attempt in 0..5 {
        let (status, body) = shop.writes(&ana, "message-1", "oi").await;
        assert_eq!((status, body), (202, json!({ "id": "message-1", "repeated": attempt > 0 })));
    }
    assert_eq!(
        (shop.count("inbox").await, shop.count("chat_entry").await, shop.count("contact").await),
        (1, 1, shop.people + 1)
    );
}

#[tokio::test]
async fn two_visitors_never_see_each_other_whatever_ids_they_choose() {
    let shop = shop([world::says("Oi, Ana!"), world::says("Oi, Bia!")]).await;
    let (ana, bia) = (shop.visitor().await, shop.visitor().await);
    shop.writes(&ana, "message-1", "sou a Ana").await;
    shop.works().await;
    assert_eq!(shop.writes(&bia, "message-1", "sou a Bia").await.1["repeated"], false);
    shop.works().await;
    assert_eq!(shop.reads(&ana, None).await, ["visitor: sou a Ana", "agent: Oi, Ana!"]);
    assert_eq!(shop.reads(&bia, None).await, ["visitor: sou a Bia", "agent: Oi, Bia!"]);
    assert_eq!(shop.count("conversation WHERE channel = 'web'").await, 2);
}

#[tokio::test]
async fn a_token_that_is_not_ours_or_ran_out_is_nobody() {
    let shop = shop([]).await;
    let ana = shop.visitor().await;
    let forged = Visit { token: ana.token.replace('.', "0.") };
    for visitor in [&Visit { token: String::new() }, &forged] {
        assert_eq!(shop.writes(visitor, "message-1", "oi").await.0, 401);
        assert_eq!(shop.opens(visitor, None).await.status().as_u16(), 401);
    }
    shop.pass_days(181);
    assert_eq!(shop.writes(&ana, "message-1", "oi").await.0, 401);
    assert_eq!(shop.count("inbox").await, 0);
}

#[tokio::test]
async fn whoever_comes_back_stays_who_they_are() {
    let shop = shop([world::says("Oi!")]).await;
    let ana = shop.visitor().await;
    shop.writes(&ana, "message-1", "oi").await;
    shop.works().await;
    shop.pass_days(100);
    let again = shop.comes_back(&ana).await;
    shop.pass_days(100);
    assert_eq!(shop.reads(&again, None).await, ["visitor: oi", "agent: Oi!"]);
    let stranger = shop.comes_back(&Visit { token: "x.1.y".to_owned() }).await;
    assert_eq!(shop.reads(&stranger, None).await, [""; 0]);
}

#[tokio::test]
async fn a_99_a_page_whose_origin_is_not_allowed_reads_nothing_and_writes_nothing() {
    let shop = shop([]).await;
    let ana = shop.visitor().await;
    for origin in ["https://evil.example", "null", "http://shop.example"] {
        for (method, path) in [("POST", "session"), ("POST", "messages"), ("GET", "events"), ("OPTIONS", "messages")] {
            let answer = shop.asks(method, path, Some(&ana), &[("origin", origin)], "{}").await;
            assert_eq!(answer.status().as_u16(), 403, "{method} {path} {origin}");
            assert!(answer.headers().get("access-control-allow-origin").is_none());
        }
    }
    let asked = shop.asks("OPTIONS", "messages", None, &[("origin", ORIGIN)], "").await;
    assert_eq!(asked.status().as_u16(), 204);
    let header = |name: &str| asked.headers().get(name).unwrap().to_str().unwrap().to_owned();
    assert_eq!(header("access-control-allow-origin"), ORIGIN);
    assert!(header("access-control-allow-headers").contains("authorization"));
    let refused = shop.asks("POST", "messages", None, &[("origin", ORIGIN)], "{}").await;
    assert_eq!(refused.status().as_u16(), 401);
    assert_eq!(refused.headers().get("access-control-allow-origin").unwrap(), ORIGIN, "the page may read why");
    assert_eq!(shop.count("inbox").await, 0);
}

#[tokio::test]
async fn what_the_program_writes_by_itself_is_not_shown_as_of_a_person() {
    let shop = shop([]).await;
    let ana = shop.visitor().await;
    shop.writes(&ana, "message-1", "oi").await;
    let conversation = shop.conversation().await;
    let mailbox = ChatMailbox::new(shop.chats.app().clone(), shop.chats.hub().clone(), shop.organization);
    let kinds = ["staff", "reply", "reminder", "follow_up", "waitlist", "wordless", "waiting"];
    for kind in kinds {
        let text = kind.to_owned();
        shop.staff.reply(shop.organization, conversation, world::STAFF.to_owned(), text).await.unwrap().unwrap();
        let name = shop
            .look(move |tx| {
                let pending = "UPDATE outbox SET kind = ?1 WHERE id = (SELECT max(id) FROM outbox)";
                tx.execute(pending, &[kind.into()])?;
                tx.query_one("SELECT correlation FROM outbox ORDER BY id DESC LIMIT 1", &[], |row| row.get::<String>(0))
            })
            .await;
        mailbox.put(&UserId::new("web:x"), &name, kind, None).await.unwrap();
    }
    let shown = kinds.map(|kind| format!("{}: {kind}", if kind == "staff" { "staff" } else { "agent" }));
    assert_eq!(shop.reads(&ana, Some("1")).await, shown);
}

#[tokio::test]
async fn any_page_may_load_the_widget() {
    let shop = shop([]).await;
    let answer = shop.get("/chat/widget.js", &[("origin", "https://anywhere.example")]).await;
    assert_eq!(answer.status().as_u16(), 200);
    let header = |name: &str| answer.headers().get(name).unwrap().to_str().unwrap().to_owned();
    assert!(header("content-type").starts_with("text/javascript"));
    assert_eq!(header("cross-origin-resource-policy"), "cross-origin");
    assert_eq!(header("x-content-type-options"), "nosniff");
}

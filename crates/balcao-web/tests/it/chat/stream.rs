//! What a visitor's page is told while it is open, and when it comes back.

use std::time::Duration;

use balcao_app::context::staff_email::Actor;
use balcao_app::messaging::web_chat::ChatMailbox;
use balcao_channel::UserId;
use balcao_channel::channels::web::Mailbox;
use balcao_store::{messaging::message, messaging::outbox};
use balcao_web::chat::ChatLimits;
use jiff::SignedDuration;
use serde_json::json;
use tokio::time::{Instant, pause};

use super::world::{Line, STAFF, Shop, says, shop, shop_with, wait, with, words};

#[tokio::test]
async fn an_open_page_is_told_what_was_written_that_an_answer_comes_and_the_answer() {
    let shop = shop([says("Olá! Como posso ajudar?")]).await;
    let ana = shop.visitor().await;
    let mut page = shop.listens(&ana, None).await;
    assert_eq!(page.next().await.unwrap().data, json!({ "with": "agent", "typing": false }));
    shop.writes(&ana, "message-1", "oi").await;
    let own = page.next().await.unwrap();
    assert_eq!((own.id.as_deref(), words(&own).as_str()), (Some("1"), "visitor: oi"));
    assert_eq!(own.data["id"], "message-1");
    assert_eq!(page.next().await.unwrap().data, json!({ "with": "agent", "typing": true }));
    shop.works().await;
    let answer = page.next_of("message").await;
    assert_eq!((answer.id.as_deref(), words(&answer).as_str()), (Some("2"), "agent: Olá! Como posso ajudar?"));
    assert!(answer.data.get("id").is_none());
}

#[tokio::test]
async fn a_reply_is_seen_while_it_is_written_and_then_its_message_takes_its_place() {
    let written = ["Oi! Que bom que veio. ", "Trabalhamos com hora marcada. ", "Qual serviço você ", "prefere?"];
    let shop = shop([says("").in_pieces(&written), says("Até logo!")]).await;
    let ana = shop.visitor().await;
    let mut page = shop.listens(&ana, None).await;
    shop.writes(&ana, "message-1", "oi").await;
    shop.thinks().await;
    let draft = page.next_of("draft").await;
    let reply = written.concat();
    let shown = draft.data["text"].as_str().unwrap().to_owned();
    assert!(draft.id.is_none() && !shown.is_empty() && reply.starts_with(&shown) && shown != reply, "{shown}");
    // Another page that opens now sees as much; one of somebody else nothing.
    let mut other = shop.listens(&ana, None).await;
    assert_eq!(other.next_of("draft").await.data, draft.data);
    let bia = shop.visitor().await;
    let mut hers = shop.listens(&bia, None).await;
    assert_eq!(hers.next().await.unwrap().kind, "state");
    shop.sends().await;
    assert_eq!(words(&page.next_of("message").await), format!("agent: {reply}"));
    // Nothing of it is left beside the message: the next thing that is told is the next turn's.
    shop.writes(&ana, "message-2", "tchau").await;
    shop.works().await;
    loop {
        let event = page.next().await.unwrap();
        assert_ne!(event.data["text"], shown.as_str());
        if event.data["text"] == "Até logo!" && event.kind == "message" {
            break;
        }
    }
}

/// The model's line, said after somebody of staff took the conversation.
fn once_staff_took_over(shop: &Shop, line: Line) -> Line {
    let (staff, chats, organization) = (shop.staff.clone(), shop.chats.clone(), shop.organization);
    with(move |_| {
        wait(async {
            let conversation = chats.latest().await.unwrap().unwrap().0;
            staff.take(organization, conversation, STAFF.to_owned()).await.unwrap().unwrap();
        });
        line
    })
}

#[tokio::test]
async fn nothing_of_a_reply_is_seen_once_a_person_has_the_conversation() {
    let shop = shop([]).await;
    let ana = shop.visitor().await;
    let mut page = shop.listens(&ana, None).await;
    shop.writes(&ana, "message-1", "oi").await;
    let reply = says("").in_pieces(&["Oi! Sou o agente. ", "Trabalhamos com hora marcada. ", "Até já."]);
    shop.model.script([once_staff_took_over(&shop, reply)]);
    shop.works().await;
    loop {
        let event = page.next().await.unwrap();
        assert_ne!(event.kind, "draft");
        if event.data["with"] == "person" {
            break;
        }
    }
}

#[tokio::test]
async fn whoever_comes_back_goes_on_after_the_last_event_and_misses_nothing() {
    let shop = shop([says("Um."), says("Dois.")]).await;
    let ana = shop.visitor().await;
    shop.writes(&ana, "message-1", "primeiro").await;
    shop.works().await;
    shop.writes(&ana, "message-2", "segundo").await;
    shop.works().await;
    let all = ["visitor: primeiro", "agent: Um.", "visitor: segundo", "agent: Dois."];
    for (after, shown) in [(None, 0), (Some("0"), 0), (Some("1"), 1), (Some("3"), 3), (Some("4"), 4)] {
        assert_eq!(shop.reads(&ana, after).await, all[shown..], "{after:?}");
    }
    // What was never given out is no place to go on from: everything is shown, and the page knows what it has.
    for strange in ["99", "-1", "x", "99999999999999999999"] {
        assert_eq!(shop.reads(&ana, Some(strange)).await, all, "{strange}");
    }
}

#[tokio::test]
async fn a_long_conversation_begins_a_hundred_messages_before_its_end_and_replays_more_than_that() {
    let shop = shop([]).await;
    let ana = shop.visitor().await;
    for number in 0..230 {
        assert_eq!(shop.writes(&ana, &format!("message-{number}"), &format!("{number}")).await.0, 202);
        shop.pass(2);
    }
    let fresh = shop.reads(&ana, None).await;
    assert_eq!((fresh.len(), fresh[0].as_str(), fresh[99].as_str()), (100, "visitor: 130", "visitor: 229"));
    let mut page = shop.listens(&ana, Some("10")).await;
    for number in 10..230 {
        assert_eq!(words(&page.next_of("message").await), format!("visitor: {number}"));
    }
}

#[tokio::test]
async fn a_person_who_takes_over_while_the_agent_thinks_is_the_one_who_answers() {
    let shop = shop([]).await;
    let ana = shop.visitor().await;
    let mut page = shop.listens(&ana, None).await;
    shop.writes(&ana, "message-1", "oi").await;
    shop.model.script([once_staff_took_over(&shop, says("Oi! Sou o agente."))]);
    shop.works().await;
    let (organization, conversation) = (shop.organization, shop.conversation().await);
    shop.staff
        .reply(organization, conversation, STAFF.to_owned(), "Oi, aqui é a Renata.".to_owned())
        .await
        .unwrap()
        .unwrap();
    shop.sends().await;
    assert_eq!(shop.reads(&ana, None).await, ["visitor: oi", "staff: Oi, aqui é a Renata."]);
    let told = loop {
        let state = page.next_of("state").await.data;
        if state["with"] == "person" {
            break state;
        }
    };
    assert_eq!(told, json!({ "with": "person", "name": "Renata", "typing": false }));
    // What the agent would have said is a draft for staff.
    let thread = shop.look(move |tx| message::last(tx, organization, conversation, 10)).await;
    assert!(thread.iter().any(|one| one.author == message::Author::Draft));
    shop.writes(&ana, "message-2", "obrigada").await;
    shop.works().await;
    shop.staff.give_back(organization, conversation, Actor::Operator).await.unwrap().unwrap();
    shop.model.script([says("Voltei!")]);
    shop.writes(&ana, "message-3", "quais os serviços?").await;
    shop.works().await;
    assert_eq!(shop.reads(&ana, Some("3")).await, ["visitor: quais os serviços?", "agent: Voltei!"]);
}

#[tokio::test]
async fn a_send_that_was_cut_short_is_repeated_and_shown_once() {
    for was_put in [false, true] {
        let shop = shop([says("Olá!")]).await;
        let ana = shop.visitor().await;
        shop.writes(&ana, "message-1", "oi").await;
        shop.thinks().await;
        // Somebody claims the message, perhaps even delivers it, and dies before that is recorded.
        let now = balcao_domain::Clock::now(&*shop.clock);
        let until = now.checked_add(SignedDuration::from_secs(30)).unwrap();
        let claimed = shop.look(move |tx| outbox::claim(tx, "test", now, until, 10)).await;
        assert_eq!(claimed.len(), 1);
        if was_put {
            let mailbox = ChatMailbox::new(shop.chats.app().clone(), shop.chats.hub().clone(), shop.organization);
            mailbox.put(&UserId::new("web:x"), &claimed[0].correlation, "Olá!", None).await.unwrap();
        }
        shop.sends().await;
        assert_eq!(shop.count("outbox WHERE state = 'sending'").await, 1, "another may still be at it");
        shop.pass(31);
        shop.sends().await;
        assert_eq!(shop.reads(&ana, None).await, ["visitor: oi", "agent: Olá!"], "was put: {was_put}");
        assert_eq!(shop.count("outbox WHERE state = 'sent'").await, 1);
        assert_eq!(shop.count("event WHERE kind = 'message_unknown'").await, 0);
    }
}

#[tokio::test]
async fn a_stream_ends_when_the_server_stops_or_its_time_is_over() {
    let stopping = shop([]).await;
    let ana = stopping.visitor().await;
    let mut page = stopping.listens(&ana, None).await;
    page.next_of("state").await;
    stopping.stop.cancel();
    assert_eq!(page.next().await, None);
    let limits = ChatLimits::default();
    let over = shop_with([], limits).await;
    let ana = over.visitor().await;
    let mut page = over.listens(&ana, None).await;
    page.next_of("state").await;
    // Nothing more happens, and time jumps.
    let began = Instant::now();
    pause();
    assert!(page.stays_silent_to_its_end().await);
    assert!(began.elapsed() >= limits.stream_time - Duration::from_mins(10), "{:?}", began.elapsed());
    assert_eq!(over.chats.hub().open(), 0);
}

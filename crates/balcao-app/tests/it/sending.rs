//! What is in the outbox leaves once, in order, or staff know why not.

use balcao_domain::outbox::{MAX_ATTEMPTS, OutboxState};
use balcao_llm::providers::scripted::says;
use balcao_store::event;
use balcao_testkit::fakes::graph::{Behaviour, webhooks};
use serde_json::json;

use crate::counter::{Counter, counter};

const HELLO: &str = "Olá! Como posso ajudar?";

async fn told(shop: &Counter) -> Vec<String> {
    let events = shop.look(|tx| event::waiting(tx, 100)).await;
    events.into_iter().map(|event| event.kind).filter(|kind| kind.starts_with("message_")).collect()
}

async fn said_hello(behaviour: Behaviour) -> Counter {
    let shop = counter([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.graph.next(behaviour);
    shop.works().await;
    shop
}

fn busy() -> Behaviour {
    Behaviour::Error { status: 500, code: 131_016, details: "Service overloaded".to_owned() }
}

#[tokio::test]
async fn what_was_certainly_not_sent_is_tried_again_after_a_pause() {
    let shop = said_hello(busy()).await;
    assert_eq!(shop.outbox_states().await, [OutboxState::Pending]);
    assert_eq!(shop.sender.work_off().await.unwrap(), 0, "the pause is not over");
    shop.pass(2);
    shop.sender.work_off().await.unwrap();
    assert_eq!((shop.texts(), shop.outbox_states().await), (vec![HELLO.to_owned()], vec![OutboxState::Sent]));
}

#[tokio::test]
async fn what_fails_again_and_again_is_a_dead_letter_that_staff_see() {
    let shop = said_hello(busy()).await;
    for _ in 1..MAX_ATTEMPTS {
        shop.graph.next(busy());
        shop.pass(400);
        shop.sender.work_off().await.unwrap();
    }
    let [dead] = shop.outbox().await.try_into().unwrap();
    assert_eq!((dead.state, dead.attempts), (OutboxState::Dead, MAX_ATTEMPTS));
    assert!(dead.failure.unwrap().contains("131016"));
    assert_eq!(told(&shop).await, ["message_dead"]);
    shop.pass(100_000);
    assert_eq!(shop.sender.work_off().await.unwrap(), 0);
    assert!(shop.texts().is_empty());
}

#[tokio::test]
async fn f_13_what_may_have_been_sent_is_never_sent_again() {
    for behaviour in [
        Behaviour::AcceptThenDrop,
        Behaviour::AcceptThenCut,
        Behaviour::AcceptThenEmpty,
        Behaviour::Edge { status: 502 },
    ] {
        let shop = said_hello(behaviour.clone()).await;
        assert_eq!(shop.outbox_states().await, [OutboxState::Unknown], "{behaviour:?}");
        assert_eq!(told(&shop).await, ["message_unknown"]);
        shop.pass(100_000);
        assert_eq!(shop.sender.work_off().await.unwrap(), 0);
        assert!(shop.texts().len() <= 1);
    }
}

#[tokio::test]
async fn i_14_a_message_waits_for_the_one_before_it_until_that_is_settled() {
    let shop = counter([says("Um."), says("Dois.")]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.graph.next(Behaviour::Drop);
    shop.works().await;
    assert_eq!(shop.outbox_states().await, [OutboxState::Unknown]);
    shop.joao_writes("wamid.2", "e aí?").await;
    shop.works().await;
    assert_eq!(shop.outbox_states().await, [OutboxState::Unknown, OutboxState::Pending]);
    shop.pass(60);
    shop.sender.work_off().await.unwrap();
    assert_eq!(shop.texts(), ["Dois."]);
}

#[tokio::test]
async fn f_14_a_status_settles_what_nobody_knew() {
    let shop = said_hello(Behaviour::AcceptThenDrop).await;
    let [unknown] = shop.outbox().await.try_into().unwrap();
    let correlation = json!({ "biz_opaque_callback_data": unknown.correlation });
    shop.delivers(&webhooks::status("wamid.OUT1", "delivered", correlation)).await;
    let [sent] = shop.outbox().await.try_into().unwrap();
    assert_eq!((sent.state, sent.delivery.as_deref()), (OutboxState::Sent, Some("delivered")));
    assert_eq!((sent.provider_message.as_deref(), sent.failure), (Some("wamid.OUT1"), None));
}

#[tokio::test]
async fn f_27_statuses_repeat_and_come_in_any_order() {
    let shop = said_hello(Behaviour::Normal).await;
    for status in ["read", "sent", "delivered", "read", "sent"] {
        shop.delivers(&webhooks::status("wamid.OUT1", status, json!({}))).await;
    }
    shop.delivers(&webhooks::status("wamid.of nobody", "read", json!({}))).await;
    let [sent] = shop.outbox().await.try_into().unwrap();
    assert_eq!((sent.state, sent.delivery.as_deref()), (OutboxState::Sent, Some("read")));
}

#[tokio::test]
async fn a_message_that_fails_after_it_was_accepted_is_a_dead_letter() {
    let shop = said_hello(Behaviour::Normal).await;
    let errors = json!({ "errors": [{ "code": 131_026, "title": "Message undeliverable" }] });
    shop.delivers(&webhooks::status("wamid.OUT1", "failed", errors)).await;
    let [dead] = shop.outbox().await.try_into().unwrap();
    assert_eq!(dead.state, OutboxState::Dead);
    assert!(dead.failure.unwrap().contains("131026"));
    assert_eq!(told(&shop).await, ["message_dead"]);
}

#[tokio::test]
async fn outside_the_window_nothing_is_sent_and_staff_know() {
    let shop = counter([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.pass(3);
    shop.dispatcher.work_off().await.unwrap();
    shop.pass(86_400);
    let before = shop.graph.asked().len();
    shop.sender.work_off().await.unwrap();
    assert_eq!(shop.graph.asked().len(), before);
    let [dead] = shop.outbox().await.try_into().unwrap();
    assert!(dead.failure.unwrap().starts_with("outside the window"));
    assert_eq!(told(&shop).await, ["message_dead"]);
}

#[tokio::test]
async fn f_131_a_message_that_takes_long_keeps_no_other_conversation_waiting() {
    let shop = counter([says("Um."), says("Dois.")]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.pass(3);
    shop.dispatcher.work_off().await.unwrap();
    shop.graph.next(Behaviour::AcceptThenSilence);
    let stop = tokio_util::sync::CancellationToken::new();
    let second = async {
        while shop.texts().is_empty() {
            tokio::task::yield_now().await;
        }
        let now = balcao_domain::Clock::now(&*shop.world.clock).as_second().to_string();
        let maria = json!({ "from": "5531988881234", "from_user_id": "BR.2", "id": "wamid.2", "timestamp": now,
            "type": "text", "text": { "body": "oi" } });
        shop.delivers(&webhooks::envelope("messages", json!({ "messages": [maria] }))).await;
        shop.pass(3);
        shop.dispatcher.work_off().await.unwrap();
        while shop.texts().len() < 2 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        () = shop.sender.run(stop.clone()) => panic!("nobody told it to stop"),
        () = second => {}
    }
    assert_eq!(shop.texts(), ["Um.", "Dois."]);
    assert_eq!(shop.outbox_states().await, [OutboxState::Sending]);
}

#[tokio::test]
async fn a_process_that_dies_while_it_sends_leaves_an_unknown_message() {
    let shop = counter([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.graph.next(Behaviour::AcceptThenSilence);
    shop.pass(3);
    shop.dispatcher.work_off().await.unwrap();
    tokio::select! {
        _ = shop.sender.work_off() => panic!("Meta does not answer"),
        () = async { while shop.texts().is_empty() { tokio::task::yield_now().await } } => {}
    }
    assert_eq!(shop.outbox_states().await, [OutboxState::Sending]);
    shop.pass(31);
    shop.sender.work_off().await.unwrap();
    assert_eq!(shop.outbox_states().await, [OutboxState::Unknown]);
    shop.pass(100_000);
    shop.sender.work_off().await.unwrap();
    assert_eq!(shop.texts(), [HELLO]);
}

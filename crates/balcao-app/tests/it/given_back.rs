//! A conversation that staff give back: it counts the messages without an answer, and the agent answers each later message once.

use std::sync::{Arc, Mutex};

use balcao_app::context::staff_email::Actor;
use balcao_app::conversations::Conversations;
use balcao_llm::providers::scripted::{says, with};
use balcao_testkit::fakes::graph::Behaviour;

use crate::messaging_harness::{MessagingHarness, start_harness, wait};

const HELLO: &str = "Olá! Como posso ajudar?";

async fn given_back(shop: &MessagingHarness) -> u32 {
    let (organization, id) = (shop.world.organization, shop.conversation().await.id);
    let conversations = Conversations::new(shop.world.app.clone());
    conversations.give_back(organization, id, Actor::Operator).await.unwrap().unwrap()
}

#[tokio::test]
async fn what_a_running_turn_is_about_to_answer_is_not_counted_and_is_answered_once() {
    let shop = start_harness([]).await;
    shop.joao_writes("wamid.1", "oi").await;
    let (organization, id) = (shop.world.organization, shop.conversation().await.id);
    let (conversations, email) = (Conversations::new(shop.world.app.clone()), shop.world.staff().await.remove(0).email);
    let counted = Arc::new(Mutex::new(None));
    let told = Arc::clone(&counted);
    shop.model.script([with(move |_| {
        let acts = async {
            conversations.take(organization, id, email).await.unwrap().unwrap();
            conversations.give_back(organization, id, Actor::Operator).await.unwrap().unwrap()
        };
        *told.lock().unwrap() = Some(wait(acts));
        says(HELLO)
    })]);
    shop.run_until_idle().await;
    shop.run_until_idle().await;
    assert_eq!((shop.texts(), *counted.lock().unwrap()), (vec![HELLO.to_owned()], Some(0)));
}

#[tokio::test]
async fn what_was_written_to_a_person_is_counted_and_not_answered() {
    let shop = start_harness([]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.staff_takes_over().await;
    shop.run_until_idle().await;
    assert_eq!(given_back(&shop).await, 1);
    shop.run_until_idle().await;
    assert!(shop.texts().is_empty());
}

#[tokio::test]
async fn an_answer_that_did_not_arrive_is_none() {
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.graph.next(Behaviour::Error { status: 400, code: 131_051, details: "Not supported".to_owned() });
    shop.run_until_idle().await;
    shop.staff_takes_over().await;
    assert_eq!(given_back(&shop).await, 1);
}

#[tokio::test]
async fn what_came_before_it_was_given_back_and_no_turn_has_settled_is_answered() {
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.staff_takes_over().await;
    // It is given back while the turn runs that was to be silent for the person.
    let at_once = "CREATE TRIGGER given_back AFTER UPDATE ON conversation
                   WHEN NEW.state = 'human' AND EXISTS (SELECT 1 FROM turn WHERE conversation_id = NEW.id AND state = 'open')
                   BEGIN UPDATE conversation SET state = 'ai' WHERE id = NEW.id; END";
    shop.in_transaction(move |tx| tx.execute(at_once, &[])).await;
    shop.run_until_idle().await;
    assert_eq!(shop.texts(), [HELLO]);
}

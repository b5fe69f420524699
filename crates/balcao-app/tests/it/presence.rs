//! Customers see that their message was read and that an answer is being written.

use balcao_domain::conversation::ConversationState;
use balcao_llm::providers::scripted::{says, with};
use balcao_testkit::fakes::graph::{Behaviour, FakeGraph};
use balcao_testkit::wait;

use crate::messaging_harness::start_harness;

/// Waits until Meta received a read receipt for that message.
fn seen(graph: &FakeGraph, id: &str) {
    wait::until("Meta is told", || graph.read().iter().any(|read| read == id).then_some(()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_shows_that_it_runs() {
    let shop = std::sync::Arc::new(start_harness([]).await.present());
    let looking = std::sync::Arc::clone(&shop);
    shop.model.script([with(move |_| {
        seen(&looking.graph, "wamid.2");
        says("Olá!")
    })]);
    shop.joao_writes("wamid.1", "oi").await;
    shop.joao_writes("wamid.2", "tem horário?").await;
    shop.run_until_idle().await;
    assert_eq!((shop.texts(), shop.graph.read()), (vec!["Olá!".to_owned()], vec!["wamid.2".to_owned()]));
    let typing = |asked: &balcao_testkit::fakes::graph::Asked| asked.body.get("typing_indicator").is_some();
    assert!(shop.graph.asked().iter().any(typing));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_does_not_fail_because_nobody_sees_it() {
    for behaviour in [Behaviour::Drop, Behaviour::Edge { status: 502 }, Behaviour::AcceptThenSilence] {
        let shop = std::sync::Arc::new(start_harness([]).await.present());
        let looking = std::sync::Arc::clone(&shop);
        shop.graph.next(behaviour);
        shop.model.script([with(move |_| {
            looking.graph.was_asked(1)();
            says("Olá!")
        })]);
        shop.joao_writes("wamid.1", "oi").await;
        shop.run_until_idle().await;
        assert_eq!(shop.texts(), ["Olá!"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_that_a_person_has_shows_nothing() {
    let shop = start_harness([says("Olá!")]).await.present();
    shop.joao_writes("wamid.1", "oi").await;
    shop.run_until_idle().await;
    let mut conversation = shop.conversation().await;
    conversation.state = ConversationState::Human;
    let organization = shop.world.organization;
    shop.in_transaction(move |tx| balcao_store::messaging::conversation::update(tx, organization, &conversation)).await;
    shop.joao_writes("wamid.2", "alguém aí?").await;
    shop.run_until_idle().await;
    assert!(!shop.graph.read().contains(&"wamid.2".to_owned()));
}

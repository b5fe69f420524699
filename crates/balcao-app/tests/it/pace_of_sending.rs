//! No number sends faster than Meta allows, for any count of programs, and a message that Meta finds too fast is not lost.

use balcao_channel::Outbound;
use balcao_domain::outbox::OutboxState;
use balcao_llm::providers::scripted::says;
use balcao_store::messaging::outbox::{self, NewOutbox};
use balcao_testkit::fakes::graph::{ACCOUNT, Behaviour};

use crate::messaging_harness::{MessagingHarness, sender, start_harness};

/// What may leave at once.
const BURST: usize = 16;
/// What may leave in a second.
const PER_SECOND: usize = 80;

/// So many customers write, and each gets an answer, which waits in the outbox.
async fn answered(customers: usize) -> MessagingHarness {
    let shop = start_harness((0..customers).map(|_| says("Oi!"))).await;
    for customer in 0..customers {
        let (number, user) = (format!("5531988{customer:06}"), format!("BR.9{customer}"));
        shop.writes_as(Some(&number), Some(&user), &format!("wamid.{customer}"), "oi").await;
    }
    shop.advance_secs(3);
    shop.dispatcher.work_off().await.unwrap();
    shop
}

/// João gets one more message of staff.
async fn one_more_to_joao(shop: &MessagingHarness, name: &str) {
    let (organization, conversation) = (shop.world.organization, shop.conversation().await.id);
    let (recipient, name) = (shop.outbox().await[0].recipient.clone(), name.to_owned());
    let body = serde_json::to_string(&Outbound::text(name.as_str()).unwrap()).unwrap();
    let now = balcao_domain::Clock::now(&*shop.world.clock);
    shop.in_transaction(move |tx| {
        let new = NewOutbox {
            conversation,
            turn: None,
            message: None,
            part: 1,
            kind: "staff",
            channel: "whatsapp",
            account: ACCOUNT,
            recipient: &recipient,
            body: &body,
            correlation: &name,
            about: None,
            fallback: None,
        };
        outbox::push(tx, organization, &new, now)
    })
    .await;
}

fn refused(code: i64) -> Behaviour {
    Behaviour::Error { status: 400, code, details: "Rate limit hit".to_owned() }
}

#[tokio::test]
async fn f_146_a_number_sends_no_faster_than_meta_allows_whoever_sends_for_it() {
    let shop = answered(60).await;
    let other = sender(&shop.world, &shop.graph);
    shop.sender.work_off().await.unwrap();
    other.work_off().await.unwrap();
    assert_eq!(shop.texts().len(), BURST, "two programs share one pace");
    // A quarter of a second, as often as the outbox is looked at.
    let mut sent = vec![shop.texts().len()];
    while shop.texts().len() < 60 {
        shop.world.clock.advance(jiff::SignedDuration::from_millis(250));
        shop.sender.work_off().await.unwrap();
        other.work_off().await.unwrap();
        sent.push(shop.texts().len());
        assert!(sent.len() < 10, "{sent:?}");
    }
    let in_a_second = sent.windows(5).map(|seconds| seconds[4] - seconds[0]).max().unwrap_or(sent[sent.len() - 1]);
    assert!(in_a_second <= PER_SECOND, "{sent:?}");
    assert!(shop.outbox_of_all().await.iter().all(|one| (one.state, one.attempts) == (OutboxState::Sent, 1)));
}

#[tokio::test]
async fn what_meta_finds_too_fast_waits_costs_no_attempt_and_the_number_is_slower_for_a_while() {
    for code in [4, 80_007, 130_429] {
        let shop = answered(3).await;
        shop.graph.next(refused(code));
        shop.sender.work_off().await.unwrap();
        let sent = shop.texts().len();
        assert!(sent <= 2, "{code}");
        assert_eq!(shop.sender.work_off().await.unwrap(), 0, "{code}: the number rests");
        shop.advance_secs(2);
        shop.sender.work_off().await.unwrap();
        assert_eq!(shop.texts().len(), 3, "{code}");
        let all = shop.outbox_of_all().await;
        let slowed = all.iter().filter(|one| one.attempts == 2).collect::<Vec<_>>();
        assert_eq!((slowed.len(), slowed[0].excused, slowed[0].state), (1, 1, OutboxState::Sent), "{code}");
    }
}

#[tokio::test]
async fn a_number_that_is_too_fast_all_night_loses_nothing() {
    let shop = answered(1).await;
    for _ in 0..40 {
        shop.graph.next(refused(130_429));
        shop.sender.work_off().await.unwrap();
        shop.advance_secs(50);
    }
    assert_eq!(shop.outbox_of_all().await[0].state, OutboxState::Pending);
    shop.sender.work_off().await.unwrap();
    assert_eq!(shop.texts(), ["Oi!"]);
}

#[tokio::test]
async fn a_customer_who_got_too_many_waits_in_order_and_nobody_else_does() {
    let shop = start_harness([says("Um."), says("Oi!")]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.graph.next(refused(131_056));
    shop.run_until_idle().await;
    one_more_to_joao(&shop, "Dois.").await;
    shop.sender.work_off().await.unwrap();
    assert_eq!(shop.outbox_states().await, [OutboxState::Pending, OutboxState::Pending]);
    // After one second it is tried again, and then only after four.
    shop.graph.next(refused(131_056));
    shop.advance_secs(1);
    shop.sender.work_off().await.unwrap();
    shop.writes_as(Some("5531988881234"), Some("BR.2"), "wamid.2", "oi").await;
    shop.run_until_idle().await;
    assert_eq!(shop.texts(), ["Oi!"], "nobody else waits for him");
    shop.advance_secs(1);
    shop.sender.work_off().await.unwrap();
    assert_eq!(shop.texts(), ["Oi!", "Um.", "Dois."]);
}

#[tokio::test]
async fn one_customer_gets_forty_five_at_once_and_then_one_in_six_seconds() {
    let shop = start_harness([says("Oi!")]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.run_until_idle().await;
    for number in 0..50 {
        one_more_to_joao(&shop, &format!("{number}")).await;
    }
    for _ in 0..5 {
        shop.advance_secs(1);
        shop.sender.work_off().await.unwrap();
    }
    assert_eq!(shop.texts().len(), 45, "the fifth second is not the sixth");
    shop.advance_secs(6);
    shop.sender.work_off().await.unwrap();
    assert_eq!(shop.texts().len(), 46);
    shop.advance_secs(6 * 60);
    shop.sender.work_off().await.unwrap();
    let expected: Vec<String> =
        ["Oi!".to_owned()].into_iter().chain((0..50).map(|number| number.to_string())).collect();
    assert_eq!(shop.texts(), expected, "in their order");
}

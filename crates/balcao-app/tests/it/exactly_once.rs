//! Turns of leased conversations: crashes, takeovers, messages that come in between, poison, several processes.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use balcao_app::turns::dispatcher::DispatcherSettings;
use balcao_domain::conversation::ConversationState;
use balcao_domain::inbox::InboxState;
use balcao_domain::outbox::OutboxState;
use balcao_llm::providers::scripted::{calls, never_answers, says};
use balcao_store::messaging::message::Author;
use balcao_store::scheduling::appointment;
use balcao_store::turns::lease::{self, LeaseRequest};
use balcao_store::{CommitOutcome, FaultInjector, InlineDatabase};
use balcao_testkit::fakes::graph::Behaviour;
use balcao_testkit::fakes::graph::webhooks;
use jiff::SignedDuration;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until, timeout};

use crate::messaging_harness::{MessagingHarness, eli, start_harness, start_on_store};

const HELLO: &str = "Olá! Como posso ajudar?";

fn echo(text: &str) -> Value {
    let echo = json!({ "from": "551130001000", "to": "554187654321", "to_user_id": "BR.1234567890", "id": "wamid.E1",
        "timestamp": "1795182300", "type": "text", "text": { "body": text } });
    webhooks::envelope("smb_message_echoes", json!({ "message_echoes": [echo] }))
}

fn booking() -> balcao_llm::providers::scripted::Line {
    calls(
        "create_appointment",
        &json!({"barber_name": "Otávio", "date": "2026-11-26", "start_hour": "15:00", "service_name": "Barba desenhada"}),
    )
}

async fn appointments(shop: &MessagingHarness) -> usize {
    let (organization, joao) = (shop.world.organization, shop.conversation().await.contact);
    let now = balcao_domain::Clock::now(&*shop.world.clock);
    let currency = balcao_domain::Currency::BRL;
    shop.in_transaction(move |tx| appointment::upcoming_of_contact(tx, organization, joao, currency, now)).await.len()
}

/// A process leases everything and then crashes.
async fn dies(shop: &MessagingHarness) {
    let now = balcao_domain::Clock::now(&*shop.world.clock);
    let until = now.checked_add(SignedDuration::from_secs(30)).unwrap();
    shop.in_transaction(move |tx| {
        lease::lease_due(tx, &LeaseRequest { owner: "dies", now, until, limit: 10, suspects: 10 }).map(drop)
    })
    .await;
    shop.advance_secs(31);
}

#[tokio::test]
async fn a_message_that_comes_before_the_turn_changed_anything_supersedes_it() {
    let shop = start_harness([]).await;
    shop.model.script([
        shop.after_joao_writes("wamid.2", "quero barba", says("Quer cortar o cabelo?")),
        says("Certo, barba. Que dia?"),
    ]);
    shop.joao_writes("wamid.1", "quero cortar").await;
    shop.run_until_idle().await;
    assert_eq!(shop.asked(), "quero cortar\nquero barba");
    assert_eq!(shop.texts(), ["Certo, barba. Que dia?"]);
    assert_eq!(shop.inbox_states().await, [InboxState::Answered; 2]);
    let rows = shop.inbox_rows().await;
    assert_eq!(rows[0].turn, rows[1].turn);
    shop.run_until_idle().await;
    assert_eq!(shop.texts().len(), 1);
}

#[tokio::test]
async fn a_message_that_comes_after_an_effect_is_answered_right_after() {
    let shop = start_harness([]).await;
    shop.model.script([
        booking(),
        shop.after_joao_writes(
            "wamid.2",
            "e quanto custa?",
            says("Marcado: Barba desenhada com Otávio, quinta-feira 26/11 às 15:00."),
        ),
        says("Depois te conto na loja."),
    ]);
    shop.joao_writes("wamid.1", "marca barba desenhada com o Otávio quinta às 15h").await;
    shop.run_until_idle().await;
    assert_eq!(shop.texts().len(), 1);
    shop.run_until_idle().await;
    assert_eq!(shop.texts().len(), 2);
    assert_eq!(appointments(&shop).await, 1);
    let rows = shop.inbox_rows().await;
    assert_ne!(rows[0].turn, rows[1].turn);
}

#[tokio::test]
async fn a_customer_who_never_stops_writing_is_answered_all_the_same() {
    let shop = start_harness([]).await;
    let lines = (2..=20).map(|number| {
        let id = format!("wamid.{number}");
        shop.after_joao_writes(&id, "e mais", says("Pois não?"))
    });
    shop.model.script(lines.collect::<Vec<_>>());
    shop.model.script([says("Diga tudo, estou lendo.")]);
    shop.joao_writes("wamid.1", "oi").await;
    shop.run_until_idle().await;
    assert_eq!(shop.texts(), ["Diga tudo, estou lendo."]);
    assert_eq!(shop.inbox_rows().await.len(), 20);
}

#[tokio::test]
async fn f_151_i_17_a_reply_that_comes_after_a_takeover_is_a_draft() {
    let shop = start_harness([]).await;
    shop.model.script([shop.after_delivery(&echo("Deixa comigo"), says(HELLO))]);
    shop.joao_writes("wamid.1", "oi").await;
    shop.run_until_idle().await;
    assert!(shop.texts().is_empty());
    assert!(shop.outbox().await.is_empty());
    assert_eq!(shop.thread().await.last().unwrap(), &(Author::Draft, HELLO.to_owned()));
    assert_eq!(shop.inbox_states().await, [InboxState::Ignored, InboxState::Ignored]);
}

#[tokio::test]
async fn i_17_f_150_what_a_person_took_over_does_not_act() {
    let shop = start_harness([]).await;
    shop.model.script([shop.after_delivery(&echo("Deixa comigo"), booking())]);
    shop.joao_writes("wamid.1", "marca barba desenhada com o Otávio quinta às 15h").await;
    shop.run_until_idle().await;
    assert_eq!(appointments(&shop).await, 0);
    assert!(shop.texts().is_empty() && shop.outbox().await.is_empty());
    assert_eq!(shop.inbox_states().await, [InboxState::Ignored, InboxState::Ignored]);
}

#[tokio::test]
async fn f_25_what_the_customer_changes_before_anything_was_done_is_not_done() {
    let shop = start_harness([]).await;
    shop.model.script([
        shop.after_joao_writes("wamid.2", "não, sexta!", booking()),
        says("Certo, sexta então. A que horas?"),
    ]);
    shop.joao_writes("wamid.1", "marca barba desenhada com o Otávio quinta às 15h").await;
    shop.run_until_idle().await;
    assert_eq!(appointments(&shop).await, 0);
    assert_eq!(shop.texts(), ["Certo, sexta então. A que horas?"]);
    assert_eq!(shop.asked(), "marca barba desenhada com o Otávio quinta às 15h\nnão, sexta!");
    assert_eq!(shop.inbox_states().await, [InboxState::Answered, InboxState::Answered]);
}

#[tokio::test]
async fn o_13_a_reply_that_waits_for_the_sender_is_withdrawn_by_a_takeover() {
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.advance_secs(3);
    shop.dispatcher.work_off().await.unwrap();
    shop.delivers(&echo("Deixa comigo")).await;
    shop.sender.work_off().await.unwrap();
    assert!(shop.texts().is_empty());
    assert_eq!(shop.outbox_states().await, [OutboxState::Dead]);
    assert_eq!(shop.thread().await[1], (Author::Draft, HELLO.to_owned()));
}

#[tokio::test]
async fn i_17_a_reply_that_a_person_overtook_while_it_was_being_sent_is_not_sent_again() {
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.advance_secs(3);
    shop.dispatcher.work_off().await.unwrap();
    // It was being sent when they took over, so that it was not withdrawn; and it did not go through.
    shop.in_transaction(|tx| tx.execute("UPDATE conversation SET state = 'human'", &[])).await;
    shop.graph.next(Behaviour::Error { status: 500, code: 131_016, details: "Service overloaded".to_owned() });
    shop.sender.work_off().await.unwrap();
    shop.advance_secs(60);
    shop.sender.work_off().await.unwrap();
    assert!(shop.texts().is_empty());
    assert_eq!(shop.outbox_states().await, [OutboxState::Dead]);
    assert_eq!(shop.thread().await[1], (Author::Draft, HELLO.to_owned()));
}

#[tokio::test]
async fn f_05_a_turn_that_was_cut_short_is_taken_up_by_whoever_comes_next() {
    let shop = start_harness([booking(), never_answers()]).await;
    shop.joao_writes("wamid.1", "marca barba desenhada com o Otávio quinta às 15h").await;
    shop.advance_secs(3);
    // The process dies while the model writes its last words: the appointment is booked, nothing was said.
    tokio::select! {
        _ = shop.dispatcher.work_off() => panic!("the model does not answer"),
        () = async { while shop.model.requests().len() < 2 { tokio::task::yield_now().await } } => {}
    }
    assert_eq!(appointments(&shop).await, 1);
    assert_eq!(shop.inbox_states().await, [InboxState::Assigned]);
    let other = shop.another_process();
    assert_eq!(other.work_off().await.unwrap(), 0, "the lease has not run out");
    shop.advance_secs(31);
    shop.model.script([says("Marcado: Barba desenhada com Otávio, quinta-feira 26/11 às 15:00.")]);
    assert_eq!(other.work_off().await.unwrap(), 1);
    shop.sender.work_off().await.unwrap();
    assert_eq!((shop.texts().len(), appointments(&shop).await), (1, 1));
    assert_eq!(shop.inbox_states().await, [InboxState::Answered]);
}

#[tokio::test]
async fn i_5_whoever_slept_through_their_lease_changes_nothing() {
    let shop = start_harness([]).await;
    let other = shop.another_process();
    let (clock, wakes) = (std::sync::Arc::clone(&shop.world.clock), says("Desculpe a demora."));
    let sleeps = balcao_llm::providers::scripted::with(move |_| {
        // While this one sleeps, the other answers.
        clock.advance(SignedDuration::from_secs(31));
        crate::messaging_harness::wait(other.work_off()).unwrap();
        wakes
    });
    shop.model.script([sleeps, says(HELLO)]);
    shop.joao_writes("wamid.1", "oi").await;
    shop.run_until_idle().await;
    assert_eq!(shop.texts(), [HELLO]);
    assert_eq!(shop.inbox_states().await, [InboxState::Answered]);
    assert_eq!(shop.thread().await.len(), 2);
}

/// A database that does not answer for a while.
#[derive(Debug, Default)]
struct Stuck(Mutex<Option<Instant>>);

#[async_trait]
impl FaultInjector for Stuck {
    async fn enter(&self, _may_write: bool) -> CommitOutcome {
        let until = *self.0.lock().unwrap();
        if let Some(until) = until {
            sleep_until(until).await;
        }
        CommitOutcome::Commit
    }

    async fn leave(&self, _may_write: bool) {}
}

#[tokio::test(start_paused = true)]
async fn f_85_a_turn_ends_with_its_lease_though_the_database_does_not_answer() {
    let gate = Arc::new(Stuck::default());
    let shop = start_on_store(InlineDatabase::new().unwrap().behind(gate.clone()), eli(), [never_answers()]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.advance_secs(3);
    let stuck = async {
        while shop.model.requests().is_empty() {
            tokio::task::yield_now().await;
        }
        *gate.0.lock().unwrap() = Some(Instant::now() + Duration::from_mins(5));
    };
    // What is leased next waits for the database as well; the turn does not.
    let working = timeout(Duration::from_mins(6), shop.dispatcher.work_off());
    let (leases, ()) = tokio::join!(working, stuck);
    assert_eq!(leases.expect("the turn goes on without its lease").unwrap(), 1);
    assert_eq!(shop.inbox_states().await, [InboxState::Assigned]);
}

#[tokio::test]
async fn i_20_a_message_that_nobody_survives_ends_with_a_person() {
    let shop = start_harness([]).await;
    shop.joao_writes("wamid.1", "☠").await;
    shop.advance_secs(3);
    for _ in 0..3 {
        dies(&shop).await;
    }
    shop.run_until_idle().await;
    assert_eq!(shop.texts().len(), 1);
    assert!(shop.texts()[0].starts_with("Estou com dificuldade"), "{}", shop.texts()[0]);
    assert_eq!(shop.conversation().await.state, ConversationState::WaitingHuman);
    assert_eq!(shop.inbox_states().await, [InboxState::HandedOff]);
}

#[tokio::test]
async fn f_138_a_message_that_only_fails_is_tried_again_later_and_its_neighbours_do_not_wait() {
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.advance_secs(3);
    // The row is damaged for a while.
    shop.in_transaction(|tx| tx.execute("UPDATE organization SET timezone = 'Nowhere/Land'", &[])).await;
    shop.dispatcher.work_off().await.unwrap();
    assert_eq!(shop.inbox_states().await, [InboxState::New]);
    shop.in_transaction(|tx| tx.execute("UPDATE organization SET timezone = 'America/Sao_Paulo'", &[])).await;
    assert_eq!(shop.dispatcher.work_off().await.unwrap(), 0, "a second is not over");
    shop.run_until_idle().await;
    assert_eq!(shop.texts(), [HELLO]);
}

#[tokio::test]
async fn two_processes_answer_thirty_customers_once_each() {
    let shop = start_harness((0..30).map(|_| says(HELLO)).collect::<Vec<_>>()).await;
    let now = balcao_domain::Clock::now(&*shop.world.clock).as_second().to_string();
    for number in 0..30 {
        let (phone, user) = (format!("5541988880{number:03}"), format!("BR.9{number:03}"));
        let message = json!({ "from": phone, "from_user_id": user, "id": format!("wamid.{number}"), "timestamp": now,
            "type": "text", "text": { "body": "oi" } });
        shop.delivers(&webhooks::envelope("messages", json!({ "messages": [message] }))).await;
    }
    shop.advance_secs(3);
    let other = shop.another_process();
    let (one, two) = tokio::join!(shop.dispatcher.work_off(), other.work_off());
    assert_eq!(one.unwrap() + two.unwrap(), 30);
    shop.sender.work_off().await.unwrap();
    // So many at once are more than the number may send in an instant.
    shop.advance_secs(1);
    shop.sender.work_off().await.unwrap();
    let mut to: Vec<String> =
        shop.graph.accepted().iter().map(|message| message["to"].as_str().unwrap().to_owned()).collect();
    to.sort();
    to.dedup();
    assert_eq!((shop.texts().len(), to.len()), (30, 30));
}

#[tokio::test]
async fn f_133_when_a_campaign_is_answered_by_hundreds_each_is_answered_once_and_in_turn() {
    const CUSTOMERS: usize = 200;
    let shop = start_harness((0..CUSTOMERS).map(|_| says(HELLO)).collect::<Vec<_>>()).await;
    for number in 0..CUSTOMERS {
        let now = balcao_domain::Clock::now(&*shop.world.clock).as_second().to_string();
        let (phone, user) = (format!("5541988880{number:03}"), format!("BR.9{number:03}"));
        let message = json!({ "from": phone, "from_user_id": user, "id": format!("wamid.{number}"), "timestamp": now,
            "type": "text", "text": { "body": "quero" } });
        shop.delivers(&webhooks::envelope("messages", json!({ "messages": [message] }))).await;
        shop.advance_secs(1);
    }
    shop.advance_secs(3);
    assert_eq!(shop.dispatcher.work_off().await.unwrap(), CUSTOMERS);
    // Numbers grow in the order of arrival: the contacts' by messages, the turns' by leases.
    let order = "SELECT c.contact_id FROM turn t JOIN conversation c ON c.id = t.conversation_id ORDER BY t.id";
    let answered: Vec<i64> = shop.in_transaction(move |tx| tx.query_all(order, &[], |row| row.get(0))).await;
    let first = answered.iter().min().copied().unwrap();
    let at_once = i64::from(DispatcherSettings::new("eli", "any").max_concurrent_turns);
    for (place, contact) in (0_i64..).zip(&answered) {
        let waited = place - (contact - first);
        assert!(waited.abs() < at_once, "customer {contact} was answered as number {place}: {answered:?}");
    }
    assert_eq!(answered.len(), CUSTOMERS);
}

//! What is in the outbox leaves once, in order, or staff know why not.

use balcao_app::admin::backlog::BacklogKind;
use balcao_app::conversations::{Conversations, DeliveryStep};
use balcao_app::messaging::outbound::dead_letters::DeadLetters;
use balcao_app::messaging::outbound::message_templates::{Purpose, TemplateVariable};
use balcao_app::scheduling::booking::{BookRequest, Booking};
use balcao_domain::Clock;
use balcao_domain::outbox::{MAX_ATTEMPTS, OutboxState};
use balcao_llm::providers::scripted::says;
use balcao_store::{turns::event, turns::lease};
use balcao_testkit::fakes::graph::{Behaviour, webhooks};
use serde_json::json;

use crate::messaging_harness::{MessagingHarness, start_harness, terms};

pub(crate) const HELLO: &str = "Olá! Como posso ajudar?";

async fn told(shop: &MessagingHarness) -> Vec<String> {
    let events = shop.in_transaction(|tx| event::waiting(tx, 100)).await;
    events.into_iter().map(|event| event.kind).filter(|kind| kind.starts_with("message_")).collect()
}

/// A contact wrote and gets an answer, and Meta handles the answer with this behaviour.
pub(crate) async fn said_hello(behaviour: Behaviour) -> MessagingHarness {
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.graph.next(behaviour);
    shop.run_until_idle().await;
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
    shop.advance_secs(2);
    shop.sender.work_off().await.unwrap();
    assert_eq!((shop.texts(), shop.outbox_states().await), (vec![HELLO.to_owned()], vec![OutboxState::Sent]));
}

#[tokio::test]
async fn what_fails_again_and_again_is_a_dead_letter_that_staff_see() {
    let shop = said_hello(busy()).await;
    for _ in 1..MAX_ATTEMPTS {
        shop.graph.next(busy());
        shop.advance_secs(400);
        shop.sender.work_off().await.unwrap();
    }
    let [dead] = shop.outbox().await.try_into().unwrap();
    assert_eq!((dead.state, dead.attempts), (OutboxState::Dead, MAX_ATTEMPTS));
    assert!(dead.failure.unwrap().contains("131016"));
    assert_eq!(told(&shop).await, ["message_dead"]);
    shop.advance_secs(100_000);
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
        shop.advance_secs(100_000);
        assert_eq!(shop.sender.work_off().await.unwrap(), 0);
        assert!(shop.texts().len() <= 1);
    }
}

#[tokio::test]
async fn i_14_a_message_waits_for_the_one_before_it_until_that_is_settled() {
    let shop = start_harness([says("Um."), says("Dois.")]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.graph.next(Behaviour::Drop);
    shop.run_until_idle().await;
    assert_eq!(shop.outbox_states().await, [OutboxState::Unknown]);
    shop.joao_writes("wamid.2", "e aí?").await;
    shop.run_until_idle().await;
    assert_eq!(shop.outbox_states().await, [OutboxState::Unknown, OutboxState::Pending]);
    shop.advance_secs(60);
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
async fn what_a_message_costs_is_what_the_provider_bills_it_as() {
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.advance_secs(3);
    shop.dispatcher.work_off().await.unwrap();
    shop.sends(crate::messaging_harness::terms()).await;
    let cost = async || shop.outbox().await.pop().map(|one| (one.category.unwrap(), one.price_micros)).unwrap();
    assert_eq!(cost().await.0, "service");
    let billed = |category: &str, kind: &str| json!({ "pricing": { "billable": kind == "regular", "category": category, "type": kind } });
    // Every status says it once.
    let said = [
        ("sent", "marketing", "regular", 350_000),
        ("delivered", "service", "free_entry_point", 0),
        ("read", "utility", "regular", 40_000),
    ];
    for (status, category, kind, micros) in said {
        shop.delivers(&webhooks::status("wamid.OUT1", status, billed(category, kind))).await;
        assert_eq!(cost().await, (category.to_owned(), Some(micros)));
    }
}

#[tokio::test]
async fn a_message_that_fails_after_it_was_accepted_is_a_dead_letter() {
    let shop = said_hello(Behaviour::Normal).await;
    let errors = json!({ "errors": [{ "code": 131_049, "title": "Message undeliverable" }] });
    shop.delivers(&webhooks::status("wamid.OUT1", "failed", errors)).await;
    let [dead] = shop.outbox().await.try_into().unwrap();
    assert_eq!(dead.state, OutboxState::Dead);
    assert!(dead.failure.unwrap().contains("131049"));
    assert_eq!(told(&shop).await, ["message_dead"]);
}

fn failed(code: i64) -> serde_json::Value {
    json!({ "errors": [{ "code": code, "title": "It failed" }] })
}

/// Staff have the one message that failed sent again.
async fn sent_again(shop: &MessagingHarness) {
    let organization = shop.world.organization;
    let letters = DeadLetters::new(shop.world.app.clone());
    let letter = letters.list(organization, false, None, 10).await.unwrap().remove(0);
    let email = shop.world.staff().await.remove(0).email;
    letters.retry(organization, letter.id, email, true).await.unwrap().unwrap();
    shop.sender.work_off().await.unwrap();
}

#[tokio::test]
async fn f_14_what_staff_sent_again_is_not_dead_for_what_became_of_the_copy_before() {
    let shop = said_hello(Behaviour::Normal).await;
    let [first] = shop.outbox().await.try_into().unwrap();
    let named = |name: &str| json!({ "biz_opaque_callback_data": name });
    let mut unpaid = failed(131_042);
    unpaid.as_object_mut().unwrap().extend(named(&first.correlation).as_object().unwrap().clone());
    shop.delivers(&webhooks::status("wamid.OUT1", "failed", unpaid.clone())).await;
    assert_eq!(shop.outbox_states().await, [OutboxState::Dead]);
    sent_again(&shop).await;
    let second = shop.graph.accepted().pop().unwrap();
    let name = second["biz_opaque_callback_data"].as_str().unwrap().to_owned();
    assert!(name != first.correlation, "the copies are told apart");
    // Meta took the message, and the customer's telephone is off. The status of the first copy comes late.
    shop.delivers(&webhooks::status("wamid.OUT2", "sent", named(&name))).await;
    unpaid["timestamp"] = json!("1795182399");
    shop.delivers(&webhooks::status("wamid.OUT1", "sent", unpaid)).await;
    let [sent] = shop.outbox().await.try_into().unwrap();
    assert_eq!((sent.state, sent.delivery.as_deref()), (OutboxState::Sent, Some("sent")));
    assert_eq!(told(&shop).await, ["message_dead"], "once");
}

#[tokio::test]
async fn f_14_a_copy_that_failed_late_does_not_stop_the_one_in_flight() {
    let shop = said_hello(Behaviour::AcceptThenDrop).await;
    let [unknown] = shop.outbox().await.try_into().unwrap();
    let late = json!({ "biz_opaque_callback_data": unknown.correlation, "errors": failed(131_000)["errors"] });
    shop.graph.next(busy());
    sent_again(&shop).await;
    assert_eq!(shop.outbox_states().await, [OutboxState::Pending]);
    shop.delivers(&webhooks::status("wamid.OUT1", "failed", late)).await;
    assert_eq!(shop.outbox_states().await, [OutboxState::Pending], "it is about the first copy");
    shop.advance_secs(10);
    shop.sender.work_off().await.unwrap();
    assert_eq!(shop.outbox_states().await, [OutboxState::Sent]);
    // What tells of the second copy counts, by our name of it too.
    let name = shop.graph.accepted().pop().unwrap()["biz_opaque_callback_data"].clone();
    let read = json!({ "biz_opaque_callback_data": name });
    let [sent] = shop.outbox().await.try_into().unwrap();
    let id = sent.provider_message.unwrap();
    shop.delivers(&webhooks::status(&id, "read", read)).await;
    assert_eq!(shop.outbox().await.remove(0).delivery.as_deref(), Some("read"));
}

/// What Meta says of the message that it took last, a minute later.
async fn meta_fails(shop: &MessagingHarness, code: i64) {
    let last = shop.outbox().await.pop().unwrap();
    shop.advance_secs(60);
    let mut more = failed(code);
    more["timestamp"] = json!(shop.world.clock.now().as_second().to_string());
    shop.delivers(&webhooks::status(&last.provider_message.unwrap(), "failed", more)).await;
}

#[tokio::test]
async fn f_145_a_window_that_meta_finds_closed_later_is_answered_by_a_template_once() {
    let shop = said_hello(Behaviour::Normal).await;
    meta_fails(&shop, 131_047).await;
    shop.sends(terms()).await;
    assert_eq!(shop.graph.accepted().pop().unwrap()["template"]["name"], "retomada");
    assert_eq!(shop.outbox_states().await, [OutboxState::Sent]);
    meta_fails(&shop, 131_047).await;
    shop.sends(terms()).await;
    assert_eq!((shop.graph.accepted().len(), shop.outbox_states().await), (2, vec![OutboxState::Dead]));
}

#[tokio::test]
async fn f_145_without_a_template_what_meta_finds_too_late_is_a_dead_letter() {
    let shop = said_hello(Behaviour::Normal).await;
    meta_fails(&shop, 131_047).await;
    shop.sender.work_off().await.unwrap();
    assert_eq!((shop.graph.accepted().len(), shop.outbox_states().await), (1, vec![OutboxState::Dead]));
    assert_eq!(told(&shop).await, ["message_dead"]);
    let events = shop.in_transaction(|tx| event::waiting(tx, 100)).await;
    let dead = events.iter().find(|event| event.kind == "message_dead").unwrap();
    let told: serde_json::Value = serde_json::from_str(&dead.payload).unwrap();
    assert_eq!(told["conversation"], json!(shop.conversation().await.id.to_string()), "whoever tells of it says where");
}

#[tokio::test]
async fn f_145_an_answer_too_long_for_a_templates_gap_is_a_dead_letter_and_not_unknown() {
    let shop = start_harness([says(&"Temos tudo isso. ".repeat(80))]).await;
    shop.joao_writes("wamid.1", "o que vocês têm?").await;
    shop.advance_secs(3);
    shop.dispatcher.work_off().await.unwrap();
    shop.advance_secs(24 * 3_600);
    let mut terms = terms();
    let reopen = terms.templates.get_mut(&Purpose::Reopen).unwrap();
    reopen.parameters.push((Some("texto".to_owned()), TemplateVariable::Text));
    shop.sends(terms).await;
    assert_eq!(shop.outbox_states().await, [OutboxState::Dead]);
}

#[tokio::test]
async fn what_meta_finds_too_fast_or_fails_for_now_later_is_tried_again_in_its_time() {
    for (code, in_time) in [(131_056, 1), (131_016, 2), (130_429, 5)] {
        let shop = said_hello(Behaviour::Normal).await;
        meta_fails(&shop, code).await;
        assert_eq!(shop.outbox_states().await, [OutboxState::Pending], "{code}");
        shop.sender.work_off().await.unwrap();
        assert_eq!(shop.graph.accepted().len(), 1, "{code} is not tried at once");
        shop.advance_secs(in_time);
        shop.sender.work_off().await.unwrap();
        assert_eq!((shop.graph.accepted().len(), shop.outbox_states().await), (2, vec![OutboxState::Sent]), "{code}");
        assert!(told(&shop).await.is_empty(), "{code} makes no dead letter");
    }
}

#[tokio::test]
async fn staff_see_how_far_what_was_written_came() {
    let shop = said_hello(Behaviour::Normal).await;
    let (organization, id) = (shop.world.organization, shop.conversation().await.id);
    let far = async || {
        let app = Conversations::new(shop.world.app.clone());
        let said = app.messages(organization, id, None, 9).await.unwrap().unwrap().items;
        let [reply, theirs] = said.try_into().unwrap();
        assert_eq!(theirs.delivery, None, "it came in");
        reply.delivery.unwrap()
    };
    assert_eq!((far().await.state, far().await.failure), (DeliveryStep::Sent, None));
    let name = shop.outbox().await.remove(0).provider_message.unwrap();
    for (word, step) in
        [("delivered", DeliveryStep::Delivered), ("read", DeliveryStep::Read), ("sent", DeliveryStep::Read)]
    {
        shop.delivers(&webhooks::status(&name, word, json!({}))).await;
        assert_eq!(far().await.state, step, "{word}");
    }
    let shop = said_hello(Behaviour::Error { status: 400, code: 131_051, details: "Not supported".to_owned() }).await;
    let (organization, id) = (shop.world.organization, shop.conversation().await.id);
    let app = Conversations::new(shop.world.app.clone());
    let reply =
        async || app.messages(organization, id, None, 1).await.unwrap().unwrap().items.remove(0).delivery.unwrap();
    let failed = reply().await;
    assert!(failed.state == DeliveryStep::Failed && failed.failure.unwrap().contains("Not supported"));
    // Sent again, it is on its way, and nothing says that it had arrived.
    shop.graph.next(busy());
    sent_again(&shop).await;
    assert_eq!(reply().await.state, DeliveryStep::Waiting);
}

#[tokio::test]
async fn i_14_what_fails_for_now_after_something_behind_it_left_is_a_dead_letter() {
    let shop = start_harness([says(HELLO), says("Claro! Em que posso ajudar?")]).await;
    for (id, words) in [("wamid.1", "oi"), ("wamid.2", "tudo bem?")] {
        shop.joao_writes(id, words).await;
        shop.run_until_idle().await;
    }
    let first = shop.outbox().await.remove(0);
    shop.advance_secs(60);
    let mut more = failed(131_056);
    more["timestamp"] = json!(shop.world.clock.now().as_second().to_string());
    shop.delivers(&webhooks::status(&first.provider_message.unwrap(), "failed", more)).await;
    assert_eq!(shop.outbox_states().await, [OutboxState::Dead, OutboxState::Sent]);
    assert_eq!(told(&shop).await, ["message_dead"]);
}

#[tokio::test]
async fn whoever_opted_out_at_the_provider_has_opted_out_here() {
    let shop = said_hello(Behaviour::Normal).await;
    meta_fails(&shop, 131_050).await;
    assert!(shop.conversation().await.opted_out_at.is_some());
    let details = "User has opted out".to_owned();
    let shop = said_hello(Behaviour::Error { status: 400, code: 131_050, details }).await;
    assert!(shop.conversation().await.opted_out_at.is_some());
    assert_eq!(shop.outbox_states().await, [OutboxState::Dead]);
}

#[tokio::test]
async fn f_28_a_number_that_is_not_reached_is_tried_once_with_or_without_the_ninth_digit() {
    let unreachable = || Behaviour::Error { status: 400, code: 131_026, details: "Undeliverable".to_owned() };
    let to =
        |shop: &MessagingHarness| shop.graph.accepted().pop().unwrap()["to"].as_str().unwrap_or_default().to_owned();
    // At once.
    let shop = said_hello(unreachable()).await;
    shop.sender.work_off().await.unwrap();
    assert!(to(&shop).ends_with("5541987654321"), "{}", to(&shop));
    // Later; and what arrived there is where answers go from then on.
    let shop = said_hello(Behaviour::Normal).await;
    meta_fails(&shop, 131_026).await;
    shop.sender.work_off().await.unwrap();
    assert!(to(&shop).ends_with("5541987654321"), "{}", to(&shop));
    let sent = shop.outbox().await.pop().unwrap();
    shop.delivers(&webhooks::status(&sent.provider_message.unwrap(), "delivered", json!({}))).await;
    let (organization, id) = (shop.world.organization, shop.conversation().await.id);
    let route = shop.in_transaction(move |tx| lease::route(tx, organization, id)).await.unwrap();
    assert_eq!(route.recipient, sent.recipient);
    // No third time.
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.graph.next(unreachable());
    shop.graph.next(unreachable());
    shop.run_until_idle().await;
    shop.advance_secs(1_000);
    assert_eq!((shop.sender.work_off().await.unwrap(), shop.outbox_states().await), (0, vec![OutboxState::Dead]));
}

fn expired() -> Behaviour {
    Behaviour::Error { status: 401, code: 190, details: "Session has expired".to_owned() }
}

#[tokio::test]
async fn a_token_that_expires_at_night_costs_no_message_and_heals_by_itself() {
    let shop = said_hello(expired()).await;
    assert_eq!(shop.outbox_states().await, [OutboxState::Pending]);
    // A message to another contact does not even try while the account is paused.
    let asked = shop.graph.asked().len();
    shop.model.script([says("Um."), says("Dois.")]);
    shop.writes_as(Some("5531988881234"), Some("BR.2"), "wamid.2", "oi").await;
    shop.run_until_idle().await;
    assert_eq!(shop.graph.asked().len(), asked);
    // All night, more often than a message has attempts.
    for _ in 0..30 {
        shop.advance_secs(1_000);
        for _ in 0..2 {
            shop.graph.next(expired());
        }
        shop.sender.work_off().await.unwrap();
    }
    assert_eq!(shop.outbox_states().await, [OutboxState::Pending]);
    let alarms = balcao_app::admin::backlog::alarms(
        &balcao_app::admin::backlog::look(&shop.world.app).await.unwrap(),
        shop.world.clock.now(),
    );
    assert!(alarms.iter().any(|alarm| alarm.what == BacklogKind::Account && alarm.age_s > 20_000), "{alarms:?}");
    // The token is mended: what it was to say leaves, and a bad moment more costs nothing.
    shop.advance_secs(61);
    shop.graph.next(busy());
    shop.sender.work_off().await.unwrap();
    shop.advance_secs(300);
    shop.sender.work_off().await.unwrap();
    let mut texts = shop.texts();
    texts.sort();
    assert_eq!(texts, [HELLO, "Um."]);
    assert_eq!(balcao_app::admin::backlog::look(&shop.world.app).await.unwrap().paused.count, 0);
    shop.joao_writes("wamid.3", "e aí?").await;
    shop.run_until_idle().await;
    assert_eq!(shop.texts().len(), 3);
}

#[tokio::test]
async fn a_number_outside_of_the_test_list_pauses_nobody_else() {
    let details = "Recipient phone number not in allowed list".to_owned();
    let shop = said_hello(Behaviour::Error { status: 400, code: 131_030, details }).await;
    shop.model.script([says("Um.")]);
    shop.writes_as(Some("5531988881234"), Some("BR.2"), "wamid.2", "oi").await;
    shop.run_until_idle().await;
    assert_eq!(shop.texts(), ["Um."]);
}

#[tokio::test]
async fn p_15_outside_the_window_nothing_is_sent_and_staff_know() {
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.advance_secs(3);
    shop.dispatcher.work_off().await.unwrap();
    shop.advance_secs(86_400);
    let before = shop.graph.asked().len();
    shop.sender.work_off().await.unwrap();
    assert_eq!(shop.graph.asked().len(), before);
    let [dead] = shop.outbox().await.try_into().unwrap();
    assert!(dead.failure.unwrap().starts_with("outside the window"));
    assert_eq!(told(&shop).await, ["message_dead"]);
}

#[tokio::test]
async fn f_131_f_138_a_message_that_takes_long_keeps_no_other_conversation_waiting() {
    let shop = start_harness([says("Um."), says("Dois.")]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.advance_secs(3);
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
        shop.advance_secs(3);
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
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.graph.next(Behaviour::AcceptThenSilence);
    shop.advance_secs(3);
    shop.dispatcher.work_off().await.unwrap();
    tokio::select! {
        _ = shop.sender.work_off() => panic!("Meta does not answer"),
        () = async { while shop.texts().is_empty() { tokio::task::yield_now().await } } => {}
    }
    assert_eq!(shop.outbox_states().await, [OutboxState::Sending]);
    shop.advance_secs(31);
    shop.sender.work_off().await.unwrap();
    assert_eq!(shop.outbox_states().await, [OutboxState::Unknown]);
    shop.advance_secs(100_000);
    shop.sender.work_off().await.unwrap();
    assert_eq!(shop.texts(), [HELLO]);
}

/// A reply that says what was true half an hour ago.
#[tokio::test]
async fn f_131_a_reply_that_waited_for_long_leaves_only_if_nothing_it_could_tell_of_was_changed() {
    for changed in [false, true] {
        let shop = said_hello(busy()).await;
        let contact = shop.conversation().await.contact;
        shop.advance_secs(20 * 60);
        if changed {
            let (organization, booking) = (shop.world.organization, Booking::new(shop.world.app.clone()));
            let request = BookRequest {
                professional: Some("Otávio".to_owned().into()),
                service: None,
                date: "2026-11-26".parse().unwrap(),
                start_min: 10 * 60,
                attendee: None,
                pending: false,
                source: "staff".to_owned(),
                price_agreed: true,
            };
            booking.book(organization, contact, shop.world.key(), request).await.unwrap().value.unwrap();
        }
        shop.sender.work_off().await.unwrap();
        let [one] = shop.outbox().await.try_into().unwrap();
        if changed {
            assert_eq!((one.state, shop.texts().len()), (OutboxState::Dead, 0));
            assert!(one.failure.unwrap().contains("appointment"));
            assert_eq!(told(&shop).await, ["message_dead"]);
        } else {
            assert_eq!((one.state, shop.texts()), (OutboxState::Sent, vec![HELLO.to_owned()]));
        }
    }
}

//! People change their numbers, and numbers their people: no contact learns about another contact (A-35, F-28).

use balcao_app::messaging::inbox::Accepted;
use balcao_app::scheduling::booking::{BookRequest, Booking, ServiceChoice};
use balcao_app::scheduling::reminders::Reminders;
use balcao_domain::outbox::OutboxState;
use balcao_domain::{Clock, ContactId, Phone, contact::Contact};
use balcao_llm::providers::scripted::says;
use balcao_store::{crm::contact, messaging::conversation, turns::event};
use balcao_testkit::fakes::graph::{Behaviour, webhooks};
use serde_json::{Value, json};

use crate::messaging_harness::{MessagingHarness, start_harness, terms};

const HELLO: &str = "Olá! Como posso ajudar?";
/// João's number and id, as WhatsApp writes them.
const NUMBER: &str = "554187654321";
const JOAO: &str = "BR.1234567890";
/// The contact who has João's number after him.
const BIA: &str = "BR.77";
/// Where he moves to.
const NEW_NUMBER: &str = "554188887777";

/// João has an appointment on Wednesday at three and is to be reminded of it two hours before.
async fn booked(shop: &MessagingHarness) -> ContactId {
    let joao = shop.conversation().await.contact;
    let request = BookRequest {
        professional: Some("Wesley".to_owned().into()),
        service: Some(ServiceChoice::Name("Corte na máquina".to_owned())),
        date: "2026-11-25".parse().unwrap(),
        start_min: 15 * 60,
        attendee: None,
        pending: false,
        source: "test".to_owned(),
        price_agreed: true,
    };
    let (organization, app) = (shop.world.organization, shop.world.app.clone());
    Booking::new(app.clone()).book(organization, joao, shop.world.key(), request).await.unwrap().value.unwrap();
    let planned = Reminders::new(app).schedule(organization, joao, shop.world.key(), None, Some(120), 60).await;
    planned.unwrap().value.unwrap();
    joao
}

/// João wrote, was answered, and is booked; so many answers more are to come.
async fn known(answers: usize) -> (MessagingHarness, ContactId) {
    let shop = start_harness((0..=answers).map(|_| says(HELLO))).await;
    shop.joao_writes("wamid.1", "oi, sou o João Secreto").await;
    shop.run_until_idle().await;
    let joao = booked(&shop).await;
    (shop, joao)
}

async fn by_user(shop: &MessagingHarness, user: &'static str) -> Option<Contact> {
    let organization = shop.world.organization;
    shop.in_transaction(move |tx| contact::find_by_channel_user(tx, organization, user)).await
}

async fn by_number(shop: &MessagingHarness, written: &str) -> Option<Contact> {
    let (organization, phone) = (shop.world.organization, Phone::parse(written).unwrap());
    shop.in_transaction(move |tx| contact::find_by_phone(tx, organization, &phone)).await
}

/// Now, as webhooks write it.
fn second(shop: &MessagingHarness) -> i64 {
    shop.world.clock.now().as_second()
}

/// Returns the recipient of the last message.
fn last_to(shop: &MessagingHarness) -> Value {
    let sent = shop.graph.accepted().pop().unwrap();
    let to = sent["to"].as_str().or(sent["recipient"].as_str()).unwrap_or_default();
    json!(to.trim_start_matches('+'))
}

fn system(change: Value) -> Value {
    json!({ "type": "system", "system": change })
}

fn moved() -> Value {
    let body = "User João changed from 554187654321 to 554188887777";
    system(json!({ "type": "user_changed_number", "body": body, "wa_id": NEW_NUMBER, "user_id": "BR.new" }))
}

#[tokio::test]
async fn a_35_whoever_has_the_number_now_is_somebody_new() {
    let (shop, joao) = known(2).await;
    shop.advance_secs(60);
    shop.writes_as(Some(NUMBER), Some(BIA), "wamid.2", "oi").await;
    shop.run_until_idle().await;
    assert_eq!(shop.texts().len(), 2, "she is answered");
    let asked = shop.model.last_request().unwrap();
    let prompt = format!("{:?}", (&asked.system, &asked.messages));
    for his in ["Secreto", "João", "Corte na máquina com Wesley"] {
        assert!(!prompt.contains(his), "{his} stands in her prompt");
    }
    let bia = by_user(&shop, BIA).await.unwrap();
    assert!(bia.id != joao && bia.name.is_none(), "{bia:?}");
    assert_eq!(by_number(&shop, "+55 41 98765-4321").await.unwrap().id, bia.id);
    let his = by_user(&shop, JOAO).await.unwrap();
    assert_eq!((his.id, his.phone), (joao, None));
    // A message without the author's id belongs to the contact with the number.
    shop.writes_as(Some(NUMBER), None, "wamid.3", "alguém aí?").await;
    let organization = shop.world.organization;
    let of = |id| shop.in_transaction(move |tx| conversation::of_contact(tx, organization, id));
    let (hers, his) = (of(bia.id).await.remove(0), of(joao).await.remove(0));
    assert!(hers.id != his.id);
    shop.run_until_idle().await;
    assert_eq!(shop.texts().len(), 3);
    assert_eq!(last_to(&shop), NUMBER);
    // What was planned for him does not go to her.
    shop.world.set_local("2026-11-25T13:00");
    shop.fires(terms()).await;
    assert_eq!(last_to(&shop), JOAO);
}

#[tokio::test]
async fn a_35_a_message_of_his_that_comes_late_takes_nothing_from_her() {
    let (shop, joao) = known(2).await;
    shop.advance_secs(60);
    let before = second(&shop);
    shop.advance_secs(60);
    shop.writes_as(Some(NUMBER), Some(BIA), "wamid.2", "oi").await;
    shop.run_until_idle().await;
    let late = json!({ "type": "text", "text": { "body": "até quarta" }, "timestamp": before.to_string() });
    shop.sends_as(Some(NUMBER), Some(JOAO), "wamid.3", late).await;
    shop.run_until_idle().await;
    assert_eq!(last_to(&shop), JOAO, "the number is hers");
    let bia = by_user(&shop, BIA).await.unwrap();
    assert_eq!(by_number(&shop, "+55 41 98765-4321").await.unwrap().id, bia.id);
    assert!(bia.id != joao);
}

/// João wrote a year and so many days ago from a number that came without an id, and writes again.
async fn silent_for(
    days: i64,
    user_then: Option<&str>,
    user_now: Option<&str>,
) -> (MessagingHarness, ContactId, String) {
    let shop = start_harness([says(HELLO), says(HELLO)]).await;
    shop.writes_as(Some(NUMBER), user_then, "wamid.1", "oi, sou o João Secreto").await;
    shop.run_until_idle().await;
    let before = by_number(&shop, "+55 41 98765-4321").await.unwrap().id;
    shop.advance_secs((365 + days) * 86_400);
    shop.writes_as(Some(NUMBER), user_now, "wamid.2", "oi").await;
    shop.run_until_idle().await;
    let asked = shop.model.last_request().unwrap();
    let prompt = format!("{:?}", (&asked.system, &asked.messages));
    (shop, before, prompt)
}

#[tokio::test]
async fn a_35_a_number_that_was_silent_for_a_year_opens_nothing_of_whoever_had_it() {
    // Nothing but the number says who writes: then, or now, or both times.
    for (then, now) in [(None, None), (None, Some(BIA)), (Some(JOAO), None)] {
        let (shop, before, prompt) = silent_for(1, then, now).await;
        assert!(!prompt.contains("Secreto"), "{then:?} {now:?}: {prompt}");
        let now_has_it = by_number(&shop, "+55 41 98765-4321").await.unwrap();
        assert!(now_has_it.id != before, "{then:?} {now:?}");
        assert_eq!((shop.texts().len(), last_to(&shop)), (2, json!(NUMBER)), "they are answered");
        let organization = shop.world.organization;
        let old = shop.in_transaction(move |tx| contact::get(tx, organization, before)).await;
        assert_eq!(old.phone, None);
        let released = shop.in_transaction(move |tx| event::waiting(tx, 100)).await;
        assert!(released.iter().any(|one| one.kind == "number_released" && one.subject == before.to_string()));
    }
}

#[tokio::test]
async fn a_35_whoever_is_known_by_their_id_or_was_heard_of_since_stays_who_they_are() {
    for (days, then, now) in [(1, Some(JOAO), Some(JOAO)), (-1, None, None), (-1, None, Some(JOAO))] {
        let (shop, before, prompt) = silent_for(days, then, now).await;
        assert!(prompt.contains("Secreto"), "{days} {then:?} {now:?}: {prompt}");
        assert_eq!(by_number(&shop, "+55 41 98765-4321").await.unwrap().id, before);
    }
    // He was there in between, though he did not write.
    let shop = start_harness([says(HELLO)]).await;
    shop.writes_as(Some(NUMBER), None, "wamid.1", "oi, sou o João Secreto").await;
    shop.run_until_idle().await;
    let before = by_number(&shop, "+55 41 98765-4321").await.unwrap().id;
    shop.advance_secs(300 * 86_400);
    shop.world.set_local("2027-10-04T09:00");
    let request = BookRequest {
        professional: Some("Wesley".to_owned().into()),
        service: Some(ServiceChoice::Name("Corte na máquina".to_owned())),
        date: "2027-10-06".parse().unwrap(),
        start_min: 15 * 60,
        attendee: None,
        pending: false,
        source: "test".to_owned(),
        price_agreed: true,
    };
    let booking = Booking::new(shop.world.app.clone());
    booking.book(shop.world.organization, before, shop.world.key(), request).await.unwrap().value.unwrap();
    shop.advance_secs(300 * 86_400);
    shop.writes_as(Some(NUMBER), None, "wamid.2", "oi").await;
    assert_eq!(by_number(&shop, "+55 41 98765-4321").await.unwrap().id, before);
}

#[tokio::test]
async fn f_28_what_is_to_be_sent_follows_a_customer_to_their_new_number() {
    let (shop, joao) = known(1).await;
    // An answer is on its way when he moves.
    shop.joao_writes("wamid.2", "e sábado?").await;
    shop.graph.next(Behaviour::Error { status: 500, code: 131_016, details: "Service overloaded".to_owned() });
    shop.run_until_idle().await;
    assert_eq!(shop.outbox_states().await.last(), Some(&OutboxState::Pending));
    shop.sends_as(Some(NUMBER), None, "wamid.3", moved()).await;
    shop.advance_secs(5);
    shop.sender.work_off().await.unwrap();
    assert_eq!((shop.texts().len(), last_to(&shop)), (2, json!(NEW_NUMBER)));
    let his = by_user(&shop, "BR.new").await.unwrap();
    assert_eq!((his.id, his.phone.as_ref().map(Phone::e164)), (joao, Some("+5541988887777")));
    shop.world.set_local("2026-11-25T13:00");
    shop.fires(terms()).await;
    assert_eq!(last_to(&shop), NEW_NUMBER);
}

#[tokio::test]
async fn f_28_a_customer_whose_number_is_hidden_is_reached_by_their_new_id() {
    let (shop, joao) = known(0).await;
    let update = json!({ "user_id_update": [{ "user_id": { "previous": JOAO, "current": "BR.new" } }] });
    shop.delivers(&webhooks::envelope("user_id_update", update)).await;
    assert_eq!(by_user(&shop, "BR.new").await.map(|his| his.id), Some(joao));
    shop.world.set_local("2026-11-25T13:00");
    shop.fires(terms()).await;
    assert_eq!(last_to(&shop), "BR.new");
}

#[tokio::test]
async fn f_23_one_event_that_cannot_be_taken_in_loses_none_of_its_neighbours() {
    let (shop, joao) = known(2).await;
    // The new number belongs to another contact, who has no known id.
    shop.writes_as(Some(NEW_NUMBER), None, "wamid.2", "bom dia").await;
    shop.run_until_idle().await;
    let now = second(&shop).to_string();
    let change = json!({ "type": "user_changed_number", "wa_id": NEW_NUMBER, "user_id": JOAO });
    let change = json!({ "from": NUMBER, "id": "wamid.3", "timestamp": now, "type": "system", "system": change });
    let oi = json!({ "from": "5531988881234", "from_user_id": "BR.2", "id": "wamid.4", "timestamp": now, "type": "text",
        "text": { "body": "oi" } });
    let body = webhooks::envelope("messages", json!({ "messages": [change, oi] }));
    assert_eq!(shop.delivers(&body).await, Accepted { new: 2, ..Accepted::default() });
    shop.run_until_idle().await;
    assert_eq!(shop.texts().len(), 3, "the neighbour is answered");
    // Two contacts are never made one, and what is his goes where he is.
    let other = by_number(&shop, "+55 41 98888-7777").await.unwrap();
    assert!(other.id != joao);
    assert_eq!(by_user(&shop, JOAO).await.unwrap().phone, None, "the number that he left is not his");
    shop.world.set_local("2026-11-25T13:00");
    shop.fires(terms()).await;
    assert_eq!(last_to(&shop), NEW_NUMBER);
}

#[tokio::test]
async fn f_23_an_event_that_breaks_is_kept_with_the_reason() {
    let (shop, _) = known(1).await;
    // No event of the webhook is known to break: this one does because the table was made stricter.
    let stricter =
        "CREATE TRIGGER strict BEFORE UPDATE ON contact BEGIN SELECT RAISE(ABORT, 'CHECK constraint failed: no'); END";
    shop.in_transaction(move |tx| tx.execute(stricter, &[])).await;
    let now = second(&shop).to_string();
    let mut change = moved();
    change
        .as_object_mut()
        .unwrap()
        .extend(json!({ "from": NUMBER, "id": "wamid.3", "timestamp": now }).as_object().unwrap().clone());
    let oi = json!({ "from": "5531988881234", "from_user_id": "BR.2", "id": "wamid.4", "timestamp": now, "type": "text",
        "text": { "body": "oi" } });
    let body = webhooks::envelope("messages", json!({ "messages": [change, oi] }));
    assert_eq!(shop.delivers(&body).await.new, 2);
    assert_eq!(shop.delivers(&body).await.repeated, 2);
    shop.run_until_idle().await;
    assert_eq!(shop.texts().len(), 2, "the neighbour is answered");
    let kept: Option<String> = shop
        .in_transaction(|tx| {
            tx.query_optional("SELECT reason FROM inbox WHERE kind = 'unknown'", &[], |row| row.get(0))
        })
        .await;
    assert!(kept.unwrap().contains("CHECK"), "the reason is kept");
}

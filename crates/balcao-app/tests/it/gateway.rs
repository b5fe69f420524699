//! What a gateway delivers is read, changed and taken back as the customer meant it.

use std::sync::Arc;

use balcao_app::messaging::inbox::{Accepted, Account, Inbox};
use balcao_channel::channels::evolution::webhook;
use balcao_domain::Clock;
use balcao_domain::burst::BurstRules;
use balcao_llm::Message;
use balcao_llm::providers::scripted::says;
use balcao_store::crm::contact;
use balcao_testkit::fakes::evolution::INSTANCE;
use secrecy::SecretString;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::messaging_harness::{MessagingHarness, start_harness};

const NUMBER: &str = "554187654321@s.whatsapp.net";
const HELLO: &str = "Olá! Como posso ajudar?";

/// A shop that customers write to by a gateway.
async fn shop(replies: usize) -> MessagingHarness {
    let mut shop = start_harness((0..replies).map(|_| says(HELLO))).await;
    let account = Account {
        channel: "evolution".to_owned(),
        account: INSTANCE.to_owned(),
        business: None,
        organization: shop.world.organization,
    };
    shop.inbox = Inbox::new(shop.world.app.clone(), [account], BurstRules::default(), Arc::new(Notify::new()));
    shop
}

/// A delivery of this event, as it is posted.
fn event(shop: &MessagingHarness, name: &str, mut data: Value) -> String {
    let now = shop.world.clock.now().as_second();
    if let Some(map) = data.as_object_mut() {
        map.entry("messageTimestamp").or_insert(json!(now));
    }
    json!({ "event": name, "instance": INSTANCE, "data": data }).to_string()
}

async fn delivers(shop: &MessagingHarness, body: &str) -> Accepted {
    let key = SecretString::from("a webhook key");
    let events = webhook::parse(body.as_bytes(), Some("a webhook key"), &key).unwrap();
    shop.inbox.accept("evolution", events).await.unwrap()
}

/// A message of the one customer of these tests.
async fn sends(shop: &MessagingHarness, id: &str, message: Value) {
    let key = json!({ "remoteJid": NUMBER, "fromMe": false, "id": id });
    let body = event(shop, "messages.upsert", json!({ "key": key, "pushName": "João", "message": message }));
    assert_eq!(delivers(shop, &body).await.new, 1);
}

/// The last thing that the model was asked; nothing where it was not.
fn asked(shop: &MessagingHarness) -> Option<String> {
    match shop.model.last_request()?.messages.last() {
        Some(Message::User { text }) => Some(text.clone()),
        other => panic!("the model was asked {other:?}"),
    }
}

#[tokio::test]
async fn what_is_wrapped_is_answered_by_its_words() {
    let words =
        json!({ "extendedTextMessage": { "text": "que horas abre?", "contextInfo": { "expiration": 86_400 } } });
    let chosen = json!({ "listResponseMessage": { "title": "Corte na máquina", "listType": 1,
        "singleSelectReply": { "selectedRowId": "7" } } });
    for (message, read) in [
        (json!({ "ephemeralMessage": { "message": words } }), "que horas abre?"),
        (json!({ "viewOnceMessageV2": { "message": words } }), "que horas abre?"),
        (
            json!({ "deviceSentMessage": { "message": { "ephemeralMessage": { "message": words } } } }),
            "que horas abre?",
        ),
        (chosen, "Corte na máquina"),
    ] {
        let shop = shop(1).await;
        sends(&shop, "1", message).await;
        shop.run_until_idle().await;
        assert_eq!(asked(&shop).as_deref(), Some(read));
    }
}

#[tokio::test]
async fn an_edit_in_time_replaces_the_words_and_a_deletion_takes_them_back() {
    let shop = shop(1).await;
    sends(&shop, "1", json!({ "conversation": "quero cortar sabado" })).await;
    sends(&shop, "2", json!({ "conversation": "ops" })).await;
    let of = |id: &str| json!({ "remoteJid": NUMBER, "fromMe": true, "id": id });
    let edit =
        json!({ "key": of("1"), "type": "MESSAGE_EDIT", "editedMessage": { "conversation": "quero cortar sexta" } });
    sends(&shop, "3", json!({ "editedMessage": { "message": { "protocolMessage": edit } } })).await;
    let gone = json!({ "remoteJid": NUMBER, "fromMe": false, "id": "2", "status": "DELETED" });
    delivers(&shop, &event(&shop, "messages.delete", gone)).await;
    shop.run_until_idle().await;
    assert_eq!(asked(&shop).as_deref(), Some("quero cortar sexta"));
}

#[tokio::test]
async fn what_was_taken_back_whole_is_not_answered() {
    let shop = shop(0).await;
    sends(&shop, "1", json!({ "conversation": "cancela tudo" })).await;
    let gone = json!({ "remoteJid": NUMBER, "fromMe": false, "id": "1", "status": "DELETED" });
    delivers(&shop, &event(&shop, "messages.delete", gone)).await;
    shop.run_until_idle().await;
    assert_eq!(asked(&shop), None);
}

#[tokio::test]
async fn nobody_changes_what_another_contact_wrote() {
    const OTHER: &str = "553188880002@s.whatsapp.net";
    let shop = shop(2).await;
    // One of them is a contact already.
    let key = json!({ "remoteJid": OTHER, "fromMe": false, "id": "0" });
    let hello = json!({ "key": key, "message": { "conversation": "bom dia" } });
    delivers(&shop, &event(&shop, "messages.upsert", hello)).await;
    shop.run_until_idle().await;
    sends(&shop, "1", json!({ "conversation": "quero cortar sexta" })).await;
    for stranger in [OTHER, "553188880003@s.whatsapp.net"] {
        let of = |id: &str| json!({ "remoteJid": stranger, "fromMe": false, "id": id });
        let words = json!({ "conversation": "cancela tudo" });
        let revoke = json!({ "protocolMessage": { "key": of("1"), "type": "REVOKE" } });
        for (name, data) in [
            ("messages.edited", json!({ "key": of("1"), "type": 14, "editedMessage": words })),
            ("messages.update", json!({ "key": of("1"), "update": { "message": { "editedMessage": words } } })),
            ("messages.delete", of("1")),
            ("messages.update", json!({ "key": of("1"), "update": { "message": null, "messageStubType": 1 } })),
            ("messages.upsert", json!({ "key": of(&format!("by {stranger}")), "message": revoke })),
        ] {
            delivers(&shop, &event(&shop, name, data)).await;
        }
    }
    shop.run_until_idle().await;
    assert_eq!(asked(&shop).as_deref(), Some("quero cortar sexta"));
}

#[tokio::test]
async fn the_writer_takes_back_what_another_tried_to_under_either_id() {
    for (jid, other) in [(NUMBER, None), ("987@lid", Some(NUMBER)), ("987@lid", None)] {
        let shop = shop(0).await;
        let key = json!({ "remoteJid": NUMBER, "fromMe": false, "id": "1", "senderLid": other.map(|_| "987@lid") });
        let data = json!({ "key": key, "message": { "conversation": "cancela tudo" } });
        delivers(&shop, &event(&shop, "messages.upsert", data)).await;
        let gone = |jid: &str| json!({ "keys": [{ "remoteJid": jid, "fromMe": false, "id": "1" }] });
        delivers(&shop, &event(&shop, "messages.delete", gone("553188880003@s.whatsapp.net"))).await;
        delivers(&shop, &event(&shop, "messages.delete", gone(jid))).await;
        shop.run_until_idle().await;
        assert_eq!(asked(&shop), None, "{jid} {other:?}");
    }
}

#[tokio::test]
async fn a_hidden_id_and_a_number_are_one_contact() {
    let shop = shop(1).await;
    for (id, key) in [
        ("1", json!({ "remoteJid": "987@lid", "fromMe": false, "senderPn": NUMBER })),
        ("2", json!({ "remoteJid": NUMBER, "fromMe": false })),
        ("3", json!({ "remoteJid": "987@lid", "fromMe": false })),
    ] {
        let mut key = key;
        key["id"] = json!(id);
        let message = json!({ "conversation": format!("oi {id}") });
        let body = event(&shop, "messages.upsert", json!({ "key": key, "pushName": "João", "message": message }));
        assert_eq!(delivers(&shop, &body).await.new, 1);
    }
    shop.run_until_idle().await;
    assert_eq!(asked(&shop).as_deref(), Some("oi 1\noi 2\noi 3"), "one conversation");
    let organization = shop.world.organization;
    let known =
        shop.in_transaction(move |tx| contact::find_by_channel_user(tx, organization, "987@lid")).await.unwrap();
    assert_eq!(known.phone.map(|phone| phone.e164().to_owned()).as_deref(), Some("+5541987654321"));
}

#[tokio::test]
async fn half_a_character_costs_no_delivery() {
    let shop = shop(1).await;
    let key = json!({ "remoteJid": NUMBER, "fromMe": false, "id": "1" });
    let body = event(
        &shop,
        "messages.upsert",
        json!({ "key": key, "pushName": "João", "message": { "conversation": "HALF que horas abre?" } }),
    );
    assert_eq!(delivers(&shop, &body.replace("HALF", r"\ud83d")).await.new, 1);
    shop.run_until_idle().await;
    assert_eq!(asked(&shop).as_deref(), Some("\u{fffd} que horas abre?"));
}

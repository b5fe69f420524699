//! What a channel delivers is stored once, whatever it is.

use balcao_app::context::staff_email::Actor;
use balcao_app::conversations::Conversations;
use balcao_app::messaging::inbox::Accepted;
use balcao_app::scheduling::follow_ups::{FollowUpRequest, FollowUps};
use balcao_domain::Clock;
use balcao_domain::conversation::ConversationState;
use balcao_domain::follow_up::FollowUpType;
use balcao_domain::inbox::InboxState;
use balcao_llm::providers::scripted::says;
use balcao_store::messaging::message::Author;
use balcao_store::turns::lease::{self, LeaseRequest};
use balcao_store::{crm::contact, messaging::inbox, scheduling::follow_up, turns::event, turns::turn};
use balcao_testkit::fakes::graph::webhooks;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::messaging_harness::{MessagingHarness, start_harness};

const HELLO: &str = "Olá! Como posso ajudar?";

#[tokio::test]
async fn a_message_is_answered_once_its_burst_is_ripe() {
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    assert_eq!(shop.dispatcher.work_off().await.unwrap(), 0, "three seconds are not over");
    shop.run_until_idle().await;
    assert_eq!(shop.texts(), [HELLO]);
    assert_eq!(shop.inbox_states().await, [InboxState::Answered]);
    shop.run_until_idle().await;
    assert_eq!(shop.texts().len(), 1);
}

#[tokio::test]
async fn f_02_a_webhook_that_comes_again_is_acknowledged_and_ignored() {
    let shop = start_harness([says(HELLO)]).await;
    let first = shop.joao_writes("wamid.1", "oi").await;
    assert_eq!(first, Accepted { new: 1, repeated: 0, strays: 0 });
    for _ in 0..4 {
        assert_eq!(shop.joao_writes("wamid.1", "oi").await, Accepted { new: 0, repeated: 1, strays: 0 });
    }
    shop.run_until_idle().await;
    // F-21: also long after.
    shop.advance_secs(8 * 86_400);
    assert_eq!(shop.joao_writes("wamid.1", "oi").await.repeated, 1);
    shop.run_until_idle().await;
    assert_eq!(shop.texts(), [HELLO]);
}

#[tokio::test]
async fn f_20_fifty_deliveries_at_once_are_one_row() {
    let shop = start_harness([says(HELLO)]).await;
    let deliveries = (0..50).map(|_| shop.joao_writes("wamid.1", "oi"));
    let accepted = futures::future::join_all(deliveries).await;
    assert_eq!(accepted.iter().map(|one| one.new).sum::<u32>(), 1);
    shop.run_until_idle().await;
    assert_eq!(shop.texts(), [HELLO]);
}

#[tokio::test]
async fn f_24_what_is_written_in_one_breath_is_answered_together() {
    let shop = start_harness([says("Claro! Que dia?")]).await;
    for (id, text) in [("wamid.1", "oi"), ("wamid.2", "quero cortar"), ("wamid.3", "o cabelo")] {
        shop.joao_writes(id, text).await;
        shop.advance_secs(2);
    }
    assert_eq!(shop.dispatcher.work_off().await.unwrap(), 0);
    shop.run_until_idle().await;
    assert_eq!(shop.asked(), "oi\nquero cortar\no cabelo");
    assert_eq!(shop.texts(), ["Claro! Que dia?"]);
    let rows = shop.inbox_rows().await;
    assert!(rows.iter().all(|row| row.state == InboxState::Answered && row.turn == rows[0].turn));
}

#[tokio::test]
async fn f_22_a_burst_is_read_in_the_order_in_which_it_was_written() {
    let shop = start_harness([says("Claro! Que dia?")]).await;
    let second = |ahead: i64| (shop.world.clock.now().as_second() + ahead).to_string();
    for (id, text, at) in [("wamid.2", "marca", 2), ("wamid.3", "nada hoje", 3), ("wamid.1", "não", 1)] {
        let what = json!({ "type": "text", "text": { "body": text }, "timestamp": second(at) });
        shop.joao_sends(id, what).await;
    }
    shop.run_until_idle().await;
    assert_eq!(shop.asked(), "não\nmarca\nnada hoje");
    let thread: Vec<String> = shop.thread().await.into_iter().map(|(_, text)| text).collect();
    assert_eq!(thread[..3], ["não", "marca", "nada hoje"]);
}

/// João's message of so many seconds ago comes now.
async fn comes_late(shop: &MessagingHarness, seconds: i64) {
    let written = (shop.world.clock.now().as_second() - seconds).to_string();
    let what = json!({ "type": "text", "text": { "body": "posso ir agora?" }, "timestamp": written });
    shop.joao_sends("wamid.1", what).await;
    shop.run_until_idle().await;
}

#[tokio::test]
async fn f_31_a_message_that_comes_hours_late_is_not_read_as_if_it_were_fresh() {
    let shop = start_harness([says(HELLO)]).await;
    comes_late(&shop, 3_600).await;
    assert_eq!(shop.asked(), "posso ir agora?");
    let asked = shop.model.last_request().unwrap();
    assert_eq!(
        (asked.facts.written, asked.system.contains("foi escrita")),
        (None, false),
        "an hour is not mentioned as an age"
    );
    let shop = start_harness([says(HELLO)]).await;
    comes_late(&shop, 20 * 3_600).await;
    assert_eq!(shop.asked(), "posso ir agora?", "how old it is the customer did not say");
    let asked = shop.model.last_request().unwrap();
    assert_eq!(asked.facts.written.unwrap().to_string(), "2026-11-23T14:00:00-03:00[America/Sao_Paulo]");
    assert!(asked.system.contains("foi escrita segunda, 23/11 às 14h e só chegou agora"), "{}", asked.system);
    assert_eq!(shop.texts(), [HELLO]);
}

#[tokio::test]
async fn f_31_a_message_that_may_not_be_answered_any_more_goes_to_a_person() {
    let shop = start_harness([]).await;
    comes_late(&shop, 25 * 3_600).await;
    assert_eq!(shop.inbox_states().await, [InboxState::HandedOff]);
    assert_eq!(shop.conversation().await.state, ConversationState::WaitingHuman);
}

#[tokio::test]
async fn a_message_that_was_edited_or_taken_back_in_time_is_read_as_it_is() {
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "quero cortar sabado").await;
    shop.joao_writes("wamid.2", "ops").await;
    let edit = json!({ "original_message_id": "wamid.1",
        "message": { "type": "text", "text": { "body": "quero cortar sexta" } } });
    shop.joao_sends("wamid.3", json!({ "type": "edit", "edit": edit })).await;
    let revoke = json!({ "original_message_id": "wamid.2" });
    shop.joao_sends("wamid.4", json!({ "type": "revoke", "revoke": revoke })).await;
    shop.run_until_idle().await;
    assert_eq!(shop.asked(), "quero cortar sexta");
}

#[tokio::test]
async fn what_is_no_text_is_described_and_never_met_with_silence() {
    let cases = [
        (json!({ "type": "audio", "audio": { "id": "1", "mime_type": "audio/ogg", "voice": true } }), "áudio"),
        (json!({ "type": "image", "image": { "id": "2", "caption": "esse corte" } }), "esse corte\n[imagem"),
        (json!({ "type": "location", "location": { "latitude": -19.9, "longitude": -43.9 } }), "[localização: -19.9"),
    ];
    let shop = start_harness(cases.iter().map(|_| says(HELLO))).await;
    for (number, (what, expected)) in cases.iter().enumerate() {
        shop.joao_sends(&format!("wamid.{number}"), what.clone()).await;
        // This test runs no fetcher of files, so the turn waits in vain.
        shop.advance_secs(20);
        shop.run_until_idle().await;
        assert!(shop.asked().contains(expected), "{}", shop.asked());
        assert_eq!(shop.texts().len(), number + 1);
    }
}

const WORDLESS: &str =
    "Recebi, mas não consigo ler figurinhas nem esse tipo de mensagem por aqui. Pode me escrever o que você precisa?";

fn sticker() -> serde_json::Value {
    json!({ "type": "sticker", "sticker": { "id": "9", "mime_type": "image/webp" } })
}

#[tokio::test]
async fn f_26_what_has_no_words_gets_words_of_ours_once_a_day_and_no_model_is_asked() {
    let shop = start_harness([]).await;
    let poll = json!({ "type": "poll_creation", "poll_creation": {} });
    for (number, what) in [sticker(), poll, sticker()].into_iter().enumerate() {
        shop.joao_sends(&format!("wamid.{number}"), what).await;
        shop.advance_secs(20);
        shop.run_until_idle().await;
    }
    assert_eq!(shop.texts(), [WORDLESS]);
    assert_eq!(shop.inbox_states().await, [InboxState::Ignored; 3]);
    let thread = shop.thread().await;
    assert_eq!(thread[0], (Author::Contact, "[figurinha]".to_owned()), "staff see it");
    shop.advance_secs(24 * 3_600);
    shop.joao_sends("wamid.9", sticker()).await;
    shop.advance_secs(20);
    shop.run_until_idle().await;
    assert_eq!(shop.texts(), [WORDLESS, WORDLESS]);
}

#[tokio::test]
async fn f_26_a_sticker_beside_words_is_read_with_them() {
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_sends("wamid.1", sticker()).await;
    shop.joao_writes("wamid.2", "oi").await;
    shop.advance_secs(20);
    shop.run_until_idle().await;
    assert_eq!((shop.asked().as_str(), shop.texts()), ("[figurinha]\noi", vec![HELLO.to_owned()]));
}

#[tokio::test]
async fn f_26_a_sticker_to_a_person_is_shown_to_them_and_answered_by_nobody() {
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.run_until_idle().await;
    shop.staff_takes_over().await;
    shop.joao_sends("wamid.2", sticker()).await;
    shop.advance_secs(20);
    shop.run_until_idle().await;
    assert_eq!(shop.texts(), [HELLO]);
    assert_eq!(shop.thread().await.last().unwrap().1, "[figurinha]");
}

#[tokio::test]
async fn nobody_edits_or_takes_back_what_another_contact_wrote() {
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "quero cortar sexta").await;
    let edit = json!({ "original_message_id": "wamid.1",
        "message": { "type": "text", "text": { "body": "cancela tudo" } } });
    let edit = json!({ "type": "edit", "edit": edit });
    shop.sends_as(Some("553188880002"), None, "wamid.2", edit).await;
    shop.sends_as(Some("553188880002"), None, "wamid.3", revoke("wamid.1")).await;
    shop.run_until_idle().await;
    assert_eq!(shop.asked(), "quero cortar sexta");
}

fn revoke(id: &str) -> serde_json::Value {
    json!({ "type": "revoke", "revoke": { "original_message_id": id } })
}

const DELETED: &str = "[mensagem apagada pelo cliente]";

#[tokio::test]
async fn f_26_what_a_customer_took_back_is_forgotten_after_its_turn() {
    let shop = start_harness([says(HELLO), says("Claro!")]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.joao_writes("wamid.2", "meu cpf é 111.444.777-35").await;
    shop.run_until_idle().await;
    shop.joao_sends("wamid.3", revoke("wamid.2")).await;
    let thread = shop.thread().await;
    assert_eq!((thread[0].1.as_str(), thread[1].1.as_str()), ("oi", DELETED));
    shop.joao_writes("wamid.4", "quero cortar").await;
    shop.run_until_idle().await;
    let asked = format!("{:?}", shop.model.last_request().unwrap().messages);
    assert!(asked.contains("apagada") && !asked.contains("777"), "{asked}");
    let kept: i64 = shop
        .in_transaction(|tx| {
            let everywhere = "SELECT (SELECT count(*) FROM inbox WHERE text LIKE '%777%' OR payload LIKE '%777%')
                + (SELECT count(*) FROM message WHERE text LIKE '%777%')
                + (SELECT count(*) FROM turn WHERE machine LIKE '%777%' OR transcript LIKE '%777%')";
            tx.query_one(everywhere, &[], |row| row.get(0))
        })
        .await;
    assert_eq!(kept, 0);
}

#[tokio::test]
async fn f_26_what_a_customer_takes_back_while_its_turn_runs_is_forgotten_when_it_closes() {
    let shop = start_harness([]).await;
    let body = webhooks::message("wamid.2", revoke("wamid.1"));
    shop.model.script([shop.after_delivery(&body, says(HELLO)), says("Claro!")]);
    shop.joao_writes("wamid.1", "meu cpf é 111.444.777-35").await;
    shop.run_until_idle().await;
    assert_eq!(shop.thread().await[0].1, DELETED);
    shop.joao_writes("wamid.3", "quero cortar").await;
    shop.run_until_idle().await;
    let asked = format!("{:?}", shop.model.last_request().unwrap().messages);
    assert!(asked.contains("apagada") && !asked.contains("777"), "{asked}");
}

#[tokio::test]
async fn what_wakes_nobody_is_kept_and_answered_by_nothing() {
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.run_until_idle().await;
    let reaction = json!({ "type": "reaction", "reaction": { "message_id": "wamid.OUT1", "emoji": "👍" } });
    shop.joao_sends("wamid.2", reaction).await;
    shop.joao_sends("wamid.3", json!({ "type": "text", "text": { "body": "oi, grupo" }, "group_id": "g1" })).await;
    shop.delivers(&webhooks::envelope("message_template_status_update", json!({ "event": "APPROVED" }))).await;
    assert_eq!(shop.dispatcher.work_off().await.unwrap(), 0);
    let kept: i64 = shop
        .in_transaction(|tx| {
            tx.query_one("SELECT COUNT(*) FROM inbox WHERE state = 'ignored' AND reason IS NOT NULL", &[], |row| {
                row.get(0)
            })
        })
        .await;
    assert_eq!(kept, 3);
}

#[tokio::test]
async fn a_48_f_29_an_event_for_an_account_that_nobody_has_is_kept_and_answered_by_nothing() {
    let shop = start_harness([]).await;
    let mut body = webhooks::text("wamid.1", "oi");
    body["entry"][0]["changes"][0]["value"]["metadata"]["phone_number_id"] = json!("4711");
    assert_eq!(shop.delivers(&body).await, Accepted { new: 0, repeated: 0, strays: 1 });
    assert_eq!(shop.delivers(&body).await, Accepted::default());
    let mut other_business = webhooks::text("wamid.1", "oi");
    other_business["entry"][0]["id"] = json!("somebody else's");
    assert_eq!(shop.delivers(&other_business).await.strays, 1);
    shop.run_until_idle().await;
    assert!(shop.texts().is_empty());
}

#[tokio::test]
async fn what_meta_does_to_a_template_is_told_to_the_business_that_has_it_though_no_number_is_named() {
    let shop = start_harness([]).await;
    let news = |field: &str, value: Value| {
        json!({ "object": "whatsapp_business_account",
            "entry": [{ "id": webhooks::BUSINESS, "changes": [{ "field": field, "value": value }] }] })
    };
    let paused =
        json!({ "event": "PAUSED", "message_template_name": "lembrete", "message_template_language": "pt_BR" });
    let paused = news("message_template_status_update", paused);
    assert_eq!(shop.delivers(&paused).await, Accepted { new: 1, repeated: 0, strays: 0 });
    assert_eq!(shop.delivers(&paused).await, Accepted { new: 0, repeated: 1, strays: 0 });
    assert_eq!(shop.delivers(&news("account_update", json!({ "event": "VERIFIED_ACCOUNT" }))).await.strays, 0);
    let told: Vec<_> = shop.in_transaction(|tx| event::waiting(tx, 100)).await;
    let told: Vec<_> = told.iter().filter(|one| one.kind == "template_changed").collect();
    assert_eq!((told.len(), told[0].subject.as_str()), (1, "lembrete"));
    assert!(told[0].payload.contains("paused"), "{}", told[0].payload);
    // Events of another business, and messages without a number, belong to no organization here.
    let mut theirs = paused.clone();
    theirs["entry"][0]["id"] = json!("somebody else's");
    assert_eq!(shop.delivers(&theirs).await.strays, 1);
    let mut nameless = webhooks::text("wamid.1", "oi");
    nameless["entry"][0]["changes"][0]["value"]["metadata"] = Value::Null;
    assert_eq!(shop.delivers(&nameless).await.strays, 1);
}

#[tokio::test]
async fn whoever_shares_their_own_number_is_known_by_it_and_whoever_had_it_is_somebody_else() {
    let shop = start_harness([]).await;
    shop.joao_writes("wamid.1", "oi").await;
    let (organization, id) = (shop.world.organization, shop.conversation().await.contact);
    let holder = async |phone: &str| {
        let phone = balcao_domain::Phone::parse(phone).unwrap();
        let found = shop.in_transaction(move |tx| contact::find_by_phone(tx, organization, &phone)).await;
        found.and_then(|one| one.channel_user)
    };
    let card = |origin: &str, number: &str| {
        json!({ "type": "contacts", "origin": origin,
            "contacts": [{ "name": { "formatted_name": "Bia" }, "phones": [{ "phone": number, "wa_id": number }] }] })
    };
    shop.writes_as(None, Some("BR.777"), "wamid.2", "oi").await;
    shop.sends_as(None, Some("BR.777"), "wamid.3", card("other", "5531977770000")).await;
    assert_eq!(holder("+55 31 97777-0000").await, None, "a card of the address book is anybody's");
    shop.sends_as(None, Some("BR.777"), "wamid.4", card("contact_request", "5531977770000")).await;
    assert_eq!(holder("+55 31 97777-0000").await.as_deref(), Some("BR.777"));
    // João's number is another's now: the provider's ids say that they are two.
    shop.sends_as(None, Some("BR.888"), "wamid.5", card("contact_request", "5541987654321")).await;
    assert_eq!(holder("+55 41 98765-4321").await.as_deref(), Some("BR.888"));
    let joao = shop.in_transaction(move |tx| contact::get(tx, organization, id)).await;
    assert_eq!((joao.channel_user.as_deref(), joao.phone), (Some("BR.1234567890"), None));
}

#[tokio::test]
async fn f_143_whoever_of_staff_speaks_ends_what_was_to_remind_the_contact_however_they_speak() {
    for by in ["take", "reply", "echo"] {
        let shop = start_harness([says(HELLO)]).await;
        shop.joao_writes("wamid.1", "oi").await;
        shop.run_until_idle().await;
        let (organization, found) = (shop.world.organization, shop.conversation().await);
        let (id, joao) = (found.id, found.contact);
        let asking = FollowUpRequest {
            delay_min: 30,
            allowed_delays_min: vec![30],
            hint: "corte".to_owned(),
            kind: FollowUpType::Value,
            episode: 1,
        };
        let follow_ups = FollowUps::new(shop.world.app.clone());
        follow_ups.schedule(organization, joao, shop.world.key(), asking).await.unwrap().value.unwrap();
        let open =
            async || shop.in_transaction(move |tx| follow_up::open_of_contact(tx, organization, joao)).await.len();
        assert_eq!(open().await, 1);
        let (staff, email) = (Conversations::new(shop.world.app.clone()), "davi@figueira.example".to_owned());
        match by {
            "take" => drop(staff.take(organization, id, email).await.unwrap().unwrap()),
            "reply" => staff.reply(organization, id, email, "Oi!".to_owned()).await.unwrap().unwrap(),
            _ => {
                let echo = json!({ "from": "551130001000", "to": "554187654321", "to_user_id": "BR.1234567890",
                    "id": "wamid.E1", "timestamp": "1795182300", "type": "text", "text": { "body": "Oi!" } });
                shop.delivers(&webhooks::envelope("smb_message_echoes", json!({ "message_echoes": [echo] }))).await;
            }
        }
        assert_eq!((open().await, shop.conversation().await.state), (0, ConversationState::Human), "{by}");
    }
}

#[tokio::test]
async fn who_writes_is_one_contact_however_they_are_named() {
    let shop = start_harness([says(HELLO), says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.run_until_idle().await;
    // Later Meta hides the number.
    let hidden = json!({ "type": "text", "text": { "body": "oi de novo" }, "from": null });
    shop.joao_sends("wamid.2", hidden).await;
    shop.run_until_idle().await;
    assert_eq!(shop.texts().len(), 2);
    let organization = shop.world.organization;
    let phone = balcao_domain::Phone::parse("+55 41 98765-4321").unwrap();
    let found = shop.in_transaction(move |tx| contact::find_by_phone(tx, organization, &phone)).await.unwrap();
    assert_eq!((found.name.as_deref(), found.channel_user.as_deref()), (Some("João"), Some("BR.1234567890")));
}

#[tokio::test]
async fn what_staff_reply_goes_out_by_the_channel_and_what_the_agent_had_to_say_does_not() {
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.advance_secs(3);
    shop.dispatcher.work_off().await.unwrap();
    let (organization, id) = (shop.world.organization, shop.conversation().await.id);
    let staff = shop.in_transaction(move |tx| balcao_store::crm::staff::list(tx, organization)).await.remove(0);
    let conversations = balcao_app::conversations::Conversations::new(shop.world.app.clone());
    for text in ["Oi João", "Já te respondo"] {
        conversations.reply(organization, id, staff.email.clone(), text.to_owned()).await.unwrap().unwrap();
    }
    shop.sender.work_off().await.unwrap();
    assert_eq!(shop.texts(), ["Oi João", "Já te respondo"]);
    let authors: Vec<Author> = shop.thread().await.into_iter().map(|(author, _)| author).collect();
    assert_eq!(authors, [Author::Contact, Author::Draft, Author::Staff, Author::Staff]);
}

#[tokio::test]
async fn f_32_a_sign_that_staff_put_on_a_message_takes_nothing_over() {
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.run_until_idle().await;
    for (id, what) in [
        ("wamid.E1", json!({ "type": "reaction", "reaction": { "message_id": "wamid.1", "emoji": "👍" } })),
        ("wamid.E2", revoke("wamid.E0")),
    ] {
        let mut echo = json!({ "from": "551130001000", "to": "554187654321", "to_user_id": "BR.1234567890", "id": id,
            "timestamp": "1795182300" });
        echo.as_object_mut().unwrap().extend(what.as_object().unwrap().clone());
        shop.delivers(&webhooks::envelope("smb_message_echoes", json!({ "message_echoes": [echo] }))).await;
    }
    assert_eq!(shop.conversation().await.state, ConversationState::Ai);
    assert_eq!(shop.thread().await.len(), 2, "nothing was said");
}

#[tokio::test]
async fn f_32_a_person_who_writes_from_the_shops_phone_takes_over_at_once() {
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.run_until_idle().await;
    let echo = json!({ "from": "551130001000", "to": "554187654321", "to_user_id": "BR.1234567890", "id": "wamid.E1",
        "timestamp": "1795182300", "type": "text", "text": { "body": "Oi João, aqui é o Otávio" } });
    let echo = webhooks::envelope("smb_message_echoes", json!({ "message_echoes": [echo] }));
    shop.delivers(&echo).await;
    assert_eq!(shop.conversation().await.state, ConversationState::Human);
    shop.joao_writes("wamid.2", "ah, oi Otávio").await;
    shop.run_until_idle().await;
    assert_eq!(shop.texts(), [HELLO]);
    let thread = shop.thread().await;
    assert_eq!(thread[2], (Author::Staff, "Oi João, aqui é o Otávio".to_owned()));
    assert_eq!(thread[3], (Author::Contact, "ah, oi Otávio".to_owned()));
    assert_eq!(shop.inbox_states().await.last(), Some(&InboxState::Ignored));
}

#[tokio::test]
async fn f_152_a_conversation_that_is_given_back_is_answered_from_the_next_message_on() {
    let shop = start_harness([says("Oi de novo!")]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.staff_takes_over().await;
    shop.run_until_idle().await;
    let (organization, id) = (shop.world.organization, shop.conversation().await.id);
    let given = Conversations::new(shop.world.app.clone()).give_back(organization, id, Actor::Operator).await;
    assert!(given.unwrap().is_ok());
    shop.run_until_idle().await;
    assert_eq!(
        (shop.texts().len(), shop.model.requests().len()),
        (0, 0),
        "what staff had is not answered behind their back"
    );
    shop.joao_writes("wamid.2", "e amanhã?").await;
    shop.run_until_idle().await;
    assert_eq!(shop.texts(), ["Oi de novo!"]);
}

#[tokio::test]
async fn f_26_a_turn_that_was_left_behind_goes_on_though_what_came_after_it_was_taken_back() {
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.advance_secs(3);
    let (organization, now) = (shop.world.organization, shop.world.clock.now());
    let until = now.checked_add(SignedDuration::from_secs(30)).unwrap();
    // A program stops in the middle of the turn.
    shop.in_transaction(move |tx| {
        let request = LeaseRequest { owner: "stops", now, until, limit: 1, suspects: 1 };
        let leased = lease::lease_due(tx, &request)?.remove(0);
        let agent = turn::TurnAgent { profile: "eli", prompt: "" };
        let (opened, _) = turn::open(tx, organization, leased.lease.conversation, agent, now)?;
        inbox::assign(tx, organization, leased.lease.conversation, opened, 10)?;
        lease::set_due(tx, organization, leased.lease.conversation, None)?;
        lease::give_back(tx, &leased, now)
    })
    .await;
    shop.joao_writes("wamid.2", "ah, e mais uma coisa").await;
    shop.joao_sends("wamid.3", revoke("wamid.2")).await;
    shop.run_until_idle().await;
    assert_eq!(shop.texts(), [HELLO]);
}

#[tokio::test]
async fn an_older_wish_to_hear_from_us_undoes_no_later_one_to_hear_nothing() {
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.run_until_idle().await;
    let at = |minutes: i64| shop.world.clock.now().as_second() - 60 * minutes;
    let wish = |value: &str, at: i64| {
        json!({ "user_preferences": [{ "wa_id": "5531988887777", "user_id": "BR.1234567890", "detail": "x",
            "category": "marketing_messages", "value": value, "timestamp": at.to_string() }] })
    };
    let silent = async || shop.conversation().await.opted_out_at.is_some();
    for (value, minutes, expected) in [("stop", 10, true), ("resume", 20, true), ("resume", 5, false)] {
        shop.delivers(&webhooks::envelope("user_preferences", wish(value, at(minutes)))).await;
        assert_eq!(silent().await, expected, "{value} of {minutes} minutes ago");
    }
}

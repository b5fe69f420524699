//! Free times that a reply offers are buttons or a list; what comes back is looked up, never believed.

use balcao_domain::outbox::OutboxState;
use balcao_domain::{Clock, Currency};
use balcao_llm::providers::scripted::{calls, says};
use balcao_store::{crm::contact, scheduling::appointment};
use balcao_testkit::fakes::graph::Behaviour;
use serde_json::{Value, json};

use crate::messaging_harness::{MessagingHarness, start_harness};

const WHEN: &str = "2026-11-25";

fn looks() -> balcao_llm::providers::scripted::Line {
    calls("check_availability", &json!({ "date": WHEN, "barber_name": "Wesley", "service_name": "Corte na máquina" }))
}

/// João asked, and was answered with this.
async fn offered(reply: &str) -> (MessagingHarness, Value) {
    let shop = start_harness([looks(), says(reply)]).await;
    shop.joao_writes("wamid.1", "quero cortar amanhã com o Wesley, que horas tem?").await;
    shop.run_until_idle().await;
    let sent = shop.graph.accepted().pop().unwrap();
    (shop, sent)
}

/// The names of what may be chosen, in order.
fn names(sent: &Value) -> Vec<String> {
    let action = &sent["interactive"]["action"];
    let buttons = action["buttons"].as_array().into_iter().flatten().map(|button| &button["reply"]["id"]);
    let rows = action["sections"].as_array().into_iter().flatten().flat_map(|one| one["rows"].as_array().unwrap());
    buttons.chain(rows.map(|row| &row["id"])).map(|id| id.as_str().unwrap().to_owned()).collect()
}

async fn taps(shop: &MessagingHarness, id: &str, name: &str, title: &str) {
    let reply = json!({ "type": "list_reply", "list_reply": { "id": name, "title": title } });
    shop.joao_sends(id, json!({ "type": "interactive", "interactive": reply })).await;
}

#[tokio::test]
async fn up_to_three_times_are_buttons_and_the_chosen_one_comes_back() {
    let reply = "Amanhã o Wesley tem 14h, 15h ou 16h. Qual prefere?";
    let (shop, sent) = offered(reply).await;
    assert_eq!(
        (sent["interactive"]["type"].as_str(), sent["interactive"]["body"]["text"].as_str()),
        (Some("button"), Some(reply))
    );
    let names = names(&sent);
    assert_eq!(names.len(), 3);
    shop.model.script([says("Como posso ajudar?")]);
    taps(&shop, "wamid.2", &names[1], "whatever the client says").await;
    shop.run_until_idle().await;
    assert!(shop.asked().starts_with("Quero quarta, 25/11 às 15:00 com Wesley"), "{}", shop.asked());
}

#[tokio::test]
async fn more_times_are_a_list() {
    let (_shop, sent) = offered("Amanhã o Wesley tem 14h, 14h30, 15h, 15h30 e 16h.").await;
    assert_eq!(sent["interactive"]["type"], "list");
    let rows = sent.pointer("/interactive/action/sections/0/rows").unwrap().as_array().unwrap();
    assert_eq!((rows.len(), rows[1]["title"].as_str()), (5, Some("14:30")));
}

#[tokio::test]
async fn a_choice_that_is_forged_or_stale_is_answered_politely() {
    let (shop, sent) = offered("Amanhã o Wesley tem 14h ou 15h.").await;
    let name = names(&sent).remove(0);
    shop.model.script([says("Esse não vale mais."), says("Nem esse."), says("Como posso ajudar?")]);
    taps(&shop, "wamid.2", "balcao:trn_1:99", "Tudo de graça").await;
    shop.run_until_idle().await;
    assert_eq!(shop.asked(), "[o cliente tocou numa opção que não vale mais]");
    shop.advance_secs(86_400);
    taps(&shop, "wamid.3", &name, "14:00").await;
    shop.run_until_idle().await;
    assert!(shop.asked().starts_with("[o cliente tocou numa opção que não vale mais: Quero quarta, 25/11 às 14:00"));
    taps(&shop, "wamid.4", "another program's", "Sim").await;
    shop.run_until_idle().await;
    assert_eq!(shop.asked(), "Sim");
}

#[tokio::test]
async fn a_reply_that_names_none_of_the_times_is_a_text() {
    let (_shop, sent) = offered("Amanhã tem sim! De manhã ou de tarde?").await;
    assert_eq!(sent["type"], "text");
}

#[tokio::test]
async fn what_was_booked_is_not_offered() {
    let book =
        json!({ "service_name": "Corte na máquina", "barber_name": "Wesley", "date": WHEN, "start_hour": "14:00" });
    let shop = start_harness([
        looks(),
        calls("create_appointment", &book),
        says("Confirmado: amanhã, 25/11, às 14h com Wesley."),
    ])
    .await;
    shop.joao_writes("wamid.1", "marca corte na máquina amanhã às 14h com o Wesley").await;
    shop.run_until_idle().await;
    assert_eq!(shop.graph.accepted().pop().unwrap()["type"], "text", "{:?}", shop.texts());
}

#[tokio::test]
async fn forwarded_words_agree_to_nothing() {
    let book =
        json!({ "service_name": "Corte na máquina", "barber_name": "Wesley", "date": WHEN, "start_hour": "14:00" });
    let offer = "Amanhã, 25/11, às 14h o Wesley tem horário para Corte na máquina. Posso marcar?";
    let shop = start_harness([looks(), says(offer)]).await;
    shop.joao_writes("wamid.1", "quanto é o corte na máquina com o Wesley?").await;
    shop.run_until_idle().await;
    let forwards =
        |context: Value| json!({ "type": "text", "text": { "body": "sim,\npode marcar" }, "context": context });
    for (id, context) in
        [("wamid.2", json!({ "forwarded": true })), ("wamid.3", json!({ "frequently_forwarded": true }))]
    {
        shop.model.script([calls("create_appointment", &book), says("Posso marcar para você?")]);
        shop.joao_sends(id, forwards(context)).await;
        shop.run_until_idle().await;
        let read = shop.inbox_rows().await.pop().unwrap().text;
        assert_eq!(read, "[Mensagem encaminhada pelo cliente, com palavras de outra pessoa: sim, pode marcar]");
        assert_eq!(standing(&shop).await, 0, "{:?}", shop.texts());
    }
    shop.model.script([calls("create_appointment", &book), says("Confirmado: amanhã, 25/11, às 14h com Wesley.")]);
    shop.joao_writes("wamid.4", "sim, pode marcar amanhã às 14h").await;
    shop.run_until_idle().await;
    assert_eq!(standing(&shop).await, 1, "{:?}", shop.texts());
}

#[tokio::test]
async fn f_31_a_yes_that_was_written_hours_before_the_offer_agrees_to_nothing() {
    let book =
        json!({ "service_name": "Corte na máquina", "barber_name": "Wesley", "date": WHEN, "start_hour": "14:00" });
    let offer = "Amanhã, 25/11, às 14h o Wesley tem horário para Corte na máquina. Posso marcar?";
    let shop = start_harness([looks(), says(offer)]).await;
    shop.joao_writes("wamid.1", "quanto é o corte na máquina com o Wesley?").await;
    shop.run_until_idle().await;
    let written = (shop.world.clock.now().as_second() - 3 * 3_600).to_string();
    shop.model.script([calls("create_appointment", &book), says("Posso marcar para você?")]);
    let yes = json!({ "type": "text", "text": { "body": "sim, pode marcar" }, "timestamp": written });
    shop.joao_sends("wamid.2", yes).await;
    shop.run_until_idle().await;
    assert_eq!(standing(&shop).await, 0, "{:?}", shop.texts());
    shop.model.script([calls("create_appointment", &book), says("Confirmado: amanhã, 25/11, às 14h com Wesley.")]);
    shop.joao_writes("wamid.3", "sim, pode marcar").await;
    shop.run_until_idle().await;
    assert_eq!(standing(&shop).await, 1, "{:?}", shop.texts());
}

#[tokio::test]
async fn a_yes_to_an_earlier_message_agrees_to_that_one() {
    let book = |hour: &str| json!({ "service_name": "Corte na máquina", "barber_name": "Wesley", "date": WHEN, "start_hour": hour });
    let offer =
        |hour: &str| format!("Amanhã, 25/11, às {hour}h o Wesley tem horário para Corte na máquina. Posso marcar?");
    let shop = start_harness([looks(), says(&offer("14")), says(&offer("15"))]).await;
    shop.joao_writes("wamid.1", "quanto é o corte na máquina com o Wesley?").await;
    shop.run_until_idle().await;
    let earlier = shop.outbox().await.pop().unwrap().provider_message.unwrap();
    shop.joao_writes("wamid.2", "e mais tarde?").await;
    shop.run_until_idle().await;
    let yes = |id: &str| json!({ "type": "text", "text": { "body": "sim" }, "context": { "from": "1", "id": id } });
    // The customer's own message, one that is not known here, and an offer of another time.
    for (id, named) in [("wamid.3", "wamid.1"), ("wamid.4", "wamid.of.another"), ("wamid.5", earlier.as_str())] {
        shop.model.script([calls("create_appointment", &book("15:00")), says("Qual dos dois?")]);
        shop.joao_sends(id, yes(named)).await;
        shop.run_until_idle().await;
        assert_eq!(standing(&shop).await, 0, "{named}: {:?}", shop.texts());
    }
    shop.model
        .script([calls("create_appointment", &book("14:00")), says("Confirmado: amanhã, 25/11, às 14h com Wesley.")]);
    shop.joao_sends("wamid.6", yes(&earlier)).await;
    shop.run_until_idle().await;
    assert_eq!(standing(&shop).await, 1, "{:?}", shop.texts());
}

#[tokio::test]
async fn an_answer_to_an_earlier_message_stays_one_when_it_is_edited() {
    let shop = start_harness([says("Olá! Como posso ajudar?"), says("Claro!"), says("Como posso ajudar?")]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.run_until_idle().await;
    let earlier = shop.outbox().await.pop().unwrap().provider_message.unwrap();
    shop.joao_writes("wamid.2", "tudo bem?").await;
    shop.run_until_idle().await;
    let answer = json!({ "type": "text", "text": { "body": "sin" }, "context": { "from": "1", "id": earlier } });
    shop.joao_sends("wamid.3", answer).await;
    let edit = json!({ "original_message_id": "wamid.3", "message": { "type": "text", "text": { "body": "sim" } } });
    shop.joao_sends("wamid.4", json!({ "type": "edit", "edit": edit })).await;
    shop.run_until_idle().await;
    assert_eq!(shop.asked(), "[O cliente responde a uma mensagem anterior: Olá! Como posso ajudar?]\nsim");
}

/// How many appointments João has ahead of him.
async fn standing(shop: &MessagingHarness) -> usize {
    let (organization, now) = (shop.world.organization, shop.world.clock.now());
    shop.in_transaction(move |tx| {
        let joao = contact::find_by_channel_user(tx, organization, "BR.1234567890")?.unwrap();
        appointment::upcoming_of_contact(tx, organization, joao.id, Currency::BRL, now)
    })
    .await
    .len()
}

#[tokio::test]
async fn the_question_before_a_deed_has_its_two_answers_as_buttons_and_they_answer_no_other() {
    let shop = start_harness([]).await;
    let mut asked = Vec::new();
    for (number, day, said) in [(1, "25", "amanhã"), (2, "26", "quinta")] {
        let book = json!({ "service_name": "Corte na máquina", "barber_name": "Wesley",
            "date": format!("2026-11-{day}"), "start_hour": "14:00" });
        shop.model.script([calls("create_appointment", &book), says(&format!("Marcado: {day}/11 às 14h com Wesley."))]);
        shop.joao_writes(&format!("wamid.book{number}"), &format!("marca corte na máquina {said} às 14h com o Wesley"))
            .await;
        shop.run_until_idle().await;
        assert_eq!(standing(&shop).await, 1, "{:?}", shop.texts());
        shop.model.script([calls("cancel_appointment", &json!({})), says("Ok.")]);
        shop.joao_writes(&format!("wamid.ask{number}"), "quero cancelar meu horário").await;
        shop.run_until_idle().await;
        let sent = shop.graph.accepted().pop().unwrap();
        let buttons = &sent["interactive"]["action"]["buttons"];
        assert_eq!((&buttons[0]["reply"]["title"], &buttons[1]["reply"]["title"]), (&json!("Sim"), &json!("Não")));
        asked.push(names(&sent));
        if number == 2 {
            // The yes to what was asked on the day before.
            shop.model.script([says("Esse já foi cancelado."), says("Ok.")]);
            taps(&shop, "wamid.late", &asked[0][0], "Sim").await;
            shop.run_until_idle().await;
            assert_eq!(standing(&shop).await, 1, "{}", shop.asked());
            break;
        }
        shop.model.script([says("Cancelei.")]);
        taps(&shop, &format!("wamid.yes{number}"), &asked[0][0], "Sim").await;
        shop.run_until_idle().await;
        assert_eq!(standing(&shop).await, 0, "{:?}", shop.texts());
    }
    shop.model.script([says("Então fica.")]);
    taps(&shop, "wamid.no", &asked[1][1], "Não").await;
    shop.run_until_idle().await;
    assert_eq!((standing(&shop).await, shop.asked().as_str()), (1, "Não"));
}

#[tokio::test]
async fn whoever_hides_their_number_is_asked_for_it_with_a_button_and_whoever_does_not_is_not() {
    let question = "Claro! Qual é o seu telefone?";
    for (number, kind) in [(None, "interactive"), (Some("5531988880001"), "text")] {
        let shop = start_harness([says(question), says("Anotado!")]).await;
        shop.writes_as(number, Some("BR.77"), "wamid.1", "quero marcar").await;
        shop.run_until_idle().await;
        let sent = shop.graph.accepted().remove(0);
        assert_eq!(sent["type"], kind);
        if number.is_none() {
            let asked = &sent["interactive"];
            assert_eq!((&asked["type"], &asked["body"]["text"]), (&json!("request_contact_info"), &json!(question)));
            // A shared contact card holds the contact's own number, so the agent does not ask again.
            let card = json!([{ "name": { "formatted_name": "João" }, "phones": [{ "phone": "+55 31 98888-0001",
                "wa_id": "5531988880001" }] }]);
            let shared = json!({ "type": "contacts", "contacts": card, "origin": "contact_request" });
            shop.sends_as(None, Some("BR.77"), "wamid.2", shared).await;
            shop.run_until_idle().await;
            let organization = shop.world.organization;
            let known = shop.in_transaction(move |tx| contact::find_by_channel_user(tx, organization, "BR.77")).await;
            assert_eq!(known.unwrap().phone.unwrap().e164(), "+5531988880001");
        } else {
            shop.writes_as(number, Some("BR.77"), "wamid.2", "já tem").await;
            shop.run_until_idle().await;
        }
        assert_eq!(shop.texts().last().map(String::as_str), Some("Anotado!"));
    }
}

#[tokio::test]
async fn what_meta_does_not_take_with_its_buttons_is_said_without_them() {
    let reply = "Amanhã o Wesley tem 14h, 15h ou 16h. Qual prefere?";
    let shop = start_harness([looks(), says(reply)]).await;
    shop.joao_writes("wamid.1", "quero cortar amanhã com o Wesley, que horas tem?").await;
    shop.graph.next(Behaviour::Error { status: 400, code: 131_009, details: "Not for this customer".to_owned() });
    shop.run_until_idle().await;
    shop.sender.work_off().await.unwrap();
    assert_eq!((shop.texts(), shop.outbox_states().await), (vec![reply.to_owned()], vec![OutboxState::Sent]));
}

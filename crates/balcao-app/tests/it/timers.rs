//! Reminders and follow-ups fire once, when they may, and leave on the channel's terms.

use balcao_app::admin::seed::BusinessFile;
use balcao_app::conversations::Conversations;
use balcao_app::messaging::outbound::costs::{Costs, MessagePrice};
use balcao_app::messaging::outbound::message_templates::{Purpose, QuickReplyAction};
use balcao_app::messaging::outbound::send_policy::SendPolicy;
use balcao_app::scheduling::booking::{BookRequest, Booking};
use balcao_app::scheduling::follow_ups::{FollowUpRequest, FollowUps};
use balcao_app::scheduling::reminders::Reminders;
use balcao_domain::conversation::ConversationState;
use balcao_domain::follow_up::FollowUpType;
use balcao_domain::outbox::OutboxState;
use balcao_domain::reminder::ReminderLeads;
use balcao_domain::{AppointmentStatus, ContactId, Currency, OrganizationId};
use balcao_llm::ModelErrorKind;
use balcao_llm::providers::scripted::{calls, fails, says};
use balcao_store::{
    crm::organization, messaging::conversation, messaging::handoff, scheduling::appointment, scheduling::follow_up,
    turns::event,
};
use balcao_testkit::fakes::graph::{Behaviour, Template};
use jiff::SignedDuration;
use serde_json::json;

use crate::messaging_harness::{MessagingHarness, start_harness, terms};
use crate::world::root;

const HELLO: &str = "Olá! Como posso ajudar?";
const REMINDER: &str = "Lembrete: Corte na máquina com Wesley Moura, quarta, 25/11 às 15h. Posso confirmar?";

/// João wrote at ten on Tuesday and has an appointment on Wednesday at three; the reminder is for so many minutes before.
async fn reminded(minutes_before: u32) -> (MessagingHarness, ContactId) {
    let shop = start_harness([says(HELLO)]).await;
    remind_automatically(&shop, Vec::new()).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.run_until_idle().await;
    let joao = shop.conversation().await.contact;
    let booking = balcao_app::scheduling::booking::Booking::new(shop.world.app.clone());
    let request = BookRequest {
        professional: Some("Wesley".to_owned().into()),
        service: Some(balcao_app::scheduling::booking::ServiceChoice::Name("Corte na máquina".to_owned())),
        date: "2026-11-25".parse().unwrap(),
        start_min: 15 * 60,
        attendee: None,
        pending: false,
        source: "test".to_owned(),
        price_agreed: true,
    };
    let organization = shop.world.organization;
    booking.book(organization, joao, shop.world.key(), request).await.unwrap().value.unwrap();
    let reminders = Reminders::new(shop.world.app.clone());
    let planned = reminders.schedule(organization, joao, shop.world.key(), None, Some(minutes_before), 60).await;
    planned.unwrap().value.unwrap();
    (shop, joao)
}

/// The business reminds so many minutes before each appointment.
pub(crate) async fn remind_automatically(shop: &MessagingHarness, minutes: Vec<u32>) {
    remind_in(shop, shop.world.organization, minutes).await;
}

/// The same in another business.
async fn remind_in(shop: &MessagingHarness, organization: OrganizationId, minutes: Vec<u32>) {
    shop.in_transaction(move |tx| {
        let mut business = organization::get(tx, organization)?;
        business.scheduling.automatic_reminder_minutes = ReminderLeads::new(minutes).unwrap();
        organization::update(tx, &business)
    })
    .await;
}

pub(crate) async fn skipped(shop: &MessagingHarness) -> Vec<String> {
    let events = shop.in_transaction(|tx| event::waiting(tx, 100)).await;
    let skipped = events.into_iter().filter(|event| event.kind.ends_with("_skipped"));
    skipped.map(|event| event.payload).collect()
}

#[tokio::test]
async fn i_18_f_140_a_reminder_fires_once_with_buttons() {
    let (shop, _) = reminded(24 * 60).await;
    assert_eq!(shop.fires(terms()).await, 0, "it is not due");
    shop.world.set_local("2026-11-24T15:00");
    assert_eq!(shop.fires(terms()).await, 1);
    assert_eq!(shop.fires(terms()).await, 0);
    let sent = shop.graph.accepted().pop().unwrap();
    assert_eq!(sent["interactive"]["body"]["text"], REMINDER);
    let buttons = &sent["interactive"]["action"]["buttons"];
    assert_eq!(buttons[1]["reply"]["title"], "Remarcar");
    shop.model.script([says("Claro! Para quando?")]);
    let reply = json!({ "type": "button_reply", "button_reply": buttons[1]["reply"].clone() });
    shop.joao_sends("wamid.2", json!({ "type": "interactive", "interactive": reply })).await;
    shop.run_until_idle().await;
    assert_eq!(shop.asked(), "Quero remarcar meu horário de Corte na máquina com Wesley Moura, quarta, 25/11 às 15h.");
    assert_eq!(shop.graph.accepted().len(), 3);
}

#[tokio::test]
async fn p_15_outside_the_window_a_template_goes_or_nothing() {
    let (shop, _) = reminded(60).await;
    shop.world.set_local("2026-11-25T14:00");
    assert_eq!(shop.fires(terms()).await, 1);
    let sent = shop.graph.accepted().pop().unwrap();
    assert_eq!((sent["type"].as_str(), sent["template"]["name"].as_str()), (Some("template"), Some("lembrete")));
    let parameters = &sent["template"]["components"][0]["parameters"];
    assert_eq!(parameters[0], json!({ "type": "text", "parameter_name": "nome", "text": "João" }));
    assert_eq!(parameters[2]["text"], "15h");
    let priced = shop.outbox().await.pop().unwrap();
    assert_eq!((priced.category.as_deref(), priced.price_micros), (Some("utility"), Some(40_000)));
    // Staff see it at the message, and the month's sum.
    let (organization, id) = (shop.world.organization, shop.conversation().await.id);
    let said = Conversations::new(shop.world.app.clone()).messages(organization, id, None, 1).await.unwrap().unwrap();
    let delivery = said.items[0].delivery.clone().unwrap();
    let price = MessagePrice { micros: 40_000, currency: Currency::BRL };
    assert_eq!((delivery.category.as_deref(), delivery.price), (Some("utility"), Some(price)));
    let month = Costs::new(shop.world.app.clone()).of_this_month(organization).await.unwrap();
    assert_eq!((month.month.as_str(), month.messages, month.price), ("2026-11", 1, price));
    assert_eq!((month.categories[0].category.as_str(), month.categories[0].price), ("utility", price));
    shop.world.set_local("2026-12-01T00:00");
    assert_eq!(Costs::new(shop.world.app.clone()).of_this_month(organization).await.unwrap().messages, 0);

    let (shop, _) = reminded(60).await;
    shop.world.set_local("2026-11-25T14:00");
    assert_eq!(shop.fires(SendPolicy::default()).await, 1);
    assert_eq!(shop.graph.accepted().len(), 1, "nothing but the greeting");
    assert!(skipped(&shop).await[0].contains("no template"));
}

#[tokio::test]
async fn a_reminder_that_goes_as_a_template_has_the_buttons_of_the_free_one() {
    let (shop, _) = reminded(60).await;
    shop.world.set_local("2026-11-25T14:00");
    let mut terms = terms();
    terms.templates.get_mut(&Purpose::Reminder).unwrap().quick_replies =
        vec![QuickReplyAction::Confirm, QuickReplyAction::Move];
    let words = "Oi {{nome}}, seu horário é {{dia}}, às {{hora}}. Você vem?";
    shop.graph.keep_template(Template::new("lembrete", words).with_buttons(&["Confirmar", "Remarcar"]));
    assert_eq!(shop.fires(terms).await, 1);
    let sent = shop.graph.accepted().pop().unwrap();
    let button = &sent["template"]["components"][2];
    assert_eq!((&button["sub_type"], &button["index"]), (&json!("quick_reply"), &json!("1")));
    shop.model.script([says("Claro! Para quando?")]);
    let tapped = json!({ "payload": button["parameters"][0]["payload"], "text": "Remarcar" });
    shop.joao_sends("wamid.2", json!({ "type": "button", "button": tapped })).await;
    shop.run_until_idle().await;
    assert_eq!(shop.asked(), "Quero remarcar meu horário de Corte na máquina com Wesley Moura, quarta, 25/11 às 15h.");
}

#[tokio::test]
async fn f_145_a_window_that_meta_closed_before_us_is_answered_by_a_template() {
    let (shop, _) = reminded(24 * 60).await;
    shop.world.set_local("2026-11-24T15:00");
    shop.graph.next(Behaviour::Error { status: 400, code: 131_047, details: "Re-engagement message".to_owned() });
    shop.fires(terms()).await;
    assert_eq!(shop.graph.accepted().pop().unwrap()["template"]["name"], "lembrete");
    assert_eq!(shop.outbox_states().await, [OutboxState::Sent, OutboxState::Sent]);
}

#[tokio::test]
async fn p_05_one_word_ends_what_nobody_asked_for_before_any_model_is_asked() {
    for word in ["PARE", "sair", "Parar"] {
        let (shop, _) = reminded(24 * 60).await;
        let asked = shop.model.requests().len();
        shop.joao_writes("wamid.2", word).await;
        shop.run_until_idle().await;
        assert_eq!(shop.model.requests().len(), asked, "{word}");
        assert!(shop.conversation().await.opted_out_at.is_some(), "{word}");
        let sent = shop.graph.accepted().len();
        shop.world.set_local("2026-11-24T15:00");
        shop.fires(terms()).await;
        assert_eq!(shop.graph.accepted().len(), sent, "{word}");
        assert!(skipped(&shop).await[0].contains("wants no"), "{word}");
    }
}

#[tokio::test]
async fn an_answer_that_comes_too_late_asks_the_customer_to_write() {
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.advance_secs(3);
    shop.dispatcher.work_off().await.unwrap();
    shop.advance_secs(24 * 3_600);
    shop.sends(terms()).await;
    let [sent] = shop.graph.accepted().try_into().unwrap();
    assert_eq!(sent["template"]["name"], "retomada");
}

#[tokio::test]
async fn f_141_f_142_f_144_what_should_not_fire_any_more_is_skipped_and_staff_know_why() {
    for (what, why) in
        [("cancelled", "given up"), ("opted out", "wants no"), ("human", "a person"), ("late", "too late")]
    {
        let (shop, joao) = reminded(24 * 60).await;
        let organization = shop.world.organization;
        let mut found = shop.conversation().await;
        match what {
            "cancelled" => {
                shop.in_transaction(|tx| tx.execute("UPDATE appointment SET status = 'cancelled'", &[])).await;
            }
            "opted out" => found.opted_out_at = Some(jiff::Timestamp::UNIX_EPOCH),
            "human" => found.state = ConversationState::Human,
            _ => {}
        }
        shop.in_transaction(move |tx| conversation::update(tx, organization, &found)).await;
        shop.world.set_local(if what == "late" { "2026-11-24T15:31" } else { "2026-11-24T15:00" });
        assert_eq!(shop.fires(terms()).await, 1, "{what} {joao}");
        assert_eq!(shop.graph.accepted().len(), 1, "{what}: nothing but the greeting");
        assert!(skipped(&shop).await[0].contains(why), "{what}: {:?}", skipped(&shop).await);
    }
}

#[tokio::test]
async fn f_142_what_changed_between_firing_and_sending_does_not_leave() {
    let (shop, _) = reminded(24 * 60).await;
    shop.world.set_local("2026-11-24T15:00");
    shop.graph.next(Behaviour::Error { status: 500, code: 131_016, details: "Service overloaded".to_owned() });
    shop.fires(terms()).await;
    shop.in_transaction(|tx| tx.execute("UPDATE appointment SET status = 'cancelled'", &[])).await;
    shop.advance_secs(60);
    shop.sends(terms()).await;
    let last = shop.outbox().await.pop().unwrap();
    assert_eq!(last.state, OutboxState::Dead);
    assert!(last.failure.unwrap().contains("appointment"));
    assert_eq!(shop.graph.accepted().len(), 1);
}

#[tokio::test]
async fn f_147_quiet_hours_move_a_reminder_to_the_morning() {
    let (shop, _) = reminded(17 * 60).await;
    shop.world.set_local("2026-11-24T22:00");
    assert_eq!(shop.fires(terms()).await, 0);
    assert_eq!(shop.graph.accepted().len(), 1);
    shop.world.set_local("2026-11-25T08:00");
    assert_eq!(shop.fires(terms()).await, 1);
    assert_eq!(shop.graph.accepted().len(), 2);
}

#[tokio::test]
async fn a_123_the_months_limit_holds() {
    let (shop, _) = reminded(60).await;
    shop.world.set_local("2026-11-25T14:00");
    let limited = SendPolicy { cap_micros: Some(39_999), ..terms() };
    shop.fires(limited).await;
    assert_eq!(shop.graph.accepted().len(), 1);
    let last = shop.outbox().await.pop().unwrap();
    assert!(last.failure.unwrap().contains("month's limit"));
}

#[tokio::test]
async fn a_reminder_that_cannot_be_fired_does_not_hold_up_the_others() {
    let (shop, joao) = reminded(60).await;
    let (organization, app) = (shop.world.organization, shop.world.app.clone());
    let other = BookRequest {
        professional: Some("Wesley".to_owned().into()),
        service: None,
        date: "2026-11-25".parse().unwrap(),
        start_min: 14 * 60 + 30,
        attendee: None,
        pending: false,
        source: "test".to_owned(),
        price_agreed: true,
    };
    let other = Booking::new(app.clone()).book(organization, joao, shop.world.key(), other).await.unwrap();
    let other = other.value.unwrap().appointment.id;
    Reminders::new(app)
        .schedule(organization, joao, shop.world.key(), Some(other), Some(60), 60)
        .await
        .unwrap()
        .value
        .unwrap();
    let name = |name: &'static str| {
        shop.in_transaction(move |tx| {
            tx.execute(&format!("UPDATE appointment SET service_name = {name} WHERE id = ?1"), &[other.into()])
        })
    };
    // The first that is due cannot be read.
    name("x'ff'").await;
    shop.world.set_local("2026-11-25T14:00");
    assert_eq!(shop.fires(terms()).await, 1);
    assert_eq!(shop.fires(terms()).await, 0, "not at once again");
    name("'Corte'").await;
    shop.advance_secs(5 * 60);
    assert_eq!(shop.fires(terms()).await, 1);
}

async fn to_follow_up() -> MessagingHarness {
    let shop = start_harness([says(HELLO)]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.run_until_idle().await;
    let joao = shop.conversation().await.contact;
    let request = FollowUpRequest {
        delay_min: 30,
        allowed_delays_min: vec![30],
        hint: "perguntar se ainda quer cortar".to_owned(),
        kind: FollowUpType::Value,
        episode: 1,
    };
    let follow_ups = FollowUps::new(shop.world.app.clone());
    let planned = follow_ups.schedule(shop.world.organization, joao, shop.world.key(), request).await;
    planned.unwrap().value.unwrap();
    shop
}

#[tokio::test]
async fn a_follow_up_is_written_when_it_is_due_and_sent_once() {
    let shop = to_follow_up().await;
    shop.model.script([says("Oi, João! Ainda quer cortar o cabelo?")]);
    assert_eq!(shop.fires(terms()).await, 0);
    shop.advance_secs(30 * 60);
    assert_eq!(shop.fires(terms()).await, 1);
    assert_eq!(shop.fires(terms()).await, 0);
    assert_eq!(shop.texts(), [HELLO, "Oi, João! Ainda quer cortar o cabelo?"]);
    assert!(shop.model.last_request().unwrap().system.contains("perguntar se ainda quer cortar"));
    // It is paid for like everything else that is asked of the model.
    let calls: i64 =
        shop.in_transaction(|tx| tx.query_one("SELECT model_calls FROM turn", &[], |row| row.get(0))).await;
    assert_eq!(calls, 2);
}

#[tokio::test]
async fn a_follow_up_that_states_something_is_replaced_by_ours() {
    for line in [
        says("Seu horário está marcado para amanhã às 15h!"),
        says("Temos 10% de desconto!"),
        says("Já agendei para você."),
        fails(ModelErrorKind::Upstream),
    ] {
        let shop = to_follow_up().await;
        shop.model.script([line]);
        shop.advance_secs(30 * 60);
        shop.fires(terms()).await;
        assert_eq!(shop.texts()[1..], ["Oi! Ainda quer ver um horário? É só me dizer o dia que prefere."]);
    }
}

#[tokio::test]
async fn a_follow_up_that_nobody_survives_writing_gets_words_of_ours() {
    let shop = to_follow_up().await;
    shop.advance_secs(30 * 60);
    for _ in 0..3 {
        let now = balcao_domain::Clock::now(&*shop.world.clock);
        let held = now.checked_add(SignedDuration::from_secs(90)).unwrap();
        shop.in_transaction(move |tx| follow_up::take_due(tx, now, held)).await.unwrap();
        assert_eq!(shop.fires(terms()).await, 0, "somebody has it in hand");
        shop.advance_secs(91);
    }
    assert_eq!(shop.fires(terms()).await, 1);
    assert_eq!(shop.model.requests().len(), 1, "the model was asked for the greeting alone");
    assert_eq!(shop.texts()[1..], ["Oi! Ainda quer ver um horário? É só me dizer o dia que prefere."]);
}

#[tokio::test]
async fn f_143_whoever_writes_is_not_followed_up() {
    let shop = to_follow_up().await;
    shop.model.script([says("Claro!")]);
    shop.joao_writes("wamid.2", "voltei").await;
    shop.run_until_idle().await;
    shop.advance_secs(30 * 60);
    assert_eq!(shop.fires(terms()).await, 0);
}

#[tokio::test]
async fn f_153_a_handoff_that_nobody_takes_is_told_to_staff_the_customer_and_the_owner() {
    const YET: &str = "Ainda não consegui que alguém da equipe te atendesse. Sua mensagem está com a gente, e uma pessoa \
                       responde por aqui.";
    let shop = start_harness([]).await;
    shop.joao_writes("wamid.1", "quero falar com uma pessoa").await;
    shop.run_until_idle().await;
    assert_eq!(shop.conversation().await.state, ConversationState::WaitingHuman);
    let first = shop.texts();
    let told = async || {
        let events = shop.in_transaction(|tx| event::waiting(tx, 100)).await;
        let told = events.into_iter().filter(|event| event.kind == "handoff_untaken");
        told.map(|event| event.payload).collect::<Vec<_>>()
    };
    shop.advance_secs(4 * 60);
    assert_eq!(shop.fires(terms()).await, 0);
    shop.advance_secs(70);
    assert_eq!(shop.fires(terms()).await, 1);
    assert_eq!((told().await, shop.texts()), (vec![r#"{"minutes":5}"#.to_owned()], first.clone()));
    shop.advance_secs(10 * 60);
    assert_eq!(shop.fires(terms()).await, 1);
    assert_eq!(shop.texts(), [first, vec![YET.to_owned()]].concat());
    assert_eq!(shop.conversation().await.state, ConversationState::WaitingHuman);
    // After a staff member takes the handoff, the alerts stop.
    shop.staff_takes_over().await;
    shop.advance_secs(60 * 60);
    assert_eq!((shop.fires(terms()).await, told().await.len()), (0, 2));
}

/// A time that is held until the contact confirms it.
fn hold() -> BookRequest {
    BookRequest {
        professional: Some("Otávio".to_owned().into()),
        service: None,
        date: "2026-11-26".parse().unwrap(),
        start_min: 10 * 60,
        attendee: None,
        pending: true,
        source: "test".to_owned(),
        price_agreed: true,
    }
}

#[tokio::test]
async fn a_hold_that_nobody_confirmed_is_given_up_when_its_time_is_over() {
    let (shop, joao) = reminded(60).await;
    let (organization, booking) = (shop.world.organization, Booking::new(shop.world.app.clone()));
    let held = booking.book(organization, joao, shop.world.key(), hold()).await.unwrap().value.unwrap().appointment;
    let status = async || {
        let id = held.id;
        shop.in_transaction(move |tx| appointment::find(tx, organization, id, Currency::BRL)).await.unwrap().status
    };
    shop.fires(terms()).await;
    assert_eq!(status().await, AppointmentStatus::Pending);
    shop.world.set_local("2026-11-24T10:30");
    shop.fires(terms()).await;
    assert_eq!(status().await, AppointmentStatus::Cancelled);
}

#[tokio::test]
async fn what_is_wrong_with_one_business_holds_up_no_other() {
    let (shop, _joao) = reminded(60).await;
    let text = std::fs::read_to_string(root().join("samples/barbearia-figueira.yaml")).unwrap();
    let text = text.replace("slug: figueira", "slug: outra");
    let file = BusinessFile::read("outra.yaml", &text).unwrap();
    let now = balcao_domain::Clock::now(&*shop.world.clock);
    let other = file.import(&shop.world.app.store, now).await.unwrap().organization;
    remind_in(&shop, other, Vec::new()).await;
    let contact =
        shop.in_transaction(move |tx| balcao_store::crm::contact::list(tx, other, None, 1)).await.remove(0).id;
    let booking = Booking::new(shop.world.app.clone());
    let held = booking.book(other, contact, shop.world.key(), hold()).await.unwrap().value.unwrap().appointment.id;
    // The first business cannot be read, nor can its reminder be fired.
    let first = shop.world.organization;
    shop.in_transaction(move |tx| {
        tx.execute("UPDATE organization SET timezone = 'Nowhere/None' WHERE id = ?1", &[i64::from(first).into()])
    })
    .await;
    shop.world.set_local("2026-11-25T14:00");
    assert_eq!(shop.fires(terms()).await, 0);
    let found = shop.in_transaction(move |tx| appointment::find(tx, other, held, Currency::BRL)).await.unwrap();
    assert_eq!(found.status, AppointmentStatus::Cancelled);
}

/// Returns the line of the prompt with the notification that João may be answering.
fn told(shop: &MessagingHarness) -> String {
    let prompt = shop.model.requests().pop().unwrap().system;
    let line = prompt.lines().find(|line| line.contains("última notificação")).unwrap_or_default();
    line.to_owned()
}

/// João also has a beard on Thursday: without the reminder it is unclear which appointment he means.
async fn reminded_of_one_of_two() -> MessagingHarness {
    let (shop, joao) = reminded(24 * 60).await;
    let request = BookRequest {
        professional: Some("Wesley".to_owned().into()),
        service: Some(balcao_app::scheduling::booking::ServiceChoice::Name("Barba".to_owned())),
        date: "2026-11-26".parse().unwrap(),
        start_min: 15 * 60,
        attendee: None,
        pending: false,
        source: "test".to_owned(),
        price_agreed: true,
    };
    let booking = Booking::new(shop.world.app.clone());
    booking.book(shop.world.organization, joao, shop.world.key(), request).await.unwrap().value.unwrap();
    shop.world.set_local("2026-11-24T15:00");
    assert_eq!(shop.fires(terms()).await, 1);
    shop
}

/// The id of the cut that the reminder was about: it was booked before the beard.
async fn cut(shop: &MessagingHarness) -> i64 {
    let (organization, contact) = (shop.world.organization, shop.conversation().await.contact);
    let all = shop.in_transaction(move |tx| appointment::of_contact(tx, organization, contact, Currency::BRL)).await;
    all.iter().find(|one| one.service_name == "Corte na máquina").unwrap().id.into()
}

#[tokio::test]
async fn a_reply_to_a_reminder_carries_its_appointment() {
    let shop = reminded_of_one_of_two().await;
    shop.model.script([says("Para quando seria melhor?")]);
    shop.joao_writes("wamid.2", "preciso remarcar").await;
    shop.run_until_idle().await;
    let line = told(&shop);
    let id = cut(&shop).await;
    assert!(line.contains(REMINDER) && line.contains(&format!("agendamento {id}: Corte na máquina com")), "{line}");
    let facts = shop.model.requests().pop().unwrap().facts;
    assert_eq!(facts.appointment, Some(id));
    // What we said since takes the reminder's place.
    shop.model.script([says("Certo.")]);
    shop.joao_writes("wamid.3", "na sexta").await;
    shop.run_until_idle().await;
    assert_eq!(shop.model.requests().pop().unwrap().facts.appointment, None);
}

#[tokio::test]
async fn a_quoted_reminder_counts_whatever_was_said_since() {
    let shop = reminded_of_one_of_two().await;
    let reminder =
        shop.outbox().await.into_iter().rfind(|one| one.kind == "reminder").unwrap().provider_message.unwrap();
    shop.model.script([says("Tudo bem.")]);
    shop.joao_writes("wamid.2", "obrigado").await;
    shop.run_until_idle().await;
    shop.model.script([says("Sem problema. Quer outro horário?")]);
    let quoting =
        json!({ "type": "text", "text": { "body": "não posso ir" }, "context": { "from": "1", "id": reminder } });
    shop.joao_sends("wamid.3", quoting).await;
    shop.run_until_idle().await;
    let id = cut(&shop).await;
    assert!(told(&shop).contains(&format!("agendamento {id}: Corte na máquina")), "{}", told(&shop));
    assert_eq!(shop.model.requests().pop().unwrap().facts.appointment, Some(id));
}

#[tokio::test]
async fn the_team_reads_which_appointment_is_to_be_moved() {
    let shop = reminded_of_one_of_two().await;
    shop.model.script([calls("transfer_to_human", &json!({ "reason": "quer remarcar" }))]);
    shop.joao_writes("wamid.2", "preciso remarcar").await;
    shop.run_until_idle().await;
    let (organization, conversation) = (shop.world.organization, shop.conversation().await.id);
    let open = shop.in_transaction(move |tx| handoff::open_of(tx, organization, conversation)).await.unwrap();
    let summary = open.summary.unwrap();
    let question = format!("Em questão: agendamento {}: Corte na máquina com Wesley Moura", cut(&shop).await);
    assert!(summary.starts_with(&question), "{summary}");
    assert!(summary.contains("preciso remarcar"), "{summary}");
}

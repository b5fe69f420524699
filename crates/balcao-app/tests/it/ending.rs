//! Conversations that end and come back, and the summary that a staff member reads at a takeover.

use std::sync::Arc;

use balcao_agent::Profile;
use balcao_agent::profile::AfterReply;
use balcao_app::conversations::{ConversationDetail, Conversations};
use balcao_app::scheduling::booking::{BookRequest, Booking, ServiceChoice};
use balcao_app::scheduling::follow_ups::{FollowUpRequest, FollowUps};
use balcao_app::scheduling::reminders::Reminders;
use balcao_app::turns::{Agent, ContactRef, TurnOutcome, TurnRequest, TurnRunner};
use balcao_builtin_tools::Settings;
use balcao_domain::conversation::ConversationState;
use balcao_domain::follow_up::FollowUpType;
use balcao_llm::providers::scripted::{Line, Scripted, calls, says};
use balcao_store::{scheduling::follow_up, turns::event};
use balcao_yaml::Document;
use serde_json::{Value, json};

use crate::messaging_harness::{MessagingHarness, eli, start_with_profile, terms};
use crate::world::{World, figueira, root};

/// The shipped profile `manual` at the barbershop.
struct ManualShop {
    world: World,
    front: TurnRunner,
    model: Scripted,
}

fn manual() -> Profile {
    let text = std::fs::read_to_string(root().join("agents/manual.yaml")).unwrap();
    Document::read("agents/manual.yaml", &text).unwrap().read_as::<balcao_agent::ProfileFile>().unwrap().profile
}

async fn shop() -> ManualShop {
    let world = figueira().await;
    world.set_local("2026-11-24T10:00");
    let (profile, model) = (manual(), Scripted::new([]));
    let settings =
        Settings { professional: None, allow_new_tags: true, reminder_minutes: 60, followup_delays: vec![30] };
    let registry = balcao_builtin_tools::registry(&world.app, &settings).unwrap();
    let agent = Agent::new(profile, &registry, Arc::new(model.clone()));
    ManualShop { front: TurnRunner::new(world.app.clone(), [agent]), world, model }
}

/// One step of the structured protocol that speaks.
fn speaks(text: &str) -> Line {
    says(&json!({"response_to_client": text, "tool_request": null}).to_string())
}

/// One that asks for a tool.
fn asks(tool: &str, params: Value) -> Line {
    says(&json!({"response_to_client": null, "tool_request": {"name": tool, "params": params}}).to_string())
}

impl ManualShop {
    async fn caio_says(&self, text: &str, script: impl IntoIterator<Item = Line>) -> TurnOutcome {
        self.model.script(script);
        let inbound = TurnRequest {
            organization: self.world.organization,
            channel: "terminal".to_owned(),
            from: ContactRef::Contact(self.world.caio().await),
            name: None,
            texts: vec![text.to_owned()],
        };
        let answered = self.front.answer("manual", inbound, None).await.unwrap();
        self.front.after_reply("manual", &answered, self.world.organization).await;
        answered
    }

    async fn shown(&self, answered: &TurnOutcome) -> ConversationDetail {
        let conversations = Conversations::new(self.world.app.clone());
        conversations.show(self.world.organization, answered.conversation).await.unwrap().unwrap()
    }
}

#[tokio::test]
async fn a_conversation_that_ended_is_archived_and_a_later_message_begins_anew() {
    let shop = shop().await;
    let bye = [asks("endConversationTool", json!({"reason": "Dúvida resolvida."})), speaks("Até mais, Caio!")];
    let ended = shop.caio_says("era só isso, obrigado", bye).await;
    assert_eq!(ended.ending.reply().unwrap().as_str(), "Até mais, Caio!");
    let shown = shop.shown(&ended).await;
    assert_eq!(shown.conversation.state, ConversationState::Closed);
    assert_eq!(shown.messages.last().unwrap().message.text, "Até mais, Caio!");
    let conversations = Conversations::new(shop.world.app.clone());
    let listed = async |states: &[ConversationState]| {
        conversations.list(shop.world.organization, states.to_vec()).await.unwrap().items.len()
    };
    use ConversationState::{Ai, Closed, Human, WaitingHuman};
    assert_eq!((listed(&[WaitingHuman, Human]).await, listed(&[Ai]).await, listed(&[Closed]).await), (0, 0, 1));
    let back = shop.caio_says("oi de novo", [speaks("Oi! Como posso ajudar?")]).await;
    assert_eq!((back.ending.outcome(), back.conversation), ("reply", ended.conversation));
    assert_eq!(shop.shown(&back).await.conversation.state, Ai);
    let asked = shop.model.last_request().unwrap();
    assert!(!format!("{:?}", asked.messages).contains("era só isso"), "the context is not fresh: {:?}", asked.messages);
}

#[tokio::test]
async fn a_question_that_waits_for_the_customer_keeps_the_conversation_open() {
    let shop = shop().await;
    let caio = shop.world.caio().await;
    let history = balcao_app::scheduling::appointments::Appointments::new(shop.world.app.clone());
    let id = i64::from(history.history(shop.world.organization, caio).await.unwrap().upcoming[0].id).to_string();
    let script = [
        asks("cancelAppointmentTool", json!({"eventId": id})),
        asks("endConversationTool", json!({})),
        speaks("Posso cancelar o de quinta, 03/12 às 9h30?"),
    ];
    let asked = shop.caio_says("cancela meu horário e tchau", script).await;
    assert_eq!(shop.shown(&asked).await.conversation.state, ConversationState::Ai);
    let done = shop.caio_says("sim", [speaks("Pronto, cancelado.")]).await;
    assert_eq!(done.state.calls[0].result.value["message"], "O agendamento foi cancelado com sucesso.");
    assert!(history.history(shop.world.organization, caio).await.unwrap().upcoming.is_empty());
}

#[tokio::test]
async fn whoever_takes_over_reads_a_summary_and_the_agent_is_silent() {
    let shop = shop().await;
    shop.caio_says("queria sobrancelha e barba no mesmo dia", [speaks("Qual dia?")]).await;
    let script =
        [asks("requestHumanSupportTool", json!({"reason": "Pediu o dono."})), says("Quer sobrancelha e barba juntas.")];
    let handed = shop.caio_says("o preço que me passaram está errado", script).await;
    assert_eq!(handed.ending.outcome(), "handoff");
    let shown = shop.shown(&handed).await;
    assert_eq!(
        shown.summary.as_deref(),
        Some("Quer sobrancelha e barba juntas.\nÚltimo pedido: o preço que me passaram está errado")
    );
    assert_eq!(shown.conversation.reason.as_deref(), Some("model: Pediu o dono."));
    let silent = shop.caio_says("alguém?", []).await;
    assert_eq!(
        (silent.ending.outcome(), shop.shown(&silent).await.conversation.state),
        ("silence", ConversationState::WaitingHuman)
    );
}

#[tokio::test]
async fn the_summary_is_renewed_with_every_fourth_turn_however_long_the_conversation_is() {
    let shop = shop().await;
    for turn in 1..=18 {
        let summary = (turn % 4 == 0).then(|| says(&format!("Já fez {turn} perguntas.")));
        // A script that is not used up, or too short, fails the test.
        let script: Vec<Line> = [Some(speaks("Certo.")), summary].into_iter().flatten().collect();
        let answered = shop.caio_says(&format!("e a {turn}ª pergunta?"), script).await;
        let shown = shop.shown(&answered).await.summary.unwrap_or_default();
        let last = turn / 4 * 4;
        assert_eq!(shown, if last == 0 { String::new() } else { format!("Já fez {last} perguntas.") });
    }
}

#[tokio::test]
async fn without_a_models_summary_the_last_words_are_written_down() {
    let shop = shop().await;
    let script = [asks("requestHumanSupportTool", json!({"reason": "Irritado."})), says("")];
    let handed = shop.caio_says("isso é um absurdo, o corte ficou torto", script).await;
    let summary = shop.shown(&handed).await.summary.unwrap();
    assert_eq!(summary, "Último pedido: isso é um absurdo, o corte ficou torto");
}

/// *Eli* with the calendar's tools beside her own, behind a WhatsApp number.
async fn counter_that_ends() -> MessagingHarness {
    let mut profile = eli();
    profile.packs.push("calendar".to_owned());
    start_with_profile(profile, []).await
}

#[tokio::test]
async fn a_message_by_a_channel_reopens_and_what_was_planned_for_a_visit_still_leaves() {
    let shop = counter_that_ends().await;
    let organization = shop.world.organization;
    shop.model.script([says("Olá!")]);
    shop.joao_writes("wamid.1", "oi").await;
    shop.run_until_idle().await;
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
    let booking = Booking::new(shop.world.app.clone());
    booking.book(organization, joao, shop.world.key(), request).await.unwrap().value.unwrap();
    let reminders = Reminders::new(shop.world.app.clone());
    let planned = reminders.schedule(organization, joao, shop.world.key(), None, Some(24 * 60), 60).await;
    planned.unwrap().value.unwrap();
    let asking = FollowUpRequest {
        delay_min: 30,
        allowed_delays_min: vec![30],
        hint: "barba".to_owned(),
        kind: FollowUpType::Value,
        episode: 1,
    };
    let follow_ups = FollowUps::new(shop.world.app.clone());
    follow_ups.schedule(organization, joao, shop.world.key(), asking).await.unwrap().value.unwrap();

    shop.model.script([calls("endConversationTool", &json!({})), says("Até mais!")]);
    shop.joao_writes("wamid.2", "tchau").await;
    shop.run_until_idle().await;
    assert_eq!(shop.conversation().await.state, ConversationState::Closed);
    assert_eq!(shop.texts(), ["Olá!", "Até mais!"]);
    assert_eq!(shop.in_transaction(move |tx| follow_up::open_of_contact(tx, organization, joao)).await.len(), 0);
    let told = shop.in_transaction(|tx| event::waiting(tx, 100)).await;
    assert_eq!(told.iter().filter(|event| event.kind == "conversation_closed").count(), 1);

    // The visit is to come: its reminder leaves, and the answer to it reopens the conversation.
    shop.world.set_local("2026-11-24T15:00");
    assert_eq!(shop.fires(terms()).await, 1);
    assert_eq!(shop.graph.accepted().len(), 3, "the reminder did not leave");
    shop.joao_writes("wamid.3", "beleza, obrigado").await;
    shop.run_until_idle().await;
    assert_eq!(shop.conversation().await.state, ConversationState::Ai);
    assert!(shop.texts().last().unwrap().starts_with("Presença confirmada: "), "{:?}", shop.texts());
}

#[tokio::test]
async fn no_summary_is_asked_for_where_the_profile_wants_none() {
    let shop = shop().await;
    let mut profile = manual();
    profile.after_reply = AfterReply::default();
    let settings =
        Settings { professional: None, allow_new_tags: true, reminder_minutes: 60, followup_delays: vec![30] };
    let registry = balcao_builtin_tools::registry(&shop.world.app, &settings).unwrap();
    let agent = Agent::new(profile, &registry, Arc::new(shop.model.clone()));
    let shop = ManualShop { front: TurnRunner::new(shop.world.app.clone(), [agent]), ..shop };
    let script = [asks("requestHumanSupportTool", json!({"reason": "Pediu."}))];
    let handed = shop.caio_says("quero resolver isso", script).await;
    assert_eq!(shop.model.requests().len(), 1);
    assert_eq!(shop.shown(&handed).await.summary.as_deref(), Some("Último pedido: quero resolver isso"));
}

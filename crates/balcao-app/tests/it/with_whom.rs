//! The conversation's professional is resolved if the profile's tools declare the need, for any name of their pack.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use balcao_agent::{Profile, ProfileFile};
use balcao_app::scheduling::booking::{BookRequest, Booking, ServiceChoice};
use balcao_app::scheduling::reminders::Reminders;
use balcao_app::turns::{Agent, ContactRef, TurnRequest, TurnRunner};
use balcao_domain::ProfessionalId;
use balcao_llm::providers::scripted::{Scripted, calls, says};
use balcao_store::{StoreError, messaging::conversation};
use balcao_tool::{
    Behaviour, CommandSpec, Confirm, Localised, NativeTool, Registry, Tool, ToolContext, ToolOutput, ToolResult, With,
    erase,
};
use balcao_yaml::Document;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::messaging_harness::{MessagingHarness, start_with_profile, terms};
use crate::world::{figueira, root};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

struct Tells;

#[async_trait]
impl NativeTool for Tells {
    type Args = Nothing;

    async fn call(&self, _cx: &ToolContext, _args: Nothing) -> ToolResult<ToolOutput> {
        Ok(ToolOutput::success(json!({})))
    }
}

pub(crate) fn agent(pack: &str, with: Option<With>, more: &str, model: &Scripted) -> Agent {
    let spec = CommandSpec {
        name: "tell_times".to_owned(),
        pack: pack.to_owned(),
        description: Localised { pt_br: "Os horários.".to_owned(), en: "The times.".to_owned() },
        input_schema: json!({ "type": "object", "additionalProperties": false }),
        output_schema: json!({ "type": "object" }),
        behaviour: Behaviour::default(),
        confirm: Confirm::None,
        timeout: Duration::from_secs(30),
        settle: Duration::ZERO,
        on_error: BTreeMap::new(),
        internal: false,
        said: BTreeMap::new(),
        with,
        act: None,
    };
    let mut registry = Registry::default();
    assert!(registry.put(Arc::new(Tool::new(spec, erase(Tells)).unwrap())).is_none());
    let profile = format!("{{id: caseira, name: Caseira, packs: [{pack}], protocol: native{more}}}");
    let profile: Profile = Document::read("x.yaml", &profile).unwrap().read_as().unwrap();
    Agent::new(profile, &registry, Arc::new(model.clone()))
}

/// Lists the professional of a conversation after each of these messages, in a shop of three.
async fn about(agent: impl Fn(&Scripted) -> Agent, texts: &[&str]) -> Vec<Option<ProfessionalId>> {
    let (world, model) = (figueira().await, Scripted::new([]));
    let front = TurnRunner::new(world.app.clone(), [agent(&model)]);
    let (organization, livia) = (world.organization, world.livia().await);
    let mut found = Vec::new();
    for text in texts {
        let inbound = TurnRequest {
            organization,
            channel: "terminal".to_owned(),
            from: ContactRef::Contact(livia),
            name: None,
            texts: vec![(*text).to_owned()],
        };
        model.script([says("Certo.")]);
        let answered = front.answer("caseira", inbound, None).await.unwrap();
        let read = world.app.store.read(move |tx| conversation::get(tx, organization, answered.conversation));
        found.push(read.await.map_err(|error: StoreError| error).unwrap().professional);
    }
    found
}

#[tokio::test]
async fn whom_a_conversation_is_about_is_found_where_a_tool_needs_it_and_not_by_the_name_of_its_pack() {
    let texts = ["oi, quero com o Wesley", "com qualquer um"];
    let wesley = Some(2.try_into().unwrap());
    let house = |with, more: &'static str| move |model: &Scripted| agent("house", with, more, model);
    assert_eq!(about(house(Some(With::One), ""), &texts).await, [wesley, wesley]);
    assert_eq!(about(house(Some(With::AskedFor), ""), &texts).await, [wesley, None]);
    // The professional of the profile needs no question, and without a tool that needs one the turn resolves none.
    assert_eq!(about(house(Some(With::AskedFor), ", professional: Íris Valente"), &texts).await, [None, None]);
    assert_eq!(about(|model| agent("intake", None, "", model), &texts).await, [None, None]);
}

/// The shipped profile of sessions, under the name that the harness expects.
pub(crate) fn intake_profile() -> Profile {
    let text = std::fs::read_to_string(root().join("agents/odys-intake.yaml")).unwrap();
    let file = Document::read("agents/odys-intake.yaml", &text).unwrap().read_as::<ProfileFile>().unwrap();
    Profile { id: "eli".to_owned(), ..file.profile }
}

/// Otávio's and Wesley's number: João asked for Otávio, has a cut with him on Wednesday and one with Wesley on Thursday, and was
/// reminded of the later one.
async fn reminded_by_wesley() -> MessagingHarness {
    let shop = start_with_profile(intake_profile(), [says("Oi! Para quando?")]).await;
    crate::timers::remind_automatically(&shop, Vec::new()).await;
    shop.joao_writes("wamid.1", "oi, quero com o Otávio").await;
    shop.run_until_idle().await;
    let (organization, joao) = (shop.world.organization, shop.conversation().await.contact);
    let mut last = None;
    for (name, day) in [("Otávio", "2026-11-25"), ("Wesley", "2026-11-26")] {
        let request = BookRequest {
            professional: Some(name.to_owned().into()),
            service: Some(ServiceChoice::Name("Corte na máquina".to_owned())),
            date: day.parse().unwrap(),
            start_min: 15 * 60,
            attendee: None,
            pending: false,
            source: "test".to_owned(),
            price_agreed: true,
        };
        let booking = Booking::new(shop.world.app.clone());
        let booked = booking.book(organization, joao, shop.world.key(), request).await.unwrap().value.unwrap();
        last = Some(booked.appointment.id);
    }
    let reminders = Reminders::new(shop.world.app.clone());
    let planned = reminders.schedule(organization, joao, shop.world.key(), last, Some(48 * 60), 60).await;
    planned.unwrap().value.unwrap();
    assert_eq!(about_now(&shop).await, whom(1));
    shop.world.set_local("2026-11-24T15:00");
    assert_eq!(shop.fires(terms()).await, 1);
    shop
}

fn whom(id: i64) -> Option<ProfessionalId> {
    Some(id.try_into().unwrap())
}

async fn about_now(shop: &MessagingHarness) -> Option<ProfessionalId> {
    shop.conversation().await.professional
}

#[tokio::test]
async fn who_answers_a_reminder_speaks_with_the_professional_whose_it_is() {
    let shop = reminded_by_wesley().await;
    let looks = calls("get_available_slots", &json!({ "date": "2026-11-27" }));
    shop.model.script([looks, says("Na sexta há horários.")]);
    shop.joao_writes("wamid.2", "preciso de outro horário").await;
    shop.run_until_idle().await;
    assert_eq!(about_now(&shop).await, whom(2));
    let told = format!("{:?}", shop.model.last_request().unwrap().messages.last());
    assert!(told.contains("Wesley Moura") && !told.contains("Otávio"), "{told}");
    // The professional stays after the reminder is no longer our last message.
    shop.model.script([says("Certo.")]);
    shop.joao_writes("wamid.3", "na sexta então").await;
    shop.run_until_idle().await;
    assert_eq!(about_now(&shop).await, whom(2));
}

#[tokio::test]
async fn a_name_comes_before_the_reminder_and_a_quoted_one_before_what_is_known() {
    let shop = reminded_by_wesley().await;
    let reminder = shop.outbox().await.into_iter().rfind(|one| one.kind == "reminder").unwrap();
    shop.model.script([says("Com o Otávio, certo. Para quando?")]);
    shop.joao_writes("wamid.2", "quero outro horário com o Otávio").await;
    shop.run_until_idle().await;
    assert_eq!(about_now(&shop).await, whom(1));
    shop.model.script([says("Certo. Para quando?")]);
    let context = json!({ "from": "1", "id": reminder.provider_message.unwrap() });
    let body = json!({ "body": "preciso de outro horário" });
    shop.joao_sends("wamid.3", json!({ "type": "text", "text": body, "context": context })).await;
    shop.run_until_idle().await;
    assert_eq!(about_now(&shop).await, whom(2));
}

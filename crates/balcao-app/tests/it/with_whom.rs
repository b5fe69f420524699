//! Whom a conversation is about is found out where the profile's tools say that they need it, whatever their pack is called.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use balcao_agent::Profile;
use balcao_app::turns::{Agent, FrontDesk, Inbound, Writer};
use balcao_domain::ProfessionalId;
use balcao_llm::providers::scripted::{Scripted, says};
use balcao_store::{StoreError, conversation};
use balcao_tool::{
    Behaviour, CommandSpec, Confirm, Localised, NativeTool, Registry, Tool, ToolContext, ToolOutput, ToolResult, With,
    erase,
};
use balcao_yaml::Document;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::world::figueira;

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

fn agent(pack: &str, with: Option<With>, more: &str, model: &Scripted) -> Agent {
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
    };
    let mut registry = Registry::default();
    assert!(registry.put(Arc::new(Tool::new(spec, erase(Tells)).unwrap())).is_none());
    let profile = format!("{{id: caseira, name: Caseira, packs: [{pack}], protocol: native{more}}}");
    let profile: Profile = Document::read("x.yaml", &profile).unwrap().read_as().unwrap();
    Agent::new(profile, &registry, Arc::new(model.clone()))
}

/// Whom a conversation is about after each of these messages, in a shop of three.
async fn about(agent: impl Fn(&Scripted) -> Agent, texts: &[&str]) -> Vec<Option<ProfessionalId>> {
    let (world, model) = (figueira().await, Scripted::new([]));
    let front = FrontDesk::new(world.desk.clone(), [agent(&model)]);
    let (organization, livia) = (world.organization, world.livia().await);
    let mut found = Vec::new();
    for text in texts {
        let inbound = Inbound {
            organization,
            channel: "terminal".to_owned(),
            from: Writer::Contact(livia),
            name: None,
            texts: vec![(*text).to_owned()],
        };
        model.script([says("Certo.")]);
        let answered = front.answer("caseira", inbound, None).await.unwrap();
        let read = world.desk.store.read(move |tx| conversation::get(tx, organization, answered.conversation));
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
    // Whom the profile books is not asked for, and where no tool needs it nobody is looked for.
    assert_eq!(about(house(Some(With::AskedFor), ", professional: Íris Valente"), &texts).await, [None, None]);
    assert_eq!(about(|model| agent("intake", None, "", model), &texts).await, [None, None]);
}

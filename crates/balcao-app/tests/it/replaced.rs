//! An agent that is replaced while it answers: its turn keeps what it had, the next one has the new.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use balcao_agent::Profile;
use balcao_app::turns::{Agent, ContactRef, TurnRequest, TurnRunner};
use balcao_llm::providers::scripted::{Scripted, calls, says};
use balcao_tool::{
    Behaviour, CommandSpec, Confirm, Effect, EffectClass, Localised, NativeTool, Registry, Tool, ToolContext,
    ToolOutput, ToolResult, erase,
};
use balcao_yaml::Document;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::world::figueira;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// Replaces the agent that it is called by.
struct Swaps {
    front: Arc<OnceLock<Arc<TurnRunner>>>,
    next: Arc<OnceLock<Agent>>,
}

#[async_trait]
impl NativeTool for Swaps {
    type Args = Nothing;

    async fn call(&self, _cx: &ToolContext, _args: Nothing) -> ToolResult<ToolOutput> {
        self.front.get().unwrap().replace(self.next.get().unwrap().clone());
        Ok(ToolOutput::success(json!({ "text": "done" })))
    }
}

fn agent(commands: &[&str], swaps: &Arc<dyn balcao_tool::ToolHandler>, model: &Scripted) -> Agent {
    let tool = |name: &&str| {
        let spec = CommandSpec {
            name: (*name).to_owned(),
            pack: "house".to_owned(),
            description: Localised { pt_br: "Uma regra.".to_owned(), en: "A rule.".to_owned() },
            input_schema: json!({ "type": "object", "additionalProperties": false }),
            output_schema: json!({ "type": "object" }),
            behaviour: Behaviour {
                effect: Effect::Read,
                class: EffectClass::Read,
                idempotent: true,
                reversible: false,
                open_world: false,
            },
            confirm: Confirm::None,
            timeout: Duration::from_secs(30),
            settle: Duration::ZERO,
            on_error: BTreeMap::new(),
            internal: false,
            said: BTreeMap::new(),
            with: None,
            act: None,
        };
        Arc::new(Tool::new(spec, Arc::clone(swaps)).unwrap())
    };
    let mut registry = Registry::default();
    commands.iter().map(tool).for_each(|tool| assert!(registry.put(tool).is_none()));
    let profile = "{id: caseira, name: Caseira, packs: [house], protocol: native}";
    let profile: Profile = Document::read("x.yaml", profile).unwrap().read_as().unwrap();
    Agent::new(profile, &registry, Arc::new(model.clone()))
}

#[tokio::test]
async fn a_turn_keeps_the_tools_that_it_began_with_and_the_next_one_has_the_new_ones() {
    let (world, model) = (figueira().await, Scripted::new([]));
    let (place, next) = (Arc::default(), Arc::default());
    let swaps = erase(Swaps { front: Arc::clone(&place), next: Arc::clone(&next) });
    let first = agent(&["old_rule", "old_other"], &swaps, &model);
    assert!(next.set(agent(&["new_rule"], &swaps, &model)).is_ok());
    let front = Arc::new(TurnRunner::new(world.app.clone(), [first]));
    assert!(place.set(Arc::clone(&front)).is_ok());
    let inbound = |text: &str, from| TurnRequest {
        organization: world.organization,
        channel: "terminal".to_owned(),
        from: ContactRef::Contact(from),
        name: None,
        texts: vec![text.to_owned()],
    };
    let offered = || -> Vec<String> {
        let last = model.last_request().unwrap();
        last.tools.iter().map(|tool| tool.name.clone()).collect()
    };
    let caio = world.caio().await;

    model.script([calls("old_rule", &json!({})), calls("old_other", &json!({})), says("É assim na casa.")]);
    let answered = front.answer("caseira", inbound("qual é a regra?", caio), None).await.unwrap();
    assert_eq!(answered.ending.reply().unwrap().as_str(), "É assim na casa.");
    assert_eq!((offered(), answered.state.calls.len()), (vec!["old_rule".to_owned(), "old_other".to_owned()], 2));
    assert!(answered.state.calls.iter().all(|call| call.result.value["text"] == "done"), "{:?}", answered.state.calls);

    model.script([calls("new_rule", &json!({})), says("Agora é outra.")]);
    let answered = front.answer("caseira", inbound("e agora?", caio), None).await.unwrap();
    assert_eq!((offered(), answered.state.calls.len()), (vec!["new_rule".to_owned()], 1));
    assert_eq!(answered.ending.reply().unwrap().as_str(), "Agora é outra.");
}

//! A structured turn over each vendor's own API: the schema goes with the request, and the turn asks again if the answer is not an
//! object. The turn reads what follows.

use std::sync::Arc;

use balcao_agent::ProfileFile;
use balcao_agent::profile::AfterReply;
use balcao_app::turns::{Agent, ContactRef, TurnRequest, TurnRunner};
use balcao_builtin_tools::Settings;
use balcao_llm::detect::{ProviderConfig, ProviderKind};
use balcao_testkit::fakes::model::{FakeModel, Speaks, says};
use balcao_yaml::Document;
use serde_json::{Value, json};

use crate::world::{World, figueira, root};

const AGAIN: &str = "não foi um único objeto JSON";
/// As it stands in a text in a body.
const RESULT: &str = r#"{\"tool_result\":{\"name\":\"listEventsTool\""#;

/// The shipped profile `manual` before a vendor's model.
fn front(world: &World, kind: ProviderKind, model: &FakeModel) -> TurnRunner {
    let text = std::fs::read_to_string(root().join("agents/manual.yaml")).unwrap();
    let mut profile = Document::read("agents/manual.yaml", &text).unwrap().read_as::<ProfileFile>().unwrap().profile;
    profile.after_reply = AfterReply::default();
    let mut config = ProviderConfig::new(kind);
    (config.base_url, config.key) = (Some(model.url()), Some("key-of-the-test".into()));
    let settings =
        Settings { professional: None, allow_new_tags: false, reminder_minutes: 60, followup_delays: Vec::new() };
    let registry = balcao_builtin_tools::registry(&world.app, &settings).unwrap();
    TurnRunner::new(world.app.clone(), [Agent::new(profile, &registry, Arc::from(config.build().unwrap()))])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_vendor_is_asked_again_for_an_object_and_its_next_one_is_read() {
    let object = |text: Option<&str>, request: Value| json!({"response_to_client": text, "tool_request": request});
    let list = json!({"name": "listEventsTool", "params": {"startDate": "hoje", "endDate": "31/12/2026"}});
    for (kind, speaks, schema) in [
        (ProviderKind::OpenAi, Speaks::OpenAi, "/response_format/json_schema/schema"),
        (ProviderKind::Anthropic, Speaks::Anthropic, "/tools/0/input_schema"),
        (ProviderKind::Gemini, Speaks::Gemini, "/generationConfig/responseJsonSchema"),
    ] {
        let script = [
            says("{\"response_to_client\": null, \"tool_request\": {\"name\": \"endConv"),
            says(&object(None, list.clone()).to_string()),
            says(&object(Some("Você tem um horário em dezembro."), Value::Null).to_string()),
        ];
        let (world, model) = (figueira().await, FakeModel::speaking(speaks, script).unwrap());
        let inbound = TurnRequest {
            organization: world.organization,
            channel: "terminal".to_owned(),
            from: ContactRef::Contact(world.livia().await),
            name: None,
            texts: vec!["o que eu tenho marcado?".to_owned()],
        };
        let answered = front(&world, kind, &model).answer("manual", inbound, None).await.unwrap();
        let reply = answered.ending.reply().map(|reply| reply.as_str().to_owned());
        assert_eq!(reply.as_deref(), Some("Você tem um horário em dezembro."), "{kind:?}: {:?}", answered.ending);
        let asked = model.asked();
        assert_eq!((asked.len(), model.left()), (3, 0), "{kind:?}");
        for (place, body) in asked.iter().enumerate() {
            let given = body.pointer(schema).unwrap_or_else(|| panic!("{kind:?}: no schema in {body}"));
            assert!(given.to_string().contains("response_to_client"), "{kind:?}: {given}");
            // From then on to the end of the turn.
            assert_eq!(body.to_string().contains(AGAIN), place > 0, "{kind:?}, request {place}");
            assert_eq!(body.to_string().contains(RESULT), place == 2, "{kind:?}, request {place}");
        }
    }
}

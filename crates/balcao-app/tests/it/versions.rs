//! Each turn names the versions of business, knowledge and prompt that it ran under.

use balcao_app::admin::business::{Business, Edit, ExportVersions, FieldEdit, Section};
use balcao_app::admin::versions::Versions;
use balcao_app::turns::traces::Traces;
use balcao_domain::VersionKind;
use balcao_llm::providers::scripted::{calls, calls_all, says};
use balcao_llm::{Message, ModelRequest};
use serde_json::{Value, json};

use crate::messaging_harness::{MessagingHarness, start_harness};

async fn change(shop: &MessagingHarness, section: Section, name: &str, field: &str, value: Value) {
    let business = Business::new(shop.world.app.clone());
    let fields = vec![(field.to_owned(), FieldEdit::Set(value))];
    let edit = Edit::Change { section, name: name.to_owned(), fields };
    let (file, plan) = business.plan_edit(shop.world.organization, edit).await.unwrap().unwrap();
    business.apply(shop.world.organization, file, plan.hash, "Renata".to_owned()).await.unwrap().unwrap();
}

/// The versions of the last turn of the only conversation.
async fn last_turn(shop: &MessagingHarness) -> Vec<String> {
    let conversation = shop.conversation().await.id;
    let traces = Traces::new(shop.world.app.clone()).latest(shop.world.organization, conversation, 1).await.unwrap();
    traces.into_iter().next().unwrap().versions
}

#[tokio::test]
async fn a_turn_names_what_it_ran_under_and_an_edit_makes_the_next_version() {
    let shop = start_harness([says("Oi!"), says("Oi!"), says("Oi!")]).await;
    let versions = Versions::new(shop.world.app.clone());
    for kind in [VersionKind::Business, VersionKind::Knowledge] {
        let first = versions.list(shop.world.organization, kind, 10).await.unwrap();
        assert_eq!(first.len(), 1, "the import is the first version of {kind}");
    }
    shop.joao_writes("wamid.1", "oi").await;
    shop.run_until_idle().await;
    assert_eq!(last_turn(&shop).await, ["business_1", "knowledge_1", "prompt_1"]);
    shop.joao_writes("wamid.2", "tudo bem?").await;
    shop.run_until_idle().await;
    assert_eq!(last_turn(&shop).await, ["business_1", "knowledge_1", "prompt_1"], "nothing changed");
    change(&shop, Section::Services, "Coloração", "price", json!("222.00")).await;
    change(&shop, Section::Organization, "", "phone", json!("+55 31 3333-4444")).await;
    let business = Business::new(shop.world.app.clone());
    let fields = json!({ "title": "Pets", "content": "Pode trazer." }).as_object().unwrap().clone();
    let edit = Edit::Add { section: Section::Knowledge, fields };
    let (file, plan) = business.plan_edit(shop.world.organization, edit).await.unwrap().unwrap();
    business.apply(shop.world.organization, file, plan.hash, "Renata".to_owned()).await.unwrap().unwrap();
    shop.joao_writes("wamid.3", "e pet?").await;
    shop.run_until_idle().await;
    assert_eq!(last_turn(&shop).await, ["business_3", "knowledge_2", "prompt_1"]);
    let told = versions.list(shop.world.organization, VersionKind::Business, 10).await.unwrap();
    let told: Vec<_> = told.iter().map(|row| (row.name.number, row.author.as_str())).collect();
    assert_eq!(told, [(3, "Renata"), (2, "Renata"), (1, "operator")]);
}

#[tokio::test]
async fn an_earlier_version_is_written_as_a_file_and_applied_it_is_so_again() {
    let shop = start_harness([]).await;
    let business = Business::new(shop.world.app.clone());
    let organization = shop.world.organization;
    let first = business.export(organization).await.unwrap();
    change(&shop, Section::Services, "Coloração", "price", json!("222.00")).await;
    let earlier = ExportVersions { business: Some("business_1".parse().unwrap()), knowledge: None };
    let document = business.export_as_of(organization, &earlier).await.unwrap().unwrap();
    assert_eq!(document, first);
    for name in ["business_9", "knowledge_1"] {
        let wrong = ExportVersions { business: Some(name.parse().unwrap()), knowledge: None };
        let refused = business.export_as_of(organization, &wrong).await.unwrap();
        assert!(refused.unwrap_err().to_string().contains(name));
    }
    let file = balcao_app::admin::seed::BusinessFile::read("old.yaml", &document.to_string()).unwrap();
    let plan = business.plan(organization, file.clone()).await.unwrap().unwrap();
    business.apply(organization, file, plan.hash, "Renata".to_owned()).await.unwrap().unwrap();
    assert_eq!(business.export(organization).await.unwrap(), first);
    let versions = Versions::new(shop.world.app.clone());
    let all = versions.list(organization, VersionKind::Business, 10).await.unwrap();
    let [third, second, before] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!(third.hash, before.hash);
    assert_ne!(second.hash, before.hash);
}

#[tokio::test]
async fn a_prompt_version_holds_the_profile_its_modules_and_its_tools() {
    let shop = start_harness([says("Oi!")]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.run_until_idle().await;
    let versions = Versions::new(shop.world.app.clone());
    let found = versions.find(shop.world.organization, "prompt_1".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(found.content["profile"]["id"], "eli");
    assert!(found.content["modules"]["rules"].as_str().is_some_and(|text| text.len() > 100));
    let names: Vec<&str> =
        found.content["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(names.contains(&"create_appointment"), "{names:?}");
}

#[tokio::test]
async fn what_was_read_before_an_edit_is_marked_for_the_model_and_proves_nothing() {
    let note = json!({ "content": "Pergunta o preço da coloração." });
    let old = "A coloração custa R$ 120,00.";
    let shop = start_harness([
        calls_all(&[("get_services", json!({})), ("add_internal_note", note)]),
        says(old),
        says(old),
        calls("get_services", &json!({})),
        says("A coloração custa R$ 222,00."),
        says("Custa R$ 222,00."),
    ])
    .await;
    shop.joao_writes("wamid.1", "quanto custa a coloração?").await;
    shop.run_until_idle().await;
    change(&shop, Section::Services, "Coloração", "price", json!("222.00")).await;
    for (id, words) in [("wamid.2", "quanto é mesmo?"), ("wamid.3", "de novo?")] {
        shop.joao_writes(id, words).await;
        shop.run_until_idle().await;
    }
    let said = shop.texts();
    assert_eq!(&said[said.len() - 3..], [old, "A coloração custa R$ 222,00.", "Custa R$ 222,00."]);
    let requests = shop.model.requests();
    let marked = |request: &ModelRequest| -> Vec<(String, bool)> {
        let result = |message: &Message| match message {
            Message::ToolResult { name, content, .. } => Some((name.clone(), content.contains("business_changed"))),
            Message::User { .. } | Message::Assistant { .. } => None,
        };
        request.messages.iter().filter_map(result).collect()
    };
    let read = |marked| ("get_services".to_owned(), marked);
    let noted = ("add_internal_note".to_owned(), false);
    assert_eq!(marked(&requests[1]), [read(false), noted.clone()]);
    assert_eq!((marked(&requests[2]), requests[2].facts.outdated), (vec![read(true), noted.clone()], 5));
    // What was read since then is evidence in the turns that follow.
    assert_eq!(marked(&requests[5]), [read(true), noted, read(false)]);
}

#[tokio::test]
async fn edit_of_what_no_reply_states_leaves_earlier_turns_as_they_are() {
    let edits = [
        (Section::Pipelines, json!({ "name": "Retorno", "stages": ["A chamar", "Chamado"] })),
        (Section::Tags, json!({ "name": "Novato" })),
        (Section::Staff, json!({ "name": "Caio", "email": "caio@figueira.example", "role": "attendant" })),
        (Section::Templates, json!({ "name": "ola", "category": "utility", "language": "pt_BR", "body": "Olá!" })),
        (Section::Media, json!({ "key": "porta", "kind": "location", "latitude": -19.9, "longitude": -43.9 })),
        (Section::Knowledge, json!({ "title": "Pets", "content": "Pode trazer." })),
    ];
    let shop = start_harness(std::iter::repeat_with(|| says("Oi!")).take(7)).await;
    let business = Business::new(shop.world.app.clone());
    shop.joao_writes("wamid.0", "oi").await;
    shop.run_until_idle().await;
    for (n, (section, fields)) in edits.into_iter().enumerate() {
        let edit = Edit::Add { section, fields: fields.as_object().unwrap().clone() };
        let (file, plan) = business.plan_edit(shop.world.organization, edit).await.unwrap().unwrap();
        business.apply(shop.world.organization, file, plan.hash, "Renata".to_owned()).await.unwrap().unwrap();
        shop.joao_writes(&format!("wamid.{}", n + 1), "e agora?").await;
        shop.run_until_idle().await;
        let requests = shop.model.requests();
        let is_outdated = requests.last().unwrap().facts.outdated > 0;
        assert_eq!((requests.len(), is_outdated), (n + 2, section == Section::Knowledge), "{section}");
    }
}

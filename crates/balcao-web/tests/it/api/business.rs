//! The business by the API: shown, planned, made as it was shown.

use std::time::Duration;

use jiff::SignedDuration;
use serde_json::{Value, json};

use balcao_llm::Message;
use balcao_llm::providers::scripted::{calls, says};
use balcao_store::{OpenOptions, Store};
use balcao_testkit::business_edits::{self, EditKind, Place, SampleEdit};
use balcao_testkit::postgres::Database;

use super::world::{Shop, quiet, shop_in};

async fn shop() -> Shop {
    quiet([], Duration::ZERO).await
}

fn price() -> Value {
    json!({ "section": "services", "name": "Sobrancelha", "action": "change", "set": { "price": "39.90" } })
}

#[tokio::test]
async fn an_edit_is_shown_first_and_made_by_the_hash_of_its_plan() {
    let shop = shop().await;
    let shown = shop.post("/v1/business/edit", price()).await;
    assert_eq!((shown.status, &shown.body["applied"]), (200, &json!(false)), "{shown:?}");
    let change = json!({ "section": "services", "name": "Sobrancelha", "action": "changed", "hits": [], "impossible": null,
                         "fields": [{ "field": "price", "before": "25.00", "after": "39.90" }] });
    assert_eq!(shown.body["changes"], json!([change]));
    let before = shop.get("/v1/services").await.body;
    let mut edit = price();
    edit["plan"] = json!("0000");
    let moved = shop.post("/v1/business/edit", edit.clone()).await;
    assert_eq!(moved.problem(), (409, "plan_moved"));
    let now = json!({ "plan": shown.body["hash"], "changes": [change], "changes_left_out": 0 });
    assert_eq!(moved.body["facts"], now);
    assert_eq!(shop.get("/v1/services").await.body, before);
    edit["plan"] = shown.body["hash"].clone();
    let made = shop.post("/v1/business/edit", edit.clone()).await;
    assert_eq!((made.status, &made.body["applied"], &made.body["changes"]), (200, &json!(true), &json!([change])));
    assert_ne!(shop.get("/v1/services").await.body, before);
    let again = shop.post("/v1/business/edit", edit).await;
    assert_eq!((again.status, &again.body["changes"]), (200, &json!([])));
    let audited = shop.audit("Sobrancelha").await.pop().unwrap();
    assert!(audited.actor.starts_with("api:") && audited.action == "services.update", "{audited:?}");
}

#[tokio::test]
async fn a_plan_that_moved_lists_as_many_of_its_changes_as_fit() {
    let shop = shop().await;
    let entry = |number: usize| format!("## Regra {number}\n{}\n", "Longa. ".repeat(400));
    let text: String = (0..40).map(entry).collect();
    let asked = json!({ "format": "markdown", "text": text, "plan": "0000" });
    let moved = shop.post("/v1/business/knowledge", asked).await;
    assert_eq!(moved.problem(), (409, "plan_moved"));
    let facts = &moved.body["facts"];
    let listed = facts["changes"].as_array().unwrap();
    let left_out = usize::try_from(facts["changes_left_out"].as_u64().unwrap()).unwrap();
    assert!(!listed.is_empty() && left_out > 0 && listed.len() + left_out == 40, "{} and {left_out}", listed.len());
    assert!(facts["changes"].to_string().len() <= 66_000);
}

#[tokio::test]
async fn the_document_comes_back_as_it_was_given_and_changes_by_its_plan_alone() {
    let shop = shop().await;
    let mut document = shop.get("/v1/business").await.body["document"].clone();
    let unchanged = shop.post("/v1/business/plan", json!({ "document": document })).await;
    assert_eq!((unchanged.status, &unchanged.body["changes"]), (200, &json!([])), "{unchanged:?}");
    document["organization"]["name"] = json!("Figueira Nova");
    document["knowledge"] = json!([]);
    let plan = shop.post("/v1/business/plan", json!({ "document": document })).await;
    assert_eq!(plan.body["changes"].as_array().unwrap().last().unwrap()["name"], "organization");
    let made = json!({ "document": document, "plan": plan.body["hash"] });
    let made = shop.post("/v1/business/apply", made).await;
    assert_eq!((made.status, &made.body["changes"]), (200, &plan.body["changes"]), "{made:?}");
    assert_eq!(shop.get("/v1/business").await.body["document"]["organization"]["name"], "Figueira Nova");
    document["organization"]["slug"] = json!("outra");
    assert_eq!(
        shop.post("/v1/business/plan", json!({ "document": document })).await.problem(),
        (409, "other_business")
    );
}

#[tokio::test]
async fn of_plans_that_are_applied_at_once_one_is_made_whole() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("shop.db"), OpenOptions::default()).unwrap();
    store.migrate().await.unwrap();
    apply_at_once(store).await;
}

#[tokio::test]
async fn of_plans_that_are_applied_at_once_one_is_made_whole_on_postgres() {
    let Some(database) = Database::migrated() else { return };
    apply_at_once(Store::connect(&database.url, OpenOptions::default()).unwrap()).await;
}

/// Twice the same plan, and two plans of one state, each time at the same moment.
async fn apply_at_once(store: Store) {
    let shop = shop_in(store, []).await;
    let rows = async || shop.audit("Sobrancelha").await.len() + shop.audit("Pets").await.len();
    let versions = async || shop.get("/v1/versions?kind=business").await.body["items"].as_array().unwrap().len();
    for round in 0..6 {
        let state = shop.get("/v1/business").await.body["document"].clone();
        let wants = |cents: u32| {
            let mut wanted = state.clone();
            let brow = wanted["services"].as_array_mut().unwrap().iter_mut().find(|one| one["name"] == "Sobrancelha");
            brow.unwrap()["price"] = json!(format!("{}.{cents}", 30 + round));
            let known = wanted["knowledge"].as_array_mut().unwrap();
            known.retain(|one| one["title"] != "Pets");
            known.push(json!({ "title": "Pets", "content": format!("Regra {round} de {cents}.") }));
            wanted
        };
        let plan = async |document: &Value| shop.post("/v1/business/plan", json!({ "document": document })).await.body;
        let apply = async |document: &Value, plan: &Value| {
            shop.post("/v1/business/apply", json!({ "document": document, "plan": plan["hash"] })).await
        };
        let (had_rows, had_versions) = (rows().await, versions().await);
        let (one, other) = (wants(10), wants(20));
        let (plan_of_one, plan_of_other) = (plan(&one).await, plan(&other).await);
        assert_eq!(plan_of_one["changes"].as_array().map(Vec::len), Some(2), "{plan_of_one}");

        let (first, second) = tokio::join!(apply(&one, &plan_of_one), apply(&other, &plan_of_other));
        let (made, refused, wanted, left) =
            if first.status == 200 { (first, second, &one, &other) } else { (second, first, &other, &one) };
        assert_eq!((made.status, refused.problem()), (200, (409, "plan_moved")), "{made:?} {refused:?}");
        assert_eq!(plan(wanted).await["changes"], json!([]));
        // The refused one gets the difference to what the other made, and makes exactly that, twice at once.
        let now = plan(left).await;
        let facts = json!({ "plan": now["hash"], "changes": now["changes"], "changes_left_out": 0 });
        assert_eq!(refused.body["facts"], facts, "{refused:?}");
        assert_eq!((rows().await, versions().await), (had_rows + 2, had_versions + 1));

        let (first, second) = tokio::join!(apply(left, &now), apply(left, &now));
        let mut answers = [&first, &second].map(|one| (one.status, one.body["changes"].as_array().map(Vec::len)));
        answers.sort_unstable();
        assert_eq!(answers, [(200, Some(0)), (200, Some(2))], "{first:?} {second:?}");
        assert_eq!(plan(left).await["changes"], json!([]));
        assert_eq!((rows().await, versions().await), (had_rows + 4, had_versions + 2));
        let made = shop.audit(now["hash"].as_str().unwrap()).await;
        assert_eq!(made.len(), 1, "{made:?}");
    }
}

#[tokio::test]
async fn what_does_not_fit_is_told_and_changes_nothing() {
    let shop = shop().await;
    let before = shop.get("/v1/business").await.body;
    let brow = |change: &str, fields: Value| json!({ "section": "services", "name": "Sobrancelha", "action": "change", change: fields });
    for (edit, pointer, words) in [
        (json!({ "section": "services", "name": "Tatuagem", "action": "remove" }), "/name", "unknown entry `Tatuagem`"),
        (
            json!({ "section": "services", "action": "add", "set": { "price": "1.00" } }),
            "/set/name",
            "`name` is missing",
        ),
        (json!({ "section": "services", "action": "add", "set": { "name": "Luzes" } }), "/set", "`price` is missing"),
        (brow("set", json!({ "price": "-1", "description": "fina" })), "/set/price", "invalid price"),
        (brow("set", json!({ "name": "Fio" })), "/set/name", "keep their names"),
        (brow("take", json!({ "aliases": "fio" })), "/take/aliases", "does not hold a list"),
        (
            json!({ "section": "organization", "action": "change", "set": { "hours.mon": ["9-10"] } }),
            "/set/hours.mon",
            "organization: ",
        ),
        (json!({ "section": "organization", "action": "remove" }), "/action", "can only be changed"),
        (
            json!({ "section": "organization", "action": "change", "add": { "name": "x" } }),
            "/add/name",
            "does not hold a list",
        ),
    ] {
        let answer = shop.post("/v1/business/edit", edit.clone()).await;
        let error = &answer.body["errors"][0];
        assert!(answer.status == 422 && error.to_string().contains(words), "{edit}: {answer:?}");
        assert_eq!(error["pointer"], pointer, "{edit}: {answer:?}");
        let detail = answer.body["detail"].as_str().unwrap();
        assert!(detail.starts_with(&format!("the body does not fit: `{pointer}`: ")), "{edit}: {detail}");
    }
    let mut wrong = before["document"].clone();
    wrong["services"][0]["price"] = json!("1.500");
    let answer = shop.post("/v1/business/plan", json!({ "document": wrong })).await;
    assert_eq!(answer.body["errors"][0]["pointer"], "/document/services/0/price", "{answer:?}");
    let unknown = shop.post("/v1/business/edit", json!({ "section": "contacts", "action": "add" })).await;
    assert_eq!(unknown.status, 422, "{unknown:?}");
    let gone = json!({ "section": "tags", "name": "Mensalista", "action": "remove" });
    let plan = shop.post("/v1/business/edit", gone.clone()).await;
    assert!(plan.body["changes"][0]["impossible"].as_str().unwrap().contains("cannot be removed"), "{plan:?}");
    let mut agreed = gone;
    agreed["plan"] = plan.body["hash"].clone();
    assert_eq!(shop.post("/v1/business/edit", agreed).await.problem(), (409, "impossible"));
    assert_eq!(shop.get("/v1/business").await.body, before);
}

#[tokio::test]
async fn knowledge_comes_from_a_text_and_each_change_makes_a_version() {
    let shop = shop().await;
    let text = json!({ "format": "markdown", "text": "# Casa\n## Pets\nPode, na coleira.\n## Wi-Fi\nSim." });
    let shown = shop.post("/v1/business/knowledge", text.clone()).await;
    assert_eq!((shown.status, &shown.body["applied"]), (200, &json!(false)), "{shown:?}");
    let names: Vec<&str> =
        shown.body["changes"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Casa › Pets", "Casa › Wi-Fi"]);
    let mut agreed = text;
    agreed["plan"] = shown.body["hash"].clone();
    assert_eq!(shop.post("/v1/business/knowledge", agreed).await.status, 200);
    let table = json!({ "format": "csv", "text": "título;conteúdo;categoria\nPets;Pode.;Casa" });
    let again = shop.post("/v1/business/knowledge", table).await;
    let change = &again.body["changes"][0];
    assert_eq!((&change["name"], &change["action"]), (&json!("Casa › Pets"), &json!("changed")), "{again:?}");
    let wrong = shop.post("/v1/business/knowledge", json!({ "format": "csv", "text": "a,b\nc,d" })).await;
    assert!(wrong.status == 422 && wrong.body["errors"].to_string().contains("line 1: invalid header"), "{wrong:?}");

    let versions = shop.get("/v1/versions?kind=knowledge").await;
    let ids: Vec<&str> =
        versions.body["items"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["knowledge_2", "knowledge_1"], "{versions:?}");
    assert!(versions.body["items"][0]["author"].as_str().unwrap().starts_with("api:"), "{versions:?}");
    let before = shop.get("/v1/versions/knowledge_1").await;
    assert!(!before.body["content"].to_string().contains("Pets"), "{before:?}");
    assert!(shop.get("/v1/versions/knowledge_2").await.body["content"].to_string().contains("Pode, na coleira."));
    assert_eq!(shop.get("/v1/versions/knowledge_3").await.status, 404);
    assert_eq!(shop.get("/v1/versions/shop_1").await.status, 404);
}

/// Runs the next turn of a conversation, and gives its answer with the version of this kind that it ran under.
async fn turn_under(shop: &Shop, conversation: &str, words: &str, kind: &str) -> (Value, String) {
    let answer = shop.post("/v1/turn", json!({ "conversation": conversation, "text": words })).await;
    let versions = answer.body["versions"].as_array().unwrap_or_else(|| panic!("{answer:?}")).clone();
    let own = versions.iter().filter_map(Value::as_str).find(|name| name.starts_with(kind));
    let own = own.unwrap_or_else(|| panic!("{versions:?}")).to_owned();
    (answer.body, own)
}

/// What shows an edit: what the tools answered in the turn that has just run, or the version that it ran under.
async fn shown(shop: &Shop, edit: &SampleEdit, turn: &Value, version: &str) -> String {
    let Place::Turn { calls, .. } = &edit.evidence.place else {
        return shop.get(&format!("/v1/versions/{version}")).await.body["content"][edit.section].to_string();
    };
    // A turn that hands over ends with its call, which staff see in the conversation.
    if turn["outcome"] == "handoff" {
        let path = format!("/v1/conversations/{}", turn["conversation_id"].as_str().unwrap());
        let conversation = shop.get(&path).await.body;
        let back = shop.post(&format!("{path}/give-back"), json!({})).await;
        assert_eq!(back.status, 200, "{edit:?}: {back:?}");
        return conversation.to_string();
    }
    last_results(shop, calls.len())
}

/// The last results of tools that the model has read.
fn last_results(shop: &Shop, count: usize) -> String {
    let request = shop.model.requests().pop().unwrap();
    let results = request.messages.iter().filter_map(|message| match message {
        Message::ToolResult { content, .. } => Some(content.as_str()),
        Message::User { .. } | Message::Assistant { .. } => None,
    });
    let results: Vec<&str> = results.collect();
    results[results.len() - count..].join("\n")
}

#[tokio::test]
async fn each_kind_of_edit_is_shown_made_audited_and_seen_by_the_next_turn() {
    let store = Store::open_in_memory().unwrap();
    store.migrate().await.unwrap();
    make_each_kind_of_edit(store).await;
}

#[tokio::test]
async fn each_kind_of_edit_is_shown_made_audited_and_seen_by_the_next_turn_on_postgres() {
    let Some(database) = Database::migrated() else { return };
    make_each_kind_of_edit(Store::connect(&database.url, OpenOptions::default()).unwrap()).await;
}

/// Makes each kind of edit, between two turns of a conversation of its own.
async fn make_each_kind_of_edit(store: Store) {
    let edits = business_edits::all();
    let turn = |edit: &SampleEdit| {
        let read = match &edit.evidence.place {
            Place::Turn { calls, .. } => calls.as_slice(),
            Place::Version { .. } => &[],
        };
        let hands_over = read.iter().any(|(tool, _)| *tool == "transfer_to_human");
        let lines = read.iter().map(|(tool, arguments)| calls(tool, arguments));
        lines.chain((!hands_over).then(|| says("Oi!"))).collect::<Vec<_>>()
    };
    // Each conversation has a turn before its edit and one after it.
    let script = edits.iter().flat_map(|edit| turn(edit).into_iter().chain(turn(edit)));
    let shop = shop_in(store, script).await;
    for (number, edit) in edits.into_iter().enumerate() {
        let conversation = format!("visit-{number}");
        let kind = if edit.section == "knowledge" { "knowledge" } else { "business" };
        let words = match edit.evidence.place {
            Place::Turn { words, .. } => words,
            Place::Version { .. } => "oi",
        };
        let (turn, version) = turn_under(&shop, &conversation, words, kind).await;
        let shown_before = shown(&shop, &edit, &turn, &version).await;
        let mut asked = json!({ "section": edit.section });
        if !edit.name.is_empty() {
            asked["name"] = json!(edit.name);
        }
        let (action, field) = match edit.kind {
            EditKind::Add => ("add", Some("set")),
            EditKind::Set => ("change", Some("set")),
            EditKind::Append => ("change", Some("add")),
            EditKind::Take => ("change", Some("take")),
            EditKind::Remove => ("remove", None),
        };
        asked["action"] = json!(action);
        if let Some(field) = field {
            asked[field] = edit.fields.clone();
        }
        let before = shop.get("/v1/business").await.body;
        let plan = shop.post("/v1/business/edit", asked.clone()).await;
        assert_eq!((plan.status, plan.body["changes"].as_array().map(Vec::len)), (200, Some(1)), "{edit:?}: {plan:?}");
        assert_eq!(shop.get("/v1/business").await.body, before, "a plan changes nothing");
        asked["plan"] = plan.body["hash"].clone();
        let made = shop.post("/v1/business/edit", asked).await;
        assert_eq!((made.status, &made.body["changes"]), (200, &plan.body["changes"]), "{edit:?}: {made:?}");
        let after = shop.get("/v1/business").await.body["document"].clone();
        assert_ne!(after, before["document"], "{edit:?}");
        let row = shop.audit(edit.subject).await.pop().unwrap_or_else(|| panic!("no row of {edit:?}"));
        assert!(row.action == edit.action && row.actor.starts_with("api:"), "{edit:?}: {row:?}");
        let told = |text: &Option<String>| serde_json::from_str::<Value>(text.as_deref().unwrap()).unwrap();
        assert_eq!((told(&row.before), told(&row.after)), (edit.before.clone(), edit.after.clone()), "{edit:?}");
        // The next turn of the same conversation runs under a version with the business as it stands now.
        let (turn, version) = turn_under(&shop, &conversation, words, kind).await;
        let content = shop.get(&format!("/v1/versions/{version}")).await.body["content"].clone();
        let held = if kind == "knowledge" { &content } else { &content[edit.section] };
        assert_eq!(held, &after[edit.section], "{edit:?}: {version}");
        // What the model reads in that turn has the new value.
        let shown_after = shown(&shop, &edit, &turn, &version).await;
        let count = |text: &str| text.matches(edit.evidence.value).count();
        let (more, less) = if edit.evidence.is_new {
            (count(&shown_after), count(&shown_before))
        } else {
            (count(&shown_before), count(&shown_after))
        };
        assert!(more > less, "{edit:?}: {shown_before} and then {shown_after}");
        shop.clock.advance(SignedDuration::from_mins(1));
    }
}

#[tokio::test]
async fn import_of_knowledge_is_audited_and_seen_by_the_next_turn() {
    let store = Store::open_in_memory().unwrap();
    store.migrate().await.unwrap();
    import_knowledge(store).await;
}

#[tokio::test]
async fn import_of_knowledge_is_audited_and_seen_by_the_next_turn_on_postgres() {
    let Some(database) = Database::migrated() else { return };
    import_knowledge(Store::connect(&database.url, OpenOptions::default()).unwrap()).await;
}

/// Imports a text of each format, between two turns of a conversation.
async fn import_knowledge(store: Store) {
    let imports = business_edits::imports();
    let turn = || [calls("search_knowledge_base", &json!({ "query": "pets" })), says("Oi!")];
    let shop = shop_in(store, imports.iter().flat_map(|_| turn().into_iter().chain(turn()))).await;
    for import in imports {
        let Place::Turn { words, .. } = import.evidence.place else { panic!("{import:?}") };
        let seen = async || {
            turn_under(&shop, "visit", words, "knowledge").await;
            last_results(&shop, 1)
        };
        let before = seen().await;
        let mut asked = json!({ "format": import.format, "text": import.text });
        let plan = shop.post("/v1/business/knowledge", asked.clone()).await;
        asked["plan"] = plan.body["hash"].clone();
        assert_eq!(shop.post("/v1/business/knowledge", asked).await.status, 200, "{plan:?}");
        let row = shop.audit(import.subject).await.pop().unwrap();
        assert!(row.action == import.action && row.actor.starts_with("api:"), "{import:?}: {row:?}");
        let told = |text: &Option<String>| serde_json::from_str::<Value>(text.as_deref().unwrap()).unwrap();
        assert_eq!((told(&row.before), told(&row.after)), (import.before.clone(), import.after.clone()), "{import:?}");
        let after = seen().await;
        let value = import.evidence.value;
        assert!(!before.contains(value) && after.contains(value), "{import:?}: {before} and then {after}");
    }
}

#[tokio::test]
async fn birthday_is_changed_audited_and_seen_by_the_next_turn() {
    let store = Store::open_in_memory().unwrap();
    store.migrate().await.unwrap();
    change_birthday(store).await;
}

#[tokio::test]
async fn birthday_is_changed_audited_and_seen_by_the_next_turn_on_postgres() {
    let Some(database) = Database::migrated() else { return };
    change_birthday(Store::connect(&database.url, OpenOptions::default()).unwrap()).await;
}

/// Sets, changes and takes away a customer's birthday, each between two turns.
async fn change_birthday(store: Store) {
    let turn = || [calls("get_contact_info", &json!({})), says("Oi!")];
    let shop = shop_in(store, (0..4).flat_map(|_| turn())).await;
    let known = async || {
        let asked = json!({ "conversation": "caio", "text": "oi", "contact": { "phone": "+55 31 99640-1177" } });
        let answer = shop.post("/v1/turn", asked).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let read: Value = serde_json::from_str(&last_results(&shop, 1)).unwrap();
        read["custom_fields"]["birthday"].clone()
    };
    assert_eq!(known().await, Value::Null);
    let caio = shop.contact("caio").await;
    let path = format!("/v1/contacts/{caio}");
    for (wrong, words) in [("17/05/1990", "1990-05-17"), ("2999-01-01", "1900")] {
        let answer = shop.patch(&path, json!({ "custom_fields": { "birthday": wrong } })).await;
        assert!(answer.status == 422 && answer.body.to_string().contains(words), "{wrong}: {answer:?}");
    }
    for (set, before, after) in [
        ("1990-05-17", json!(null), json!("1990-05-17")),
        ("1991-05-17", json!("1990-05-17"), json!("1991-05-17")),
        ("", json!("1991-05-17"), json!(null)),
    ] {
        let changed = shop.patch(&path, json!({ "custom_fields": { "birthday": set } })).await;
        assert_eq!((changed.status, &changed.body["updated"]), (200, &json!(["birthday"])), "{changed:?}");
        assert_eq!((&shop.get(&path).await.body["custom_fields"]["birthday"], &known().await), (&after, &after));
        let row = shop.audit(&caio).await.pop().unwrap();
        let told = |text: &Option<String>| {
            let all: Value = serde_json::from_str(text.as_deref().unwrap()).unwrap();
            all["custom_fields"]["birthday"].clone()
        };
        assert_eq!((row.action.as_str(), told(&row.before), told(&row.after)), ("contact.update", before, after));
    }
}

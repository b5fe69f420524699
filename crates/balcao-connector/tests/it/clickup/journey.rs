//! What goes wrong with ClickUp, and what then is known.

use balcao_connector::{FailureKind, Outcome};
use balcao_testkit::fakes::clickup::LIST;
use serde_json::{Value, json};

use super::World;

#[tokio::test]
async fn a_task_is_made_with_its_fields_and_changed_without_touching_the_rest() {
    let world = World::new();
    let phone = world.clickup.field("phone").unwrap();
    let made = json!({ "list_id": LIST, "name": "Marina", "assignees": [4_410_021],
        "custom_fields": [{ "id": phone, "value": "+55 11 98765-4321" }] });
    let id = world.call("create_task", made).await.unwrap()["id"].as_str().unwrap().to_owned();
    world
        .call("update_task", json!({ "task_id": id, "assignees": { "add": [4_410_022], "rem": [4_410_021] } }))
        .await
        .unwrap();
    let task = world.clickup.task(&id).unwrap();
    let ids: Vec<&Value> = task["assignees"].as_array().unwrap().iter().map(|user| &user["id"]).collect();
    assert_eq!((&task["name"], ids), (&json!("Marina"), vec![&json!(4_410_022)]));
    let fields = task["custom_fields"].as_array().unwrap();
    assert!(fields.iter().any(|field| field["value"] == json!("+55 11 98765-4321")));
}

#[tokio::test]
async fn every_field_type_takes_what_its_mapping_writes_and_the_read_only_ones_take_nothing() {
    let world = World::new();
    let id = world.task("x").await;
    let mappings = world.pack["field_mappings"]["custom_fields"].as_object().unwrap().clone();
    for (kind, mapping) in mappings {
        let field = world.clickup.field(&kind).unwrap_or_else(|| panic!("no field of type {kind}"));
        if kind == "button" {
            continue;
        }
        let value = mapping.get("write").cloned();
        let args = json!({ "task_id": id, "field_id": field, "value": value.clone().unwrap_or(json!(1)) });
        let set = world.call("set_custom_field", args).await;
        assert_eq!(set.is_ok(), value.is_some(), "{kind}: {set:?}");
    }
}

#[tokio::test]
async fn a_create_whose_answer_is_lost_happened_once_and_is_told_as_unknown() {
    let world = World::new();
    world.clickup.lose_answers(1);
    let error = world.call("create_task", json!({ "list_id": LIST, "name": "x" })).await.unwrap_err();
    assert_eq!((error.outcome, world.clickup.count()), (Outcome::Unknown, 1));
    // An update changes nothing more when it is repeated.
    let id = world.task("y").await;
    world.clickup.lose_answers(1);
    world.call("update_task", json!({ "task_id": id, "name": "z" })).await.unwrap();
}

#[tokio::test]
async fn the_limit_is_waited_out_or_told_and_a_bulk_stops_there() {
    let world = World::new();
    world.clickup.leave(2);
    let tasks: Vec<Value> = (0..6).map(|number| json!({ "name": number.to_string() })).collect();
    let done = world.call("create_tasks", json!({ "list_id": LIST, "tasks": tasks })).await.unwrap();
    // Ten seconds until the limit is lifted are less than the call has; our ClickUp never lifts it.
    assert_eq!(done["done"], json!(2));
    assert_eq!(world.clickup.count(), 2);
    assert!(done["not_sent"].as_u64().unwrap() + done["failed"].as_u64().unwrap() == 4, "{done}");
    assert!(!world.clock.waits().is_empty());
}

#[tokio::test]
async fn what_clickup_refuses_is_told_by_its_code_and_in_our_words() {
    let world = World::new();
    let id = world.task("x").await;
    let cases = [
        ("get_task", json!({ "task_id": "nobody" }), FailureKind::NotFound, "ITEM_013"),
        ("get_task", json!({ "task_id": "CORTE-101" }), FailureKind::NotFound, "ITEM_013"),
        ("update_task", json!({ "task_id": id, "status": "voando" }), FailureKind::Invalid, "ITEM_114"),
        ("update_task", json!({ "task_id": id, "assignees": [4_410_021] }), FailureKind::Invalid, "INPUT_005"),
        ("update_task", json!({ "task_id": id, "due_date": 1_795_269_600 }), FailureKind::Invalid, "INPUT_005"),
        ("set_custom_field", json!({ "task_id": id, "field_id": "x", "value": 1 }), FailureKind::Invalid, "FIELD_011"),
        ("list_spaces", json!({ "team_id": "1" }), FailureKind::Unauthorized, "OAUTH_027"),
    ];
    for (command, args, kind, code) in cases {
        let error = world.call(command, args.clone()).await.unwrap_err();
        assert_eq!(
            (error.kind, error.code.as_deref(), error.outcome),
            (kind, Some(code), Outcome::NotDone),
            "{command} {args}"
        );
    }
    let stranger = World::with_token("pk_1_WRONGWRONGWRONG");
    let error = stranger.call("get_user", json!({})).await.unwrap_err();
    assert_eq!((error.kind, error.code.as_deref()), (FailureKind::Unauthorized, Some("OAUTH_025")));
}

#[tokio::test]
async fn a_list_of_more_than_a_page_is_read_to_its_end() {
    let world = World::new();
    for batch in 0..5 {
        let tasks: Vec<Value> = (0..50).map(|number| json!({ "name": format!("{batch}-{number}") })).collect();
        world.call("create_tasks", json!({ "list_id": LIST, "tasks": tasks })).await.unwrap();
    }
    let all = world.call("list_tasks", json!({ "list_id": LIST })).await.unwrap();
    assert_eq!((all["tasks"].as_array().unwrap().len(), &all["more"]), (250, &json!(false)));
    let page = world.call("list_tasks", json!({ "list_id": LIST, "page": 2 })).await.unwrap();
    assert_eq!(page["tasks"].as_array().unwrap().len(), 50);
}

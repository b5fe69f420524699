//! Every command of the pack is called once and does what it says.

use balcao_testkit::fakes::clickup::{FOLDER, LIST, SPACE, TEAM};
use serde_json::{Value, json};

use super::{World, pack};

/// Calls in the order in which they build on each other; `@name` stands for what an earlier one gave. `(command, arguments, kept, from)`.
fn story() -> Vec<(&'static str, Value, &'static str, &'static str)> {
    let date = "5a3c9d0e-0008-4222-8333-444455556666";
    let day = 1_795_269_600_000_u64;
    vec![
        ("get_workspaces", json!({}), "", ""),
        ("get_user", json!({}), "", ""),
        ("list_spaces", json!({ "team_id": TEAM, "archived": false }), "", ""),
        ("get_space", json!({ "space_id": SPACE }), "", ""),
        ("find_workspace", json!({ "name": "salao da ANA" }), "", ""),
        ("find_space", json!({ "team_id": TEAM, "name": "salão" }), "", ""),
        ("find_folder", json!({ "space_id": SPACE, "name": "atendimento" }), "", ""),
        ("find_list", json!({ "folder_id": FOLDER, "name": "AGENDAMENTOS" }), "", ""),
        ("find_custom_field", json!({ "list_id": LIST, "name": "endereco" }), "", ""),
        ("find_member", json!({ "list_id": LIST, "name": "bia" }), "", ""),
        ("find_tag", json!({ "space_id": SPACE, "name": "WhatsApp" }), "", ""),
        ("list_folders", json!({ "space_id": SPACE }), "", ""),
        ("get_folder", json!({ "folder_id": FOLDER }), "", ""),
        ("create_folder", json!({ "space_id": SPACE, "name": "Nova" }), "folder", "/id"),
        ("update_folder", json!({ "folder_id": "@folder", "name": "Velha" }), "", ""),
        (
            "create_list",
            json!({ "folder_id": "@folder", "name": "A", "content": "c", "due_date": day, "priority": 2 }),
            "list",
            "/id",
        ),
        ("list_lists", json!({ "folder_id": "@folder" }), "", ""),
        ("get_list", json!({ "list_id": "@list" }), "", ""),
        ("update_list", json!({ "list_id": "@list", "name": "B", "content": "d" }), "", ""),
        ("delete_list", json!({ "list_id": "@list" }), "", ""),
        ("delete_folder", json!({ "folder_id": "@folder" }), "", ""),
        ("create_folderless_list", json!({ "space_id": SPACE, "name": "Solta" }), "other", "/id"),
        ("list_folderless_lists", json!({ "space_id": SPACE }), "", ""),
        ("find_folderless_list", json!({ "space_id": SPACE, "name": "solta" }), "", ""),
        ("list_custom_fields", json!({ "list_id": LIST }), "", ""),
        (
            "create_task",
            json!({ "list_id": LIST, "name": "Corte", "assignees": [4_410_021], "tags": ["whatsapp"], "priority": 2,
            "due_date": day, "due_date_time": true, "status": "to do" }),
            "task",
            "/id",
        ),
        ("create_subtask", json!({ "list_id": LIST, "parent": "@task", "name": "Lavar" }), "sub", "/id"),
        (
            "create_tasks",
            json!({ "list_id": LIST, "tasks": [{ "name": "Um" }, { "name": "Dois", "priority": 4 }] }),
            "bulk",
            "/results/0/result/id",
        ),
        (
            "update_tasks",
            json!({ "tasks": [{ "task_id": "@task", "status": "confirmado" }, { "task_id": "@sub", "assignees": { "add": [4_410_022] } }] }),
            "",
            "",
        ),
        ("get_task", json!({ "task_id": "@task", "include_subtasks": true }), "custom", "/custom_id"),
        ("get_task_by_custom_id", json!({ "custom_id": "@custom", "team_id": TEAM }), "", ""),
        (
            "update_task",
            json!({ "task_id": "@custom", "custom_task_ids": true, "team_id": TEAM, "name": "Corte e barba",
            "assignees": { "add": [4_410_023], "rem": [4_410_021] }, "due_date": null }),
            "",
            "",
        ),
        (
            "list_tasks",
            json!({ "list_id": LIST, "statuses": ["to do", "confirmado"], "assignees": [4_410_023], "include_closed": true }),
            "",
            "",
        ),
        ("search_tasks", json!({ "team_id": TEAM, "list_ids": [LIST] }), "", ""),
        ("find_task", json!({ "list_id": LIST, "name": "corte e BARBA" }), "", ""),
        ("move_tasks", json!({ "list_id": "@other", "task_ids": ["@task", "@sub"] }), "", ""),
        ("add_task_to_list", json!({ "list_id": "@other", "task_id": "@task" }), "", ""),
        ("remove_task_from_list", json!({ "list_id": "@other", "task_id": "@task" }), "", ""),
        ("merge_tasks", json!({ "task_id": "@task", "source_task_ids": ["@bulk"] }), "", ""),
        ("get_time_in_status", json!({ "task_id": "@task" }), "", ""),
        ("add_dependency", json!({ "task_id": "@task", "depends_on": "@sub" }), "", ""),
        ("remove_dependency", json!({ "task_id": "@task", "depends_on": "@sub", "dependency_of": "" }), "", ""),
        ("link_tasks", json!({ "task_id": "@task", "links_to": "@sub" }), "", ""),
        ("unlink_tasks", json!({ "task_id": "@task", "links_to": "@sub" }), "", ""),
        ("list_tags", json!({ "space_id": SPACE }), "", ""),
        ("create_tag", json!({ "space_id": SPACE, "name": "vip/ouro", "tag_fg": "#fff", "tag_bg": "#2ecd6f" }), "", ""),
        ("add_tag", json!({ "task_id": "@task", "tag_name": "vip/ouro" }), "", ""),
        ("remove_tag", json!({ "task_id": "@task", "tag_name": "vip/ouro" }), "", ""),
        ("delete_tag", json!({ "space_id": SPACE, "tag_name": "vip/ouro" }), "", ""),
        ("create_comment", json!({ "task_id": "@task", "comment_text": "oi", "notify_all": false }), "comment", "/id"),
        ("list_comments", json!({ "task_id": "@task" }), "", ""),
        (
            "update_comment",
            json!({ "comment_id": "@comment", "comment_text": "olá", "assignee": 4_410_022, "resolved": true }),
            "",
            "",
        ),
        ("delete_comment", json!({ "comment_id": "@comment" }), "", ""),
        ("create_checklist", json!({ "task_id": "@task", "name": "Antes" }), "checklist", "/checklist/id"),
        ("update_checklist", json!({ "checklist_id": "@checklist", "name": "Depois", "position": 0 }), "", ""),
        (
            "create_checklist_item",
            json!({ "checklist_id": "@checklist", "name": "Toalha" }),
            "item",
            "/checklist/items/0/id",
        ),
        (
            "update_checklist_item",
            json!({ "checklist_id": "@checklist", "checklist_item_id": "@item", "resolved": true }),
            "",
            "",
        ),
        ("delete_checklist_item", json!({ "checklist_id": "@checklist", "checklist_item_id": "@item" }), "", ""),
        ("delete_checklist", json!({ "checklist_id": "@checklist" }), "", ""),
        (
            "attach_file",
            json!({ "task_id": "@task", "file": { "name": "antes.jpg", "media_type": "image/jpeg", "base64": "/9j/4AA=" } }),
            "",
            "",
        ),
        ("start_timer", json!({ "team_id": TEAM, "tid": "@task", "description": "corte" }), "", ""),
        ("get_running_timer", json!({ "team_id": TEAM }), "", ""),
        ("stop_timer", json!({ "team_id": TEAM }), "", ""),
        (
            "add_time_entry",
            json!({ "team_id": TEAM, "start": day, "duration": 1_800_000, "tid": "@task", "billable": true }),
            "entry",
            "/data/id",
        ),
        ("list_time_entries", json!({ "team_id": TEAM, "start_date": day, "end_date": day + 1 }), "", ""),
        ("delete_time_entry", json!({ "team_id": TEAM, "timer_id": "@entry" }), "", ""),
        ("list_task_members", json!({ "task_id": "@task" }), "", ""),
        ("list_list_members", json!({ "list_id": LIST }), "", ""),
        (
            "create_webhook",
            json!({ "team_id": TEAM, "endpoint": "https://recepcao.example.test/h", "events": ["taskCreated"], "list_id": 90_110_223 }),
            "hook",
            "/id",
        ),
        ("list_webhooks", json!({ "team_id": TEAM }), "", ""),
        (
            "update_webhook",
            json!({ "webhook_id": "@hook", "endpoint": "https://recepcao.example.test/i", "events": "*", "status": "active" }),
            "",
            "",
        ),
        ("delete_webhook", json!({ "webhook_id": "@hook" }), "", ""),
        (
            "set_custom_field",
            json!({ "task_id": "@task", "field_id": date, "field_type": "date", "value": day, "value_options": { "time": true } }),
            "",
            "",
        ),
        (
            "set_custom_fields",
            json!({ "task_id": "@task", "fields": [{ "id": date, "type": "date", "value": day + 1 }] }),
            "",
            "",
        ),
        ("remove_custom_field", json!({ "task_id": "@task", "field_id": date }), "", ""),
        ("delete_task", json!({ "task_id": "@task" }), "", ""),
    ]
}

/// Arguments with what earlier calls gave.
fn filled(arguments: &Value, kept: &serde_json::Map<String, Value>) -> Value {
    match arguments {
        Value::String(text) => text.strip_prefix('@').map_or_else(|| arguments.clone(), |name| kept[name].clone()),
        Value::Array(items) => items.iter().map(|item| filled(item, kept)).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, field)| (key.clone(), filled(field, kept)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Null | Value::Bool(_) | Value::Number(_) => arguments.clone(),
    }
}

#[tokio::test]
async fn every_command_is_accepted_by_a_strict_clickup() {
    let world = World::new();
    let mut kept = serde_json::Map::new();
    let mut called = Vec::new();
    for (id, arguments, name, from) in story() {
        let result = world.call(id, filled(&arguments, &kept)).await;
        let result = result.unwrap_or_else(|error| panic!("{id}: {}", error.for_staff()));
        if let Some(failed) = result.get("failed") {
            assert_eq!(failed, &json!(0), "{id}: {result}");
        }
        if let Some(found) = result.get("found") {
            assert_eq!(found, &json!(true), "{id}: {result}");
        }
        if !name.is_empty() {
            kept.insert(name.to_owned(), result.pointer(from).unwrap_or_else(|| panic!("{id}: {result}")).clone());
        }
        called.push(id);
    }
    let pack = pack();
    let requests =
        pack["commands"].as_array().unwrap().iter().filter(|command| command["handler"].get("calls").is_none());
    let all: Vec<&str> = requests.map(|command| command["id"].as_str().unwrap()).collect();
    let missing: Vec<&&str> = all.iter().filter(|id| !called.contains(id)).collect();
    assert!(missing.is_empty() && all.len() >= 40, "{missing:?} were not called");
    let names =
        |wanted: &str| pack["commands"].as_array().unwrap().iter().filter(|one| one["effect"] == json!(wanted)).count();
    assert!(names("destructive") >= 8 && names("read") >= 20);
}

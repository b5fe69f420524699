//! Custom fields: what each takes.

use serde_json::{Value, json};

use super::{
    Query, shape,
    state::{LIST, Refusal, State, USERS},
};

/// What a field of that type stores for a value, or why it takes none.
fn store(field: &Value, value: &Value) -> Result<Value, String> {
    let config = &field["type_config"];
    let kind = field["type"].as_str().unwrap_or_default();
    let text = value.as_str();
    let option = |id: &str| {
        let options = config["options"].as_array().cloned().unwrap_or_default();
        options.into_iter().find(|option| option["id"] == json!(id))
    };
    let stored = match kind {
        "text" | "short_text" => text.map(|text| json!(text)),
        "email" => text.filter(|text| text.contains('@') && !text.contains(' ')).map(|text| json!(text)),
        "phone" => text.filter(|text| text.starts_with('+') && text.len() > 8).map(|text| json!(text)),
        "url" => text.filter(|text| text.starts_with("http")).map(|text| json!(text)),
        "number" | "currency" => value.as_f64().map(|_| json!(value.to_string())),
        "checkbox" => value.as_bool().map(|truth| json!(truth.to_string())),
        "date" => value.as_u64().filter(|time| *time > 100_000_000_000).map(|time| json!(time.to_string())),
        "drop_down" => text.and_then(option).map(|option| option["orderindex"].clone()),
        "labels" => {
            let known = |id: &Value| id.as_str().and_then(option).is_some();
            value.as_array().filter(|ids| ids.iter().all(known)).map(|ids| json!(ids))
        }
        "users" => value["add"]
            .as_array()
            .filter(|ids| ids.iter().all(is_user))
            .map(|ids| ids.iter().filter_map(|id| State::user(id.as_u64()?)).collect()),
        "tasks" | "list_relationship" | "attachment" => {
            value["add"].as_array().map(|ids| ids.iter().map(|id| json!({ "id": id })).collect())
        }
        "location" => {
            let place = &value["location"];
            let fine = place["lat"].is_number() && place["lng"].is_number() && value["formatted_address"].is_string();
            fine.then(|| value.clone())
        }
        "manual_progress" => value["current"]
            .as_f64()
            .filter(|at| (0.0..=100.0).contains(at))
            .map(|at| json!({ "current": value["current"].to_string(), "percent_complete": at })),
        "emoji" => value
            .as_u64()
            .filter(|stars| *stars <= config["count"].as_u64().unwrap_or(0))
            .map(|stars| json!(stars.to_string())),
        "button" => value.as_bool().map(|_| Value::Null),
        _ => return Err(format!("a field of type {kind} cannot be set")),
    };
    stored.ok_or_else(|| format!("Value is not a valid {kind}"))
}

fn is_user(id: &Value) -> bool {
    USERS.iter().any(|(known, _)| id.as_u64() == Some(*known))
}

/// Puts a value into a task.
pub(super) fn set(state: &mut State, task: &str, field: &str, value: &Value) -> Result<(), Refusal> {
    let known = state.fields.iter().find(|known| known["id"] == json!(field)).cloned();
    let known = known.ok_or_else(|| Refusal::new(400, "Custom field not found", "FIELD_011"))?;
    let stored = store(&known, value).map_err(|words| Refusal::new(400, words, "FIELD_012"))?;
    let task = super::state::stored(&mut state.tasks, task, "Task")?;
    let Some(fields) = task["custom_fields"].as_array_mut() else { return Err(Refusal::missing("Task")) };
    for field in fields.iter_mut().filter(|other| other["id"] == known["id"]) {
        field["value"] = stored.clone();
    }
    Ok(())
}

pub(super) fn route(
    state: &mut State,
    method: &str,
    path: &[&str],
    query: &Query,
    body: &Value,
) -> Option<Result<Value, Refusal>> {
    Some(match (method, path) {
        ("GET", ["list", id, "field"]) if *id == LIST => Ok(json!({ "fields": state.fields })),
        ("GET", ["list", id, "field"]) if state.lists.contains_key(*id) => Ok(json!({ "fields": [] })),
        ("GET", ["folder" | "space" | "team", _, "field"]) => Ok(json!({ "fields": [] })),
        ("POST", ["task", task, "field", field]) => {
            let any = [("value", shape::Kind::Any, true), ("value_options", shape::Kind::Object, false)];
            shape::check(body, &any).and_then(|()| {
                let id = state.task_id(task, query)?;
                set(state, &id, field, &body["value"])?;
                Ok(json!({}))
            })
        }
        ("DELETE", ["task", task, "field", field]) => state.task_id(task, query).and_then(|id| {
            let fields = super::state::stored(&mut state.tasks, &id, "Task")?["custom_fields"].as_array_mut();
            let found = fields.and_then(|fields| fields.iter_mut().find(|other| other["id"] == json!(field)));
            let Some(found) = found.and_then(Value::as_object_mut) else {
                return Err(Refusal::new(400, "Custom field not found", "FIELD_011"));
            };
            found.remove("value");
            Ok(json!({}))
        }),
        _ => return None,
    })
}

//! Comments, checklists, attachments, time and webhooks.

use serde_json::{Value, json};

use super::{
    Query, Request,
    shape::{self, Kind},
    state::{NOW, Refusal, State, stored},
};

pub(super) fn route(
    state: &mut State,
    method: &str,
    path: &[&str],
    query: &Query,
    body: &Value,
) -> Option<Result<Value, Refusal>> {
    comments(state, method, path, query, body)
        .or_else(|| checklists(state, method, path, query, body))
        .or_else(|| time(state, method, path, body))
        .or_else(|| webhooks(state, method, path, body))
}

fn comments(
    state: &mut State,
    method: &str,
    path: &[&str],
    query: &Query,
    body: &Value,
) -> Option<Result<Value, Refusal>> {
    let keys =
        [("comment_text", Kind::Text, true), ("assignee", Kind::Integer, false), ("notify_all", Kind::Truth, true)];
    Some(match (method, path) {
        ("GET", ["task", id, "comment"]) => state.task_id(id, query).map(|id| {
            let of =
                state.comments.values().filter(|comment| comment["task"] == json!(id)).cloned().collect::<Vec<_>>();
            json!({ "comments": of })
        }),
        ("POST", ["task", id, "comment"]) => shape::check(body, &keys).and_then(|()| {
            let id = state.task_id(id, query)?;
            let number = state.number();
            let comment = json!({ "id": number.to_string(), "comment_text": body["comment_text"], "task": id,
                "user": State::user(4_410_021), "resolved": false, "date": NOW.to_string() });
            state.comments.insert(number.to_string(), comment);
            Ok(json!({ "id": number, "hist_id": "26508", "date": NOW }))
        }),
        ("PUT", ["comment", id]) => {
            let keys = [
                ("comment_text", Kind::Text, true),
                ("assignee", Kind::Integer, true),
                ("resolved", Kind::Truth, true),
            ];
            shape::check(body, &keys).and_then(|()| {
                let comment = stored(&mut state.comments, id, "Comment")?;
                comment["comment_text"] = body["comment_text"].clone();
                comment["resolved"] = body["resolved"].clone();
                Ok(json!({}))
            })
        }
        ("DELETE", ["comment", id]) => {
            state.comments.remove(*id).map(|_| json!({})).ok_or_else(|| Refusal::missing("Comment"))
        }
        _ => return None,
    })
}

fn checklists(
    state: &mut State,
    method: &str,
    path: &[&str],
    query: &Query,
    body: &Value,
) -> Option<Result<Value, Refusal>> {
    Some(match (method, path) {
        ("POST", ["task", id, "checklist"]) => shape::check(body, &[("name", Kind::Text, true)]).and_then(|()| {
            let task = state.task_id(id, query)?;
            let id = format!("b8a8-{}", state.number());
            let list = json!({ "id": id, "task_id": task, "name": body["name"], "orderindex": 0, "resolved": 0, "unresolved": 0, "items": [] });
            state.checklists.insert(id, list.clone());
            Ok(json!({ "checklist": list }))
        }),
        ("PUT", ["checklist", id]) => {
            shape::check(body, &[("name", Kind::Text, false), ("position", Kind::Integer, false)]).and_then(|()| {
                let list = stored(&mut state.checklists, id, "Checklist")?;
                if body["name"].is_string() {
                    list["name"] = body["name"].clone();
                }
                Ok(json!({ "checklist": list }))
            })
        }
        ("DELETE", ["checklist", id]) => {
            state.checklists.remove(*id).map(|_| json!({})).ok_or_else(|| Refusal::missing("Checklist"))
        }
        ("POST", ["checklist", id, "checklist_item"]) => {
            shape::check(body, &[("name", Kind::Text, false), ("assignee", Kind::Integer, false)]).and_then(|()| {
                let item = format!("21e0-{}", state.number());
                let list = stored(&mut state.checklists, id, "Checklist")?;
                if let Some(items) = list["items"].as_array_mut() {
                    items.push(json!({ "id": item, "name": body["name"], "resolved": false, "parent": null, "children": [] }));
                }
                Ok(json!({ "checklist": list }))
            })
        }
        ("PUT" | "DELETE", ["checklist", id, "checklist_item", item]) => {
            let keys = [("name", Kind::Text, false), ("assignee", Kind::Any, false), ("resolved", Kind::Truth, false), ("parent", Kind::Text, false)];
            shape::check(body, &keys).and_then(|()| {
                let list = stored(&mut state.checklists, id, "Checklist")?;
                let items = list["items"].as_array_mut().ok_or_else(|| Refusal::missing("Checklist"))?;
                let at = items.iter().position(|known| known["id"] == json!(item)).ok_or_else(|| Refusal::missing("Item"))?;
                if method == "DELETE" {
                    items.remove(at);
                    return Ok(json!({}));
                }
                for key in ["name", "resolved"] {
                    if let Some(value) = body.get(key) {
                        items[at][key] = value.clone();
                    }
                }
                Ok(json!({ "checklist": list }))
            })
        }
        _ => return None,
    })
}

fn time(state: &mut State, method: &str, path: &[&str], body: &Value) -> Option<Result<Value, Refusal>> {
    let (team, rest) = match path {
        ["team", team, "time_entries", rest @ ..] => (*team, rest),
        _ => return None,
    };
    if let Err(refusal) = State::team(team) {
        return Some(Err(refusal));
    }
    let running = |entry: &&Value| entry["duration"].as_i64().is_some_and(|duration| duration < 0);
    Some(match (method, rest) {
        ("GET", []) => {
            Ok(json!({ "data": state.entries.values().filter(|entry| !running(entry)).cloned().collect::<Vec<_>>() }))
        }
        ("GET", ["current"]) => Ok(json!({ "data": state.entries.values().find(running) })),
        ("POST", ["start"]) => {
            let keys = [
                ("tid", Kind::Text, false),
                ("description", Kind::Text, false),
                ("billable", Kind::Truth, false),
                ("tags", Kind::Any, false),
            ];
            shape::check(body, &keys).map(|()| entry(state, body, &json!(NOW.to_string()), &json!(-1)))
        }
        ("POST", ["stop"]) => {
            let current =
                state.entries.values_mut().find(|entry| entry["duration"].as_i64().is_some_and(|span| span < 0));
            match current {
                Some(current) => {
                    current["duration"] = json!(60_000);
                    current["end"] = json!((NOW + 60_000).to_string());
                    Ok(json!({ "data": current }))
                }
                None => Err(Refusal::new(400, "No timer is running", "TIMEENTRY_059")),
            }
        }
        ("POST", []) => {
            let keys = [
                ("start", Kind::Time, true),
                ("duration", Kind::Integer, true),
                ("stop", Kind::Time, false),
                ("tid", Kind::Text, false),
                ("description", Kind::Text, false),
                ("billable", Kind::Truth, false),
                ("assignee", Kind::Integer, false),
                ("tags", Kind::Any, false),
            ];
            shape::check(body, &keys).map(|()| entry(state, body, &body["start"], &body["duration"]))
        }
        ("DELETE", [id]) => {
            state.entries.remove(*id).map(|gone| json!({ "data": gone })).ok_or_else(|| Refusal::missing("Time entry"))
        }
        _ => return None,
    })
}

fn entry(state: &mut State, body: &Value, start: &Value, duration: &Value) -> Value {
    let id = state.number().to_string();
    let entry = json!({ "id": id, "task": { "id": body["tid"] }, "user": State::user(4_410_021), "start": start,
        "duration": duration, "description": body["description"], "billable": body["billable"] });
    state.entries.insert(id, entry.clone());
    json!({ "data": entry })
}

fn webhooks(state: &mut State, method: &str, path: &[&str], body: &Value) -> Option<Result<Value, Refusal>> {
    Some(match (method, path) {
        ("GET", ["team", team, "webhook"]) => {
            State::team(team).map(|()| json!({ "webhooks": state.webhooks.values().cloned().collect::<Vec<_>>() }))
        }
        ("POST", ["team", team, "webhook"]) => {
            let keys = [
                ("endpoint", Kind::Text, true),
                ("events", Kind::Texts, true),
                ("space_id", Kind::Integer, false),
                ("folder_id", Kind::Integer, false),
                ("list_id", Kind::Integer, false),
                ("task_id", Kind::Text, false),
            ];
            State::team(team).and_then(|()| shape::check(body, &keys)).map(|()| {
                let id = format!("7fa3ec74-0000-4000-8000-{:012}", state.number());
                let hook = json!({ "id": id, "endpoint": body["endpoint"], "events": body["events"],
                    "health": { "status": "active", "fail_count": 0 }, "secret": "S".repeat(64) });
                state.webhooks.insert(id.clone(), hook.clone());
                json!({ "id": id, "webhook": hook })
            })
        }
        ("PUT", ["webhook", id]) => {
            let keys = [("endpoint", Kind::Text, true), ("events", Kind::Any, true), ("status", Kind::Text, true)];
            shape::check(body, &keys).and_then(|()| {
                let hook = stored(&mut state.webhooks, id, "Webhook")?;
                hook["endpoint"] = body["endpoint"].clone();
                Ok(json!({ "id": id, "webhook": hook }))
            })
        }
        ("DELETE", ["webhook", id]) => {
            state.webhooks.remove(*id).map(|_| json!({})).ok_or_else(|| Refusal::missing("Webhook"))
        }
        _ => return None,
    })
}

/// A file for a task: in parts, under the name `attachment`.
pub(super) fn attach(state: &mut State, task: &str, request: &Request) -> Result<Value, Refusal> {
    let parts = request.header("content-type").is_some_and(|kind| kind.starts_with("multipart/form-data; boundary="));
    let text = String::from_utf8_lossy(&request.body).into_owned();
    if request.method != "POST" || !parts || !text.contains("name=\"attachment\"") {
        return Err(Refusal::new(400, "No attachment supplied", "UPLOAD_002"));
    }
    let name = text.split("filename=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("file").to_owned();
    let file = json!({ "id": format!("{}.png", state.number()), "title": name, "version": 0, "date": NOW, "url": "https://example.test/f" });
    if let Some(files) = stored(&mut state.tasks, task, "Task")?["attachments"].as_array_mut() {
        files.push(file.clone());
    }
    Ok(file)
}

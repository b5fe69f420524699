//! Tasks: made, changed, listed, tagged, linked.

use serde_json::{Value, json};

use super::{
    Query, fields,
    shape::{self, Kind},
    state::{NOW, Refusal, State, TEAM, stored},
};

const CREATE: [(&str, Kind, bool); 20] = [
    ("name", Kind::Text, true),
    ("description", Kind::Text, false),
    ("markdown_content", Kind::Text, false),
    ("assignees", Kind::Users, false),
    ("group_assignees", Kind::Texts, false),
    ("tags", Kind::Texts, false),
    ("status", Kind::Text, false),
    ("priority", Kind::Priority, false),
    ("due_date", Kind::Time, false),
    ("due_date_time", Kind::Truth, false),
    ("start_date", Kind::Time, false),
    ("start_date_time", Kind::Truth, false),
    ("time_estimate", Kind::Integer, false),
    ("points", Kind::Number, false),
    ("parent", Kind::Text, false),
    ("links_to", Kind::Text, false),
    ("notify_all", Kind::Truth, false),
    ("check_required_custom_fields", Kind::Truth, false),
    ("custom_item_id", Kind::Integer, false),
    ("custom_fields", Kind::Any, false),
];

const UPDATE: [(&str, Kind, bool); 18] = [
    ("name", Kind::Text, false),
    ("description", Kind::Text, false),
    ("markdown_content", Kind::Text, false),
    ("assignees", Kind::Change, false),
    ("group_assignees", Kind::Change, false),
    ("watchers", Kind::Change, false),
    ("status", Kind::Text, false),
    ("priority", Kind::Priority, false),
    ("due_date", Kind::Time, false),
    ("due_date_time", Kind::Truth, false),
    ("start_date", Kind::Time, false),
    ("start_date_time", Kind::Truth, false),
    ("time_estimate", Kind::Integer, false),
    ("points", Kind::Number, false),
    ("parent", Kind::Text, false),
    ("archived", Kind::Truth, false),
    ("custom_item_id", Kind::Integer, false),
    ("notify_all", Kind::Truth, false),
];

pub(super) fn route(
    state: &mut State,
    method: &str,
    path: &[&str],
    query: &Query,
    body: &Value,
) -> Option<Result<Value, Refusal>> {
    Some(match (method, path) {
        ("POST", ["list", list, "task"]) => create(state, list, body),
        ("GET", ["list", list, "task"]) => {
            if state.lists.contains_key(*list) { list_tasks(state, Some(list), query) } else { Err(Refusal::missing("List")) }
        }
        ("GET", ["team", team, "task"]) => State::team(team).and_then(|()| list_tasks(state, None, query)),
        ("GET", ["task", id]) => state.task_id(id, query).map(|id| state.tasks.get(&id).cloned().unwrap_or_default()),
        ("PUT", ["task", id]) => state.task_id(id, query).and_then(|id| update(state, &id, body)),
        ("DELETE", ["task", id]) => state.task_id(id, query).map(|id| {
            state.tasks.remove(&id);
            Value::Null
        }),
        ("POST", ["task", id, "merge"]) => shape::check(body, &[("source_task_ids", Kind::Texts, true)]).and_then(|()| {
            let id = state.task_id(id, query)?;
            for source in body["source_task_ids"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                state.tasks.remove(source).ok_or_else(|| Refusal::missing("Task"))?;
            }
            Ok(state.tasks[&id].clone())
        }),
        ("POST", ["task", id, "tag", tag]) => state.task_id(id, query).and_then(|id| {
            let tags = &mut stored(&mut state.tasks, &id, "Task")?["tags"];
            if let Some(tags) = tags.as_array_mut() {
                tags.push(json!({ "name": tag }));
            }
            Ok(json!({}))
        }),
        ("DELETE", ["task", id, "tag", tag]) => state.task_id(id, query).and_then(|id| {
            if let Some(tags) = stored(&mut state.tasks, &id, "Task")?["tags"].as_array_mut() {
                tags.retain(|known| known["name"] != json!(tag));
            }
            Ok(json!({}))
        }),
        ("POST" | "DELETE", ["list", list, "task", id]) => locate(state, list, id, method == "POST"),
        ("POST", ["task", id, "link", other]) => link(state, id, other, query, true),
        ("DELETE", ["task", id, "link", other]) => link(state, id, other, query, false),
        ("POST", ["task", id, "dependency"]) => {
            let keys = [("depends_on", Kind::Text, false), ("dependency_of", Kind::Text, false)];
            let given = |name: &str| body[name].as_str().map(str::to_owned);
            shape::check(body, &keys).and_then(|()| depend(state, id, query, given, true))
        }
        ("DELETE", ["task", id, "dependency"]) => {
            let given = |name: &str| query.get(name).and_then(|values| values.first()).filter(|id| !id.is_empty()).cloned();
            if ["depends_on", "dependency_of"].iter().all(|name| query.contains_key(*name)) {
                depend(state, id, query, given, false)
            } else {
                Err(Refusal::input("depends_on and dependency_of are required"))
            }
        }
        ("GET", ["task", id, "member"]) => state.task_id(id, query).map(|_| super::places::members()),
        ("GET", ["task", id, "time_in_status"]) => state.task_id(id, query).map(|id| {
            let status = &state.tasks[&id]["status"];
            json!({ "current_status": { "status": status["status"], "total_time": { "by_minute": 1 } }, "status_history": [] })
        }),
        _ => return None,
    })
}

fn link(state: &mut State, id: &str, other: &str, query: &Query, add: bool) -> Result<Value, Refusal> {
    let id = state.task_id(id, query)?;
    let other = state.task_id(other, query)?;
    let task = stored(&mut state.tasks, &id, "Task")?;
    if let Some(links) = task["linked_tasks"].as_array_mut() {
        links.retain(|link| link["link_id"] != json!(other));
        if add {
            links.push(json!({ "task_id": id, "link_id": other, "workspace_id": TEAM }));
        }
    }
    Ok(json!({ "task": task }))
}

/// Puts a task into a list that is not its own, or takes it out.
fn locate(state: &mut State, list: &str, id: &str, add: bool) -> Result<Value, Refusal> {
    stored(&mut state.lists, list, "List")?;
    if let Some(places) = stored(&mut state.tasks, id, "Task")?["locations"].as_array_mut() {
        places.retain(|place| place["id"] != json!(list));
        if add {
            places.push(json!({ "id": list }));
        }
    }
    Ok(json!({}))
}

/// Makes a task wait for another, or another for it; or no longer.
fn depend(
    state: &mut State,
    id: &str,
    query: &Query,
    given: impl Fn(&str) -> Option<String>,
    add: bool,
) -> Result<Value, Refusal> {
    let id = state.task_id(id, query)?;
    let (waits, other) = match (given("depends_on"), given("dependency_of")) {
        (Some(other), None) => (id.clone(), other),
        (None, Some(waits)) => (waits, id.clone()),
        _ => return Err(Refusal::input("exactly one of depends_on and dependency_of")),
    };
    stored(&mut state.tasks, &other, "Task")?;
    if let Some(all) = stored(&mut state.tasks, &waits, "Task")?["dependencies"].as_array_mut() {
        all.retain(|one| one["depends_on"] != json!(other));
        if add {
            all.push(json!({ "task_id": waits, "depends_on": other, "type": 1 }));
        }
    }
    Ok(json!({}))
}

fn create(state: &mut State, list: &str, body: &Value) -> Result<Value, Refusal> {
    let place = state.lists.get(list).cloned().ok_or_else(|| Refusal::missing("List"))?;
    shape::check(body, &CREATE)?;
    if body["name"].as_str().is_none_or(|name| name.trim().is_empty()) {
        return Err(Refusal::input("Task name invalid"));
    }
    if let Some(parent) = body["parent"].as_str() {
        let same = state.tasks.get(parent).is_some_and(|parent| parent["list"]["id"] == json!(list));
        if !same {
            return Err(Refusal::new(400, "Parent not child of list", "ITEM_137"));
        }
    }
    let number = state.number();
    let id = format!("86b7q{number:04}");
    let users = body["assignees"].as_array().cloned().unwrap_or_default();
    let assignees = people(&users)?;
    let tags: Vec<Value> = body["tags"].as_array().into_iter().flatten().map(|tag| json!({ "name": tag })).collect();
    let mut task = json!({
        "id": id, "custom_id": format!("CORTE-{number}"), "custom_item_id": 0, "name": body["name"], "text_content": body["description"],
        "description": body["description"], "status": {}, "orderindex": "1.0", "date_created": NOW.to_string(),
        "date_updated": NOW.to_string(), "date_closed": null, "date_done": null, "archived": false,
        "creator": State::user(4_410_021), "assignees": assignees, "group_assignees": [], "watchers": [], "checklists": [],
        "tags": tags, "parent": body["parent"], "top_level_parent": body["parent"], "priority": null, "due_date": null,
        "start_date": null, "points": body["points"], "time_estimate": null, "time_spent": 0,
        "custom_fields": state.fields.clone(), "dependencies": [], "linked_tasks": [], "locations": [], "team_id": TEAM,
        "url": format!("https://app.clickup.com/t/{id}"), "list": { "id": list, "name": place["name"] },
        "folder": place["folder"], "space": place["space"], "attachments": [],
    });
    let mut changes = body.clone();
    if body.get("status").is_none() {
        changes["status"] = json!("to do");
    }
    change(&mut task, &changes, &place)?;
    state.tasks.insert(id.clone(), task);
    for field in body["custom_fields"].as_array().into_iter().flatten() {
        let set = fields::set(state, &id, field["id"].as_str().unwrap_or_default(), &field["value"]);
        if let Err(refusal) = set {
            state.tasks.remove(&id);
            return Err(refusal);
        }
    }
    Ok(state.tasks[&id].clone())
}

fn people(ids: &[Value]) -> Result<Vec<Value>, Refusal> {
    let person =
        |id: &Value| id.as_u64().and_then(State::user).ok_or_else(|| Refusal::new(400, "User not found", "ITEM_087"));
    ids.iter().map(person).collect()
}

fn update(state: &mut State, id: &str, body: &Value) -> Result<Value, Refusal> {
    shape::check(body, &UPDATE)?;
    let list = state.tasks[id]["list"]["id"].as_str().unwrap_or_default().to_owned();
    let place = state.lists.get(&list).cloned().unwrap_or_default();
    let added = people(body["assignees"]["add"].as_array().map_or(&[], Vec::as_slice))?;
    let task = stored(&mut state.tasks, id, "Task")?;
    change(task, body, &place)?;
    let removed = body["assignees"]["rem"].as_array().cloned().unwrap_or_default();
    if let Some(assignees) = task["assignees"].as_array_mut() {
        assignees.retain(|user| !removed.contains(&user["id"]) && !added.iter().any(|new| new["id"] == user["id"]));
        assignees.extend(added);
    }
    Ok(task.clone())
}

/// What creating and updating have in common.
fn change(task: &mut Value, body: &Value, list: &Value) -> Result<(), Refusal> {
    for key in ["name", "description", "points", "archived"] {
        if let Some(value) = body.get(key) {
            task[key] = value.clone();
        }
    }
    for key in ["due_date", "start_date", "time_estimate"] {
        if let Some(value) = body.get(key) {
            task[key] = value.as_u64().map_or(Value::Null, |time| json!(time.to_string()));
        }
    }
    if let Some(status) = body["status"].as_str() {
        let known = list["statuses"].as_array().into_iter().flatten().find(|known| known["status"] == json!(status));
        task["status"] = known.cloned().ok_or_else(|| Refusal::new(400, "Status not found", "ITEM_114"))?;
    }
    if let Some(priority) = body.get("priority") {
        let names = ["", "urgent", "high", "normal", "low"];
        let level = priority.as_u64().and_then(|level| usize::try_from(level).ok());
        task["priority"] =
            level.map_or(Value::Null, |level| json!({ "id": level.to_string(), "priority": names[level] }));
    }
    Ok(())
}

fn list_tasks(state: &State, list: Option<&str>, query: &Query) -> Result<Value, Refusal> {
    const PAGE: usize = 100;
    let all = |name: &str| query.get(name).cloned().unwrap_or_default();
    let page = match all("page").first() {
        Some(page) => page.parse::<usize>().ok().ok_or_else(|| Refusal::input("page must be a number"))?,
        None => 0,
    };
    let fits = |task: &&Value| {
        let is = |values: Vec<String>, value: &Value| {
            values.is_empty() || values.iter().any(|known| Some(known.as_str()) == value.as_str())
        };
        let people = all("assignees[]");
        let assigned = people.is_empty()
            || task["assignees"].as_array().into_iter().flatten().any(|user| people.contains(&user["id"].to_string()));
        list.is_none_or(|list| task["list"]["id"] == json!(list))
            && is(all("statuses[]"), &task["status"]["status"])
            && assigned
    };
    let found: Vec<&Value> = state.tasks.values().filter(fits).collect();
    let part: Vec<&Value> = found.iter().skip(page * PAGE).take(PAGE).copied().collect();
    Ok(json!({ "tasks": part, "last_page": found.len() <= (page + 1) * PAGE }))
}

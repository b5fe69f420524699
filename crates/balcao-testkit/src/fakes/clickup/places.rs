//! Workspaces, spaces, folders, lists, members and tags.

use serde_json::{Value, json};

use super::{
    Query,
    shape::{self, Kind},
    state::{Refusal, State, TEAM, USERS, stored},
};

pub(super) fn members() -> Value {
    let people: Vec<Value> = USERS.iter().filter_map(|(id, _)| State::user(*id)).collect();
    json!({ "members": people })
}

const LIST: [(&str, Kind, bool); 9] = [
    ("name", Kind::Text, true),
    ("content", Kind::Text, false),
    ("markdown_content", Kind::Text, false),
    ("due_date", Kind::Time, false),
    ("due_date_time", Kind::Truth, false),
    ("priority", Kind::Priority, false),
    ("assignee", Kind::Any, false),
    ("status", Kind::Text, false),
    ("unset_status", Kind::Truth, false),
];

pub(super) fn route(
    state: &mut State,
    method: &str,
    path: &[&str],
    _query: &Query,
    body: &Value,
) -> Option<Result<Value, Refusal>> {
    let name_only = [("name", Kind::Text, true)];
    Some(match (method, path) {
        ("GET", ["user"]) => Ok(json!({ "user": State::user(USERS[0].0) })),
        ("GET", ["team"]) => {
            let people: Vec<Value> = USERS.iter().map(|(id, _)| json!({ "user": State::user(*id) })).collect();
            Ok(json!({ "teams": [{ "id": TEAM, "name": "Salão da Ana", "color": "#000000", "avatar": null, "members": people }] }))
        }
        ("GET", ["team", team, "space"]) => State::team(team).map(|()| json!({ "spaces": values(&state.spaces) })),
        ("GET", ["space", id]) => stored(&mut state.spaces, id, "Space").cloned_value(),
        ("GET", ["space", id, "folder"]) => {
            stored(&mut state.spaces, id, "Space").map(|_| ()).map(|()| json!({ "folders": within(&state.folders, "space", id) }))
        }
        ("POST", ["space", id, "folder"]) => shape::check(body, &name_only).and_then(|()| {
            stored(&mut state.spaces, id, "Space")?;
            let folder = state.number().to_string();
            let value = json!({ "id": folder, "name": body["name"], "space": { "id": id }, "hidden": false, "lists": [] });
            state.folders.insert(folder, value.clone());
            Ok(value)
        }),
        ("GET", ["folder", id]) => stored(&mut state.folders, id, "Folder").cloned_value(),
        ("PUT", ["folder", id]) => shape::check(body, &name_only).and_then(|()| {
            let folder = stored(&mut state.folders, id, "Folder")?;
            folder["name"] = body["name"].clone();
            Ok(folder.clone())
        }),
        ("DELETE", ["folder", id]) => state.folders.remove(*id).map(|_| json!({})).ok_or_else(|| Refusal::missing("Folder")),
        ("GET", ["folder", id, "list"]) => {
            stored(&mut state.folders, id, "Folder").map(|_| ()).map(|()| json!({ "lists": within(&state.lists, "folder", id) }))
        }
        ("GET", ["space", id, "list"]) => {
            let bare: Vec<Value> = within(&state.lists, "space", id).into_iter().filter(|list| list["folder"].is_null()).collect();
            Ok(json!({ "lists": bare }))
        }
        ("POST", [kind @ ("folder" | "space"), id, "list"]) => shape::check(body, &LIST).and_then(|()| {
            let folder = *kind == "folder";
            let space = if folder {
                stored(&mut state.folders, id, "Folder")?["space"]["id"].clone()
            } else {
                stored(&mut state.spaces, id, "Space")?["id"].clone()
            };
            let list = state.number().to_string();
            let statuses = state.spaces.values().next().map(|space| space["statuses"].clone());
            let place = if folder { json!({ "id": id }) } else { Value::Null };
            let value = json!({ "id": list, "name": body["name"], "content": body["content"], "folder": place,
                "space": { "id": space }, "statuses": statuses, "archived": false });
            state.lists.insert(list, value.clone());
            Ok(value)
        }),
        ("GET", ["list", id]) => stored(&mut state.lists, id, "List").cloned_value(),
        ("PUT", ["list", id]) => shape::check(body, &LIST).and_then(|()| {
            let list = stored(&mut state.lists, id, "List")?;
            list["name"] = body["name"].clone();
            if let Some(content) = body.get("content") {
                list["content"] = content.clone();
            }
            Ok(list.clone())
        }),
        ("DELETE", ["list", id]) => state.lists.remove(*id).map(|_| json!({})).ok_or_else(|| Refusal::missing("List")),
        ("GET", ["list", id, "member"]) => stored(&mut state.lists, id, "List").map(|_| members()),
        ("GET", ["space", id, "tag"]) => stored(&mut state.spaces, id, "Space").map(|_| ()).map(|()| {
            json!({ "tags": state.tags.iter().map(|name| json!({ "name": name, "tag_fg": "#fff", "tag_bg": "#000" })).collect::<Vec<_>>() })
        }),
        ("POST", ["space", id, "tag"]) => shape::check(body, &[("tag", Kind::Object, true)]).and_then(|()| {
            stored(&mut state.spaces, id, "Space")?;
            let name = body["tag"]["name"].as_str().ok_or_else(|| Refusal::input("tag.name is required"))?;
            state.tags.push(name.to_owned());
            Ok(json!({}))
        }),
        ("DELETE", ["space", id, "tag", tag]) => {
            stored(&mut state.spaces, id, "Space").map(|_| ()).map(|()| {
                state.tags.retain(|known| known != tag);
                json!({})
            })
        }
        ("GET", ["team", team, "custom_item"]) => State::team(team).map(|()| json!({ "custom_items": [{ "id": 1, "name": "Milestone" }] })),
        _ => return None,
    })
}

fn values(map: &std::collections::BTreeMap<String, Value>) -> Vec<Value> {
    map.values().cloned().collect()
}

fn within(map: &std::collections::BTreeMap<String, Value>, place: &str, id: &str) -> Vec<Value> {
    map.values().filter(|value| value[place]["id"] == json!(id)).cloned().collect()
}

/// A copy of what was found.
trait ClonedValue {
    fn cloned_value(self) -> Result<Value, Refusal>;
}

impl ClonedValue for Result<&mut Value, Refusal> {
    fn cloned_value(self) -> Result<Value, Refusal> {
        self.map(|value| value.clone())
    }
}

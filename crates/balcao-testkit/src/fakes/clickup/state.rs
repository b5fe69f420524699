//! What the fake remembers.

use std::collections::BTreeMap;

use super::Query;
use serde_json::{Value, json};

/// The workspace.
pub const TEAM: &str = "9001001";
/// Its space.
pub const SPACE: &str = "9011";
/// The space's folder.
pub const FOLDER: &str = "90110";
/// The folder's list.
pub const LIST: &str = "90110223";
/// The workspace's members.
pub const USERS: [(u64, &str); 3] = [(4_410_021, "Rafa"), (4_410_022, "Bia"), (4_410_023, "Caio")];

/// Everything that is stored.
#[derive(Debug)]
pub(super) struct State {
    pub(super) spaces: BTreeMap<String, Value>,
    pub(super) folders: BTreeMap<String, Value>,
    pub(super) lists: BTreeMap<String, Value>,
    pub(super) fields: Vec<Value>,
    pub(super) tasks: BTreeMap<String, Value>,
    pub(super) comments: BTreeMap<String, Value>,
    pub(super) checklists: BTreeMap<String, Value>,
    pub(super) entries: BTreeMap<String, Value>,
    pub(super) webhooks: BTreeMap<String, Value>,
    pub(super) tags: Vec<String>,
    next: u64,
}

/// A "no" of the API.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: u16,
    words: String,
    code: &'static str,
}

impl Refusal {
    pub(super) fn new(status: u16, words: impl Into<String>, code: &'static str) -> Self {
        Self { status, words: words.into(), code }
    }

    pub(super) fn no_route() -> Self {
        Self::new(404, "Route not found", "APP_001")
    }

    pub(super) fn missing(what: &str) -> Self {
        Self::new(404, format!("{what} not found, deleted"), "ITEM_013")
    }

    pub(super) fn input(words: impl Into<String>) -> Self {
        Self::new(400, words, "INPUT_005")
    }

    pub(super) fn body(&self) -> Vec<u8> {
        json!({ "err": self.words, "ECODE": self.code }).to_string().into_bytes()
    }
}

/// Now, in milliseconds since 1970: the fake's time stands still.
pub(super) const NOW: u64 = 1_795_348_800_000;

impl State {
    pub(super) fn new() -> Self {
        let statuses = json!([
            { "status": "to do", "type": "open", "orderindex": 0, "color": "#87909e" },
            { "status": "confirmado", "type": "custom", "orderindex": 1, "color": "#2ecd6f" },
            { "status": "complete", "type": "closed", "orderindex": 2, "color": "#008844" },
        ]);
        let space =
            json!({ "id": SPACE, "name": "Salão", "private": false, "statuses": statuses, "multiple_assignees": true });
        let folder = json!({ "id": FOLDER, "name": "Atendimento", "space": { "id": SPACE }, "hidden": false });
        let list = json!({ "id": LIST, "name": "Agendamentos", "folder": { "id": FOLDER }, "space": { "id": SPACE },
            "statuses": statuses, "archived": false, "content": "" });
        Self {
            spaces: BTreeMap::from([(SPACE.to_owned(), space)]),
            folders: BTreeMap::from([(FOLDER.to_owned(), folder)]),
            lists: BTreeMap::from([(LIST.to_owned(), list)]),
            fields: super::field_types::all(),
            tasks: BTreeMap::new(),
            comments: BTreeMap::new(),
            checklists: BTreeMap::new(),
            entries: BTreeMap::new(),
            webhooks: BTreeMap::new(),
            tags: vec!["whatsapp".to_owned()],
            next: 100,
        }
    }

    /// A number that nothing else has.
    pub(super) fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    pub(super) fn user(id: u64) -> Option<Value> {
        let (id, name) = USERS.iter().find(|(known, _)| *known == id)?;
        let email = format!("{}@example.test", name.to_lowercase());
        Some(
            json!({ "id": id, "username": name, "color": "#333333", "initials": "X", "email": email, "profilePicture": null }),
        )
    }

    /// The id of a task that a path names by its id, or by its custom id where the query says so.
    pub(super) fn task_id(&self, id: &str, query: &Query) -> Result<String, Refusal> {
        let first = |name: &str| query.get(name).and_then(|values| values.first()).map(String::as_str);
        let found = if first("custom_task_ids") == Some("true") {
            if first("team_id") != Some(TEAM) {
                return Err(Refusal::new(400, "team_id is required with custom_task_ids", "ITEM_027"));
            }
            self.tasks.values().find(|task| task["custom_id"] == json!(id))
        } else {
            self.tasks.get(id)
        };
        let found = found.and_then(|task| task["id"].as_str()).map(str::to_owned);
        found.ok_or_else(|| Refusal::missing("Task"))
    }

    pub(super) fn team(id: &str) -> Result<(), Refusal> {
        if id == TEAM { Ok(()) } else { Err(Refusal::new(401, "Team not authorized", "OAUTH_027")) }
    }
}

/// Something stored by its id.
pub(super) fn stored<'a>(map: &'a mut BTreeMap<String, Value>, id: &str, what: &str) -> Result<&'a mut Value, Refusal> {
    map.get_mut(id).ok_or_else(|| Refusal::missing(what))
}

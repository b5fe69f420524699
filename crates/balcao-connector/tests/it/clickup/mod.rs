//! The pack `clickup`: its connection and every command, against our strict fake of ClickUp and against ClickUp's own API description.

mod against_the_fake;
mod document;
mod journey;

use std::{fs, path::PathBuf, sync::Arc};

use balcao_connector::{Account, CallError, Connection, HttpCommand, Operation, Settings};
use balcao_testkit::fakes::clickup::{FakeClickUp, TOKEN};
use balcao_yaml::Document;
use serde_json::{Value, json};

use crate::server::{TestClock, arguments, local};

/// The pack as it is written.
pub(crate) fn pack() -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../packs/clickup/tool.yaml");
    let text = fs::read_to_string(path).unwrap();
    Document::read("tool.yaml", &text).unwrap().value["tool"].clone()
}

/// A command of the pack, compiled.
pub(crate) fn compiled(command: &Value) -> Operation {
    let read = HttpCommand::read(&command["handler"]);
    let read = read.unwrap_or_else(|problems| panic!("{}: {problems:#?}", command["id"]));
    read.compile(&command["input_schema"]).unwrap_or_else(|problems| panic!("{}: {problems:#?}", command["id"]))
}

/// An account of the pack wherever somebody plays ClickUp.
fn account(pack: &Value, token: &str, base_url: &str, clock: Arc<TestClock>) -> Account {
    let connection = Connection::read(&pack["connection"]).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let given = json!({ "token": token, "requests_per_minute": 10_000, "base_url": base_url });
    let settings = Settings::sorted(&pack["settings"], given.as_object().unwrap());
    assert!(!format!("{settings:?}").contains(token));
    Account::open(&connection, settings, &local(), clock, None, 3).unwrap()
}

/// The pack's account at our ClickUp.
pub(crate) struct World {
    pub(crate) clickup: FakeClickUp,
    pub(crate) account: Account,
    pub(crate) clock: Arc<TestClock>,
    pack: Value,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with_token(TOKEN)
    }

    pub(crate) fn with_token(token: &str) -> Self {
        let clickup = FakeClickUp::start().unwrap();
        let (pack, clock) = (pack(), Arc::new(TestClock::default()));
        let account = account(&pack, token, &clickup.base_url(), clock.clone());
        Self { clickup, account, clock, pack }
    }

    /// Calls a command with arguments that satisfy its schema.
    pub(crate) async fn call(&self, id: &str, args: Value) -> Result<Value, CallError> {
        let command = command(&self.pack, id);
        let schema = jsonschema::options().build(&command["input_schema"]).unwrap();
        let wrong: Vec<String> = schema.iter_errors(&args).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{id} {args}: {wrong:?}");
        let result = self.account.call(&compiled(command), &arguments(args), Some("key")).await?;
        let schema = jsonschema::options().build(&command["output_schema"]).unwrap();
        assert!(schema.is_valid(&result), "{id}: {result}");
        Ok(result)
    }

    /// The id of a new task.
    pub(crate) async fn task(&self, name: &str) -> String {
        let made = self.call("create_task", json!({ "list_id": "90110223", "name": name })).await.unwrap();
        made["id"].as_str().unwrap().to_owned()
    }
}

pub(crate) fn command<'a>(pack: &'a Value, id: &str) -> &'a Value {
    let found = pack["commands"].as_array().unwrap().iter().find(|command| command["id"] == json!(id));
    found.unwrap_or_else(|| panic!("no command `{id}`"))
}

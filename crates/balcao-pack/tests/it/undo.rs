//! What undoes a command puts things back, and a pack whose undo cannot be called does not load.

use std::{path::Path, sync::Arc};

use balcao_connector::{Account, Connection, Egress, Http, Settings, TokioClock};
use balcao_pack::{Handlers, LoadedPack, Loader, manifest::PackKind};
use balcao_sandbox::Launcher;
use balcao_testkit::fakes::clickup::{FOLDER, FakeClickUp, LIST, SPACE, TEAM, TOKEN};
use balcao_tool::{Effect, ResultClass, RunMode, Toolbox};
use serde_json::{Map, Value, json};

use crate::world::{Canned, context, pack, problems, toolbox};

fn load(kind: Http) -> LoadedPack {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/clickup");
    let launcher = Launcher::new(env!("CARGO_BIN_EXE_pack-test-worker"), &[]);
    let loader = Loader::new(Handlers::new()).kind(PackKind::Http, Arc::new(kind)).helpers_in(launcher, 1);
    loader.load_folder(&folder).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// The pack `clickup` before our own ClickUp.
struct World {
    clickup: FakeClickUp,
    tools: Toolbox,
    /// The commands that name one which undoes them.
    undone: Vec<String>,
}

impl World {
    fn new() -> Self {
        let clickup = FakeClickUp::start().unwrap();
        let pack = load(Http::offline()).pack;
        let connection = Connection::read(pack.connection.as_ref().unwrap()).unwrap();
        let given = json!({"token": TOKEN, "requests_per_minute": 10_000, "base_url": clickup.base_url()});
        let settings = Settings::sorted(pack.settings.as_ref().unwrap(), given.as_object().unwrap());
        let reach = Egress { allow: vec!["127.0.0.1/32".parse().unwrap()], plain_http: true, ..Egress::default() };
        let clock = Arc::new(TokioClock::starting_at("2026-11-23T12:00:00Z".parse().unwrap()));
        let account = Account::open(&connection, settings, &reach, clock, None, 3).unwrap();
        let undone = pack.commands.iter().filter(|command| command.undo.is_some()).map(|command| command.id.clone());
        let undone = undone.collect();
        Self { clickup, tools: toolbox(load(Http::with(Arc::new(account)))), undone }
    }

    async fn call(&self, name: &str, args: &Value) -> Value {
        let tool = self.tools.get(name).unwrap();
        let checked =
            tool.check_arguments(args.clone()).unwrap_or_else(|problems| panic!("{name} {args}: {problems:#?}"));
        let result = tool.execute(&context(), checked.args, RunMode::Execute).await;
        assert_eq!(result.class, ResultClass::Success, "{name} {args}: {result:?}");
        result.value
    }
}

/// A command with its arguments.
type Call = (&'static str, Value);

/// What must be there before, if anything, and the call that is undone. `@task`, `@other` and `@checklist` are made first.
fn pairs() -> Vec<(Option<Call>, &'static str, Value)> {
    let day = 1_795_269_600_000_u64;
    let task = |more: Value| {
        let mut args = json!({"task_id": "@task"});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        args
    };
    let made = [
        ("create_folder", json!({"space_id": SPACE, "name": "Nova"})),
        ("create_list", json!({"folder_id": FOLDER, "name": "Nova"})),
        ("create_folderless_list", json!({"space_id": SPACE, "name": "Nova"})),
        ("create_task", json!({"list_id": LIST, "name": "Nova"})),
        ("create_task_by_list_name", json!({"folder_id": FOLDER, "list_name": "agendamentos", "name": "Nova"})),
        ("duplicate_task", task(json!({"name": "Outra"}))),
        ("create_subtask", json!({"list_id": LIST, "parent": "@task", "name": "Nova"})),
        ("create_tag", json!({"space_id": SPACE, "name": "vip", "tag_fg": "#fff", "tag_bg": "#000"})),
        ("create_comment", task(json!({"comment_text": "oi", "notify_all": false}))),
        ("create_checklist", task(json!({"name": "Depois"}))),
        ("create_checklist_item", json!({"checklist_id": "@checklist", "name": "Toalha"})),
        ("start_timer", json!({"team_id": TEAM, "tid": "@task"})),
        ("add_time_entry", json!({"team_id": TEAM, "start": day, "duration": 1_800_000, "tid": "@task"})),
        ("create_webhook", json!({"team_id": TEAM, "endpoint": "https://example.test/h", "events": ["taskCreated"]})),
    ];
    let linked = task(json!({"links_to": "@other"}));
    let tagged = task(json!({"tag_name": "whatsapp"}));
    let placed = task(json!({"list_id": "@list"}));
    let waits = task(json!({"depends_on": "@other"}));
    let both =
        |depends_on: &str, dependency_of: &str| task(json!({"depends_on": depends_on, "dependency_of": dependency_of}));
    let mut pairs: Vec<_> = made.into_iter().map(|(command, args)| (None, command, args)).collect();
    pairs.extend([
        (None, "link_tasks", linked.clone()),
        (Some(("link_tasks", linked.clone())), "unlink_tasks", linked),
        (None, "add_tag", tagged.clone()),
        (Some(("add_tag", tagged.clone())), "remove_tag", tagged),
        (None, "add_task_to_list", placed.clone()),
        (Some(("add_task_to_list", placed.clone())), "remove_task_from_list", placed),
        (None, "add_dependency", task(json!({"dependency_of": "@other"}))),
        (None, "add_dependency", waits.clone()),
        (Some(("add_dependency", waits)), "remove_dependency", both("@other", "")),
    ]);
    pairs
}

/// Arguments with the ids of what was made.
fn filled(args: &Value, made: &Map<String, Value>) -> Value {
    let fields = args.as_object().unwrap().iter().map(|(name, value)| {
        let id = value.as_str().and_then(|text| text.strip_prefix('@')).map(|name| made[name].clone());
        (name.clone(), id.unwrap_or_else(|| value.clone()))
    });
    Value::Object(fields.collect())
}

#[tokio::test]
async fn whatever_of_clickup_says_what_undoes_it_is_undone_by_that_and_nothing_stays() {
    let world = World::new();
    let nickname = world.clickup.field("short_text").unwrap();
    let fields = json!([{"id": nickname, "type": "short_text", "value": "Nando"}]);
    let mut made = Map::new();
    for (name, command, args, from) in [
        ("task", "create_task", json!({"list_id": LIST, "name": "Corte", "custom_fields": fields}), "/id"),
        ("other", "create_task", json!({"list_id": LIST, "name": "Barba"}), "/id"),
        ("list", "create_folderless_list", json!({"space_id": SPACE, "name": "Solta"}), "/id"),
        ("checklist", "create_checklist", json!({"task_id": "@task", "name": "Antes"}), "/checklist/id"),
    ] {
        let result = world.call(command, &filled(&args, &made)).await;
        made.insert(name.to_owned(), result.pointer(from).unwrap().clone());
    }
    let mut tried = Vec::new();
    for (before, command, args) in pairs() {
        if let Some((prepare, args)) = before {
            world.call(prepare, &filled(&args, &made)).await;
        }
        let stored = world.clickup.stored();
        let done = world.call(command, &filled(&args, &made)).await;
        assert!(world.clickup.stored() != stored, "{command} changed nothing");
        let undo = &done["_undo"];
        assert!(undo.is_object(), "nothing is said of how {command} is undone: {done}");
        world.call(undo["tool"].as_str().unwrap(), &undo["arguments"]).await;
        assert!(world.clickup.stored() == stored, "{command} by {undo} left something: {}", world.clickup.stored());
        tried.push(command);
    }
    let missing: Vec<&String> = world.undone.iter().filter(|id| !tried.contains(&id.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?} were not tried");
}

#[tokio::test]
async fn what_made_nothing_is_not_told_as_undone() {
    let world = World::new();
    let args = json!({"folder_id": FOLDER, "list_name": "nenhuma", "name": "Nova"});
    let told = world.call("create_task_by_list_name", &args).await;
    assert_eq!((&told["made"], told.get("_undo")), (&json!(false), None), "{told}");
}

#[test]
fn an_undo_that_cannot_be_called_does_not_load() {
    let with = |undo: &str| {
        let text =
            pack("").replacen("    - id: create_task\n", &format!("    - id: create_task\n      undo: {undo}\n"), 1);
        problems(Canned::default().loader().load("tool.yaml", &text)).join("\n")
    };
    for (undo, told) in [
        ("update_task", "its argument `task_id` can come from nowhere"),
        ("updat_task", "unknown command `updat_task`; did you mean `update_task`?"),
        (
            "{command: update_task, arguments: {task_id: result.id, nam: input.name}}",
            "has no argument `nam`; did you mean `name`?",
        ),
        ("{command: update_task, arguments: {task_id: id}}", "`id` is neither `input` nor `result`"),
        ("{command: update_task, arguments: {task_id: input.task}}", "`create_task` has no argument `task`"),
        ("{command: update_task, arguments: {task_id: result.}}", "cannot be read"),
        ("{comand: update_task}", "did you mean `command`?"),
        ("{command: update_task, arguments: {task_id: result.task.id}}", ""),
    ] {
        let found = with(undo);
        assert!(found.contains(told) && found.is_empty() == told.is_empty(), "{undo}: {found}");
    }
}

#[tokio::test]
async fn every_write_of_clickup_has_a_dry_run_that_tells_what_would_be_sent_and_sends_nothing() {
    let world = World::new();
    let nickname = world.clickup.field("short_text").unwrap();
    let task = world.call("create_task", &json!({"list_id": LIST, "name": "Corte"})).await["id"].clone();
    // What looks things up first needs something that is there; for the others any example will do.
    let mut calls = vec![
        ("set_custom_field".to_owned(), json!({"task_id": task, "field_id": nickname, "value": "Nando"})),
        (
            "set_custom_fields".to_owned(),
            json!({"task_id": task, "fields": [{"id": nickname, "type": "short_text", "value": "Nando"}]}),
        ),
        ("duplicate_task".to_owned(), json!({"task_id": task, "name": "Outra"})),
        (
            "create_task_by_list_name".to_owned(),
            json!({"folder_id": FOLDER, "list_name": "agendamentos", "name": "Nova"}),
        ),
    ];
    let pack = load(Http::offline()).pack;
    for case in &pack.examples.success_cases {
        if !calls.iter().any(|(command, _)| *command == case.operation) {
            calls.push((case.operation.clone(), case.input.clone()));
        }
    }
    let stored = world.clickup.stored();
    for (command, input) in &calls {
        let tool = world.tools.get(command).unwrap();
        if tool.spec.behaviour.effect == Effect::Read {
            continue;
        }
        let checked = tool.check_arguments(input.clone()).unwrap_or_else(|problems| panic!("{command}: {problems:#?}"));
        let result = tool.execute(&context(), checked.args, RunMode::Ask).await;
        assert!(result.confirm.is_some_and(|told| !told.is_empty()), "{command}: {:?}", result.internal);
    }
    assert!(world.clickup.stored() == stored);
    let writes = pack.commands.iter().filter(|command| command.effect != Effect::Read);
    let missing: Vec<&String> =
        writes.map(|command| &command.id).filter(|id| !calls.iter().any(|(command, _)| command == *id)).collect();
    assert!(missing.is_empty(), "{missing:?} have no example");
}

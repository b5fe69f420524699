//! The pack `clickup` over a server of the protocol: the same definition file, with a connection beside it. The server is our own, before
//! our own strict ClickUp; it answers in texts, as such servers do, and names its arguments otherwise than the pack.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    sync::Arc,
};

use balcao_connector::Settings;
use balcao_mcp::{MemoryPins, Overlay, Server};
use balcao_pack::{Handlers, LoadedPack, Loader};
use balcao_testkit::fakes::clickup::{FakeClickUp, LIST, TOKEN};
use balcao_tool::{CallResult, ErrorCode, Registry, ResultClass, RunMode, Toolbox};
use balcao_yaml::Document;
use serde_json::{Map, Value, json};

use crate::{
    http::HttpServer,
    protocol::{About, Say},
    world::{TestClock, context, reach, tool},
};

/// A server that calls ClickUp.
struct Bridge {
    /// `127.0.0.1:…`
    clickup: String,
}

impl Bridge {
    fn ask(&self, method: &str, path: &str, body: &Value) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(&self.clickup).ok()?;
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let head = format!(
            "{method} /api/v2/{path} HTTP/1.1\r\nhost: x\r\nauthorization: {TOKEN}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).ok()?;
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).ok()? == 0 {
                return None;
            }
        }
        let length = |line: &str| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok();
        let mut body = vec![0; head.lines().find_map(length).unwrap_or(0)];
        reader.read_exact(&mut body).ok()?;
        Some((head.split(' ').nth(1)?.parse().ok()?, String::from_utf8(body).ok()?))
    }
}

/// What the server calls on ClickUp: the tool, method, path, what else it takes (under ClickUp's name behind `=`), and the field of the
/// answer that it gives. Of two rows of one tool the first whose path can be filled counts.
const TOOLS: &[(&str, &str, &str, &str, &str)] = &[
    ("list_workspaces", "GET", "team", "", "teams"),
    ("get_authorized_user", "GET", "user", "", ""),
    ("list_spaces", "GET", "team/{workspace_id}/space", "", "spaces"),
    ("get_space", "GET", "space/{space_id}", "", ""),
    ("list_folders", "GET", "space/{space_id}/folder", "", "folders"),
    ("get_folder", "GET", "folder/{folder_id}", "", ""),
    ("create_folder", "POST", "space/{space_id}/folder", "name", ""),
    ("update_folder", "PUT", "folder/{folder_id}", "name", ""),
    ("delete_folder", "DELETE", "folder/{folder_id}", "", ""),
    ("list_lists", "GET", "folder/{folder_id}/list", "", "lists"),
    ("list_lists", "GET", "space/{space_id}/list", "", "lists"),
    ("get_list", "GET", "list/{list_id}", "", ""),
    ("create_list", "POST", "folder/{folder_id}/list", "name status due_date priority assignee", ""),
    ("create_folderless_list", "POST", "space/{space_id}/list", "name status due_date priority assignee", ""),
    ("update_list", "PUT", "list/{list_id}", "name status due_date priority", ""),
    ("delete_list", "DELETE", "list/{list_id}", "", ""),
    ("get_list_members", "GET", "list/{list_id}/member", "", "members"),
    ("list_custom_fields", "GET", "list/{list_id}/field", "", "fields"),
    ("set_custom_field_value", "POST", "task/{task_id}/field/{field_id}", "value", ""),
    ("remove_custom_field_value", "DELETE", "task/{task_id}/field/{field_id}", "", ""),
    ("create_task", "POST", "list/{list_id}/task", "name description status priority assignees due_date parent", ""),
    ("get_task", "GET", "task/{task_id}", "include_subtasks", ""),
    (
        "update_task",
        "PUT",
        "task/{task_id}",
        "name description status priority due_date add_assignees remove_assignees",
        "",
    ),
    ("delete_task", "DELETE", "task/{task_id}", "", ""),
    (
        "search_tasks",
        "GET",
        "list/{list_id}/task",
        "page include_subtasks=subtasks include_closed due_before due_after",
        "",
    ),
    (
        "search_tasks",
        "GET",
        "team/{workspace_id}/task",
        "page include_subtasks=subtasks include_closed due_before due_after",
        "",
    ),
    ("add_task_to_list", "POST", "list/{list_id}/task/{task_id}", "", ""),
    ("remove_task_from_list", "DELETE", "list/{list_id}/task/{task_id}", "", ""),
    ("merge_tasks", "POST", "task/{target_task_id}/merge", "source_task_ids", ""),
    ("get_task_time_in_status", "GET", "task/{task_id}/time_in_status", "", ""),
    ("get_task_members", "GET", "task/{task_id}/member", "", "members"),
    ("add_dependency", "POST", "task/{task_id}/dependency", "depends_on dependency_of", ""),
    ("remove_dependency", "DELETE", "task/{task_id}/dependency", "depends_on dependency_of", ""),
    ("add_task_link", "POST", "task/{task_id}/link/{links_to}", "", ""),
    ("remove_task_link", "DELETE", "task/{task_id}/link/{links_to}", "", ""),
    ("get_space_tags", "GET", "space/{space_id}/tag", "", "tags"),
    ("create_space_tag", "POST", "space/{space_id}/tag", "name bg_color fg_color", ""),
    ("delete_space_tag", "DELETE", "space/{space_id}/tag/{tag_name}", "", ""),
    ("add_task_tag", "POST", "task/{task_id}/tag/{tag_name}", "", ""),
    ("remove_task_tag", "DELETE", "task/{task_id}/tag/{tag_name}", "", ""),
    ("list_comments", "GET", "task/{task_id}/comment", "", "comments"),
    ("add_comment", "POST", "task/{task_id}/comment", "text=comment_text notify_all", ""),
    ("delete_comment", "DELETE", "comment/{comment_id}", "", ""),
    ("create_checklist", "POST", "task/{task_id}/checklist", "name", ""),
    ("update_checklist", "PUT", "checklist/{checklist_id}", "name position", ""),
    ("delete_checklist", "DELETE", "checklist/{checklist_id}", "", ""),
    ("create_checklist_item", "POST", "checklist/{checklist_id}/checklist_item", "name assignee", ""),
    (
        "update_checklist_item",
        "PUT",
        "checklist/{checklist_id}/checklist_item/{checklist_item_id}",
        "name resolved assignee",
        "",
    ),
    ("delete_checklist_item", "DELETE", "checklist/{checklist_id}/checklist_item/{checklist_item_id}", "", ""),
    ("start_timer", "POST", "team/{workspace_id}/time_entries/start", "task_id=tid description billable", ""),
    ("stop_timer", "POST", "team/{workspace_id}/time_entries/stop", "", ""),
    (
        "create_time_entry",
        "POST",
        "team/{workspace_id}/time_entries",
        "start duration task_id=tid description billable",
        "",
    ),
    ("get_time_entries", "GET", "team/{workspace_id}/time_entries", "start_date end_date assignee task_id", "data"),
    ("get_running_time_entry", "GET", "team/{workspace_id}/time_entries/current", "", ""),
    ("delete_time_entry", "DELETE", "team/{workspace_id}/time_entries/{time_entry_id}", "", ""),
    ("delete_webhook", "DELETE", "webhook/{webhook_id}", "", ""),
    ("delete_everything", "DELETE", "team", "", ""),
];

type Row = (&'static str, &'static str, &'static str, &'static str, &'static str);

/// The arguments in a row's path.
fn in_path(row: &Row) -> Vec<&'static str> {
    row.2.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|(name, _)| name).collect()
}

/// The other arguments, with ClickUp's names for them.
fn beside_path(row: &Row) -> Vec<(&'static str, &'static str)> {
    row.3.split_whitespace().map(|part| part.split_once('=').unwrap_or((part, part))).collect()
}

/// The row that a call means, or what the server finds wrong with its arguments: unknown ones, and ids that are no texts.
fn row(tool: &str, arguments: &Value) -> Result<&'static Row, String> {
    let rows: Vec<&Row> = TOOLS.iter().filter(|row| row.0 == tool).collect();
    let known = |name: &str| {
        rows.iter()
            .any(|row| in_path(row).contains(&name) || beside_path(row).iter().any(|(theirs, _)| *theirs == name))
    };
    if let Some(unknown) = arguments.as_object().into_iter().flat_map(Map::keys).find(|name| !known(name)) {
        return Err(format!("1 validation error for {tool}Arguments: {unknown}: unexpected"));
    }
    let filled = rows.iter().find(|row| in_path(row).iter().all(|name| arguments[*name].is_string()));
    filled.copied().ok_or_else(|| format!("1 validation error for {tool}Arguments: Input should be a valid string"))
}

/// What ClickUp is sent besides the path.
fn body(row: &Row, arguments: &Value) -> Value {
    let mut body = Map::new();
    for (theirs, clickups) in beside_path(row) {
        if let Some(value) = arguments.get(theirs) {
            body.insert(clickups.to_owned(), value.clone());
        }
    }
    match row.0 {
        "update_task" => {
            let (add, rem) = (body.remove("add_assignees"), body.remove("remove_assignees"));
            if add.is_some() || rem.is_some() {
                let list = |ids: Option<Value>| ids.unwrap_or_else(|| json!([]));
                body.insert("assignees".to_owned(), json!({"add": list(add), "rem": list(rem)}));
            }
            Value::Object(body)
        }
        "create_space_tag" => {
            json!({"tag": {"name": body["name"], "tag_bg": body["bg_color"], "tag_fg": body["fg_color"]}})
        }
        _ => Value::Object(body),
    }
}

impl About for Bridge {
    fn tools(&mut self) -> Vec<Value> {
        let mut names: Vec<&str> = TOOLS.iter().map(|row| row.0).collect();
        names.dedup();
        names.into_iter().map(tool).collect()
    }

    fn page(&self) -> usize {
        20
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, Vec<Say>> {
        let told = |text: String| json!([{"type": "text", "text": text}]);
        let failed =
            |why: String| Ok(json!({"content": told(format!("Error executing tool {tool}: {why}")), "isError": true}));
        let row = match row(tool, arguments) {
            Ok(row) => row,
            Err(why) => return failed(why),
        };
        let mut path = row.2.to_owned();
        for name in in_path(row) {
            path = path.replace(&format!("{{{name}}}"), arguments[name].as_str().unwrap_or_default());
        }
        let mut body = body(row, arguments);
        if matches!(row.1, "GET" | "DELETE") {
            let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let query: Vec<String> =
                body.as_object().into_iter().flatten().map(|(name, value)| format!("{name}={}", text(value))).collect();
            path = if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) };
            body = Value::Null;
        }
        // ClickUp's answer was lost, so there is none of this server's either.
        let Some((status, said)) = self.ask(row.1, &path, &body) else { return Err(vec![Say::Die]) };
        if status >= 300 {
            return failed(format!("ClickUp API {status}: {said}"));
        }
        let said: Value = serde_json::from_str(&said).unwrap_or_else(|_| json!({}));
        let given = match (row.1, row.4) {
            ("DELETE", _) => json!({"deleted": path}),
            (_, "") => said,
            (_, field) => said[field].clone(),
        };
        // As the protocol's Python SDK wraps a text.
        let text = format!("{given:#}");
        Ok(json!({"content": told(text.clone()), "structuredContent": {"result": text}}))
    }
}

fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The file that is shipped, with the server of this test.
fn overlay() -> Arc<Overlay> {
    let text = fs::read_to_string(file("../../packs/clickup/mcp.yaml")).unwrap();
    let mut value = Document::read("mcp.yaml", &text).unwrap().value;
    assert!(value["connection"]["command"].is_string(), "{value}");
    value["connection"] =
        json!({"url": "{settings.url}", "auth": {"bearer": "{settings.token}"}, "start_timeout_ms": 100_000});
    value["settings"]["properties"]["url"] = json!({"type": "string"});
    Arc::new(Overlay::read(&value).unwrap_or_else(|problems| panic!("{problems:#?}")))
}

fn load(overlay: &Arc<Overlay>, server: Option<Arc<Server>>) -> Result<LoadedPack, Vec<String>> {
    overlay.load(Loader::new(Handlers::new()), server, |loader| {
        let loaded = loader.load_folder(&file("../../packs/clickup"));
        loaded.map_err(|problems| problems.iter().map(ToString::to_string).collect())
    })
}

struct World {
    clickup: FakeClickUp,
    http: HttpServer,
    tools: Toolbox,
}

impl World {
    async fn new() -> Self {
        let clickup = FakeClickUp::start().unwrap();
        let address = clickup.base_url().trim_start_matches("http://").trim_end_matches("/api").to_owned();
        let http = HttpServer::start(Bridge { clickup: address });
        let overlay = overlay();
        let settings = Settings::new().value("url", http.url()).secret("token", "sk-secret-1234567890");
        let (clock, pins) = (Arc::<TestClock>::default(), Arc::<MemoryPins>::default());
        let server = Arc::new(Server::open(&overlay.connection, settings, &reach(), clock, pins).unwrap());
        server.accept(&server.review().await.unwrap()).await.unwrap();
        let pack = load(&overlay, Some(server)).unwrap_or_else(|problems| panic!("{problems:#?}"));
        let mut registry = Registry::default();
        for tool in pack.tools {
            registry.add(tool).unwrap();
        }
        Self { clickup, http, tools: registry.toolbox(|_| true) }
    }

    async fn call(&self, name: &str, args: Value) -> CallResult {
        let tool = self.tools.get(name).unwrap();
        match tool.check_arguments(args) {
            Ok(checked) => tool.execute(&context(), checked.args, RunMode::Execute).await,
            Err(problems) => tool.fail(&balcao_tool::ToolError::invalid(problems), balcao_tool::Locale::En),
        }
    }
}

/// Calls a command that works.
async fn done(world: &World, name: &str, args: Value) -> Value {
    let result = world.call(name, args.clone()).await;
    assert_eq!(result.class, ResultClass::Success, "{name} {args}: {result:?}");
    result.value
}

#[tokio::test]
async fn the_clickup_pack_makes_changes_and_reads_a_task_over_a_server_of_the_protocol() {
    let world = World::new().await;
    let made = done(&world, "create_task", json!({"list_id": LIST, "name": "Ligar para a Ana", "priority": 2})).await;
    let id = made["id"].as_str().unwrap().to_owned();
    assert_eq!(world.clickup.task(&id).unwrap()["name"], json!("Ligar para a Ana"));
    let change = json!({"task_id": id, "name": "Ligar para a Ana hoje", "assignees": {"add": [4_410_021], "rem": []}});
    done(&world, "update_task", change).await;
    done(&world, "create_comment", json!({"task_id": id, "comment_text": "Liguei.", "notify_all": false})).await;
    let comments = done(&world, "list_comments", json!({"task_id": id})).await;
    assert_eq!(comments["comments"][0]["comment_text"], json!("Liguei."), "{comments}");
    let read = done(&world, "get_task", json!({"task_id": id})).await;
    assert_eq!((&read["name"], &read["assignees"][0]["id"]), (&json!("Ligar para a Ana hoje"), &json!(4_410_021)));
    let checklist = done(&world, "create_checklist", json!({"task_id": id, "name": "Antes"})).await;
    let checklist = checklist["checklist"]["id"].clone();
    done(&world, "create_checklist_item", json!({"checklist_id": checklist, "name": "Confirmar"})).await;
    done(&world, "add_tag", json!({"task_id": id, "tag_name": "whatsapp"})).await;
    done(&world, "delete_task", json!({"task_id": id})).await;
    assert!(world.clickup.task(&id).is_none());
}

#[tokio::test]
async fn the_places_of_a_workspace_are_walked_over_the_server() {
    let world = World::new().await;
    let teams = done(&world, "get_workspaces", json!({})).await;
    let team = teams["teams"][0]["id"].clone();
    assert!(done(&world, "get_user", json!({})).await["id"].is_number());
    let spaces = done(&world, "list_spaces", json!({"team_id": team})).await;
    let space = spaces["spaces"][0]["id"].clone();
    let folder = done(&world, "create_folder", json!({"space_id": space, "name": "Nova"})).await["id"].clone();
    done(&world, "create_list", json!({"folder_id": folder, "name": "A"})).await;
    let lists = done(&world, "list_lists", json!({"folder_id": folder})).await;
    assert_eq!(lists["lists"][0]["name"], json!("A"), "{lists}");
    let fields = done(&world, "list_custom_fields", json!({"list_id": LIST})).await;
    assert!(fields["fields"].as_array().unwrap().len() > 20, "{fields}");
    let tasks = done(&world, "list_tasks", json!({"list_id": LIST})).await;
    assert_eq!(tasks["tasks"], json!([]));
    done(&world, "delete_folder", json!({"folder_id": folder})).await;
}

#[test]
fn whatever_the_shipped_file_sends_the_server_takes_and_what_is_not_listed_is_not_there() {
    let overlay = overlay();
    for (command, mapping) in &overlay.commands {
        let rows: Vec<&Row> = TOOLS.iter().filter(|row| row.0 == mapping.tool).collect();
        assert!(!rows.is_empty(), "{command}: the server has no {}", mapping.tool);
        for name in mapping.arguments.iter().flat_map(|arguments| arguments.keys()) {
            let known = rows.iter().any(|row| {
                in_path(row).contains(&name.as_str()) || beside_path(row).iter().any(|(theirs, _)| theirs == name)
            });
            assert!(known, "{command}: {} takes no {name}", mapping.tool);
        }
    }
    let pack = load(&overlay, None).unwrap();
    let listed: Vec<&str> = pack.tools.iter().map(|tool| tool.spec.name.as_str()).collect();
    assert_eq!(listed.len(), overlay.commands.len());
    let missing: Vec<&str> =
        pack.pack.commands.iter().map(|command| command.id.as_str()).filter(|id| !listed.contains(id)).collect();
    let told = fs::read_to_string(file("../../packs/clickup/mcp.yaml")).unwrap();
    let told = told.split("pack: clickup").next().unwrap_or_default();
    for command in missing {
        assert!(
            command.starts_with("find_") || told.contains(command),
            "the file does not say that {command} is not there"
        );
    }
}

#[tokio::test]
async fn the_packs_checks_stop_what_is_wrong_before_the_server_is_asked() {
    let world = World::new().await;
    let before = world.http.calls();
    let form = world.call("update_task", json!({"task_id": "86b4bnnny", "assignees": [4410021]})).await;
    assert_eq!(form.code, Some(ErrorCode::InvalidArguments));
    assert!(form.value.to_string().contains("anti_pattern"), "{}", form.value);
    let seconds = world.call("create_task", json!({"list_id": LIST, "name": "x", "due_date": 1_764_000_000})).await;
    assert_eq!(seconds.code, Some(ErrorCode::InvalidArguments));
    let lost = world.call("create_task", json!({"list_id": LIST, "name": "x", "points": 3})).await;
    assert_eq!(lost.value["details"]["fields"][0]["pointer"], json!("/points"), "{}", lost.value);
    assert_eq!(world.http.calls(), before);
}

#[tokio::test]
async fn what_clickup_refuses_is_told_as_over_its_own_api_and_a_lost_answer_is_not_asked_for_again() {
    let world = World::new().await;
    let missing = world.call("get_task", json!({"task_id": "86b4bnnny"})).await;
    assert_eq!((missing.code, missing.uncertain), (Some(ErrorCode::NotFound), false), "{missing:?}");
    world.clickup.lose_answers(1);
    let before = world.clickup.count();
    let lost = world.call("create_task", json!({"list_id": LIST, "name": "Uma vez"})).await;
    assert!(lost.uncertain, "{lost:?}");
    assert_eq!(world.clickup.count(), before + 1);
}

#[test]
fn a_connection_that_does_not_fit_its_pack_says_where() {
    let mut value = serde_json::to_value(&*overlay()).unwrap();
    value["commands"]["creat_task"] = json!({"tool": "x"});
    value["commands"]["get_task"]["without"] = json!([]);
    let overlay = Arc::new(Overlay::read(&value).unwrap());
    let told = load(&overlay, None).unwrap_err();
    let has = |part: &str| told.iter().any(|told| told.contains(part));
    assert!(has("did you mean `create_task`?"), "{told:#?}");
    assert!(has("`custom_task_ids` goes nowhere"), "{told:#?}");
    value["connection"]["url"] = json!("{settings.uri}");
    let told = Overlay::read(&value).unwrap_err();
    assert!(told.iter().any(|problem| problem.to_string().contains("did you mean `url`?")), "{told:#?}");
}

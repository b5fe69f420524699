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

impl About for Bridge {
    fn tools(&mut self) -> Vec<Value> {
        let names = ["get_lists", "get_task", "create_task", "update_task", "comment", "delete_everything"];
        names.iter().map(|name| tool(&format!("clickup_{name}"))).collect()
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, Vec<Say>> {
        let given = |name: &str| arguments[name].as_str().unwrap_or_default();
        let mut body = Map::new();
        for (theirs, clickups) in [
            ("name", "name"),
            ("description", "description"),
            ("priority", "priority"),
            ("dueDate", "due_date"),
            ("assignees", "assignees"),
            ("status", "status"),
            ("tags", "tags"),
        ] {
            if let Some(value) = arguments.get(theirs) {
                body.insert(clickups.to_owned(), value.clone());
            }
        }
        let body = Value::Object(body);
        let asked = match tool {
            "clickup_get_lists" => self.ask("GET", &format!("folder/{}/list", given("folderId")), &Value::Null),
            "clickup_get_task" => self.ask("GET", &format!("task/{}", given("taskId")), &Value::Null),
            "clickup_create_task" => self.ask("POST", &format!("list/{}/task", given("listId")), &body),
            "clickup_update_task" => self.ask("PUT", &format!("task/{}", given("taskId")), &body),
            "clickup_comment" => {
                let body = json!({"comment_text": given("text"), "notify_all": arguments["notifyAll"]});
                self.ask("POST", &format!("task/{}/comment", given("taskId")), &body)
            }
            _ => None,
        };
        // ClickUp's answer was lost, so there is none of this server's either.
        let Some((status, body)) = asked else { return Err(vec![Say::Die]) };
        let told = |text: String| json!([{"type": "text", "text": text}]);
        if status < 300 {
            Ok(json!({"content": told(body)}))
        } else {
            Ok(json!({"content": told(format!("ClickUp said no ({status}): {body}")), "isError": true}))
        }
    }
}

fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn overlay() -> Arc<Overlay> {
    let document =
        Document::read("mcp.yaml", &fs::read_to_string(file("tests/clickup-over-mcp.yaml")).unwrap()).unwrap();
    Arc::new(Overlay::read(&document.value).unwrap_or_else(|problems| panic!("{problems:#?}")))
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
        match tool.judge(args) {
            Ok(checked) => tool.execute(&context(), checked.args, RunMode::Execute).await,
            Err(problems) => tool.fail(&balcao_tool::ToolError::invalid(problems), balcao_tool::Locale::En),
        }
    }
}

#[tokio::test]
async fn the_clickup_pack_makes_changes_and_reads_a_task_over_a_server_of_the_protocol() {
    let world = World::new().await;
    let names: Vec<&str> = world.tools.iter().map(|tool| tool.spec.name.as_str()).collect();
    assert_eq!(names, ["list_lists", "create_task", "get_task", "update_task", "create_comment"]);
    let made = world.call("create_task", json!({"list_id": LIST, "name": "Ligar para a Ana", "priority": 2})).await;
    assert_eq!(made.class, ResultClass::Success, "{made:?}");
    let id = made.value["id"].as_str().unwrap().to_owned();
    assert_eq!(world.clickup.task(&id).unwrap()["name"], json!("Ligar para a Ana"));
    let renamed = world.call("update_task", json!({"task_id": id, "name": "Ligar para a Ana hoje"})).await;
    assert_eq!(renamed.class, ResultClass::Success, "{renamed:?}");
    let commented =
        world.call("create_comment", json!({"task_id": id, "comment_text": "Liguei.", "notify_all": false})).await;
    assert_eq!(commented.class, ResultClass::Success, "{commented:?}");
    let read = world.call("get_task", json!({"task_id": id})).await;
    assert_eq!(read.value["name"], json!("Ligar para a Ana hoje"));
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

//! A server that others wrote, alive: `server-everything` of the protocol's authors, over both transports. `.ci/mcp` installs it
//! and says where it is (`BALCAO_MCP_NODE`, `BALCAO_MCP_EVERYTHING`).

use std::{
    io::{BufRead, BufReader},
    net::TcpListener,
    process::{Child, Command, Stdio},
    sync::Arc,
};

use balcao_connector::Settings;
use balcao_mcp::{Connection, Health, MemoryPins, Permitted, Reach, Server};
use serde_json::{Value, json};

use crate::world::{LONG, TestClock, reach};

/// The program that runs it, and its script.
fn everything() -> Option<(String, String)> {
    let variable = |name: &str| std::env::var_os(name)?.into_string().ok();
    variable("BALCAO_MCP_NODE").zip(variable("BALCAO_MCP_EVERYTHING"))
}

const MISSING: &str = "BALCAO_MCP_NODE and BALCAO_MCP_EVERYTHING do not say where a foreign server is (see .ci/mcp)";

async fn is_understood(connection: Value, reach: Reach) {
    let connection = Connection::read(&connection).unwrap();
    let (clock, pins) = (Arc::<TestClock>::default(), Arc::<MemoryPins>::default());
    let server = Server::open(&connection, Settings::new(), &reach, clock, pins).unwrap();
    let tools = server.review().await.unwrap_or_else(|error| panic!("{}", error.for_staff()));
    server.accept(&tools).await.unwrap();
    assert!(tools.len() >= 10, "{tools:?}");
    let arguments = |value: Value| value.as_object().unwrap().clone();

    let said = server.call("echo", arguments(json!({"message": "olá, você 👋"})), LONG).await.unwrap();
    assert_eq!(said["content"][0]["text"], "Echo: olá, você 👋");
    let sum = server.call("get-sum", arguments(json!({"a": 2, "b": 40})), LONG).await.unwrap();
    assert!(sum["content"][0]["text"].as_str().unwrap().contains("42"), "{sum}");
    let place = arguments(json!({"location": "Chicago"}));
    let structured = server.call("get-structured-content", place, LONG).await.unwrap();
    assert!(structured["structuredContent"].is_object(), "{structured}");
    // It tells of its progress before it answers.
    let long = arguments(json!({"duration": 1, "steps": 4}));
    let long = server.call("trigger-long-running-operation", long, LONG).await.unwrap();
    assert!(long["content"][0]["text"].as_str().unwrap().contains("completed"), "{long}");
    let wrong = server.call("get-sum", arguments(json!({"a": "two"})), LONG).await;
    assert!(wrong.is_err() || wrong.is_ok_and(|answer| answer["isError"] == json!(true)));
    assert_eq!(server.health().await, Health::Up(Vec::new()));
}

#[tokio::test]
async fn a_foreign_server_is_understood_over_standard_input_and_output() {
    let Some((node, script)) = everything() else {
        balcao_testkit::skip(MISSING);
        return;
    };
    let connection = json!({"command": node.clone(), "args": [script.clone(), "stdio"], "start_timeout_ms": 100_000});
    let args = vec![script, "stdio".to_owned()];
    is_understood(connection, Reach { programs: vec![Permitted { command: node, args }], ..reach() }).await;
}

/// Ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[tokio::test]
async fn a_foreign_server_is_understood_over_http() {
    let Some((node, script)) = everything() else {
        balcao_testkit::skip(MISSING);
        return;
    };
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut started = Command::new(node);
    started.args([script.as_str(), "streamableHttp"]).env("PORT", port.to_string());
    let mut server = Running(started.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap());
    let mut lines = BufReader::new(server.0.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("listening")), "it says when it listens");
    let url = format!("http://127.0.0.1:{port}/mcp");
    is_understood(json!({"url": url, "start_timeout_ms": 100_000}), reach()).await;
}

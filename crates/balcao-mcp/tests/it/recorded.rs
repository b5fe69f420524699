//! What an official server really said: a recorded session with `server-everything`, played back to our client.

use std::{collections::BTreeMap, fs, path::PathBuf};

use balcao_mcp::{FailureKind, Standing};
use serde_json::{Value, json};

use crate::{
    http::{HttpServer, accepted},
    protocol::{About, Say},
    world::call,
};

/// The recorded tools, and the first answer of each that was called.
struct Recorded {
    tools: Vec<Value>,
    answers: BTreeMap<String, Value>,
}

impl About for Recorded {
    fn tools(&mut self) -> Vec<Value> {
        self.tools.clone()
    }

    fn call(&mut self, tool: &str, _arguments: &Value) -> Result<Value, Vec<Say>> {
        self.answers.get(tool).cloned().ok_or_else(|| vec![Say::Die])
    }
}

fn material() -> Option<Vec<Value>> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/material");
    let folder = std::env::var_os("BALCAO_MATERIAL").map_or(beside, PathBuf::from);
    let file = fs::read_dir(folder.join("mcp")).ok()?.filter_map(Result::ok).map(|entry| entry.path());
    let file = file.into_iter().find(|path| path.extension().is_some_and(|kind| kind == "jsonl"))?;
    let text = fs::read_to_string(file).ok()?;
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

#[tokio::test]
async fn the_tools_and_answers_of_a_recorded_official_server_are_understood() {
    let Some(lines) = material() else {
        balcao_testkit::skip("no recorded sessions in shared/material/mcp; BALCAO_MATERIAL names another folder");
        return;
    };
    let (mut called, mut recorded) = (BTreeMap::new(), Recorded { tools: Vec::new(), answers: BTreeMap::new() });
    for line in &lines {
        let message = &line["msg"];
        let id = message["id"].to_string();
        if line["from"] == json!("client") {
            called.insert(id, message.clone());
        } else if let (Some(asked), Some(result)) = (called.get(&id), message.get("result")) {
            match asked["method"].as_str().unwrap_or_default() {
                "tools/list" => recorded.tools = result["tools"].as_array().unwrap().clone(),
                "tools/call" => {
                    let name = asked["params"]["name"].as_str().unwrap().to_owned();
                    recorded.answers.entry(name).or_insert_with(|| result.clone());
                }
                _ => {}
            }
        }
    }
    assert!(!recorded.tools.is_empty() && !recorded.answers.is_empty());
    let (count, answers) = (recorded.tools.len(), recorded.answers.clone());
    let http = HttpServer::start(recorded);
    let server = accepted(&http.url(), Value::Null).await.unwrap();
    let reviewed = server.review().await.unwrap();
    assert_eq!(reviewed.len(), count);
    assert!(reviewed.iter().all(|review| review.standing == Standing::Accepted), "{reviewed:#?}");
    for (tool, answer) in answers {
        // The recorded client also called one that there is not.
        if !reviewed.iter().any(|review| review.tool == tool) {
            assert_eq!(call(&server, &tool).await.unwrap_err().kind, FailureKind::NotAccepted);
            continue;
        }
        let said = call(&server, &tool).await.unwrap_or_else(|error| panic!("{tool}: {}", error.for_staff()));
        assert_eq!(
            (&said["content"], said.get("structuredContent")),
            (&answer["content"], answer.get("structuredContent")),
            "{tool}"
        );
    }
}

//! Our client as the protocol's own conformance suite runs it: goes to the address that it is given, accepts what is there, and calls
//! every tool once, or what the suite says in `MCP_CONFORMANCE_CONTEXT`. Ends with 1 if it cannot even list the tools.
#![expect(clippy::print_stderr, reason = "a program for people")]

use std::{process::ExitCode, sync::Arc, time::Duration};

use balcao_connector::{Egress, Settings, TokioClock};
use balcao_mcp::{Connection, MemoryPins, Reach, Review, Server, Standing};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// What one call may take: the suite lets some answers wait.
const WITHIN: Duration = Duration::from_secs(20);

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Some(url) = std::env::args().next_back() else { return ExitCode::FAILURE };
    match probe(&url).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

async fn probe(url: &str) -> Result<(), String> {
    let connection = Connection::read(&json!({ "url": url })).map_err(|problems| format!("{problems:?}"))?;
    let here = ["127.0.0.0/8", "::1/128"].iter().filter_map(|network| network.parse().ok()).collect();
    let egress = Egress { allow: here, plain_http: true, ..Egress::default() };
    let reach = Reach { egress, programs: Vec::new() };
    let (clock, pins) = (Arc::new(TokioClock::starting_at(Timestamp::UNIX_EPOCH)), Arc::<MemoryPins>::default());
    let server = Server::open(&connection, Settings::new(), &reach, clock, pins);
    let server = server.map_err(|problems| format!("{problems:?}"))?;
    let tools = server.review().await.map_err(|error| error.for_staff())?;
    server.accept(&tools).await.map_err(|error| error.for_staff())?;
    for (tool, arguments) in told().unwrap_or_else(|| made_up(&tools)) {
        match server.call(&tool, arguments, WITHIN).await {
            Ok(answer) => eprintln!("{tool}: {answer}"),
            Err(error) => eprintln!("{tool}: {}", error.for_staff()),
        }
    }
    Ok(())
}

/// The calls that the suite asks for.
fn told() -> Option<Vec<(String, Map<String, Value>)>> {
    let context: Value =
        serde_json::from_slice(std::env::var_os("MCP_CONFORMANCE_CONTEXT")?.as_encoded_bytes()).ok()?;
    let calls = context.get("toolCalls")?.as_array()?.iter();
    let call = |call: &Value| {
        let arguments = call.get("arguments").and_then(Value::as_object).cloned().unwrap_or_default();
        Some((call.get("name")?.as_str()?.to_owned(), arguments))
    };
    calls.map(call).collect()
}

/// One call of each tool, with arguments of the types that it takes.
fn made_up(tools: &[Review]) -> Vec<(String, Map<String, Value>)> {
    let schema = |review: &Review| match &review.standing {
        Standing::New(contract) => contract.whole.get("input_schema").cloned(),
        Standing::Accepted | Standing::Changed { .. } | Standing::Vanished | Standing::Refused(_) => None,
    };
    let schemas: Vec<(String, Value)> = tools.iter().filter_map(|one| Some((one.tool.clone(), schema(one)?))).collect();
    let call = |(tool, schema): &(String, Value)| {
        let other = schemas.iter().find(|(name, _)| name != tool).map_or(Value::Null, |(_, schema)| schema.clone());
        let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let value = |field: &Value| match field.get("type").and_then(Value::as_str) {
            Some("number" | "integer") => json!(5),
            Some("boolean") => json!(true),
            Some("string") => json!("olá"),
            // The suite's echo of a schema: it compares what comes back with what it sent.
            Some("object") => other.clone(),
            _ => Value::Null,
        };
        (tool.clone(), fields.map(|(name, field)| (name.clone(), value(field))).collect())
    };
    schemas.iter().map(call).collect()
}

//! The structured protocol as a transcript shows it: one JSON object a step, results as `{"tool_result": …}` lines, and the
//! tools listed in the system prompt.

use balcao_llm::{ModelRequest, ResponseFormat, ToolDefinition};
use serde_json::Value;

use crate::results::Outcome;

/// The tools on offer: those of the request, else those that the prompt of a structured turn lists one a line.
pub(crate) fn tools(request: &ModelRequest) -> Vec<ToolDefinition> {
    if !request.tools.is_empty() || request.format == ResponseFormat::Text {
        return request.tools.clone();
    }
    let read = |line: &str| {
        let object: Value = line.starts_with('{').then(|| serde_json::from_str(line).ok()).flatten()?;
        let text = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(ToolDefinition {
            name: text("name")?,
            description: text("description")?,
            input_schema: object.get("params")?.clone().into(),
        })
    };
    request.system.lines().map(str::trim).filter_map(read).collect()
}

/// The text and the requests of a reply; a plain reply is its own text.
pub(crate) fn reply(text: &str) -> (String, Vec<(String, Value)>) {
    let mut said = Vec::new();
    let mut requests = Vec::new();
    for line in text.lines() {
        let object = line.starts_with('{').then(|| serde_json::from_str::<Value>(line).ok()).flatten();
        match object.filter(|object| object.get("response_to_client").is_some() || object.get("tool_request").is_some())
        {
            Some(object) => {
                said.extend(object.get("response_to_client").and_then(Value::as_str).map(str::to_owned));
                requests.extend(object.get("tool_request").and_then(|request| {
                    let name = request.get("name")?.as_str()?.to_owned();
                    Some((name, request.get("params").cloned().unwrap_or_default()))
                }));
            }
            None => said.push(line.to_owned()),
        }
    }
    (said.join("\n"), requests)
}

/// The results at the head of a message, one for each pending request, and what the customer wrote behind them.
pub(crate) fn results(text: &str, pending: &mut Vec<(String, Value)>) -> (Vec<Outcome>, Option<String>) {
    let mut outcomes = Vec::new();
    let mut lines = text.lines().peekable();
    while let (Some((name, arguments)), Some(line)) = (pending.first().cloned(), lines.peek()) {
        let object: Option<Value> = serde_json::from_str(line).ok();
        let Some(result) = object.as_ref().and_then(|object| object.get("tool_result")) else { break };
        let result = result.get("result").unwrap_or(result).clone();
        outcomes.push(Outcome { name, arguments, result });
        pending.remove(0);
        lines.next();
    }
    pending.clear();
    let rest: Vec<&str> = lines.collect();
    let said = (outcomes.is_empty() || !rest.is_empty()).then(|| rest.join("\n"));
    (outcomes, said)
}

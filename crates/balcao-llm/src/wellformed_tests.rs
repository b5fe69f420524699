use serde_json::json;

use super::*;
use crate::provider::{Purpose, ToolChoice, TurnFacts};

fn user(text: &str) -> Message {
    Message::User { text: text.to_owned() }
}

fn says(text: &str) -> Message {
    Message::Assistant { text: text.to_owned(), tool_calls: Vec::new() }
}

fn calls(ids: &[&str]) -> Message {
    let call = |id: &&str| ToolCallRequest {
        id: (*id).to_owned(),
        name: "look".to_owned(),
        arguments: "{}".to_owned(),
        vendor: None,
    };
    Message::Assistant { text: String::new(), tool_calls: ids.iter().map(call).collect() }
}

fn result(id: &str) -> Message {
    named_result(id, "look", "{}")
}

fn named_result(id: &str, name: &str, content: &str) -> Message {
    Message::ToolResult { call_id: id.to_owned(), name: name.to_owned(), content: content.to_owned(), is_error: false }
}

fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        system: "s".to_owned(),
        messages,
        tools: Vec::new(),
        tool_choice: ToolChoice::Auto,
        format: ResponseFormat::Text,
        max_output_tokens: 100,
        temperature_milli: None,
        purpose: Purpose::Step,
        facts: TurnFacts {
            now: "2026-11-23T09:00[America/Sao_Paulo]".parse().unwrap(),
            locale: "pt-BR".to_owned(),
            organization: "o".to_owned(),
            address: None,
            opens: None,
            contact_name: None,
            appointment: None,
            written: None,
            outdated: 0,
        },
    }
}

fn id(id: &str) -> String {
    id.to_owned()
}

#[test]
fn a_story_with_parallel_calls_is_well_formed() {
    let story =
        vec![user("a"), calls(&["1", "2"]), result("1"), result("2"), calls(&["3"]), result("3"), says("b"), user("c")];
    assert_eq!(check(&request(story)), []);
    assert_eq!(check(&request(vec![user("a"), calls(&["1"]), result("1"), user("correct yourself")])), []);
}

#[test]
fn every_rule_of_the_transcript_is_seen() {
    use Problem as P;
    for (story, expected) in [
        (vec![], vec![P::NoMessages]),
        (vec![says("a"), user("b")], vec![P::FirstNotUser]),
        (vec![user("a"), says("b")], vec![P::LastIsAssistant]),
        (vec![user("a"), user("b")], vec![P::SameRoleTwice { at: 1, role: "user" }]),
        (vec![user("a"), says("b"), says("c"), user("d")], vec![P::SameRoleTwice { at: 2, role: "assistant" }]),
        (vec![user(" ")], vec![P::Empty { at: 0 }]),
        (vec![user("a"), says(""), user("b")], vec![P::Empty { at: 1 }]),
        (vec![user("a"), calls(&["1"]), user("b")], vec![P::CallWithoutResult { at: 1, id: id("1") }]),
        (vec![user("a"), calls(&["1", "2"]), result("1")], vec![P::CallWithoutResult { at: 1, id: id("2") }]),
        (vec![user("a"), result("9")], vec![P::ResultWithoutCall { at: 1, id: id("9") }]),
        (vec![user("a"), calls(&["1"]), result("1"), result("1")], vec![P::ResultWithoutCall { at: 3, id: id("1") }]),
        (
            vec![user("a"), calls(&["1", "2"]), result("2"), result("1")],
            vec![P::ResultOutOfOrder { at: 2, id: id("2") }],
        ),
        (
            vec![user("a"), calls(&["1"]), named_result("1", "other", "{}")],
            vec![P::ResultOfOtherTool { at: 2, id: id("1") }],
        ),
        (
            vec![user("a"), calls(&["1"]), named_result("1", "look", "oops")],
            vec![P::ResultNotJson { at: 2, id: id("1") }],
        ),
        (
            vec![user("a"), calls(&["1"]), result("1"), calls(&["1"]), result("1")],
            vec![P::DuplicateId { at: 3, id: id("1") }],
        ),
        (vec![user("a"), calls(&[""]), result("")], vec![P::NamelessCall { at: 1 }]),
    ] {
        assert_eq!(check(&request(story.clone())), expected, "{story:?}");
    }
}

#[test]
fn tools_and_limits_are_checked() {
    let tool = |name: &str, input_schema: Value| ToolDefinition {
        name: name.to_owned(),
        description: String::new(),
        input_schema: input_schema.into(),
    };
    let mut bad = request(vec![user("a")]);
    bad.tools =
        vec![tool("a", json!({"type": "object"})), tool("a", json!({"type": "object"})), tool("b c", json!({}))];
    bad.max_output_tokens = 0;
    bad.format = ResponseFormat::Json { name: String::new(), schema: json!({}) };
    let expected = [
        Problem::DuplicateTool { name: id("a") },
        Problem::ToolName { name: id("b c") },
        Problem::ToolSchema { name: id("b c") },
        Problem::Format,
        Problem::NoOutput,
    ];
    assert_eq!(check(&bad), expected);
}

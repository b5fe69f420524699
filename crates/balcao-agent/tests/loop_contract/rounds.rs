//! Steps, rounds, the final call, and answers that say nothing.

use balcao_llm::{
    FinishReason, Message, ToolChoice,
    providers::scripted::{calls_all, calls_raw},
};
use serde_json::json;

use crate::{
    row::rows,
    world::{World, calls_with_ids},
};

/// As many calls, each with another argument, so that each brings something new.
fn five(w: &World) -> Vec<balcao_llm::providers::scripted::Line> {
    (1..=5).map(|n| w.calls("look", json!({"appointment_id": n}))).collect()
}

rows! {
    lc_030 both "The model answers in words" => "They are sent after one model call", |w| {
        let ran = w.run("oi", [w.says("Olá! Como posso ajudar?")]);
        assert_eq!((ran.replied(), ran.state.spent.model_calls), ("Olá! Como posso ajudar?", 1));
    };
    lc_031 both "The model calls a tool and then answers" => "The result stands in the next request", |w| {
        let ran = w.run("tem vaga?", [w.calls("find_slots", json!({"date": "2026-11-26"})), w.says("Temos vagas, sim!")]);
        assert_eq!(ran.executed(), ["find_slots"]);
        assert!(ran.read(1).contains("11:00") && ran.replied() == "Temos vagas, sim!");
    };
    lc_032 both "Five rounds of tool calls" => "One more call with tools off asks for the final text", |w| {
        let ran = w.run("oi", five(&w).into_iter().chain([w.says("Pronto, já olhei.")]));
        assert_eq!((ran.replied(), ran.executions.len(), ran.requests.len()), ("Pronto, já olhei.", 5, 6));
        assert!(ran.requests[5].tools.is_empty() && ran.requests[5].tool_choice == ToolChoice::None);
        assert!(ran.offered(4, "look") && !ran.offered(5, "look"));
    };
    lc_033 both "No text comes even then" => "One more try, then a person; never silence or an apology loop", |w| {
        let ran = w.run("oi", five(&w).into_iter().chain([w.nothing(), w.nothing()]));
        assert_eq!((ran.handed_off(), ran.requests.len()), ("rounds", 7));
    };
    lc_034 both "The model asks for a tool in the final call" => "It does not run; after another such answer a person takes over", |w| {
        let again = || w.calls("look", json!({"appointment_id": 9}));
        let ran = w.run("oi", five(&w).into_iter().chain([again(), again()]));
        assert_eq!((ran.handed_off(), ran.executions.len()), ("rounds", 5));
    };
    lc_035 both "The profile allows two rounds" => "Tools are off in the third call", |w| {
        let w = w.with(json!({"limits": {"max_tool_rounds": 2}}));
        let ran = w.run("oi", five(&w).into_iter().take(2).chain([w.says("Pronto, já olhei.")]));
        assert_eq!((ran.executions.len(), ran.requests.len()), (2, 3));
    };
    lc_036 both "The profile asks for fifty rounds" => "Five all the same: the limit is hard", |w| {
        let w = w.with(json!({"limits": {"max_tool_rounds": 50}}));
        let ran = w.run("oi", five(&w).into_iter().chain([w.says("Pronto, já olhei.")]));
        assert_eq!(ran.executions.len(), 5);
    };
    lc_037 both "The model says nothing at all" => "It is asked once more", |w| {
        assert_eq!(w.run("oi", [w.nothing(), w.says("Olá!")]).replied(), "Olá!");
    };
    lc_038 both "The model says nothing twice" => "A person takes over", |w| {
        assert_eq!(w.run("oi", [w.nothing(), w.nothing()]).why(), "model_failure: no answer twice");
    };
    lc_039 both "The vendor's filter or the model refuses" => "It is asked once more; the refusal is not sent", |w| {
        let refusal = w.says("I can't help with that.").finishing(FinishReason::Refusal);
        assert_eq!(w.run("oi", [refusal, w.says("Olá!")]).replied(), "Olá!");
    };
    lc_040 both "The model refuses twice" => "A person takes over", |w| {
        let refusal = || w.says("I can't help with that.").finishing(FinishReason::Refusal);
        assert_eq!(w.run("oi", [refusal(), refusal()]).why(), "model_failure: the model refused twice");
    };
    lc_041 both "A refusal asks for a tool" => "The call does not run", |w| {
        let refusal = w.calls("note_it", json!({})).finishing(FinishReason::Refusal);
        let ran = w.run("oi", [refusal, w.says("Olá!")]);
        assert!(ran.executions.is_empty() && ran.replied() == "Olá!");
    };
    lc_042 native "Text beside tool calls" => "It is not sent", |w| {
        let ran = w.run("oi", [calls_raw("Só um instante.", &[("look", "{}")]), w.says("Achei!")]);
        assert_eq!(ran.replied(), "Achei!");
    };
    lc_043 native "Text beside tool calls, where the profile sends it" => "It is sent before the final text", |w| {
        let w = w.with(json!({"reply": {"interim_text": true}}));
        let ran = w.run("oi", [calls_raw("Bom dia, Ana.", &[("look", "{}")]), w.says("Achei!")]);
        assert_eq!(ran.replied(), "Bom dia, Ana.\n\nAchei!");
    };
    lc_044 both "A message of more than 4,000 characters" => "The model reads its beginning and a mark", |w| {
        let ran = w.run(&"bla ".repeat(3_000), [w.says("Pode resumir?")]);
        assert!(ran.state.inbound.ends_with("[…]") && ran.state.inbound.chars().count() < 4_010);
    };
    lc_045 both "A message without any text" => "The model is asked all the same, by a well-formed request", |w| {
        assert_eq!(w.run(" \n ", [w.says("Não entendi, pode repetir?")]).replied(), "Não entendi, pode repetir?");
    };
    lc_046 native "Calls whose ids repeat" => "Each gets an id of ours, and one result", |w| {
        let ran = w.run("oi", [calls_with_ids(&[("x", "look", "{}"), ("x", "glance", "{}")]), w.says("Achei!")]);
        assert_eq!(ran.state.calls.iter().map(|call| call.call_id.as_str()).collect::<Vec<_>>(), ["t41_1_0", "t41_1_1"]);
    };
    lc_047 native "Calls whose ids were used in an earlier round" => "Ids stay unique over the turn", |w| {
        let ran = w.run("oi", [calls_with_ids(&[("x", "look", "{}")]), calls_with_ids(&[("x", "glance", "{}")]), w.says("Achei!")]);
        assert_eq!(ran.state.calls.iter().map(|call| call.call_id.as_str()).collect::<Vec<_>>(), ["t41_1_0", "t41_2_0"]);
    };
    lc_048 both "The next step is asked for twice" => "The same step, twice", |w| {
        let turn = w.begin("oi");
        assert_eq!(turn.next_step(), turn.next_step());
    };
    lc_049 both "Earlier turns of the other protocol" => "They are told in the form of this one", |w| {
        let mut w = w;
        let call = balcao_llm::ToolCallRequest { id: "a".into(), name: "look".into(), arguments: "{}".into(), vendor: None };
        let other = balcao_llm::ToolCallRequest { id: "b".into(), ..call.clone() };
        let result = |id: &str| Message::ToolResult { call_id: id.into(), name: "look".into(), content: "{\"found\":true}".into(), is_error: false };
        w.history = vec![
            Message::User { text: "oi".into() },
            Message::Assistant { text: String::new(), tool_calls: vec![call, other] },
            result("a"),
            result("b"),
            Message::Assistant { text: "Olá!".into(), tool_calls: vec![] },
        ];
        let ran = w.run("e agora?", [w.says("Agora sim!")]);
        assert!(ran.read(0).contains("found") && ran.replied() == "Agora sim!");
    };
    lc_050 native "Equal calls with other answers between them" => "Results go back in the model's order", |w| {
        let many = [("glance", json!({})), ("note_it", json!({})), ("look", json!({})), ("nope", json!({})), ("find_slots", json!({}))];
        let ran = w.run("oi", [calls_all(&many), w.says("Achei!")]);
        let order: Vec<&str> = ran.state.calls.iter().map(|call| call.tool.as_str()).collect();
        assert_eq!(order, ["glance", "note_it", "look", "nope", "find_slots"]);
        assert_eq!(ran.codes(), ["", "", "", "unknown_tool", ""]);
    };
}

//! Faults, corrections and refusals: what counts, and what follows.

use balcao_llm::providers::scripted::calls_all;
use balcao_tool::ErrorCode;
use serde_json::json;

use crate::{
    row::rows,
    tools::Act,
    world::{Ran, World},
};

const FALLBACK: &str =
    "Estou com dificuldade para concluir essa ação no momento. Vou encaminhar para nossa equipe te ajudar diretamente!";

/// Two faults of one tool, then a text.
fn two_faults(w: &World) -> Ran {
    w.run(
        "oi",
        [w.calls("broken", json!({})), w.calls("broken", json!({"period": "morning"})), w.says("Não consegui agora.")],
    )
}

rows! {
    lc_100 both "A tool fails" => "The model reads `error`, `code`, `retryable` and `_context`, and nothing internal", |w| {
        let ran = w.run("oi", [w.calls("broken", json!({})), w.says("Não consegui agora.")]);
        let told = &ran.told()[0];
        assert_eq!((told["code"].as_str(), told["retryable"].as_bool()), (Some("unavailable"), Some(true)));
        assert!(told["error"].is_string() && told["_context"].is_string() && told.get("_internal").is_none());
        assert!(ran.state.calls[0].result.internal.as_ref().unwrap().contains(crate::tools::INTERNAL));
    };
    lc_101 both "The same tool fails twice in a row" => "It is no longer offered, and the model is told so and not to work around it", |w| {
        let ran = two_faults(&w);
        assert!(ran.offered(1, "broken") && !ran.offered(2, "broken") && ran.offered(2, "look"));
        let system = &ran.requests[2].system;
        assert!(system.contains("nesta conversa: broken.") && system.contains("Não tente obter o mesmo por outro"));
    };
    lc_102 both "A withdrawn tool is called all the same" => "Answered `blocked` without running", |w| {
        let faults = [w.calls("broken", json!({})), w.calls("broken", json!({"period": "morning"}))];
        let more = [w.calls("broken", json!({"period": "afternoon"})), w.says("Não consegui agora.")];
        let ran = w.run("oi", faults.into_iter().chain(more));
        assert_eq!((ran.codes(), ran.executions.len()), (vec!["unavailable", "unavailable", "blocked"], 2));
    };
    lc_103 both "Three failures in a row, of two tools" => "Handoff at once: the model is not asked again", |w| {
        let ran = w.run("oi", [w.calls("broken", json!({})), w.calls("broken_too", json!({})), w.calls("broken", json!({"period": "morning"}))]);
        assert_eq!((ran.handed_off(), ran.requests.len(), ran.told_customer()), ("breaker", 3, FALLBACK));
    };
    lc_104 native "The third failure stands in the middle of a step" => "The rest of the step does not run; its calls still have one result each", |w| {
        let step = [("broken_too", json!({})), ("broken", json!({})), ("broken_too", json!({"period": "morning"})), ("note_it", json!({}))];
        let ran = w.run("oi", [calls_all(&step)]);
        assert_eq!((ran.handed_off(), ran.executions.len()), ("breaker", 3));
        assert_eq!(ran.codes(), ["internal", "unavailable", "internal", "conflict"]);
    };
    lc_105 both "A success between the failures" => "The overall count begins anew", |w| {
        let ran = w.run("oi", [
            w.calls("broken", json!({})), w.calls("broken_too", json!({})), w.calls("look", json!({})),
            w.calls("blind", json!({})), w.says("Não consegui agora."),
        ]);
        assert_eq!((ran.replied(), ran.state.breaker.failures()), ("Não consegui agora.", 1));
    };
    lc_106 both "A tool fails, succeeds and fails again" => "It is not withdrawn: its own count began anew", |w| {
        let w = w.tool("look", [Act::Fails(ErrorCode::Timeout), Act::Gives(json!({})), Act::Fails(ErrorCode::Timeout)]);
        let ran = w.run("oi", [
            w.calls("look", json!({})), w.calls("look", json!({"period": "morning"})), w.calls("look", json!({"period": "afternoon"})),
            w.says("Não consegui agora."),
        ]);
        assert!(ran.offered(3, "look") && !ran.state.breaker.is_withdrawn("look"));
    };
    lc_107 both "A tool fails twice with a success of another one between" => "It is withdrawn: only its own success clears its count", |w| {
        let ran = w.run("oi", [
            w.calls("broken", json!({})), w.calls("look", json!({})), w.calls("broken", json!({"period": "morning"})), w.says("Não consegui agora."),
        ]);
        assert!(!ran.offered(3, "broken") && ran.state.breaker.failures() == 1);
    };
    lc_108 both "Refusals, as many as there may be" => "They never count: a correct no is an answer", |w| {
        let no = |n| Act::Refuses(json!({"success": false, "reason": "SLOT_TAKEN", "appointment_id": n}));
        let w = w.tool("look", (1..=5).map(no));
        let asks = (1..=5).map(|n| w.calls("look", json!({"appointment_id": n})));
        let ran = w.run("oi", asks.chain([w.says("Está ocupado, quer outro?")]));
        assert_eq!((ran.state.breaker.failures(), ran.state.corrections, ran.codes()), (0, 0, vec![""; 5]));
        assert_eq!(ran.told()[0], json!({"success": false, "reason": "SLOT_TAKEN", "appointment_id": 1}));
    };
    lc_109 both "Corrections, where faults count" => "The breaker does not see them", |w| {
        let w = w.tool("look", [Act::Fails(ErrorCode::NotFound), Act::Fails(ErrorCode::Ambiguous)]);
        let ran = w.run("oi", [w.calls("look", json!({})), w.calls("look", json!({"period": "morning"})), w.says("Qual deles?")]);
        assert_eq!((ran.state.breaker.failures(), ran.state.corrections), (0, 2));
        assert!(ran.offered(2, "look"));
    };
    lc_110 both "Corrections, where every error counts" => "Three of them in a row end in a handoff", |w| {
        let w = w.with(json!({"breaker": {"count": "all_errors"}})).tool("look", [Act::Fails(ErrorCode::NotFound)]);
        let ran = w.run("oi", [w.calls("look", json!({})), w.calls("nope", json!({})), w.calls("find_slots", json!({"date": "x"}))]);
        assert_eq!((ran.handed_off(), ran.codes()), ("breaker", vec!["not_found", "unknown_tool", "invalid_arguments"]));
    };
    lc_111 both "A question to the customer, where every error counts" => "It is not counted: nothing went wrong", |w| {
        let w = w.with(json!({"breaker": {"count": "all_errors"}}));
        let ran = w.run("cancela", [w.calls("cancel", json!({})), w.says(crate::tools::QUESTION)]);
        assert_eq!((ran.codes(), ran.state.breaker.failures()), (vec!["confirmation_required"], 0));
    };
    lc_112 both "Refusals, where every error counts" => "They do not count: they carry no `error`", |w| {
        let no = Act::Refuses(json!({"available": false}));
        let w = w.with(json!({"breaker": {"count": "all_errors"}})).tool("look", vec![no; 3]);
        let asks = (1..=3).map(|n| w.calls("look", json!({"appointment_id": n})));
        assert_eq!(w.run("oi", asks.chain([w.says("Está ocupado, quer outro?")])).state.breaker.failures(), 0);
    };
    lc_113 both "Failures in two turns" => "They add up: the tally is saved with the conversation", |w| {
        let first = w.run("oi", [w.calls("broken", json!({})), w.calls("broken_too", json!({})), w.says("Não consegui agora.")]);
        let w = w.after(&first);
        let ran = w.run("e agora?", [w.calls("blind", json!({}))]);
        assert_eq!(ran.handed_off(), "breaker");
    };
    lc_114 both "A tool was withdrawn in an earlier turn" => "It stays withdrawn", |w| {
        let first = two_faults(&w);
        let w = w.after(&first);
        let ran = w.run("e agora?", [w.calls("broken", json!({})), w.says("Ainda não consegui.")]);
        assert!(!ran.offered(0, "broken") && ran.codes() == ["blocked"] && ran.executions.is_empty());
    };
    lc_115 both "A day without any call" => "Everything is forgotten", |w| {
        let first = two_faults(&w);
        let w = w.after(&first).later(24);
        let ran = w.run("oi de novo", [w.says("Olá!")]);
        assert!(ran.offered(0, "broken") && ran.state.breaker.failures() == 0);
    };
    lc_116 both "An hour less than a day without any call" => "Nothing is forgotten", |w| {
        let first = two_faults(&w);
        let w = w.after(&first).later(23);
        assert!(!w.run("oi de novo", [w.says("Olá!")]).offered(0, "broken"));
    };
    lc_117 both "The profile forgets after two hours" => "It does", |w| {
        let w = w.with(json!({"breaker": {"reset_after_hours": 2}}));
        let first = two_faults(&w);
        let w = w.after(&first).later(2);
        assert!(w.run("oi de novo", [w.says("Olá!")]).offered(0, "broken"));
    };
    lc_118 both "The profile's thresholds are one and two" => "They are kept to", |w| {
        let w = w.with(json!({"breaker": {"same_tool": 1, "overall": 2}}));
        let ran = w.run("oi", [w.calls("broken", json!({})), w.calls("broken_too", json!({}))]);
        assert!(!ran.offered(1, "broken") && ran.handed_off() == "breaker");
    };
    lc_119 both "A broken tool, whatever the model does" => "At most three executions, one handoff, one sentence, one note", |w| {
        let asks = ["broken", "broken", "broken_too"].into_iter().zip(1..).map(|(name, n)| w.calls(name, json!({"appointment_id": n})));
        let ran = w.run("oi", asks);
        assert_eq!((ran.executions.len(), ran.told_customer(), ran.note().is_empty()), (3, FALLBACK, false));
    };
    lc_120 both "The fourth correction of a turn" => "Handoff", |w| {
        let asks = (1..=4).map(|n| w.calls("look", json!({"appointment_id": -n})));
        let ran = w.run("oi", asks);
        assert_eq!((ran.handed_off(), ran.state.corrections, ran.told_customer()), ("corrections", 4, FALLBACK));
    };
    lc_121 both "Three corrections, then a text" => "It is sent", |w| {
        let asks = (1..=3).map(|n| w.calls("look", json!({"appointment_id": -n})));
        assert_eq!(w.run("oi", asks.chain([w.says("Qual é o número?")])).replied(), "Qual é o número?");
    };
    lc_122 both "Corrections of an earlier turn" => "They are not counted in this one", |w| {
        let asks = (1..=3).map(|n| w.calls("look", json!({"appointment_id": -n})));
        let first = w.run("oi", asks.chain([w.says("Qual é o número?")]));
        let w = w.after(&first);
        let ran = w.run("7", [w.calls("look", json!({"appointment_id": -7})), w.says("E qual é o dia?")]);
        assert_eq!(ran.state.corrections, 1);
    };
    lc_123 both "The model repeats a wrong call word for word" => "Each repetition is a correction, answered without looking again", |w| {
        let ran = w.run("oi", (0..4).map(|_| w.calls("look", json!({"appointment_id": 0}))));
        assert_eq!((ran.handed_off(), ran.executions.len()), ("corrections", 0));
    };
    lc_124 both "Tools that do not exist fail again and again, where every error counts" => "The model is not told that an invented tool is out of use", |w| {
        let w = w.with(json!({"breaker": {"count": "all_errors", "overall": 9}}));
        let ran = w.run("oi", [w.calls("nope", json!({})), w.calls("nope", json!({"period": "morning"})), w.says("Não consegui agora.")]);
        assert!(!ran.requests[2].system.contains("nesta conversa: nope"));
    };
    lc_125 both "A tool that calls others is asked for one that was withdrawn" => "Answered `blocked` without running; without that one it runs", |w| {
        let ran = w.run("oi", [
            w.calls("broken", json!({})), w.calls("broken", json!({"period": "morning"})),
            w.calls("several", json!({"tags": ["look", "broken"]})), w.calls("several", json!({"tags": ["look"]})),
            w.says("Não consegui agora."),
        ]);
        assert_eq!((ran.codes(), ran.executions.len()), (vec!["unavailable", "unavailable", "blocked", ""], 3));
    };
}

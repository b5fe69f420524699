//! What a turn may use up, its clocks, and models that fail.

use std::{sync::Arc, time::Duration};

use balcao_llm::{
    FinishReason, ModelError, ModelErrorKind, Usage,
    fallback::Fallback,
    providers::scripted::{self, Scripted, fails, never_answers},
    retry::{RetryPolicy, Retrying},
};
use serde_json::json;

use crate::{row::rows, tools::Act};

const FALLBACK: &str =
    "Estou com dificuldade para concluir essa ação no momento. Vou encaminhar para nossa equipe te ajudar diretamente!";

const fn tokens(input: u64, output: u64) -> Usage {
    Usage { input_tokens: input, cached_input_tokens: 0, output_tokens: output, cost_micro_usd: None }
}

rows! {
    lc_130 both "The turn's model calls are used up" => "Handoff that names the budget; no further call", |w| {
        let w = w.with(json!({"limits": {"model_calls": 2}}));
        let ran = w.run("oi", [w.calls("look", json!({})), w.calls("glance", json!({}))]);
        assert_eq!((ran.why().as_str(), ran.requests.len(), ran.told_customer()), ("budget: turn.model_calls", 2, FALLBACK));
        assert_eq!(ran.executed(), ["look", "glance"]);
    };
    lc_131 both "The last model call that the budget allows brings the text" => "It is sent", |w| {
        let w = w.with(json!({"limits": {"model_calls": 2}}));
        assert_eq!(w.run("oi", [w.calls("look", json!({})), w.says("Achei!")]).replied(), "Achei!");
    };
    lc_132 both "The turn's tool calls are used up" => "Handoff that names the budget", |w| {
        let w = w.with(json!({"limits": {"tool_calls": 2}}));
        let ran = w.run("oi", [w.calls("look", json!({})), w.calls("glance", json!({}))]);
        assert_eq!((ran.why().as_str(), ran.executions.len()), ("budget: turn.tool_calls", 2));
    };
    lc_133 native "One step asks for more calls than the budget has left" => "No more than that run, the others are answered, and a person takes over", |w| {
        let w = w.with(json!({"limits": {"tool_calls": 2}}));
        let step = [("look", json!({})), ("glance", json!({})), ("note_it", json!({})), ("find_slots", json!({}))];
        let ran = w.run("oi", [scripted::calls_all(&step)]);
        assert_eq!((ran.executed(), ran.codes()), (vec!["look", "glance"], vec!["", "", "conflict", "conflict"]));
        assert_eq!(ran.why(), "budget: turn.tool_calls");
    };
    lc_134 both "The turn's tokens are used up" => "Handoff that names the budget", |w| {
        let w = w.with(json!({"limits": {"tokens": 1_000}}));
        let ran = w.run("oi", [w.calls("look", json!({})).using(tokens(900, 100))]);
        assert_eq!((ran.why().as_str(), ran.executions.len()), ("budget: turn.tokens", 1));
    };
    lc_135 both "The text itself uses the tokens up" => "It is sent: what is paid for is not thrown away", |w| {
        let w = w.with(json!({"limits": {"tokens": 1_000}}));
        let ran = w.run("oi", [w.says_using("Olá!", tokens(900, 900))]);
        assert_eq!((ran.replied(), ran.state.spent.usage.output_tokens), ("Olá!", 900));
    };
    lc_136 both "The turn's money is used up" => "Handoff that names the budget", |w| {
        let w = w.with(json!({"limits": {"cost_micro_usd": 500}}));
        let cost = Usage { cost_micro_usd: Some(500), ..Usage::default() };
        assert_eq!(w.run("oi", [w.calls("look", json!({})).using(cost)]).why(), "budget: turn.cost");
    };
    lc_137 both "A budget is used up while a step is acting" => "The step's calls still have their results; the model is not asked again", |w| {
        let w = w.with(json!({"limits": {"model_calls": 1}}));
        let ran = w.run("oi", [w.calls("note_it", json!({}))]);
        assert_eq!((ran.executed(), ran.handed_off(), ran.requests.len()), (vec!["note_it"], "budget", 1));
    };
    lc_138 both "The model never answers" => "The turn's clock stops it: handoff", |w| {
        let ran = w.run("oi", [never_answers()]);
        assert_eq!((ran.handed_off(), ran.told_customer()), ("deadline", FALLBACK));
    };
    lc_139 both "A tool never answers" => "Stopped after its own time; the model is told `timeout`", |w| {
        let ran = w.run("oi", [w.calls("stuck", json!({})), w.says("Não consegui agora.")]);
        assert_eq!((ran.codes(), ran.state.calls[0].result.duration_ms), (vec!["timeout"], 10_000));
        assert_eq!(ran.events, ["stuck+"], "its work went on");
    };
    lc_140 both "A tool with a shorter time of its own never answers" => "Stopped after that time", |w| {
        let w = w.tool("glance", [Act::Never]);
        let ran = w.run("oi", [w.calls("glance", json!({})), w.says("Não consegui agora.")]);
        assert_eq!((ran.codes(), ran.state.calls[0].result.duration_ms), (vec!["timeout"], 2_000));
    };
    lc_141 both "The turn's clock runs out while a tool runs" => "The call has a result that says so; handoff", |w| {
        let w = w.with(json!({"limits": {"timeout_s": 5}}));
        let ran = w.run("oi", [w.calls("stuck", json!({}))]);
        assert_eq!((ran.handed_off(), ran.codes().len(), ran.events.as_slice()), ("deadline", 1, ["stuck+".to_owned()].as_slice()));
    };
    lc_142 both "No provider answers" => "Handoff with the fallback sentence; the reason is for staff", |w| {
        let ran = w.run("oi", [fails(ModelErrorKind::Upstream)]);
        assert_eq!((ran.why().as_str(), ran.told_customer()), ("model_failure: scripted: scripted failure", FALLBACK));
    };
    lc_143 both "A provider fails once in a way that may pass" => "It is asked again", |w| {
        let script = Scripted::new([fails(ModelErrorKind::Network), w.says("Olá!")]);
        let ran = w.run_on("oi", &Retrying::new(script.clone(), RetryPolicy::default(), 7), &script);
        script.finish().unwrap();
        assert_eq!(ran.replied(), "Olá!");
    };
    lc_144 both "A provider fails twice" => "Two attempts in all, then a person", |w| {
        let script = Scripted::new([fails(ModelErrorKind::Timeout), fails(ModelErrorKind::Timeout)]);
        let ran = w.run_on("oi", &Retrying::new(script.clone(), RetryPolicy::default(), 7), &script);
        script.finish().unwrap();
        assert_eq!((ran.handed_off(), ran.requests.len()), ("model_failure", 2));
    };
    lc_145 both "A provider refuses the key" => "It is not asked again", |w| {
        let script = Scripted::new([fails(ModelErrorKind::Denied)]);
        let ran = w.run_on("oi", &Retrying::new(script.clone(), RetryPolicy::default(), 7), &script);
        script.finish().unwrap();
        assert_eq!((ran.handed_off(), ran.requests.len()), ("model_failure", 1));
    };
    lc_146 both "A provider asks to wait longer than there is time" => "It is not waited for", |w| {
        let wait = ModelError {
            kind: ModelErrorKind::RateLimited, provider: "scripted".to_owned(), message: "slow down".to_owned(),
            retry_after: Some(Duration::from_secs(3_600)), usage: balcao_llm::Usage::default(),
        };
        let script = Scripted::new([scripted::fails_with(wait)]);
        let ran = w.run_on("oi", &Retrying::new(script.clone(), RetryPolicy::default(), 7), &script);
        script.finish().unwrap();
        assert_eq!(ran.handed_off(), "model_failure");
    };
    lc_147 both "The first provider fails for good, and there is a second" => "The second answers", |w| {
        let (first, second) = (Scripted::new([fails(ModelErrorKind::Denied)]), Scripted::new([w.says("Olá!")]));
        let both = Fallback::new(Arc::new(first.clone()), vec![Arc::new(second.clone())]);
        let ran = w.run_on("oi", &both, &second);
        first.finish().unwrap();
        second.finish().unwrap();
        assert_eq!(ran.replied(), "Olá!");
    };
    lc_148 both "A provider fails in the middle of a turn, and the second goes on" => "The calls made so far stand; nothing runs twice", |w| {
        let first = Scripted::new([w.calls("note_it", json!({})), fails(ModelErrorKind::Upstream)]);
        let second = Scripted::new([w.says("Entendi, obrigada.")]);
        let both = Fallback::new(Arc::new(first.clone()), vec![Arc::new(second.clone())]);
        let ran = w.run_on("oi", &both, &second);
        first.finish().unwrap();
        second.finish().unwrap();
        assert_eq!(ran.executed(), ["note_it"]);
    };
    lc_149 both "The model fails after tools have run" => "Handoff; what was done is on record", |w| {
        let ran = w.run("oi", [w.calls("note_it", json!({})), fails(ModelErrorKind::Upstream)]);
        assert_eq!((ran.handed_off(), ran.executed(), ran.state.calls.len()), ("model_failure", vec!["note_it"], 1));
    };
    lc_150 both "An answer is cut off in a call" => "The call does not run; one more try with twice the room", |w| {
        let cut = w.calls("note_it", json!({})).finishing(FinishReason::Length);
        let ran = w.run("oi", [cut, w.says("Olá!")]);
        assert_eq!((ran.executions.len(), ran.replied()), (0, "Olá!"));
        assert_eq!(ran.requests[1].max_output_tokens, ran.requests[0].max_output_tokens * 2);
    };
    lc_151 both "An answer with a call is cut off twice" => "Handoff; nothing has run", |w| {
        let cut = || w.calls("note_it", json!({})).finishing(FinishReason::Length);
        let ran = w.run("oi", [cut(), cut()]);
        assert_eq!((ran.handed_off(), ran.executions.len()), ("model_failure", 0));
    };
    lc_152 native "A text is cut off twice" => "Its whole sentences are sent", |w| {
        let cut = || w.says("Temos corte e barba. Também temos sobran").finishing(FinishReason::Length);
        assert_eq!(w.run("oi", [cut(), cut()]).replied(), "Temos corte e barba.");
    };
    lc_153 both "A text without a whole sentence is cut off twice" => "Handoff", |w| {
        let cut = || w.says("Temos corte e também sobran").finishing(FinishReason::Length);
        assert_eq!(w.run("oi", [cut(), cut()]).handed_off(), "model_failure");
    };
    lc_154 structured "An object is cut off twice" => "Handoff: half an object is never read", |w| {
        let cut = || scripted::says("{\"response_to_client\": \"Temos corte. Temos bar").finishing(FinishReason::Length);
        assert_eq!(w.run("oi", [cut(), cut()]).handed_off(), "model_failure");
    };
}

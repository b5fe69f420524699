//! A model that answers anything at all.

use balcao_agent::driver;
use balcao_llm::{
    FinishReason, ModelErrorKind, ModelResponse, ToolCallRequest, Usage,
    providers::scripted::{Line, Scripted, answers, fails},
};
use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::json;

use crate::{
    row::rows,
    world::{Saves, World, in_virtual_time},
};

/// What one model call may bring.
#[derive(Debug, Clone)]
enum Wild {
    Answer { text: String, calls: Vec<(String, String, String)>, finish: FinishReason },
    Fails,
}

fn name() -> impl Strategy<Value = String> {
    const KNOWN: [&str; 18] = [
        "find_slots",
        "look",
        "book",
        "note_it",
        "cancel",
        "move_it",
        "refund",
        "broken",
        "broken_too",
        "blind",
        "stuck",
        "crash",
        "odd",
        "big",
        "long",
        "human",
        "secret",
        "read_result",
    ];
    prop_oneof![6 => prop::sample::select(&KNOWN[..]).prop_map(str::to_owned), 1 => any::<String>(), 1 => Just("x".repeat(5_000))]
}

fn arguments() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (-2i64..9).prop_map(|n| json!({"appointment_id": n}).to_string()),
        2 => Just("{}".to_owned()),
        2 => Just(json!({"date": "2026-11-26", "start_hour": "10:00"}).to_string()),
        1 => Just(json!({"handle": "r1"}).to_string()),
        1 => Just("[".repeat(100_000)),
        1 => any::<String>(),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => any::<String>(),
        1 => Just("Temos horário de manhã. Serve?".to_owned()),
        1 => Just("{\"response_to_client\": \"Olá!\", \"tool_request\": null}".to_owned()),
        2 => (name(), arguments()).prop_map(|(name, arguments)| {
            let params: serde_json::Value = serde_json::from_str(&arguments).unwrap_or(arguments.into());
            json!({"response_to_client": null, "tool_request": {"name": name, "params": params}}).to_string()
        }),
        1 => Just("ção 🙂 ".repeat(9_000)),
        1 => Just(String::new()),
    ]
}

fn wild() -> impl Strategy<Value = Wild> {
    let id = prop_oneof![Just("x".to_owned()), Just(String::new()), any::<String>()];
    let calls = prop::collection::vec((id, name(), arguments()), 0..20);
    let finish = prop::sample::select(vec![
        FinishReason::Stop,
        FinishReason::ToolCalls,
        FinishReason::Unknown,
        FinishReason::Length,
        FinishReason::Refusal,
    ]);
    prop_oneof![9 => (text(), calls, finish).prop_map(|(text, calls, finish)| Wild::Answer { text, calls, finish }), 1 => Just(Wild::Fails)]
}

fn line(wild: Wild) -> Line {
    match wild {
        Wild::Fails => fails(ModelErrorKind::Malformed),
        Wild::Answer { text, calls, finish } => answers(ModelResponse {
            text,
            tool_calls: calls
                .into_iter()
                .map(|(id, name, arguments)| ToolCallRequest { id, name, arguments, vendor: None })
                .collect(),
            finish,
            usage: Usage::default(),
            model: "wild".to_owned(),
            mended: Vec::new(),
        }),
    }
}

/// Every turn ends once, with one result for each call, by well-formed requests, in at most five rounds.
fn survives(protocol: balcao_agent::profile::Protocol, inbound: &str, lines: Vec<Wild>) {
    let w = World::new(protocol);
    let model = Scripted::new(lines.into_iter().map(line));
    let mut turn = w.begin(inbound);
    let journal = Saves::default();
    let ending = in_virtual_time(driver::drive(&mut turn, &model, &journal, None)).unwrap();
    let problems = model.finish().err().map_or_else(Vec::new, |error| error.0);
    // Lines may be left over: the turn ended before they were needed. Nothing else may have gone wrong.
    let wrong: Vec<&String> = problems.iter().filter(|problem| !problem.starts_with("unused line")).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(turn.is_over());
    let ran = w.ran(ending, turn.state().clone(), &model, journal.taken());
    ran.holds();
    assert!(ran.requests.len() <= 12, "{} model calls", ran.requests.len());
    assert!(ran.executions.len() <= 24, "{} executions", ran.executions.len());
}

rows! {
    lc_340 both "A model that answers anything: random text, names, ids and arguments, huge ones, broken ones" => "Every turn ends in exactly one ending, with one result per call, by well-formed requests, in at most five rounds", |w| {
        let protocol = w.protocol;
        let config = Config { cases: 48, failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
        let story = (any::<String>(), prop::collection::vec(wild(), 14));
        runner.run(&story, |(inbound, lines)| {
            survives(protocol, &inbound, lines);
            Ok(())
        }).unwrap();
    };
}

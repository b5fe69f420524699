use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, mpsc::channel};
use std::time::Duration;

use async_trait::async_trait;
use jiff::Zoned;
use serde_json::{Value, json};
use tokio::runtime::Builder;
use tokio::time::advance;

use super::*;
use crate::{
    Behaviour, CommandSpec, Confirm, EffectKey, Locale, Localised, Principal, ResultClass, ToolHandler, ToolOutput,
    limits::CHECK_TIMEOUT,
};

/// What the other side does with one request.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    /// Does it and answers.
    Answers,
    /// Does it, and the answer never comes.
    Swallows,
    /// Does it, and the answer breaks off.
    Breaks,
    /// Never sees it.
    Refuses,
    /// Does it, and the code that asked breaks down.
    Panics,
    /// Does it, and what it answers is not what it should.
    Raves,
    /// Does it, and answers with so much that it is checked beside the thread.
    Heaps,
}

#[derive(Default)]
struct Ledger {
    /// Keys of what happened.
    done: Vec<String>,
    looked: u32,
    /// How often the command was entered.
    entered: u32,
}

struct Handler {
    plan: Mutex<Vec<Side>>,
    ledger: Arc<Mutex<Ledger>>,
    honours_keys: bool,
    can_look: bool,
    repeats: bool,
}

#[async_trait]
impl ToolHandler for Handler {
    async fn call(&self, cx: &ToolContext, _args: Value) -> ToolResult<ToolOutput> {
        self.ledger.lock().unwrap().entered += 1;
        let side = self.plan.lock().unwrap().pop().unwrap_or(Side::Answers);
        if side == Side::Refuses {
            return Err(ToolError::new(ErrorCode::Unavailable, "no connection").into());
        }
        {
            let mut ledger = self.ledger.lock().unwrap();
            let key = cx.key.as_str().to_owned();
            if !(self.honours_keys && ledger.done.contains(&key)) {
                ledger.done.push(key);
            }
        }
        match side {
            Side::Answers | Side::Refuses => Ok(ToolOutput::success(json!({}))),
            Side::Swallows => std::future::pending().await,
            Side::Breaks => Err(ToolError::new(ErrorCode::Unavailable, "it broke off").uncertain().into()),
            Side::Panics => panic!("broken"),
            Side::Heaps => Ok(ToolOutput::success(json!({"heap": vec![0; 150_000]}))),
            Side::Raves => Ok(ToolOutput::success(json!("done, I think"))),
        }
    }

    async fn preview(&self, _cx: &ToolContext, _args: Value) -> ToolResult<Preview> {
        Err(ToolError::new(ErrorCode::Internal, "no preview").into())
    }

    async fn find(&self, cx: &ToolContext, _args: Value) -> ToolResult<Found> {
        let mut ledger = self.ledger.lock().unwrap();
        ledger.looked += 1;
        if !self.can_look {
            return Err(ToolError::new(ErrorCode::Unavailable, "cannot be told").into());
        }
        let there = ledger.done.iter().any(|key| key == cx.key.as_str());
        Ok(if there { Found::There(ToolOutput::success(json!({"found": true}))) } else { Found::Absent })
    }

    fn confirmable(&self) -> bool {
        false
    }

    fn repeats(&self) -> bool {
        self.repeats
    }

    fn args_schema(&self) -> Value {
        json!({})
    }
}

/// A command over another side that behaves as planned.
struct Bench {
    class: EffectClass,
    can_look: bool,
    repeats: bool,
}

impl Bench {
    fn new(class: EffectClass) -> Self {
        Self { class, can_look: true, repeats: false }
    }

    async fn run(self, plan: &[Side], mode: RunMode) -> (CallResult, Ledger) {
        let ledger = Arc::new(Mutex::new(Ledger::default()));
        let handler = Handler {
            plan: Mutex::new(plan.iter().rev().copied().collect()),
            ledger: ledger.clone(),
            honours_keys: matches!(self.class, EffectClass::Keyed | EffectClass::Local),
            can_look: self.can_look,
            repeats: self.repeats,
        };
        let tool = Tool::new(spec(self.class), Arc::new(handler)).unwrap();
        let principal = Principal {
            organization: 1,
            contact: 1,
            conversation: 1,
            turn: 1,
            staff_facing: false,
            locale: Locale::En,
        };
        let key = EffectKey::derive(1, 1, 0, "do", "hash");
        let now: Zoned = "2026-11-23T10:00[America/Sao_Paulo]".parse().unwrap();
        let cx =
            ToolContext { principal, key, args_hash: "hash".to_owned(), now, agreed: None, told_prices: Vec::new() };
        let result = tool.execute(&cx, json!({}), mode).await;
        let ledger = std::mem::take(&mut *ledger.lock().unwrap());
        (result, ledger)
    }
}

fn spec(class: EffectClass) -> CommandSpec {
    let text = || Localised { pt_br: "x".to_owned(), en: "x".to_owned() };
    CommandSpec {
        name: "do".to_owned(),
        pack: "test".to_owned(),
        description: text(),
        input_schema: json!({"type": "object"}),
        output_schema: json!({"type": "object", "properties": {"heap": {"type": "array", "items": {"type": "integer"}}}}),
        behaviour: Behaviour { effect: Effect::Write, class, ..Behaviour::default() },
        confirm: Confirm::None,
        timeout: Duration::from_secs(10),
        settle: Duration::from_secs(5),
        on_error: BTreeMap::new(),
        internal: false,
        said: BTreeMap::new(),
        with: None,
        act: None,
    }
}

/// How often another task of the same thread is served while a result of so many values is checked.
fn served_beside_a_result_of(values: usize) -> (u32, CallResult) {
    let handler = Handler {
        plan: Mutex::default(),
        ledger: Arc::default(),
        honours_keys: false,
        can_look: false,
        repeats: false,
    };
    let numbers = json!({"properties": {"found": {"type": "array", "items": {"type": "integer"}}}});
    let tool = Tool::new(CommandSpec { output_schema: numbers, ..spec(EffectClass::Read) }, Arc::new(handler)).unwrap();
    let output = ToolOutput::success(json!({"found": vec![0; values]}));
    let served = Mutex::new(0);
    // The one thread beside is busy until the other task is served, so a check there cannot end before that.
    let (busy, until_dropped) = channel::<()>();
    let runtime = Builder::new_current_thread().enable_time().max_blocking_threads(1).build().unwrap();
    runtime.spawn_blocking(move || until_dropped.recv());
    runtime.block_on(async {
        let checked = async {
            let result = tool.finish(output, Locale::En).await;
            (*served.lock().unwrap(), result)
        };
        let other = async {
            *served.lock().unwrap() += 1;
            drop(busy);
        };
        futures::join!(checked, other).0
    })
}

#[test]
fn a_large_result_is_checked_beside_the_thread_that_serves_others() {
    for (values, beside) in [(100, 0), (150_000, 1)] {
        let (served, result) = served_beside_a_result_of(values);
        assert_eq!((served, result.class), (beside, ResultClass::Success), "{values}");
        assert_eq!(result.value["found"].as_array().unwrap().len(), values);
    }
}

#[test]
fn a_result_whose_check_does_not_end_in_time_is_a_failure_and_a_write_is_uncertain() {
    for (class, uncertain) in [(EffectClass::Local, false), (EffectClass::Blind, true)] {
        let mut builder = Builder::new_current_thread();
        let runtime = builder.enable_time().start_paused(true).max_blocking_threads(1).build().unwrap();
        // The one thread beside is busy, so the check does not begin; while it is, time passes only where the test says so.
        let (busy, until_dropped) = channel::<()>();
        runtime.spawn_blocking(move || until_dropped.recv());
        let ended = Mutex::new(false);
        let (result, ledger) = runtime.block_on(async {
            let running = async {
                let ran = run(class, &[Side::Heaps], RunMode::Execute, true).await;
                *ended.lock().unwrap() = true;
                ran
            };
            let passing = async {
                advance(CHECK_TIMEOUT.saturating_sub(Duration::from_millis(10))).await;
                assert!(!*ended.lock().unwrap());
                // The pauses between attempts pass, too.
                for _ in 0..60 {
                    advance(Duration::from_millis(500)).await;
                }
                assert!(*ended.lock().unwrap());
            };
            futures::join!(running, passing).0
        });
        assert_eq!((result.class, result.code), (ResultClass::Fault, Some(ErrorCode::Internal)));
        assert_eq!((result.uncertain, ledger.done.len()), (uncertain, 1));
        drop(busy);
    }
}

async fn run(class: EffectClass, plan: &[Side], mode: RunMode, can_look: bool) -> (CallResult, Ledger) {
    Bench { can_look, ..Bench::new(class) }.run(plan, mode).await
}

#[tokio::test(start_paused = true)]
async fn f_09_a_blind_effect_is_tried_once_and_its_unknown_outcome_is_said_to_be_unknown() {
    for side in [Side::Swallows, Side::Breaks, Side::Panics, Side::Raves] {
        let (result, ledger) = run(EffectClass::Blind, &[side], RunMode::Execute, true).await;
        assert!(result.uncertain);
        assert_eq!((result.class, ledger.done.len(), ledger.looked), (ResultClass::Fault, 1, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn f_08_f_09_a_blind_effect_that_was_cut_short_is_not_entered_again() {
    let (result, ledger) = run(EffectClass::Blind, &[], RunMode::Recover, true).await;
    assert!(result.uncertain && ledger.done.is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_was_certainly_not_sent_is_a_plain_failure() {
    for class in [EffectClass::Blind, EffectClass::Keyed, EffectClass::Queryable] {
        let (result, ledger) = run(class, &[Side::Refuses], RunMode::Execute, true).await;
        assert!(!result.uncertain && ledger.done.is_empty());
        assert_eq!(result.code, Some(ErrorCode::Unavailable));
    }
}

#[tokio::test(start_paused = true)]
async fn f_09_f_113_a_keyed_effect_is_sent_again_under_its_key_and_happens_once() {
    for side in [Side::Swallows, Side::Breaks, Side::Panics, Side::Raves] {
        let (result, ledger) = run(EffectClass::Keyed, &[side, side], RunMode::Execute, true).await;
        assert_eq!((result.class, ledger.done.len()), (ResultClass::Success, 1));
    }
    let (result, ledger) = run(EffectClass::Keyed, &[Side::Swallows; 3], RunMode::Recover, true).await;
    assert!(result.uncertain && ledger.done.len() == 1);
}

#[tokio::test(start_paused = true)]
async fn f_08_f_113_f_117_a_queryable_effect_is_looked_for_before_it_is_sent_again() {
    let (result, ledger) = run(EffectClass::Queryable, &[Side::Swallows], RunMode::Execute, true).await;
    assert_eq!(result.value, json!({"found": true}));
    assert_eq!((ledger.done.len(), ledger.looked), (1, 1));
    let (result, ledger) = run(EffectClass::Queryable, &[], RunMode::Recover, true).await;
    assert_eq!((result.class, ledger.done.len(), ledger.looked), (ResultClass::Success, 1, 1));
}

#[tokio::test(start_paused = true)]
async fn what_another_program_began_is_looked_for_only_when_it_can_no_longer_be_under_way() {
    let (limit, settle) = (Duration::from_secs(10), Duration::from_secs(5));
    let begun = tokio::time::Instant::now();
    run(EffectClass::Queryable, &[], RunMode::Recover, true).await;
    assert_eq!(begun.elapsed().as_secs(), (limit + settle).as_secs());
    // An attempt of its own was stopped at the limit: it needs the time to show alone.
    let begun = tokio::time::Instant::now();
    run(EffectClass::Queryable, &[Side::Breaks], RunMode::Execute, true).await;
    assert_eq!(begun.elapsed().as_secs(), (PAUSE + settle).as_secs());
}

#[tokio::test(start_paused = true)]
async fn a_queryable_effect_that_cannot_be_looked_for_is_not_sent_again() {
    let (result, ledger) = run(EffectClass::Queryable, &[Side::Swallows], RunMode::Execute, false).await;
    assert!(result.uncertain);
    assert_eq!(ledger.done.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_local_effect_of_unknown_outcome_is_run_again_under_its_key() {
    let (result, ledger) = run(EffectClass::Local, &[Side::Swallows, Side::Breaks], RunMode::Execute, true).await;
    assert_eq!((result.class, ledger.done.len()), (ResultClass::Success, 1));
}

#[tokio::test(start_paused = true)]
async fn a_read_that_takes_too_long_is_a_plain_failure() {
    let (result, _) = run(EffectClass::Read, &[Side::Swallows], RunMode::Execute, true).await;
    assert!(!result.uncertain);
    assert_eq!(result.code, Some(ErrorCode::Timeout));
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_failed_says_nothing_of_the_one_before_it() {
    for class in [EffectClass::Local, EffectClass::Keyed] {
        let plan = [Side::Swallows, Side::Refuses, Side::Refuses];
        let (result, ledger) = run(class, &plan, RunMode::Execute, true).await;
        assert!(result.uncertain, "{class:?}: it was done, and counts as failed");
        assert_eq!(ledger.done.len(), 1);
        let (result, ledger) = run(class, &plan[..2], RunMode::Execute, true).await;
        assert_eq!((result.class, ledger.done.len()), (ResultClass::Success, 1));
    }
    let (result, _) = run(EffectClass::Keyed, &[Side::Refuses; 3], RunMode::Recover, true).await;
    assert!(result.uncertain, "what ran before the end of the program may have been done");
}

#[tokio::test(start_paused = true)]
async fn the_text_of_a_panic_stays_with_the_result_for_whoever_looks_into_it() {
    let (result, _) = run(EffectClass::Blind, &[Side::Panics], RunMode::Execute, true).await;
    assert_eq!(result.internal.as_deref(), Some("panicked: broken"));
    assert_eq!(panic_text(&"by a reference"), "panicked: by a reference");
    assert_eq!(panic_text(&"by a text of its own".to_owned()), "panicked: by a text of its own");
    assert_eq!(panic_text(&7), "panicked: without a message");
}

#[tokio::test(start_paused = true)]
async fn a_command_that_repeats_by_itself_is_entered_once() {
    for (class, entered) in [(EffectClass::Keyed, 1), (EffectClass::Local, 2)] {
        let bench = Bench { repeats: true, ..Bench::new(class) };
        let (result, ledger) = bench.run(&[Side::Breaks], RunMode::Execute).await;
        assert_eq!((result.uncertain, ledger.entered), (class == EffectClass::Keyed, entered), "{class:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_read_is_uncertain_where_the_effect_is_outside_of_our_tables() {
    for (class, uncertain) in [(EffectClass::Read, false), (EffectClass::Local, false), (EffectClass::Blind, true)] {
        let (result, _) = run(class, &[Side::Raves], RunMode::Execute, true).await;
        assert_eq!((result.code.is_some(), result.uncertain), (true, uncertain), "{class:?}");
    }
}

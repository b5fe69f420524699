//! Many callers, few workers, some of them hostile.

use std::{fs, process::Command, sync::Arc, time::Duration};

use balcao_sandbox::{BrokenLimit, Bundle, Call, Helper, HelperError, Launcher, Limits, Sandbox, StartError};
use serde_json::json;
use tokio::time::Instant;

use crate::{PROBE, generous, hold, launcher, sandbox};

fn bundle(source: &str) -> Bundle {
    Bundle::new(vec![Helper::javascript("it", "it.js", source)]).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_callers_of_two_workers_each_get_their_own_answer_while_some_misbehave() {
    let helpers = vec![
        Helper::javascript("good", "good.js", "(x) => ({ x, seen: globalThis.seen = (globalThis.seen ?? 0) + 1 })"),
        Helper::javascript("bomb", "bomb.js", "() => { const a = []; for (;;) a.push('x'.repeat(1e5)) }"),
        Helper::javascript("loop", "loop.js", "() => { for (;;); }"),
        Helper::javascript("throws", "throws.js", "(x) => { throw new Error('no ' + x) }"),
    ];
    let sandbox = Arc::new(Sandbox::new(Bundle::new(helpers).unwrap(), launcher(), 2));
    let mut callers = tokio::task::JoinSet::new();
    for n in 0..100_u32 {
        let sandbox = Arc::clone(&sandbox);
        callers.spawn(async move {
            let arguments = [json!(n)];
            let limits = Limits { time: Duration::from_millis(20), ..Limits::default() };
            match n % 10 {
                3 => assert!(matches!(
                    sandbox.call(&Call::new("bomb", &arguments)).await,
                    Err(HelperError::Limit { .. })
                )),
                6 => {
                    let error = sandbox.call(&Call { limits, ..Call::new("loop", &arguments) }).await.unwrap_err();
                    assert!(matches!(error, HelperError::Limit { limit: BrokenLimit::Time(_), .. }), "{error}");
                }
                9 => {
                    let error = sandbox.call(&generous("throws", &arguments)).await.unwrap_err();
                    assert_eq!(error.to_string(), format!("helper `throws`: Error: no {n} (throws.js:1:34)"));
                }
                _ => {
                    assert_eq!(sandbox.call(&generous("good", &arguments)).await.unwrap(), json!({ "x": n, "seen": 1 }))
                }
            }
        });
    }
    while let Some(done) = callers.join_next().await {
        done.unwrap();
    }
}

#[tokio::test]
async fn a_worker_that_talks_nonsense_fails_its_caller_and_is_replaced() {
    for how in [
        "another call",
        "twice",
        "no json",
        "no utf-8",
        "deep json",
        "too long",
        "empty",
        "unknown kind",
        "greeting again",
        "half",
        "noise",
    ] {
        let sandbox = Sandbox::new(bundle("() => 1"), Launcher::new(PROBE, &["answers", how]), 1);
        for _ in 0..2 {
            match sandbox.call(&generous("it", &[])).await {
                Err(HelperError::Worker { helper, reason }) => assert!(helper == "it" && !reason.is_empty(), "{how}"),
                other => panic!("{how}: {other:?}"),
            }
        }
    }
}

#[tokio::test]
async fn who_comes_after_a_call_that_ruined_its_worker_is_answered_by_another() {
    let sandbox = Sandbox::new(bundle("() => 1"), Launcher::new(PROBE, &["answers", "once"]), 1);
    for _ in 0..5 {
        assert_eq!(sandbox.call(&generous("it", &[])).await.unwrap(), json!(1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_is_silent_is_killed_in_time() {
    let sandbox = Sandbox::new(bundle("() => 1"), Launcher::new(PROBE, &["answers", "silence"]), 1);
    let time = hold();
    sandbox.warm().await.unwrap();
    drop(time);
    let began = Instant::now();
    let error = sandbox.call(&Call::new("it", &[])).await.unwrap_err();
    assert!(matches!(error, HelperError::Limit { limit: BrokenLimit::Time(_), .. }), "{error}");
    // The clock of this test does not wait for the machine, which may not have let the worker run by then.
    assert!(began.elapsed() <= Limits::default().wall() * 8, "{:?}", began.elapsed());
}

#[cfg(unix)]
#[tokio::test]
async fn a_worker_that_dies_says_how() {
    let sandbox = Sandbox::new(bundle("() => 1"), Launcher::new(PROBE, &["answers", "death"]), 1);
    let error = sandbox.call(&generous("it", &[])).await.unwrap_err();
    assert_eq!(error.to_string(), "helper `it`: its worker died of signal 9");
    assert_eq!((error.for_model().as_str(), error.is_the_helpers()), ("the computation could not be run", false));
}

#[tokio::test]
async fn what_is_no_worker_of_ours_is_not_spoken_to() {
    for how in ["another version", "no greeting"] {
        let sandbox = Sandbox::new(bundle("() => 1"), Launcher::new(PROBE, &["answers", how]), 1);
        let error = sandbox.call(&generous("it", &[])).await.unwrap_err();
        assert!(matches!(error, HelperError::Start(StartError::Greeting { .. })), "{how}: {error}");
    }
    let sandbox = Sandbox::new(bundle("() => 1"), Launcher::new("/no/such/program", &[]), 1);
    assert!(matches!(sandbox.warm().await.unwrap_err(), StartError::Spawn(_)));
}

/// A sandbox whose worker writes its process id into a file.
fn recording(folder: &tempfile::TempDir, source: &str) -> (Sandbox, impl Fn() -> String) {
    let path = folder.path().join("id");
    let sandbox = Sandbox::new(bundle(source), Launcher::new(PROBE, &["record", path.to_str().unwrap()]), 1);
    (sandbox, move || fs::read_to_string(&path).unwrap())
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_killed_in_the_middle_of_a_call_fails_that_call_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let (sandbox, id) = recording(&folder, "(forever) => { while (forever); return 1 }");
    let sandbox = Arc::new(sandbox);
    sandbox.warm().await.unwrap();
    let worker = id();
    let mut calls = tokio::task::JoinSet::new();
    let asked = Arc::clone(&sandbox);
    calls.spawn(async move { asked.call(&generous("it", &[json!(true)])).await });
    until_busy(&worker);
    assert!(Command::new("kill").args(["-9", &worker]).status().unwrap().success());
    let error = calls.join_next().await.unwrap().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "helper `it`: its worker died of signal 9");
    assert_eq!(sandbox.call(&generous("it", &[])).await.unwrap(), json!(1));
    assert_ne!(id(), worker);
}

/// Until the process has used processor time that only a running helper uses.
#[cfg(unix)]
fn until_busy(process: &str) {
    let ticks = || -> u64 {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(11)?.parse().ok()).unwrap_or(0)
    };
    let before = ticks();
    while ticks() < before + 5 {
        std::thread::yield_now();
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_worker_that_died_while_it_was_idle_is_noticed_before_it_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let (sandbox, id) = recording(&folder, "() => 1");
    sandbox.warm().await.unwrap();
    let worker = id();
    assert!(Command::new("kill").args(["-9", &worker]).status().unwrap().success());
    while fs::read_to_string(format!("/proc/{worker}/stat")).is_ok_and(|stat| !stat.contains(") Z")) {
        std::thread::yield_now();
    }
    assert_eq!(sandbox.call(&generous("it", &[])).await.unwrap(), json!(1));
}

#[cfg(unix)]
#[tokio::test]
async fn a_call_that_is_given_up_takes_its_worker_along_and_frees_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let (sandbox, id) = recording(&folder, "(forever) => { while (forever); return 1 }");
    sandbox.warm().await.unwrap();
    let worker = id();
    let arguments = [json!(true)];
    let (endless, busy) = (generous("it", &arguments), worker.clone());
    tokio::select! {
        said = sandbox.call(&endless) => panic!("it runs for ever: {said:?}"),
        busy = tokio::task::spawn_blocking(move || until_busy(&busy)) => busy.unwrap(),
    }
    assert_eq!(sandbox.call(&generous("it", &[])).await.unwrap(), json!(1));
    assert_ne!(id(), worker);
}

#[tokio::test]
async fn a_worker_serves_a_thousand_calls_and_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (sandbox, id) = recording(&folder, "(x) => x");
    sandbox.warm().await.unwrap();
    let worker = id();
    for n in 0..1_000 {
        assert_eq!(sandbox.call(&generous("it", &[json!(n)])).await.unwrap(), json!(n));
    }
    assert_eq!(id(), worker);
    assert_eq!(sandbox.call(&generous("it", &[json!("next")])).await.unwrap(), json!("next"));
    assert_ne!(id(), worker);
}

#[tokio::test]
async fn thirty_helpers_are_checked_in_one_worker() {
    let helpers = (0..30)
        .map(|n| Helper::javascript(&format!("h{n}"), "h.js", &format!("function h{n}(x) {{ return x + {n} }}")))
        .collect();
    let sandbox = sandbox(helpers);
    assert_eq!(sandbox.check().await.unwrap(), []);
    assert_eq!(sandbox.call(&generous("h7", &[json!(1)])).await.unwrap(), json!(8));
}

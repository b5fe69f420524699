//! Breaking a limit names the helper and the limit, and harms nobody else.

use std::time::Duration;

use balcao_sandbox::{BrokenLimit, Call, Helper, HelperError, Limits};
use serde_json::json;
use tokio::time::Instant;

use crate::{broken, generous, hold, one, sandbox};

const TIME: BrokenLimit = BrokenLimit::Time(Duration::from_millis(50));
const MEMORY: BrokenLimit = BrokenLimit::Memory(16 << 20);

#[tokio::test]
async fn the_message_names_helper_and_limit() {
    let error = one("() => { for (;;); }").call(&Call::new("it", &[])).await.unwrap_err();
    assert_eq!(error.to_string(), "helper `it` broke its time limit of 50 ms");
    assert_eq!(error.for_model(), "the computation broke its time limit of 50 ms");
    let error = one("() => 'x'.repeat(300000)").call(&generous("it", &[])).await.unwrap_err();
    assert_eq!(error.to_string(), "helper `it` broke its output limit of 256 KiB");
    let error = one("function it() { return it() + 1 }").call(&generous("it", &[])).await.unwrap_err();
    assert_eq!(error.to_string(), "helper `it` broke its stack limit of 1024 KiB");
    let error =
        one("() => { const a = []; for (;;) a.push('x'.repeat(1e5)) }").call(&generous("it", &[])).await.unwrap_err();
    assert_eq!(error.to_string(), "helper `it` broke its memory limit of 16384 KiB");
    let error = one("(x) => x").call(&generous("it", &[json!("x".repeat(5 << 20))])).await.unwrap_err();
    assert_eq!(error.to_string(), "helper `it` broke its input limit of 4096 KiB");
}

#[tokio::test]
async fn output_may_reach_its_limit_and_no_further() {
    let sandbox = one("(n) => 'x'.repeat(n)");
    let call = |n: u32| {
        let arguments = [json!(n)];
        let sandbox = &sandbox;
        async move {
            let call = generous("it", &arguments);
            let call = Call { limits: Limits { output_bytes: 1_000, ..call.limits }, ..call };
            sandbox.call(&call).await.is_ok()
        }
    };
    assert!(call(998).await, "two more for the quotes");
    assert!(!call(999).await);
}

#[tokio::test]
async fn time_that_its_own_functions_take_counts() {
    // `indexOf` does not look at the time; it is over in some hundred milliseconds, and late all the same, or killed.
    let source = "() => { const s = 'a'.repeat(2e6); let n = 0; for (let i = 0; i < 40; i++) n += s.indexOf('ab'.repeat(3)); return n }";
    assert_eq!(broken(source).await, TIME);
}

#[tokio::test]
async fn after_each_broken_limit_the_next_call_is_answered() {
    let helpers = vec![
        Helper::javascript("loop", "x.js", "() => { for (;;); }"),
        Helper::javascript("native", "x.js", "() => { const big = 10n ** 20000n; for (;;) String(big) }"),
        Helper::javascript(
            "memory",
            "x.js",
            "() => { globalThis.all = []; for (;;) all.push(new Array(1000).fill(all)) }",
        ),
        Helper::javascript("stack", "x.js", "function f() { return f() + 1 }\nexport default f"),
        Helper::javascript("output", "x.js", "() => 'x'.repeat(1e6)"),
        Helper::javascript("good", "x.js", "(x) => x"),
    ];
    let sandbox = sandbox(helpers);
    for _ in 0..3 {
        for bad in ["loop", "native", "memory", "stack", "output"] {
            let error = sandbox.call(&Call::new(bad, &[])).await.unwrap_err();
            assert!(matches!(error, HelperError::Limit { .. }), "{error}");
            assert_eq!(sandbox.call(&generous("good", &[json!(bad)])).await.unwrap(), json!(bad));
        }
    }
}

#[tokio::test]
async fn a_limit_cannot_be_caught_away() {
    for source in [
        "() => { try { for (;;); } catch { return 1 } finally { return 2 } }",
        "async () => { try { for (;;); } catch { return 1 } }",
        "() => { for (;;) { try { for (;;); } catch {} } }",
        "() => new Promise((done) => { try { for (;;); } finally { done(1) } })",
        "() => [1].map(() => { try { for (;;); } catch {} })",
        "function* forever() { for (;;) { try { yield 1 } finally { continue } } }\nexport default () => { for (const x of forever()); }",
    ] {
        assert_eq!(broken(source).await, TIME, "{source}");
    }
}

#[tokio::test]
async fn limits_are_kept_between_floor_and_ceiling() {
    let boundless =
        Limits { time: Duration::MAX, memory_bytes: u32::MAX, output_bytes: u32::MAX, stack_bytes: u32::MAX }.bounded();
    assert!(boundless.wall() <= Duration::from_secs(30));
    let none = Limits { time: Duration::ZERO, memory_bytes: 0, output_bytes: 0, stack_bytes: 0 };
    let call = Call { limits: Limits { time: Duration::from_secs(9), ..none }, ..Call::new("it", &[]) };
    assert_eq!(one("() => 7").call(&call).await.unwrap(), json!(7));
    // More memory and stack than the engine ever needs: the process's own limits must leave room for it.
    let roomy = Call { limits: Limits { time: Duration::from_secs(9), ..boundless }, ..Call::new("it", &[]) };
    let value =
        one("() => { const a = []; for (let i = 0; i < 100; i++) a.push('x'.repeat(1e6) + i); return a.length }")
            .call(&roomy)
            .await;
    assert_eq!(value.unwrap(), json!(100));
    let deep = "function down(n) { return n === 0 ? 0 : 1 + down(n - 1) }\nexport default () => down(5000)";
    assert_eq!(one(deep).call(&roomy).await.unwrap(), json!(5_000));
}

#[tokio::test(start_paused = true)]
async fn a_hopeless_call_is_gone_after_half_a_second_or_the_eightfold_where_it_could_not_run() {
    let sandbox = one("() => { const big = 10n ** 30000n; for (;;) String(big) }");
    let time = hold();
    sandbox.warm().await.unwrap();
    drop(time);
    let began = Instant::now();
    let error = sandbox.call(&Call::new("it", &[])).await.unwrap_err();
    assert!(matches!(error, HelperError::Limit { limit: TIME, .. }), "{error}");
    // The clock of this test stands still while the worker computes: it may count as kept from running, and gets the most that there is.
    assert_eq!(Limits::default().wall(), Duration::from_millis(500));
    assert!(began.elapsed() <= Limits::default().wall() * 8, "{:?}", began.elapsed());
}

#[tokio::test]
async fn memory_that_runs_full_is_told_of_however_it_was_filled() {
    for source in [
        "() => { const a = []; for (;;) a.push(new Uint8Array(1e6)) }",
        "() => { let s = 'x'; for (;;) s += s }",
        "() => 'x'.repeat(2 ** 29)",
        "() => new Array(1e8).fill(0)",
        "() => { const m = new Map(); for (let i = 0; ; i++) m.set(i, { i }) }",
        "() => { let f = () => 1; for (;;) { const g = f; f = () => g() } }",
        "() => { const grow = (o) => { o.a = {}; o.b = [o]; return o.a }; let o = {}; globalThis.keep = o; for (;;) o = grow(o) }",
    ] {
        match one(source).call(&generous("it", &[])).await {
            Err(HelperError::Limit { limit, .. }) => assert_eq!(limit, MEMORY, "{source}"),
            other => panic!("{source}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn memory_that_ran_full_and_was_caught_leaves_nothing_behind() {
    let helpers = vec![
        Helper::javascript(
            "survivor",
            "x.js",
            "() => { globalThis.all = []; try { for (;;) all.push('x'.repeat(1e5) + all.length) } catch { return all.length > 9 } }",
        ),
        Helper::javascript("good", "x.js", "(x) => x"),
    ];
    let sandbox = sandbox(helpers);
    for n in 0..30 {
        assert_eq!(sandbox.call(&generous("survivor", &[])).await.unwrap(), json!(true));
        assert_eq!(sandbox.call(&generous("good", &[json!(n)])).await.unwrap(), json!(n));
    }
}

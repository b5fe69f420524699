use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

/// Parts of a server: one that stops when it is told to, and this one.
async fn server(odd: impl Future<Output = ()> + Send + 'static, is_last: bool, stopped: bool) -> Result<(), Failure> {
    let (stop, sent) = (CancellationToken::new(), CancellationToken::new());
    let (mut work, mut last) = (Supervisor::default(), Supervisor::default());
    let until = stop.clone();
    work.spawn("the good one", async move { until.cancelled().await });
    let until = sent.clone();
    last.spawn("the last one", async move { until.cancelled().await });
    if is_last { &mut last } else { &mut work }.spawn("the odd one", odd);
    let stopped = async move {
        if !stopped {
            std::future::pending::<()>().await;
        }
    };
    run(work, last, StopSignals { work: stop, last: sent }, stopped).await
}

async fn panics() {
    tokio::task::yield_now().await;
    panic!("planted");
}

#[tokio::test]
async fn a_part_that_ends_by_itself_or_panics_is_a_failure_of_the_program() {
    for is_last in [false, true] {
        let failure = server(async {}, is_last, false).await.unwrap_err();
        assert!(failure.message().contains("the odd one ended by itself"), "{}", failure.message());
        let failure = server(panics(), is_last, false).await.unwrap_err();
        assert!(failure.message().contains("the odd one broke"), "{}", failure.message());
        assert!(format!("{failure:?}").contains("code: 1"), "{failure:?}");
    }
}

#[tokio::test]
async fn who_is_told_to_stop_ends_well_and_one_that_panics_on_the_way_out_is_told() {
    let (stop, sent) = (CancellationToken::new(), CancellationToken::new());
    let (mut work, mut last) = (Supervisor::default(), Supervisor::default());
    let (until, written) = (stop.clone(), Arc::new(AtomicBool::new(false)));
    let writes = Arc::clone(&written);
    work.spawn("the writer", async move {
        until.cancelled().await;
        tokio::task::yield_now().await;
        writes.store(true, Ordering::SeqCst);
    });
    let (until, seen) = (sent.clone(), Arc::new(AtomicBool::new(false)));
    let sees = Arc::clone(&seen);
    last.spawn("the sender", async move {
        until.cancelled().await;
        sees.store(written.load(Ordering::SeqCst), Ordering::SeqCst);
    });
    run(work, last, StopSignals { work: stop, last: sent }, async {}).await.unwrap();
    assert!(seen.load(Ordering::SeqCst), "what the others wrote last is still taken up");
    for is_last in [false, true] {
        assert!(server(panics(), is_last, true).await.unwrap_err().message().contains("the odd one broke"));
    }
}

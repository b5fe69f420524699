//! One request for each entry of a list: side by side as far as is bounded, results in the order of the list.

use std::sync::atomic::{AtomicBool, Ordering};

use futures::{StreamExt, stream};
use serde_json::{Map, Value, json};

use crate::error::{CallError, FailureKind, Outcome};

/// What came of one entry.
pub(crate) enum One {
    Done(Value),
    Failed(CallError),
    /// It was not asked for any more.
    Unsent,
}

/// Runs `one` for `count` entries, `parallel` at a time. After a failure that the next entry would share, no further one is begun.
pub(crate) async fn each<F: Future<Output = Result<Value, CallError>>>(
    count: usize,
    parallel: usize,
    one: impl Fn(usize) -> F,
) -> Vec<One> {
    let stop = AtomicBool::new(false);
    let run = |index: usize| {
        let (stop, one) = (&stop, &one);
        async move {
            if stop.load(Ordering::SeqCst) {
                return One::Unsent;
            }
            match one(index).await {
                Ok(value) => One::Done(value),
                Err(error) => {
                    if concerns_all(error.kind) {
                        stop.store(true, Ordering::SeqCst);
                    }
                    One::Failed(error)
                }
            }
        }
    };
    stream::iter(0..count).map(run).buffered(parallel.max(1)).collect().await
}

const fn concerns_all(kind: FailureKind) -> bool {
    match kind {
        FailureKind::RateLimited | FailureKind::Unauthorized | FailureKind::Unavailable | FailureKind::Timeout => true,
        FailureKind::Invalid
        | FailureKind::Forbidden
        | FailureKind::NotFound
        | FailureKind::Conflict
        | FailureKind::Unreadable => false,
    }
}

/// The results as JSON, in the order of the list, with their counts.
pub(crate) fn summary(results: Vec<One>) -> Value {
    let (mut done, mut failed, mut unsent) = (0_usize, 0_usize, 0_usize);
    let mut entries = Vec::with_capacity(results.len());
    for (index, one) in results.into_iter().enumerate() {
        let mut entry = Map::from_iter([("index".to_owned(), json!(index))]);
        match one {
            One::Done(value) => {
                done += 1;
                entry.insert("ok".to_owned(), true.into());
                entry.insert("result".to_owned(), value);
            }
            One::Failed(error) => {
                failed += 1;
                entry.insert("ok".to_owned(), false.into());
                entry.insert("error".to_owned(), error.for_model().into());
                entry.insert("kind".to_owned(), json!(error.kind));
                if error.outcome == Outcome::Unknown {
                    entry.insert("uncertain".to_owned(), true.into());
                }
                if !error.problems.is_empty() {
                    let problems: Vec<String> = error.problems.iter().map(ToString::to_string).collect();
                    entry.insert("problems".to_owned(), json!(problems));
                }
            }
            One::Unsent => {
                unsent += 1;
                entry.insert("ok".to_owned(), false.into());
                entry.insert("not_sent".to_owned(), true.into());
            }
        }
        entries.push(Value::Object(entry));
    }
    json!({ "results": entries, "done": done, "failed": failed, "not_sent": unsent })
}

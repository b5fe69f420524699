//! Helpers in real worker processes. A test that covers an attack has the attack's number in its name (`docs/requirements.md`).
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod clickup;
mod confinement;
mod javascript;
mod limits;
mod pool;
mod test262;
mod threats;

use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use balcao_sandbox::{BrokenLimit, Bundle, Call, Helper, HelperError, Launcher, Limits, Sandbox};
use serde_json::Value;

/// Plays hostile workers.
const PROBE: &str = env!("CARGO_BIN_EXE_sandbox-probe");

fn launcher() -> Launcher {
    Launcher::new(env!("CARGO_BIN_EXE_balcao-sandbox-worker"), &[])
}

fn sandbox(helpers: Vec<Helper>) -> Sandbox {
    Sandbox::new(Bundle::new(helpers).unwrap(), launcher(), 1)
}

/// A sandbox with one helper, `it`.
fn one(source: &str) -> Sandbox {
    sandbox(vec![Helper::javascript("it", "it.js", source)])
}

/// Calls `it` in a sandbox of its own.
async fn run(source: &str, arguments: &[Value]) -> Result<Value, HelperError> {
    one(source).call(&generous("it", arguments)).await
}

/// What `it` throws.
async fn thrown(source: &str, arguments: &[Value]) -> String {
    match run(source, arguments).await {
        Err(HelperError::Thrown { message, .. }) => message,
        other => panic!("{other:?}"),
    }
}

/// The limit that `it` breaks under the limits of a default call.
async fn broken(source: &str) -> BrokenLimit {
    match one(source).call(&Call::new("it", &[])).await {
        Err(HelperError::Limit { limit, helper }) => {
            assert_eq!(helper, "it");
            limit
        }
        other => panic!("{other:?}"),
    }
}

/// Virtual time that stands until this is dropped, although everybody waits for a worker; from there on it jumps to the next limit. In a
/// test whose clock is paused: while a blocking task runs, tokio does not let it jump.
fn hold() -> Sender<()> {
    let (held, is_held) = channel();
    drop(tokio::task::spawn_blocking(move || is_held.recv()));
    held
}

/// With all the time that there is: what is tested is not speed.
fn generous<'a>(helper: &'a str, arguments: &'a [Value]) -> Call<'a> {
    Call { limits: Limits { time: Duration::from_secs(10), ..Limits::default() }, ..Call::new(helper, arguments) }
}

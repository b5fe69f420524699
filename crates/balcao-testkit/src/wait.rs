//! Waiting in tests: for what comes to pass, and for what a clock would have to decide.
//!
//! Nothing here decides a test. What is waited for is an event of the program's; the limit is far beyond what the slowest machine takes,
//! and ends only what hangs. Where a limit of the program itself is to pass, virtual time passes: [`stand`].
#![expect(clippy::panic, reason = "a test that waits in vain fails by it")]

use std::net::TcpStream;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Longest that anything is waited for.
pub const PATIENCE: Duration = Duration::from_mins(5);

/// Longest pause between two looks; the first ones are shorter.
const PAUSE: Duration = Duration::from_millis(50);

/// Polls until `look` finds something. Use it for events of another process that sends no signal.
///
/// # Panics
/// After [`PATIENCE`], with `what` did not come to pass.
pub fn until<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    until_within(PATIENCE, what, look)
}

/// The same with a patience of its own, for what takes minutes on a quiet machine.
///
/// # Panics
/// After that time, with `what` did not come to pass.
pub fn until_within<T>(patience: Duration, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let (deadline, mut pause) = (Instant::now() + patience, Duration::from_millis(1));
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "{what} did not come to pass");
        std::thread::park_timeout(pause);
        pause = PAUSE.min(pause * 2);
    }
}

/// Waits for an event that a thread of the test sends.
///
/// # Panics
/// After [`PATIENCE`], and if every sender is gone.
pub fn told<T>(what: &str, by: &Receiver<T>) -> T {
    match by.recv_timeout(PATIENCE) {
        Ok(event) => event,
        Err(RecvTimeoutError::Timeout) => panic!("{what} did not come to pass"),
        Err(RecvTimeoutError::Disconnected) => panic!("{what}: nobody is left to tell of it"),
    }
}

/// Limits how long a read of this connection waits for an answer.
///
/// # Errors
/// The system does not know of limits.
pub fn patiently(stream: &TcpStream) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))
}

/// Virtual time that stands; it runs again when this is dropped.
#[derive(Debug)]
pub struct Standing(#[expect(dead_code, reason = "held, and dropped")] Sender<()>);

/// Stops the clock of this runtime, even while every task waits.
///
/// Paused time jumps to the next timer as soon as no task can go on. A task that waits for a real socket, a process or the database looks
/// like that. Time stands until the returned value is dropped; from then on it jumps, and limits pass at once and in their order.
///
/// # Panics
/// Outside of a runtime of one thread, as [`tokio::time::pause`] does, and if the clock was stopped before.
#[must_use]
pub fn stand() -> Standing {
    tokio::time::pause();
    hold()
}

/// The same where the clock was stopped before.
#[must_use]
pub fn hold() -> Standing {
    let (held, is_held) = channel::<()>();
    // While a blocking task runs, tokio does not let paused time jump.
    drop(tokio::task::spawn_blocking(move || is_held.recv()));
    Standing(held)
}

/// Stops the clock of this runtime until `event` is over, which may block; from then on time jumps as in [`stand`].
///
/// # Panics
/// As [`stand`] does.
pub fn stand_until(event: impl FnOnce() + Send + 'static) {
    tokio::time::pause();
    drop(tokio::task::spawn_blocking(event));
}

//! The signals that end the program: a termination, an interrupt, and a hangup unless `nohup` is in force.
//!
//! `serve` and `demo` finish what is under way ([`stopped`]). Every other command is left where it waits ([`unless_interrupted`]), so that
//! its database closes as at any other end. A second signal ends the program at once.

use std::process::ExitCode;

use tokio::{sync::oneshot, task::JoinSet};

use crate::output::{Failure, standard_output_lost};

/// A command's result, or the exit code of a signal that came first. A command whose standard output is closed ends, too.
///
/// # Errors
/// The command's, or that signals cannot be listened to.
pub(crate) async fn unless_interrupted(
    command: impl Future<Output = Result<ExitCode, Failure>>,
) -> Result<ExitCode, Failure> {
    let first = stopped()?;
    let (ask, asked) = oneshot::channel();
    // In a task of its own: a command that computes holds up whatever waits beside it.
    let mut watch = JoinSet::new();
    watch.spawn(async move {
        let signal = first.await;
        let Ok(second) = stopped() else { return };
        // The command may have ended meanwhile.
        let Ok(()) = ask.send(signal) else { return };
        end_at_once(second.await);
    });
    tokio::select! {
        ended = command => ended,
        Ok(signal) = asked => Ok(code_of(signal)),
        // Its output reaches nothing any more.
        () = standard_output_lost() => Ok(ExitCode::SUCCESS),
    }
}

#[expect(clippy::exit, reason = "the command does not end, and whoever runs it asked twice")]
fn end_at_once(signal: u8) {
    std::process::exit(i32::from(128 + signal));
}

/// As shells give it.
fn code_of(signal: u8) -> ExitCode {
    ExitCode::from(128_u8.saturating_add(signal))
}

/// Ends with the number of the signal that stops the program.
#[cfg(unix)]
pub(crate) fn stopped() -> Result<impl Future<Output = u8> + Send + 'static, Failure> {
    use tokio::signal::unix::{SignalKind, signal};
    let listen = |kind| signal(kind).map_err(|error| Failure::operation(format!("signals: {error}")));
    let (mut terminate, mut interrupt) = (listen(SignalKind::terminate())?, listen(SignalKind::interrupt())?);
    let mut hangup = if hangups_end() { Some(listen(SignalKind::hangup())?) } else { None };
    Ok(async move {
        let hung_up = async {
            match &mut hangup {
                Some(hangup) => drop(hangup.recv().await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = terminate.recv() => 15,
            _ = interrupt.recv() => 2,
            () = hung_up => 1,
        }
    })
}

/// Ends when the program is interrupted.
#[cfg(not(unix))]
pub(crate) fn stopped() -> Result<impl Future<Output = u8> + Send + 'static, Failure> {
    Ok(async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            tracing::error!(%error, "interrupts cannot be seen");
            std::future::pending::<()>().await;
        }
        2
    })
}

/// Whether a hangup would end the program: not under `nohup`. Where that cannot be known, hangups are left as they are.
#[cfg(unix)]
fn hangups_end() -> bool {
    static END: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *END.get_or_init(|| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        ignored.is_some_and(|mask| mask & 1 == 0)
    })
}

/// What a thread of its own does. The end of the program does not wait for the thread, which may read from a silent terminal.
pub(crate) async fn in_own_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    let (tell, told) = oneshot::channel();
    std::thread::spawn(move || drop(tell.send(work())));
    told.await.map_err(|_ended| Failure::operation("the thread that reads ended without an answer"))
}

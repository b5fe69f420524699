//! Whether and when to ask again, decided without I/O.

use crate::limits::CUT;
use std::time::Duration;

use crate::{
    connection::Retry,
    error::{CallError, FailureKind, Outcome},
};

/// The wait before the next attempt, or `None` if there is none.
///
/// `repeatable`: doing it twice changes nothing more, or the service tells a repeat by its key. Anything else is sent again only if it
/// certainly was not carried out. `made` attempts were made; `left` is what is left of the call's time; `random` is any number.
pub(crate) fn wait(
    retry: Retry,
    error: &CallError,
    repeatable: bool,
    made: u32,
    left: Duration,
    random: u64,
) -> Option<Duration> {
    if made >= retry.attempts || !may_help(error) || !(repeatable || error.outcome == Outcome::NotDone) {
        return None;
    }
    let doubled = Duration::from_millis(retry.base_ms)
        .saturating_mul(1_u32.checked_shl(made.saturating_sub(1)).unwrap_or(u32::MAX));
    let half = doubled.min(Duration::from_millis(retry.max_ms)) / 2;
    let share = u32::try_from(random % 1_001).unwrap_or(0);
    let jitter = half.saturating_mul(share) / 1_000;
    // What the service asks for is waited for in full, plus jitter, so that replicas do not return all at once.
    let wait = error.retry_after.unwrap_or(half).saturating_add(jitter);
    (wait < left).then_some(wait)
}

/// Whether the same request may well be answered later.
fn may_help(error: &CallError) -> bool {
    match error.kind {
        FailureKind::RateLimited => true,
        FailureKind::Unavailable => !matches!(error.status, Some(501 | 505)),
        // An answer that broke off; what is not JSON, too large or elsewhere will be so again.
        FailureKind::Unreadable => error.detail == CUT,
        FailureKind::Invalid
        | FailureKind::Unauthorized
        | FailureKind::Forbidden
        | FailureKind::NotFound
        | FailureKind::Conflict
        | FailureKind::Timeout => false,
    }
}

#[cfg(test)]
#[path = "retry_tests.rs"]
mod tests;

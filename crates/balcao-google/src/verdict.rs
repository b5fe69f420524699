//! What an answer of the API means: the table of errors in Google's guide "Handle API errors", with the reason of an error first and its
//! status second.

use balcao_app::scheduling::remote_calendar::service::{DisconnectCause, ServiceError};
use serde_json::Value;

use crate::limits::Limits;
use crate::transport::{Answer, Silence};

/// Levels of arrays and objects in an answer.
const LEVELS: usize = 32;
/// How long to wait once an account is over a limit of a day, in milliseconds.
const HOURS_MS: u64 = 3_600_000;
/// Characters of a service's own words that are repeated.
const MOST_WORDS: usize = 200;

/// Whether a request may change something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Read,
    Write,
}

/// What follows from an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Verdict {
    /// It is done, and this came back; `Null` where nothing did.
    Done(Value),
    /// The access token is refused: another one may do.
    Renew,
    /// The same request may be sent once more; if not, this is the error.
    Again(ServiceError),
    /// It failed.
    Failed(ServiceError),
}

/// Judges what came of a request.
pub(crate) fn judge(came: Result<Answer, Silence>, effect: Effect, limits: &Limits) -> Verdict {
    match came {
        Ok(answer) if (200..300).contains(&answer.status) => read(&answer, effect, limits),
        Ok(answer) => refusal(&answer, effect),
        Err(Silence::NotSent(why)) => Verdict::Again(unavailable(why, None)),
        Err(Silence::Lost(why)) => lost(why, effect),
    }
}

fn read(answer: &Answer, effect: Effect, limits: &Limits) -> Verdict {
    if answer.status == 204 {
        return Verdict::Done(Value::Null);
    }
    match balcao_json::read_within(&answer.body, LEVELS, limits.values) {
        Ok(value) => Verdict::Done(value),
        Err(fault) => lost(&format!("the answer cannot be read: {fault}"), effect),
    }
}

/// A read may be sent again; a write may have been done.
fn lost(why: &str, effect: Effect) -> Verdict {
    match effect {
        Effect::Read => Verdict::Again(unavailable(why, None)),
        Effect::Write => Verdict::Failed(ServiceError::Unknown { reason: why.to_owned() }),
    }
}

fn unavailable(reason: &str, retry_after_ms: Option<u64>) -> ServiceError {
    ServiceError::Unavailable { reason: reason.to_owned(), retry_after_ms }
}

/// The reason of an error, and its words, as far as they can be read.
struct Said {
    reason: String,
    words: String,
}

impl Said {
    fn read(answer: &Answer) -> Self {
        let body = balcao_json::read_within(&answer.body, LEVELS, 1_000).unwrap_or(Value::Null);
        let text = |pointer: &str| body.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        // Newer front ends put their reason into `details`.
        let reason = text("/error/errors/0/reason").or_else(|| text("/error/details/0/reason"));
        let words: String = text("/error/message").unwrap_or_default().chars().take(MOST_WORDS).collect();
        Self { reason: reason.unwrap_or_default(), words }
    }

    /// For staff: status, reason and words.
    fn line(&self, status: u16) -> String {
        let parts = [status.to_string(), self.reason.clone(), self.words.clone()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

fn refusal(answer: &Answer, effect: Effect) -> Verdict {
    let said = Said::read(answer);
    let reason = said.line(answer.status);
    let over = |least: Option<u64>| unavailable(&reason, answer.retry_after_ms.max(least));
    let refused = || Verdict::Failed(ServiceError::Refused { reason: reason.clone() });
    let apart = |cause| Verdict::Failed(ServiceError::Disconnected { cause, reason: reason.clone() });
    match (answer.status, said.reason.as_str()) {
        (401, _) => Verdict::Renew,
        (403 | 429, "quotaExceeded" | "dailyLimitExceeded") => Verdict::Failed(over(Some(HOURS_MS))),
        (403, "rateLimitExceeded" | "userRateLimitExceeded" | "RATE_LIMIT_EXCEEDED") | (429, _) => {
            Verdict::Again(over(None))
        }
        (403, "accessNotConfigured" | "SERVICE_DISABLED") => apart(DisconnectCause::ApiDisabled),
        (403, "insufficientPermissions" | "ACCESS_TOKEN_SCOPE_INSUFFICIENT") => apart(DisconnectCause::MissingScope),
        (404, _) => Verdict::Failed(ServiceError::NotFound { what: said.words }),
        (409, _) => Verdict::Failed(ServiceError::Duplicate),
        (410, "fullSyncRequired" | "updatedMinTooLongAgo") => Verdict::Failed(ServiceError::TokenGone),
        (410, _) => Verdict::Failed(ServiceError::Deleted),
        (412, _) => Verdict::Failed(ServiceError::Changed),
        (408 | 500..=599, _) => match effect {
            Effect::Read => Verdict::Again(over(None)),
            // The service may have failed after the write.
            Effect::Write => Verdict::Failed(ServiceError::Unknown { reason }),
        },
        _ => refused(),
    }
}

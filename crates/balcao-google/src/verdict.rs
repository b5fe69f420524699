//! What an answer of the API means: the table of errors in Google's guide "Handle API errors", with the reason of an error first and its
//! status second.

use balcao_app::context::calendar_service::{DisconnectCause, ServiceError};
use serde_json::Value;

use crate::limits::Limits;
use crate::transport::{Answer, Silence};

/// Levels of arrays and objects in an answer.
const LEVELS: usize = 32;
/// How long to wait once an account is over a limit of a day, in milliseconds.
const HOURS_MS: u64 = 3_600_000;
/// Reasons of a limit that lasts for hours.
const OVER_FOR_HOURS: [&str; 2] = ["quotaExceeded", "dailyLimitExceeded"];
/// Reasons of one error that are read.
const MOST_REASONS: usize = 8;
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

/// Says what follows from what came of a request.
pub(crate) fn classify(came: Result<Answer, Silence>, effect: Effect, limits: &Limits) -> Verdict {
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

/// The reasons of an error, and its words, as far as they can be read.
struct Said {
    reasons: Vec<String>,
    words: String,
}

impl Said {
    fn read(answer: &Answer) -> Self {
        let body = balcao_json::read_within(&answer.body, LEVELS, 1_000).unwrap_or(Value::Null);
        // Newer front ends put a second, more exact reason into `details`.
        let lists = ["/error/errors", "/error/details"].into_iter().filter_map(|list| body.pointer(list)?.as_array());
        let reasons = lists.flatten().filter_map(|one| one.get("reason")?.as_str()).take(MOST_REASONS);
        let reasons = reasons.map(|reason| reason.chars().take(MOST_WORDS).collect()).collect();
        let words = body.pointer("/error/message").and_then(Value::as_str).unwrap_or_default();
        Self { reasons, words: words.chars().take(MOST_WORDS).collect() }
    }

    fn has(&self, reasons: &[&str]) -> bool {
        self.reasons.iter().any(|one| reasons.contains(&one.as_str()))
    }

    /// For staff: status, reasons and words.
    fn line(&self, status: u16) -> String {
        let parts = [status.to_string(), self.reasons.join(", "), self.words.clone()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

fn refusal(answer: &Answer, effect: Effect) -> Verdict {
    let said = Said::read(answer);
    let reason = said.line(answer.status);
    let over = |least: Option<u64>| unavailable(&reason, answer.retry_after_ms.max(least));
    let failed = Verdict::Failed;
    match answer.status {
        401 => Verdict::Renew,
        403 => forbidden(&said, reason, answer.retry_after_ms),
        404 => failed(ServiceError::NotFound { what: said.words }),
        409 => failed(ServiceError::Duplicate),
        410 if said.has(&["fullSyncRequired", "updatedMinTooLongAgo"]) => failed(ServiceError::TokenGone),
        410 => failed(ServiceError::Deleted),
        412 => failed(ServiceError::Changed),
        429 if said.has(&OVER_FOR_HOURS) => failed(over(Some(HOURS_MS))),
        429 => Verdict::Again(over(None)),
        408 | 500..=599 => match effect {
            Effect::Read => Verdict::Again(over(None)),
            // The service may have failed after the write.
            Effect::Write => failed(ServiceError::Unknown { reason }),
        },
        _ => failed(ServiceError::Refused { reason }),
    }
}

/// Status 403 means a limit, a missing right of the whole connection, or a missing right on this calendar.
fn forbidden(said: &Said, reason: String, retry_after_ms: Option<u64>) -> Verdict {
    if said.has(&OVER_FOR_HOURS) {
        return Verdict::Failed(unavailable(&reason, retry_after_ms.max(Some(HOURS_MS))));
    }
    if said.has(&["rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED"]) {
        return Verdict::Again(unavailable(&reason, retry_after_ms));
    }
    if said.has(&["accessNotConfigured", "SERVICE_DISABLED"]) {
        return Verdict::Failed(ServiceError::Disconnected { cause: DisconnectCause::ApiDisabled, reason });
    }
    if said.has(&["insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"]) {
        return Verdict::Failed(ServiceError::Disconnected { cause: DisconnectCause::MissingScope, reason });
    }
    Verdict::Failed(ServiceError::Refused { reason })
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;

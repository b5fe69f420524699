//! What Meta's error codes mean for a message: one table, for answers to a request and for statuses that come later.
//!
//! Built on `code` alone: titles are being withdrawn, and the HTTP status is not reliable. Codes that are not in the table
//! are permanent for that message, as careful clients treat them, unless Meta says `is_transient`.

use std::time::Duration;

use serde_json::Value;

use super::json;
use crate::error::{
    GiveUpReason::{Capped, IdentityChanged, Media, NeedsNumber, OptedOut, Rejected, Template, Unreachable},
    PaceLimit, SendClass, SendError,
};

/// What an operator needs at least.
const OPERATOR: Duration = Duration::from_mins(1);

/// What may be done about an error of this code.
#[must_use]
pub const fn class_of(code: Option<i64>, transient: bool) -> SendClass {
    let Some(code) = code else {
        return if transient { SendClass::retry() } else { SendClass::give_up(Rejected) };
    };
    match code {
        // Transient, or maintenance; then the limits of app, business account and number, and that of one customer.
        1 | 2 | 131_000 | 131_016 | 131_057 | 133_004 => SendClass::retry(),
        4 | 80_007 | 130_429 => SendClass::TooFast { limit: PaceLimit::Account },
        131_056 => SendClass::TooFast { limit: PaceLimit::Customer },
        131_047 => SendClass::OutsideWindow,
        // Token, permissions, display name, registration.
        0 | 3 | 10 | 190 | 200..=299 | 131_005 | 131_037 | 131_045 | 133_010 | 133_016 => SendClass::Misconfigured,
        // Restricted, locked, unpaid, limited for spam.
        368 | 131_031 | 131_042 | 131_048 => SendClass::Misconfigured,
        // The operator has to act for this message, others of the account leave: a number outside of the test list, marketing
        // switched off, templates of a wrong class.
        131_030 | 131_063 | 131_064 => SendClass::Retry { after: Some(OPERATOR) },
        130_497 | 131_026 => SendClass::give_up(Unreachable),
        131_050 => SendClass::give_up(OptedOut),
        130_472 | 131_049 => SendClass::give_up(Capped),
        131_062 => SendClass::give_up(NeedsNumber),
        131_052 | 131_053 => SendClass::give_up(Media),
        137_000 => SendClass::give_up(IdentityChanged),
        132_000 | 132_001 | 132_005 | 132_007 | 132_008 | 132_012 | 132_015 | 132_016 | 132_018 | 132_068 | 132_069 => {
            SendClass::give_up(Template)
        }
        // Mistakes of ours, a kind that cannot be sent, calling, the block list, and "generic".
        33 | 100 | 131_008 | 131_009 | 131_021 | 131_051 | 135_000 | 138_000..=138_999 | 139_100..=139_103 => {
            SendClass::give_up(Rejected)
        }
        _ if transient => SendClass::retry(),
        _ => SendClass::give_up(Rejected),
    }
}

/// Meta's own words about an error object, without what they may repeat of ours ([`clean`]).
pub(super) fn detail(error: &Value) -> Option<String> {
    let words = json::text(error, &["error_data", "details"])
        .or_else(|| json::text(error, &["error_data"]))
        .or_else(|| json::text(error, &["message"]))
        .or_else(|| json::text(error, &["title"]))?;
    Some(clean(words))
}

/// Words for staff: cut, without long runs of digits (numbers of customers) and long words (tokens).
pub(super) fn clean(words: &str) -> String {
    const LONGEST_WORD: usize = 40;
    const MOST_DIGITS: usize = 7;
    let private = |word: &&str| {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        word.chars().count() > LONGEST_WORD || digits > MOST_DIGITS
    };
    let kept: Vec<&str> = words
        .split_whitespace()
        .map(|word| if private(&word) { "…" } else { word })
        .take(SendError::MAX_MESSAGE)
        .collect();
    kept.join(" ").chars().take(SendError::MAX_MESSAGE).collect()
}

/// What an answer other than success means for something that is sent.
///
/// An error that Meta itself wrote is a refusal, whatever its status. Without one the status alone is left: of 5xx nobody
/// knows who answered, so the message may have been accepted behind it.
pub(super) fn from_answer(status: u16, body: &[u8]) -> SendError {
    let body = balcao_json::read(body, crate::channels::whatsapp::limits::MAX_DEPTH).unwrap_or(Value::Null);
    if let Some(error) = json::value_at(&body, &["error"]) {
        return refusal(error);
    }
    let (class, words) = match status {
        401 | 403 => (SendClass::Misconfigured, "refused without a reason: check the token"),
        404 => (SendClass::Misconfigured, "no such address: check the base URL, the version and the account's id"),
        408 | 429 => (SendClass::retry(), "asked to come later"),
        300..=399 => (SendClass::Misconfigured, "redirected, which is not followed: check the base URL"),
        400..=499 => (SendClass::give_up(Rejected), "refused without a reason"),
        _ => (SendClass::Unknown, "no readable answer; the message may have been sent"),
    };
    SendError::new(class, &format!("HTTP {status}: {words}"))
}

/// What Meta's error object means.
pub(super) fn refusal(error: &Value) -> SendError {
    let code = json::integer(error, &["code"]);
    let class = class_of(code, json::flag(error, &["is_transient"]));
    let message = detail(error).unwrap_or_else(|| "refused without words".to_owned());
    let trace = json::text(error, &["fbtrace_id"]).map(|trace| trace.chars().take(64).collect());
    SendError { code, trace, ..SendError::new(class, &message) }
}

#[cfg(test)]
#[path = "errors_tests.rs"]
mod tests;

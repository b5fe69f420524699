//! What a vendor's error means: one table for status codes and for the errors that vendors write into bodies and streams.

use std::time::Duration;

use jiff::{Timestamp, fmt::rfc2822};
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use serde_json::Value;

use crate::error::{ModelError, ModelErrorKind};
use crate::usage::Usage;

/// Longest [`ModelError::message`], in characters.
const MAX_MESSAGE: usize = 500;
/// A vendor that asks for more than a day means "not with this key".
const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 3600);

/// A [`ModelError`] before the provider's name is known and the request's text is struck from the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) kind: ModelErrorKind,
    pub(crate) message: String,
    pub(crate) retry_after: Option<Duration>,
    /// What the attempt took.
    pub(crate) usage: Usage,
}

impl Failure {
    pub(crate) fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry_after: None, usage: Usage::default() }
    }

    pub(crate) fn malformed(message: &str) -> Self {
        Self::new(ModelErrorKind::Malformed, message)
    }

    pub(crate) fn too_large(what: &str, limit: usize) -> Self {
        Self::new(ModelErrorKind::TooLarge, format!("{what}: more than {limit} bytes"))
    }

    /// The public error: message cut, and `secrets` (the key, the request's texts) struck from it.
    pub(crate) fn into_error<'a>(self, provider: &str, secrets: impl Iterator<Item = &'a str>) -> ModelError {
        let message = strike(self.message, secrets).chars().take(MAX_MESSAGE).collect();
        ModelError {
            kind: self.kind,
            provider: provider.to_owned(),
            message,
            retry_after: self.retry_after,
            usage: self.usage,
        }
    }
}

/// What an answer with a status other than 2xx means.
pub(crate) fn from_status(status: u16, headers: &HeaderMap, body: &[u8]) -> Failure {
    let parsed: Option<Value> = balcao_json::read_as(body, balcao_json::MOST_VALUES).ok();
    // Gemini wraps errors of streams into an array.
    let parsed = match parsed {
        Some(Value::Array(items)) => items.into_iter().next(),
        other => other,
    };
    let detail = parsed.as_ref().map(Detail::from_body).unwrap_or_default();
    let kind = detail.special_kind().unwrap_or_else(|| kind_of_status(status));
    let words = if detail.message.is_empty() { String::new() } else { format!(": {}", detail.words()) };
    Failure {
        kind,
        message: format!("HTTP {status}{words}"),
        retry_after: after_headers(headers).or(detail.retry_after).map(|wait| wait.min(MAX_RETRY_AFTER)),
        usage: Usage::default(),
    }
}

/// What an error means that came inside an answer with status 200. `body` is the object that holds `error`.
pub(crate) fn from_body(body: &Value) -> Failure {
    let detail = Detail::from_body(body);
    let kind = detail.special_kind().or_else(|| detail.status.map(kind_of_status)).unwrap_or_else(|| {
        match detail.code.to_ascii_lowercase().as_str() {
            "rate_limit_error" | "rate_limit_exceeded" | "overloaded_error" | "resource_exhausted" => {
                ModelErrorKind::RateLimited
            }
            "authentication_error" | "permission_error" | "billing_error" | "unauthenticated" | "permission_denied" => {
                ModelErrorKind::Denied
            }
            "invalid_request_error" | "not_found_error" | "request_too_large" | "invalid_argument" | "not_found" => {
                ModelErrorKind::Rejected
            }
            _ => ModelErrorKind::Upstream,
        }
    });
    Failure {
        kind,
        message: format!("error in the answer: {}", detail.words()),
        retry_after: detail.retry_after.map(|wait| wait.min(MAX_RETRY_AFTER)),
        usage: Usage::default(),
    }
}

const fn kind_of_status(status: u16) -> ModelErrorKind {
    match status {
        429 | 529 => ModelErrorKind::RateLimited,
        401..=403 => ModelErrorKind::Denied,
        408 | 409 | 425 | 499 | 500..=599 => ModelErrorKind::Upstream,
        _ => ModelErrorKind::Rejected,
    }
}

/// What vendors say about an error, whatever the shape.
#[derive(Debug, Default)]
struct Detail {
    message: String,
    /// The most telling of `code`, `status`, `type`, if it is a word.
    code: String,
    /// `code` or `status_code`, if it is an HTTP status.
    status: Option<u16>,
    reason: String,
    retry_after: Option<Duration>,
}

impl Detail {
    fn from_body(body: &Value) -> Self {
        let error = body.get("error").filter(|error| !error.is_null()).unwrap_or(body);
        if let Value::String(message) = error {
            return Self { message: message.clone(), ..Self::default() };
        }
        let word = |key: &str| error.get(key).and_then(Value::as_str).filter(|word| !word.is_empty());
        let number = |key: &str| {
            error
                .get(key)
                .and_then(Value::as_u64)
                .and_then(|n| u16::try_from(n).ok())
                .filter(|n| (300..600).contains(n))
        };
        let message = word("message").or_else(|| body.get("message").and_then(Value::as_str)).unwrap_or_default();
        let details = error.get("details").and_then(Value::as_array);
        let reason = details.into_iter().flatten().find_map(|item| item.get("reason")?.as_str()).unwrap_or_default();
        Self {
            message: message.to_owned(),
            code: word("code").or(word("status")).or(word("type")).unwrap_or_default().to_owned(),
            status: number("code").or(number("status_code")),
            reason: reason.to_owned(),
            retry_after: retry_info(error).or_else(|| after_words(message)),
        }
    }

    /// Kinds that the vendor's word decides whatever the status is.
    fn special_kind(&self) -> Option<ModelErrorKind> {
        match self.code.as_str() {
            "tool_use_failed" | "output_parse_failed" => Some(ModelErrorKind::ToolUseFailed),
            "insufficient_quota" | "invalid_api_key" | "billing_not_active" => Some(ModelErrorKind::Denied),
            "overloaded_error" => Some(ModelErrorKind::RateLimited),
            _ if self.reason == "API_KEY_INVALID" => Some(ModelErrorKind::Denied),
            _ => None,
        }
    }

    fn words(&self) -> String {
        match (self.code.is_empty(), self.message.is_empty()) {
            (true, _) => self.message.clone(),
            (false, true) => self.code.clone(),
            (false, false) => format!("{} ({})", self.message, self.code),
        }
    }
}

/// Google's `RetryInfo`, also where OpenRouter passes it on as text, and OpenRouter's own `retry_after_seconds`.
fn retry_info(error: &Value) -> Option<Duration> {
    let details = error.get("details").and_then(Value::as_array).into_iter().flatten();
    let google = details.filter_map(|item| item.get("retryDelay")?.as_str()).find_map(parse_span);
    google.or_else(|| {
        let metadata = error.get("metadata")?;
        let own = ["retry_after_seconds", "retry_after"].iter().find_map(|key| metadata.get(key)?.as_f64());
        own.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).or_else(|| {
            let raw: Value = {
                let raw = metadata.get("raw")?.as_str()?;
                balcao_json::read_as(raw.as_bytes(), balcao_json::MOST_VALUES).ok()?
            };
            retry_info(raw.get("error").unwrap_or(&raw))
        })
    })
}

/// "Please try again in 1m2.5s." (OpenAI, Groq).
fn after_words(message: &str) -> Option<Duration> {
    let (_, rest) = message.split_once("try again in ")?;
    let span = rest.split_whitespace().next()?;
    parse_span(span.trim_end_matches(['.', ',', ';']))
}

/// `34.07s`, `1m2.5s`, `250ms`, `2h`.
fn parse_span(written: &str) -> Option<Duration> {
    let mut rest = written;
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c != '.' && !c.is_ascii_digit())?;
        let (number, tail) = rest.split_at_checked(digits)?;
        let unit = tail.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at_checked(unit)?;
        let scale = match unit {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        let seconds: f64 = number.parse().ok()?;
        total = total.checked_add(Duration::try_from_secs_f64(seconds * scale).ok()?)?;
        rest = tail;
    }
    (!written.is_empty()).then_some(total)
}

/// `retry-after-ms`, or `Retry-After` as seconds or as an HTTP date (RFC 9110 §10.2.3). A date is read against the answer's
/// own `Date`, so that our clock need not agree with the vendor's; without one it is ignored.
fn after_headers(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(milliseconds) = text("retry-after-ms").and_then(|written| written.parse::<f64>().ok())
        && let Ok(wait) = Duration::try_from_secs_f64(milliseconds / 1000.0)
    {
        return Some(wait);
    }
    let written = text(RETRY_AFTER.as_str())?;
    if let Ok(seconds) = written.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = |written: &str| -> Option<Timestamp> { Some(rfc2822::parse(written).ok()?.timestamp()) };
    let until = date(written)?.duration_since(date(text(DATE.as_str())?)?);
    Some(Duration::try_from(until).unwrap_or(Duration::ZERO))
}

/// Strikes what a vendor quoted: whole short texts, and any sixteen characters of a longer one.
fn strike<'a>(message: String, secrets: impl Iterator<Item = &'a str>) -> String {
    const WINDOW: usize = 16;
    const SHORTEST: usize = 4;
    const STRUCK: char = '…';
    let letters: Vec<char> = message.chars().take(MAX_MESSAGE + WINDOW).collect();
    let mut struck = vec![false; letters.len()];
    for secret in secrets {
        let secret = secret.trim();
        let window = secret.chars().take(WINDOW).count();
        if window < SHORTEST {
            continue;
        }
        for (start, part) in letters.windows(window).enumerate() {
            let part: String = part.iter().collect();
            if secret.contains(&part) {
                struck.iter_mut().skip(start).take(window).for_each(|flag| *flag = true);
            }
        }
    }
    let mut clean = String::with_capacity(message.len());
    for (letter, hidden) in letters.into_iter().zip(struck) {
        if !hidden {
            clean.push(letter);
        } else if !clean.ends_with(STRUCK) {
            clean.push(STRUCK);
        }
    }
    // Vendors echo keys half masked, so that the whole key is not found above.
    const KEY_PREFIXES: [&str; 6] = ["sk-", "gsk_", "AIza", "xai-", "sk_", "Bearer "];
    if KEY_PREFIXES.iter().any(|prefix| clean.contains(prefix)) {
        let words = clean.split(' ').map(|word| {
            let keyish = KEY_PREFIXES.iter().any(|prefix| word.contains(prefix.trim_end()));
            if keyish { "…" } else { word }
        });
        clean = words.collect::<Vec<_>>().join(" ");
    }
    clean
}

#[cfg(test)]
#[path = "failure_tests.rs"]
mod tests;

//! What an answer means, decided from its status, headers and bytes.

use crate::limits::MAX_LEVELS;
use std::borrow::Cow;
use std::time::Duration;

use balcao_json::Fault;
use jiff::{Timestamp, fmt::rfc2822};
use reqwest::header::{CONTENT_TYPE, DATE, HeaderMap, LINK, RETRY_AFTER};
use serde_json::{Map, Value};

use crate::limits::CUT;
use crate::{
    command::Response,
    connection::{Errors, LimitHeaders, ResetIn},
    error::{CallError, FailureKind, Outcome},
    rate::RateLimitReport,
};

/// Longest text of a service that staff are shown, in characters.
const MAX_DETAIL: usize = 500;
/// Values of an answer that tells of a failure.
const MAX_ERROR_VALUES: usize = 10_000;

/// A service that asks for more than a day means "not with this account".
const MAX_WAIT: Duration = Duration::from_secs(24 * 3600);

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// What was read of it, as the call's budget counts.
    pub(crate) taken: usize,
}

/// How much of the body came.
#[derive(Debug)]
pub(crate) enum Bytes {
    Whole(Vec<u8>),
    TooLarge,
    Cut,
    Late,
}

/// Bytes and values of a body that are read where they arrive: less than a millisecond's work.
const INLINE_BYTES: usize = 64 * 1024;
const INLINE_VALUES: usize = 5_000;

impl Answer {
    /// Whether reading it would hold up others on the same thread.
    pub(crate) fn is_large(&self) -> bool {
        match &self.body {
            Bytes::Whole(bytes) => {
                bytes.len() > INLINE_BYTES
                    || bytes.len() > INLINE_VALUES && balcao_json::count_values(bytes) > INLINE_VALUES
            }
            Bytes::TooLarge | Bytes::Cut | Bytes::Late => false,
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim)
    }

    /// All `Link` headers as one: a service may write one for each link, and titles in letters that are no ASCII.
    pub(crate) fn links(&self) -> Option<String> {
        let all: Vec<String> = self
            .headers
            .get_all(LINK)
            .iter()
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
            .collect();
        (!all.is_empty()).then(|| all.join(", "))
    }

    /// The answer's JSON, of at most `max_values` values, or why it is none. `writes` says whether the request may have changed something.
    pub(crate) fn read(
        &self,
        response: &Response,
        errors: &Errors,
        writes: bool,
        max_values: usize,
        now: Timestamp,
    ) -> Result<Value, CallError> {
        if !(200..300).contains(&self.status) {
            return Err(self.failure(errors, writes, now));
        }
        // The service carried out the request, but its answer is unreadable.
        let outcome = if writes { Outcome::Unknown } else { Outcome::NotDone };
        let unreadable = |kind, detail: String| {
            Err(CallError { status: Some(self.status), ..CallError::new(kind, outcome, detail) })
        };
        let bytes = match &self.body {
            Bytes::Whole(bytes) => bytes,
            Bytes::TooLarge => {
                return unreadable(FailureKind::Unreadable, "the answer is larger than allowed".to_owned());
            }
            Bytes::Cut => return unreadable(FailureKind::Unreadable, CUT.to_owned()),
            Bytes::Late => return unreadable(FailureKind::Timeout, "the answer did not end in time".to_owned()),
        };
        let bytes = &*self.in_utf8(bytes);
        if balcao_json::without_mark(bytes).iter().all(u8::is_ascii_whitespace) {
            return Ok(Value::Object(response.empty.clone().unwrap_or_default()));
        }
        let kind = self.header(CONTENT_TYPE.as_str()).unwrap_or_default();
        if !is_json(kind) {
            if response.text {
                return Ok(Value::String(String::from_utf8_lossy(balcao_json::without_mark(bytes)).into_owned()));
            }
            // Many services do not say what they send, or only that it can be read. JSON is JSON.
            if says_no_type(kind)
                && let Ok(value) = balcao_json::read_within(bytes, MAX_LEVELS, max_values)
            {
                return Ok(value);
            }
            let kind: String = kind.chars().filter(|c| c.is_ascii_graphic()).take(60).collect();
            return unreadable(
                FailureKind::Unreadable,
                format!("the answer has the content type `{kind}`; expected JSON"),
            );
        }
        balcao_json::read_within(bytes, MAX_LEVELS, max_values).or_else(|fault| {
            let what = match fault {
                // Keys are the answer's own words, and whoever reads this believes it.
                Fault::KeyTwice { .. } => "JSON with a key that is given twice".to_owned(),
                Fault::TooMany { .. } => "JSON of more values than one call may hold".to_owned(),
                Fault::TooLarge { .. } => "JSON with a whole number that no 64 bits hold".to_owned(),
                fault @ (Fault::Malformed { .. } | Fault::TooDeep { .. }) => fault.to_string(),
            };
            unreadable(FailureKind::Unreadable, format!("the answer is {what}"))
        })
    }

    fn failure(&self, errors: &Errors, writes: bool, now: Timestamp) -> CallError {
        let body = match &self.body {
            Bytes::Whole(bytes) => balcao_json::read_within(&self.in_utf8(bytes), MAX_LEVELS, MAX_ERROR_VALUES).ok(),
            Bytes::TooLarge | Bytes::Cut | Bytes::Late => None,
        };
        let told = |pointer: &Option<String>| body.as_ref()?.pointer(pointer.as_deref()?);
        let code = told(&errors.code).and_then(crate::template::plain).filter(|code| is_code(code));
        let special = code.as_ref().and_then(|code| errors.codes.get(code)).copied();
        let kind = special.unwrap_or_else(|| FailureKind::of_status(self.status));
        // A status that says no says that nothing was done. What fails inside may have been done all the same.
        let inside = matches!(self.status, 500..=599) && !matches!(self.status, 501 | 505);
        let outcome = if writes && (inside || self.status < 400) { Outcome::Unknown } else { Outcome::NotDone };
        let detail = match told(&errors.message).and_then(Value::as_str) {
            Some(message) => message.chars().filter(|c| !c.is_control()).take(MAX_DETAIL).collect(),
            None if (300..400).contains(&self.status) => "the answer leads to another address".to_owned(),
            None => String::new(),
        };
        let retry_after = retry_after(&self.headers, now);
        CallError { status: Some(self.status), code, retry_after, ..CallError::new(kind, outcome, detail) }
    }

    /// What it says of the budget.
    pub(crate) fn budget(&self, headers: &LimitHeaders, now: Timestamp) -> RateLimitReport {
        let number = |name: &str| self.header(name).and_then(|text| text.parse::<u64>().ok());
        let reset = number(&headers.reset).map(|reset| {
            let now = self.date().unwrap_or(now);
            let since = |unix_ms: u64, now_ms: i64| {
                Duration::from_millis(unix_ms.saturating_sub(u64::try_from(now_ms).unwrap_or(0)))
            };
            match headers.reset_in {
                ResetIn::UnixSeconds => since(reset.saturating_mul(1_000), now.as_millisecond()),
                ResetIn::UnixMilliseconds => since(reset, now.as_millisecond()),
                ResetIn::Seconds => Duration::from_secs(reset),
            }
        });
        let refused = (self.status == 429).then(|| retry_after(&self.headers, now));
        RateLimitReport {
            remaining: number(&headers.remaining),
            reset: reset.filter(|wait| *wait <= MAX_WAIT),
            refused,
        }
    }

    /// A body in UTF-8: one in UTF-16 that begins with its mark, and one in Latin-1 whose type says so. Services that say so and write UTF-8
    /// all the same are believed by what they write: no text of a language has its sequences of bytes in Latin-1.
    fn in_utf8<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let unit: Option<fn([u8; 2]) -> u16> = match bytes {
            [0xff, 0xfe, ..] => Some(u16::from_le_bytes),
            [0xfe, 0xff, ..] => Some(u16::from_be_bytes),
            _ => None,
        };
        if let Some(unit) = unit {
            let (pairs, odd) = bytes.as_chunks::<2>();
            let units = pairs.iter().skip(1).map(|pair| unit(*pair));
            let letters = char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER));
            let cut = (!odd.is_empty()).then_some(char::REPLACEMENT_CHARACTER);
            return Cow::Owned(letters.chain(cut).collect::<String>().into_bytes());
        }
        let is_latin = self.header(CONTENT_TYPE.as_str()).is_some_and(is_latin_1);
        if !is_latin || std::str::from_utf8(bytes).is_ok() {
            return Cow::Borrowed(bytes);
        }
        Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect::<String>().into_bytes())
    }

    /// The service's own time: our clock need not agree with it.
    fn date(&self) -> Option<Timestamp> {
        Some(rfc2822::parse(self.header(DATE.as_str())?).ok()?.timestamp())
    }
}

fn is_json(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || kind == "text/json" || (kind.starts_with("application/") && kind.ends_with("+json"))
}

/// Whether a content type says nothing of what the content is.
fn says_no_type(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim();
    kind.is_empty() || kind.eq_ignore_ascii_case("text/plain")
}

/// Whether a content type says that its text is in Latin-1.
fn is_latin_1(content_type: &str) -> bool {
    content_type.split(';').skip(1).any(|parameter| {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let value = value.trim().trim_matches('"').to_ascii_lowercase();
        name.trim().eq_ignore_ascii_case("charset") && matches!(value.as_str(), "iso-8859-1" | "iso8859-1" | "latin1")
    })
}

/// A word that a program made, not a sentence that somebody wrote into an answer for a model to read.
fn is_code(text: &str) -> bool {
    (1..=40).contains(&text.len()) && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// `Retry-After` as seconds or as a date (RFC 9110 §10.2.3). A date is read against the answer's own; without one against our clock. More
/// than [`MAX_WAIT`] is told as that: "not now".
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let written = text(RETRY_AFTER.as_str())?;
    let wait = match written.parse::<f64>() {
        Ok(seconds) if seconds < 0.0 || seconds.is_nan() => return None,
        Ok(seconds) => Duration::try_from_secs_f64(seconds).unwrap_or(MAX_WAIT),
        Err(_no_number) => {
            let date = |written: &str| -> Option<Timestamp> { Some(rfc2822::parse(written).ok()?.timestamp()) };
            let from = text(DATE.as_str()).and_then(date).unwrap_or(now);
            Duration::try_from(date(written)?.duration_since(from)).unwrap_or(Duration::ZERO)
        }
    };
    Some(wait.min(MAX_WAIT))
}

/// The result: the part that matters, and of that what is kept.
///
/// # Errors
/// What is missing in the answer.
pub(crate) fn result(response: &Response, mut answer: Value) -> Result<Value, String> {
    if let Some(pointer) = &response.at {
        answer =
            answer.pointer_mut(pointer).map(Value::take).ok_or_else(|| format!("the answer has no `{pointer}`"))?;
    }
    Ok(shape(response, answer))
}

/// A part of an answer, without what is not kept, under its key.
pub(crate) fn shape(response: &Response, part: Value) -> Value {
    let kept = if response.keep.is_empty() { part } else { kept(response, &part) };
    under(response, kept)
}

/// A part of an answer, or an entry of it, without what is not kept.
pub(crate) fn kept(response: &Response, part: &Value) -> Value {
    let ways: Vec<Vec<&str>> = response.keep.iter().map(|way| way.split('.').collect()).collect();
    let ways: Vec<&[&str]> = ways.iter().map(Vec::as_slice).collect();
    if ways.is_empty() { part.clone() } else { select_fields(part, &ways) }
}

/// What is kept, under its key.
pub(crate) fn under(response: &Response, kept: Value) -> Value {
    match &response.under {
        Some(key) => Value::Object(Map::from_iter([(key.clone(), kept)])),
        None => kept,
    }
}

fn select_fields(value: &Value, ways: &[&[&str]]) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| select_fields(item, ways)).collect(),
        Value::Object(fields) => {
            let mut kept = Map::new();
            for first in ways.iter().filter_map(|way| way.first()) {
                let Some(field) = fields.get(*first).filter(|_| !kept.contains_key(*first)) else { continue };
                let further: Vec<&[&str]> = ways
                    .iter()
                    .filter_map(|way| way.split_first().filter(|(name, _)| *name == first).map(|(_, rest)| rest))
                    .collect();
                let whole = further.iter().any(|rest| rest.is_empty());
                kept.insert((*first).to_owned(), if whole { field.clone() } else { select_fields(field, &further) });
            }
            Value::Object(kept)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

#[cfg(test)]
#[path = "response_tests.rs"]
mod tests;

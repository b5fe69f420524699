//! Pages: a few rows, and an opaque text that the next ones begin behind.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::input::bad_parameter;
use crate::problem::Problem;

/// Rows of a page if the request does not say how many.
const USUAL: u32 = 25;

/// Which page.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PageQuery {
    /// How many rows at most.
    #[schemars(range(min = 1, max = 100), example = 25)]
    limit: Option<u32>,
    /// `next_cursor` of the page before; without it, the first page.
    #[schemars(length(max = 200), regex(pattern = r"^[A-Za-z0-9_-]+$"))]
    cursor: Option<String>,
}

/// A page.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}Page")]
pub(super) struct Page<T> {
    /// The rows.
    pub(super) items: Vec<T>,
    /// Give it as `cursor` to get the next page; null on the last one.
    pub(super) next_cursor: Option<String>,
}

/// How many rows at most.
pub(super) fn limit(given: Option<u32>) -> u32 {
    given.unwrap_or(USUAL).clamp(1, 100)
}

impl PageQuery {
    pub(super) fn limit(&self) -> u32 {
        limit(self.limit)
    }

    pub(super) fn id<I: TryFrom<i64>>(&self) -> Result<Option<I>, Problem> {
        self.cursor.as_deref().map(read_id).transpose()
    }
}

/// A cursor behind an id.
pub(super) fn of_id(id: i64) -> String {
    URL_SAFE_NO_PAD.encode(id.to_string())
}

/// A cursor behind an instant and an id.
pub(super) fn of_instant(at: Timestamp, id: i64) -> String {
    URL_SAFE_NO_PAD.encode(format!("{}.{id}", at.as_millisecond()))
}

/// Reads [`of_id`].
pub(super) fn read_id<I: TryFrom<i64>>(cursor: &str) -> Result<I, Problem> {
    let id = text(cursor).and_then(|text| I::try_from(text.parse().ok()?).ok());
    id.ok_or_else(|| unreadable(cursor))
}

/// Reads [`of_instant`].
pub(super) fn read_instant<I: TryFrom<i64>>(cursor: &str) -> Result<(Timestamp, I), Problem> {
    let read = || {
        let text = text(cursor)?;
        let (at, id) = text.split_once('.')?;
        let at = Timestamp::from_millisecond(at.parse().ok()?).ok()?;
        Some((at, I::try_from(id.parse().ok()?).ok()?))
    };
    read().ok_or_else(|| unreadable(cursor))
}

fn text(cursor: &str) -> Option<String> {
    String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()
}

fn unreadable(cursor: &str) -> Problem {
    bad_parameter("cursor", cursor, "`next_cursor` of a page of the same list".to_owned())
}

//! Further pages: which request comes next, decided from the answer before.

use reqwest::Url;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{fields::check_pointer, problem::Problem, template::plain};

/// How further pages are asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pagination {
    /// The way of this service.
    pub style: PageStyle,
    /// JSON pointer to the entries in an answer.
    pub items: String,
    /// `page`, `offset`, `cursor`: the name in the query.
    #[serde(default)]
    pub param: Option<String>,
    /// `page`, `offset`: the first value.
    #[serde(default)]
    pub start: u64,
    /// `page`, `offset`: entries of a full page. A page with fewer is the last one.
    #[serde(default)]
    #[schemars(range(min = 1, max = 10_000))]
    pub size: Option<u64>,
    /// `page`, `offset`: the name in the query by which `size` is asked for, if the service wants to be told.
    #[serde(default)]
    pub size_param: Option<String>,
    /// `cursor`, `next_url`: JSON pointer to what leads on.
    #[serde(default)]
    pub next: Option<String>,
    /// JSON pointer to a truth value that says that this page is the last one.
    #[serde(default)]
    pub last: Option<String>,
    /// Most pages of one call.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 100))]
    pub max_pages: u32,
    /// Most entries of one call.
    #[serde(default = "thousand")]
    #[schemars(range(min = 1, max = 100_000))]
    pub max_items: usize,
}

const fn ten() -> u32 {
    10
}
const fn thousand() -> usize {
    1_000
}

/// A way to have pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PageStyle {
    /// Pages are counted.
    Page,
    /// Entries are counted.
    Offset,
    /// An answer holds a word for the next one.
    Cursor,
    /// An answer holds the address of the next one.
    NextUrl,
    /// The `Link` header holds the address of the next one (RFC 8288).
    Link,
}

/// What comes after a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NextPage {
    /// Nothing.
    End,
    /// The same request with this in its query.
    Query(String, String),
    /// This address.
    Address(String),
}

impl Pagination {
    pub(crate) fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut need = |key: &str, there: bool| {
            if !there {
                let style = format!("{:?}", self.style).to_lowercase();
                problems.push(
                    Problem::new("", format!("the style {style} needs `{key}`")).suggest(format!("add `{key}: …`")),
                );
            }
        };
        match self.style {
            PageStyle::Page => {
                need("param", self.param.is_some());
                need("size` or `last", self.size.is_some() || self.last.is_some());
            }
            PageStyle::Offset => {
                need("param", self.param.is_some());
                need("size", self.size.is_some());
            }
            PageStyle::Cursor => {
                need("param", self.param.is_some());
                need("next", self.next.is_some());
            }
            PageStyle::NextUrl => need("next", self.next.is_some()),
            PageStyle::Link => {}
        }
        check_pointer(Some(&self.items), "/items", &mut problems);
        check_pointer(self.next.as_deref(), "/next", &mut problems);
        check_pointer(self.last.as_deref(), "/last", &mut problems);
        problems
    }

    /// What the first request says of pages, unless the caller asks for a page of their own.
    pub(crate) fn first(&self) -> Vec<(String, String)> {
        let counted = matches!(self.style, PageStyle::Page | PageStyle::Offset);
        let start = self.param.as_ref().filter(|_| counted).map(|name| (name.clone(), self.start.to_string()));
        let size = self.size_param.clone().zip(self.size.map(|size| size.to_string()));
        start.into_iter().chain(size).collect()
    }

    /// What comes after this answer, the `page`-th from 0, with `count` entries. An empty page is the last one where pages are counted;
    /// where the answer itself leads on, a service may have filtered all entries of one page and have more on the next.
    pub(crate) fn after(&self, page: u32, count: usize, answer: &Value, link: Option<&str>) -> NextPage {
        let told = |pointer: &Option<String>| pointer.as_ref().and_then(|pointer| answer.pointer(pointer));
        if told(&self.last).is_some_and(|last| last == &Value::Bool(true)) {
            return NextPage::End;
        }
        let next = u64::from(page).saturating_add(1);
        let param = self.param.clone().unwrap_or_default();
        match self.style {
            PageStyle::Page | PageStyle::Offset => {
                let count = u64::try_from(count).unwrap_or(u64::MAX);
                // Without a word on the last page, a page that is not full is the last one.
                if count == 0 || told(&self.last).is_none() && self.size.is_none_or(|size| count < size) {
                    return NextPage::End;
                }
                let step = if self.style == PageStyle::Page { 1 } else { self.size.unwrap_or(count) };
                NextPage::Query(param, self.start.saturating_add(next.saturating_mul(step)).to_string())
            }
            PageStyle::Cursor => match told(&self.next)
                .filter(|next| **next != Value::Bool(false))
                .and_then(plain)
                .filter(|word| !word.is_empty())
            {
                Some(word) => NextPage::Query(param, word),
                None => NextPage::End,
            },
            PageStyle::NextUrl => match told(&self.next).and_then(Value::as_str).filter(|url| !url.is_empty()) {
                Some(url) => NextPage::Address(url.to_owned()),
                None => NextPage::End,
            },
            PageStyle::Link => link.and_then(next_link).map_or(NextPage::End, NextPage::Address),
        }
    }
}

/// The target of `rel="next"` in a `Link` header (RFC 8288): addresses stand between angle brackets and values perhaps in quotes, and
/// either may hold commas and semicolons.
fn next_link(header: &str) -> Option<String> {
    let mut rest = header;
    while let Some((_, after)) = rest.split_once('<') {
        let (target, after) = after.split_once('>')?;
        let (parameters, after) = until(after, ',');
        rest = after;
        let mut left = parameters;
        let mut rel = None;
        while !left.is_empty() {
            let (parameter, after) = until(left, ';');
            left = after;
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            // Of several only the first counts.
            if rel.is_none() && name.trim().eq_ignore_ascii_case("rel") {
                rel = Some(value.trim().trim_matches('"'));
            }
        }
        if rel.is_some_and(|rel| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("next"))) {
            return Some(target.trim().to_owned());
        }
    }
    None
}

/// What stands before the first `end` that is not within quotes, and what stands behind it.
fn until(text: &str, end: char) -> (&str, &str) {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let found = text.find(|c| {
        let is_end = c == end && !is_quoted;
        if c == '"' && !is_escaped {
            is_quoted = !is_quoted;
        }
        is_escaped = is_quoted && c == '\\' && !is_escaped;
        is_end
    });
    let (before, after) = text.split_at_checked(found.unwrap_or(text.len())).unwrap_or((text, ""));
    (before, after.strip_prefix(end).unwrap_or_default())
}

/// The address of a next page, read against the one before: it must lie at the same origin.
///
/// # Errors
/// Why it is not followed.
pub(crate) fn same_origin(from: &Url, to: &str) -> Result<Url, &'static str> {
    let url = from.join(to).map_err(|_not_an_address| "the next page has no address")?;
    if url.origin() == from.origin() { Ok(url) } else { Err("the next page is said to lie at another host") }
}

#[cfg(test)]
#[path = "pagination_tests.rs"]
mod tests;

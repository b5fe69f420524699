//! The page and its files. Nothing in it comes from elsewhere, and nothing inline runs.

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::Demo;

const PAGE: &str = include_str!("../../../assets/demo/index.html");
const STYLE: &str = include_str!("../../../assets/demo/style.css");
const SCRIPT: &str = include_str!("../../../assets/demo/page.js");
const TRACE: &str = include_str!("../../../assets/demo/trace.js");
const WORDS: &str = include_str!("../../../assets/demo/words.js");
const AGENDA: &str = include_str!("../../../assets/demo/agenda.js");

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/// In which language the page is shown.
#[derive(Debug, Deserialize)]
pub(super) struct Language {
    lang: Option<String>,
}

pub(super) async fn page(
    State(demo): State<Demo>,
    query: Result<Query<Language>, QueryRejection>,
    headers: HeaderMap,
) -> Response {
    let settings = &demo.0.settings;
    let asked = query.ok().and_then(|Query(query)| query.lang);
    let accepted = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok().map(str::to_owned));
    let english = asked.or(accepted).is_some_and(|language| language.starts_with("en"));
    let page = PAGE
        .replace("{{lang}}", if english { "en" } else { "pt-BR" })
        .replace("{{shop}}", &escaped(&settings.shop))
        .replace("{{suggestions}}", &escaped(&settings.suggestions.join("|")))
        .replace("{{model}}", &escaped(&settings.model));
    let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, POLICY)];
    (headers, page).into_response()
}

pub(super) async fn style() -> Response {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], STYLE).into_response()
}

pub(super) async fn script() -> Response {
    javascript(SCRIPT)
}

pub(super) async fn trace() -> Response {
    javascript(TRACE)
}

pub(super) async fn words() -> Response {
    javascript(WORDS)
}

pub(super) async fn agenda() -> Response {
    javascript(AGENDA)
}

fn javascript(text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], text).into_response()
}

/// A text as it may stand in a page, also in an attribute.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '{' => out.push_str("&#123;"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;

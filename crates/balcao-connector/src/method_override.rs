//! Where a service would read another method than that of the request: frameworks take it from headers, from the query, from a path's
//! parameters and from the body (`X-HTTP-Method-Override`, `X-Original-Method`, `_method`).

use reqwest::Url;
use serde_json::Value;

#[cfg(feature = "pack")]
use crate::command::HttpCommand;
use crate::{
    problem::{Problem, escape},
    request::{Body, Request},
};

/// Where a command as its author writes it names another method.
#[cfg(feature = "pack")]
pub(crate) fn methods_in_command(request: &HttpCommand) -> Vec<Problem> {
    let mut problems = methods_in_headers(request.headers.keys(), "/headers");
    for (at, fields) in [("/query_fields", &request.query_fields), ("/body_fields", &request.body_fields)] {
        let told = fields.iter().enumerate().filter(|(_, name)| names_method(name, &Value::Null));
        problems.extend(told.map(|(index, _)| other_method(format!("{at}/{index}"))));
    }
    for (name, value) in &request.query {
        if names_method(name, value) {
            problems.push(other_method(format!("/query/{}", escape(name))));
        }
    }
    if let Some(body) = &request.body {
        methods_in_body(body, "/body", &mut problems);
    }
    problems
}

fn methods_in_body(body: &Value, at: &str, problems: &mut Vec<Problem>) {
    match body {
        Value::Object(fields) => {
            for (name, value) in fields {
                let at = format!("{at}/{}", escape(name));
                if names_method(name, value) {
                    problems.push(other_method(at.clone()));
                }
                methods_in_body(value, &at, problems);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                methods_in_body(item, &format!("{at}/{index}"), problems);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The same of the names of headers. No header that a request needs stands for a method.
pub(crate) fn methods_in_headers<'a>(names: impl IntoIterator<Item = &'a String>, at: &str) -> Vec<Problem> {
    let names = names.into_iter().filter(|name| stands_for_method(name));
    names.map(|name| other_method(format!("{at}/{}", escape(name)))).collect()
}

/// Where a request that is ready to be sent names another method: its arguments may do so where the command does not.
pub(crate) fn methods_in_request(request: &Request) -> Vec<Problem> {
    let mut problems = methods_in_headers(request.headers.iter().map(|(name, _)| name), "/headers");
    let mut pair = |at: &str, name: &str, value: &str| {
        if names_method(name, &Value::from(value)) {
            problems.push(other_method(format!("{at}/{}", escape(name))));
        }
    };
    request.url.query_pairs().for_each(|(name, value)| pair("/query", &name, &value));
    parameters_of_path(&request.url).for_each(|(name, value)| pair("/path", name, value));
    match &request.body {
        Body::Empty => {}
        Body::Json(value) => methods_in_body(value, "/body", &mut problems),
        Body::Form(pairs) => pairs.iter().for_each(|(name, value)| pair("/body", name, value)),
        Body::Multipart(parts) => {
            parts.iter().for_each(|part| pair("/body", &part.name, &String::from_utf8_lossy(&part.content)));
        }
    }
    problems
}

/// The parameters of a path's segments: "/items/1;v=2" has "v" (RFC 3986 §3.3).
fn parameters_of_path(url: &Url) -> impl Iterator<Item = (&str, &str)> {
    let parameters = url.path().split('/').flat_map(|segment| segment.split(';').skip(1));
    parameters.map(|parameter| parameter.split_once('=').unwrap_or((parameter, "")))
}

pub(crate) fn other_method(at: String) -> Problem {
    let message = "invalid name: it has a service take the request for one of another method";
    Problem::new(at, message).suggest("write the method itself under `method`")
}

/// What the names are made of by which services take a method. None begins with another.
const OVERRIDE_WORDS: [&str; 6] = ["x", "http", "original", "method", "verb", "override"];

/// Whether a parameter says which method a request stands for: by its name alone (`_method`, `http_method`), or with the name of a method
/// as its value. Others have a `method` of their own, such as a way to pay, or look for requests of a method.
fn names_method(name: &str, value: &Value) -> bool {
    let value = value.as_str().map(|value| value.trim().to_ascii_lowercase()).unwrap_or_default();
    // A request that is taken for one of these is a read.
    if ["get", "head"].contains(&value.as_str()) || !stands_for_method(name) {
        return false;
    }
    let text: String = words_of(name).collect();
    let is_of_method = ["method", "verb"].iter().any(|word| text.contains(word));
    // " _method" begins with an underscore to a framework that trims.
    let is_marked = !name.starts_with(|first: char| first.is_ascii_alphanumeric())
        || ["x", "http", "override"].iter().any(|word| text.contains(word));
    (is_of_method && is_marked) || ["post", "put", "patch", "delete"].contains(&value.as_str())
}

/// Names that stand for a method wherever they end with a word of a longer name.
const OVERRIDE_NAMES: [&str; 3] = ["httpmethod", "methodoverride", "verboverride"];

/// Whether services may take a method from what is called so: `methodOverride`, but neither `shipping_method` nor `http_methods`.
fn stands_for_method(name: &str) -> bool {
    let words: Vec<String> = words_of(name).collect();
    let text = words.concat();
    let is_made_wholly = words.iter().all(|word| is_of_override_words(word))
        && ["method", "verb", "override"].iter().any(|word| text.contains(word));
    is_made_wholly || ends_as_override(&words)
}

/// Whether a word ends where one of [`OVERRIDE_NAMES`] does: `app_http_method`. A plural names a list of methods, and goes on.
fn ends_as_override(words: &[String]) -> bool {
    let mut text = String::new();
    words.iter().any(|word| {
        text.push_str(word);
        OVERRIDE_NAMES.iter().any(|name| text.ends_with(name))
    })
}

/// Whether a word is one of [`OVERRIDE_WORDS`], or several without anything between them: "httpmethod".
fn is_of_override_words(word: &str) -> bool {
    let mut rest = word;
    while !rest.is_empty() {
        let Some(behind) = OVERRIDE_WORDS.iter().find_map(|known| rest.strip_prefix(*known)) else { return false };
        rest = behind;
    }
    true
}

/// The words of a name, in small letters: `X-HTTP-MethodOverride` is x, http, method, override.
fn words_of(name: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        let begins = letter.is_ascii_uppercase() && before.is_ascii_lowercase();
        if begins || !letter.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_ascii_alphanumeric()) {
            word.push(letter.to_ascii_lowercase());
        }
        before = letter;
    }
    words.into_iter().filter(|word| !word.is_empty())
}

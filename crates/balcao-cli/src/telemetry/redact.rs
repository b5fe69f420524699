//! Takes out of a log line what must not be in one: people's numbers and addresses, and secrets.
//!
//! Nothing of ours logs any of it on purpose. This stands behind that: error texts of libraries, a level that somebody raised,
//! a panic. It looks for shapes, and for the secrets that are configured.

use std::borrow::Cow;

use regex::{Captures, Regex};
use secrecy::{ExposeSecret, SecretString};

/// What is looked for, in this order, and what stands in its place.
const SHAPES: [(&str, &str); 8] = [
    // WhatsApp's names of messages hold the customer's number.
    (r"wamid\.[A-Za-z0-9+/=_-]+", "wamid.[…]"),
    (r"[\p{L}0-9._%+-]+@[\p{L}0-9-]+(?:\.[\p{L}0-9-]+)*", "[email]"),
    (r"\b(?:bk_|sk-|gsk_|xai-|AIza|EAA|ghp_|whsec_)[A-Za-z0-9_-]{8,}", "[key]"),
    (r#"(?i)\bbearer\s+[^\s"',;]+"#, "Bearer [key]"),
    (
        r#"(?i)\b(access_token|api_key|(?:previous_)?app_secret|client_secret|verify_token|password)(["']?\s*[:=]\s*["']?)[^\s"'&,;}]+"#,
        "$1$2[key]",
    ),
    // CPF and CNPJ.
    (r"\b\d{3}\.\d{3}\.\d{3}-\d{2}\b|\b\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}\b", "[document]"),
    // A number as people write it, and any run of digits that can be one, a CPF or a card.
    (r"(?:\+?\d{1,3}[ .-]?)?\(?\b\d{2}\)?[ .-]?(?:9[ .-]?)?\d{4}[ .-]\d{4}\b", "[number]"),
    (r"\+?\b\d{10,19}\b|\b[A-Z]{2}\.\d{4,}\b", "[number]"),
];
/// Shorter ones would take ordinary words with them.
const SHORTEST_SECRET: usize = 8;

/// Takes out of a text what must not be in a log.
#[derive(Debug)]
pub(crate) struct Redactor {
    shapes: Vec<(Regex, &'static str)>,
    secrets: Vec<SecretString>,
    /// What looks like somebody's number and is an id of ours, such as that of an account.
    ours: Vec<String>,
}

impl Redactor {
    /// One that also knows these secrets, and leaves `ours` as they are.
    pub(crate) fn new(secrets: &[SecretString], ours: Vec<String>) -> Self {
        let shapes = SHAPES.iter().filter_map(|(shape, instead)| Some((Regex::new(shape).ok()?, *instead)));
        let long = secrets.iter().filter(|secret| secret.expose_secret().len() >= SHORTEST_SECRET);
        Self { shapes: shapes.collect(), secrets: long.cloned().collect(), ours }
    }

    /// The text without them.
    pub(crate) fn clean<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut clean = Cow::Borrowed(text);
        for secret in self.secrets.iter().map(ExposeSecret::expose_secret) {
            if clean.contains(secret) {
                clean = Cow::Owned(clean.replace(secret, "[secret]"));
            }
        }
        for (shape, instead) in &self.shapes {
            let kept = |found: &Captures<'_>| {
                let text = found.get(0).map_or("", |whole| whole.as_str());
                let mut put = String::new();
                if self.ours.iter().any(|one| one == text) {
                    put.push_str(text);
                } else {
                    found.expand(instead, &mut put);
                }
                put
            };
            if let Cow::Owned(replaced) = shape.replace_all(&clean, kept) {
                clean = Cow::Owned(replaced);
            }
        }
        clean
    }
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;

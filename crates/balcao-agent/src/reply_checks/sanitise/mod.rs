//! The sanitiser: ordered passes that remove leaks from a text, and a verdict on the rest.
//!
//! Each pass is a pure function from a text to the changes that it proposes ([`passes`]). This module applies the changes. If a removal
//! lets a new leak appear, the passes run again, three times at most. Then the module judges the remaining text. Most replies contain
//! nothing for any pass; [`gate`] detects this in one walk over the bytes.
//!
//! Invariants: a second run changes nothing more; the work is linear in the length of the text; nothing that a pass recovers from a text is
//! ever executed.

mod edit;
mod gate;
mod incremental;
mod passes;
mod reply;
mod rules;
mod structured_data;
mod tags;
mod verdict;

use std::sync::Arc;

pub use incremental::{Finished, Incremental};
pub use reply::Reply;
use serde::{Deserialize, Serialize};

use edit::{Severity, apply};
use gate::Gate;
use rules::Rules;

/// The longest text that is read, in bytes; the rest is dropped.
pub const MAX_INPUT: usize = 64 * 1024;

/// How often the passes run at most.
const ROUNDS: usize = 5;

/// What a sanitiser knows beside the text. Built once per profile and toolbox.
#[derive(Debug, Clone, Default)]
pub struct SanitiserConfig {
    /// Names of all tools on offer.
    pub tool_names: Vec<String>,
    /// Names of their arguments and result fields.
    pub field_names: Vec<String>,
    /// Hosts whose links may be sent, with the hosts below them.
    pub allowed_hosts: Vec<String>,
    /// Whether "as a language model" and the like are removed.
    pub hide_model_identity: bool,
    /// Longest reply, in characters as people count them; 0 for no limit.
    pub max_chars: usize,
    /// Texts that the business publishes, such as a Pix key or the Wi-Fi's password: what stands in a reply word for word
    /// as here is kept, whatever it looks like.
    pub public_texts: Vec<String>,
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
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    rules: Rules,
    gate: Gate,
}

impl Sanitiser {
    /// Compiles the passes.
    #[must_use]
    pub fn new(config: SanitiserConfig) -> Self {
        let gate = Gate::new(&config);
        Self { inner: Arc::new(Inner { rules: Rules::new(config), gate }) }
    }

    /// Cleans a text. Idempotent: cleaning the result again changes nothing.
    #[must_use]
    pub fn clean(&self, text: &str) -> Sanitised {
        let text = capped(text);
        if self.is_plain(text) {
            return Sanitised {
                verdict: verdict::judge_text(text.trim().to_owned(), Severity::Form, &[]),
                removed: Vec::new(),
            };
        }
        self.clean_slowly(text)
    }

    /// True if no pass could change the text.
    fn is_plain(&self, text: &str) -> bool {
        let most = self.inner.rules.config.max_chars;
        (most == 0 || text.len() <= most) && self.inner.gate.is_plain(text)
    }

    /// All passes, without the short way for plain texts.
    fn clean_slowly(&self, text: &str) -> Sanitised {
        let mut removed = Vec::new();
        let mut worst = Severity::Form;
        let mut clean = text.trim().to_owned();
        for _ in 0..ROUNDS {
            let before = clean.clone();
            for pass in passes::ALL {
                let cuts = (pass.find)(&clean, &self.inner.rules);
                if cuts.is_empty() {
                    continue;
                }
                worst = cuts.iter().map(|cut| cut.harm).max().unwrap_or(worst).max(worst);
                clean = apply(&clean, cuts, pass.name, &mut removed);
            }
            clean = edit::tidy(&clean, &before);
            if clean == before {
                return Sanitised { verdict: verdict::judge_text(clean, worst, &removed), removed };
            }
        }
        // Still changing: whatever this is, it is no answer in plain words unless one more look finds nothing.
        let stable = passes::ALL.iter().all(|pass| (pass.find)(&clean, &self.inner.rules).is_empty());
        let verdict = if stable {
            verdict::judge_text(clean, worst, &removed)
        } else {
            Verdict::Retry("the text kept turning into something else while it was cleaned".to_owned())
        };
        Sanitised { verdict, removed }
    }
}

/// The text up to [`MAX_INPUT`], cut at a character.
fn capped(text: &str) -> &str {
    let mut end = text.len().min(MAX_INPUT);
    while !text.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
#[path = "sanitise_tests.rs"]
mod tests;

//! The list of changes that a person confirms before a composite command runs, and the check that the run changes nothing else.

use std::sync::{Mutex, PoisonError};

use balcao_tool::{ErrorCode, Locale, ToolError, ToolOutput};
use serde_json::{Value, json};

/// A change that a rehearsal found.
#[derive(Debug)]
pub(super) struct Change {
    /// The command's name.
    pub(super) name: String,
    /// Of its arguments.
    pub(super) args_hash: String,
    /// It in the words of its own question.
    pub(super) words: String,
}

/// What is noted during a rehearsal.
#[derive(Debug, Default)]
pub(super) struct Rehearsed {
    /// The changes, in order.
    pub(super) would: Vec<Change>,
    /// Something was read behind a change that was not made, so that it may be otherwise by then.
    pub(super) stale: bool,
}

/// What came of a rehearsal.
pub(super) enum Rehearsal {
    /// It would change this, and perhaps more that depends on the answers.
    Changes { would: Vec<Change>, more: bool },
    /// It changes nothing: this is its result.
    Nothing(ToolOutput),
}

/// The changes that a person confirmed. The run makes them one after the other, in the order of the list.
pub(super) struct Agreement {
    would: Vec<Change>,
    /// Whether others may come behind them, which was said.
    more: bool,
    made: Mutex<usize>,
}

impl Agreement {
    pub(super) fn to(would: Vec<Change>, more: bool) -> Self {
        Self { would, more, made: Mutex::new(0) }
    }

    /// Whether this call is the next one that was agreed to. If so, it is used up.
    pub(super) fn covers(&self, name: &str, args_hash: &str) -> bool {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        match self.would.get(*made) {
            Some(next) if next.name == name && next.args_hash == args_hash => {
                *made += 1;
                true
            }
            Some(_) => false,
            None => self.more,
        }
    }
}

/// What is asked before anything is changed: all changes that can be foreseen, and whether there may be others.
pub(super) fn question(would: &[Change], more: bool, locale: Locale) -> String {
    let mut text = match (would, locale) {
        ([only], _) => only.words.clone(),
        (several, Locale::PtBr) => format!("São {} mudanças:", several.len()),
        (several, Locale::En) => format!("These are {} changes:", several.len()),
    };
    for (place, change) in would.iter().enumerate().filter(|_| would.len() > 1) {
        text.push_str(&format!("\n{}. {}", place + 1, change.words));
    }
    if more {
        text.push_str(match locale {
            Locale::PtBr => "\nDepois disso pode haver outras mudanças, que dependem das respostas.",
            Locale::En => "\nMore changes may follow, which depend on the answers.",
        });
    }
    text
}

/// By now it would do something else than what was agreed to. Nothing was done.
pub(super) fn changed_meanwhile(would: &[Change]) -> ToolError {
    let text = "by now this would make other changes than those that were agreed to, so nothing was done; call it again to ask for what it \
                would change now";
    let would: Value = would.iter().map(|change| json!(change.words)).collect();
    ToolError::new(ErrorCode::Conflict, text).detail("would_change", would)
}

/// A change that was not made.
pub(super) fn not_on_the_list() -> ToolError {
    let text = "this change is not the one that was agreed to; it was not made";
    ToolError::new(ErrorCode::Conflict, text)
}

//! Selects the tools that a turn shows, from the latest messages of the conversation, before the turn begins.
//!
//! This module builds the query without I/O; a [`ToolSelector`] searches, by words and by meaning.

use std::collections::BTreeSet;
use std::fmt::Debug;

use async_trait::async_trait;
use balcao_agent::history::EarlierTurn;
use balcao_agent::turn::ToolSelection;
use balcao_llm::Message;
use balcao_tool::Locale;
use serde_json::Value;

use super::{Agent, Opened};

/// Earlier turns whose messages and calls a selection looks at.
const EARLIER_TURNS: usize = 2;

/// What a selection is made from. Equal requests get equal selections while the same embedder answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSelectionRequest {
    /// The messages that the turn answers.
    pub message: String,
    /// The customer's messages of earlier turns, the latest first.
    pub earlier_messages: Vec<String>,
    /// The tools that earlier turns called, and those that undo such a call, the latest first, each once.
    pub earlier_calls: Vec<String>,
    /// The language of the turn.
    pub locale: Locale,
}

/// Selects the tools that the model sees in a turn beside those that it always sees.
#[async_trait]
pub trait ToolSelector: Debug + Send + Sync {
    /// Returns the selection for a turn. If a part of the search fails, the other parts select; a failed selection never fails the turn.
    async fn select(&self, request: &ToolSelectionRequest) -> ToolSelection;
}

/// Selects the tools of a turn that is about to begin.
pub(super) async fn select(agent: &Agent, opened: &Opened, message: &str) -> ToolSelection {
    match &agent.selector {
        Some(selector) => selector.select(&request(&opened.history, message, agent.profile.language)).await,
        None => ToolSelection::default(),
    }
}

/// Builds the request: the new message, and the messages and calls of the turns before it.
fn request(history: &[EarlierTurn], message: &str, locale: Locale) -> ToolSelectionRequest {
    let (mut earlier_messages, mut earlier_calls) = (Vec::new(), Vec::<String>::new());
    for one in history.iter().rev().take(EARLIER_TURNS).flat_map(|turn| turn.messages.iter().rev()) {
        match one {
            Message::User { text } => earlier_messages.push(text.clone()),
            Message::Assistant { tool_calls, .. } => {
                earlier_calls.extend(tool_calls.iter().rev().map(|call| call.name.clone()));
            }
            Message::ToolResult { content, .. } => earlier_calls.extend(undo_of(content)),
        }
    }
    let mut seen = BTreeSet::new();
    earlier_calls.retain(|name| seen.insert(name.clone()));
    ToolSelectionRequest { message: message.to_owned(), earlier_messages, earlier_calls, locale }
}

/// Returns the tool that undoes a call, if the result of the call names one.
fn undo_of(result: &str) -> Option<String> {
    let result: Value = serde_json::from_str(result).ok()?;
    Some(result.pointer("/_undo/tool")?.as_str()?.to_owned())
}

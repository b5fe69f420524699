//! Earlier turns as a model may read them: cut at whole turns, oldest first, and always well formed.

use std::collections::BTreeSet;

use balcao_llm::{Message, SERVICE_MESSAGE};
use balcao_tool::{Effect, Locale, Toolbox};
use serde_json::{Map, Value};

use crate::prompt;

/// Earlier turns, cut to their budget.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// The messages, oldest first.
    pub messages: Vec<Message>,
    /// How many of them, from the first on, are older than the last change of the business: what they tell proves nothing.
    pub outdated: usize,
}

/// An earlier turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EarlierTurn {
    /// What was said and read in it.
    pub messages: Vec<Message>,
    /// Whether the business is still as it was then.
    pub is_current: bool,
}

/// Keeps the newest whole turns that fit into `budget` tokens (estimated at four bytes a token), in order.
///
/// The last turn of another state of the business and all turns before it are outdated.
#[must_use]
pub fn fit(turns: &[EarlierTurn], budget: usize) -> History {
    let mut left = budget;
    let mut kept = 0;
    for turn in turns.iter().rev() {
        let cost = turn.messages.iter().map(tokens).sum::<usize>();
        if cost > left {
            break;
        }
        left -= cost;
        kept += 1;
    }
    let kept = turns.get(turns.len() - kept..).unwrap_or_default();
    let first = kept.iter().rposition(|turn| !turn.is_current).map_or(0, |last| last + 1);
    let (outdated, current) = kept.split_at(first);
    let of = |turns: &[EarlierTurn]| turns.iter().flat_map(|turn| turn.messages.iter().cloned()).collect();
    let mut messages = repair(of(outdated));
    let outdated = messages.len();
    messages.extend(of(current));
    History { messages: repair(messages), outdated }
}

/// The key of the note in a result that was read before the business changed.
const CHANGED: &str = "business_changed";

/// Notes in each result that was read in a turn before the business changed that it has to be read again. The result of an effect tells
/// what was done, so it stays as it is.
#[must_use]
pub fn note_change(messages: Vec<Message>, toolbox: &Toolbox, locale: Locale) -> Vec<Message> {
    let noted = |message| match message {
        Message::ToolResult { call_id, name, content, is_error } if is_read(toolbox, &name) => {
            let mut noted = Map::from_iter([(CHANGED.to_owned(), Value::from(prompt::business_changed(locale)))]);
            match serde_json::from_str(&content) {
                Ok(Value::Object(fields)) => noted.extend(fields),
                Ok(other) => drop(noted.insert("result".to_owned(), other)),
                Err(_) => drop(noted.insert("result".to_owned(), Value::from(content))),
            }
            Message::ToolResult { call_id, name, content: Value::Object(noted).to_string(), is_error }
        }
        other @ (Message::User { .. } | Message::Assistant { .. } | Message::ToolResult { .. }) => other,
    };
    messages.into_iter().map(noted).collect()
}

/// Whether a tool reads the business. A tool that the toolbox no longer has counts as one, because no receipt vouches for its result. The
/// message of a service outside does not count.
pub(crate) fn is_read(toolbox: &Toolbox, tool: &str) -> bool {
    tool != SERVICE_MESSAGE && toolbox.get(tool).is_none_or(|tool| tool.spec.behaviour.effect == Effect::Read)
}

/// Makes any cut of a transcript acceptable to every provider: calls without a result and results without a call are
/// dropped, the first message is the customer's, and neighbours of one role become one.
#[must_use]
pub fn repair(messages: Vec<Message>) -> Vec<Message> {
    let answered: BTreeSet<String> = messages
        .iter()
        .filter_map(|message| match message {
            Message::ToolResult { call_id, .. } => Some(call_id.clone()),
            Message::User { .. } | Message::Assistant { .. } => None,
        })
        .collect();
    let mut repaired: Vec<Message> = Vec::with_capacity(messages.len());
    let mut open: Vec<String> = Vec::new();
    for message in messages {
        match message {
            Message::User { text } => {
                open.clear();
                match repaired.last_mut() {
                    Some(Message::User { text: earlier }) => *earlier = format!("{earlier}\n{text}"),
                    _ => repaired.push(Message::User { text }),
                }
            }
            Message::Assistant { text, mut tool_calls } => {
                tool_calls.retain(|call| answered.contains(&call.id));
                open = tool_calls.iter().map(|call| call.id.clone()).collect();
                let nothing = text.is_empty() && tool_calls.is_empty();
                if nothing || repaired.is_empty() {
                    open.clear();
                    continue;
                }
                repaired.push(Message::Assistant { text, tool_calls });
            }
            Message::ToolResult { call_id, name, content, is_error } => {
                if let Some(place) = open.iter().position(|id| *id == call_id) {
                    open.remove(place);
                    repaired.push(Message::ToolResult { call_id, name, content, is_error });
                }
            }
        }
    }
    merge_assistants(drop_unanswered(repaired))
}

/// After the walk above a call may still lack its result (it came too late or twice): such calls go.
fn drop_unanswered(messages: Vec<Message>) -> Vec<Message> {
    let mut kept = Vec::with_capacity(messages.len());
    let mut rest = messages.into_iter().peekable();
    while let Some(message) = rest.next() {
        let Message::Assistant { text, mut tool_calls } = message else {
            kept.push(message);
            continue;
        };
        let mut results = Vec::new();
        while let Some(result) = rest.next_if(|next| matches!(next, Message::ToolResult { .. })) {
            results.push(result);
        }
        let has = |id: &str| {
            results.iter().any(|result| matches!(result, Message::ToolResult { call_id, .. } if call_id == id))
        };
        tool_calls.retain(|call| has(&call.id));
        // Results stand in the order of their calls, once each.
        let order: Vec<String> = tool_calls.iter().map(|call| call.id.clone()).collect();
        if !(text.is_empty() && tool_calls.is_empty()) {
            kept.push(Message::Assistant { text, tool_calls });
        }
        for id in order {
            kept.extend(
                results
                    .iter()
                    .find(|result| matches!(result, Message::ToolResult { call_id, .. } if *call_id == id))
                    .cloned(),
            );
        }
    }
    kept
}

fn merge_assistants(messages: Vec<Message>) -> Vec<Message> {
    let mut merged: Vec<Message> = Vec::with_capacity(messages.len());
    for message in messages {
        match (merged.last_mut(), message) {
            (Some(Message::Assistant { text, tool_calls }), Message::Assistant { text: more, tool_calls: calls })
                if tool_calls.is_empty() =>
            {
                if !text.is_empty() && !more.is_empty() {
                    text.push('\n');
                }
                text.push_str(&more);
                *tool_calls = calls;
            }
            (Some(Message::User { text }), Message::User { text: more }) => {
                text.push('\n');
                text.push_str(&more);
            }
            (_, message) => merged.push(message),
        }
    }
    merged
}

fn tokens(message: &Message) -> usize {
    let bytes = match message {
        Message::User { text } => text.len(),
        Message::Assistant { text, tool_calls } => {
            text.len() + tool_calls.iter().map(|call| call.name.len() + call.arguments.len()).sum::<usize>()
        }
        Message::ToolResult { content, .. } => content.len(),
    };
    bytes / 4 + 4
}

#[cfg(test)]
#[path = "history_tests.rs"]
mod tests;

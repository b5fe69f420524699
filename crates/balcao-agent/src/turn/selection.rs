//! Which contracts a turn shows of the tools that are not in view from the beginning.
//!
//! The code that opens a turn makes the [`ToolSelection`] from the conversation's latest messages; the turn saves it, so that a resumed turn
//! offers the same. Behind it stand the tools that the turn itself called, asked for with [`LOAD_TOOL`], or may undo a call with.

use balcao_tool::{LOAD_TOOL, ResultClass};
use serde::{Deserialize, Serialize};

use crate::turn::Turn;

/// The contracts that a turn shows from its beginning beside those that are always in view, and the guidance for their use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSelection {
    /// The tools, the most likely one first.
    pub tools: Vec<SelectedTool>,
    /// Rules, known mistakes and helpers of these tools, as the system prompt tells them; empty if there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub guidance: String,
    /// Tokens of the contracts and the guidance.
    pub tokens: usize,
    /// Tokens that they were allowed to take.
    pub budget: usize,
}

/// One tool of a selection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectedTool {
    /// The name of the tool.
    pub name: String,
    /// Why the turn shows it.
    pub reason: SelectionReason,
}

/// Why a turn shows a contract from its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SelectionReason {
    /// The message that the turn answers fits it.
    Message,
    /// An earlier turn of the conversation called it.
    EarlierCall,
    /// An earlier message of the conversation fits it.
    EarlierMessage,
}

impl ToolSelection {
    /// Whether nothing was selected, as for a profile whose tools are all in view.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }
}

impl Turn {
    /// The place of a deferred tool among those in view, `None` if it is not in view: what was selected, then what this turn's calls
    /// brought, in the order of the calls.
    pub(super) fn place_in_view(&self, name: &str) -> Option<usize> {
        let selected = &self.state.selection.tools;
        let of_calls = || {
            let called = self.state.calls.iter().position(|call| {
                let undo = call.result.value.pointer("/_undo/tool").and_then(serde_json::Value::as_str);
                call.tool == name || undo == Some(name) || asks_for(call, name)
            });
            called.map(|place| place.saturating_add(selected.len()))
        };
        selected.iter().position(|tool| tool.name == name).or_else(of_calls)
    }
}

/// Whether a call asked for a tool's contract, and got it.
fn asks_for(call: &crate::record::CallRecord, name: &str) -> bool {
    let names = call.args.get("names").and_then(serde_json::Value::as_array);
    call.tool == LOAD_TOOL
        && call.result.class == ResultClass::Success
        && names.is_some_and(|names| names.iter().any(|asked| asked == name))
}

//! `search_pack_notes`: what the packs of a profile know in prose, looked up when it is needed.
//!
//! Contracts, rules and known mistakes are told by themselves; the prose of a pack is too long for every prompt.

use std::sync::Arc;

use async_trait::async_trait;
use balcao_llm::embed::Embedder;
use balcao_search::Entry;
use balcao_tool::{Localised, NativeTool, Tool, ToolContext, ToolOutput, ToolResult, Toolbox, erase};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Finder, spec};

/// What looks up the prose of packs.
pub const SEARCH_NOTES: &str = "search_pack_notes";
/// Pieces that one search tells at most; each is a paragraph or some.
const FOUND: usize = 3;

/// The same tools, and one more that looks up these notes of their packs, if there are any.
///
/// # Errors
/// If its contract is none.
pub fn with_notes(
    mut toolbox: Toolbox,
    notes: Vec<Entry>,
    embedder: Option<Arc<dyn Embedder>>,
) -> Result<Toolbox, String> {
    if notes.is_empty() {
        return Ok(toolbox);
    }
    let mut packs: Vec<String> = notes.iter().map(|note| note.labels.tool.clone()).collect();
    packs.sort();
    packs.dedup();
    let of = packs.join(", ");
    let description = Localised {
        pt_br: format!("Consulta as notas sobre {of}: limites, formatos, casos especiais."),
        en: format!("Looks up the notes on {of}: limits, formats, special cases."),
    };
    let input = json!({
        "type": "object", "additionalProperties": false, "required": ["query"],
        "properties": {"query": {"type": "string", "minLength": 1, "maxLength": 300}}
    });
    let output = json!({"type": "object", "required": ["notes"], "properties": {"notes": {"type": "array"}}});
    let search = SearchNotes { notes: Finder::over(notes, embedder) };
    toolbox.push(Tool::new(spec(SEARCH_NOTES, description, input, output), erase(search))?);
    Ok(toolbox)
}

/// Arguments of `search_pack_notes`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NotesArgs {
    /// The question, in a few words.
    query: String,
}

struct SearchNotes {
    notes: Finder,
}

#[async_trait]
impl NativeTool for SearchNotes {
    type Args = NotesArgs;

    async fn call(&self, _cx: &ToolContext, args: NotesArgs) -> ToolResult<ToolOutput> {
        let found = self.notes.find(&args.query, FOUND).await;
        let told = |note: &Entry| json!({"pack": note.labels.tool, "title": note.title, "text": note.text.trim()});
        let notes: Vec<Value> = found.into_iter().map(told).collect();
        let none = notes.is_empty();
        let answer = json!({ "notes": notes });
        Ok(if none { ToolOutput::refusal(answer) } else { ToolOutput::success(answer) })
    }
}

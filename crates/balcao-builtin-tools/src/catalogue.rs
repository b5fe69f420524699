//! `find_tools` and `load_tool`: for profiles with more tools than fit into a prompt.
//!
//! Contracts are shown in the order of the packs as long as they fit the budget. The others stand as a line each in what `load_tool` says
//! of itself, as far as that fits, and `find_tools` finds them by words. `load_tool` shows their contracts for the rest of the turn.
//!
//! Invariant: both know the tools of the toolbox that they were made for and no others. What a profile, a plan or a role lacks is not in it,
//! and so is neither found nor named.

mod finder;
mod notes;

use std::sync::Arc;

use async_trait::async_trait;
use balcao_llm::embed::Embedder;
use balcao_pack::{
    resolve::{Knowledge, O200k, Tokens},
    search::of_tool,
};
use balcao_tool::{
    Behaviour, CommandSpec, Confirm, Effect, EffectClass, ErrorCode, LOAD_TOOL, Locale, Localised, NativeTool, Tool,
    ToolContext, ToolError, ToolOutput, ToolResult, Toolbox, erase, nearest,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use finder::{Finder, PATIENCE};
pub use notes::{SEARCH_NOTES, with_notes};

/// What finds tools.
pub const FIND_TOOLS: &str = "find_tools";
/// Tools that one search tells at most.
const FOUND: usize = 8;
/// Tools that one call loads at most.
const LOADED: usize = 8;
/// Tokens that one call tells at most of what packs know of the tools that it loads, besides their contracts.
const KNOWN: usize = 2_000;
/// No vocabulary makes a token of fewer bytes of a contract, taken together: a toolbox that is small by this measure is not counted.
const SURELY: usize = 2;
/// Of the budget, one part in so many is for the lines of tools that are not shown.
const FOR_LINES: usize = 4;

/// The same tools; if their contracts take more than `budget` tokens, the last ones are no longer shown from the beginning, and
/// `find_tools` and `load_tool` are added. A toolbox whose contracts fit comes back as it was. With an `embedder`, tools are found by
/// meaning besides; while it fails, by words alone. `packs` know more of their tools than the contracts: it is told when one is loaded.
///
/// # Errors
/// If the contract of one of the two is none.
pub fn fit(
    mut toolbox: Toolbox,
    budget: usize,
    tokens: &dyn Tokens,
    embedder: Option<Arc<dyn Embedder>>,
    packs: Vec<Knowledge>,
) -> Result<Toolbox, String> {
    if toolbox.iter().map(|tool| bytes(tool)).sum::<usize>() <= budget.saturating_mul(SURELY) {
        return Ok(toolbox);
    }
    let cost = |tool: &Tool| {
        let description = &tool.spec.description;
        let of = |text: &str| tokens.count(&format!("{} {text} {}", tool.spec.name, tool.shown()));
        of(&description.pt_br).max(of(&description.en))
    };
    let costs: Vec<(String, usize)> = toolbox.iter().map(|tool| (tool.spec.name.clone(), cost(tool))).collect();
    if costs.iter().map(|(_, cost)| cost).sum::<usize>() <= budget {
        return Ok(toolbox);
    }
    let for_contracts = budget - budget / FOR_LINES;
    let mut taken = 0;
    let mut later = Vec::new();
    for (name, cost) in costs {
        if later.is_empty() && taken + cost <= for_contracts {
            taken += cost;
        } else {
            later.push(name);
        }
    }
    let entries = later.iter().filter_map(|name| toolbox.get(name)).map(|tool| of_tool(&tool.spec)).collect();
    let lines = |locale| lines(&toolbox, &later, locale, budget / FOR_LINES, tokens);
    let said = Localised {
        pt_br: format!(
            "Mostra o contrato de ferramentas que existem e ainda não estão à vista; chame antes de usá-las. {}",
            lines(Locale::PtBr)
        ),
        en: format!(
            "Shows the contracts of tools that exist and are not in view yet; call it before you use them. {}",
            lines(Locale::En)
        ),
    };
    let names: Arc<[String]> = later.clone().into();
    let find = Tool::new(find_spec(), erase(FindTools { tools: Finder::over(entries, embedder) }))?;
    let load = Tool::new(
        load_spec(said),
        erase(LoadTool { names, toolbox: toolbox.clone(), packs, tokens: O200k::default() }),
    )?;
    toolbox.defer(later);
    toolbox.push(find);
    toolbox.push(load);
    Ok(toolbox)
}

/// Bytes of a contract.
fn bytes(tool: &Tool) -> usize {
    let description = &tool.spec.description;
    tool.spec.name.len() + description.pt_br.len().max(description.en.len()) + tool.shown().to_string().len()
}

/// Name and first sentence of each tool, as many as fit.
fn lines(toolbox: &Toolbox, names: &[String], locale: Locale, budget: usize, tokens: &dyn Tokens) -> String {
    let mut told = String::new();
    let mut left = budget;
    let mut untold = 0_usize;
    for tool in names.iter().filter_map(|name| toolbox.get(name)) {
        let line = format!("\n{}: {}", tool.spec.name, first_sentence(tool.spec.description.get(locale)));
        match left.checked_sub(tokens.count(&line)) {
            Some(rest) => {
                left = rest;
                told.push_str(&line);
            }
            None => untold += 1,
        }
    }
    if untold > 0 {
        let more = match locale {
            Locale::PtBr => format!("\nE mais {untold}: procure com {FIND_TOOLS}."),
            Locale::En => format!("\nAnd {untold} more: look with {FIND_TOOLS}."),
        };
        told.push_str(&more);
    }
    told
}

fn first_sentence(text: &str) -> &str {
    text.split_inclusive(['.', '\n']).next().unwrap_or_default().trim()
}

fn spec(name: &str, description: Localised, input: serde_json::Value, output: serde_json::Value) -> CommandSpec {
    CommandSpec {
        name: name.to_owned(),
        pack: "catalogue".to_owned(),
        description,
        input_schema: input,
        output_schema: output,
        behaviour: Behaviour {
            effect: Effect::Read,
            class: EffectClass::Read,
            idempotent: true,
            reversible: true,
            open_world: false,
        },
        confirm: Confirm::None,
        timeout: PATIENCE * 2,
        settle: std::time::Duration::ZERO,
        on_error: std::collections::BTreeMap::new(),
        internal: false,
        said: std::collections::BTreeMap::new(),
        with: None,
        act: Some(balcao_tool::Act::Desk),
    }
}

fn find_spec() -> CommandSpec {
    let description = Localised {
        pt_br: "Procura ferramentas por palavras: o que elas fazem. Depois chame load_tool com os nomes.".to_owned(),
        en: "Finds tools by words: what they do. Then call load_tool with their names.".to_owned(),
    };
    let input = json!({
        "type": "object", "additionalProperties": false, "required": ["query"],
        "properties": {"query": {"type": "string", "minLength": 1, "maxLength": 300, "description": "what shall be done, in a few words"}}
    });
    let output = json!({"type": "object", "required": ["tools"], "properties": {"tools": {"type": "array"}}});
    spec(FIND_TOOLS, description, input, output)
}

fn load_spec(description: Localised) -> CommandSpec {
    let input = json!({
        "type": "object", "additionalProperties": false, "required": ["names"],
        "properties": {"names": {"type": "array", "minItems": 1, "maxItems": LOADED, "items": {"type": "string", "minLength": 1}}}
    });
    let output = json!({"type": "object", "required": ["loaded"], "properties": {"loaded": {"type": "array"}}});
    spec(LOAD_TOOL, description, input, output)
}

/// Arguments of `find_tools`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindArgs {
    /// What shall be done, in a few words.
    query: String,
}

struct FindTools {
    tools: Finder,
}

#[async_trait]
impl NativeTool for FindTools {
    type Args = FindArgs;

    async fn call(&self, _cx: &ToolContext, args: FindArgs) -> ToolResult<ToolOutput> {
        let found = self.tools.find(&args.query, FOUND).await;
        let tools: Vec<_> = found.iter().map(|entry| json!({"name": entry.id, "does": entry.text})).collect();
        let found = json!({"tools": tools});
        Ok(if tools.is_empty() { ToolOutput::refusal(found) } else { ToolOutput::success(found) })
    }
}

/// Arguments of `load_tool`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadArgs {
    /// The names of the tools.
    names: Vec<String>,
}

struct LoadTool {
    /// The tools that are not shown from the beginning.
    names: Arc<[String]>,
    /// All tools of the profile.
    toolbox: Toolbox,
    /// What packs know of their tools.
    packs: Vec<Knowledge>,
    tokens: O200k,
}

impl LoadTool {
    /// What is shown of a tool beside its contract: what it does, and what its pack knows of using it rightly.
    fn tool_entry(&self, tool: &Tool, budget: usize, locale: Locale) -> Value {
        let mut told = json!({"name": tool.spec.name, "does": tool.spec.description.get(locale)});
        let pack = self.packs.iter().find(|pack| pack.pack() == tool.spec.pack);
        let known = pack.and_then(|pack| pack.beside_the_contract(&tool.spec.name, budget, locale, &self.tokens));
        if let (Some(known), Some(told)) = (known.filter(|known| !known.told.is_empty()), told.as_object_mut()) {
            told.insert("know".to_owned(), known.text().into());
        }
        told
    }
}

#[async_trait]
impl NativeTool for LoadTool {
    type Args = LoadArgs;

    async fn call(&self, cx: &ToolContext, args: LoadArgs) -> ToolResult<ToolOutput> {
        let unknown: Vec<&String> = args.names.iter().filter(|name| self.toolbox.get(name).is_none()).collect();
        if let Some(first) = unknown.first() {
            let near = nearest(first, self.names.iter().map(String::as_str));
            let error = ToolError::new(ErrorCode::NotFound, "there is no such tool; nothing was loaded");
            return Err(error.detail("unknown", json!(unknown)).detail("nearest", json!(near)).into());
        }
        let tools = args.names.iter().filter_map(|name| self.toolbox.get(name));
        let budget = KNOWN / args.names.len().max(1);
        let told: Vec<Value> = tools.map(|tool| self.tool_entry(tool, budget, cx.principal.locale)).collect();
        Ok(ToolOutput::success(json!({"loaded": told})))
    }
}

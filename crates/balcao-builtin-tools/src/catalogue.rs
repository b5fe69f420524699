//! `find_tools` and `load_tool`: for profiles with more tools than fit into a prompt.
//!
//! If the contracts of the operator's own packs take more than their budget, only those of core commands are always in view; each turn
//! shows the ones that its messages fit (`selector`). Of all other tools, contracts are shown in the order of the packs as long as they
//! fit the budget. `load_tool` says of itself what is not in view: a line for each tool, or the names, or the categories, whichever fits.
//! `find_tools` finds it by words, and `load_tool` shows its contract for the rest of the turn.
//!
//! Invariant: all three know the tools of the toolbox that they were made for and no others. What a profile, a plan or a role lacks is not
//! in it, and so is neither found nor named nor selected.

mod contracts;
mod finder;
mod notes;
mod selector;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use async_trait::async_trait;
use balcao_app::turns::ToolSelector;
use balcao_llm::embed::Embedder;
use balcao_pack::{
    program::{RUN_PROGRAM, shape},
    resolve::{Knowledge, Sort, Tokens},
    search::of_tool,
};
use balcao_tool::{
    Behaviour, CommandSpec, Confirm, Effect, EffectClass, ErrorCode, LOAD_TOOL, Locale, Localised, NativeTool, Tool,
    ToolContext, ToolError, ToolOutput, ToolResult, Toolbox, erase, nearest,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use contracts::Contracts;
use finder::{Finder, PATIENCE};
pub use notes::{SEARCH_NOTES, with_notes};
use selector::PackToolSelector;

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

/// The budgets of a profile's contracts, and what knows more of its tools than the contracts.
pub struct CatalogueRules {
    /// Tokens that the contracts of all tools may take.
    pub all: usize,
    /// Tokens that the tools of `packs` may take in a request: contracts and guidance.
    pub own: usize,
    /// Tokens that the names of tools of `packs` may take beside that, where contracts are shown on demand.
    pub names: usize,
    /// What the operator's own packs know of their tools.
    pub packs: Vec<Knowledge>,
    /// Counts tokens.
    pub tokens: Arc<dyn Tokens>,
    /// Makes vectors for a search by meaning; without it, and while it fails, words alone decide.
    pub embedder: Option<Arc<dyn Embedder>>,
}

/// Tools that fit a prompt.
#[derive(Debug)]
pub struct Fitted {
    /// The tools, `find_tools` and `load_tool` among them if not all contracts are in view.
    pub toolbox: Toolbox,
    /// Selects the contracts of a turn, if those of own packs are shown on demand.
    pub selector: Option<Arc<dyn ToolSelector>>,
    /// The own packs whose contracts are shown on demand.
    pub on_demand: BTreeSet<String>,
}

/// The tools of one profile by how their contracts are shown.
struct Plan {
    /// Not in view from the beginning, in the order of the toolbox.
    deferred: Vec<String>,
    /// The own packs whose contracts are shown on demand.
    on_demand: BTreeSet<String>,
    /// Tokens for the names and lines of what is deferred.
    for_lines: usize,
}

/// The same tools; what is not in view from the beginning is deferred, and `find_tools` and `load_tool` are added. A toolbox whose
/// contracts fit comes back as it was.
///
/// # Errors
/// If the contract of one of the two is none.
pub fn fit(mut toolbox: Toolbox, rules: CatalogueRules) -> Result<Fitted, String> {
    let plan = plan(&toolbox, &rules);
    if plan.deferred.is_empty() {
        return Ok(Fitted { toolbox, selector: None, on_demand: plan.on_demand });
    }
    let names: Arc<[String]> = plan.deferred.clone().into();
    let told = |locale| lines(&toolbox, &names, locale, &rules, plan.for_lines);
    let find = FindTools { tools: Arc::new(finder(&toolbox, &names, rules.embedder.clone())) };
    let load = LoadTool {
        names: Arc::clone(&names),
        toolbox: toolbox.clone(),
        packs: rules.packs.clone(),
        tokens: Arc::clone(&rules.tokens),
    };
    let load_spec = load_spec(load_description(told));
    let selector = selector(&toolbox, &plan, &find.tools, &rules);
    toolbox.defer(plan.deferred);
    toolbox.push(Tool::new(find_spec(), erase(find))?);
    toolbox.push(Tool::new(load_spec, erase(load))?);
    Ok(Fitted { toolbox, selector, on_demand: plan.on_demand })
}

/// The own packs of a toolbox whose contracts are shown on demand.
#[must_use]
pub fn shown_on_demand(toolbox: &Toolbox, rules: &CatalogueRules) -> BTreeSet<String> {
    plan(toolbox, rules).on_demand
}

/// Decides which contracts are in view from the beginning.
fn plan(toolbox: &Toolbox, rules: &CatalogueRules) -> Plan {
    let pack_of = |tool: &Tool| rules.packs.iter().find(|pack| pack.pack() == tool.spec.pack);
    let on_call = |tool: &Tool| pack_of(tool).is_some_and(|pack| !pack.is_core(&tool.command));
    let own: Vec<&Arc<Tool>> = toolbox.iter().filter(|tool| on_call(tool)).collect();
    let own_fit = fits(&own, rules.own, rules.tokens.as_ref());
    let (mut deferred, mut on_demand) = (Vec::new(), BTreeSet::new());
    if !own_fit {
        deferred.extend(own.iter().map(|tool| tool.spec.name.clone()));
        on_demand.extend(own.iter().map(|tool| tool.spec.pack.clone()));
    }
    let rest: Vec<&Arc<Tool>> = toolbox.iter().filter(|tool| own_fit || !on_call(tool)).collect();
    let mut for_lines = if own_fit { 0 } else { rules.names };
    if !fits(&rest, rules.all, rules.tokens.as_ref()) {
        for_lines += rules.all / FOR_LINES;
        deferred.extend(last_beyond(&rest, rules.all - rules.all / FOR_LINES, rules.tokens.as_ref()));
    }
    Plan { deferred, on_demand, for_lines }
}

/// Whether contracts take no more than a budget. What is small by its bytes is not counted.
fn fits(tools: &[&Arc<Tool>], budget: usize, tokens: &dyn Tokens) -> bool {
    tools.iter().map(|tool| bytes(tool)).sum::<usize>() <= budget.saturating_mul(SURELY)
        || tools.iter().map(|tool| cost(tool, tokens)).sum::<usize>() <= budget
}

/// The names of the last tools, from the first one whose contract does not fit any more.
fn last_beyond(tools: &[&Arc<Tool>], budget: usize, tokens: &dyn Tokens) -> Vec<String> {
    let mut taken = 0;
    let within = |tool: &&&Arc<Tool>| {
        taken += cost(tool, tokens);
        taken <= budget
    };
    let in_view = tools.iter().take_while(within).count();
    tools.iter().skip(in_view).map(|tool| tool.spec.name.clone()).collect()
}

/// Tokens of a contract, in the language in which it takes more.
fn cost(tool: &Tool, tokens: &dyn Tokens) -> usize {
    let description = &tool.spec.description;
    let of = |text: &str| tokens.count(&format!("{} {text} {}", tool.spec.name, tool.shown()));
    of(&description.pt_br).max(of(&description.en))
}

fn finder(toolbox: &Toolbox, names: &[String], embedder: Option<Arc<dyn Embedder>>) -> Finder {
    let entries = names.iter().filter_map(|name| toolbox.get(name)).map(|tool| of_tool(&tool.spec)).collect();
    Finder::over(entries, embedder)
}

/// What selects the contracts of a turn, if any are shown on demand.
fn selector(
    toolbox: &Toolbox,
    plan: &Plan,
    finder: &Arc<Finder>,
    rules: &CatalogueRules,
) -> Option<Arc<dyn ToolSelector>> {
    let on_demand = |name: &&String| toolbox.get(name).is_some_and(|tool| plan.on_demand.contains(&tool.spec.pack));
    let tools = plan.deferred.iter().filter(on_demand).filter_map(|name| toolbox.get(name));
    let contracts = tools.map(|tool| (&tool.spec, cost(tool, rules.tokens.as_ref())));
    if plan.on_demand.is_empty() {
        return None;
    }
    Some(Arc::new(PackToolSelector {
        finder: Arc::clone(finder),
        toolbox: toolbox.clone(),
        contracts: Contracts::new(contracts),
        packs: rules.packs.clone(),
        budget: rules.own,
        tokens: Arc::clone(&rules.tokens),
    }))
}

/// Bytes of a contract.
fn bytes(tool: &Tool) -> usize {
    let description = &tool.spec.description;
    tool.spec.name.len() + description.pt_br.len().max(description.en.len()) + tool.shown().to_string().len()
}

/// The text about deferred tools: name and first sentence of each; if these do not all fit, the names; if even these do not, how many
/// tools of which category there are.
fn lines(toolbox: &Toolbox, names: &[String], locale: Locale, rules: &CatalogueRules, budget: usize) -> String {
    let tools = || names.iter().filter_map(|name| toolbox.get(name));
    let line =
        |tool: &Arc<Tool>| format!("\n{}: {}", tool.spec.name, first_sentence(tool.spec.description.get(locale)));
    let whole: String = tools().map(line).collect();
    let bare = format!("\n{}", names.join(" "));
    let fits = |text: &str| rules.tokens.count(text) <= budget;
    match () {
        () if fits(&whole) => whole,
        () if fits(&bare) => bare,
        () => {
            let find = match locale {
                Locale::PtBr => "Procure os nomes com",
                Locale::En => "Look for the names with",
            };
            format!("\n{}. {find} {FIND_TOOLS}.", categories(tools(), &rules.packs))
        }
    }
}

/// How many tools there are of each category of each pack.
fn categories<'a>(tools: impl Iterator<Item = &'a Arc<Tool>>, packs: &[Knowledge]) -> String {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for tool in tools {
        let pack = packs.iter().find(|pack| pack.pack() == tool.spec.pack);
        let category = pack.and_then(|pack| pack.category(&tool.command)).unwrap_or_default();
        *counts.entry((&tool.spec.pack, category)).or_default() += 1;
    }
    let told = counts.into_iter().map(|((pack, category), count)| match category {
        "" => format!("{pack} {count}"),
        _ => format!("{pack}/{category} {count}"),
    });
    told.collect::<Vec<_>>().join(", ")
}

fn load_description(lines: impl Fn(Locale) -> String) -> Localised {
    Localised {
        pt_br: format!("Mostra o contrato de ferramentas; chame antes de usar estas:{}", lines(Locale::PtBr)),
        en: format!("Shows the contracts of tools; call it before you use these:{}", lines(Locale::En)),
    }
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
        pt_br: "Procura ferramentas pelo que fazem.".to_owned(),
        en: "Finds tools by what they do.".to_owned(),
    };
    let input = json!({
        "type": "object", "additionalProperties": false, "required": ["query"],
        "properties": {"query": {"type": "string", "minLength": 1, "maxLength": 300}}
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
    tools: Arc<Finder>,
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
    tokens: Arc<dyn Tokens>,
}

impl LoadTool {
    /// What is shown of a tool beside its contract: what it does, and what its pack knows of using it rightly.
    fn tool_entry(&self, tool: &Tool, budget: usize, locale: Locale) -> Value {
        let mut told = json!({"name": tool.spec.name, "does": tool.spec.description.get(locale)});
        let pack = self.packs.iter().find(|pack| pack.pack() == tool.spec.pack);
        let known = pack.and_then(|pack| pack.beside_the_contract(&tool.command, budget, locale, self.tokens.as_ref()));
        let has_programs = self.toolbox.get(RUN_PROGRAM).is_some();
        let known = known.map(|mut known| {
            known.told.retain(|piece| has_programs || piece.sort != Sort::Helper);
            known
        });
        let known = known.filter(|known| !known.told.is_empty()).map(|known| known.text());
        let gives = has_programs.then(|| shape(&tool.spec));
        for (key, text) in [("know", known), ("gives", gives)] {
            if let (Some(text), Some(told)) = (text, told.as_object_mut()) {
                told.insert(key.to_owned(), text.into());
            }
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

//! The tool with which a model writes programs over a profile's tools, where the profile has it.

use std::collections::BTreeSet;
use std::sync::Arc;

use balcao_agent::ProgramRules;
use balcao_pack::program::{self, Callable, ProgramHelpers, RUN_PROGRAM};
use balcao_sandbox::Launcher;
use balcao_tool::{Effect, Tool, Toolbox, nearest};
use balcao_yaml::Document;

use super::{OwnPack, OwnPacks};
use crate::output::Failure;

/// Adds `run_program` over the tools that the profile names, or over all that programs may call: those of the operator's own packs, and
/// what reads among those that are part of the program (the others are about the conversation's contact, and take what they say). Programs
/// may also call the helpers of the packs that are offered. What belongs to packs `on_demand` comes with the commands that a turn shows.
///
/// # Errors
/// What the profile says about tools that programs cannot call.
pub(super) fn add(
    toolbox: &mut Toolbox,
    rules: &ProgramRules,
    own: &OwnPacks,
    offered: &[&OwnPack],
    on_demand: &BTreeSet<String>,
    document: &Document,
) -> Result<(), Failure> {
    let may = |tool: &Tool| {
        let theirs = own.get(&tool.spec.pack).is_some();
        program::may_be_called(tool) && (theirs || tool.spec.behaviour.effect == Effect::Read)
    };
    let mut problems = Vec::new();
    for (place, name) in rules.tools.iter().flatten().enumerate() {
        problems.extend(unusable(toolbox, &may, name).map(|(message, suggestion)| {
            document.problem(&format!("/profile/program/tools/{place}"), message, Some(suggestion))
        }));
    }
    if !problems.is_empty() {
        return Err(Failure::problems(&problems));
    }
    let named = |tool: &Tool| rules.tools.as_ref().is_none_or(|names| names.contains(&tool.spec.name));
    let callable = toolbox.iter().filter(|tool| may(tool) && named(tool));
    let callable: Vec<Callable> = callable
        .map(|tool| Callable {
            tool: Arc::clone(tool),
            confirm: toolbox.confirm(tool),
            is_on_demand: on_demand.contains(&tool.spec.pack),
        })
        .collect();
    let helpers = ProgramHelpers::from_packs(offered.iter().map(|pack| &pack.pack)).on_demand(on_demand);
    let max_calls = rules.max_calls.unwrap_or(program::MAX_CALLS);
    let tool = program::tool(callable, helpers, max_calls, Launcher::this_executable()).map_err(Failure::operation)?;
    toolbox.push(tool);
    Ok(())
}

/// Why programs cannot call a tool of that name, and what would be right.
fn unusable(toolbox: &Toolbox, may: &impl Fn(&Tool) -> bool, name: &str) -> Option<(String, String)> {
    match toolbox.get(name) {
        Some(tool) if may(tool) => None,
        Some(_) => Some((
            format!("programs cannot call `{name}`"),
            "they call what reads, and the commands of your own packs".to_owned(),
        )),
        None => {
            let known = toolbox.iter().map(|tool| tool.spec.name.as_str()).filter(|name| *name != RUN_PROGRAM);
            let near = nearest(name, known).first().map(|near| format!("did you mean `{near}`?"));
            let suggestion = near.unwrap_or_else(|| "name tools that this profile offers".to_owned());
            Some((format!("this profile has no tool `{name}`"), suggestion))
        }
    }
}

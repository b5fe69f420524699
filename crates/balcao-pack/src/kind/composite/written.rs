//! A composite command as its author writes it, held against what it may call.

use std::collections::{BTreeMap, BTreeSet};

use balcao_sandbox::{Helper, Language, Limits};
use balcao_tool::{Act, CommandSpec, Effect, EffectClass};
use balcao_yaml::nearest;
use serde::Deserialize;
use serde_json::Value;

use crate::{
    kind::Finding,
    manifest::{Command, Pack},
};

/// Calls of one run, where the author says nothing, and at most.
const MAX_CALLS: usize = 8;
const MOST_CALLS: usize = 32;
pub(crate) const DRIVER: &str = include_str!("driver.js");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    helper: String,
    calls: Vec<String>,
    #[serde(default = "max_calls")]
    max_calls: usize,
}

const fn max_calls() -> usize {
    MAX_CALLS
}

/// A composite command that holds together.
#[derive(Debug, Clone)]
pub(crate) struct Composed {
    /// The helper that runs it.
    pub(crate) driver: String,
    /// Its own helper, as a global of the realm.
    pub(crate) target: String,
    /// What it may call, by the names that it uses, and what that may change.
    pub(crate) calls: BTreeMap<String, Effect>,
    /// Calls of one run.
    pub(crate) max_calls: usize,
    /// What one stretch from call to call may use.
    pub(crate) limits: Limits,
    /// Whether its calls give promises, as programs of models expect, and not their values.
    pub(crate) promises: bool,
}

/// Whether a command is made of others.
pub(crate) fn is_composite(command: &Command) -> bool {
    command.handler.get("calls").is_some()
}

/// One driver for each helper that composite commands name. Their ids are such as no author can write.
pub(crate) fn drivers(pack: &Pack) -> Vec<Helper> {
    let named = pack.commands.iter().filter(|command| is_composite(command));
    let named: BTreeSet<&str> = named.filter_map(|command| command.handler.get("helper")?.as_str()).collect();
    let known = named.into_iter().filter(|id| pack.helpers.iter().any(|helper| helper.id == *id));
    known
        .map(|id| Helper {
            dependencies: vec![id.to_owned()],
            language: Language::JavaScript,
            ..Helper::javascript(&driver(id), "driver.js", DRIVER)
        })
        .collect()
}

fn driver(helper: &str) -> String {
    format!("{helper}:driver")
}

/// Reads a composite command.
pub(crate) fn check(pack: &Pack, command: &Command) -> Result<Composed, Vec<Finding>> {
    let written: Written = serde_json::from_value(command.handler.clone()).map_err(|error| {
        let finding = Finding::new("/handler", format!("invalid handler of a command that is made of others: {error}"));
        vec![finding.suggest("write `handler: {helper: <id>, calls: [<commands>]}`")]
    })?;
    let mut findings = Vec::new();
    let helpers = || pack.helpers.iter().map(|helper| helper.id.as_str());
    if !helpers().any(|known| known == written.helper) {
        let finding = Finding::new("/handler/helper", format!("unknown helper `{}`", written.helper));
        findings.push(near(finding, &written.helper, helpers()));
    }
    if !(1..=MOST_CALLS).contains(&written.max_calls) {
        findings.push(Finding::new("/handler/max_calls", format!("a run makes from 1 to {MOST_CALLS} calls")));
    }
    let mut calls = BTreeMap::new();
    for (place, id) in written.calls.iter().enumerate() {
        let at = format!("/handler/calls/{place}");
        let commands = || pack.commands.iter().filter(|command| !is_composite(command));
        match commands().find(|known| known.id == *id) {
            Some(called) => {
                findings.extend(weaker(command, called, &at));
                calls.insert(id.replace('-', "_"), called.effect);
            }
            None if pack.commands.iter().any(|known| known.id == *id) => {
                let message = format!("`{id}` is itself made of others, which may not be nested");
                findings.push(Finding::new(at, message).suggest("list what it calls"));
            }
            None => {
                let finding = Finding::new(at, format!("unknown command `{id}`"));
                findings.push(near(finding, id, commands().map(|command| command.id.as_str())));
            }
        }
    }
    if written.calls.is_empty() {
        findings.push(Finding::new("/handler/calls", "it calls nothing").suggest("leave `calls` out in a script pack"));
    }
    if let Some(class @ (EffectClass::Keyed | EffectClass::Queryable | EffectClass::Local)) = command.effect_class {
        let message = format!("several calls are not one that could be taken up again, so it cannot be {class:?}");
        findings.push(Finding::new("/effect_class", message.to_lowercase()).suggest("say `blind`"));
    }
    if !findings.is_empty() {
        return Err(findings);
    }
    let (driver, target) = (driver(&written.helper), camel(&written.helper));
    let (limits, promises) = (Limits::default(), false);
    Ok(Composed { driver, target, calls, max_calls: written.max_calls, limits, promises })
}

/// Where a command says less of itself than what it may call says.
fn weaker(command: &Command, called: &Command, at: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (own, theirs) = (command.spec(""), called.spec(""));
    if own.behaviour.effect < theirs.behaviour.effect {
        let message = format!("`{}` may change more than this command says of itself", called.id);
        let word = serde_json::to_value(called.effect).unwrap_or_default();
        findings
            .push(Finding::new(at, message).suggest(format!("say `effect: {}`", word.as_str().unwrap_or_default())));
    }
    if own.confirm < theirs.confirm {
        let message =
            format!("`{}` is agreed to by somebody before it runs, which this command would go round", called.id);
        let word: Value = serde_json::to_value(theirs.confirm).unwrap_or_default();
        findings
            .push(Finding::new(at, message).suggest(format!("say `confirm: {}`", word.as_str().unwrap_or_default())));
    }
    if !covers(own.act, &theirs) {
        let word = |act: Act| serde_json::to_value(act).unwrap_or_default().as_str().unwrap_or_default().to_owned();
        let finding = match theirs.act.map(word) {
            Some(theirs) => {
                Finding::new(at, format!("`{}` is `act: {theirs}`, which this command would hide", called.id))
                    .suggest(format!("say `act: {theirs}`, or leave `act` out: then the customer is asked"))
            }
            None => Finding::new(
                at,
                format!("the customer is asked before `{}`, which this command would go round", called.id),
            )
            .suggest("leave `act` out"),
        };
        findings.push(finding);
    }
    findings
}

/// Whether a command with this act runs only where the customer's words let the called one run. A command without an act is asked about.
fn covers(own: Option<Act>, called: &CommandSpec) -> bool {
    let needs_no_word = called.behaviour.effect == Effect::Read || called.act == Some(Act::Desk);
    needs_no_word || own.is_none() || own == called.act
}

fn near<'a>(finding: Finding, name: &str, known: impl Iterator<Item = &'a str>) -> Finding {
    match nearest(name, known) {
        Some(near) => finding.suggest(format!("did you mean `{near}`?")),
        None => finding,
    }
}

/// As the realm names a helper: `create-in-list` is `createInList`.
pub(crate) fn camel(id: &str) -> String {
    let mut upper = false;
    let mut name = String::new();
    for letter in id.chars() {
        match letter {
            '-' | '_' => upper = true,
            letter if upper => {
                name.extend(letter.to_uppercase());
                upper = false;
            }
            letter => name.push(letter),
        }
    }
    name
}

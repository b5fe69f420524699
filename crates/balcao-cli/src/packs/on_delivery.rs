//! What `on_delivery` of an account makes of the deliveries of its pack: the rules, judged when packs are loaded, and the call or the
//! turn that a prepared delivery starts.
//!
//! Invariant: the operator's configuration alone names the command and the words around a value. A pack, and what its service sends,
//! cannot.

use std::{path::Path, sync::Arc};

use balcao_app::admin::delivery_commands::in_words;
use balcao_app::admin::delivery_rule::{DeliveryRule, MAX_TEXT_CHARS, TurnRule};
use balcao_app::admin::pack_deliveries::{CommandCall, Started};
use balcao_tool::{Confirm, Effect, Tool, limits::MAX_ARGUMENT_BYTES};
use balcao_yaml::Problem;
use serde_json::Value;

use super::{OwnPack, problem};
use crate::config::AccountConfig;

/// Most rules of one account.
const MAX_RULES: usize = 50;

/// Everything that is wrong with the rules of a pack's account.
pub(super) fn check(account: &AccountConfig, own: &OwnPack) -> Vec<Problem> {
    if account.on_delivery.is_empty() {
        return Vec::new();
    }
    let place = format!("packs.accounts `{}`", own.pack.id);
    let told = |message: String, mend: &str| problem(Path::new(&place), format!("on_delivery: {message}"), mend);
    if account.on_delivery.len() > MAX_RULES {
        let message = format!("{} rules; expected at most {MAX_RULES}", account.on_delivery.len());
        return vec![told(message, "leave the choice to the service, or to a processor of the pack")];
    }
    let described = own.pack.pack.connection.as_ref().and_then(|connection| connection.get("deliveries"));
    if described.is_none_or(Value::is_null) {
        let mend = "take on_delivery out, or describe the service's webhooks in the pack";
        return vec![told("the pack takes no deliveries; expected `connection.deliveries` in it".to_owned(), mend)];
    }
    if account.webhook_secrets.is_empty() && account.header_secrets.is_empty() {
        let mend = "give the account webhook_secrets or header_secrets";
        return vec![told("the account takes no deliveries without a secret".to_owned(), mend)];
    }
    let found = account.on_delivery.iter().flat_map(|rule| mistakes(rule, own));
    found.map(|(message, mend)| told(message, &mend)).collect()
}

/// What is wrong with one rule, each with its mend.
fn mistakes(rule: &DeliveryRule, own: &OwnPack) -> Vec<(String, String)> {
    let mut found = match (&rule.command, &rule.turn) {
        (Some(command), None) => mistaken_command(rule, command, own),
        (None, Some(turn)) => mistaken_turn(rule, turn),
        (Some(_), Some(_)) => vec![(
            "a rule has both `command` and `turn`".to_owned(),
            "keep one of them; the first rule that applies counts".to_owned(),
        )],
        (None, None) => vec![(
            "a rule starts nothing".to_owned(),
            "give it a `command` of the pack, or a `turn` with the contact".to_owned(),
        )],
    };
    let people = rule.turn.iter().flat_map(|turn| turn.phone.iter().chain(&turn.contact));
    let pointers = rule.fields.values().chain(rule.when.keys()).chain(people);
    for pointer in pointers.filter(|one| !one.is_empty() && !one.starts_with('/')) {
        let mend = format!("write `/{}`", pointer.replace('.', "/"));
        found.push((format!("invalid field `{pointer}`; expected a JSON pointer into the prepared delivery"), mend));
    }
    found
}

fn mistaken_command(rule: &DeliveryRule, command: &str, own: &OwnPack) -> Vec<(String, String)> {
    let names = || own.tools.iter().map(|tool| tool.spec.name.as_str());
    let Some(tool) = tool(own, command) else {
        let known = own.tools.iter().filter(|tool| refusal(tool).is_none()).map(|tool| tool.spec.name.as_str());
        let mend = match balcao_yaml::nearest(&command.replace('-', "_"), names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("expected one of: {}", known.collect::<Vec<_>>().join(", ")),
        };
        return vec![(format!("the pack has no command `{command}`"), mend)];
    };
    let mut found: Vec<(String, String)> = refusal(tool).into_iter().collect();
    found.extend(mistaken_arguments(rule, tool));
    found
}

fn mistaken_turn(rule: &DeliveryRule, turn: &TurnRule) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut tell = |message: String, mend: &str| found.push((message, mend.to_owned()));
    if turn.phone.is_some() == turn.contact.is_some() {
        let mend = "give `phone` or `contact`: a JSON pointer into the prepared delivery";
        tell("invalid `turn`; expected one field that identifies the contact".to_owned(), mend);
    }
    let chars = turn.text.chars().count();
    if turn.text.trim().is_empty() || chars > MAX_TEXT_CHARS {
        let message = format!("invalid `text` of {chars} characters; expected 1 to {MAX_TEXT_CHARS}");
        tell(message, "tell the agent in one or two sentences what happened");
    }
    if let Some(name) = rule.values.keys().next() {
        let message = format!("invalid `values` with `{name}`; expected none beside `turn`");
        tell(message, "write what never changes into the text");
    }
    match turn.places() {
        Err(reason) => tell(reason, "write each value as the name of a field in braces"),
        Ok(places) => {
            for name in places.iter().filter(|name| !rule.fields.contains_key(**name)) {
                let mend = match balcao_yaml::nearest(name, rule.fields.keys().map(String::as_str)) {
                    Some(near) => format!("did you mean `{{{near}}}`?"),
                    None => format!("add `{name}` to `fields`, with its JSON pointer"),
                };
                tell(format!("unknown field `{{{name}}}` in the text of a turn"), &mend);
            }
            for name in rule.fields.keys().filter(|name| !places.contains(&name.as_str())) {
                tell(
                    format!("the field `{name}` is not in the text of the turn"),
                    "write it in braces, or take it out",
                );
            }
        }
    }
    found
}

/// Why no delivery may start a command, whatever its arguments.
fn refusal(tool: &Tool) -> Option<(String, String)> {
    let name = &tool.spec.name;
    if tool.spec.behaviour.effect == Effect::Read {
        let message = format!("`{name}` only reads, and nobody would read its result");
        return Some((message, "name a command that changes something".to_owned()));
    }
    if tool.spec.confirm >= Confirm::Customer {
        let message = format!("`{name}` runs only after a person agreed, and no person takes part in a delivery");
        return Some((message, "name a command with `confirm: none` or `confirm: model`".to_owned()));
    }
    None
}

/// Arguments that the command does not have, that are given twice or not at all, and fixed values that it does not take.
fn mistaken_arguments(rule: &DeliveryRule, tool: &Tool) -> Vec<(String, String)> {
    let (command, schema) = (&tool.spec.name, &tool.spec.input_schema);
    let properties = schema.get("properties").and_then(Value::as_object);
    let known: Vec<&str> = properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let mut found = Vec::new();
    for name in rule.fields.keys().chain(rule.values.keys()).filter(|name| !known.contains(&name.as_str())) {
        let mend = match balcao_yaml::nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("expected one of: {}", known.join(", ")),
        };
        found.push((format!("`{command}` has no argument `{name}`"), mend));
    }
    for name in rule.fields.keys().filter(|name| rule.values.contains_key(*name)) {
        let mend = "keep one of them".to_owned();
        found.push((format!("the argument `{name}` of `{command}` is under both `fields` and `values`"), mend));
    }
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for name in required.filter(|name| !rule.fields.contains_key(*name) && !rule.values.contains_key(*name)) {
        let mend = "give it under `fields`, from the delivery, or under `values`".to_owned();
        found.push((format!("`{command}` needs the argument `{name}`"), mend));
    }
    let fixed = Value::Object(rule.values.clone());
    let is_given = |pointer: &str| {
        let name = pointer.trim_start_matches('/').split('/').next().unwrap_or_default();
        rule.values.contains_key(name) && known.contains(&name)
    };
    for one in tool.input.problems(&fixed).into_iter().filter(|one| is_given(&one.pointer)) {
        let message = format!("the value `{}` of `{command}`: {}", one.pointer, one.problem.replace('_', " "));
        found.push((message, format!("expected {}", one.expected)));
    }
    found
}

/// The command of a pack by the name that the configuration gives it.
fn tool<'a>(own: &'a OwnPack, command: &str) -> Option<&'a Arc<Tool>> {
    let name = command.replace('-', "_");
    own.tools.iter().find(|tool| tool.spec.name == name)
}

/// What a prepared delivery starts, by the first rule that applies to it.
///
/// # Errors
/// What the delivery lacks, or which argument breaks the command's contract. No value of the delivery is in the text.
pub(super) fn start(own: &OwnPack, said: &Value) -> Result<Option<Started>, String> {
    let Some(rule) = own.on_delivery.iter().find(|rule| rule.is_for(said)) else { return Ok(None) };
    match &rule.turn {
        Some(turn) => turn.message(&rule.fields, said).map(|message| Some(Started::Turn(message))),
        None => call(own, rule, said).map(|call| Some(Started::Command(call))),
    }
}

fn call(own: &OwnPack, rule: &DeliveryRule, said: &Value) -> Result<CommandCall, String> {
    let arguments = Value::Object(rule.arguments(said)?);
    let about = |reason: String| format!("on_delivery `{}`: {reason}", rule.name());
    let bytes = arguments.to_string().len();
    if bytes > MAX_ARGUMENT_BYTES {
        return Err(about(format!("{bytes} bytes of arguments; expected at most {MAX_ARGUMENT_BYTES}")));
    }
    let tool = tool(own, rule.name()).ok_or_else(|| about("the pack has no such command any more".to_owned()))?;
    let checked = tool.check_arguments(arguments).map_err(|problems| about(in_words(&problems)))?;
    Ok(CommandCall { command: tool.spec.name.clone(), arguments: checked.args })
}

/// A command that a delivery started, as it may run now.
///
/// # Errors
/// Why it must not run: no rule names it any more, or its contract waits for acceptance.
pub(super) fn runnable(own: &OwnPack, command: &str) -> Result<Arc<Tool>, String> {
    let pack = &own.pack.id;
    if !own.on_delivery.iter().any(|rule| rule.command.as_ref().is_some_and(|named| named.replace('-', "_") == command))
    {
        return Err(format!("on_delivery of the pack `{pack}` no longer names `{command}`"));
    }
    if own.changed.iter().any(|changed| changed == command) {
        return Err(format!("`{command}` changed since it was accepted; `balcao pack accept {pack}` accepts it"));
    }
    let tool = tool(own, command).ok_or_else(|| format!("the pack `{pack}` has no command `{command}` any more"))?;
    refusal(tool).map_or_else(|| Ok(Arc::clone(tool)), |(message, _)| Err(message))
}

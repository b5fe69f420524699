//! `balcao pack run` and `balcao pack undo`: one command of an own pack, against the account of the configuration.
//!
//! A call passes what every call of a model passes: schema, validators, time limit. With `--dry-run` nothing that changes anything is sent.

use std::process::ExitCode;

use balcao_app::Desk;
use balcao_domain::{Clock, SystemClock};
use balcao_store::Store;
use balcao_tool::{
    CallResult, EffectKey, Locale, Principal, ResultClass, RunMode, Tool, ToolContext, ToolError, canonical,
};
use jiff::tz::TimeZone;
use secrecy::ExposeSecret;
use serde_json::{Map, Value};
use std::sync::Arc;

use crate::{
    config::Config,
    output::{Failure, chain, complain, say},
    packs::{OwnPack, OwnPacks},
    wire,
};

/// Shorter ones would take ordinary words with them.
const SHORTEST_SECRET: usize = 4;

/// Options of `balcao pack run`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  balcao pack run clickup get_task --input '{\"task_id\": \"86b7q1x2z\"}'")]
pub(super) struct RunArgs {
    #[command(flatten)]
    call: Call,
    /// The arguments: JSON, or the file that holds it after an `@`.
    #[arg(long, value_name = "JSON|@FILE", default_value = "{}")]
    input: String,
}

/// Options of `balcao pack undo`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  balcao pack run clickup create_task --input @task.json > made.json\n  \
    balcao pack undo clickup create_task --input @task.json --result @made.json")]
pub(super) struct UndoArgs {
    #[command(flatten)]
    call: Call,
    /// The arguments that the command was run with: JSON, or the file that holds it after an `@`.
    #[arg(long, value_name = "JSON|@FILE", default_value = "{}")]
    input: String,
    /// What it gave.
    #[arg(long, value_name = "JSON|@FILE", default_value = "{}")]
    result: String,
}

#[derive(Debug, clap::Args)]
struct Call {
    /// The pack's id, as packs.folders finds it.
    #[arg(value_name = "PACK")]
    pack: String,
    /// The command.
    #[arg(value_name = "COMMAND")]
    command: String,
    /// Says what would be sent, and sends nothing that changes anything.
    #[arg(long)]
    dry_run: bool,
}

/// Runs `balcao pack run`.
pub(super) async fn run(args: &RunArgs, config: &Config) -> Result<ExitCode, Failure> {
    let own = own_packs(config)?;
    let pack = find(&own, &args.call.pack)?;
    call(config, tool(pack, &args.call.command)?, object("--input", &args.input)?, args.call.dry_run).await
}

/// Runs `balcao pack undo`.
pub(super) async fn undo(args: &UndoArgs, config: &Config) -> Result<ExitCode, Failure> {
    let own = own_packs(config)?;
    let pack = find(&own, &args.call.pack)?;
    let done = tool(pack, &args.call.command)?;
    let commands = &pack.pack.pack.commands;
    let written = commands.iter().find(|one| one.spec("").name == done.spec.name);
    let Some(undo) = written.and_then(|one| one.undo.as_ref()) else {
        let known: Vec<&str> = commands.iter().filter(|one| one.undo.is_some()).map(|one| one.id.as_str()).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(Failure::usage(format!("`{}` names no command that undoes it; with one: {known}", done.spec.name)));
    };
    let undoing = tool(pack, undo)?;
    let (input, result) = (object("--input", &args.input)?, object("--result", &args.result)?);
    call(config, undoing, arguments(&undoing.spec.input_schema, &input, &result), args.call.dry_run).await
}

/// What undoing takes: from what came of the command, then from what it was run with. `id` of the result is the id of what was made.
fn arguments(schema: &Value, input: &Map<String, Value>, result: &Map<String, Value>) -> Map<String, Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = |name: &str| {
        let all = schema.get("required").and_then(Value::as_array);
        all.is_some_and(|all| all.iter().any(|one| one == name))
    };
    let names = properties.into_iter().flatten().map(|(name, _)| name);
    let value = |name: &String| {
        let same = result.get(name).or_else(|| input.get(name));
        let made = || result.get("id").filter(|_| name.ends_with("_id") && required(name));
        Some((name.clone(), same.or_else(made)?.clone()))
    };
    names.filter_map(value).collect()
}

async fn call(config: &Config, tool: &Tool, args: Map<String, Value>, dry_run: bool) -> Result<ExitCode, Failure> {
    let result = match tool.judge(Value::Object(args)) {
        Ok(checked) => {
            let mode = if dry_run { RunMode::Ask } else { RunMode::Execute };
            tool.execute(&context(tool, &checked.args), checked.args, mode).await
        }
        Err(problems) => tool.fail(&ToolError::invalid(problems), Locale::En),
    };
    let CallResult { class, value, internal, confirm, .. } = result;
    if let Some(request) = confirm.filter(|_| dry_run) {
        say(&struck(config, &request));
        return Ok(ExitCode::SUCCESS);
    }
    say(&struck(config, &value.to_string()));
    if let Some(internal) = internal {
        complain(&struck(config, &internal));
    }
    match class {
        ResultClass::Success => Ok(ExitCode::SUCCESS),
        ResultClass::Refusal | ResultClass::Correction | ResultClass::Fault => Ok(ExitCode::from(1)),
    }
}

/// An operator's call is nobody's turn: its moment tells it from every other one.
fn context(tool: &Tool, args: &Value) -> ToolContext {
    let now = SystemClock.now();
    let hash = canonical::hash(args);
    let principal =
        Principal { organization: 0, contact: 0, conversation: 0, turn: 0, staff_facing: true, locale: Locale::En };
    let key = EffectKey::derive(now.as_microsecond(), 0, 0, &tool.spec.name, &hash);
    ToolContext { principal, key, args_hash: hash, now: now.to_zoned(TimeZone::system()) }
}

/// A text without any secret of the configuration.
fn struck(config: &Config, text: &str) -> String {
    let secrets = config.secrets.iter().map(ExposeSecret::expose_secret);
    let long = secrets.filter(|secret| secret.chars().count() >= SHORTEST_SECRET);
    long.fold(text.to_owned(), |text, secret| text.replace(secret, "[secret]"))
}

/// The own packs of the configuration.
pub(super) fn own_packs(config: &Config) -> Result<OwnPacks, Failure> {
    if config.packs.folders.is_empty() {
        return Err(Failure::usage("packs.folders names no folder; name those of your packs in the configuration"));
    }
    // The contracts need no data: an empty database stands behind the handlers.
    let store = Store::open_in_memory().map_err(|error| Failure::operation(chain(&error)))?;
    wire::own_packs(config, &Desk::new(store, Arc::new(SystemClock)), None)
}

/// One of them.
pub(super) fn find<'a>(own: &'a OwnPacks, id: &str) -> Result<&'a OwnPack, Failure> {
    let found = own.get(id).ok_or_else(|| {
        let known: Vec<&str> = own.all.iter().map(|one| one.pack.id.as_str()).collect();
        Failure::usage(format!("there is no pack `{id}` in packs.folders; there are: {}", known.join(", ")))
    })?;
    match &found.unconnected {
        Some(mend) => Err(Failure::usage(mend)),
        None => Ok(found),
    }
}

fn tool<'a>(pack: &'a OwnPack, id: &str) -> Result<&'a Tool, Failure> {
    let name = id.replace('-', "_");
    pack.tools.iter().find(|tool| tool.spec.name == name).map(AsRef::as_ref).ok_or_else(|| {
        let near = balcao_yaml::nearest(&name, pack.tools.iter().map(|tool| tool.spec.name.as_str()));
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        Failure::usage(format!("the pack `{}` has no command `{id}`{near}", pack.pack.id))
    })
}

/// An object of the command line, or of a file.
fn object(option: &str, given: &str) -> Result<Map<String, Value>, Failure> {
    let text = match given.strip_prefix('@') {
        Some(file) => {
            std::fs::read_to_string(file).map_err(|error| Failure::usage(format!("{option} {file}: {error}")))?
        }
        None => given.to_owned(),
    };
    serde_json::from_str(&text).map_err(|error| Failure::usage(format!("{option} is no JSON object: {error}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn undoing_takes_what_was_made_and_what_it_was_made_with() {
        let schema =
            json!({"required": ["task_id"], "properties": {"task_id": {}, "team_id": {}, "list_id": {}, "force": {}}});
        let cases = [
            (
                json!({"list_id": "9", "name": "x"}),
                json!({"id": "t1", "name": "x"}),
                json!({"task_id": "t1", "list_id": "9"}),
            ),
            (json!({"task_id": "a"}), json!({"id": "b"}), json!({"task_id": "a"})),
            (json!({"task_id": "a"}), json!({"task_id": "b"}), json!({"task_id": "b"})),
            (json!({}), json!({}), json!({})),
        ];
        for (input, result, expected) in cases {
            assert_eq!(Value::Object(arguments(&schema, &map(input), &map(result))), expected);
        }
    }
}

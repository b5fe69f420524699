//! `balcao pack run` and `balcao pack undo`: one command of an own pack, against the account of the configuration.
//!
//! A call passes what every call of a model passes: schema, validators, time limit. With `--dry-run` nothing that changes anything is sent.

use std::process::ExitCode;

use balcao_app::AppContext;
use balcao_pack::Undo;
use balcao_store::Store;
use balcao_tool::{
    CallResult, Effect, EffectKey, Locale, Principal, ResultClass, RunMode, Tool, ToolContext, ToolError, canonical,
};
use jiff::{Timestamp, tz::TimeZone};
use secrecy::ExposeSecret;
use serde_json::{Map, Value};

use crate::{
    config::Config,
    output::{Failure, error_chain, indented, print_error, print_line},
    packs::{OwnPack, OwnPacks},
    time, wire,
};

/// Shorter ones would take ordinary words with them.
const SHORTEST_SECRET: usize = 4;

/// Options of `balcao pack run`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  balcao pack run clickup get_task --input '{\"task_id\": \"86b7q1x2z\"}'")]
pub(super) struct RunArgs {
    #[command(flatten)]
    call: Call,
    /// The arguments: JSON, or `@` and the name of a file.
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
    /// The arguments of the command: JSON, or `@` and the name of a file.
    #[arg(long, value_name = "JSON|@FILE", default_value = "{}")]
    input: String,
    /// Its result.
    #[arg(long, value_name = "JSON|@FILE", default_value = "{}")]
    result: String,
}

#[derive(Debug, clap::Args)]
struct Call {
    /// The id of a pack in `packs.folders`.
    #[arg(value_name = "PACK")]
    pack: String,
    /// The command.
    #[arg(value_name = "COMMAND")]
    command: String,
    /// Shows the requests; sends none that changes anything.
    #[arg(long)]
    dry_run: bool,
    /// The time that helpers see, such as 2026-11-24T09:00:00-03:00; default: now.
    #[arg(long, value_name = "TIME")]
    now: Option<Timestamp>,
}

/// Runs `balcao pack run`.
pub(super) async fn run(args: &RunArgs, config: &Config) -> Result<ExitCode, Failure> {
    let own = packs_of(args.call.dry_run, config).await?;
    let pack = find(&own, &args.call.pack)?;
    call(config, tool(pack, &args.call.command)?, object("--input", &args.input)?, &args.call).await
}

/// Runs `balcao pack undo`.
pub(super) async fn undo(args: &UndoArgs, config: &Config) -> Result<ExitCode, Failure> {
    let own = packs_of(args.call.dry_run, config).await?;
    let pack = find(&own, &args.call.pack)?;
    let done = tool(pack, &args.call.command)?;
    let commands = &pack.pack.pack.commands;
    let written = commands.iter().find(|one| one.spec("").name == done.spec.name);
    let Some(undo) = written.and_then(|one| Undo::of(&pack.pack.pack, one)) else {
        let known: Vec<&str> = commands.iter().filter(|one| one.undo.is_some()).map(|one| one.id.as_str()).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(Failure::usage(format!("`{}` names no command that undoes it; with one: {known}", done.spec.name)));
    };
    let tool = tool(pack, &undo.tool)?;
    let (input, result) = (object("--input", &args.input)?, object("--result", &args.result)?);
    let arguments = undo.arguments(&input.into(), &result.into()).map_err(|missing| {
        let missing = missing.join(", ");
        Failure::usage(format!("neither --input nor --result gives what `{}` takes: {missing}", undo.tool))
    })?;
    call(config, tool, arguments, &args.call).await
}

async fn call(config: &Config, tool: &Tool, args: Map<String, Value>, how: &Call) -> Result<ExitCode, Failure> {
    let dry_run = how.dry_run;
    let result = match tool.check_arguments(Value::Object(args)) {
        Ok(_) if dry_run && !tool.confirmable() => return undescribed(tool),
        Ok(checked) => {
            let mode = if dry_run { RunMode::Ask } else { RunMode::Execute };
            tool.execute(&context(tool, &checked.args, how.now), checked.args, mode).await
        }
        Err(problems) => tool.fail(&ToolError::invalid(problems), Locale::En),
    };
    let CallResult { class, value, internal, confirm, .. } = result;
    if let Some(request) = confirm.filter(|_| dry_run) {
        print_line(&struck(config, &request));
        return Ok(ExitCode::SUCCESS);
    }
    if dry_run && matches!(class, ResultClass::Success | ResultClass::Refusal) && internal.is_none() {
        print_error("nothing would be changed; this is what it gives");
    }
    print_line(&struck(config, &value.to_string()));
    if let Some(internal) = internal {
        print_error(&indented(&struck(config, &internal), 2));
    }
    match class {
        ResultClass::Success => Ok(ExitCode::SUCCESS),
        ResultClass::Refusal | ResultClass::Correction | ResultClass::Fault => Ok(ExitCode::from(1)),
    }
}

/// A dry run of what sends no request of its own, so that there is none to be shown.
fn undescribed(tool: &Tool) -> Result<ExitCode, Failure> {
    let name = &tool.spec.name;
    if tool.spec.behaviour.effect == Effect::Read {
        print_line(&format!(
            "nothing would be sent: `{name}` only computes or reads here, and changes nothing; run it without --dry-run to see what it gives"
        ));
        return Ok(ExitCode::SUCCESS);
    }
    Err(Failure::operation(format!("`{name}` cannot say what it would do; nothing was done")))
}

/// An operator's call is nobody's turn: its moment tells it from every other one, whatever helpers take for now.
pub(super) fn context(tool: &Tool, args: &Value, stated: Option<Timestamp>) -> ToolContext {
    let now = time::now();
    let hash = canonical::hash(args);
    let principal =
        Principal { organization: 0, contact: 0, conversation: 0, turn: 0, staff_facing: true, locale: Locale::En };
    let key = EffectKey::derive(now.as_microsecond(), 0, 0, &tool.spec.name, &hash);
    ToolContext {
        principal,
        key,
        args_hash: hash,
        now: stated.unwrap_or(now).to_zoned(TimeZone::system()),
        agreed: None,
        told_prices: Vec::new(),
    }
}

/// A text without any secret of the configuration.
pub(super) fn struck(config: &Config, text: &str) -> String {
    let secrets = config.secrets.iter().map(ExposeSecret::expose_secret);
    let long = secrets.filter(|secret| secret.chars().count() >= SHORTEST_SECRET);
    long.fold(text.to_owned(), |text, secret| text.replace(secret, "[secret]"))
}

/// The own packs of the configuration.
pub(super) async fn own_packs(config: &Config) -> Result<OwnPacks, Failure> {
    if config.packs.folders.is_empty() {
        return Err(Failure::usage("packs.folders names no folder; name those of your packs in the configuration"));
    }
    // The contracts need no data: an empty database stands behind the handlers.
    let store = Store::open_in_memory().map_err(|error| Failure::operation(error_chain(&error)))?;
    wire::own_packs(config, &AppContext::new(store, time::clock()), None).await
}

/// The own packs, for a trial run if it is one.
async fn packs_of(dry_run: bool, config: &Config) -> Result<OwnPacks, Failure> {
    if dry_run { trial_packs(config).await } else { own_packs(config).await }
}

/// The own packs of the configuration, with accounts that send nothing that may change something.
pub(super) async fn trial_packs(config: &Config) -> Result<OwnPacks, Failure> {
    let mut trial = config.clone();
    trial.packs.trial = true;
    own_packs(&trial).await
}

/// One of them.
pub(super) fn find<'a>(own: &'a OwnPacks, id: &str) -> Result<&'a OwnPack, Failure> {
    let found = own.get(id).ok_or_else(|| {
        let known: Vec<&str> = own.all.iter().map(|one| one.pack.id.as_str()).collect();
        Failure::usage(format!("unknown pack `{id}` in packs.folders; expected one of: {}", known.join(", ")))
    })?;
    match &found.unconnected {
        Some(mend) => Err(Failure::usage(mend)),
        None => Ok(found),
    }
}

pub(super) fn tool<'a>(pack: &'a OwnPack, id: &str) -> Result<&'a Tool, Failure> {
    let name = id.replace('-', "_");
    if pack.changed.contains(&name) {
        let pack = &pack.pack.id;
        return Err(Failure::operation(format!(
            "`{name}` is not as it was accepted, or waits to be; read what `balcao pack accept {pack} --dry-run` shows, then accept it; \
             while you write the pack, set packs.development"
        )));
    }
    pack.tools.iter().find(|tool| tool.spec.name == name).map(AsRef::as_ref).ok_or_else(|| {
        let near = balcao_yaml::nearest(&name, pack.tools.iter().map(|tool| tool.spec.name.as_str()));
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        Failure::usage(format!("the pack `{}` has no command `{id}`{near}", pack.pack.id))
    })
}

/// An object of the command line, or of a file.
fn object(option: &str, given: &str) -> Result<Map<String, Value>, Failure> {
    let text = match given.strip_prefix('@') {
        Some(file) => std::fs::read_to_string(file)
            .map_err(|error| Failure::usage(format!("{option} {file}: {}", crate::files::reason(&error))))?,
        None => given.to_owned(),
    };
    let invalid = |why: &str| Failure::usage(format!("invalid {option}; expected a JSON object{why}"));
    match balcao_json::read_text(&text, balcao_json::MOST_LEVELS) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(invalid("")),
        Err(fault) => Err(invalid(&format!(": {fault}"))),
    }
}

//! `balcao pack show` and `balcao pack list`.

use std::{path::PathBuf, process::ExitCode};

use balcao_builtin_tools::PACKS;
use balcao_pack::{
    LoadedPack,
    manifest::{AntiPattern, Command},
};
use balcao_tool::Locale;
use balcao_yaml::nearest;
use serde_json::{Value, json};

use super::{load, loader};
use crate::output::{Failure, counted, one_line, print_line};

/// Options of `balcao pack show`.
#[derive(Debug, clap::Args)]
pub(super) struct ShowArgs {
    /// The pack's folder.
    #[arg(value_name = "DIR")]
    path: PathBuf,
    /// One command: its contract, rules, anti-patterns and examples.
    #[arg(long, value_name = "ID")]
    command: Option<String>,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

/// Options of `balcao pack list`.
#[derive(Debug, clap::Args)]
pub(super) struct ListArgs {
    /// The folder that holds the packs.
    #[arg(value_name = "DIR", default_value = "packs")]
    dir: PathBuf,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

/// Runs `balcao pack show`.
pub(super) fn show(args: &ShowArgs) -> Result<ExitCode, Failure> {
    let pack = load(&loader()?, &args.path).map_err(|problems| Failure::problems(&problems))?;
    let commands: Vec<&Command> = match &args.command {
        None => pack.pack.commands.iter().collect(),
        Some(id) => vec![find(&pack, id)?],
    };
    let told: Vec<Value> =
        commands.iter().map(|command| command_view(&pack, command, args.command.is_some())).collect();
    if args.json {
        print_line(&json!({"pack": pack.id, "version": pack.version, "commands": told}).to_string());
        return Ok(ExitCode::SUCCESS);
    }
    if args.command.is_some() {
        for one in &told {
            print_line(&serde_json::to_string_pretty(one).unwrap_or_default());
        }
        return Ok(ExitCode::SUCCESS);
    }
    print_line(&format!(
        "{} {} ({}): {}",
        pack.id,
        pack.version,
        pack.pack.kind.as_str(),
        one_line(pack.pack.description.get(Locale::En))
    ));
    for command in commands {
        let checks = pack.pack.validators.iter().filter(|validator| validates(validator, command)).count();
        let effect = json!(command.effect);
        let effect = effect.as_str().unwrap_or_default();
        print_line(&format!(
            "  {:<32} {effect:<12} {checks} validators  {}",
            command.id,
            one_line(command.description.get(Locale::En))
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn find<'a>(pack: &'a LoadedPack, id: &str) -> Result<&'a Command, Failure> {
    let known = || pack.pack.commands.iter();
    known().find(|command| command.id == id).ok_or_else(|| {
        let near = nearest(id, known().map(|command| command.id.as_str()));
        let near = near.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        Failure::usage(format!("the pack `{}` has no command `{id}`{near}", pack.id))
    })
}

fn validates(validator: &balcao_pack::manifest::Validator, command: &Command) -> bool {
    validator.validates.as_deref() == Some(&command.id) || command.uses_validators.contains(&validator.id)
}

fn command_view(pack: &LoadedPack, command: &Command, all: bool) -> Value {
    let mut told = json!({
        "id": command.id,
        "description": command.description.get(Locale::En),
        "effect": command.effect,
    });
    if !all {
        return told;
    }
    let written = &pack.pack;
    let validators: Vec<_> = written.validators.iter().filter(|validator| validates(validator, command)).collect();
    let cited = |id: &str| validators.iter().flat_map(|v| &v.checks).any(|check| check.anti_pattern() == Some(id));
    let judged = |anti: &AntiPattern| anti.validator().is_some_and(|id| validators.iter().any(|v| v.id == id));
    let anti: Vec<Value> = written
        .anti_patterns
        .iter()
        .filter(|anti| cited(&anti.id) || anti.commands.contains(&command.id) || judged(anti))
        .map(|anti| json!({"id": anti.id, "title": anti.title, "wrong": anti.wrong, "right": anti.instead(), "why": anti.why}))
        .collect();
    let rules: Vec<Value> =
        validators.iter().map(|v| json!({"id": v.id, "rule": v.rule, "checks": v.checks.len()})).collect();
    let success = written.examples.success_cases.iter().filter(|case| case.operation == command.id);
    let examples: Vec<Value> =
        success.map(|case| json!({"id": case.id, "input": case.input, "output": case.output})).collect();
    let more = [
        ("input_schema", command.input_schema.clone()),
        ("output_schema", command.output_schema.clone()),
        ("handler", command.handler.clone()),
        ("uses_helpers", json!(command.uses_helpers)),
        ("validators", json!(rules)),
        ("anti_patterns", json!(anti)),
        ("examples", json!(examples)),
    ];
    if let Some(fields) = told.as_object_mut() {
        fields.extend(more.map(|(name, value)| (name.to_owned(), value)));
    }
    told
}

/// Runs `balcao pack list`.
pub(super) fn list(args: &ListArgs) -> Result<ExitCode, Failure> {
    let loader = loader()?;
    let mut rows = Vec::new();
    let row = |origin: String, loaded: Result<LoadedPack, usize>| match loaded {
        Ok(pack) => json!({
            "from": origin, "id": pack.id, "version": pack.version, "type": pack.pack.kind, "commands": pack.tools.len(), "problems": 0,
        }),
        Err(problems) => json!({"from": origin, "problems": problems}),
    };
    for (file, text) in PACKS {
        let loaded = loader.load(file, text).map_err(|problems| problems.len());
        rows.push(row("built in".to_owned(), loaded));
    }
    let mut folders: Vec<PathBuf> = match std::fs::read_dir(&args.dir) {
        Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).collect(),
        // No folder, no packs of one's own.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(Failure::operation(format!("{}: {error}", args.dir.display()))),
    };
    folders.sort();
    for folder in folders.into_iter().filter(|folder| folder.join("tool.yaml").is_file()) {
        let loaded = load(&loader, &folder).map_err(|problems| problems.len());
        rows.push(row(folder.display().to_string(), loaded));
    }
    if args.json {
        print_line(&json!({ "packs": rows }).to_string());
        return Ok(ExitCode::SUCCESS);
    }
    for row in &rows {
        let text = |name: &str| row.get(name).and_then(Value::as_str).map_or_else(|| "–".to_owned(), one_line);
        let number = |name: &str| {
            row.get(name).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok()).unwrap_or_default()
        };
        let state = match number("problems") {
            0 => counted(number("commands"), "command"),
            problems => format!("{}: see `balcao pack check {}`", counted(problems, "problem"), text("from")),
        };
        print_line(&format!(
            "{:<16} {:<8} {:<8} {:<24} {state}",
            text("id"),
            text("version"),
            text("type"),
            text("from")
        ));
    }
    Ok(ExitCode::SUCCESS)
}

//! `balcao pack new` and `balcao pack check`.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::ValueEnum;
use serde_json::json;

use super::{Paths, examine, loader};
use crate::output::{Failure, counted, print_line};

/// What a new pack begins as.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Start {
    /// Helpers that compute.
    #[default]
    Script,
    /// Commands of a service over HTTP.
    Http,
    /// Tools of an MCP server.
    Mcp,
}

/// A file of a template, by its path in the pack.
macro_rules! files {
    ($folder:literal: $($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../templates/", $folder, "/", $name)))),*]
    };
}

impl Start {
    /// The files of a new pack. `PACK_ID` in them is replaced.
    const fn files(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Script => files!("pack":
                "tool.yaml",
                "helpers/order-total.js",
                "validators/quote-order.yaml",
                "examples/success/two-lines.yaml",
                "examples/failures/fraction.yaml",
                "examples/edge-cases/rounding.yaml",
                "knowledge/orders.md",
            ),
            Self::Http => files!("pack-http":
                "tool.yaml",
                "validators/parcel-code.yaml",
                "examples/success/parcels.yaml",
                "examples/failures/codes.yaml",
                "examples/responses/on-its-way.json",
                "knowledge/parcels.md",
            ),
            Self::Mcp => files!("pack-mcp":
                "tool.yaml",
                "validators/note-number.yaml",
                "examples/success/notes.yaml",
                "examples/failures/numbers.yaml",
                "knowledge/notes.md",
            ),
        }
    }
}

/// Options of `balcao pack new`.
#[derive(Debug, clap::Args)]
pub(super) struct NewArgs {
    /// The folder, created if it is missing; existing files stay as they are.
    dir: PathBuf,
    /// The pack's id; default: the name of the folder.
    #[arg(long)]
    id: Option<String>,
    /// The type of the pack.
    #[arg(long = "type", value_enum, value_name = "TYPE", default_value_t)]
    start: Start,
}

/// Options of `balcao pack check`.
#[derive(Debug, clap::Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    packs: Paths,
    /// The problems as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs `balcao pack new`.
pub(super) fn new(args: &NewArgs) -> Result<ExitCode, Failure> {
    let id = match &args.id {
        Some(id) => id.clone(),
        None => args.dir.file_name().map(|name| name.to_string_lossy().replace('-', "_")).unwrap_or_default(),
    };
    let letters =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if !(2..=32).contains(&id.len()) || !id.starts_with(|first: char| first.is_ascii_lowercase()) || !letters(&id) {
        let what = "a pack's id is 2 to 32 lower-case letters, digits and `_`, and begins with a letter";
        return Err(Failure::usage(format!("invalid id `{id}`: {what}; name one with --id")));
    }
    let files = args.start.files();
    let taken: Vec<String> = files
        .iter()
        .map(|(name, _)| args.dir.join(name))
        .filter(|path| path.exists())
        .map(|path| path.display().to_string())
        .collect();
    if !taken.is_empty() {
        return Err(Failure::operation(format!("nothing was written: {} is there already", taken.join(", "))));
    }
    for (name, text) in files {
        write(&args.dir.join(name), &text.replace("PACK_ID", &id))?;
    }
    let dir = args.dir.display();
    print_line(&format!("balcao pack check {dir}"));
    print_line(&format!("balcao pack test {dir}"));
    Ok(ExitCode::SUCCESS)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::operation(format!("{}: {error}", path.display()));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(path, text).map_err(failed)
}

/// Runs `balcao pack check`.
pub(super) async fn check(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let loader = loader()?.testing();
    let (mut problems, mut unheld) = (Vec::new(), Vec::new());
    let mut fine = Vec::new();
    for path in &args.packs.paths {
        match examine(&loader, path).await? {
            Ok(pack) if pack.unheld.is_empty() => {
                let (folder, id, version) = (path.display(), &pack.id, &pack.version);
                let commands = counted(pack.tools.len(), "command");
                fine.push(format!("{folder}: {id} {version}, {commands}, no mistakes"));
            }
            Ok(pack) => unheld.extend(pack.unheld),
            Err(found) => problems.extend(found),
        }
    }
    if args.json {
        let shown = problems.iter().chain(&unheld).map(|problem| {
            json!({
                "file": problem.file, "line": problem.line, "column": problem.column, "message": problem.message,
                "suggestion": problem.suggestion, "snippet": problem.snippet,
            })
        });
        print_line(&json!({ "problems": shown.collect::<Vec<_>>() }).to_string());
        return Ok(match (problems.is_empty(), unheld.is_empty()) {
            (true, true) => ExitCode::SUCCESS,
            (true, false) => ExitCode::from(1),
            (false, _) => ExitCode::from(2),
        });
    }
    for line in &fine {
        print_line(line);
    }
    if problems.is_empty() {
        return if unheld.is_empty() { Ok(ExitCode::SUCCESS) } else { Err(Failure::unheld(&unheld)) };
    }
    problems.append(&mut unheld);
    Err(Failure::problems(&problems))
}

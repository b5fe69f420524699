//! `balcao pack search`: what packs know of something.

use std::{path::PathBuf, process::ExitCode};

use balcao_language::bilingual_tokens;
use balcao_search::{Filter, Hit, Index, Query};
use serde_json::json;

use super::{load, loader};
use crate::output::{Failure, say};

/// Where packs lie if none is named.
const FOLDER: &str = "packs";

/// Options of `balcao pack search`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What is looked for, in Portuguese or English.
    #[arg(value_name = "QUERY", required = true)]
    query: Vec<String>,
    /// A pack's folder; several times for several. Without it, all packs in `packs/`.
    #[arg(long, value_name = "DIR")]
    pack: Vec<PathBuf>,
    /// Only what is about this command.
    #[arg(long, value_name = "COMMAND")]
    command: Option<String>,
    /// Only entries of this type.
    #[arg(long = "type", value_name = "TYPE", value_parser = ["command", "helper", "validator", "anti_pattern", "example", "prose"])]
    kind: Option<String>,
    /// How many at most.
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    limit: usize,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let loader = loader()?;
    let (mut entries, mut problems) = (Vec::new(), Vec::new());
    for folder in folders(args)? {
        match load(&loader, &folder) {
            Ok(pack) => entries.extend(pack.search_entries()),
            Err(found) => problems.extend(found),
        }
    }
    if !problems.is_empty() {
        return Err(Failure::problems(&problems));
    }
    let index = Index::new(entries, bilingual_tokens);
    let filter = Filter { command: args.command.as_deref(), kind: args.kind.as_deref(), ..Filter::default() };
    let words = args.query.join(" ");
    let hits = index.search(&Query { words: &words, filter, limit: args.limit, ..Query::default() });
    if args.json {
        say(&json!(hits).to_string());
    } else if hits.is_empty() {
        say("nothing found: other words, or fewer filters, may find something");
    } else {
        for hit in &hits {
            say(&line(hit));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn folders(args: &Args) -> Result<Vec<PathBuf>, Failure> {
    if !args.pack.is_empty() {
        return Ok(args.pack.clone());
    }
    let wrong = |error| Failure::usage(format!("{FOLDER}: {error}; name a pack by `--pack <folder>`"));
    let entries = std::fs::read_dir(FOLDER).map_err(wrong)?;
    let mut folders: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.retain(|folder| folder.join("tool.yaml").is_file());
    folders.sort();
    Ok(folders)
}

/// A hit with its place in both ranks.
fn line(hit: &Hit<'_>) -> String {
    let place = |place: Option<usize>| place.map_or_else(|| "-".to_owned(), |place| place.to_string());
    let (words, vectors) = (place(hit.by_keywords), place(hit.by_vectors));
    let labels = &hit.entry.labels;
    let said: String = hit.entry.text.chars().take(80).collect();
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("words {words:>3}  vectors {vectors:>3}  {:<12} {}/{}  {said}", labels.kind, labels.tool, hit.entry.id)
}

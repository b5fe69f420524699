//! `balcao pack search`: what packs know of something.

use std::{collections::BTreeSet, path::PathBuf, process::ExitCode};

use balcao_language::bilingual_tokens;
use balcao_llm::{
    ModelError,
    embed::{Embedder, TextRole},
};
use balcao_search::{Entry, Filter, Hit, Index, Query};
use serde_json::json;

use super::{load, loader};
use crate::{
    config::Config,
    output::{Failure, error_chain, print_error, print_line},
};

/// Where packs lie if none is named.
const FOLDER: &str = "packs";

/// Options of `balcao pack search`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The words, in Portuguese or English.
    #[arg(value_name = "QUERY", required = true)]
    query: Vec<String>,
    /// A pack's folder; may be repeated. Default: all packs in `packs/`.
    #[arg(long, value_name = "DIR")]
    pack: Vec<PathBuf>,
    /// Only entries about this command.
    #[arg(long, value_name = "COMMAND")]
    command: Option<String>,
    /// Only entries of this type.
    #[arg(long = "type", value_name = "TYPE", value_parser = ["command", "helper", "validator", "anti_pattern", "example", "prose", "script"])]
    kind: Option<String>,
    /// Only entries of commands in this category.
    #[arg(long, value_name = "CATEGORY")]
    category: Option<String>,
    /// The most entries.
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    limit: usize,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(super) async fn run(args: &Args, config: &Config) -> Result<ExitCode, Failure> {
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
    if let Some(category) = &args.category {
        known_category(category, &entries)?;
    }
    // `run-it` of a pack is the tool `run_it`: both spellings are the same command.
    let command = args.command.as_ref().map(|command| command.replace('-', "_"));
    if let Some(command) = &command {
        known_command(command, &entries)?;
    }
    let words = args.query.join(" ");
    let embedder = config.embedding.read().map_err(Failure::usage)?;
    let (index, vector) = indexed(entries, &words, embedder.as_deref()).await;
    let (command, kind) = (command.as_deref(), args.kind.as_deref());
    let filter = Filter { command, kind, category: args.category.as_deref(), ..Filter::default() };
    let hits = index.search(&Query { words: &words, vector: vector.as_deref(), filter, limit: args.limit });
    if args.json {
        print_line(&json!(hits).to_string());
    } else if hits.is_empty() {
        print_line("nothing found: other words, or fewer filters, may find something");
    } else {
        for hit in &hits {
            print_line(&line(hit));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A command that no pack has is a mistake, and not a search without hits.
fn known_command(command: &str, entries: &[Entry]) -> Result<(), Failure> {
    let known: BTreeSet<&str> = entries.iter().flat_map(|entry| &entry.labels.commands).map(String::as_str).collect();
    if known.contains(command) {
        return Ok(());
    }
    let near = balcao_yaml::nearest(command, known);
    let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Err(Failure::usage(format!("unknown command `{command}`{near}")))
}

/// A category that no pack has is a mistake, and not a search without hits.
fn known_category(category: &str, entries: &[Entry]) -> Result<(), Failure> {
    let all = entries.iter().map(|entry| entry.labels.category.as_str()).filter(|known| !known.is_empty());
    let known: BTreeSet<&str> = all.collect();
    if known.contains(category) {
        return Ok(());
    }
    let near = balcao_yaml::nearest(category, known.iter().copied());
    let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    let known = if known.is_empty() { "none".to_owned() } else { Vec::from_iter(known).join(", ") };
    Err(Failure::usage(format!("no command has the category `{category}`{near}; expected one of: {known}")))
}

/// The index, and the query's vector. Without vectors, or if the service fails, words alone decide.
async fn indexed(entries: Vec<Entry>, words: &str, embedder: Option<&dyn Embedder>) -> (Index, Option<Vec<f32>>) {
    let Some(embedder) = embedder else { return (Index::new(entries, bilingual_tokens), None) };
    let texts: Vec<String> = entries.iter().map(Entry::meaning).collect();
    let plain = |why: String| {
        print_error(&format!("warning: {} gives no vectors, so words alone decide: {why}", embedder.model()));
        (Index::new(entries.clone(), bilingual_tokens), None)
    };
    let asked = async {
        let vectors = embedder.embed(&texts, TextRole::Passage).await?;
        Ok::<_, ModelError>((vectors, embedder.embed(&[words.to_owned()], TextRole::Query).await?))
    };
    let (vectors, mut query) = match asked.await {
        Ok(made) => made,
        Err(error) => return plain(error_chain(&error)),
    };
    match Index::new(entries.clone(), bilingual_tokens).with_vectors(&vectors) {
        Ok(index) => (index, query.pop()),
        Err(error) => plain(error.to_string()),
    }
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

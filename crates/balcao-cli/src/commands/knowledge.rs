//! `balcao knowledge`: what the assistant finds in the business's knowledge base.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use balcao_app::{
    admin::business::{Business, Edit, KnowledgeFormat, read_knowledge},
    context::names::NameRefusal,
    knowledge::{Knowledge, KnowledgeHit},
};
use clap::Subcommand;
use serde_json::{Map, Value, json};

use super::business::{self, Consent};
use crate::{
    config::Config,
    output::{Failure, error_chain, print_line},
    wire,
};

/// Characters of an entry that are shown.
const SHOWN: usize = 80;

/// Options of `balcao knowledge`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    balcao knowledge search \"onde estaciono?\"   shows what the agent would find\n  \
    balcao knowledge import perguntas.md         adds and replaces entries from Markdown or a table\n  \
    balcao knowledge prepare                     computes the missing vectors before a search needs them")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Searches like the tool `search_knowledge_base`, and shows the rank by words and by vectors.
    Search {
        /// The words.
        #[arg(value_name = "QUERY", required = true)]
        query: Vec<String>,
        /// Only entries of this category.
        #[arg(long, value_name = "CATEGORY")]
        category: Option<String>,
        /// JSON instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Adds and replaces entries from Markdown or a table, with a plan and a question like `balcao business apply`.
    Import {
        /// A file that ends in `.md`, `.csv` or `.tsv`. In Markdown each heading with text below it is an entry, and the heading above it
        /// its category; a table has the columns title, content and, if wanted, category.
        file: PathBuf,
        /// The category of all entries; overrides the file.
        #[arg(long, value_name = "CATEGORY")]
        category: Option<String>,
        /// Removes the entries that the file does not have.
        #[arg(long)]
        replace: bool,
        #[command(flatten)]
        consent: Consent,
    },
    /// Computes the missing vectors of entries.
    Prepare {
        /// JSON instead of text.
        #[arg(long)]
        json: bool,
    },
}

/// Runs the command.
pub(crate) async fn run(args: Args, config: &Config) -> Result<ExitCode, Failure> {
    let (app, organization, _clock) = wire::configured(config, None).await?;
    let app = wire::meaning(app, config)?;
    let by_words_alone = app.meaning.is_none();
    let business = Business::new(app.clone());
    let knowledge = Knowledge::new(app);
    let failed = |error| Failure::operation(error_chain(&error));
    match args.command {
        Command::Search { query, category, json } => {
            let found = knowledge.search(organization, query.join(" "), category).await.map_err(failed)?;
            let hits = found.map_err(|refusal| Failure::usage(unknown(&refusal)))?;
            print_hits(&hits, json);
        }
        Command::Import { file, category, replace, consent } => {
            let entries = entries_of(&file, category.as_deref())?;
            return business::make(&business, organization, Edit::Knowledge { entries, replace }, &consent).await;
        }
        Command::Prepare { json } => {
            let made = knowledge.prepare(organization).await.map_err(failed)?;
            let made = made.map_err(|error| Failure::operation(error_chain(&error)))?;
            print_line(&match (json, by_words_alone) {
                (true, _) => json!({ "made": made }).to_string(),
                (false, true) => "nothing to make: no [embedding] is configured, so words alone decide".to_owned(),
                (false, false) => format!("{made} vectors were made"),
            });
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn entries_of(file: &Path, category: Option<&str>) -> Result<Vec<Map<String, Value>>, Failure> {
    let name = file.display();
    let extension = file.extension().and_then(|extension| extension.to_str()).map(str::to_lowercase);
    let format = match extension.as_deref() {
        Some("md" | "markdown") => KnowledgeFormat::Markdown,
        Some("csv" | "tsv") => KnowledgeFormat::Csv,
        _ => {
            return Err(Failure::usage(format!(
                "invalid file `{name}`; expected a name that ends in .md, .csv or .tsv"
            )));
        }
    };
    let text = crate::files::read_text(file)?;
    let told = |mistakes: Vec<_>| {
        let lines: Vec<String> = mistakes
            .iter()
            .map(|mistake: &balcao_app::admin::business::TextMistake| format!("{name}: {mistake}"))
            .collect();
        Failure::usage(lines.join("\n"))
    };
    read_knowledge(format, &text, category).map_err(told)
}

fn print_hits(hits: &[KnowledgeHit], json: bool) {
    if json {
        print_line(&json!(hits).to_string());
    } else if hits.is_empty() {
        print_line("nothing found: other words may find something");
    } else {
        for hit in hits {
            let place = |place: Option<usize>| place.map_or_else(|| "-".to_owned(), |place| place.to_string());
            let (words, vectors) = (place(hit.by_words), place(hit.by_vectors));
            let said: String = hit.content.chars().take(SHOWN).collect();
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
            print_line(&format!("words {words:>3}  vectors {vectors:>3}  {}: {said}", hit.title));
        }
    }
}

fn unknown(refusal: &NameRefusal) -> String {
    match refusal {
        NameRefusal::NotFound { query, known, .. } => {
            format!("--category: unknown category `{query}`; expected one of: {}", known.join(", "))
        }
        NameRefusal::Ambiguous { query, candidates } => {
            format!("--category: `{query}` may be {}", candidates.join(", "))
        }
    }
}

//! `balcao migrate`: creates the configured database or brings it up to date.

use std::process::ExitCode;

use serde_json::json;

use crate::{
    config::Config,
    output::{Failure, chain, say},
    wire,
};

/// Options of `balcao migrate`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only says what is missing; exit code 1 if something is.
    #[arg(long)]
    check: bool,
    /// JSON instead of text.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) async fn run(args: &Args, config: &Config) -> Result<ExitCode, Failure> {
    let path = std::path::Path::new(&config.database.path);
    if args.check && !path.exists() {
        return Err(Failure::operation(format!("there is no database {}; run `balcao migrate`", path.display())));
    }
    let store = wire::open_store(config)?;
    let before = store.schema_status().await.map_err(|error| Failure::operation(chain(&error)))?;
    let status = if args.check {
        before.clone()
    } else {
        store.migrate().await.map_err(|error| Failure::operation(chain(&error)))?
    };
    let applied: Vec<&str> = status.applied.iter().map(|one| one.name.as_str()).collect();
    if args.json {
        say(&json!({"database": config.database.path, "applied": applied, "missing": status.missing}).to_string());
    } else {
        let news = before.missing.len().saturating_sub(status.missing.len());
        say(&format!(
            "{}: {} migrations, {news} of them new, {} missing",
            config.database.path,
            applied.len(),
            status.missing.len()
        ));
    }
    Ok(if status.missing.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

//! `balcao migrate`: creates the configured database or brings it up to date.

use std::process::ExitCode;

use serde_json::json;

use crate::{
    config::Config,
    output::{Failure, error_chain, print_line},
    wire,
};

/// Options of `balcao migrate`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only lists the missing migrations; exit code 1 if there are any.
    #[arg(long)]
    check: bool,
    /// Makes no copy of the file first. For a database on a server it says that there is one: none is made from here.
    #[arg(long)]
    no_backup: bool,
    /// JSON instead of text.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) async fn run(args: &Args, config: &Config) -> Result<ExitCode, Failure> {
    if let Some(path) = config.database.missing_file().filter(|_| args.check) {
        return Err(Failure::operation(format!("database {} not found; run `balcao migrate`", path.display())));
    }
    let store = wire::open_store(config)?;
    let before = store.schema_status().await.map_err(|error| Failure::operation(error_chain(&error)))?;
    let status = if args.check { before.clone() } else { wire::migrate(&store, config, args.no_backup).await? };
    let database = wire::database_name(&store, config);
    let applied: Vec<&str> = status.applied.iter().map(|one| one.name.as_str()).collect();
    if args.json {
        print_line(&json!({"database": database, "applied": applied, "missing": status.missing}).to_string());
    } else {
        let news = before.missing.len().saturating_sub(status.missing.len());
        print_line(&format!(
            "{database}: {} migrations, {news} of them new, {} missing",
            applied.len(),
            status.missing.len()
        ));
    }
    Ok(if status.missing.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

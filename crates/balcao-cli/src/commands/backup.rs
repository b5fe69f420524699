//! `balcao backup`: a copy of the database while it is served from.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::{
    config::Config,
    output::{Failure, error_chain, print_line},
    wire,
};

/// Options of `balcao backup`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    balcao backup backups/2026-11-22.db     copies the database as of one instant; the server goes on\n  \
    balcao restore backups/2026-11-22.db    restores this copy")]
pub(crate) struct Args {
    /// The file to write; it must not exist.
    file: PathBuf,
}

/// Runs the command.
pub(crate) async fn run(args: Args, config: &Config) -> Result<ExitCode, Failure> {
    if let Some(path) = config.database.missing_file() {
        return Err(Failure::operation(format!("cannot copy the database {}: file not found", path.display())));
    }
    let store = wire::open_store(config)?;
    store.back_up(&args.file).await.map_err(|error| Failure::operation(error_chain(&error)))?;
    let size = std::fs::metadata(&args.file).map(|found| found.len()).unwrap_or_default();
    print_line(&format!("{} holds the database, {size} bytes, read back whole", args.file.display()));
    Ok(ExitCode::SUCCESS)
}

//! `balcao config show`: the effective values with their origin.

use std::process::ExitCode;

use serde_json::json;

use crate::{
    config::Config,
    output::{Failure, print_line},
};

/// Options of `balcao config show`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// JSON instead of text.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args, config: &Config) -> Result<ExitCode, Failure> {
    let rows = config.rows();
    if args.json {
        let list: Vec<_> =
            rows.iter().map(|row| json!({"key": row.key, "value": row.value, "origin": row.origin})).collect();
        print_line(&json!(list).to_string());
    } else {
        let width = rows.iter().map(|row| row.key.len()).max().unwrap_or(0);
        for row in &rows {
            print_line(&format!("{:<width$} = {:<30} # {}", row.key, row.value, row.origin));
        }
    }
    Ok(ExitCode::SUCCESS)
}

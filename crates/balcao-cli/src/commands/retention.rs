//! `balcao retention`: deletes what was kept long enough, or says what would be.

use std::process::ExitCode;

use balcao_app::admin::retention::Retention;
use serde_json::{Map, json};

use crate::{
    config::Config,
    output::{Failure, error_chain, print_line},
    wire,
};

/// Options of `balcao retention`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    balcao retention --dry-run      shows what would be deleted now\n  \
    balcao retention                deletes; `balcao serve` does the same once a day")]
pub(crate) struct Args {
    /// Only shows what would be deleted.
    #[arg(long)]
    dry_run: bool,
    /// JSON instead of text.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) async fn run(args: Args, config: &Config) -> Result<ExitCode, Failure> {
    let (app, organization, _clock) = wire::configured(config, None).await?;
    let retention = Retention::new(app, organization, config.retention.periods());
    let tally = if args.dry_run { retention.preview().await } else { retention.now().await };
    let tally = tally.map_err(|error| Failure::operation(error_chain(&error)))?;
    if args.json {
        let rows: Map<_, _> = tally.iter().map(|(old, count)| (old.as_str().to_owned(), json!(count))).collect();
        print_line(&json!({ "dry_run": args.dry_run, "rows": rows }).to_string());
        return Ok(ExitCode::SUCCESS);
    }
    for (old, count) in tally.iter().filter(|(_, count)| *count > 0) {
        print_line(&format!("{count:>8}  {}", old.as_str()));
    }
    let all: i64 = tally.iter().map(|(_, count)| count).sum();
    print_line(&match (args.dry_run, all) {
        (_, 0) => "nothing is old enough; `balcao config show` tells how long each kind is kept".to_owned(),
        (true, all) => format!("{all} would be deleted; nothing was"),
        (false, all) => format!("{all} were deleted"),
    });
    Ok(ExitCode::SUCCESS)
}

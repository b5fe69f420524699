//! The load generator: measures what the server can do on this machine.
//!
//! Exit codes: 0 if all was measured, also if a target is missed; 1 if something failed that the figures rest on; 2 for wrong usage.

mod contention;
mod database;
mod machine;
mod measurements;
mod options;
mod postgres_database;
mod report;
mod served_business;
mod stand_ins;
mod turns;
mod webhooks;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::database::DatabaseKind;
use crate::options::{Measurement, Size};

/// As the program: figures of another allocator say nothing about it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures what the server can do on this machine, against a bare loop of the same transactions.
#[derive(Debug, Parser)]
#[command(
    name = "balcao-load",
    version,
    max_term_width = 120,
    after_help = "Example:\n  balcao-load --only turns,flight --seconds 10 --postgres postgres://postgres@localhost/postgres"
)]
struct Args {
    /// Measures only these.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    only: Vec<Measurement>,
    /// How long each measurement goes on.
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    /// How many conversations are in flight at once.
    #[arg(long, value_name = "COUNT", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    conversations: u32,
    /// Measures on this PostgreSQL server, too; its user must be allowed to create databases, which are dropped after.
    #[arg(long, value_name = "URL", env = "BALCAO_BENCH_POSTGRES_URL", hide_env_values = true)]
    postgres: Option<String>,
    /// Measures only on PostgreSQL.
    #[arg(long, requires = "postgres")]
    no_sqlite: bool,
    /// JSON instead of a table.
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let filter = EnvFilter::builder().with_env_var("BALCAO_LOG").with_default_directive(LevelFilter::ERROR.into());
    tracing_subscriber::fmt().with_env_filter(filter.from_env_lossy()).with_writer(std::io::stderr).init();
    match measure(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_error(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Measures what the options name, and prints the figures.
fn measure(args: Args) -> anyhow::Result<()> {
    if cfg!(debug_assertions) {
        print_error("this is a debug build: its figures say little; build with `cargo build --release`");
    }
    let mut kinds = Vec::new();
    if !args.no_sqlite {
        kinds.push(DatabaseKind::Sqlite);
    }
    match args.postgres {
        Some(url) => kinds.push(DatabaseKind::Postgres(url)),
        None => print_error("PostgreSQL is not measured: give its address by --postgres"),
    }
    let what = if args.only.is_empty() { Measurement::ALL.to_vec() } else { args.only };
    let size = Size { time: Duration::from_secs(args.seconds), flight: args.conversations };
    // As many threads as the program has.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.context("the runtime cannot start")?;
    let report = runtime.block_on(Box::pin(measurements::run(&kinds, &what, size, print_error)))?;
    if args.json {
        print_line(&serde_json::to_string(&report)?)?;
    } else {
        report.lines().iter().try_for_each(|line| print_line(line))?;
    }
    let missed = report.rows().iter().filter(|row| row.is_met() == Some(false)).count();
    if missed > 0 {
        print_error(&format!("{missed} targets are missed"));
    }
    Ok(())
}

fn print_line(line: &str) -> anyhow::Result<()> {
    writeln!(std::io::stdout().lock(), "{line}").context("standard output")
}

/// Progress and notes go to standard error, so that a program can read the figures.
fn print_error(line: &str) {
    // A closed standard error has no reader.
    drop(writeln!(std::io::stderr().lock(), "{line}"));
}

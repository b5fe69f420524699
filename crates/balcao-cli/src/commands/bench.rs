//! `balcao bench`: what the server can do on this machine.

use std::{process::ExitCode, time::Duration};

use crate::{
    bench::{self, Kind, Size, What},
    output::{Failure, print_error, print_line},
};

/// Options of `balcao bench`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  balcao bench --only turns,flight --seconds 10 --postgres postgres://postgres@localhost/postgres"
)]
pub(crate) struct Args {
    /// Measures only these.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    only: Vec<What>,
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

/// Runs the command.
pub(crate) async fn run(args: Args) -> Result<ExitCode, Failure> {
    if cfg!(debug_assertions) {
        print_error("this is a debug build: its figures say little; build with `cargo build --release`");
    }
    let mut kinds = Vec::new();
    if !args.no_sqlite {
        kinds.push(Kind::File);
    }
    match args.postgres {
        Some(url) => kinds.push(Kind::Server(url)),
        None => print_error("PostgreSQL is not measured: give its address by --postgres"),
    }
    let what = if args.only.is_empty() { What::ALL.to_vec() } else { args.only };
    let size = Size { time: Duration::from_secs(args.seconds), flight: args.conversations };
    let report = Box::pin(bench::run(&kinds, &what, size, print_error)).await?;
    if args.json {
        print_line(&serde_json::to_string(&report).map_err(Failure::operation)?);
    } else {
        report.lines().iter().for_each(|line| print_line(line));
    }
    let missed = report.rows().iter().filter(|row| row.is_met() == Some(false)).count();
    if missed > 0 {
        print_error(&format!("{missed} targets are missed"));
    }
    Ok(ExitCode::SUCCESS)
}

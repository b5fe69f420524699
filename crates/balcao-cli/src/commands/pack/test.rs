//! `balcao pack test`: the examples of packs, run.

use std::{path::Path, process::ExitCode, time::Duration};

use balcao_pack::testing::Report;
use clap::ValueEnum;
use serde_json::json;

use super::scratch::Worlds;
use super::{Paths, examine, folder, live, loader};
use crate::{
    config::Config,
    output::{Failure, print_error, print_line},
    packs::reload::{Settling, look},
};

/// Options of `balcao pack test`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    packs: Paths,
    /// The form of the results.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Fails also if a command, field type or anti-pattern has no example.
    #[arg(long)]
    strict: bool,
    /// Also sends the reading success cases to the configured account; sends no request that changes anything.
    #[arg(long)]
    live: bool,
    /// Runs again after each change of a file, until you stop it.
    #[arg(long, conflicts_with = "live")]
    watch: bool,
}

/// How often the files of watched packs are looked at.
const EVERY: Duration = Duration::from_millis(300);

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Format {
    /// For people.
    #[default]
    Text,
    /// One object with a report for each pack.
    Json,
    /// JUnit's XML.
    Junit,
}

/// Runs the command: once, or again and again.
pub(super) async fn run(args: &Args, config: Result<Config, Failure>) -> Result<ExitCode, Failure> {
    if args.live {
        let recorded = once(args).await?;
        // Where a program reads the report, nothing else stands beside it.
        let tell = if matches!(args.format, Format::Text) { print_line } else { print_error };
        let held = live::run(&args.packs.paths, &config?, tell).await?;
        return Ok(if held { recorded } else { ExitCode::from(1) });
    }
    if !args.watch {
        return once(args).await;
    }
    // What changes while the examples run is seen by the next look.
    let mut seen = looks(args);
    loop {
        if let Err(failure) = once(args).await {
            let _code = failure.report();
        }
        print_error("watching for changes; stop with Ctrl+C");
        seen = changed(args, seen).await;
    }
}

/// Waits until the files look otherwise than they were seen, and rest.
async fn changed(args: &Args, seen: Vec<u64>) -> Vec<u64> {
    let mut settling = Settling::of(seen.clone());
    loop {
        tokio::time::sleep(EVERY).await;
        let now = looks(args);
        if settling.rests(&now) && now != seen {
            return now;
        }
    }
}

fn looks(args: &Args) -> Vec<u64> {
    args.packs.paths.iter().map(|path| look(&folder(path))).collect()
}

/// With the files of what failed as they are seen from here.
fn placed(mut report: Report, folder: &Path) -> Report {
    for place in report.cases.iter_mut().filter_map(|case| case.place.as_mut()) {
        place.file = folder.join(&place.file).display().to_string();
    }
    report
}

/// Runs the examples of all packs that load. A pack that does not is a mistake in its files, an example that does not hold a failed check.
async fn once(args: &Args) -> Result<ExitCode, Failure> {
    let loader = loader()?.testing();
    let (mut reports, mut problems) = (Vec::new(), Vec::new());
    for path in &args.packs.paths {
        reports.push(match examine(&loader, path).await? {
            Ok(pack) => {
                let worlds = Worlds { folder: folder(path) };
                placed(pack.test_in(Some(&worlds)).await, &folder(path))
            }
            Err(found) => {
                let report = Report::unloaded(&path.display().to_string(), &found);
                problems.extend(found);
                report
            }
        });
    }
    match args.format {
        // What does not load is told below, for people.
        Format::Text => reports.iter().filter(|report| report.loaded()).for_each(|report| print_line(&report.text())),
        Format::Json => print_line(&json!({ "packs": reports }).to_string()),
        Format::Junit => {
            let suites: Vec<String> = reports.iter().map(Report::junit).collect();
            print_line(&format!(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n{}\n</testsuites>",
                suites.join("\n")
            ));
        }
    }
    if !problems.is_empty() {
        return Err(Failure::problems(&problems));
    }
    let held = |report: &Report| report.passed() && (!args.strict || report.coverage.is_full());
    Ok(if reports.iter().all(held) { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

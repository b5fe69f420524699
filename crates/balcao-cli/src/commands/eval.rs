//! `balcao eval FILE…`: scenario evaluation.

use std::{collections::BTreeMap, path::PathBuf, process::ExitCode};

use serde_json::json;

use crate::{
    config::Config,
    eval::run::{Player, known_tools, read},
    output::{Failure, indented, print_error, print_line},
    profiles,
};

/// Options of `balcao eval`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// The scenario files.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The folder of the business files; default: `../business/` beside the scenario's folder.
    #[arg(long, value_name = "DIR")]
    business_dir: Option<PathBuf>,
    /// A configured provider by name, or `offline`.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// The number of runs of each scenario; all must pass.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    trials: u32,
    /// JSON with the transcripts instead of text.
    #[arg(long)]
    json: bool,
    /// Shows steps, tool calls, results and timings on standard error.
    #[arg(long)]
    trace: bool,
}

/// Runs the command. Exit code 1 if a scenario failed.
pub(crate) async fn run(
    args: Args,
    config: &Config,
    environment: &BTreeMap<String, String>,
) -> Result<ExitCode, Failure> {
    let tools = known_tools(config).await?;
    let mut scenarios = Vec::new();
    for file in &args.files {
        scenarios.push((file, read(file, &tools)?));
    }
    let player = Player {
        config,
        profiles: profiles::load(&config.agents.dir)?,
        environment,
        business_dir: args.business_dir.clone(),
        model: args.model.clone(),
        trace: args.trace,
    };
    let (mut passed, mut failed) = (0_u32, 0_u32);
    let mut reports = Vec::new();
    for (file, scenario) in &scenarios {
        for trial in 1..=args.trials {
            if args.trace {
                print_error(&format!("== {} (trial {trial})", scenario.id));
            }
            let report = Box::pin(player.play(file, scenario)).await?;
            if report.failures.is_empty() {
                passed += 1;
            } else {
                failed += 1;
            }
            if args.json {
                reports.push(report.as_json());
                continue;
            }
            print_line(&format!("{} {}", if report.failures.is_empty() { "pass" } else { "FAIL" }, report.id));
            if !report.failures.is_empty() {
                for turn in &report.transcript {
                    print_line(&format!("    customer: {}", indented(text(turn, "customer"), 6)));
                    print_line(&format!("    {}: {}", text(turn, "outcome"), indented(text(turn, "reply"), 6)));
                }
                for failure in &report.failures {
                    print_line(&format!("  - {}", indented(failure, 4)));
                }
            }
        }
    }
    if args.json {
        print_line(&json!({"passed": passed, "failed": failed, "scenarios": reports}).to_string());
    } else {
        print_line(&format!("{passed} passed, {failed} failed"));
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn text<'a>(turn: &'a serde_json::Value, key: &str) -> &'a str {
    turn.get(key).and_then(serde_json::Value::as_str).unwrap_or("–")
}

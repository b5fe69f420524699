//! Checks that cargo itself does not make: `cargo run -p xtask -- deps | licences | words | names | links | clocks | features | attacks |
//! skips`.
//!
//! `lower` keeps what has become fewer of the words, `attack-filters` prints the tests of the list of attacks, `contract` writes
//! `docs/LOOP-CONTRACT.md` from the tests, `skips FILE` judges the skips that a stage of the gate collected, and `phones` writes the numbering plans of countries.

mod attacks;
mod circles;
mod clocks;
mod contract;
mod deps;
mod features;
mod licences;
mod links;
mod phones;
mod renames;
mod requirements;
mod skips;
mod words;

use std::{io::Write, process::ExitCode};

fn main() -> ExitCode {
    let check = std::env::args().nth(1).unwrap_or_default();
    let found = match check.as_str() {
        "deps" => deps::check().and_then(|deps| Ok(format!("{deps}; {}", circles::check()?))),
        "licences" => licences::check(),
        "names" => renames::check(),
        "words" => words::check(),
        "lower" => words::lower(),
        "links" => links::check().and_then(|links| Ok(format!("{links}; {}", requirements::check()?))),
        "clocks" => clocks::check(),
        "features" => features::check(),
        "attacks" => attacks::check().and_then(|attacks| Ok(format!("{attacks}; {}", attacks::check_budgets()?))),
        "attack-filters" => attacks::filters(),
        "skips" => skips::check(std::env::args().nth(2)),
        "contract" => contract::write(),
        "phones" => phones::write(std::env::args().nth(2)),
        other => Err(format!(
            "unknown check `{other}`; expected one of: deps, licences, words, lower, names, links, clocks, features, attacks, attack-filters, skips, contract, phones"
        )),
    };
    let (text, code) = match found {
        // For a command line, not for a reader.
        Ok(filters) if check == "attack-filters" => {
            drop(writeln!(std::io::stdout(), "{filters}"));
            return ExitCode::SUCCESS;
        }
        Ok(summary) => (summary, ExitCode::SUCCESS),
        Err(problems) => (problems, ExitCode::FAILURE),
    };
    // If this fails, no other output is left for a report.
    drop(writeln!(std::io::stderr(), "xtask {check}: {text}"));
    code
}

/// The files that git knows or would add, as far as they match the patterns and exist.
fn files(patterns: &[&str]) -> Result<Vec<String>, String> {
    let listed = std::process::Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "--"])
        .args(patterns)
        .output()
        .map_err(|error| format!("git ls-files: {error}"))?;
    if !listed.status.success() {
        return Err(String::from_utf8_lossy(&listed.stderr).into_owned());
    }
    let files = String::from_utf8_lossy(&listed.stdout).into_owned();
    Ok(files.lines().filter(|file| std::path::Path::new(file).is_file()).map(str::to_owned).collect())
}

/// What cargo says of the workspace and everything it depends on.
fn metadata() -> Result<serde_json::Value, String> {
    let cargo = std::process::Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--locked"])
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    if !cargo.status.success() {
        return Err(String::from_utf8_lossy(&cargo.stderr).into_owned());
    }
    serde_json::from_slice(&cargo.stdout).map_err(|error| format!("cargo metadata: {error}"))
}

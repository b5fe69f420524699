//! The demo, the tests and the full program share one build of each library: `make test` after `make demo` builds none of the demo's
//! crates again, and `make full-features` builds only what the demo does without.
//!
//! Cargo builds a package once for each set of features. A feature that one selection alone asks for, of a library that the others use
//! too, would make a second build of it and of everything above it.

use std::{collections::BTreeSet, process::Command};

/// Crates whose features differ between the selections by design; only tests and the command stand above them.
const OUR_OWN: [&str; 2] = ["balcao-cli ", "balcao-testkit "];

/// Compares the selections' features; nothing is built.
pub(crate) fn check() -> Result<String, String> {
    let flags = std::fs::read_to_string(".ci/light").map_err(|error| format!(".ci/light: {error}"))?;
    let light: Vec<&str> = flags.split_whitespace().collect();
    let demo = tree(&light, &["-p", "balcao-cli", "-e", "normal,build"])?;
    let tests = tree(&light, &["--workspace", "--exclude", "balcao-embedding", "-e", "normal,build,dev"])?;
    let full = tree(
        &["--features", "balcao-cli/test-clock"],
        &["-p", "balcao-cli", "-p", "balcao-embedding", "-e", "normal,build,dev"],
    )?;
    let mut differing = differences(("the demo", &demo), &tests);
    differing.extend(
        differences(("the full program", &full), &tests)
            .into_iter()
            .filter(|line| !OUR_OWN.iter().any(|own| line.contains(own))),
    );
    if differing.is_empty() {
        return Ok(format!(
            "{} packages of the demo have the same features in the tests and in the full program",
            demo.len()
        ));
    }
    Err(format!(
        "{}\nask for these features in crates/balcao-cli/Cargo.toml, or in none of the selections",
        differing.join("\n")
    ))
}

/// What `selection` builds with other features than the tests, of what both build.
fn differences((name, selection): (&str, &BTreeSet<String>), tests: &BTreeSet<String>) -> Vec<String> {
    let package = |line: &str| line.split(" [").next().unwrap_or(line).to_owned();
    selection
        .difference(tests)
        .filter_map(|line| {
            let others: Vec<&str> =
                tests.iter().map(String::as_str).filter(|other| package(other) == package(line)).collect();
            (!others.is_empty()).then(|| format!("{name} has {line}; the tests have {}", others.join(" and ")))
        })
        .collect()
}

/// `name version [features]` of everything that a selection builds.
fn tree(flags: &[&str], selection: &[&str]) -> Result<BTreeSet<String>, String> {
    let cargo = Command::new("cargo")
        .args(["tree", "--locked", "--prefix", "none", "--no-dedupe", "-f", "{p} [{f}]"])
        .args(flags)
        .args(selection)
        .output()
        .map_err(|error| format!("cargo tree: {error}"))?;
    if !cargo.status.success() {
        return Err(String::from_utf8_lossy(&cargo.stderr).into_owned());
    }
    let text = String::from_utf8_lossy(&cargo.stdout);
    Ok(text
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect())
}

//! The tests are built with the demo's features: `make test` after `make demo` builds none of the demo's crates again.
//!
//! Cargo builds a package once for each set of features. A feature that only a test asks for, of a library that the demo uses too,
//! would make a second build of it and of everything above it.

use std::{collections::BTreeSet, process::Command};

/// Every package of the demo is built with the same features in the tests; nothing is built.
pub(crate) fn check() -> Result<String, String> {
    let flags = std::fs::read_to_string(".ci/light").map_err(|error| format!(".ci/light: {error}"))?;
    let flags: Vec<&str> = flags.split_whitespace().collect();
    let demo = tree(&flags, &["-p", "balcao-cli", "-e", "normal,build"])?;
    let tests = tree(&flags, &["--workspace", "--exclude", "balcao-embedding", "-e", "normal,build,dev"])?;
    let differing: Vec<String> = demo
        .difference(&tests)
        .map(|package| {
            let name = package.split(" [").next().unwrap_or(package);
            let others: Vec<&str> =
                tests.iter().map(String::as_str).filter(|other| other.split(" [").next() == Some(name)).collect();
            format!("the demo has {package}; the tests have {}", others.join(" and "))
        })
        .collect();
    if differing.is_empty() {
        return Ok(format!("{} packages of the demo have the same features in the tests", demo.len()));
    }
    Err(format!(
        "{}\nask for these features in the workspace's dependencies, or not at all in dev-dependencies",
        differing.join("\n")
    ))
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
    Ok(text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

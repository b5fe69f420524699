//! The shipped scenarios, and those of the material where it is at hand, hold with the built-in model.

use std::path::{Path, PathBuf};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn scenarios(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "yaml")).collect();
    files.sort();
    files
}

/// Plays all scenarios of a folder in one run; gives how many passed. None may fail.
fn play(folder: &Path, businesses: &Path) -> u64 {
    let output = assert_cmd::Command::cargo_bin("balcao")
        .unwrap()
        .current_dir(root())
        .arg("eval")
        .args(scenarios(folder))
        .arg("--business-dir")
        .arg(businesses)
        .args(["--model", "offline", "--json"])
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"));
    let failed: Vec<String> = report
        .get("scenarios")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter(|one| one.get("passed") != Some(&Value::Bool(true)))
        .map(|one| format!("{}: {}", one["id"], one["failures"]))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert_eq!(report["failed"], 0, "{errors}");
    assert!(output.status.success(), "{errors}");
    report["passed"].as_u64().unwrap()
}

#[test]
fn the_shipped_scenarios_hold() {
    let passed = play(&root().join("evals"), &root().join("samples"));
    assert!(passed >= 60, "only {passed} scenarios are left");
}

#[test]
fn the_scenarios_of_the_material_hold() {
    let material = root().join("../shared/material");
    if !material.is_dir() {
        eprintln!("skipped: {} is not there", material.display());
        return;
    }
    let passed = play(&material.join("conversations"), &material.join("business"));
    assert!(passed > 0, "no scenario was played");
}

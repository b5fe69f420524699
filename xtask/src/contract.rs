//! Writes `docs/LOOP-CONTRACT.md`: the table that the tests of the contract are made of.

use std::{path::Path, process::Command};

/// Has the tests write their table and puts it into its place.
pub(crate) fn write() -> Result<String, String> {
    // The test fails while the document is old; what it writes is fresh either way.
    let tests = Command::new("cargo")
        .args(["test", "--quiet", "-p", "balcao-agent", "--test", "loop_contract", "the_written_contract"])
        .output()
        .map_err(|error| format!("cargo test: {error}"))?;
    let metadata = crate::metadata()?;
    let target = metadata.get("target_directory").and_then(serde_json::Value::as_str).unwrap_or("target");
    let root = metadata.get("workspace_root").and_then(serde_json::Value::as_str).unwrap_or(".");
    let fresh = Path::new(target).join("tmp/LOOP-CONTRACT.md");
    if !tests.status.success() && !fresh.exists() {
        return Err(String::from_utf8_lossy(&tests.stderr).into_owned());
    }
    let place = Path::new(root).join("docs/LOOP-CONTRACT.md");
    std::fs::copy(&fresh, &place).map_err(|error| format!("{}: {error}", place.display()))?;
    Ok("docs/LOOP-CONTRACT.md is written".to_owned())
}

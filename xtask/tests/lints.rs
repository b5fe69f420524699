//! memory unsafety in our own code is ruled out by the compiler, in every crate.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// The section of a manifest that begins with this line.
fn section<'t>(manifest: &'t str, name: &str) -> &'t str {
    let begin = manifest.split_once(&format!("\n{name}\n")).map(|(_, rest)| rest).unwrap_or_default();
    begin.split_once("\n[").map_or(begin, |(section, _)| section)
}

#[test]
fn a_136_no_crate_may_hold_unsafe_code() {
    let root = root();
    let workspace = read(&root.join("Cargo.toml"));
    assert!(section(&workspace, "[workspace.lints.rust]").lines().any(|line| line == "unsafe_code = \"forbid\""));
    let mut crates = 0;
    for folder in ["crates", "examples", "xtask"] {
        let inside = std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        for folder in inside.chain([root.join(folder)]).filter(|folder| folder.join("Cargo.toml").is_file()) {
            let manifest = read(&folder.join("Cargo.toml"));
            let lints = section(&manifest, "[lints]").trim().to_owned();
            assert_eq!(lints, "workspace = true", "{} keeps to rules of its own", folder.display());
            crates += 1;
        }
    }
    assert!(crates >= 24, "only {crates} crates were looked at");
}

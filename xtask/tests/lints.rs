//! memory unsafety in our own code is ruled out by the compiler, in every crate but one, and there in every file but two.
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

/// The crate that may hold unsafe code, and its files that do (decision 0010).
const EXCEPTION: (&str, [&str; 3]) = ("balcao-sandbox", ["engine.rs", "heap.rs", "heap_tests.rs"]);

#[test]
fn a_136_no_crate_may_hold_unsafe_code_but_for_the_heap_of_the_sandbox() {
    let root = root();
    let workspace = read(&root.join("Cargo.toml"));
    assert!(section(&workspace, "[workspace.lints.rust]").lines().any(|line| line == "unsafe_code = \"forbid\""));
    let mut crates = 0;
    for folder in ["crates", "examples", "xtask"] {
        let inside = std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        for folder in inside.chain([root.join(folder)]).filter(|folder| folder.join("Cargo.toml").is_file()) {
            crates += 1;
            let manifest = read(&folder.join("Cargo.toml"));
            if folder.ends_with(EXCEPTION.0) {
                is_as_strict_but_for_unsafe_code(&manifest, &workspace);
                continue;
            }
            let lints = section(&manifest, "[lints]").trim().to_owned();
            assert_eq!(lints, "workspace = true", "{} keeps to rules of its own", folder.display());
        }
    }
    assert!(crates >= 24, "only {crates} crates were looked at");
}

/// The same tables, but that unsafe code may be expected by name, and must say what it relies on.
fn is_as_strict_but_for_unsafe_code(manifest: &str, workspace: &str) {
    let expected = section(workspace, "[workspace.lints.rust]").replace("\"forbid\"", "\"deny\"");
    assert_eq!(section(manifest, "[lints.rust]").trim(), expected.trim());
    let clippy = section(workspace, "[workspace.lints.clippy]").trim().to_owned();
    assert_eq!(section(manifest, "[lints.clippy]").trim(), clippy + "\nundocumented_unsafe_blocks = \"deny\"");
}

#[test]
fn a_136_unsafe_code_stands_in_the_files_that_are_known_for_it() {
    let mut found = Vec::new();
    let mut open = vec![root().join("crates"), root().join("examples"), root().join("xtask/src")];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|end| end == "rs") {
            let code = read(&path);
            let holds =
                code.lines().any(|line| line.contains("expect(unsafe_code") || line.contains("allow(unsafe_code"));
            found.extend(holds.then(|| path.file_name().unwrap().to_str().unwrap().to_owned()));
        }
    }
    found.sort();
    assert_eq!(found, EXCEPTION.1);
}

//! What must not stand in the project: marks of unfinished work, and files that have grown too long.

use std::process::Command;

/// Longest source file, in lines; tests and tables may be longer.
const MAX_LINES: usize = 600;

pub(crate) fn check() -> Result<String, String> {
    let listed =
        Command::new("git").args(["ls-files", "*.rs"]).output().map_err(|error| format!("git ls-files: {error}"))?;
    let files = String::from_utf8_lossy(&listed.stdout).into_owned();
    // Written apart, so that this file does not accuse itself.
    let marks = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX"), concat!("#[ig", "nore")];
    let (mut problems, mut count) = (Vec::new(), 0);
    for file in files.lines() {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        count += 1;
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(mark) = marks.iter().find(|mark| line.contains(**mark)) {
                problems.push(format!("{file}:{number}: `{mark}` is a mark of unfinished work"));
            }
        }
        let lines = text.lines().count();
        if lines > MAX_LINES && !file.contains("tests") {
            problems.push(format!("{file}: {lines} lines; is it still one thing? (at most {MAX_LINES})"));
        }
    }
    if problems.is_empty() { Ok(format!("{count} files, nothing to complain about")) } else { Err(problems.join("\n")) }
}

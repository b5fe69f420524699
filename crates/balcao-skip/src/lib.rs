//! Reports that a test, or a part of it, was skipped because this machine lacks what the test needs.
//!
//! A test runner hides the output of a test that passes. A file therefore collects the skips, and the gate compares this file with its list
//! of permitted skips (`.ci/skips`).

use std::{fs::OpenOptions, io::Write as _, panic::Location};

/// The environment variable with the path of the file that collects the skips. `.ci/run` sets it.
pub const VARIABLE: &str = "BALCAO_SKIPPED";

/// Prints `reason` on standard error, and appends a line with the caller's file and the reason to the file that [`VARIABLE`] names, if any.
///
/// A reason says what is missing. Line breaks become blanks, so that each skip is one line.
///
/// # Panics
/// If the file cannot be written, because the gate would miss the skip.
#[track_caller]
#[expect(clippy::print_stderr, clippy::panic, reason = "a skip must be seen")]
pub fn skip(reason: &str) {
    let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    eprintln!("\n*** SKIPPED: {reason}\n");
    let Some(path) = std::env::var_os(VARIABLE) else { return };
    let line = format!("{}: {reason}\n", Location::caller().file());
    // One call writes the whole line, because tests of several processes append at the same time.
    let written =
        OpenOptions::new().create(true).append(true).open(&path).and_then(|mut file| file.write_all(line.as_bytes()));
    if let Err(error) = written {
        panic!("cannot write {}: {error}; expected a file that tests can append to", path.display());
    }
}

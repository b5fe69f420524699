//! The command as a stranger uses it: the built binary, real files, real databases.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod api;
mod appointments;
mod assistant;
mod assistant_figures;
mod attack;
mod bad_input;
mod business;
mod calendar;
mod chat;
mod delivery_commands;
mod delivery_turns;
mod docs;
mod embedding;
mod evals;
#[cfg(feature = "google-calendar")]
mod google;
#[cfg(feature = "google-calendar")]
mod google_processes;
#[cfg(feature = "google-calendar")]
mod google_scenarios;
mod inbox;
#[cfg(feature = "local-embeddings")]
mod local_embedding;
mod mcp;
mod observed;
mod odd_days;
mod ops;
mod ops_served;
mod ops_tools;
#[cfg(feature = "test-clock")]
mod outside_clock;
mod packs;
mod postgres;
mod programs;
#[cfg(feature = "test-clock")]
mod quarter;
mod secrets;
mod serve;
mod server;
mod setup;
mod subscriptions;
mod taken;
#[cfg(feature = "telemetry")]
mod telemetry;
#[cfg(feature = "telemetry")]
mod tenancy;
mod terminal;
mod web_chat;
mod widget_links;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The repository's root.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The binary in a folder, with an environment that holds no key and no setting. `BALCAO_TEST_BINARY` names another one, such
/// as a release build for the gates at their full size.
fn balcao(folder: &Path) -> Command {
    let binary = std::env::var_os("BALCAO_TEST_BINARY").unwrap_or_else(|| env!("CARGO_BIN_EXE_balcao").into());
    let mut command = Command::new(binary);
    command
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
}

/// Runs a command with a text on standard input.
fn run(folder: &Path, arguments: &[&str], input: &str) -> Output {
    run_by(&mut balcao(folder), arguments, input)
}

/// The same by a command whose environment was set up.
fn run_by(command: &mut Command, arguments: &[&str], input: &str) -> Output {
    use std::io::Write;
    let mut child = command
        .args(arguments)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // A command that fails early does not read its input.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    child.wait_with_output().unwrap()
}

/// The body of the next request over HTTP that a client of ours sends; `None` once it sends no more.
fn request_body(reader: &mut impl std::io::BufRead) -> std::io::Result<Option<Vec<u8>>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(body))
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The exit code, and that nothing panicked.
fn code(output: &Output) -> i32 {
    assert!(!err(output).contains("panicked"), "{}", err(output));
    output.status.code().unwrap()
}

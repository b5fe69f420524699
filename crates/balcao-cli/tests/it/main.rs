//! The command as a stranger uses it: the built binary, real files, real databases.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod api;
mod assistant;
mod assistant_figures;
mod bad_input;
mod chat;
mod docs;
mod evals;
mod inbox;
mod observed;
mod packs;
mod postgres;
mod serve;
mod server;
mod setup;
mod tenancy;
mod web_chat;

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
    use std::io::Write;
    let mut child = balcao(folder)
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

//! The `balcao` command: parses the command line and wires the parts together.
//!
//! Exit codes: 0 fine; 1 a check failed or the operation was refused; 2 wrong usage or invalid configuration; 128 and the
//! number of the signal that ended a command, such as 130.

mod commands;
mod config;
mod eval;
mod files;
#[cfg(feature = "google-calendar")]
mod google;
mod open_files;
mod output;
mod packs;
mod private;
mod profiles;
mod server;
mod signals;
mod supervisor;
mod telemetry;
mod time;
mod trace;
mod turn_json;
mod wire;

use std::process::ExitCode;

use clap::Parser;

use crate::{commands::Cli, output::Failure};

/// A turn is many small allocations on two threads: this allocator halves what they cost.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Before anything is read or started: a worker has one thread, no configuration and soon no rights.
    if std::env::args_os().nth(1).is_some_and(|argument| argument == balcao_sandbox::worker::SUBCOMMAND) {
        return balcao_sandbox::worker::run();
    }
    let cli = Cli::parse();
    let runtime = match time::runtime() {
        Ok(runtime) => runtime,
        Err(error) => return Failure::operation(format!("the runtime could not be started: {error}")).report(),
    };
    let ended = runtime.block_on(commands::run(cli));
    #[cfg(feature = "test-clock")]
    // The thread that reads the clock outside would be waited for.
    runtime.shutdown_background();
    match ended {
        Ok(code) => output::with_output(code),
        Err(failure) => failure.report(),
    }
}

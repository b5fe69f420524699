//! The `balcao` command: parses the command line and wires the parts together.
//!
//! Exit codes: 0 fine; 1 a check failed or the operation was refused; 2 wrong usage or invalid configuration.

mod bench;
mod commands;
mod config;
mod eval;
mod output;
mod profiles;
mod telemetry;
mod trace;
mod wire;

use std::process::ExitCode;

use clap::Parser;

use crate::{commands::Cli, output::Failure};

/// A turn is many small allocations on two threads: this allocator halves what they cost.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return Failure::operation(format!("the runtime could not be started: {error}")).report(),
    };
    match runtime.block_on(commands::run(cli)) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

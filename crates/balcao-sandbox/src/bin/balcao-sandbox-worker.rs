//! A worker and nothing else: for tests, benches, and programs that embed the sandbox without a subcommand of their own.

fn main() -> std::process::ExitCode {
    balcao_sandbox::worker::run()
}

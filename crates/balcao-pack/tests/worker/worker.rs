//! The worker of this crate's tests; no part of the product.

fn main() -> std::process::ExitCode {
    balcao_sandbox::worker::run()
}

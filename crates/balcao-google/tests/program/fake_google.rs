//! The fake of Google Calendar as a program, for tests in a browser: prints its address, and runs until its standard input ends.
#![expect(clippy::print_stdout, reason = "the address is what it is started for")]

use std::io::Read as _;
use std::sync::Arc;

use balcao_domain::ManualClock;
use balcao_testkit::fakes::google::FakeGoogle;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let google = FakeGoogle::start(Arc::new(ManualClock::at("2026-11-26T12:00:00Z".parse()?)))?;
    google.add_calendar("dona@example.test", "America/Sao_Paulo", "owner")?;
    println!("{}", google.url());
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

//! While it is attacked, the program answers requests for its health, and its memory stays below a limit. The nightly run
//! (`BALCAO_GATE_SCALE=10`) repeats each attack and also limits how long an answer takes.
#![expect(clippy::print_stderr, reason = "figures are for whoever runs the gate")]

mod bombs;
mod connections;
mod deliveries;
mod services;
mod strange_packs;
mod strangers;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::web_chat::{exchange, shop};

/// The most memory that the program may ever have taken, in KiB.
const MOST: u64 = 400 << 10;

/// The longest that an answer for health may take in the nightly run, whose program is built in release.
const SLOWEST: Duration = Duration::from_millis(500);

/// How often an attack is repeated; more than once in the nightly run.
fn repeats() -> usize {
    std::env::var_os("BALCAO_GATE_SCALE").and_then(|text| text.to_str()?.parse().ok()).unwrap_or(1)
}

/// Runs an attack as often as attacks are repeated, while another thread asks for the program's health, again and again.
fn while_health_answers(address: &str, attack: impl Fn(usize)) {
    while_health_answers_once(address, || (0..repeats()).for_each(attack));
}

/// The same with an attack that is not repeated.
fn while_health_answers_once(address: &str, attack: impl FnOnce()) {
    let over = AtomicBool::new(false);
    let (answered, slowest) = std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let (mut answered, mut slowest) = (0, Duration::ZERO);
            while !over.load(Ordering::Relaxed) || answered == 0 {
                let began = Instant::now();
                let answer = exchange(address, "GET /healthz HTTP/1.1\r\nhost: x", "", None);
                assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
                slowest = slowest.max(began.elapsed());
                answered += 1;
            }
            (answered, slowest)
        });
        let attacked = catch_unwind(AssertUnwindSafe(attack));
        // An attack that failed ends the asking, too: else the test would wait for it.
        over.store(true, Ordering::Relaxed);
        let asked = asking.join();
        attacked.unwrap_or_else(|failed| resume_unwind(failed));
        asked.unwrap()
    });
    eprintln!("{answered} answers, the slowest in {} ms", slowest.as_millis());
    assert!(repeats() == 1 || slowest < SLOWEST, "{slowest:?}");
}

/// The program took less than [`MOST`] at any time since it began, where the system tells.
pub(crate) fn has_stayed_small(process: u32) {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{process}/status")) else {
        balcao_testkit::skip("this system does not say how much memory a program uses");
        return;
    };
    let peak =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB")?.trim().parse().ok());
    let peak: u64 = peak.unwrap();
    eprintln!("at most {} MiB", peak >> 10);
    assert!(peak < MOST, "{peak} KiB");
}

/// The sample shop with a web chat; more of its configuration.
fn shop_with(more: &str) -> TempDir {
    let shop = shop();
    let file = shop.path().join("balcao.toml");
    let config = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{config}{more}")).unwrap();
    shop
}

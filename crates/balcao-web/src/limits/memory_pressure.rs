//! How much memory the program has left, so that it turns requests away before the system ends it (F-135).
//!
//! What it uses is what the system says is resident. What it may use is configured, or what the container that it runs in
//! allows. Systems other than Linux report neither, and no request is turned away.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Beyond this share of what it may use nothing new is taken in, in percent.
const FULL: u64 = 80;
/// It is not looked at more often.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// What the program uses, and what it may.
#[derive(Debug)]
pub(crate) struct Memory {
    may_use: Option<u64>,
    seen: Mutex<Option<(Instant, bool)>>,
}

impl Memory {
    /// `may_use` bytes; `None`: what the container allows, if it says.
    pub(crate) fn with_limit(may_use: Option<u64>) -> Self {
        Self { may_use: may_use.or_else(allowed), seen: Mutex::default() }
    }

    /// Whether so much of it is used that nothing new should be taken in.
    pub(crate) fn is_short(&self) -> bool {
        let Some(may_use) = self.may_use else { return false };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if let Some((at, short)) = *seen
            && now.duration_since(at) < LOOK_EVERY
        {
            return short;
        }
        let used = resident();
        let short = used.is_some_and(|used| used > may_use / 100 * FULL);
        let was_short = seen.replace((now, short)).is_some_and(|(_, short)| short);
        if short && !was_short {
            tracing::error!(used, may_use, "memory runs short: new requests are turned away");
        } else if was_short && !short {
            tracing::warn!(used, may_use, "there is memory again");
        }
        short
    }
}

/// What the system keeps in memory of this program, in bytes.
fn resident() -> Option<u64> {
    kibibytes(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// What the container allows, in bytes.
fn allowed() -> Option<u64> {
    // Version 2 of control groups, and version 1, which writes a number beyond all memory for "no limit".
    let places = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let mut texts = places.into_iter().filter_map(|place| std::fs::read_to_string(place).ok());
    texts.find_map(|text| text.trim().parse().ok()).filter(|bytes| *bytes < 1 << 60)
}

fn kibibytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1_024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_read() {
        let status = "Name:\tbalcao\nVmPeak:\t  999999 kB\nVmRSS:\t   61440 kB\nThreads:\t9\n";
        assert_eq!(kibibytes(status), Some(60 << 20));
        for odd in ["", "VmRSS:", "VmRSS: many kB", "VmRSS: 12 MB"] {
            assert_eq!(kibibytes(odd), None, "{odd}");
        }
    }

    #[tokio::test]
    async fn f_135_four_fifths_are_the_limit_and_nobody_knows_without_one() {
        let Some(used) = resident() else { return };
        assert!(Memory::with_limit(Some(used)).is_short());
        assert!(!Memory::with_limit(Some(used * 4)).is_short());
        assert!(!Memory { may_use: None, seen: Mutex::default() }.is_short());
    }
}

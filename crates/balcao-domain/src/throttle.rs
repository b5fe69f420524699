//! How fast an account of a channel sends, over all programs that send by it.
//!
//! Two rules of the provider: so many messages a second from one number to all customers; and so many to one customer.
//! The first is a bucket that is kept per account, and that gets slower for a while each time the
//! provider says that it was too fast all the same; the second is a bucket per conversation.
//!
//! Invariants: in no second do more than `per_second` messages leave an account; an account that was asked to slow down sends nothing
//! before the pause is over, and gets faster again step by step; what has to wait costs no attempt. No clock in here.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

/// The slowest step: a sixty-fourth of the usual pace.
pub const SLOWEST: u32 = 6;
/// After so long without a complaint of the provider an account is a step faster again.
pub const CALM: Duration = Duration::from_mins(1);

/// How fast an account may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendingRate {
    /// Messages in any one second, at least 1.
    pub per_second: u32,
    /// To one customer.
    pub to_one: Option<PairRate>,
}

/// How fast one customer may be sent messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairRate {
    /// So many at once.
    pub burst: u32,
    /// Then one in so long.
    pub every: Duration,
}

/// Where an account stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Throttle {
    /// When as many as its burst may leave at once again, in microseconds of Unix time: milliseconds are too coarse for a
    /// thousand messages a second.
    pub full_at_us: i64,
    /// Nothing leaves before.
    pub until: Timestamp,
    /// How often its pace was halved.
    pub level: u32,
    /// When the provider said so last, or when a step was taken back.
    pub since: Timestamp,
}

impl Throttle {
    /// An account that has sent nothing yet.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        Self { full_at_us: now.as_microsecond(), until: now, level: 0, since: now }
    }

    /// Lets one message leave.
    ///
    /// # Errors
    /// When the next one may, and where the account stands until then: it is to be kept, too.
    pub fn take(self, per_second: u32, now: Timestamp) -> Result<Self, Self> {
        let calmer = self.calmer(now);
        if now < calmer.until {
            return Err(calmer);
        }
        let (burst, every) = bucket(per_second, calmer.level);
        let (at, whole) = (now.as_microsecond(), every.saturating_mul(burst));
        // A clock that was set back must not shut an account for long.
        let full = calmer.full_at_us.clamp(at, at.saturating_add(whole));
        let next = full.saturating_add(every);
        let over = next.saturating_sub(at.saturating_add(whole));
        if over > 0 {
            // Half a burst later several may leave together: the sender need not look for each of them. Nothing is finer than a
            // millisecond where this is kept.
            let wait = over.max(whole / 2).div_euclid(1_000).saturating_add(1);
            let wait = SignedDuration::from_millis(wait);
            return Err(Self { until: now.saturating_add(wait).unwrap_or(now), ..calmer });
        }
        Ok(Self { full_at_us: next, ..calmer })
    }

    /// The provider says that the account sends too fast: half the pace from now on, and nothing at all for a while. What was
    /// already under way when it said so first counts as one complaint. `spread`, any number, keeps accounts apart.
    #[must_use]
    pub fn after_report(self, spread: u64, now: Timestamp) -> Self {
        let calmer = self.calmer(now);
        if calmer.level > 0 && now < later(calmer.since, pause(calmer.level, 0)) {
            return calmer;
        }
        let level = calmer.level.saturating_add(1).min(SLOWEST);
        Self { until: later(now, pause(level, spread)).max(calmer.until), level, since: now, ..calmer }
    }

    /// As it stands now: a step faster for each [`CALM`] without a complaint.
    fn calmer(self, now: Timestamp) -> Self {
        let calm = i64::try_from(CALM.as_secs()).unwrap_or(i64::MAX);
        let steps = now.duration_since(self.since).as_secs().max(0) / calm;
        let steps = u32::try_from(steps).unwrap_or(u32::MAX).min(self.level);
        if steps == 0 {
            return self;
        }
        Self { level: self.level - steps, since: later(self.since, CALM.saturating_mul(steps)), ..self }
    }
}

/// How many may leave at once, and how many microseconds lie between others: together no more than `per_second` in any
/// second.
fn bucket(per_second: u32, level: u32) -> (i64, i64) {
    let allowed = i64::from((per_second.max(1) >> level.min(SLOWEST)).max(1));
    let burst = (allowed / 5).max(1);
    let every = 1_000_000_i64.div_euclid((allowed - burst).max(1));
    // Where less than one a second is left, the steps go on by the time between two.
    let halved = i64::from(1_u32 << level.min(SLOWEST)) / (i64::from(per_second.max(1)) / allowed).max(1);
    (burst, every.saturating_mul(halved.max(1)))
}

/// How long nothing leaves once the provider complained: 1 s, doubled with each step, up to a quarter longer.
fn pause(level: u32, spread: u64) -> Duration {
    let base = Duration::from_secs(1_u64 << level.saturating_sub(1).min(SLOWEST));
    let quarter = u64::try_from(base.as_millis() / 4).unwrap_or(1).max(1);
    base.saturating_add(Duration::from_millis(spread % quarter))
}

fn later(at: Timestamp, by: Duration) -> Timestamp {
    SignedDuration::try_from(by).ok().and_then(|by| at.checked_add(by).ok()).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
#[path = "throttle_tests.rs"]
mod tests;

//! What a seed decides before anything runs: which kinds of faults there are, how often, how many of everything.
//!
//! Every class of fault is off in some runs: one that is always on hides what happens without it.

use std::time::Duration;

use fastrand::Rng;

use crate::businesses::CUSTOMERS;

/// One run's configuration.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// Processes over the one database.
    pub(crate) replicas: usize,
    /// Businesses in it, one or two.
    pub(crate) tenants: usize,
    /// Customers of each.
    pub(crate) contacts: usize,
    /// Messages that they write, in all.
    pub(crate) messages: usize,
    /// Over how long they write them.
    pub(crate) span: Duration,
    /// No more processes die than this, if it says so.
    pub(crate) deaths: Option<u32>,
    /// What goes wrong, and how often.
    pub(crate) faults: Faults,
}

/// Chances of faults, each for one opportunity.
#[derive(Debug, Clone, Default)]
pub(crate) struct Faults {
    /// A transaction is refused.
    pub(crate) refused: f64,
    /// The answer to a commit is lost.
    pub(crate) unknown: f64,
    /// A transaction takes seconds.
    pub(crate) slow: f64,
    /// A process is cut off from the database for a while, per second of the run.
    pub(crate) partition: f64,
    /// A process dies and is started again, per second of the run.
    pub(crate) kill: f64,
    /// All die at once, per second of the run.
    pub(crate) blackout: f64,
    /// A process stands still and goes on later, per second of the run.
    pub(crate) pause: f64,
    /// The clocks of the processes differ by up to this many milliseconds.
    pub(crate) skew_ms: i64,
    /// A process's clock jumps and is set right within a minute, per second of the run.
    pub(crate) jump: f64,
    /// A model call fails, hangs, or answers with rubbish.
    pub(crate) model: f64,
    /// A model's text would leak.
    pub(crate) leak: f64,
    /// A send is refused for now, or its answer is lost.
    pub(crate) send: f64,
    /// A status report is lost or late.
    pub(crate) status: f64,
    /// A system behind a tool swallows its answer, or refuses.
    pub(crate) outside: f64,
    /// An acknowledgement is lost, or a delivery comes once more.
    pub(crate) redeliver: f64,
    /// A person takes a conversation over, per message.
    pub(crate) takeover: f64,
    /// A message that kills whoever works on it, per message.
    pub(crate) poison: f64,
    /// A process dies in the middle of a commit, of which the disk kept all or nothing, per transaction that writes.
    pub(crate) cut_short: f64,
    /// A process that was started dies again within seconds.
    pub(crate) relapse: f64,
    /// A message that the provider took does not arrive, and a status says so.
    pub(crate) undelivered: f64,
    /// A customer sends a file, per message; it takes its time, or cannot be fetched.
    pub(crate) file: f64,
    /// A customer is known by another id from now on, per message.
    pub(crate) renamed: f64,
}

impl Plan {
    /// The plan of a seed.
    pub(crate) fn draw(seed: u64) -> Self {
        // Another stream than the run's, so that a change of the one does not move the other.
        let mut rng = Rng::with_seed(seed ^ 0x5eed_0f91_a45e_ed00);
        let rng = &mut rng;
        let replicas = rng.choice([1, 1, 2, 3]).unwrap_or(1);
        let faults = Faults {
            refused: chance(rng, 0.5, 0.05),
            unknown: chance(rng, 0.5, 0.1),
            slow: chance(rng, 0.3, 0.03),
            partition: chance(rng, 0.3, 0.02),
            kill: chance(rng, 0.6, 0.06),
            blackout: chance(rng, 0.3, 0.02),
            pause: chance(rng, 0.4, 0.04),
            skew_ms: if rng.bool() { 200 } else { 0 },
            jump: 0.0,
            model: chance(rng, 0.4, 0.15),
            leak: chance(rng, 0.4, 0.3),
            send: chance(rng, 0.5, 0.15),
            status: chance(rng, 0.5, 0.3),
            outside: chance(rng, 0.5, 0.25),
            redeliver: chance(rng, 0.7, 0.4),
            takeover: chance(rng, 0.4, 0.1),
            poison: chance(rng, 0.15, 0.05),
            ..Faults::default()
        };
        let plan = Self {
            replicas,
            tenants: if rng.u8(..4) == 0 { 2 } else { 1 },
            contacts: rng.usize(1..=CUSTOMERS),
            messages: rng.usize(8..=24),
            span: Duration::from_secs(rng.u64(20..=120)),
            deaths: None,
            faults,
        };
        // Drawn last, so that the other plans stay what they were.
        let faults = Faults {
            jump: chance(rng, 0.3, 0.05),
            cut_short: chance(rng, 0.3, 0.005),
            relapse: chance(rng, 0.4, 0.9),
            undelivered: chance(rng, 0.4, 0.3),
            file: chance(rng, 0.4, 0.4),
            renamed: chance(rng, 0.3, 0.3),
            ..plan.faults
        };
        Self { faults, ..plan }
    }
}

/// Off, or up to `most`.
fn chance(rng: &mut Rng, on: f64, most: f64) -> f64 {
    if rng.f64() < on { rng.f64() * most } else { 0.0 }
}

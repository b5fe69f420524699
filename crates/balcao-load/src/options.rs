//! What the load generator measures, and how long.

use std::time::Duration;

/// A measurement that the load generator can make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Measurement {
    /// Webhooks accepted and durable.
    Webhooks,
    /// Turns, one conversation and 32 at a time, against a bare loop.
    Turns,
    /// A thousand conversations at once, with a model that takes its time.
    Flight,
    /// Many bookings of one slot, against a bare loop.
    Contention,
}

impl Measurement {
    /// Everything.
    pub(crate) const ALL: [Self; 4] = [Self::Webhooks, Self::Turns, Self::Flight, Self::Contention];
}

/// How much is done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    /// How long each measurement goes on.
    pub(crate) time: Duration,
    /// How many conversations are in flight.
    pub(crate) flight: u32,
}

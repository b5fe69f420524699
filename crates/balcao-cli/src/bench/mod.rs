//! What the server can do on this machine: `balcao bench`.
//!
//! Everything is measured on the parts that serve, over databases made for it and dropped after: webhooks by HTTP, turns from
//! the delivery to the answer on its way, bookings of one slot. The model and the provider are ours and answer when told to. A
//! bare loop runs the very transactions of a measurement again by the driver alone (`balcao_store::database::bare`).

mod contention;
mod machine;
mod model;
mod place;
mod report;
mod turns;
mod webhooks;
mod world;

use std::time::Duration;

pub(crate) use place::Kind;
pub(crate) use report::Report;

use crate::output::Failure;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum What {
    /// Webhooks accepted and durable.
    Webhooks,
    /// Turns, one conversation and 32 at a time, against a bare loop.
    Turns,
    /// A thousand conversations at once, with a model that takes its time.
    Flight,
    /// Many bookings of one slot, against a bare loop.
    Contention,
}

impl What {
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

/// Measures, one after the other.
///
/// # Errors
/// [`Failure`] if something did not work that the figures rest on.
pub(crate) async fn run(kinds: &[Kind], what: &[What], size: Size, said: impl Fn(&str)) -> Result<Report, Failure> {
    let mut report = Report::new();
    for kind in kinds {
        for one in what {
            said(&format!("{}: {one:?} …", kind.name()));
            match one {
                What::Webhooks => webhooks::measure(kind, size, &mut report).await?,
                What::Turns => turns::measure(kind, size, &mut report).await?,
                What::Flight => turns::measure_flight(kind, size, &mut report).await?,
                What::Contention => contention::measure(kind, size, &mut report).await?,
            }
        }
    }
    Ok(report)
}

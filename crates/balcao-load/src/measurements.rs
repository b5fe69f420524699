//! The measurements, one after the other.
//!
//! Everything is measured on the parts that serve, over databases made for it and dropped after: webhooks by HTTP, turns from
//! the delivery to the answer on its way, bookings of one slot. The model and the provider are ours and answer on command. A
//! bare loop runs the very transactions of a measurement again by the driver alone ([`balcao_store::SingleConnection`]).

use anyhow::Result;

use crate::database::DatabaseKind;
use crate::options::{Measurement, Size};
use crate::report::Report;
use crate::{contention, turns, webhooks};

/// Measures, one after the other.
///
/// # Errors
/// If something did not work that the figures rest on.
pub(crate) async fn run(
    kinds: &[DatabaseKind],
    what: &[Measurement],
    size: Size,
    said: impl Fn(&str),
) -> Result<Report> {
    let mut report = Report::new();
    for kind in kinds {
        for one in what {
            said(&format!("{}: {one:?} …", kind.name()));
            match one {
                Measurement::Webhooks => webhooks::measure(kind, size, &mut report).await?,
                Measurement::Turns => turns::measure(kind, size, &mut report).await?,
                Measurement::Flight => turns::measure_flight(kind, size, &mut report).await?,
                Measurement::Contention => contention::measure(kind, size, &mut report).await?,
            }
        }
    }
    Ok(report)
}

#[cfg(test)]
#[path = "measurements_tests.rs"]
mod tests;

//! What waits too long: read for metrics, readiness and the log.

use balcao_store::figures;
pub use balcao_store::figures::{Figures, Waiting};

use crate::desk::{Desk, UseCaseError};
use crate::metrics;

/// What waits now, over all organizations; the gauges of [`metrics`] say the same afterwards.
///
/// # Errors
/// [`UseCaseError`] if the database failed; the gauges keep what they said, but for the one that says so.
pub async fn look(desk: &Desk) -> Result<Figures, UseCaseError> {
    let now = desk.clock.now();
    let read = desk.store.read(move |tx| figures::read(tx, now)).await.map_err(UseCaseError::from);
    metrics::database_up(read.is_ok());
    let figures = read?;
    metrics::waiting(&figures, now);
    Ok(figures)
}

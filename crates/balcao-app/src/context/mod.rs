//! What every use case needs: the open desk, time, names, hashes, rates and figures.

pub mod budgets;
pub mod clock;
pub mod desk;
pub(crate) mod hash;
pub mod metrics;
pub mod names;
pub mod pace;

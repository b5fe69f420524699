//! What every use case needs: the open desk, time, names, hashes, rates and figures.

pub mod app_context;
pub mod budgets;
pub mod clock;
pub(crate) mod hash;
pub mod metrics;
pub mod names;
pub mod request_rate;

//! What every use case needs: the application context, time, names, hashes, rates and figures.

pub mod app_context;
pub mod budgets;
pub mod calendar_service;
pub mod clock;
pub(crate) mod hash;
pub mod meaning;
pub mod metrics;
pub mod names;
pub mod notification_accounts;
pub(crate) mod page;
pub mod request_rate;
pub mod staff_email;

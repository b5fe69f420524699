//! Figures and questions about the business, for its owner and staff.

pub mod analytics;
pub mod questions;

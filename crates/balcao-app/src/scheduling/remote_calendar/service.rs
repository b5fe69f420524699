//! The seam of a calendar service. It stands in `context`, because every use case holds the service that the program is connected to.

pub use crate::context::calendar_service::*;

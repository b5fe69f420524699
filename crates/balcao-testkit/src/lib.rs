//! Test world, builders, fakes of services and the contract suites.

pub mod business_edits;
pub mod clock;
pub mod contract;
pub mod fakes;
pub mod mock;
pub mod partition;
pub mod postgres;
pub mod wait;

pub use balcao_skip::skip;

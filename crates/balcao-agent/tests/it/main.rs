//! What reaches the customer, from outside.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice, reason = "tests")]

mod claims;
mod figures;
mod sanitise;

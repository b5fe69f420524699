//! Checks of replies: every text of a model passes them before it leaves.
//!
//! The sanitiser ([`sanitise`]) looks for internals of the program and removes or refuses them. The check of claims ([`claims`]) asks for
//! a receipt for each act that a reply states as done, and for a source of each price, date and time.

pub mod claims;
pub mod sanitise;

//! Repeats attacks that were found by hand, against the built program. `tests/attack/LIST` has a row for each.

mod accepted;
pub(crate) mod door;
mod packs;
pub(crate) mod weight;

//! What an attack by hand found, tried again against the built program. `tests/attack/LIST` has a row for each.

mod accepted;
mod door;
mod packs;
mod weight;

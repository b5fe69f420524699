//! Tests of the answers of each shipped tool: results with every field, refusals, errors, data of other contacts, replays, bad arguments
//! and both languages. Calls pass the checks of a turn and run on a real database.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod analytics;
mod calendar;
mod contract;
mod copies;
mod crm;
mod followup;
mod intake;
mod prompts;
mod salon_later;
mod salon_reads;
mod salon_writes;
mod world;

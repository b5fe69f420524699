//! The client of Google Calendar against the strict fake of it, over real HTTP.

mod calls;
mod checkup;
mod connecting;
mod errors;
mod fake;
mod foreign;
mod hands;
mod proving;
mod world;

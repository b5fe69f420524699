//! The use cases, through their front door, on a real database.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod attachments;
mod booking;
mod calendar;
mod catalogue;
mod channel_health;
mod choosing;
mod counter;
mod crm;
mod eli_breaker;
mod ending;
mod exactly_once;
mod figures;
mod gates;
mod inbox;
mod live;
mod looking;
mod lost_answers;
mod new_keys;
mod notices;
mod pace_of_sending;
mod pack_deliveries;
mod presence;
mod replaced;
mod retention;
mod seed;
mod sending;
mod sending_files;
mod shared_clock;
mod timers;
mod wallet;
mod watchdog;
mod webhooks;
mod with_whom;
mod works;
mod world;

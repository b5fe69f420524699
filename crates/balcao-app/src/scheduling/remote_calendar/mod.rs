//! Calendars of a calendar service, beside our own tables: pushes of appointments, and readings of other events.
//!
//! Our own tables decide who has a slot. The service shows the appointments to people, and reports what people changed. A change of an
//! appointment marks its event as outdated (`balcao_store::scheduling::calendar_event`), and [`push`] brings the event up to date. A push
//! may run any number of times, and after a crash at any point.

pub(crate) mod conflict_reports;
mod edits;
mod moves;
mod occupancy;
pub mod push;
pub mod reading;
pub(crate) mod wanted;

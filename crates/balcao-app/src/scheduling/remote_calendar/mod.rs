//! Calendars of a service outside, beside our own tables: pushes of appointments, readings of other people's events.
//!
//! Our own tables decide who has a slot. The service shows it to people, and tells what people did there. A change of an appointment
//! raises its event (`balcao_store::scheduling::calendar_event`), and [`push`] makes the event so, however often it is called and wherever
//! the program ended before.

mod edits;
mod moves;
pub mod push;
pub mod reading;

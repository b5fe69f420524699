//! Appointments: free time, booking, calendars, the waitlist, and professionals.

pub(crate) mod agenda;
pub mod appointments;
pub mod availability;
pub mod booking;
pub mod calendar;
pub mod calendar_channels;
pub mod calendar_comparison;
pub mod calendar_conflicts;
pub mod calendar_links;
pub mod calendar_work;
pub mod catalog;
mod change_message;
mod change_texts;
pub mod day_view;
pub mod feeds;
pub mod follow_ups;
pub mod hours;
pub mod intake;
mod professionals;
pub mod reminders;
pub mod remote_calendar;
pub mod visits;
pub mod waitlist;
mod waitlist_offers;
pub mod ways_out;

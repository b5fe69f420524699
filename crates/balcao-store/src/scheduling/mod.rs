//! Tables of the agenda: services and people, hours, appointments, slot claims, reminders, the waitlist, how visits ended, and external
//! calendars.

pub mod agenda_feed;
pub mod appointment;
pub mod calendar_claim;
pub mod calendar_comparison;
pub mod calendar_conflict;
pub mod calendar_crash;
pub mod calendar_event;
pub mod calendar_link;
pub mod calendar_mirror;
pub mod catalog;
pub mod follow_up;
pub mod hours;
pub mod kept_appointment;
pub mod reminder;
pub mod slot_claim;
pub mod visit_mark;
pub mod waitlist;

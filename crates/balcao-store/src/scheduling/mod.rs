//! Tables of the agenda: services and people, hours, appointments, held times, reminders, the waiting list.

pub mod agenda_feed;
pub mod appointment;
pub mod catalog;
pub mod follow_up;
pub mod hours;
pub mod reminder;
pub mod slot_claim;
pub mod waitlist;

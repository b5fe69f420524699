//! Tables of the agenda: services and people, hours, appointments, held times, reminders, the waiting list, how visits
//! ended.

pub mod agenda_feed;
pub mod appointment;
pub mod catalog;
pub mod follow_up;
pub mod hours;
pub mod kept_appointment;
pub mod reminder;
pub mod slot_claim;
pub mod visit_mark;
pub mod waitlist;

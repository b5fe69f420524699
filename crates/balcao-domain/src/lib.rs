//! Scheduling and CRM rules: no async, no I/O.
//!
//! Every rule here is a plain function or a state machine over values that the caller loaded; the clock is an argument.
//! Not here: storage (`balcao-store`), use cases (`balcao-app`), wording for customers and models.

pub mod appointment;
pub mod attachment;
pub mod availability;
pub mod burst;
pub mod calendar_push;
pub mod clock;
pub mod conflict;
pub mod contact;
pub mod conversation;
pub mod delivery_command;
pub mod entitlement;
pub mod failure;
pub mod follow_up;
pub mod holidays;
pub mod hours;
pub mod ids;
pub mod inbox;
pub mod intervals;
pub mod knowledge;
pub mod lease;
pub mod locale;
pub mod money;
pub mod note;
pub mod outbox;
pub mod outcome;
pub mod outside_event;
pub mod phone;
pub mod pipeline;
pub mod professional;
pub mod reminder;
pub mod scheduling;
pub mod service;
pub mod span;
pub mod staff;
pub mod subscription;
pub mod tag;
pub mod throttle;
pub mod time_off;
pub mod version;
pub mod waitlist;

pub use appointment::{Appointment, AppointmentStatus};
pub use clock::{Clock, ManualClock, SystemClock};
pub use failure::FailureClass;
pub use ids::*;
pub use locale::Locale;
pub use money::{Currency, Money};
pub use phone::{Phone, PhoneIdentity};
pub use span::Span;
pub use version::{VersionKind, VersionName};

/// The text of a test data file beside the repository, or `None`, said on standard error, where there is none.
#[cfg(test)]
fn material(path: &str) -> Option<String> {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/material").join(path);
    let text = std::fs::read_to_string(&file).ok();
    if text.is_none() {
        balcao_skip::skip(&format!("{} is missing", file.display()));
    }
    text
}

#[cfg(test)]
mod words_tests;

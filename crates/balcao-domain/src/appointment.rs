//! A booked span and its status. [`visit`] has the rules by which it ends.

pub mod visit;

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ids::{AppointmentId, ContactId, PlanId, ProfessionalId, ServiceId};
use crate::money::Money;
use crate::span::Span;
use visit::VisitMark;

/// Where an appointment stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AppointmentStatus {
    /// Holds its slot until it is confirmed or expires.
    Pending,
    /// Agreed.
    Confirmed,
    /// Took place.
    Completed,
    /// The contact did not come.
    NoShow,
    /// Called off; its slot is free.
    Cancelled,
}

impl AppointmentStatus {
    /// Every status, in the order of an appointment's life.
    pub const ALL: [Self; 5] = [Self::Pending, Self::Confirmed, Self::Completed, Self::NoShow, Self::Cancelled];

    /// The word it is stored and shown as.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Confirmed => "confirmed",
            Self::Completed => "completed",
            Self::NoShow => "no_show",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether it holds its slot: everything but a cancelled one, as the past is not re-booked either.
    #[must_use]
    pub const fn holds_slot(self) -> bool {
        !matches!(self, Self::Cancelled)
    }

    /// Whether it is still to come: pending or confirmed.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::Confirmed)
    }
}

impl fmt::Display for AppointmentStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that is not a status.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid appointment status `{text}`; expected pending, confirmed, completed, no_show or cancelled")]
pub struct StatusError {
    /// The word as given.
    pub text: String,
}

impl FromStr for AppointmentStatus {
    type Err = StatusError;

    fn from_str(text: &str) -> Result<Self, StatusError> {
        Self::ALL
            .into_iter()
            .find(|status| status.as_str() == text)
            .ok_or_else(|| StatusError { text: text.to_owned() })
    }
}

/// A booked span of one professional's seat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Appointment {
    /// Its id.
    pub id: AppointmentId,
    /// The contact that it is for, or that booked it for another person.
    pub contact: ContactId,
    /// Who is booked.
    pub professional: ProfessionalId,
    /// What is booked; absent for a visit that names no service.
    pub service: Option<ServiceId>,
    /// Its services' names as they were at booking.
    pub service_name: String,
    /// When it takes place.
    pub span: Span,
    /// The span with the service's buffers: what no other appointment can have.
    pub occupied: Span,
    /// Which of the professional's places it takes, from 1.
    pub seat: u32,
    /// Where it stands.
    pub status: AppointmentStatus,
    /// The price at booking; zero where a plan covers it.
    pub price: Money,
    /// The plan that covers it.
    pub plan: Option<PlanId>,
    /// The person who comes, if that is not the contact.
    pub attendee: Option<String>,
    /// Where it was booked: `agent`, `console`, `import`, `mcp`.
    pub source: String,
    /// Until when it holds its slot, if it is pending.
    #[serde(default)]
    pub holds_until: Option<Timestamp>,
    /// Who ended it, and when; `None` of an open one, and of one that ended without a record.
    #[serde(default)]
    pub mark: Option<VisitMark>,
    /// The appointment that took its place, if it was moved.
    #[serde(default)]
    pub moved_to: Option<AppointmentId>,
}

impl Appointment {
    /// Whether it is still to come: open, no expired hold, and not begun.
    #[must_use]
    pub fn is_to_come(&self, now: Timestamp) -> bool {
        self.status.is_open() && now < self.span.start && self.holds_until.is_none_or(|until| now < until)
    }
}

#[cfg(test)]
#[path = "appointment_tests.rs"]
mod tests;

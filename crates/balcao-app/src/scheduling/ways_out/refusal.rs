//! Why a booking has no way out, or a way was not taken.

use balcao_domain::{Appointment, AppointmentId, AppointmentStatus};
use serde::{Deserialize, Serialize};

use crate::context::names::NameRefusal;
use crate::context::staff_email::UnknownStaff;
use crate::scheduling::availability::Slot;
use crate::scheduling::booking::BookingRefusal;

/// Why nothing was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "refusal", content = "details", rename_all = "snake_case")]
pub enum ResolveRefusal {
    /// The organization has no appointment of this id.
    #[error("unknown appointment {id}; `balcao appointments conflicts` shows those that need a way out")]
    NotFound {
        /// The id as given.
        id: AppointmentId,
    },
    /// The e-mail address belongs to no staff member.
    #[error(transparent)]
    UnknownStaff(#[from] UnknownStaff),
    /// The role of the staff member does not let them change this booking.
    #[error("`{email}` may not change {id}; expected an attendant, a manager, the owner, or its own professional")]
    NotAllowed {
        /// The staff member.
        email: String,
        /// Which.
        id: AppointmentId,
    },
    /// The appointment is not open any more.
    #[error("invalid appointment {id}: it is {status}; expected one that is still to come")]
    Ended {
        /// Which.
        id: AppointmentId,
        /// Where it stands.
        status: AppointmentStatus,
    },
    /// The appointment was moved.
    #[error("{id} was moved to {to}; expected {to}, which stands in its place")]
    Moved {
        /// Which.
        id: AppointmentId,
        /// The one in its place.
        to: AppointmentId,
    },
    /// The appointment has begun, or its hold ran out.
    #[error("invalid appointment {id}: it has begun, or its hold ran out; expected one that is still to come")]
    Begun {
        /// Which.
        id: AppointmentId,
    },
    /// The appointment lies in working time, so there is nothing to keep it against.
    #[error("cannot keep {id}: it lies in working time, so it takes place anyway")]
    NoConflict {
        /// Which.
        id: AppointmentId,
    },
    /// The appointment cannot be moved there.
    #[error("cannot move the appointment: {}", booking_refusal_text(.0))]
    Booking(BookingRefusal),
}

impl From<BookingRefusal> for ResolveRefusal {
    fn from(refusal: BookingRefusal) -> Self {
        Self::Booking(refusal)
    }
}

impl ResolveRefusal {
    /// The refusal of an appointment that is not to come.
    pub(super) fn of_ended(one: &Appointment) -> Self {
        let id = one.id;
        match one.moved_to {
            Some(to) => Self::Moved { id, to },
            None if one.status.is_open() => Self::Begun { id },
            None => Self::Ended { id, status: one.status },
        }
    }
}

fn booking_refusal_text(refusal: &BookingRefusal) -> String {
    let near = |why: &str, free: &[Slot]| {
        let free: Vec<String> =
            free.iter().map(|slot| format!("{} {} with {}", slot.date, slot.start, slot.professional)).collect();
        if free.is_empty() { why.to_owned() } else { format!("{why}; free are: {}", free.join(", ")) }
    };
    match refusal {
        BookingRefusal::SlotTaken { alternatives } => near("the time is taken", alternatives),
        BookingRefusal::OutsideHours { absent: Some(name), alternatives, .. } => {
            near(&format!("{name} does not work on that day"), alternatives)
        }
        BookingRefusal::OutsideHours { alternatives, .. } => near("nobody works then", alternatives),
        BookingRefusal::TooSoon { alternatives, .. } => near("the time is too soon", alternatives),
        BookingRefusal::OffGrid { alternatives } => near("appointments do not begin then", alternatives),
        BookingRefusal::TooFar { last_date } => format!("invalid date; expected {last_date} or an earlier one"),
        BookingRefusal::PastDate { today, time } => format!("invalid time; expected one after {today} {time}"),
        BookingRefusal::NoSuchTime => "invalid time; the clock change skips it".to_owned(),
        BookingRefusal::NotOffered { service, offered_by, .. } => {
            format!("invalid professional for `{service}`; expected one of: {}", offered_by.join(", "))
        }
        BookingRefusal::Professional(name) | BookingRefusal::Service(name) => of_name(name),
        BookingRefusal::OtherAtThatTime { existing } => {
            format!("the customer has {} at that time; move or cancel it first", existing.id)
        }
        BookingRefusal::TooManyOpen { limit, .. } => format!("the customer has {limit} open appointments already"),
        BookingRefusal::NoSuchService { .. } => "its service is offered no longer".to_owned(),
        BookingRefusal::AlreadyCancelled => "it was cancelled meanwhile".to_owned(),
        BookingRefusal::Moved { to } => format!("it was moved to {to} meanwhile"),
        BookingRefusal::AlreadyStarted => "it has begun".to_owned(),
        BookingRefusal::NotFound { .. } | BookingRefusal::Ambiguous { .. } => "it was changed meanwhile".to_owned(),
        BookingRefusal::PriceNotAgreed => "the customer has not agreed to the price of the visit".to_owned(),
        BookingRefusal::CancellationNotice { notice_min } => {
            format!("it begins in less than the {notice_min} minutes of notice")
        }
    }
}

fn of_name(refusal: &NameRefusal) -> String {
    match refusal {
        NameRefusal::NotFound { query, nearest, known } => {
            let known = nearest.as_ref().map_or_else(|| known.join(", "), Clone::clone);
            format!("unknown name `{query}`; expected one of: {known}")
        }
        NameRefusal::Ambiguous { query, candidates } => {
            format!("ambiguous name `{query}`; expected one of: {}", candidates.join(", "))
        }
    }
}

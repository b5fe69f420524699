//! Why a visit was not marked, or its mark not undone, in the terms of the business.

use balcao_domain::AppointmentId;
use balcao_domain::appointment::visit::{MarkAuthor, MarkRefusal, UndoRefusal, VisitEnd, VisitMark};
use balcao_domain::staff::Role;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::context::staff_email::UnknownStaff;

/// A mark that stands in the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{name} at {at_local}")]
pub struct GivenMark {
    /// Its author.
    pub by: MarkAuthor,
    /// The author's name.
    pub name: String,
    /// When.
    pub at: Timestamp,
    /// The same in the organization's zone, `YYYY-MM-DDTHH:MM`.
    pub at_local: String,
}

/// Why nothing was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "refusal", content = "details", rename_all = "snake_case")]
pub enum VisitRefusal {
    /// The organization has no appointment of this id.
    #[error("unknown appointment {id}; `balcao appointments list` shows those of a day")]
    NotFound {
        /// The id as given.
        id: AppointmentId,
    },
    /// The e-mail address belongs to no staff member.
    #[error(transparent)]
    UnknownStaff(#[from] UnknownStaff),
    /// The role of the staff member does not let them mark visits.
    #[error(
        "`{email}` has the role `{role}`, which may not mark visits; expected an attendant, a manager or the owner"
    )]
    NotAllowed {
        /// The staff member.
        email: String,
        /// Their role.
        role: Role,
    },
    /// A professional marks the visit of another.
    #[error("{id} is a visit of another professional; expected one of your own")]
    OfAnother {
        /// Which.
        id: AppointmentId,
    },
    /// The visit has not begun.
    #[error(
        "{id} begins at {starts_at_local}, and can be marked from then on; `balcao appointments resolve {id} --cancel` cancels it"
    )]
    NotBegun {
        /// Which.
        id: AppointmentId,
        /// When it begins.
        starts_at: Timestamp,
        /// The same in the organization's zone, `YYYY-MM-DDTHH:MM`.
        starts_at_local: String,
    },
    /// The day has not begun.
    #[error("invalid date {date}; expected {today} or a day before it, because the visits of {date} are to come")]
    DayToCome {
        /// As given.
        date: Date,
        /// Today, in the organization's zone.
        today: Date,
    },
    /// It was a hold that ran out.
    #[error("{id} was held and not confirmed in time, so there was no visit")]
    HoldExpired {
        /// Which.
        id: AppointmentId,
    },
    /// It was moved.
    #[error("{id} was moved to {to}; expected {to}, which stands in its place")]
    Moved {
        /// Which.
        id: AppointmentId,
        /// The one in its place.
        to: AppointmentId,
    },
    /// It has another mark.
    #[error("{id} is marked as {end} already{}; {}", given(mark.as_ref()), undo_hint(*id, undo.as_deref()))]
    MarkedBefore {
        /// Which.
        id: AppointmentId,
        /// How it ended by that mark.
        end: VisitEnd,
        /// That mark; `None` if it has no record.
        mark: Option<GivenMark>,
        /// Why that mark cannot be undone; `None` if it can.
        undo: Option<Box<VisitRefusal>>,
    },
    /// The visit has no mark to undo.
    #[error("{id} has no mark to undo")]
    NotMarked {
        /// Which.
        id: AppointmentId,
    },
    /// Its end has no record of who said so and what was before.
    #[error("{id} ended without a record of who said so, as visits in a business file do, so it cannot be undone")]
    NoRecord {
        /// Which.
        id: AppointmentId,
    },
    /// It was cancelled before its start.
    #[error(
        "{id} was cancelled before its start, and others could book its time, so it cannot be undone; book it anew"
    )]
    CancelledBefore {
        /// Which.
        id: AppointmentId,
    },
    /// The mark is older than a day.
    #[error("{id} was marked by {mark}, and a mark can be undone for 24 hours only")]
    TooLate {
        /// Which.
        id: AppointmentId,
        /// The mark.
        mark: GivenMark,
    },
    /// A cancelled visit cannot come back, because another appointment has its time.
    #[error("another appointment has the time of {id} by now, so its mark cannot be undone")]
    SlotTaken {
        /// Which.
        id: AppointmentId,
    },
    /// Others changed it at the same moment, several times.
    #[error("others change {id} at this moment; try again")]
    ChangedMeanwhile {
        /// Which.
        id: AppointmentId,
    },
}

fn given(mark: Option<&GivenMark>) -> String {
    mark.map_or_else(String::new, |mark| format!(", by {mark}"))
}

/// What can be done about a mark: one rule decides it for the undo and for this text.
fn undo_hint(id: AppointmentId, undo: Option<&VisitRefusal>) -> String {
    undo.map_or_else(|| format!("`balcao appointments undo {id}` undoes that mark"), ToString::to_string)
}

impl VisitRefusal {
    /// A refusal of the rule in local terms.
    pub(super) fn of_mark(
        id: AppointmentId,
        refusal: MarkRefusal,
        zone: &TimeZone,
        given: impl Fn(&VisitMark) -> GivenMark,
    ) -> Self {
        match refusal {
            MarkRefusal::Moved { to } => Self::Moved { id, to },
            MarkRefusal::NotBegun { starts_at } => {
                let starts_at_local = zone.to_datetime(starts_at).strftime("%Y-%m-%dT%H:%M").to_string();
                Self::NotBegun { id, starts_at, starts_at_local }
            }
            MarkRefusal::HoldExpired => Self::HoldExpired { id },
            MarkRefusal::MarkedBefore { end, mark, undo } => {
                let mark = mark.as_ref().map(&given);
                let undo = undo.map(|undo| Box::new(Self::of_undo(id, undo, &given)));
                Self::MarkedBefore { id, end, mark, undo }
            }
        }
    }

    /// As [`Self::of_mark`], of an undo.
    pub(super) fn of_undo(
        id: AppointmentId,
        refusal: UndoRefusal,
        given: impl FnOnce(&VisitMark) -> GivenMark,
    ) -> Self {
        match refusal {
            UndoRefusal::NotMarked => Self::NotMarked { id },
            UndoRefusal::Moved { to } => Self::Moved { id, to },
            UndoRefusal::NoRecord => Self::NoRecord { id },
            UndoRefusal::CancelledBefore => Self::CancelledBefore { id },
            UndoRefusal::TooLate { mark } => Self::TooLate { id, mark: given(&mark) },
        }
    }
}

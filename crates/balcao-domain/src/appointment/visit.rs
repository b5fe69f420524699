//! Visits: how an appointment ends, who may say so, and until when.
//!
//! A visit is an appointment from its start on. A mark says how it ended, who said so and when, and keeps the status from before, so
//! that an undo is exact. The functions decide; the caller reads the appointment and writes the decision, under a comparison with the
//! status that was read.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::appointment::{Appointment, AppointmentStatus};
use crate::ids::AppointmentId;

/// How long after a mark it can be undone.
pub const UNDO_WITHIN: SignedDuration = SignedDuration::from_hours(24);
/// How long after its end a visit waits for a mark before the server takes it up.
pub const MARK_WITHIN: SignedDuration = SignedDuration::from_hours(1);
/// The age of a visit, by its end, from which staff are not asked about it any more.
pub const ASK_WITHIN: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How a visit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VisitEnd {
    /// It took place.
    Completed,
    /// The contact did not come.
    NoShow,
    /// It was called off, and the call-off was not entered before its start.
    Cancelled,
}

impl VisitEnd {
    /// Every end.
    pub const ALL: [Self; 3] = [Self::Completed, Self::NoShow, Self::Cancelled];

    /// The status of an appointment that ended so.
    #[must_use]
    pub const fn status(self) -> AppointmentStatus {
        match self {
            Self::Completed => AppointmentStatus::Completed,
            Self::NoShow => AppointmentStatus::NoShow,
            Self::Cancelled => AppointmentStatus::Cancelled,
        }
    }

    /// The end that a status stands for; `None` of an open one.
    #[must_use]
    pub const fn of_status(status: AppointmentStatus) -> Option<Self> {
        match status {
            AppointmentStatus::Completed => Some(Self::Completed),
            AppointmentStatus::NoShow => Some(Self::NoShow),
            AppointmentStatus::Cancelled => Some(Self::Cancelled),
            AppointmentStatus::Pending | AppointmentStatus::Confirmed => None,
        }
    }
}

impl fmt::Display for VisitEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.status().as_str())
    }
}

/// The author of a mark.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum MarkAuthor {
    /// The contact of the appointment, in a conversation.
    Customer,
    /// The staff member with this e-mail address.
    Staff(String),
    /// A person who works on the server itself, through its commands.
    Operator,
    /// A program with a key, by its name in the audit log.
    Program(String),
    /// The server, because the visit stayed unmarked or the hold unconfirmed.
    Job,
}

const STAFF: &str = "staff:";

impl MarkAuthor {
    /// Whether a person or a person's program said it. The server only assumes.
    #[must_use]
    pub const fn is_person(&self) -> bool {
        !matches!(self, Self::Job)
    }

    /// The author's name in the audit log and in the API: an e-mail address, the name of a program, or one word.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Customer => "customer",
            Self::Operator => "operator",
            Self::Job => "job",
            Self::Staff(name) | Self::Program(name) => name,
        }
    }
}

/// The form in which it is stored.
impl fmt::Display for MarkAuthor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Staff(email) => write!(f, "{STAFF}{email}"),
            Self::Customer | Self::Operator | Self::Program(_) | Self::Job => f.write_str(self.name()),
        }
    }
}

impl FromStr for MarkAuthor {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "customer" => Self::Customer,
            "operator" => Self::Operator,
            "job" => Self::Job,
            _ => text.strip_prefix(STAFF).map_or_else(|| Self::Program(text.into()), |email| Self::Staff(email.into())),
        })
    }
}

impl Serialize for MarkAuthor {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MarkAuthor {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match String::deserialize(from)?.parse() {
            Ok(author) => Ok(author),
            Err(never) => match never {},
        }
    }
}

/// The record that an appointment ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VisitMark {
    /// Its author.
    pub by: MarkAuthor,
    /// When the author said so.
    pub at: Timestamp,
    /// The status that the appointment had before any mark, and has again after an undo.
    pub from: AppointmentStatus,
}

/// What a mark does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkDecision {
    /// The appointment ends now. The mark keeps `from`.
    Change {
        /// The status before any mark.
        from: AppointmentStatus,
    },
    /// The visit has this very mark; nothing changes.
    Unchanged,
}

/// Why a visit cannot be marked. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "refusal", content = "details", rename_all = "snake_case")]
pub enum MarkRefusal {
    /// It has not begun.
    NotBegun {
        /// When it begins.
        starts_at: Timestamp,
    },
    /// The hold ran out before it was confirmed, so there was no visit.
    HoldExpired,
    /// It was moved, so another appointment stands in its place.
    Moved {
        /// That one.
        to: AppointmentId,
    },
    /// It has another mark. That mark has to be undone first, if it can be.
    MarkedBefore {
        /// How it ended by that mark.
        end: VisitEnd,
        /// The mark; `None` if the appointment came with the business file, or ended before marks were recorded.
        mark: Option<VisitMark>,
        /// Why that mark cannot be undone; `None` if it can.
        undo: Option<UndoRefusal>,
    },
}

/// Why a mark cannot be undone. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "refusal", content = "details", rename_all = "snake_case")]
pub enum UndoRefusal {
    /// The appointment has no mark.
    NotMarked,
    /// It was moved, so another appointment stands in its place.
    Moved {
        /// That one.
        to: AppointmentId,
    },
    /// The appointment ended without a record of who said so: it came with the business file, or is older than such records.
    NoRecord,
    /// It was cancelled before its start, and others could book its time since.
    CancelledBefore,
    /// The mark is older than [`UNDO_WITHIN`].
    TooLate {
        /// The mark.
        mark: VisitMark,
    },
}

impl Appointment {
    /// Decides whether `by` may mark this visit as ended by `end` at `now`.
    ///
    /// A visit can be marked from its start on. The same mark again changes nothing. A person's mark replaces the server's assumption
    /// as long as that could be undone; every other mark has to be undone first.
    ///
    /// # Errors
    /// Why not.
    pub fn decide_mark(&self, end: VisitEnd, by: &MarkAuthor, now: Timestamp) -> Result<MarkDecision, MarkRefusal> {
        if let Some(to) = self.moved_to {
            return Err(MarkRefusal::Moved { to });
        }
        if let Some(given) = VisitEnd::of_status(self.status) {
            if given == end {
                return Ok(MarkDecision::Unchanged);
            }
            return match &self.mark {
                Some(VisitMark { by: MarkAuthor::Job, at, from })
                    if by.is_person() && given != VisitEnd::Cancelled && now < until(*at) =>
                {
                    Ok(MarkDecision::Change { from: *from })
                }
                mark => {
                    Err(MarkRefusal::MarkedBefore { end: given, mark: mark.clone(), undo: self.decide_undo(now).err() })
                }
            };
        }
        if now < self.span.start {
            return Err(MarkRefusal::NotBegun { starts_at: self.span.start });
        }
        if self.status == AppointmentStatus::Pending && self.holds_until.is_some_and(|until| until <= now) {
            return Err(MarkRefusal::HoldExpired);
        }
        Ok(MarkDecision::Change { from: self.status })
    }

    /// Decides whether the mark of this visit may be undone at `now`, and returns the status that it has then.
    ///
    /// # Errors
    /// Why not.
    pub fn decide_undo(&self, now: Timestamp) -> Result<AppointmentStatus, UndoRefusal> {
        if let Some(to) = self.moved_to {
            return Err(UndoRefusal::Moved { to });
        }
        let Some(end) = VisitEnd::of_status(self.status) else { return Err(UndoRefusal::NotMarked) };
        let Some(mark) = &self.mark else { return Err(UndoRefusal::NoRecord) };
        if end == VisitEnd::Cancelled && mark.at < self.span.start {
            return Err(UndoRefusal::CancelledBefore);
        }
        if now >= until(mark.at) {
            return Err(UndoRefusal::TooLate { mark: mark.clone() });
        }
        Ok(mark.from)
    }
}

/// The instant from which a mark can no longer be undone.
fn until(marked_at: Timestamp) -> Timestamp {
    marked_at.checked_add(UNDO_WITHIN).unwrap_or(Timestamp::MAX)
}

/// What the server does about unmarked visits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnmarkedVisits {
    /// It asks staff, once for each visit.
    #[default]
    Ask,
    /// It marks them as completed.
    Complete,
}

impl UnmarkedVisits {
    /// Whether it is what a business has that says nothing about it.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The latest end of a visit that the server takes up at `now`.
    ///
    /// Staff have [`MARK_WITHIN`] after each visit. A question waits until the last visit of the day is over, so that there is one a
    /// day; `today` is the start of the local day, and `is_day_over` whether no visit of that day is still to end. Visits of earlier
    /// days wait for nothing.
    #[must_use]
    pub fn reviewed_until(self, now: Timestamp, today: Timestamp, is_day_over: bool) -> Timestamp {
        let waited = now.checked_sub(MARK_WITHIN).unwrap_or(Timestamp::MIN);
        if self == Self::Complete || is_day_over { waited } else { waited.min(today) }
    }
}

#[cfg(test)]
#[path = "visit_tests.rs"]
mod tests;

//! A calendar: free time, taken time and booking, for a built-in or an external back end.
//!
//! [`Calendar`] is the interface of a back end; [`BuiltIn`] implements it over our own tables. Results and errors are data: a rule refuses
//! with a [`Refusal`], and a service fails with a [`CalendarError`]. [`CalendarError::Unknown`] means that an answer was lost, so the act
//! may have happened. Callers act through [`book`], [`cancel`] and [`reschedule`]. After a lost answer, these functions look the act up
//! before they try it again, and they read again what changed meanwhile (`settle.rs`).
//!
//! Invariants: a caller cannot see an entry of another contact; an act under one key happens once; a read that a mirror answered says so.
//!
//! Not here: the rules of booking (`booking`) and texts.

mod builtin;
mod busy;
mod settle;
mod visit;

use async_trait::async_trait;
use balcao_domain::hours::Period;
use balcao_domain::{ContactId, FailureClass, OrganizationId};
use balcao_store::turns::ledger::EffectKey;
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::context::app_context::UseCaseError;
use crate::context::calendar_service::RemoteCalendarError;
use crate::scheduling::booking::{BookRequest, BookingRefusal, PlanNotice, RescheduleRequest};
use crate::scheduling::catalog::Offer;

pub use builtin::BuiltIn;
pub use settle::{book, cancel, reschedule};
pub use visit::{NoParts, Visit, VisitPart, VisitParts};

/// The contact for whom a call acts. The runtime binds it, and no argument of a tool can name another contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// The business.
    pub organization: OrganizationId,
    /// The contact.
    pub contact: ContactId,
}

/// What a calendar calls an entry: a row's number, or a name of a service outside.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryId(String);

impl EntryId {
    /// The id of that text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// As the calendar writes it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Which state of an entry was seen (an `ETag`): another one after every change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Version(String);

impl Version {
    /// The version of that text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// An appointment of a contact, as a calendar keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// What the calendar calls it.
    pub id: EntryId,
    /// The state that was seen.
    pub version: Version,
    /// What it says.
    pub visit: Visit,
}

/// Where an answer comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The calendar itself.
    Live,
    /// Our copy of it, because it did not answer: it was so at that instant.
    Mirror {
        /// When the copy was made.
        as_of: Timestamp,
    },
}

/// What was read, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading<T> {
    /// What was read.
    pub value: T,
    /// Where.
    pub source: Source,
}

impl<T> Reading<T> {
    /// Read from the calendar itself.
    pub const fn live(value: T) -> Self {
        Self { value, source: Source::Live }
    }
}

/// Which days are asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BusyQuery {
    /// The first local date.
    pub from: Date,
    /// The last local date, included.
    pub to: Date,
    /// Whose agenda, by name; everybody's who can be booked, if absent.
    pub professional: Option<String>,
}

/// The working hours and the busy times of professionals on one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BusyDay {
    /// The local date.
    pub date: Date,
    /// When one of those asked about works; nothing means closed, or everybody away.
    pub open: Vec<Period>,
    /// Of that, when none of them is free: booked, or earlier than can be booked now.
    pub busy: Vec<Period>,
    /// When a visit of the usual length could begin, `HH:MM`, in order.
    pub free: Vec<String>,
    /// The same for each service that not everybody asked about offers, by its name: with those who do, and in its own length.
    pub free_for: Vec<(String, Vec<String>)>,
    /// Whether the business itself is closed all day, for every professional.
    pub closed: bool,
    /// Why the day is not like its weekday.
    pub note: Option<String>,
}

/// An act that was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// The entry that it left: booked, moved to its new time, or cancelled.
    pub entry: Entry,
    /// Of a move, what it was before.
    pub before: Option<Visit>,
    /// Whether it was so already, so that nothing was done.
    pub already: bool,
    /// Whether a name was a near spelling only: the answer should say what was understood.
    pub near_name: bool,
    /// Why a plan of the owner does not pay for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_notice: Option<PlanNotice>,
}

/// What an act is: a lost answer is looked up by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// [`Calendar::book`].
    Book,
    /// [`Calendar::cancel`].
    Cancel,
    /// [`Calendar::reschedule`].
    Reschedule,
}

/// A correct "no": nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// A rule of booking.
    Rule(BookingRefusal),
    /// The owner has no such entry. An entry of another contact gives this refusal, too.
    NotFound {
        /// Those that they have.
        upcoming: Vec<Entry>,
    },
    /// It was changed since it was seen.
    Changed {
        /// As it is now.
        now: Box<Entry>,
    },
}

/// What broke.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CalendarError {
    /// It does not answer, and nothing was done.
    #[error("the calendar `{calendar}` does not answer: {reason}")]
    Unavailable {
        /// Which.
        calendar: &'static str,
        /// For staff.
        reason: String,
    },
    /// The answer was lost: it may have been done. It is looked up before anything is tried again.
    #[error("the calendar `{calendar}` did not say what came of it: {reason}")]
    Unknown {
        /// Which.
        calendar: &'static str,
        /// For staff.
        reason: String,
    },
    /// The calendar rejects our credentials, so a staff member has to connect it again. Nothing was done.
    #[error("the calendar `{calendar}` has to be connected again: {reason}")]
    Disconnected {
        /// Which.
        calendar: &'static str,
        /// For staff.
        reason: String,
    },
    /// Our own tables.
    #[error(transparent)]
    UseCase(UseCaseError),
}

impl From<UseCaseError> for CalendarError {
    fn from(error: UseCaseError) -> Self {
        match error {
            UseCaseError::RemoteCalendar(RemoteCalendarError::Unavailable { calendar, reason }) => {
                Self::Unavailable { calendar, reason }
            }
            UseCaseError::RemoteCalendar(RemoteCalendarError::Disconnected { calendar, reason }) => {
                Self::Disconnected { calendar, reason }
            }
            error @ (UseCaseError::Store(_)
            | UseCaseError::Zone { .. }
            | UseCaseError::Outbound(_)
            | UseCaseError::NoContact { .. }) => Self::UseCase(error),
        }
    }
}

impl CalendarError {
    /// Whether it may be done all the same.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        match self {
            Self::Unknown { .. } => true,
            Self::UseCase(error) => error.is_unknown(),
            Self::Unavailable { .. } | Self::Disconnected { .. } => false,
        }
    }

    /// How it is to be treated.
    #[must_use]
    pub fn class(&self) -> FailureClass {
        match self {
            Self::Unavailable { .. } | Self::Unknown { .. } => FailureClass::Transient,
            Self::Disconnected { .. } => FailureClass::Fault,
            Self::UseCase(error) => error.class(),
        }
    }
}

/// How a calendar is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    /// It answers.
    Well,
    /// It does not; reads are answered from a copy of that instant, writes fail.
    Mirrored {
        /// When the copy was made.
        as_of: Timestamp,
    },
    /// The calendar does not answer, and no copy exists.
    Down {
        /// For staff.
        reason: String,
    },
}

/// What a read gives.
pub type Read<T> = Result<Reading<T>, CalendarError>;

/// What an act gives.
pub type Outcome = Result<Result<Done, Refusal>, CalendarError>;

/// A back end that keeps an agenda. It acts for its owner only, and once per key.
#[async_trait]
pub trait Calendar: std::fmt::Debug + Send + Sync {
    /// Its name, for staff.
    fn name(&self) -> &'static str;

    /// The services and the professionals of a business.
    ///
    /// # Errors
    /// [`CalendarError`] if neither it nor a mirror answers; so in every read below.
    async fn offer(&self, organization: OrganizationId) -> Read<Offer>;

    /// Lists when professionals work on each of the days, and when none of them is free. Time that is kept for the owner is free to the
    /// owner. Days before today are left out.
    async fn busy(&self, owner: Owner, query: BusyQuery) -> Read<Result<Vec<BusyDay>, BookingRefusal>>;

    /// The owner's open entries that start on the days `from` to `to`, both included, and are not over, in order.
    async fn list(&self, owner: Owner, from: Date, to: Date) -> Read<Vec<Entry>>;

    /// The owner's entry of that id, whatever its state; another contact's is none.
    async fn find(&self, owner: Owner, id: &EntryId) -> Read<Option<Entry>>;

    /// What [`Self::book`] would do now. Nothing changes.
    async fn would_book(&self, owner: Owner, request: BookRequest) -> Outcome;

    /// What [`Self::cancel`] would do now. Nothing changes.
    async fn would_cancel(&self, owner: Owner, id: &EntryId) -> Outcome;

    /// What [`Self::reschedule`] would do now. Nothing changes.
    async fn would_reschedule(&self, owner: Owner, id: &EntryId, request: RescheduleRequest) -> Outcome;

    /// Books for the owner.
    ///
    /// # Errors
    /// [`CalendarError::Unknown`] if the answer was lost, else an error after which nothing was done; so in every act below.
    async fn book(&self, owner: Owner, key: EffectKey, request: BookRequest) -> Outcome;

    /// Cancels the owner's entry, if it still is as it was seen.
    async fn cancel(&self, owner: Owner, key: EffectKey, id: &EntryId, seen: &Version) -> Outcome;

    /// Moves the owner's entry in one act, if it still is as it was seen. The old time is given up only if the new one is had. The
    /// request's own `appointment` is not looked at.
    async fn reschedule(
        &self,
        owner: Owner,
        key: EffectKey,
        id: &EntryId,
        seen: &Version,
        request: RescheduleRequest,
    ) -> Outcome;

    /// What came of an act whose answer was lost; `None` if it was not done.
    ///
    /// # Errors
    /// [`CalendarError`] if the calendar cannot give the outcome now.
    async fn came_of(
        &self,
        owner: Owner,
        key: &EffectKey,
        act: Act,
    ) -> Result<Option<Result<Done, Refusal>>, CalendarError>;

    /// How it is now.
    async fn health(&self, organization: OrganizationId) -> Health;
}

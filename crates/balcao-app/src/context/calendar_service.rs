//! The calendar service outside, as the program needs it: a seam. `balcao-google` implements it over Google Calendar.
//!
//! Our own tables decide who has a slot; the service shows it to people and tells what people did there. So the seam knows
//! events and their versions, and no rule of booking.

use std::collections::BTreeMap;

use async_trait::async_trait;
use balcao_domain::outside_event::{EventMark, OutsideEvent};
use balcao_domain::{OrganizationId, Span};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// A calendar's id, as the service writes it: an address such as `abc@group.calendar.example`.
pub type CalendarId = String;

/// An event's id, at most 1024 letters `a` to `v` and digits.
pub type EventId = String;

/// A calendar that the connected account sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarSummary {
    /// Its id.
    pub id: CalendarId,
    /// Its name, for people.
    pub name: String,
    /// Its IANA time zone.
    pub zone: String,
    /// Whether the account may write events into it.
    pub is_writable: bool,
    /// Who owns its data, where the service says so.
    pub data_owner: Option<String>,
}

/// An event that the program writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventDraft {
    /// The calendar.
    pub calendar: CalendarId,
    /// The id, chosen by us: a second insert with it is a duplicate and no second event.
    pub id: EventId,
    /// What people read. With a customer's name only if the business says so, and never with other data of theirs.
    pub title: String,
    /// More for people; empty if nothing.
    pub description: String,
    /// When.
    pub span: Span,
    /// The zone in which people read it.
    pub zone: TimeZone,
    /// Whose it is, in properties that only this program reads.
    pub mark: EventMark,
}

/// Where a listing of changes goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeCursor {
    /// From nothing: every event that ends after this instant.
    Everything {
        /// The instant.
        since: Timestamp,
    },
    /// What changed since the listing that gave this token.
    Since(String),
}

/// An event that cannot be read. It is put aside, and the others go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableEvent {
    /// Its id, if that could be read.
    pub id: Option<EventId>,
    /// What is wrong, for staff.
    pub reason: String,
}

/// A page of changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangePage {
    /// The events, in the order of the service. A page may be empty and have a successor.
    pub events: Vec<Result<OutsideEvent, UnreadableEvent>>,
    /// What follows.
    pub next: NextPage,
}

/// What follows a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextPage {
    /// Another page, under the same cursor.
    Page(String),
    /// Nothing; the next listing goes on from this token.
    Done(String),
}

/// A channel on which the service says that a calendar changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushChannel {
    /// Our id of it.
    pub id: String,
    /// The service's id of what is watched.
    pub resource: String,
    /// When it ends by itself.
    pub ends_at: Timestamp,
}

/// A channel that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushRequest {
    /// Our id of it: new for every channel.
    pub id: String,
    /// The public HTTPS address that is called.
    pub address: String,
    /// What the call must bring with it, at most 256 characters.
    pub token: String,
}

/// Why the service rejects our credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisconnectCause {
    /// The grant is dead: a person or an administrator revoked it, or the account has too many grants.
    DeadGrant,
    /// The grant is dead and older than seven days: as above, or unused for six months, or the consent screen is in testing, where
    /// every grant dies at that age.
    OldGrant,
    /// The key of the service account is refused, or the clock of this machine is wrong.
    RefusedKey,
    /// The grant lacks a right that is needed.
    MissingScope,
    /// The API is not enabled for the project.
    ApiDisabled,
    /// The business has no grant yet.
    NotConnected,
}

/// What the service answered instead of doing it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServiceError {
    /// It does not answer, or is over a limit: nothing was done. It may be tried again after that many milliseconds, if it said so.
    #[error("the calendar service does not answer: {reason}")]
    Unavailable {
        /// For staff.
        reason: String,
        /// When to try again, in milliseconds from now.
        retry_after_ms: Option<u64>,
    },
    /// The answer was lost: it may have been done.
    #[error("the calendar service did not say what came of it: {reason}")]
    Unknown {
        /// For staff.
        reason: String,
    },
    /// It rejects our credentials until a person connects it again. Nothing was done.
    #[error("the calendar service has to be connected again: {reason}")]
    Disconnected {
        /// The cause, as far as the service says it.
        cause: DisconnectCause,
        /// For staff.
        reason: String,
    },
    /// The calendar or the event does not exist, or the account does not see it.
    #[error("the calendar service has no such calendar or event: {what}")]
    NotFound {
        /// Which.
        what: String,
    },
    /// An event of that id is or was there.
    #[error("the calendar service has an event of that id already")]
    Duplicate,
    /// The event is not as it was seen.
    #[error("the event was changed meanwhile")]
    Changed,
    /// The event is deleted.
    #[error("the event is deleted")]
    Deleted,
    /// The event is there, and what the service says of it cannot be read.
    #[error("the event cannot be read: {reason}")]
    Unreadable {
        /// What is wrong, for staff.
        reason: String,
    },
    /// The answer has more entries than a call reads; a shorter span has fewer.
    #[error("the calendar service lists {what}")]
    TooMany {
        /// More of what than how many.
        what: String,
    },
    /// The service forgot the token of a listing: everything has to be read again.
    #[error("the calendar service forgot the token of the listing")]
    TokenGone,
    /// The request is refused as wrong: a fault of ours, or a right that the account lacks on this calendar.
    #[error("the calendar service refuses the request: {reason}")]
    Refused {
        /// For staff.
        reason: String,
    },
}

impl ServiceError {
    /// When the service wants to be asked again, in milliseconds from now, if it said so.
    #[must_use]
    pub const fn retry_after_ms(&self) -> Option<u64> {
        if let Self::Unavailable { retry_after_ms, .. } = self { *retry_after_ms } else { None }
    }
}

/// Why an act that needs the calendar service was not done. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RemoteCalendarError {
    /// The service does not answer.
    #[error("the calendar `{calendar}` does not answer: {reason}")]
    Unavailable {
        /// Which service.
        calendar: &'static str,
        /// For staff.
        reason: String,
    },
    /// The service rejects our credentials or a calendar, so a staff member has to connect it again.
    #[error("the calendar `{calendar}` has to be connected again: {reason}")]
    Disconnected {
        /// Which service.
        calendar: &'static str,
        /// For staff.
        reason: String,
    },
}

impl RemoteCalendarError {
    /// The error of an act after a service failed.
    #[must_use]
    pub fn of_service(calendar: &'static str, error: &ServiceError) -> Self {
        let reason = error.to_string();
        match error {
            ServiceError::Disconnected { .. } | ServiceError::NotFound { .. } | ServiceError::Refused { .. } => {
                Self::Disconnected { calendar, reason }
            }
            ServiceError::Unavailable { .. }
            | ServiceError::Unknown { .. }
            | ServiceError::Duplicate
            | ServiceError::Changed
            | ServiceError::Deleted
            | ServiceError::TokenGone
            | ServiceError::TooMany { .. }
            | ServiceError::Unreadable { .. } => Self::Unavailable { calendar, reason },
        }
    }
}

/// A calendar service. Every call is bounded in time; it tries again by itself at most once, and never a write whose answer was lost.
#[async_trait]
pub trait CalendarService: std::fmt::Debug + Send + Sync {
    /// Its name, for staff: `google`.
    fn name(&self) -> &'static str;

    /// The calendars that the account of a business sees.
    ///
    /// # Errors
    /// [`ServiceError`]; so in every call below.
    async fn calendars(&self, organization: OrganizationId) -> Result<Vec<CalendarSummary>, ServiceError>;

    /// The busy times of calendars, now. A calendar of which the service does not know them has the reason instead, and is not free.
    async fn busy(
        &self,
        organization: OrganizationId,
        calendars: &[CalendarId],
        span: Span,
    ) -> Result<BTreeMap<CalendarId, Result<Vec<Span>, String>>, ServiceError>;

    /// Writes a new event. [`ServiceError::Duplicate`] if the id is or was in use.
    async fn insert(&self, organization: OrganizationId, draft: &EventDraft) -> Result<OutsideEvent, ServiceError>;

    /// An event as it is; deleted ones may be given as cancelled, or as none.
    async fn find(
        &self,
        organization: OrganizationId,
        calendar: &str,
        event: &str,
    ) -> Result<Option<OutsideEvent>, ServiceError>;

    /// Makes an event as the draft says, if its version is still `version`; [`ServiceError::Changed`] if not.
    async fn change(
        &self,
        organization: OrganizationId,
        draft: &EventDraft,
        version: &str,
    ) -> Result<OutsideEvent, ServiceError>;

    /// Deletes an event, if its version is still `version`. [`ServiceError::Deleted`] if it is deleted already.
    async fn delete(
        &self,
        organization: OrganizationId,
        calendar: &str,
        event: &str,
        version: Option<&str>,
    ) -> Result<(), ServiceError>;

    /// Moves an event into another calendar.
    async fn transfer(
        &self,
        organization: OrganizationId,
        event: &str,
        from: &str,
        to: &str,
    ) -> Result<OutsideEvent, ServiceError>;

    /// The events that touch a span, singly, deleted ones left out.
    async fn overlapping(
        &self,
        organization: OrganizationId,
        calendar: &str,
        span: Span,
    ) -> Result<Vec<OutsideEvent>, ServiceError>;

    /// One page of changes. [`ServiceError::TokenGone`] if all has to be read again.
    async fn changes(
        &self,
        organization: OrganizationId,
        calendar: &str,
        cursor: &ChangeCursor,
        page: Option<&str>,
    ) -> Result<ChangePage, ServiceError>;

    /// Opens a push channel.
    async fn watch(
        &self,
        organization: OrganizationId,
        calendar: &str,
        request: &PushRequest,
    ) -> Result<PushChannel, ServiceError>;

    /// Ends a push channel. A channel that ended already counts as ended.
    async fn stop(&self, organization: OrganizationId, channel: &PushChannel) -> Result<(), ServiceError>;
}

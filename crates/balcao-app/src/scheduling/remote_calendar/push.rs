//! Makes the event of an appointment as the appointment is: one use case for the booking itself, for the worker that tries again, and for
//! the nightly comparison.
//!
//! The claim of the row is durable before the first call and counts as a crash until the push ends. A crash at any step leaves a row that
//! the next call finishes, because each step begins with what the service has. A lost answer is looked up by the id before anything is
//! tried again. Until the push has recorded its end, a reading takes what it wrote for no edit ([`is_own_write`]).
//!
//! [`is_own_write`]: balcao_domain::calendar_push::is_own_write

use std::collections::BTreeSet;
use std::sync::Arc;

use balcao_domain::calendar_push::{
    ChangedEvent, FoundEvent, MAX_CRASHES, PushStep, WantedEvent, judge_changed, next_step, read_found, retry_delay_s,
};
use balcao_domain::outside_event::{
    ConflictKind, EventMark, EventOwner, EventState, EventTime, OutsideEvent, ShownEvent,
};
use balcao_domain::{AppointmentId, OrganizationId, Span};
use balcao_store::Tx;
use balcao_store::scheduling::appointment;
use balcao_store::scheduling::calendar_conflict::{self, FoundConflict};
use balcao_store::scheduling::calendar_event::{self, CalendarEvent, FailedPush, KnownEvent};
use balcao_store::scheduling::{calendar_link, calendar_mirror};
use jiff::{SignedDuration, Timestamp};

use super::conflict_reports;
use super::occupancy::time_beside_visit;
use super::wanted::{Wanted, read_wanted};
use crate::context::app_context::{AppContext, UseCaseError};
use crate::context::calendar_service::{CalendarService, EventDraft, ServiceError};

/// How long a push may hold a row: longer than its calls may take together.
const CLAIM: SignedDuration = SignedDuration::from_secs(60);
/// How long a request whose answer is missing may still arrive.
const LATE: SignedDuration = SignedDuration::from_hours(24);
/// How long a push looks for an event in other calendars. The last call may take longer than that, but not longer than the claim.
const SEARCH: SignedDuration = SignedDuration::from_secs(20);
/// Open conflicts of one event that a push reads.
const MOST_CONFLICTS: u32 = 10;
/// The number in the mark of an event that staff want back as it was: it names no appointment, so a push writes the whole event.
pub(crate) const TO_BE_RESTORED: i64 = 0;
/// Calls of one push. Each either comes nearer to what is wanted or ends the push.
const MAX_STEPS: u32 = 8;

/// What came of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pushed {
    /// The event is as it should be.
    Current(ShownEvent),
    /// The event does not exist, as it should be.
    Absent,
    /// Another push holds the appointment.
    Held,
    /// A person changed the event meanwhile; staff decide.
    Conflict(ConflictKind),
    /// The service failed, and certainly nothing was done.
    Failed(ServiceError),
    /// An answer was lost, and the event could not be looked up.
    Unknown(ServiceError),
}

/// An appointment whose event this push holds.
struct Push<'a> {
    app: &'a AppContext,
    service: &'a Arc<dyn CalendarService>,
    organization: OrganizationId,
    row: CalendarEvent,
    known: Option<ShownEvent>,
    wanted: Wanted,
    /// Whether an insert under the present id may have arrived.
    may_be_there: bool,
    /// Whether a call whose answer is lost may have done something.
    is_unknown: bool,
    /// Whether the event is written also if it is as it should be.
    must_write: bool,
}

/// How a push ended before the event was as it should be.
enum Stop {
    Service(ServiceError),
    Conflict(ConflictKind, Option<Box<OutsideEvent>>),
    /// Another push has the row by now.
    Lost,
    UseCase(UseCaseError),
}

impl From<UseCaseError> for Stop {
    fn from(error: UseCaseError) -> Self {
        Self::UseCase(error)
    }
}

/// Makes the event of an appointment as the appointment is.
///
/// # Errors
/// [`UseCaseError`] if the database failed. A failure of the service is an outcome: the push is tried again later.
pub async fn push_event(
    app: &AppContext,
    service: &Arc<dyn CalendarService>,
    organization: OrganizationId,
    id: AppointmentId,
) -> Result<Pushed, UseCaseError> {
    let now = app.clock.now();
    let until = now.checked_add(CLAIM).unwrap_or(now);
    let claim = move |tx: &mut Tx<'_>| {
        let wanted = read_wanted(tx, organization, id)?;
        let claimed = calendar_event::claim(tx, organization, id, now, until)?;
        Ok::<_, UseCaseError>((claimed, calendar_event::find(tx, organization, id)?, wanted))
    };
    let (claimed, found, wanted) = app.store.write(claim).await?;
    let Some(row) = claimed else {
        return Ok(match found {
            Some(row) if row.wanted > row.pushed && row.crashes < MAX_CRASHES => Pushed::Held,
            // The last call may have done something.
            Some(row) if row.wanted > row.pushed => Pushed::Unknown(ServiceError::Unknown {
                reason: "the program crashed each time while it wrote this event".to_owned(),
            }),
            Some(row) => row.known.map_or(Pushed::Absent, |known| Pushed::Current(shown(&wanted.owner, known))),
            None => Pushed::Absent,
        });
    };
    let known = row.known.clone().map(|known| shown(&wanted.owner, known));
    let (may_be_there, must_write) = (row.begun > 1, row.must_write);
    let push =
        Push { app, service, organization, row, known, wanted, may_be_there, is_unknown: may_be_there, must_write };
    push.run().await
}

/// The event of a row, as the rules know it.
pub(super) fn shown(owner: &EventOwner, known: KnownEvent) -> ShownEvent {
    let mark = EventMark { owner: owner.clone(), appointment: known.marked };
    ShownEvent { calendar: known.calendar, id: known.event, version: known.version, span: known.span, mark }
}

/// The calendar into which a request that may still arrive brings the event.
pub(super) fn sent_to(row: &CalendarEvent, now: Timestamp) -> Option<&str> {
    let (calendar, at) = row.sent.as_ref()?;
    (now.duration_since(*at) < LATE).then_some(calendar)
}

/// The numbers that an appointment had before it was moved, each with its time.
pub(super) fn list_earlier(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    appointment: AppointmentId,
) -> Result<Vec<(i64, Span)>, UseCaseError> {
    let earlier = appointment::list_moved_into(tx, organization, appointment)?;
    Ok(earlier.into_iter().map(|(one, span)| (one.into(), span)).collect())
}

/// The event of a row, as it is stored.
pub(super) fn known(shown: &ShownEvent) -> KnownEvent {
    KnownEvent {
        calendar: shown.calendar.clone(),
        event: shown.id.clone(),
        version: shown.version.clone(),
        span: shown.span,
        marked: shown.mark.appointment,
    }
}

impl Push<'_> {
    async fn run(mut self) -> Result<Pushed, UseCaseError> {
        for _step in 0..MAX_STEPS {
            let mut step = next_step(self.wanted.event.as_ref(), self.known.as_ref(), self.may_be_there);
            if step == PushStep::Done && self.must_write && self.known.is_some() {
                step = PushStep::Change;
            }
            let ended = match step {
                PushStep::Done => return self.record().await,
                PushStep::LookUp => self.look_up(true).await,
                PushStep::Insert => self.insert().await,
                PushStep::Transfer => self.transfer().await,
                PushStep::Change => self.change().await,
                PushStep::Delete => self.delete().await,
            };
            match ended {
                Ok(()) => {}
                Err(Stop::Lost) => return Ok(Pushed::Held),
                Err(Stop::UseCase(error)) => return Err(error),
                Err(Stop::Conflict(kind, event)) => return self.record_conflict(kind, event).await,
                Err(Stop::Service(error)) => return self.record_failure(error).await,
            }
        }
        self.record_failure(ServiceError::Changed).await
    }

    /// The id of the event: what it is known by, else the next one.
    fn event_id(&self) -> String {
        self.known.as_ref().map_or_else(|| format!("{}n{}", self.row.seed, self.row.attempt), |known| known.id.clone())
    }

    fn draft(&self, wanted: &WantedEvent) -> EventDraft {
        EventDraft {
            calendar: wanted.calendar.clone(),
            id: self.event_id(),
            title: self.wanted.title.clone(),
            description: String::new(),
            span: wanted.span,
            zone: self.wanted.zone.clone(),
            mark: wanted.mark.clone(),
        }
    }

    /// The calendar in which an insert under the present id would be.
    fn calendar(&self) -> Option<String> {
        self.known
            .as_ref()
            .map(|known| known.calendar.clone())
            .or_else(|| self.wanted.event.as_ref().map(|wanted| wanted.calendar.clone()))
    }

    async fn find(&self, calendar: &str) -> Result<Option<OutsideEvent>, Stop> {
        match self.service.find(self.organization, calendar, &self.event_id()).await {
            // The id is one of ours.
            Ok(found) => Ok(found.map(|event| event.signed_by(&self.wanted.owner))),
            Err(ServiceError::NotFound { .. } | ServiceError::Deleted) => Ok(None),
            Err(error) => Err(Stop::Service(error)),
        }
    }

    /// Looks for an event that an earlier insert made. If none may have arrived, another event had the id before.
    async fn look_up(&mut self, may_have_arrived: bool) -> Result<(), Stop> {
        let calendars = match self.calendar() {
            Some(calendar) => vec![calendar],
            // The professional has no calendar any more: the insert went into one of those that are linked.
            None => self.linked_calendars().await?,
        };
        self.may_be_there = false;
        for calendar in calendars {
            let found = self.find(&calendar).await?;
            match read_found(found.as_ref(), &self.wanted.owner) {
                FoundEvent::Absent => {}
                FoundEvent::Used | FoundEvent::Foreign if !may_have_arrived => self.begin_anew().await?,
                FoundEvent::Used | FoundEvent::Foreign | FoundEvent::Ours(_) => {
                    self.is_unknown = false;
                    self.take_inserted(found, calendar).await?;
                }
            }
        }
        self.is_unknown = false;
        Ok(())
    }

    /// Takes an event that an insert without an answer made, unless a person changed it since.
    async fn take_inserted(&mut self, found: Option<OutsideEvent>, calendar: String) -> Result<(), Stop> {
        let Some(event) = &found else { return Ok(()) };
        let number = i64::from(self.row.appointment);
        let mark = EventMark { owner: self.wanted.owner.clone(), appointment: number };
        let span = self.wanted.event.as_ref().map(|wanted| wanted.span);
        let span = span.or_else(|| event.time.and_then(|time| time.span(&self.wanted.zone)));
        let Some(span) = span else { return self.begin_anew().await };
        let inserted = ShownEvent { calendar, id: event.id.clone(), version: event.version.clone(), span, mark };
        // What staff decide about is this event.
        self.known = Some(inserted.clone());
        self.take(found, &inserted).await
    }

    async fn linked_calendars(&self) -> Result<Vec<String>, UseCaseError> {
        let organization = self.organization;
        let list = self.app.look(move |tx, _now| Ok(calendar_link::list_calendars(tx, organization)?)).await?;
        Ok(list.into_iter().map(|one| one.calendar).collect())
    }

    async fn insert(&mut self) -> Result<(), Stop> {
        let Some(wanted) = self.wanted.event.clone() else { return Ok(()) };
        let draft = self.draft(&wanted);
        match self.service.insert(self.organization, &draft).await {
            Ok(event) => {
                self.adopt(event, &wanted);
                Ok(())
            }
            Err(error @ (ServiceError::Duplicate | ServiceError::Unknown { .. })) => {
                self.is_unknown = true;
                self.may_be_there = true;
                self.look_up(matches!(error, ServiceError::Unknown { .. })).await?;
                // The insert did not arrive, or arrives later under the same id: the next attempt finds it.
                if self.known.is_none() && draft.id == self.event_id() {
                    self.is_unknown = true;
                    let reason = "the event was not there after its answer was lost".to_owned();
                    return Err(Stop::Service(ServiceError::Unknown { reason }));
                }
                Ok(())
            }
            Err(error) => Err(Stop::Service(error)),
        }
    }

    async fn change(&mut self) -> Result<(), Stop> {
        let (Some(wanted), Some(known)) = (self.wanted.event.clone(), self.known.clone()) else { return Ok(()) };
        let changed = self.service.change(self.organization, &self.draft(&wanted), &known.version).await;
        match changed {
            Ok(event) => {
                self.adopt(event, &wanted);
                Ok(())
            }
            Err(error) => self.look_again(error, &known).await,
        }
    }

    async fn transfer(&mut self) -> Result<(), Stop> {
        let (Some(wanted), Some(known)) = (self.wanted.event.clone(), self.known.clone()) else { return Ok(()) };
        let earlier = self.row.sent.clone();
        self.note_sent(&wanted.calendar).await?;
        let answer = self.service.transfer(self.organization, &known.id, &known.calendar, &wanted.calendar).await;
        if !matches!(answer, Err(ServiceError::Unknown { .. })) {
            self.row.sent = earlier;
        }
        match answer {
            Ok(event) => self.take_transferred(Some(event), &wanted.calendar, known).await,
            // An earlier transfer may have arrived without its answer.
            Err(error @ (ServiceError::NotFound { .. } | ServiceError::Deleted | ServiceError::Unknown { .. })) => {
                let found = self.find(&wanted.calendar).await?;
                match read_found(found.as_ref(), &self.wanted.owner) {
                    FoundEvent::Ours(_) => self.take_transferred(found, &wanted.calendar, known).await,
                    FoundEvent::Absent | FoundEvent::Used | FoundEvent::Foreign => self.look_again(error, &known).await,
                }
            }
            Err(error) => Err(Stop::Service(error)),
        }
    }

    /// Notes into which calendar the event is sent, unless a request to yet another one may still arrive.
    async fn note_sent(&mut self, calendar: &str) -> Result<(), Stop> {
        let now = self.app.clock.now();
        if sent_to(&self.row, now).is_some_and(|sent_to| sent_to != calendar) {
            return Ok(());
        }
        let (organization, claimed, to) = (self.organization, self.row.clone(), calendar.to_owned());
        let note = move |tx: &mut Tx<'_>| calendar_event::note_sent(tx, organization, &claimed, &to, now);
        let held: Result<bool, balcao_store::StoreError> = self.app.store.write(note).await;
        if !held.map_err(|error| Stop::UseCase(UseCaseError::Store(error)))? {
            return Err(Stop::Lost);
        }
        self.row.sent = Some((calendar.to_owned(), now));
        Ok(())
    }

    /// Takes an event as it is in its new calendar. A transfer holds for every version, so a person may have changed the event before.
    async fn take_transferred(
        &mut self,
        found: Option<OutsideEvent>,
        calendar: &str,
        known: ShownEvent,
    ) -> Result<(), Stop> {
        let transferred = ShownEvent { calendar: calendar.to_owned(), ..known };
        if let Some(event) = &found
            && transferred.mark.appointment == TO_BE_RESTORED
        {
            // Staff decided what becomes of all that was done to it; the change that follows writes the whole event.
            self.known = Some(ShownEvent { version: event.version.clone(), ..transferred });
            return Ok(());
        }
        self.known = Some(transferred.clone());
        self.take(found.map(|event| event.signed_by(&self.wanted.owner)), &transferred).await
    }

    async fn delete(&mut self) -> Result<(), Stop> {
        let Some(known) = self.known.clone() else { return Ok(()) };
        match self.service.delete(self.organization, &known.calendar, &known.id, Some(&known.version)).await {
            Ok(()) => {
                self.known = None;
                Ok(())
            }
            // Also after "not found", because a calendar that is out of reach for a moment says so, too.
            Err(error) => self.look_again(error, &known).await,
        }
    }

    /// Reads an event again after a change by a person or a lost answer.
    async fn look_again(&mut self, error: ServiceError, known: &ShownEvent) -> Result<(), Stop> {
        match &error {
            ServiceError::Changed
            | ServiceError::Deleted
            | ServiceError::NotFound { .. }
            | ServiceError::Unknown { .. } => {}
            ServiceError::Unavailable { .. }
            | ServiceError::Disconnected { .. }
            | ServiceError::Duplicate
            | ServiceError::TokenGone
            | ServiceError::TooMany { .. }
            | ServiceError::Unreadable { .. }
            | ServiceError::Refused { .. } => return Err(Stop::Service(error)),
        }
        self.is_unknown |= matches!(error, ServiceError::Unknown { .. });
        let found = self.find(&known.calendar).await?;
        let is_gone = found.as_ref().is_none_or(|event| event.state == EventState::Cancelled);
        if is_gone && let Some((elsewhere, there)) = self.find_elsewhere(&known.calendar).await? {
            self.is_unknown = false;
            return self.take_transferred(Some(there), &elsewhere, known.clone()).await;
        }
        // A calendar that is out of reach for a moment says "not found", too: the next attempt asks again.
        if found.is_none() && matches!(error, ServiceError::Unknown { .. }) {
            return Err(Stop::Service(error));
        }
        self.is_unknown = false;
        self.take(found, known).await
    }

    /// The event in a calendar besides its own, if it is in one. A calendar that does not answer keeps none of the others from being asked.
    async fn find_elsewhere(&self, own: &str) -> Result<Option<(String, OutsideEvent)>, Stop> {
        let begun = self.app.clock.now();
        let mut unasked = None;
        for calendar in self.list_elsewhere(own).await? {
            if self.app.clock.now().duration_since(begun) > SEARCH {
                let reason = "not all calendars were asked in time".to_owned();
                unasked.get_or_insert(ServiceError::Unavailable { reason, retry_after_ms: None });
                break;
            }
            let there = match self.find(&calendar).await {
                Ok(there) => there,
                // In a calendar that cannot be read no event can be deleted.
                Err(Stop::Service(ServiceError::Refused { .. })) => None,
                Err(Stop::Service(error)) => {
                    unasked.get_or_insert(error);
                    None
                }
                Err(stop) => return Err(stop),
            };
            let is_there = match read_found(there.as_ref(), &self.wanted.owner) {
                FoundEvent::Ours(_) => true,
                // The id is ours, so it is the event, whose mark a person removed.
                FoundEvent::Foreign => self.wanted.event.is_none(),
                FoundEvent::Absent | FoundEvent::Used => false,
            };
            if let Some(there) = there.filter(|_| is_there) {
                return Ok(Some((calendar, there)));
            }
        }
        unasked.map_or(Ok(None), |error| Err(Stop::Service(error)))
    }

    /// The calendars besides its own in which the event may be: where a request that came late brought it, and, if it is to go, where a
    /// person brought it, whether a reading has seen it there or not, and whether the calendar is still linked.
    async fn list_elsewhere(&self, own: &str) -> Result<Vec<String>, Stop> {
        let mut all: Vec<String> = sent_to(&self.row, self.app.clock.now()).map(str::to_owned).into_iter().collect();
        if self.wanted.event.is_none() {
            let (organization, event) = (self.organization, self.event_id());
            let list = move |tx: &mut Tx<'_>, _now| {
                Ok(calendar_conflict::list_open_of_event(tx, organization, &event, 0, MOST_CONFLICTS)?)
            };
            let open = self.app.look(list).await?.into_iter();
            all.extend(open.filter(|one| one.found.kind == ConflictKind::OtherCalendar).map(|one| one.found.calendar));
            all.extend(self.linked_calendars().await?);
        }
        let mut listed = BTreeSet::from([own.to_owned()]);
        all.retain(|calendar| listed.insert(calendar.clone()));
        Ok(all)
    }

    /// Takes an event as it is now, unless a person changed what the customer was promised.
    async fn take(&mut self, found: Option<OutsideEvent>, known: &ShownEvent) -> Result<(), Stop> {
        let earlier = self.list_earlier().await?;
        match judge_changed(found.as_ref(), self.wanted.event.as_ref(), known, &earlier) {
            ChangedEvent::GoOn(found) => {
                // A change that comes late holds for the version of before, so it changes nothing after another one.
                self.must_write &= found.version == known.version;
                self.known = Some(found);
                Ok(())
            }
            ChangedEvent::Gone => {
                self.known = None;
                Ok(())
            }
            ChangedEvent::Conflict(kind) => Err(Stop::Conflict(kind, found.map(Box::new))),
        }
    }

    /// The numbers that the appointment had before it was moved, each with its time.
    async fn list_earlier(&self) -> Result<Vec<(i64, Span)>, UseCaseError> {
        let (organization, appointment) = (self.organization, self.row.appointment);
        let list = move |tx: &mut Tx<'_>, _now| list_earlier(tx, organization, appointment);
        self.app.look(list).await
    }

    /// Keeps the event as the service says that it is now.
    fn adopt(&mut self, event: OutsideEvent, wanted: &WantedEvent) {
        self.known = Some(ShownEvent {
            calendar: wanted.calendar.clone(),
            id: event.id,
            version: event.version,
            span: wanted.span,
            mark: wanted.mark.clone(),
        });
        self.may_be_there = false;
        self.must_write = false;
    }

    /// Gives up an id that cannot be used again.
    async fn begin_anew(&mut self) -> Result<(), Stop> {
        let (organization, claimed) = (self.organization, self.row.clone());
        let begin = move |tx: &mut Tx<'_>| calendar_event::begin_anew(tx, organization, &claimed);
        let anew = self.app.store.write(begin).await.map_err(|error| Stop::UseCase(UseCaseError::Store(error)))?;
        self.row = anew.ok_or(Stop::Lost)?;
        self.known = None;
        Ok(())
    }

    /// Records that the event is as it should be.
    async fn record(self) -> Result<Pushed, UseCaseError> {
        let (organization, row, shown) = (self.organization, self.row, self.known);
        let stored = shown.clone();
        let record = move |tx: &mut Tx<'_>| match &stored {
            Some(shown) => calendar_event::record_shown(tx, organization, &row, &known(shown)),
            None => calendar_event::record_gone(tx, organization, &row),
        };
        let held: Result<bool, balcao_store::StoreError> = self.app.store.write(record).await;
        Ok(if held? { shown.map_or(Pushed::Absent, Pushed::Current) } else { Pushed::Held })
    }

    /// Hands an event that a person changed to staff. The push ends; what staff choose raises the event again.
    async fn record_conflict(
        self,
        kind: ConflictKind,
        event: Option<Box<OutsideEvent>>,
    ) -> Result<Pushed, UseCaseError> {
        let (organization, row, before, wanted) = (self.organization, self.row, self.known, self.wanted);
        let (now, accounts) = (self.app.clock.now(), Arc::clone(&self.app.notices));
        let record = move |tx: &mut Tx<'_>| {
            let Some(before) = before else { return Ok::<_, UseCaseError>(true) };
            let span = event.as_ref().and_then(|event| match event.time {
                Some(EventTime::Timed(span)) => Some(span),
                Some(EventTime::AllDay { .. }) | None => None,
            });
            let version = event.as_ref().map_or_else(|| before.version.clone(), |event| event.version.clone());
            let (calendar, event_id) = (before.calendar.clone(), before.id.clone());
            // A push whose answer was lost may have written another number than is known.
            let written = event.as_ref().and_then(|event| event.mark.clone());
            let written = written.filter(|mark| mark.owner == before.mark.owner && kind != ConflictKind::OwnerChanged);
            let mark = written.unwrap_or_else(|| before.mark.clone());
            let seen = ShownEvent { version: version.clone(), span: span.unwrap_or(before.span), mark, ..before };
            if !calendar_event::record_shown(tx, organization, &row, &known(&seen))? {
                return Ok(false);
            }
            let beside = event.as_ref().and_then(|event| time_beside_visit(event, wanted.event.as_ref(), &wanted.zone));
            if let Some(busy) = beside {
                calendar_mirror::put_found(tx, organization, &busy)?;
            }
            let open = calendar_conflict::list_open_of_event(tx, organization, &event_id, 0, MOST_CONFLICTS)?;
            // The event lies in another calendar, about which staff decide.
            let is_elsewhere =
                kind == ConflictKind::Deleted && open.iter().any(|one| one.found.kind == ConflictKind::OtherCalendar);
            if !is_elsewhere {
                let (appointment, event) = (row.appointment, event_id);
                let found = FoundConflict { appointment, kind, calendar, event, span, version, moved_from: None };
                let news = conflict_reports::record(tx, organization, &found, None, now)?;
                conflict_reports::alert(tx, organization, news.as_slice(), &accounts, now)?;
            }
            Ok(true)
        };
        let held = self.app.store.write(record).await?;
        Ok(if held { Pushed::Conflict(kind) } else { Pushed::Held })
    }

    async fn record_failure(self, error: ServiceError) -> Result<Pushed, UseCaseError> {
        let (organization, row, now) = (self.organization, self.row, self.app.clock.now());
        let is_unknown = self.is_unknown || matches!(error, ServiceError::Unknown { .. });
        let seed = u64::try_from(i64::from(row.appointment)).unwrap_or_default();
        let delay_s = retry_delay_s(u32::try_from(row.tries).unwrap_or(u32::MAX), seed, error.retry_after_ms());
        let delay = SignedDuration::from_secs(i64::try_from(delay_s).unwrap_or(3600));
        let due = now.checked_add(delay).unwrap_or(now);
        let reason = error.to_string();
        let sent_nothing = !is_unknown;
        let record = move |tx: &mut Tx<'_>| {
            let failed = FailedPush { failure: &reason, due, sent_nothing };
            calendar_event::record_failure(tx, organization, &row, failed)
        };
        let recorded: Result<bool, balcao_store::StoreError> = self.app.store.write(record).await;
        recorded?;
        Ok(if is_unknown { Pushed::Unknown(error) } else { Pushed::Failed(error) })
    }
}

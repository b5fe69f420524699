//! A calendar service in memory, with versions, tombstones, sync tokens, and what goes wrong with calls. Several programs may share it.
#![expect(clippy::unwrap_used, reason = "a fake of the tests")]

mod people;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard};

use async_trait::async_trait;
use balcao_app::context::calendar_service::{
    CalendarId, CalendarService, CalendarSummary, ChangeCursor, ChangePage, DisconnectCause, EventDraft, NextPage,
    PushChannel, PushRequest, ServiceError, UnreadableEvent,
};
use balcao_domain::outside_event::{EventMark, EventState, EventTime, OutsideEvent};
use balcao_domain::{OrganizationId, Span};
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use tokio::sync::Notify;

/// What is wrong with an event that no client can read.
const UNREADABLE: &str = "invalid `start`; expected a date or a time";

/// What goes wrong with the next call that writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallFault {
    /// It is done, and the answer is lost.
    AnswerLost,
    /// It never arrives, and the client cannot detect that.
    RequestLost,
    /// It arrives only after the next call.
    Late,
    /// The service says that it is over a limit, and does nothing.
    Busy,
}

/// A call that was lost on its way.
#[derive(Debug, Clone)]
enum LateCall {
    Insert(EventDraft),
    Change(EventDraft, String),
    Delete(String, String),
}

#[derive(Debug, Default)]
struct State {
    calendars: BTreeSet<String>,
    /// By calendar and id; tombstones stay.
    events: BTreeMap<(String, String), OutsideEvent>,
    /// Ids that cannot be read.
    unreadable: BTreeSet<(String, String)>,
    /// Ids that listings lack, although they can be found.
    unlisted: BTreeSet<(String, String)>,
    /// What changed, one after the other. A sync token is a place in it.
    log: Vec<(String, String)>,
    remembers_from: usize,
    faults: VecDeque<CallFault>,
    late: Vec<LateCall>,
    down: bool,
    blind: bool,
    shut_out: bool,
    /// Milliseconds that were counted up, so that each event is made at another instant.
    made: i64,
    versions: u64,
    page: usize,
    hides: bool,
    /// Appointments whose insert and calendars whose listing end the program.
    deadly: BTreeSet<String>,
    /// Calendars that it says nothing about.
    silent: BTreeSet<String>,
    channels: Vec<PushRequest>,
    calls: Vec<&'static str>,
}

/// The service.
#[derive(Debug)]
pub struct MemoryService {
    now: Timestamp,
    state: Mutex<State>,
    crash: Notify,
}

impl MemoryService {
    /// With these calendars, empty, at that instant; it lists changes in pages of 250.
    #[must_use]
    pub fn new(now: Timestamp, calendars: &[&str]) -> Self {
        let calendars = calendars.iter().map(|one| (*one).to_owned()).collect();
        Self { now, state: Mutex::new(State { calendars, page: 250, ..State::default() }), crash: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// The program ends at the insert of this appointment's event, or at the listing of this calendar, if `deadly`.
    pub fn set_deadly(&self, what: &str, deadly: bool) {
        let all = &mut self.state().deadly;
        if deadly {
            all.insert(what.to_owned())
        } else {
            all.remove(what)
        };
    }

    /// Waits until a call came at which the program ends. The call gets no answer: the caller is to be dropped.
    pub async fn crash(&self) {
        self.crash.notified().await;
    }

    async fn may_crash(&self, what: &str) {
        if self.state().deadly.contains(what) {
            self.crash.notify_one();
            std::future::pending::<()>().await;
        }
    }

    /// Makes the next calls that write go wrong, one after the other.
    pub fn suffer(&self, faults: impl IntoIterator<Item = CallFault>) {
        self.state().faults.extend(faults);
    }

    /// No call goes wrong any more.
    pub fn end_faults(&self) {
        self.state().faults.clear();
    }

    /// It does not answer, or answers again.
    pub fn set_down(&self, down: bool) {
        self.state().down = down;
    }

    /// The account does not see a calendar any more.
    pub fn remove_calendar(&self, calendar: &str) {
        self.state().calendars.remove(calendar);
    }

    /// It does not say what lies in a span, or says it again.
    pub fn set_blind(&self, blind: bool) {
        self.state().blind = blind;
    }

    /// It says nothing about a calendar, or says it again.
    pub fn set_silent(&self, calendar: &str, silent: bool) {
        let all = &mut self.state().silent;
        if silent {
            all.insert(calendar.to_owned())
        } else {
            all.remove(calendar)
        };
    }

    /// It refuses the client's credentials, or takes them again.
    pub fn set_shut_out(&self, shut_out: bool) {
        self.state().shut_out = shut_out;
    }

    /// Sets how many changes a page lists.
    pub fn set_page(&self, page: usize) {
        self.state().page = page;
    }

    /// Forgets every sync token.
    pub fn forget_tokens(&self) {
        let mut state = self.state();
        // A place of no event, so that the next token is another one than the last of these.
        state.log.push((String::new(), String::new()));
        state.remembers_from = state.log.len();
    }

    /// The calls since this was last asked.
    pub fn take_calls(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.state().calls)
    }

    /// Delivers the calls that are on their way.
    pub fn deliver_late(&self) {
        let late = std::mem::take(&mut self.state().late);
        for call in late {
            let _answer = match call {
                LateCall::Insert(draft) => self.do_insert(&draft).map(drop),
                LateCall::Change(draft, version) => self.do_change(&draft, &version).map(drop),
                LateCall::Delete(calendar, event) => self.do_delete(&calendar, &event, None),
            };
        }
    }

    /// The events of a calendar that are not deleted, in order of id.
    #[must_use]
    pub fn events(&self, calendar: &str) -> Vec<OutsideEvent> {
        self.list(calendar, |event| event.state != EventState::Cancelled)
    }

    /// The deleted events of a calendar, in order of id.
    #[must_use]
    pub fn deleted(&self, calendar: &str) -> Vec<OutsideEvent> {
        self.list(calendar, |event| event.state == EventState::Cancelled)
    }

    fn list(&self, calendar: &str, is_wanted: fn(&OutsideEvent) -> bool) -> Vec<OutsideEvent> {
        let state = self.state();
        let of = state.events.iter().filter(|((whose, _), event)| whose == calendar && is_wanted(event));
        of.map(|(_, event)| event.clone()).collect()
    }

    /// Leaves what people make and change from now on out of listings, as if it came right after the client read them.
    pub fn hide_from_listings(&self, hides: bool) {
        self.state().hides = hides;
    }

    /// The push channel that was opened last.
    #[must_use]
    pub fn last_channel(&self) -> PushRequest {
        self.state().channels.last().unwrap().clone()
    }

    /// Leaves an event out of every listing from now on.
    pub fn leave_out(&self, calendar: &str, id: &str) {
        self.state().unlisted.insert((calendar.to_owned(), id.to_owned()));
    }

    /// Makes an event that no client can read.
    pub fn make_unreadable(&self, calendar: &str, id: &str) {
        let key = (calendar.to_owned(), id.to_owned());
        let mut state = self.state();
        state.unreadable.insert(key.clone());
        state.log.push(key);
    }

    /// Notes a call; fails if the service cannot be reached.
    fn begin(&self, call: &'static str) -> Result<(), ServiceError> {
        let mut state = self.state();
        state.calls.push(call);
        if state.down {
            return Err(ServiceError::Unavailable { reason: "no answer".to_owned(), retry_after_ms: None });
        }
        if state.shut_out {
            let reason = "invalid_grant".to_owned();
            return Err(ServiceError::Disconnected { cause: DisconnectCause::DeadGrant, reason });
        }
        Ok(())
    }

    /// Begins a call that reads a calendar.
    fn begin_reading(&self, call: &'static str, calendar: &str) -> Result<(), ServiceError> {
        self.begin(call)?;
        if self.state().silent.contains(calendar) {
            return Err(ServiceError::Unavailable { reason: "backendError".to_owned(), retry_after_ms: None });
        }
        Ok(())
    }

    /// Runs a call that writes, with the next fault.
    fn suffering<T>(
        &self,
        late: impl FnOnce() -> LateCall,
        act: impl FnOnce() -> Result<T, ServiceError>,
    ) -> Result<T, ServiceError> {
        let lost = || ServiceError::Unknown { reason: "the answer was lost".to_owned() };
        let fault = self.state().faults.pop_front();
        match fault {
            None => act(),
            Some(CallFault::AnswerLost) => {
                act()?;
                Err(lost())
            }
            Some(CallFault::RequestLost) => Err(lost()),
            Some(CallFault::Late) => {
                self.state().late.push(late());
                Err(lost())
            }
            Some(CallFault::Busy) => {
                Err(ServiceError::Unavailable { reason: "rateLimitExceeded".to_owned(), retry_after_ms: Some(1000) })
            }
        }
    }

    fn do_insert(&self, draft: &EventDraft) -> Result<OutsideEvent, ServiceError> {
        let mut state = self.state();
        if !state.calendars.contains(&draft.calendar) {
            return Err(ServiceError::NotFound { what: draft.calendar.clone() });
        }
        if state.events.contains_key(&(draft.calendar.clone(), draft.id.clone())) {
            return Err(ServiceError::Duplicate);
        }
        state.made += 1;
        let created = self.now.checked_add(SignedDuration::from_millis(state.made)).unwrap();
        Ok(write(&mut state, draft, (created, created)))
    }

    fn do_change(&self, draft: &EventDraft, version: &str) -> Result<OutsideEvent, ServiceError> {
        let mut state = self.state();
        let found = state.events.get(&(draft.calendar.clone(), draft.id.clone())).cloned();
        let found = found.ok_or_else(|| ServiceError::NotFound { what: draft.id.clone() })?;
        if found.state == EventState::Cancelled {
            return Err(ServiceError::Deleted);
        }
        if found.version != version {
            return Err(ServiceError::Changed);
        }
        state.made += 1;
        let changed = self.now.checked_add(SignedDuration::from_millis(state.made)).unwrap();
        Ok(write(&mut state, draft, (found.created_at.unwrap(), changed)))
    }

    fn do_delete(&self, calendar: &str, event: &str, version: Option<&str>) -> Result<(), ServiceError> {
        let mut state = self.state();
        let found = state.events.get(&(calendar.to_owned(), event.to_owned())).cloned();
        let mut found = found.ok_or_else(|| ServiceError::NotFound { what: event.to_owned() })?;
        if found.state == EventState::Cancelled {
            return Err(ServiceError::Deleted);
        }
        if version.is_some_and(|version| version != found.version) {
            return Err(ServiceError::Changed);
        }
        state.versions += 1;
        found.version = format!("\"{}\"", state.versions);
        found.state = EventState::Cancelled;
        put(&mut state, found);
        Ok(())
    }
}

/// A place at which a test may end the program: before a call arrives, and before its answer does.
async fn pause() {
    tokio::task::yield_now().await;
}

fn put(state: &mut State, event: OutsideEvent) {
    let key = (event.calendar.clone(), event.id.clone());
    state.events.insert(key.clone(), event);
    state.log.push(key);
}

fn write(state: &mut State, draft: &EventDraft, (created, changed): (Timestamp, Timestamp)) -> OutsideEvent {
    state.versions += 1;
    let event = OutsideEvent {
        calendar: draft.calendar.clone(),
        id: draft.id.clone(),
        version: format!("\"{}\"", state.versions),
        state: EventState::Busy,
        time: Some(EventTime::Timed(draft.span)),
        title: Some(draft.title.clone()),
        mark: Some(EventMark { ..draft.mark.clone() }),
        series: None,
        created_at: Some(created),
        updated_at: Some(changed),
    };
    put(state, event.clone());
    event
}

fn touches(event: &OutsideEvent, span: Span) -> bool {
    event.time.and_then(|time| time.span(&TimeZone::UTC)).is_some_and(|taken| taken.overlaps(&span))
}

#[async_trait]
impl CalendarService for MemoryService {
    fn name(&self) -> &'static str {
        "memory"
    }

    async fn calendars(&self, _organization: OrganizationId) -> Result<Vec<CalendarSummary>, ServiceError> {
        self.begin("calendars")?;
        let summary = |id: &String| CalendarSummary {
            id: id.clone(),
            name: id.clone(),
            zone: "America/Sao_Paulo".to_owned(),
            is_writable: true,
            data_owner: None,
        };
        Ok(self.state().calendars.iter().map(summary).collect())
    }

    async fn busy(
        &self,
        _organization: OrganizationId,
        calendars: &[CalendarId],
        span: Span,
    ) -> Result<BTreeMap<CalendarId, Result<Vec<Span>, String>>, ServiceError> {
        self.begin("busy")?;
        let state = self.state();
        let of = |calendar: &CalendarId| {
            if !state.calendars.contains(calendar) {
                return Err("notFound".to_owned());
            }
            let taken = state
                .events
                .values()
                .filter(|event| event.calendar == *calendar && event.state == EventState::Busy && touches(event, span));
            Ok(taken.filter_map(|event| event.time?.span(&TimeZone::UTC)).collect())
        };
        Ok(calendars.iter().map(|calendar| (calendar.clone(), of(calendar))).collect())
    }

    async fn insert(&self, _organization: OrganizationId, draft: &EventDraft) -> Result<OutsideEvent, ServiceError> {
        self.begin("insert")?;
        self.may_crash(&draft.mark.appointment.to_string()).await;
        pause().await;
        let answer = self.suffering(|| LateCall::Insert(draft.clone()), || self.do_insert(draft));
        pause().await;
        answer
    }

    async fn find(
        &self,
        _organization: OrganizationId,
        calendar: &str,
        event: &str,
    ) -> Result<Option<OutsideEvent>, ServiceError> {
        self.begin_reading("find", calendar)?;
        self.may_crash(&format!("event {event}")).await;
        pause().await;
        if self.state().unreadable.contains(&(calendar.to_owned(), event.to_owned())) {
            return Err(ServiceError::Unreadable { reason: UNREADABLE.to_owned() });
        }
        Ok(self.state().events.get(&(calendar.to_owned(), event.to_owned())).cloned())
    }

    async fn change(
        &self,
        _organization: OrganizationId,
        draft: &EventDraft,
        version: &str,
    ) -> Result<OutsideEvent, ServiceError> {
        self.begin("change")?;
        self.may_crash(&draft.mark.appointment.to_string()).await;
        pause().await;
        let answer =
            self.suffering(|| LateCall::Change(draft.clone(), version.to_owned()), || self.do_change(draft, version));
        pause().await;
        answer
    }

    async fn delete(
        &self,
        _organization: OrganizationId,
        calendar: &str,
        event: &str,
        version: Option<&str>,
    ) -> Result<(), ServiceError> {
        self.begin("delete")?;
        pause().await;
        let answer = self.suffering(
            || LateCall::Delete(calendar.to_owned(), event.to_owned()),
            || self.do_delete(calendar, event, version),
        );
        pause().await;
        answer
    }

    async fn transfer(
        &self,
        _organization: OrganizationId,
        event: &str,
        from: &str,
        to: &str,
    ) -> Result<OutsideEvent, ServiceError> {
        self.begin("transfer")?;
        pause().await;
        let mut state = self.state();
        let key = (from.to_owned(), event.to_owned());
        let found = state.events.get(&key).filter(|event| event.state != EventState::Cancelled).cloned();
        let found = found.ok_or_else(|| ServiceError::NotFound { what: event.to_owned() })?;
        if !state.calendars.contains(to) {
            return Err(ServiceError::NotFound { what: to.to_owned() });
        }
        state.versions += 1;
        let version = format!("\"{}\"", state.versions);
        put(&mut state, OutsideEvent { state: EventState::Cancelled, version: version.clone(), ..found.clone() });
        let moved = OutsideEvent { calendar: to.to_owned(), version, ..found };
        put(&mut state, moved.clone());
        Ok(moved)
    }

    async fn overlapping(
        &self,
        _organization: OrganizationId,
        calendar: &str,
        span: Span,
    ) -> Result<Vec<OutsideEvent>, ServiceError> {
        self.begin_reading("overlapping", calendar)?;
        if self.state().blind {
            return Err(ServiceError::Unavailable { reason: "backendError".to_owned(), retry_after_ms: None });
        }
        pause().await;
        let mut events = self.events(calendar);
        events.retain(|event| touches(event, span));
        let unreadable = self.state().unreadable.clone();
        for event in &mut events {
            if unreadable.contains(&(event.calendar.clone(), event.id.clone())) {
                (event.version, event.mark) = (String::new(), None);
            }
        }
        Ok(events)
    }

    async fn changes(
        &self,
        _organization: OrganizationId,
        calendar: &str,
        cursor: &ChangeCursor,
        page: Option<&str>,
    ) -> Result<ChangePage, ServiceError> {
        self.begin_reading("changes", calendar)?;
        self.may_crash(calendar).await;
        pause().await;
        let state = self.state();
        if !state.calendars.contains(calendar) {
            return Err(ServiceError::NotFound { what: calendar.to_owned() });
        }
        let (from, since) = match cursor {
            ChangeCursor::Everything { since } => (0, Some(*since)),
            ChangeCursor::Since(token) => (token.parse::<usize>().unwrap(), None),
        };
        if since.is_none() && from < state.remembers_from {
            return Err(ServiceError::TokenGone);
        }
        let changed: BTreeSet<&(String, String)> =
            state.log.iter().skip(from).filter(|(whose, _)| whose == calendar).collect();
        let wanted = |key: &&&(String, String)| {
            let Some(since) = since else { return true };
            state.unreadable.contains(**key)
                || state.events.get(**key).is_some_and(|event| {
                    event.state != EventState::Cancelled
                        && event.time.and_then(|time| time.span(&TimeZone::UTC)).is_some_and(|span| span.end > since)
                })
        };
        let is_listed = |key: &&&(String, String)| !state.unlisted.contains(**key);
        let keys: Vec<&(String, String)> = changed.iter().filter(wanted).filter(is_listed).copied().collect();
        let start = page.map_or(0, |page| page.parse::<usize>().unwrap());
        let read = |key: &&(String, String)| {
            if state.unreadable.contains(*key) {
                return Err(UnreadableEvent { id: Some(key.1.clone()), reason: UNREADABLE.to_owned() });
            }
            Ok(state.events.get(*key).unwrap().clone())
        };
        let events = keys.iter().skip(start).take(state.page).map(read).collect();
        let end = start + state.page;
        // A token that was given while the listing ran may not skip what came during it; this one stands still.
        let next = if end < keys.len() {
            NextPage::Page(end.to_string())
        } else {
            NextPage::Done(state.log.len().to_string())
        };
        Ok(ChangePage { events, next })
    }

    async fn watch(
        &self,
        _organization: OrganizationId,
        calendar: &str,
        request: &PushRequest,
    ) -> Result<PushChannel, ServiceError> {
        self.begin("watch")?;
        self.state().channels.push(request.clone());
        let ends_at = self.now.checked_add(SignedDuration::from_hours(24 * 7)).unwrap();
        Ok(PushChannel { id: request.id.clone(), resource: format!("r-{calendar}"), ends_at })
    }

    async fn stop(&self, _organization: OrganizationId, _channel: &PushChannel) -> Result<(), ServiceError> {
        self.begin("stop")
    }
}

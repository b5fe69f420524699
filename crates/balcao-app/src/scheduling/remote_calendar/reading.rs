//! Reads what changed in an external calendar: other people's events take time, and edits of our own are judged.
//!
//! A reading goes page by page, each page in one transaction; the token of the service is stored with the last one. Its claim counts as a
//! crash until the reading ends, so a calendar that ends the program is set aside. An event whose version
//! we know is our own write and is skipped. Nothing counts as deleted because a listing lacks it: only a tombstone says so, or the service
//! when it is asked for that event. A complete listing has no tombstones, so it is asked for every known event that the listing lacks: those
//! of other people, and those of visits.
//!
//! Time that people take counts at once, but what a listing deletes is held back until the whole listing was judged: many deletions at once
//! are not applied until a person says that they are true. What is held back is bounded by the same rule.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use balcao_domain::OrganizationId;
use balcao_domain::calendar_push::{poll_delay_s, retry_delay_s};
use balcao_domain::outside_event::{EventState, EventTime, OutsideEvent, is_suspicious_drop};
use balcao_store::Tx;
use balcao_store::scheduling::calendar_event;
use balcao_store::scheduling::calendar_link;
use balcao_store::scheduling::calendar_link::{CalendarFailure, OutsideCalendar};
use balcao_store::scheduling::calendar_mirror::{self, QuarantinedEvent};
use futures::future::join_all;
use jiff::{SignedDuration, Timestamp};

use super::conflict_reports::{self, News};
use super::edits::{self, Edits, MoveRule};
use super::wanted::find_owner;
use crate::context::app_context::{AppContext, UseCaseError, organization};
use crate::context::calendar_service::{CalendarService, ChangeCursor, NextPage, ServiceError, UnreadableEvent};

/// How long a reading may hold a calendar.
const CLAIM: SignedDuration = SignedDuration::from_secs(120);
/// A complete reading begins so long ago, because a visit may have begun already.
const PAST: SignedDuration = SignedDuration::from_hours(24);
/// Events that a complete listing lacks are asked for singly, and applied so many at a time.
const MISSING_AT_ONCE: u32 = 200;
/// Pages of one reading.
const MAX_PAGES: u32 = 1000;
/// Deletions that one reading holds back. More at once are for a person, however many events are known.
const MAX_HELD: usize = 10_000;

/// What came of a reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// Our copy is new enough.
    Fresh,
    /// Another reading holds the calendar, and what it finds is not in our copy yet.
    Held,
    /// It was read.
    Read {
        /// How many events the service listed.
        events: usize,
    },
    /// The service failed; the copy is as old as before.
    Failed(ServiceError),
    /// So many events disappeared that a person has to say that it is true. What people added and changed is in our copy.
    Suspicious {
        /// How many events were known.
        known: usize,
        /// How many disappeared.
        gone: usize,
    },
}

/// A calendar that is to be read.
#[derive(Debug, Clone)]
pub struct ReadRequest {
    /// The business.
    pub organization: OrganizationId,
    /// The calendar.
    pub calendar: String,
    /// A copy from this instant or later is new enough.
    pub as_new_as: Timestamp,
    /// Whether a person said that many deletions are true.
    pub accepts_drop: bool,
}

struct Reader<'a> {
    app: &'a AppContext,
    service: &'a Arc<dyn CalendarService>,
    organization: OrganizationId,
    claimed: OutsideCalendar,
    rule: MoveRule,
    accepts_drop: bool,
    /// Of a complete reading, its number.
    complete: Option<i64>,
    /// Events of visits that the complete reading has not listed yet, by their ids.
    unlisted: BTreeSet<String>,
    /// How many events the calendar held when the reading began, as far as we know: those of other people, and ours.
    known: usize,
    /// How many of a hundred of them may disappear at once.
    drop_percent: u32,
    /// Deletions that are not applied yet, by the id of the event.
    held: BTreeMap<String, OutsideEvent>,
    /// Whether there are more than can be held back.
    is_over_full: bool,
    gone: usize,
    events: usize,
    as_of: Timestamp,
}

/// Events of a page, as the service lists them.
type Listed = Vec<Result<OutsideEvent, UnreadableEvent>>;

enum Stop {
    Service(ServiceError),
    Suspicious,
    /// Another reading has the calendar by now.
    Lost,
    UseCase(UseCaseError),
}

impl From<UseCaseError> for Stop {
    fn from(error: UseCaseError) -> Self {
        Self::UseCase(error)
    }
}

/// Brings copies of calendars up to date, all at once. A calendar that a crash is counted for is read alone and first, so that no other
/// calendar is counted for it, too. Returns what came of each, in the order of `requests`.
///
/// # Errors
/// As [`read`].
pub async fn read_all(
    app: &AppContext,
    service: &Arc<dyn CalendarService>,
    requests: &[ReadRequest],
    rule: MoveRule,
) -> Result<Vec<Reading>, UseCaseError> {
    let Some(organization) = requests.first().map(|first| first.organization) else { return Ok(Vec::new()) };
    let list = app.look(move |tx, _now| Ok(calendar_link::list_calendars(tx, organization)?)).await?;
    let crashed: BTreeSet<String> = list.into_iter().filter(|one| one.crashes > 0).map(|one| one.calendar).collect();
    let mut alone = Vec::new();
    for request in requests.iter().filter(|request| crashed.contains(&request.calendar)) {
        alone.push(read(app, service, request, rule).await?);
    }
    let rest = requests.iter().filter(|request| !crashed.contains(&request.calendar));
    let together = join_all(rest.map(|request| read(app, service, request, rule))).await;
    let (mut alone, mut together) = (alone.into_iter(), together.into_iter());
    let of = |request: &ReadRequest| {
        if crashed.contains(&request.calendar) { alone.next().map(Ok) } else { together.next() }
    };
    requests.iter().filter_map(of).collect()
}

/// Brings our copy of a calendar up to date.
///
/// # Errors
/// [`UseCaseError`] if the database failed. A failure of the service is an outcome.
pub async fn read(
    app: &AppContext,
    service: &Arc<dyn CalendarService>,
    request: &ReadRequest,
    rule: MoveRule,
) -> Result<Reading, UseCaseError> {
    let (organization, calendar, now) = (request.organization, request.calendar.clone(), app.clock.now());
    let older_than = request.as_new_as;
    let times = (now, now.checked_add(CLAIM).unwrap_or(now));
    let claim = move |tx: &mut Tx<'_>| {
        let claimed = calendar_link::claim_reading(tx, organization, &calendar, older_than, times)?;
        let others = calendar_mirror::count(tx, organization, &calendar, now)?;
        let own = calendar_event::count_shown(tx, organization, &calendar, now)?;
        let is_set_aside = claimed.is_none() && calendar_link::is_set_aside(tx, organization, &calendar, now)?;
        let is_held = claimed.is_none() && calendar_link::is_held(tx, organization, &calendar, now)?;
        let drop_percent = self::organization(tx, organization)?.0.scheduling.calendar_drop_bound();
        Ok::<_, UseCaseError>((claimed, (others, own), (is_set_aside, is_held), drop_percent))
    };
    let (claimed, (others, own), (is_set_aside, is_held), drop_percent) = app.store.write(claim).await?;
    let Some(claimed) = claimed else {
        let reason = "the program crashed each time while it read this calendar".to_owned();
        return Ok(match (is_set_aside, is_held) {
            (true, _) => Reading::Failed(ServiceError::Unavailable { reason, retry_after_ms: None }),
            (false, true) => Reading::Held,
            (false, false) => Reading::Fresh,
        });
    };
    let known = usize::try_from(u64::from(others).saturating_add(own.into())).unwrap_or(usize::MAX);
    let accepts_drop = request.accepts_drop;
    let reader = Reader {
        app,
        service,
        organization,
        claimed,
        rule,
        accepts_drop,
        complete: None,
        unlisted: BTreeSet::new(),
        known,
        drop_percent,
        held: BTreeMap::new(),
        is_over_full: false,
        gone: 0,
        events: 0,
        as_of: now,
    };
    reader.run().await
}

/// Judges one event as a reading that lists it does; returns whether it was judged, because another reading may hold the calendar.
///
/// # Errors
/// [`UseCaseError`] if the database failed.
pub async fn apply_event(
    app: &AppContext,
    service: &Arc<dyn CalendarService>,
    organization: OrganizationId,
    event: OutsideEvent,
    rule: MoveRule,
) -> Result<bool, UseCaseError> {
    let (calendar, now) = (event.calendar.clone(), app.clock.now());
    let times = (now, now.checked_add(CLAIM).unwrap_or(now));
    let claim = move |tx: &mut Tx<'_>| calendar_link::claim_reading(tx, organization, &calendar, Timestamp::MAX, times);
    let claimed: Result<Option<OutsideCalendar>, balcao_store::StoreError> = app.store.write(claim).await;
    let Some(claimed) = claimed? else { return Ok(false) };
    let mut reader = Reader {
        app,
        service,
        organization,
        claimed,
        rule,
        accepts_drop: false,
        complete: None,
        unlisted: BTreeSet::new(),
        known: 0,
        drop_percent: 0,
        held: BTreeMap::new(),
        is_over_full: false,
        gone: 0,
        events: 1,
        as_of: now,
    };
    match reader.apply(vec![Ok(event)], None).await {
        Ok(()) => {}
        Err(Stop::UseCase(error)) => return Err(error),
        Err(Stop::Lost | Stop::Suspicious | Stop::Service(_)) => return Ok(false),
    }
    let claimed = reader.claimed;
    let release = move |tx: &mut Tx<'_>| calendar_link::release_reading(tx, organization, &claimed);
    let released: Result<bool, balcao_store::StoreError> = app.store.write(release).await;
    Ok(released?)
}

impl Reader<'_> {
    async fn run(mut self) -> Result<Reading, UseCaseError> {
        match self.read_pages().await {
            Ok(()) => Ok(Reading::Read { events: self.events }),
            Err(Stop::Lost) => Ok(Reading::Held),
            Err(Stop::UseCase(error)) => Err(error),
            Err(Stop::Suspicious) => {
                let reason = format!("{} of {} events disappeared at once", self.gone, self.known);
                self.record_failure(CalendarFailure::Drop, reason, 3600).await?;
                Ok(Reading::Suspicious { known: self.known, gone: self.gone })
            }
            Err(Stop::Service(error)) => {
                let kind = match &error {
                    ServiceError::Disconnected { .. } => CalendarFailure::Disconnected,
                    ServiceError::NotFound { .. } | ServiceError::Refused { .. } => CalendarFailure::Refused,
                    ServiceError::Unavailable { .. }
                    | ServiceError::Unknown { .. }
                    | ServiceError::Duplicate
                    | ServiceError::Changed
                    | ServiceError::Deleted
                    | ServiceError::TokenGone
                    | ServiceError::TooMany { .. }
                    | ServiceError::Unreadable { .. } => CalendarFailure::Unavailable,
                };
                let before = self.claimed.failure.as_ref().map_or(0, |failure| failure.count);
                let failures = u32::try_from(before).unwrap_or(u32::MAX);
                let delay_s = retry_delay_s(failures, self.seed(), error.retry_after_ms());
                self.record_failure(kind, error.to_string(), delay_s).await?;
                Ok(Reading::Failed(error))
            }
        }
    }

    fn seed(&self) -> u64 {
        let mixed =
            self.claimed.calendar.bytes().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        mixed.wrapping_add(u64::try_from(self.claimed.epoch).unwrap_or_default())
    }

    fn due(&self, delay_s: u64) -> Timestamp {
        let delay = SignedDuration::from_secs(i64::try_from(delay_s).unwrap_or(3600));
        self.as_of.checked_add(delay).unwrap_or(self.as_of)
    }

    async fn read_pages(&mut self) -> Result<(), Stop> {
        let mut cursor = match self.claimed.token.clone() {
            Some(token) => ChangeCursor::Since(token),
            None => self.begin_complete().await?,
        };
        let mut page: Option<String> = None;
        for _page in 0..MAX_PAGES {
            let listed =
                self.service.changes(self.organization, &self.claimed.calendar, &cursor, page.as_deref()).await;
            let listed = match listed {
                Err(ServiceError::TokenGone) if self.complete.is_none() => {
                    cursor = self.begin_complete().await?;
                    (self.held, self.is_over_full, page) = (BTreeMap::new(), false, None);
                    continue;
                }
                Err(error) => return Err(Stop::Service(error)),
                Ok(listed) => listed,
            };
            self.events = self.events.saturating_add(listed.events.len());
            self.note_listed(&listed.events);
            let events = self.hold_back(listed.events).await?;
            match listed.next {
                NextPage::Page(next) => {
                    self.apply(events, None).await?;
                    page = Some(next);
                }
                NextPage::Done(token) => return self.end(events, token).await,
            }
        }
        Err(Stop::Service(ServiceError::Unavailable {
            reason: "the listing has no end".to_owned(),
            retry_after_ms: None,
        }))
    }

    /// Notes which events of visits a page lists: also one that cannot be read, and one that became a series.
    fn note_listed(&mut self, listed: &[Result<OutsideEvent, UnreadableEvent>]) {
        for event in listed {
            let (id, series) = match event {
                Ok(event) if event.state == EventState::Cancelled => continue,
                Ok(event) => (Some(&event.id), event.series.as_ref()),
                Err(unreadable) => (unreadable.id.as_ref(), None),
            };
            for id in id.into_iter().chain(series) {
                self.unlisted.remove(id);
            }
        }
    }

    /// Takes the deletions of events that we know out of a page, because a person may have to confirm them. An event that comes back on a
    /// later page is not deleted. What our own pushes deleted is known no more.
    async fn hold_back(&mut self, listed: Listed) -> Result<Listed, Stop> {
        if self.accepts_drop {
            return Ok(listed);
        }
        let is_deletion = |event: &Result<OutsideEvent, UnreadableEvent>| {
            event.as_ref().is_ok_and(|event| event.state == EventState::Cancelled)
        };
        let (deletions, mut rest): (Listed, Listed) = listed.into_iter().partition(is_deletion);
        for event in rest.iter().flatten() {
            self.held.remove(&event.id);
        }
        if deletions.is_empty() {
            return Ok(rest);
        }
        let (id, calendar, now) = (self.organization, self.claimed.calendar.clone(), self.as_of);
        let look = move |tx: &mut Tx<'_>, _now| {
            let mut known = Vec::with_capacity(deletions.len());
            for event in deletions.into_iter().flatten() {
                let is_known = calendar_mirror::holds(tx, id, (&calendar, &event.id), now)?
                    || calendar_event::shows(tx, id, (&calendar, &event.id), now)?;
                known.push((event, is_known));
            }
            Ok(known)
        };
        for (event, is_known) in self.app.look(look).await? {
            if !is_known {
                // Neither our copy nor a visit had it, so nothing is lost.
                rest.push(Ok(event));
            } else if self.held.len() < MAX_HELD {
                self.held.insert(event.id.clone(), event);
            } else {
                self.is_over_full = true;
            }
        }
        Ok(rest)
    }

    /// Stops if too many events disappeared to be true.
    fn refuse_drop(&self) -> Result<(), Stop> {
        let is_suspicious = self.is_over_full || is_suspicious_drop(self.known, self.gone, self.drop_percent);
        if !self.accepts_drop && is_suspicious { Err(Stop::Suspicious) } else { Ok(()) }
    }

    /// Ends a listing with its last page. What it adds counts in any case. If the deletions can be true, what was held back is applied, and
    /// the token is stored.
    async fn end(&mut self, last: Listed, token: String) -> Result<(), Stop> {
        if self.complete.is_none() && self.held.is_empty() && !self.is_over_full {
            return self.apply(last, Some(token)).await;
        }
        self.apply(last, None).await?;
        self.gone = self.held.len().saturating_add(usize::from(self.is_over_full));
        if self.complete.is_some() {
            // What is held back is still known, so it is among what is missing.
            let missing = self.count_missing().await?.saturating_add(self.list_unlisted().await?.len());
            self.gone = self.gone.max(missing);
        }
        self.refuse_drop()?;
        let batch = usize::try_from(MISSING_AT_ONCE).unwrap_or(usize::MAX);
        let mut held = std::mem::take(&mut self.held).into_values().map(Ok).peekable();
        while held.peek().is_some() {
            let some = held.by_ref().take(batch).collect();
            self.apply(some, None).await?;
        }
        if self.complete.is_some() {
            for _batch in 0..self.count_missing().await?.div_ceil(batch) {
                let answers = self.ask_for(self.list_missing().await?).await?;
                self.apply(answers, None).await?;
            }
            for some in self.list_unlisted().await?.chunks(batch) {
                let answers = self.ask_for(some.to_vec()).await?;
                self.apply(answers, None).await?;
            }
        }
        self.apply(Vec::new(), Some(token)).await
    }

    /// Forgets the token, and keeps the copy until all was read.
    async fn begin_complete(&mut self) -> Result<ChangeCursor, Stop> {
        let (organization, claimed, now) = (self.organization, self.claimed.clone(), self.as_of);
        let begin = move |tx: &mut Tx<'_>| {
            let generation = calendar_link::begin_complete(tx, organization, &claimed)?;
            Ok((generation, calendar_event::list_shown(tx, organization, &claimed.calendar, now)?))
        };
        let began: Result<(i64, Vec<String>), balcao_store::StoreError> = self.app.store.write(begin).await;
        match began {
            Ok((generation, shown)) => {
                (self.complete, self.unlisted) = (Some(generation), shown.into_iter().collect());
            }
            Err(balcao_store::StoreError::NoRow { .. }) => return Err(Stop::Lost),
            Err(error) => return Err(Stop::UseCase(error.into())),
        }
        Ok(ChangeCursor::Everything { since: self.as_of.checked_sub(PAST).unwrap_or(self.as_of) })
    }

    /// Applies a page; with the token of the last one, the reading is complete with the same commit.
    async fn apply(&mut self, events: Listed, token: Option<String>) -> Result<(), Stop> {
        let (id, claimed, rule, now) = (self.organization, self.claimed.clone(), self.rule, self.as_of);
        let generation = self.complete.unwrap_or(self.claimed.generation);
        let due = self.due(poll_delay_s(self.seed()));
        let accounts = Arc::clone(&self.app.notices);
        let apply = move |tx: &mut Tx<'_>| {
            if !calendar_link::lock_reading(tx, id, &claimed)? {
                return Ok::<_, UseCaseError>(false);
            }
            let zone = organization(tx, id)?.1;
            let (calendar, owner) = (&claimed.calendar, find_owner(tx, id)?);
            let edits = Edits {
                organization: id,
                owner: &owner,
                calendar,
                zone: &zone,
                generation,
                rule,
                accounts: &accounts,
                now,
            };
            let mut news: BTreeMap<String, Vec<News>> = BTreeMap::new();
            for event in events {
                match event {
                    Ok(event) => {
                        let applied = edits::apply(tx, &edits, &event)?;
                        if !applied.news.is_empty() {
                            news.entry(applied.event).or_default().extend(applied.news);
                        }
                    }
                    Err(unreadable) => {
                        let event = unreadable.id.unwrap_or_default();
                        // What is known of its time holds, because nothing says that it is free.
                        calendar_mirror::mark_found(tx, id, (&claimed.calendar, &event), generation)?;
                        let aside = QuarantinedEvent {
                            calendar: claimed.calendar.clone(),
                            event,
                            reason: unreadable.reason,
                            found_at: now,
                        };
                        calendar_mirror::quarantine(tx, id, &aside)?;
                    }
                }
            }
            for of_event in news.values() {
                conflict_reports::alert(tx, id, of_event, &accounts, now)?;
            }
            if let Some(token) = &token {
                let long_ago = now.checked_sub(PAST).unwrap_or(now);
                calendar_mirror::remove_ended(tx, id, &claimed.calendar, long_ago)?;
                calendar_link::record_reading(tx, id, &claimed, token, (now, due))?;
            }
            Ok(true)
        };
        if self.app.store.write(apply).await? { Ok(()) } else { Err(Stop::Lost) }
    }

    /// Counts the events of other people that a complete listing lacks.
    async fn count_missing(&self) -> Result<usize, Stop> {
        let (id, calendar, now) = (self.organization, self.claimed.calendar.clone(), self.as_of);
        let generation = self.complete.unwrap_or_default();
        let count =
            self.app.look(move |tx, _now| Ok(calendar_mirror::count_missing(tx, id, &calendar, generation, now)?));
        Ok(usize::try_from(count.await?).unwrap_or(usize::MAX))
    }

    /// Some of the events of other people that a complete listing lacks.
    async fn list_missing(&self) -> Result<Vec<String>, Stop> {
        let (id, calendar, now) = (self.organization, self.claimed.calendar.clone(), self.as_of);
        let generation = self.complete.unwrap_or_default();
        let list = self.app.look(move |tx, _now| {
            Ok(calendar_mirror::list_missing(tx, id, &calendar, generation, now, MISSING_AT_ONCE)?)
        });
        Ok(list.await?)
    }

    /// The events of visits that a complete listing lacks, as far as visits still have them.
    async fn list_unlisted(&self) -> Result<Vec<String>, Stop> {
        let (id, calendar, now) = (self.organization, self.claimed.calendar.clone(), self.as_of);
        let list = self.app.look(move |tx, _now| Ok(calendar_event::list_shown(tx, id, &calendar, now)?));
        let mut shown = list.await?;
        shown.retain(|event| self.unlisted.contains(event));
        Ok(shown)
    }

    /// Asks for events that a complete listing lacks. One that is there stays; one that is not comes back as deleted, and one that cannot be
    /// read is put aside.
    async fn ask_for(&self, missing: Vec<String>) -> Result<Listed, Stop> {
        let (id, calendar) = (self.organization, &self.claimed.calendar);
        let mut answers = Vec::with_capacity(missing.len());
        for event in missing {
            answers.push(match self.service.find(id, calendar, &event).await {
                Ok(Some(found)) => Ok(found),
                Ok(None) | Err(ServiceError::NotFound { .. } | ServiceError::Deleted) => {
                    Ok(tombstone(calendar, &event))
                }
                Err(ServiceError::Unreadable { reason }) => Err(UnreadableEvent { id: Some(event), reason }),
                Err(error) => return Err(Stop::Service(error)),
            });
        }
        Ok(answers)
    }

    async fn record_failure(&self, kind: CalendarFailure, reason: String, delay_s: u64) -> Result<(), UseCaseError> {
        let (id, claimed, now, due) = (self.organization, self.claimed.clone(), self.as_of, self.due(delay_s));
        let record =
            move |tx: &mut Tx<'_>| calendar_link::record_failure(tx, id, &claimed, (kind, &reason), (now, due));
        let recorded: Result<bool, balcao_store::StoreError> = self.app.store.write(record).await;
        recorded?;
        Ok(())
    }
}

/// An event that the service does not know any more.
fn tombstone(calendar: &str, event: &str) -> OutsideEvent {
    OutsideEvent {
        calendar: calendar.to_owned(),
        id: event.to_owned(),
        version: String::new(),
        state: EventState::Cancelled,
        time: None::<EventTime>,
        title: None,
        mark: None,
        series: None,
        created_at: None,
        updated_at: None,
    }
}

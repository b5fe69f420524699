//! The comparison of the appointments to come with their events: it proves that both are equal, repairs what needs no person, and lists the
//! rest. It looks from both sides: at the event of each appointment, and for events of ours that show no appointment. Staff get one letter a
//! night about what they alone can mend ([`letter`]).
//!
//! Each night one process does it for each business: the day is claimed in the database. A push that waits, or an event that was never
//! written, is repaired. An event that a person deleted becomes a conflict, also if the service never listed the deletion. If very many events
//! are gone at once, a person has to say that it is true. What differs is stored, so that `calendar status` shows it.

mod letter;

use std::collections::BTreeMap;
use std::sync::Arc;

use balcao_domain::calendar_push::{FoundEvent, WantedEvent, read_found};
use balcao_domain::outside_event::{ConflictKind, EventState, OutsideEvent, is_suspicious_drop};
use balcao_domain::{AppointmentId, OrganizationId, Span};
use balcao_store::Tx;
use balcao_store::scheduling::calendar_comparison::{self, ComparisonResult, StoredDifference};
use balcao_store::scheduling::calendar_conflict::{self, FoundConflict};
use balcao_store::scheduling::calendar_event::{self, CalendarEvent, KnownEvent};
use balcao_store::scheduling::calendar_link;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::context::app_context::{AppContext, UseCaseError, organization};
use crate::context::calendar_service::{CalendarService, ServiceError};
use crate::scheduling::booking::outside::take_over;
use crate::scheduling::remote_calendar::conflict_reports;
use crate::scheduling::remote_calendar::push::{self, Pushed};
use crate::scheduling::remote_calendar::reading::{self, ReadRequest, Reading};
use crate::scheduling::remote_calendar::wanted::{find_owner, read_wanted_event};

/// Events that one step of a comparison loads.
const PAGE: u32 = 200;
/// The night begins so long after midnight, at an hour without bookings.
const NIGHT: SignedDuration = SignedDuration::from_hours(3);
/// Days of one question for events of ours that show no appointment.
const LISTED_DAYS: usize = 31;
/// Days ahead that these questions reach at most.
const MAX_AHEAD_DAYS: u32 = 400;
/// How long a process may take for one business.
const CLAIM: SignedDuration = SignedDuration::from_hours(1);

/// What is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What is the matter.
    pub what: DifferenceKind,
    /// The appointment; absent of an event that shows no appointment.
    pub appointment: Option<AppointmentId>,
    /// The calendar of that event.
    pub calendar: Option<String>,
    /// That event.
    pub event: Option<String>,
}

impl Difference {
    /// The event of an appointment differs.
    #[must_use]
    pub const fn about(appointment: AppointmentId, what: DifferenceKind) -> Self {
        Self { what, appointment: Some(appointment), calendar: None, event: None }
    }

    fn stored(&self) -> StoredDifference {
        StoredDifference {
            kind: self.what.as_str().to_owned(),
            appointment: self.appointment,
            calendar: self.calendar.clone(),
            event: self.event.clone(),
            found_at: None,
        }
    }
}

/// How an event differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// A person changed or deleted the event, and staff have to decide.
    Conflict,
    /// The event is not as this program last wrote or read it; the next reading judges it.
    Changed,
    /// A push waits, or the event was never written, and the push failed.
    NotPushed,
    /// The calendar of the event could not be read, so nothing is known of it.
    NotRead,
    /// The service has the event, and what it says of the event cannot be read.
    Unreadable,
    /// The event is gone together with very many others, and a person has to say that it is true.
    Vanished,
    /// An event of ours shows no appointment.
    NoAppointment,
    /// The event is at another time than its appointment, in another calendar, or not busy: staff let stand what a person did.
    Accepted,
}

impl DifferenceKind {
    /// The word that programs read.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Conflict => "conflict",
            Self::Changed => "changed",
            Self::NotPushed => "not_pushed",
            Self::NotRead => "not_read",
            Self::Unreadable => "unreadable",
            Self::Vanished => "vanished",
            Self::NoAppointment => "no_appointment",
            Self::Accepted => "accepted",
        }
    }
}

/// What a comparison found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// Events that are as they should be.
    pub equal: usize,
    /// Events that were not, and are now.
    pub repaired: usize,
    /// Those that need a person, or the service.
    pub differences: Vec<Difference>,
    /// The calendars that could not be read, so that nothing is known of what people did in them.
    pub unread: Vec<UnreadCalendar>,
}

impl Comparison {
    /// Whether every calendar was read and every event is as it should be.
    #[must_use]
    pub fn is_proof(&self) -> bool {
        self.differences.is_empty() && self.unread.is_empty()
    }

    /// Notes that a calendar could not be read; `passing` keeps the last error that may pass by itself.
    fn set_unread(&mut self, calendar: String, error: ServiceError, passing: &mut Option<ServiceError>) {
        self.unread.push(UnreadCalendar { calendar, reason: error.to_string() });
        if !is_lasting(&error) {
            *passing = Some(error);
        }
    }
}

/// A linked calendar that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadCalendar {
    /// Which.
    pub calendar: String,
    /// Why, for staff.
    pub reason: String,
}

impl UnreadCalendar {
    fn stored(&self) -> StoredDifference {
        let (kind, calendar) = (DifferenceKind::NotRead.as_str().to_owned(), Some(self.calendar.clone()));
        StoredDifference { kind, appointment: None, calendar, event: None, found_at: None }
    }
}

/// Our events that the service lists in the calendars.
#[derive(Debug, Default)]
struct ListedEvents {
    /// By calendar and id.
    ours: BTreeMap<(String, String), OutsideEvent>,
    /// Those that show no appointment.
    without_appointment: Vec<Difference>,
}

/// How one event stands.
enum Standing {
    Equal,
    Repaired,
    Differs(DifferenceKind),
    /// The service does not have it any more.
    Gone(KnownEvent),
}

/// Compares appointments with their events.
#[derive(Debug, Clone)]
pub struct CalendarComparison {
    app: AppContext,
}

impl CalendarComparison {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// Runs the comparison of the present night, from three o'clock of the business on; `None` if another process did or does it, or if no
    /// calendar is linked.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, why the service did not answer. A comparison without an end runs again an hour
    /// later. If the program crashed at it three times, it runs no more before a person takes it up again, and an alarm says so.
    pub async fn run_nightly(
        &self,
        id: OrganizationId,
    ) -> Result<Option<Result<Comparison, ServiceError>>, UseCaseError> {
        let now = self.app.clock.now();
        let until = now.checked_add(CLAIM).unwrap_or(now);
        let claim = move |tx: &mut Tx<'_>| {
            if calendar_link::list_calendars(tx, id)?.is_empty() {
                return Ok::<_, UseCaseError>(None);
            }
            let night = now.checked_sub(NIGHT).unwrap_or(now);
            let day = organization(tx, id)?.1.to_datetime(night).date();
            Ok(calendar_comparison::claim(tx, id, day, now, until)?.then_some(day))
        };
        let Some(day) = self.app.store.write(claim).await? else { return Ok(None) };
        let compared = Box::pin(self.run(id, false)).await;
        if !matches!(compared, Ok(Ok(_))) {
            // No crash, so it does not count as one. Where the database fails here, too, it counts.
            let forget = move |tx: &mut Tx<'_>| Ok::<_, UseCaseError>(calendar_comparison::forget_crash(tx, id, day)?);
            self.app.store.write(forget).await?;
        }
        let compared = compared?;
        if let Ok(comparison) = &compared {
            let count = |some: usize| u32::try_from(some).unwrap_or(u32::MAX);
            let result = ComparisonResult {
                equal: count(comparison.equal),
                repaired: count(comparison.repaired),
                differing: count(comparison.differences.len().saturating_add(comparison.unread.len())),
            };
            let ended_at = self.app.clock.now();
            let unread = comparison.unread.iter().map(UnreadCalendar::stored);
            let differing: Vec<_> = unread.chain(comparison.differences.iter().map(Difference::stored)).collect();
            let accounts = Arc::clone(&self.app.notices);
            let end = move |tx: &mut Tx<'_>| {
                // A process that took longer than its claim ends what another one ended before.
                if calendar_comparison::record_end(tx, id, day, result, ended_at)? {
                    calendar_comparison::replace_differences(tx, id, &differing, ended_at)?;
                    letter::alert(tx, id, (day, &differing), &accounts, ended_at)?;
                }
                Ok::<_, UseCaseError>(())
            };
            self.app.store.write(end).await?;
        }
        Ok(Some(compared))
    }

    /// Reads the linked calendars, asks the service for the event of every appointment to come, repairs what needs no person, and lists the
    /// rest. A calendar that cannot be read is listed, and its events are not asked for: an answer about them would prove nothing.
    /// `accepts_drop` says that it is true that very many events are gone.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, why the service did not answer for any calendar, if it may do so later.
    pub async fn run(
        &self,
        id: OrganizationId,
        accepts_drop: bool,
    ) -> Result<Result<Comparison, ServiceError>, UseCaseError> {
        let mut comparison = Comparison::default();
        let Some(service) = &self.app.remote_calendar else { return Ok(Ok(comparison)) };
        let now = self.app.clock.now();
        let end = move |tx: &mut Tx<'_>| Ok::<_, UseCaseError>(calendar_conflict::end_past(tx, id, now)?);
        self.app.store.write(end).await?;
        let linked = self.app.look(move |tx, _now| Ok(calendar_link::list_calendars(tx, id)?)).await?;
        let (count, mut passing) = (linked.len(), None);
        for linked in linked {
            let as_new_as = Timestamp::MAX;
            let request = ReadRequest { organization: id, calendar: linked.calendar, as_new_as, accepts_drop };
            let calendar = request.calendar.clone();
            let aside = request.calendar.clone();
            let is_set_aside =
                self.app.look(move |tx, now| Ok(calendar_link::is_set_aside(tx, id, &aside, now)?)).await?;
            if is_set_aside {
                let reason = "the program crashed three times while it read this calendar".to_owned();
                comparison.unread.push(UnreadCalendar { calendar, reason });
                continue;
            }
            match reading::read(&self.app, service, &request, take_over).await? {
                // Another process reads it at this moment, and what it finds it hands to staff as well.
                Reading::Read { .. } | Reading::Fresh | Reading::Held => {}
                Reading::Suspicious { known, gone } => {
                    let reason =
                        format!("{gone} of {known} events disappeared at once, and a person has to accept that");
                    comparison.unread.push(UnreadCalendar { calendar, reason });
                }
                Reading::Failed(error) => comparison.set_unread(calendar, error, &mut passing),
            }
        }
        let listed = self.list_ours(service, id, &mut comparison, &mut passing).await?;
        let (mut after, mut gone) = (0, Vec::new());
        loop {
            let list = move |tx: &mut Tx<'_>, now| Ok(calendar_event::list_from(tx, id, now, after, PAGE)?);
            let rows = self.app.look(list).await?;
            let Some(last) = rows.last() else { break };
            after = last.appointment.into();
            for row in rows {
                let appointment = row.appointment;
                let is_unread = |known: &KnownEvent| comparison.unread.iter().any(|one| one.calendar == known.calendar);
                if row.known.as_ref().is_some_and(is_unread) {
                    comparison.differences.push(Difference::about(appointment, DifferenceKind::NotRead));
                    continue;
                }
                let calendar = row.known.as_ref().map(|known| known.calendar.clone());
                match self.compare(service, id, row, &listed.ours).await? {
                    Ok(Standing::Equal) => comparison.equal += 1,
                    Ok(Standing::Repaired) => comparison.repaired += 1,
                    Ok(Standing::Differs(what)) => comparison.differences.push(Difference::about(appointment, what)),
                    Ok(Standing::Gone(known)) => gone.push((appointment, known)),
                    Err(error) => {
                        comparison.differences.push(Difference::about(appointment, DifferenceKind::NotRead));
                        calendar.into_iter().for_each(|one| comparison.set_unread(one, error.clone(), &mut passing));
                    }
                }
            }
        }
        self.record_gone(id, gone, accepts_drop, &mut comparison).await?;
        comparison.differences.extend(listed.without_appointment);
        // If no calendar was read, the comparison said nothing. A later one may.
        Ok(match passing.filter(|_| comparison.unread.len() >= count) {
            Some(error) => Err(error),
            None => Ok(comparison),
        })
    }

    /// Hands events that are gone to staff, unless they are too many to be true.
    async fn record_gone(
        &self,
        id: OrganizationId,
        gone: Vec<(AppointmentId, KnownEvent)>,
        accepts_drop: bool,
        comparison: &mut Comparison,
    ) -> Result<(), UseCaseError> {
        let look = move |tx: &mut Tx<'_>, _now| Ok(organization(tx, id)?.0.scheduling.calendar_drop_bound());
        let percent = self.app.look(look).await?;
        let Comparison { equal, repaired, differences, .. } = &*comparison;
        let known = equal.saturating_add(*repaired).saturating_add(differences.len()).saturating_add(gone.len());
        let is_doubtful = !accepts_drop && is_suspicious_drop(known, gone.len(), percent);
        for (appointment, known) in gone {
            let what = if is_doubtful { DifferenceKind::Vanished } else { DifferenceKind::Conflict };
            if !is_doubtful {
                self.record_deleted(id, appointment, known).await?;
            }
            comparison.differences.push(Difference::about(appointment, what));
        }
        Ok(())
    }

    /// Lists our events in the calendars that were read, as far ahead as appointments may be.
    async fn list_ours(
        &self,
        service: &Arc<dyn CalendarService>,
        id: OrganizationId,
        comparison: &mut Comparison,
        passing: &mut Option<ServiceError>,
    ) -> Result<ListedEvents, UseCaseError> {
        let look = move |tx: &mut Tx<'_>, now: Timestamp| {
            let days = organization(tx, id)?.0.scheduling.maximum_advance_days.min(MAX_AHEAD_DAYS);
            let calendars: Vec<String> =
                calendar_link::list_calendars(tx, id)?.into_iter().map(|one| one.calendar).collect();
            Ok((calendars, find_owner(tx, id)?, now, i64::from(days)))
        };
        let (calendars, owner, now, days) = self.app.look(look).await?;
        let day = |day: i64| now.checked_add(SignedDuration::from_hours(24 * day)).unwrap_or(Timestamp::MAX);
        let mut all = ListedEvents::default();
        for calendar in calendars {
            if comparison.unread.iter().any(|one| one.calendar == calendar) {
                continue;
            }
            let months = (0..=days).step_by(LISTED_DAYS);
            let mut spans: Vec<Span> =
                months.map(|first| Span::new(day(first), day(first.saturating_add(31)))).collect();
            spans.reverse();
            while let Some(span) = spans.pop() {
                let listed = match service.overlapping(id, &calendar, span).await {
                    Ok(listed) => listed,
                    Err(error @ ServiceError::TooMany { .. }) => match halve(span) {
                        Some(halves) => {
                            spans.extend(halves);
                            continue;
                        }
                        None => {
                            comparison.set_unread(calendar.clone(), error, passing);
                            break;
                        }
                    },
                    Err(error) => {
                        comparison.set_unread(calendar.clone(), error, passing);
                        break;
                    }
                };
                let ours: Vec<OutsideEvent> = listed.into_iter().filter(|event| event.is_of(&owner)).collect();
                let unknown = ours.clone();
                let found = self.app.look(move |tx, _now| find_without_appointment(tx, id, unknown)).await?;
                for difference in found {
                    // An event at the border of two spans is listed twice.
                    if !all.without_appointment.contains(&difference) {
                        all.without_appointment.push(difference);
                    }
                }
                all.ours.extend(ours.into_iter().map(|event| ((event.calendar.clone(), event.id.clone()), event)));
            }
        }
        Ok(all)
    }

    /// Compares one event, and repairs it if that needs no person. The service is asked only for an event that the list lacks or that is not
    /// in it as it was last seen, so that a night of many appointments takes few requests.
    async fn compare(
        &self,
        service: &Arc<dyn CalendarService>,
        id: OrganizationId,
        row: CalendarEvent,
        listed: &BTreeMap<(String, String), OutsideEvent>,
    ) -> Result<Result<Standing, ServiceError>, UseCaseError> {
        let appointment = row.appointment;
        let look = move |tx: &mut Tx<'_>, _now| {
            let wanted = read_wanted_event(tx, id, appointment)?.map(Box::new);
            Ok((calendar_conflict::has_open(tx, id, appointment)?, wanted, find_owner(tx, id)?))
        };
        let (has_conflict, wanted, owner) = self.app.look(look).await?;
        if has_conflict {
            return Ok(Ok(Standing::Differs(DifferenceKind::Conflict)));
        }
        let known = match &row.known {
            Some(known) if row.wanted <= row.pushed => known.clone(),
            None if row.wanted <= row.pushed && wanted.is_none() => return Ok(Ok(Standing::Equal)),
            Some(_) | None => return self.write(service, id, appointment).await.map(Ok),
        };
        let listed = listed.get(&(known.calendar.clone(), known.event.clone()));
        let found = match listed.filter(|event| event.version == known.version) {
            Some(event) => Some(event.clone()),
            None => match service.find(id, &known.calendar, &known.event).await {
                Ok(found) => found.map(|event| event.signed_by(&owner)),
                Err(ServiceError::NotFound { .. } | ServiceError::Deleted) => None,
                Err(ServiceError::Unreadable { .. }) => return Ok(Ok(Standing::Differs(DifferenceKind::Unreadable))),
                Err(error) => return Ok(Err(error)),
            },
        };
        Ok(Ok(match read_found(found.as_ref(), &owner) {
            FoundEvent::Ours(event) if event.version == known.version => {
                let is_busy = found.as_ref().is_some_and(|found| found.state == EventState::Busy);
                let stands = |wanted: &WantedEvent| (&event.calendar, event.span) == (&wanted.calendar, wanted.span);
                if is_busy && wanted.as_deref().is_none_or(stands) {
                    Standing::Equal
                } else {
                    Standing::Differs(DifferenceKind::Accepted)
                }
            }
            FoundEvent::Ours(_) | FoundEvent::Foreign => match found {
                // Staff let stand that it carries no mark of ours, or takes whole days.
                Some(seen) if seen.version == known.version => Standing::Differs(DifferenceKind::Accepted),
                Some(changed) => self.apply_change(service, id, changed).await?,
                None => Standing::Gone(known),
            },
            FoundEvent::Absent | FoundEvent::Used => Standing::Gone(known),
        }))
    }

    /// Judges an event that changed since the reading as the next reading would.
    async fn apply_change(
        &self,
        service: &Arc<dyn CalendarService>,
        id: OrganizationId,
        changed: OutsideEvent,
    ) -> Result<Standing, UseCaseError> {
        let (event, version) = (changed.id.clone(), changed.version.clone());
        if !reading::apply_event(&self.app, service, id, changed, take_over).await? {
            return Ok(Standing::Differs(DifferenceKind::Changed));
        }
        let look = move |tx: &mut Tx<'_>, _now| {
            let Some(row) = calendar_event::find_by_event(tx, id, &event)? else {
                return Ok(Standing::Differs(DifferenceKind::Changed));
            };
            let is_seen = row.known.is_some_and(|known| known.version == version);
            Ok(match (calendar_conflict::has_open(tx, id, row.appointment)?, is_seen) {
                (true, _) => Standing::Differs(DifferenceKind::Conflict),
                (false, true) => Standing::Repaired,
                (false, false) => Standing::Differs(DifferenceKind::Changed),
            })
        };
        self.app.look(look).await
    }

    /// Pushes an event that waits or was never written.
    async fn write(
        &self,
        service: &Arc<dyn CalendarService>,
        id: OrganizationId,
        appointment: AppointmentId,
    ) -> Result<Standing, UseCaseError> {
        let now = self.app.clock.now();
        let raise = move |tx: &mut Tx<'_>| calendar_event::raise_again(tx, id, appointment, now);
        let raised: Result<(), balcao_store::StoreError> = self.app.store.write(raise).await;
        raised?;
        Ok(match push::push_event(&self.app, service, id, appointment).await? {
            Pushed::Current(_) | Pushed::Absent => Standing::Repaired,
            Pushed::Conflict(_) => Standing::Differs(DifferenceKind::Conflict),
            Pushed::Held | Pushed::Failed(_) | Pushed::Unknown(_) => Standing::Differs(DifferenceKind::NotPushed),
        })
    }

    /// Hands an event that is gone to staff, although no listing said so.
    async fn record_deleted(
        &self,
        id: OrganizationId,
        appointment: AppointmentId,
        known: KnownEvent,
    ) -> Result<(), UseCaseError> {
        let now = self.app.clock.now();
        let KnownEvent { calendar, event, version, .. } = known;
        let found = FoundConflict {
            appointment,
            kind: ConflictKind::Deleted,
            calendar,
            event,
            span: None,
            version,
            moved_from: None,
        };
        let accounts = Arc::clone(&self.app.notices);
        let record = move |tx: &mut Tx<'_>| {
            let news = conflict_reports::record(tx, id, &found, None, now)?;
            conflict_reports::alert(tx, id, news.as_slice(), &accounts, now)
        };
        self.app.store.write(record).await
    }
}

/// Both halves of a span, the first one last; `None` of an hour, which has no more events than a call reads in any calendar of a business.
fn halve(span: Span) -> Option<[Span; 2]> {
    let length = span.start.duration_until(span.end);
    if length <= SignedDuration::from_hours(1) {
        return None;
    }
    let middle = span.start.checked_add(length / 2).ok()?;
    Some([Span::new(middle, span.end), Span::new(span.start, middle)])
}

/// Which of our events show no appointment. A push that waits is about to record its event, and a copy is a conflict of its own.
fn find_without_appointment(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    ours: Vec<OutsideEvent>,
) -> Result<Vec<Difference>, UseCaseError> {
    let mut found = Vec::new();
    for event in ours {
        let known_by = event.series.as_ref().unwrap_or(&event.id);
        let marked = event.mark.as_ref().and_then(|mark| AppointmentId::try_from(mark.appointment).ok());
        let row = match calendar_event::find_by_event(tx, id, known_by)? {
            Some(row) => Some(row),
            None => marked.map(|marked| calendar_event::find(tx, id, marked)).transpose()?.flatten(),
        };
        if row.is_none_or(|row| row.known.is_none() && row.wanted <= row.pushed) {
            let (calendar, event) = (Some(event.calendar), Some(event.id));
            found.push(Difference { what: DifferenceKind::NoAppointment, appointment: None, calendar, event });
        }
    }
    Ok(found)
}

/// Whether a person has to do something before the service answers. If no calendar was read for other reasons, the comparison runs again an
/// hour later.
const fn is_lasting(error: &ServiceError) -> bool {
    matches!(
        error,
        ServiceError::Disconnected { .. }
            | ServiceError::NotFound { .. }
            | ServiceError::TooMany { .. }
            | ServiceError::Refused { .. }
    )
}

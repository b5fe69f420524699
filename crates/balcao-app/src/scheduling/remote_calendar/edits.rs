//! What becomes of an event that an external calendar lists as changed: time of other people, our own write, a move that is taken over, or a
//! conflict for staff. The rule is pure (`balcao_domain::outside_event`); this module reads what it needs and writes what it says.

use balcao_domain::calendar_push::{WantedEvent, find_written, is_late_transfer, is_own_write};
use balcao_domain::outside_event::{
    ConflictKind, Edit, EventMark, EventOwner, EventState, EventTime, OutsideEvent, ShownEvent, judge_collision,
    judge_edit,
};
use balcao_domain::{AppointmentId, OrganizationId, Span};
use balcao_store::scheduling::calendar_conflict::{self, FoundConflict, SeriesInstance, StoredConflict};
use balcao_store::scheduling::calendar_event::{self, CalendarEvent, KnownEvent};
use balcao_store::scheduling::calendar_mirror;
use balcao_store::{Tx, scheduling::appointment, turns::event};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::conflict_reports::{self, News};
use super::moves::{self, OutsideMove};
use super::occupancy::{busy_time, time_beside_visit};
use super::push;
use super::wanted::read_wanted_event;
use crate::context::app_context::{UseCaseError, organization};
use crate::context::notification_accounts::NotificationAccounts;

/// Appointments below an event, or its conflicts, that are read at once.
const PAGE: u32 = 100;

/// Whether an appointment may go to the time that a person gave its event; the appointment that stands there then, or `None` if the rules
/// of booking refuse it. It is the affair of booking, which this module does not know.
pub(super) type MoveRule =
    fn(&mut Tx<'_>, OrganizationId, AppointmentId, Span, Timestamp) -> Result<Option<AppointmentId>, UseCaseError>;

/// What the edits of one calendar are judged by.
pub(super) struct Edits<'a> {
    pub(super) organization: OrganizationId,
    /// Whose events are ours.
    pub(super) owner: &'a EventOwner,
    pub(super) calendar: &'a str,
    /// The zone of the business: whole days are its days.
    pub(super) zone: &'a TimeZone,
    /// The number of the reading.
    pub(super) generation: i64,
    pub(super) rule: MoveRule,
    /// By which staff learn of moves.
    pub(super) accounts: &'a NotificationAccounts,
    pub(super) now: Timestamp,
}

/// What an event made of our tables.
pub(super) struct Applied {
    /// The event that staff see: of an instance, its series.
    pub(super) event: String,
    /// Its conflicts that are not reported yet.
    pub(super) news: Vec<News>,
}

/// What follows from an edit.
#[derive(Default)]
struct Followed {
    news: Vec<News>,
    /// The appointment that took the place of the one that the event showed.
    moved_to: Option<AppointmentId>,
}

impl From<Vec<News>> for Followed {
    fn from(news: Vec<News>) -> Self {
        Self { news, moved_to: None }
    }
}

/// Applies one event; returns the conflicts that staff have to learn of.
pub(super) fn apply(tx: &mut Tx<'_>, edits: &Edits<'_>, event: &OutsideEvent) -> Result<Applied, UseCaseError> {
    let id = edits.organization;
    calendar_mirror::release(tx, id, edits.calendar, &event.id)?;
    let known = find_row_by_id(tx, edits, event)?;
    let signed = known.as_ref().map(|_| event.clone().signed_by(edits.owner));
    let event = signed.as_ref().unwrap_or(event);
    let row = if known.is_some() { known } else { find_row_by_mark(tx, edits, event)? };
    let Followed { news, moved_to } = follow(tx, edits, event, row.as_ref())?;
    let row = match moved_to {
        Some(appointment) => calendar_event::find(tx, id, appointment)?,
        None => row,
    };
    if let Some(row) = row {
        occupy_beside_visit(tx, edits, event, &row)?;
    }
    Ok(Applied { event: seen_as(event).to_owned(), news })
}

/// The event that staff see: people edit a series as one.
fn seen_as(event: &OutsideEvent) -> &str {
    event.series.as_ref().unwrap_or(&event.id)
}

/// Does what an event means, for the row of the appointment that it shows.
fn follow(
    tx: &mut Tx<'_>,
    edits: &Edits<'_>,
    event: &OutsideEvent,
    row: Option<&CalendarEvent>,
) -> Result<Followed, UseCaseError> {
    let id = edits.organization;
    let shown = row.and_then(|row| Some(push::shown(edits.owner, row.known.clone()?)));
    if let Some(row) = row.filter(|row| is_restored(row, event)) {
        // Nothing says that the visit is on again: the event takes its time, and staff decide.
        let is_reported = calendar_mirror::holds(tx, id, (edits.calendar, &event.id), edits.now)?;
        let news = foreign(tx, edits, event, None)?;
        if !is_reported && busy_time(event, edits.zone).is_some_and(|busy| busy.span.end > edits.now) {
            conflict_reports::report_restored(tx, id, row.appointment, edits.accounts, edits.now)?;
        }
        return Ok(news.into());
    }
    if let Some(row) = row.filter(|row| is_late(row, event)) {
        return adopt(tx, edits, event, row);
    }
    if let (Some(row), Some(shown)) = (row, &shown)
        && push::sent_to(row, edits.now).is_some_and(|sent_to| is_late_transfer(event, shown, sent_to))
    {
        // The push brings it back, and finds out whether a person deleted it.
        calendar_event::raise_to_write(tx, id, row.appointment, edits.now)?;
        return Ok(Followed::default());
    }
    if let (Some(row), Some(shown)) = (row, &shown)
        && row.wanted > row.pushed
        && is_own_write(event, read_wanted_event(tx, id, row.appointment)?.as_ref(), shown)
    {
        // The push that waits takes it from here.
        return Ok(Followed::default());
    }
    if let (Some(row), Some(shown)) = (row, &shown)
        && event.state == EventState::Cancelled
        && event.id == shown.id
        && event.calendar != shown.calendar
    {
        leave_other_calendar(tx, edits, event, row)?;
        return Ok(Followed::default());
    }
    let written = match (row, shown) {
        (Some(row), Some(shown)) => Some(read_written(tx, edits, event, row, shown)?),
        (_, shown) => shown,
    };
    let edit = judge_edit(event, written.as_ref(), edits.owner);
    do_edit(tx, edits, event, row, (edit, written))
}

/// Our event as a push left it whose answer was lost: under another number than is known, at the time of that appointment. If no push wrote
/// its number, it is as it is known.
fn read_written(
    tx: &mut Tx<'_>,
    edits: &Edits<'_>,
    event: &OutsideEvent,
    row: &CalendarEvent,
    known: ShownEvent,
) -> Result<ShownEvent, UseCaseError> {
    let wanted = read_wanted_event(tx, edits.organization, row.appointment)?;
    if event.id == known.id
        && event.version != known.version
        && let Some(wanted) = wanted.as_ref().filter(|wanted| is_as_wanted(event, wanted))
    {
        // Staff let stand that it differed, and the person took that back.
        let WantedEvent { calendar, span, mark } = wanted.clone();
        return Ok(ShownEvent { calendar, span, mark, ..known });
    }
    let Some(mark) = event.mark.as_ref().filter(|mark| event.id == known.id && **mark != known.mark) else {
        return Ok(known);
    };
    let earlier = push::list_earlier(tx, edits.organization, row.appointment)?;
    let span = Some(mark).filter(|mark| mark.owner == known.mark.owner);
    let span = span.and_then(|mark| find_written(mark, wanted.as_ref(), &known, &earlier));
    Ok(match span {
        Some(span) => ShownEvent { span, mark: mark.clone(), ..known },
        None => known,
    })
}

/// Takes an event that an insert without an answer made. If a person changed it since, it is judged as any edit.
fn adopt(
    tx: &mut Tx<'_>,
    edits: &Edits<'_>,
    event: &OutsideEvent,
    row: &CalendarEvent,
) -> Result<Followed, UseCaseError> {
    let (id, appointment) = (edits.organization, row.appointment);
    let wanted = read_wanted_event(tx, id, appointment)?;
    let span = wanted.as_ref().map(|wanted| wanted.span);
    let Some(span) = span.or_else(|| event.time.and_then(|time| time.span(edits.zone))) else {
        return Ok(Followed::default());
    };
    let mark = EventMark { owner: edits.owner.clone(), appointment: appointment.into() };
    let (calendar, event_id, version) = (event.calendar.clone(), event.id.clone(), event.version.clone());
    let shown = ShownEvent { calendar, id: event_id, version, span, mark };
    // A push that holds the row finds the event itself.
    let is_adopted = calendar_event::adopt_late(tx, id, appointment, &push::known(&shown), edits.now)?;
    if !is_adopted || wanted.is_none() {
        return Ok(Followed::default());
    }
    let unseen = ShownEvent { version: String::new(), ..shown.clone() };
    let edit = judge_edit(event, Some(&unseen), edits.owner);
    if edit == Edit::Harmless {
        return Ok(Followed::default());
    }
    let row = calendar_event::find(tx, id, appointment)?;
    let followed = do_edit(tx, edits, event, row.as_ref(), (edit, Some(shown)))?;
    if followed.moved_to.is_none()
        && let Some(busy) = busy_time(event, edits.zone)
    {
        calendar_mirror::put(tx, id, &busy, edits.generation)?;
    }
    Ok(followed)
}

/// Does what the edit of an event means.
fn do_edit(
    tx: &mut Tx<'_>,
    edits: &Edits<'_>,
    event: &OutsideEvent,
    row: Option<&CalendarEvent>,
    (edit, shown): (Edit, Option<ShownEvent>),
) -> Result<Followed, UseCaseError> {
    let id = edits.organization;
    match (edit, row, shown) {
        (Edit::Echo, row, _) => {
            // A push may have put it back from where it lay on other visits.
            if row.is_some() {
                end_passed_collisions(tx, edits, event)?;
            }
            Ok(Followed::default())
        }
        (Edit::Harmless, Some(row), Some(shown)) => {
            let seen = ShownEvent { version: event.version.clone(), ..shown.clone() };
            calendar_event::record_seen(tx, id, row.appointment, &shown.version, &push::known(&seen))?;
            end_undone(tx, edits, event, row)?;
            end_passed_collisions(tx, edits, event)?;
            Ok(Followed::default())
        }
        (Edit::Moved { to }, Some(row), Some(shown)) => take_over(tx, edits, event, (row, &shown), to),
        (Edit::Conflict(ConflictKind::Copied), Some(row), _) => {
            let mut news = foreign(tx, edits, event, Some(row.appointment))?;
            // The copy of a visit that ended or began takes its time like any other event.
            let currency = organization(tx, id)?.0.currency;
            let visit = appointment::find(tx, id, row.appointment, currency)?;
            if visit.is_some_and(|visit| visit.is_to_come(edits.now)) {
                news.extend(conflict(tx, edits, event, row.appointment, ConflictKind::Copied)?);
            }
            Ok(news.into())
        }
        (Edit::Conflict(kind), Some(row), Some(_)) => {
            let mut news: Vec<News> = conflict(tx, edits, event, row.appointment, kind)?.into_iter().collect();
            news.extend(collide(tx, edits, event, Some(row.appointment))?);
            Ok(news.into())
        }
        // The mark names no appointment of ours: the event takes its time like any other.
        (Edit::Foreign | Edit::Harmless | Edit::Moved { .. } | Edit::Conflict(_), ..) => {
            Ok(foreign(tx, edits, event, None)?.into())
        }
    }
}

/// Ends the conflict of an appointment with its own event, which is as it is known. What a push found is known too: at the time of the
/// conflict, the conflict stands. If the appointment moved or ended meanwhile, the event follows it.
fn end_undone(
    tx: &mut Tx<'_>,
    edits: &Edits<'_>,
    event: &OutsideEvent,
    row: &CalendarEvent,
) -> Result<(), UseCaseError> {
    use ConflictKind::{Lengthened, MovedAndResized, RefusedMove, Shortened};
    let (id, now) = (edits.organization, edits.now);
    let span = event.time.and_then(|time| time.span(edits.zone));
    let is_still = |one: &StoredConflict| {
        let is_about_time = matches!(one.found.kind, RefusedMove | MovedAndResized | Shortened | Lengthened);
        one.found.appointment == row.appointment && is_about_time && one.found.span == span
    };
    if list_open_conflicts(tx, id, &event.id)?.iter().any(is_still) {
        return Ok(());
    }
    let which = (edits.calendar, event.id.as_str());
    let ended = calendar_conflict::resolve_own(tx, id, row.appointment, which, "the event is as it was", now)?;
    let wanted = read_wanted_event(tx, id, row.appointment)?;
    if ended > 0 && wanted.is_none_or(|wanted| event.mark.as_ref() != Some(&wanted.mark)) {
        calendar_event::raise_again(tx, id, row.appointment, now)?;
    }
    Ok(())
}

/// Whether an event is exactly as its appointment wants it.
fn is_as_wanted(event: &OutsideEvent, wanted: &WantedEvent) -> bool {
    let is_in_place = event.calendar == wanted.calendar && event.time == Some(EventTime::Timed(wanted.span));
    is_in_place
        && event.state == EventState::Busy
        && event.series.is_none()
        && event.mark.as_ref() == Some(&wanted.mark)
}

/// The row of the appointment that an event is known to show, by its id or by that of its series.
fn find_row_by_id(
    tx: &mut Tx<'_>,
    edits: &Edits<'_>,
    event: &OutsideEvent,
) -> Result<Option<CalendarEvent>, UseCaseError> {
    for known_by in [Some(&event.id), event.series.as_ref()].into_iter().flatten() {
        if let Some(row) = calendar_event::find_by_event(tx, edits.organization, known_by)? {
            return Ok(Some(row));
        }
    }
    Ok(None)
}

/// The row of the appointment that the mark of an event names.
fn find_row_by_mark(
    tx: &mut Tx<'_>,
    edits: &Edits<'_>,
    event: &OutsideEvent,
) -> Result<Option<CalendarEvent>, UseCaseError> {
    let marked = event.mark.as_ref().filter(|_| event.is_of(edits.owner));
    let Some(appointment) = marked.and_then(|mark| AppointmentId::try_from(mark.appointment).ok()) else {
        return Ok(None);
    };
    Ok(calendar_event::find(tx, edits.organization, appointment)?)
}

/// Whether a person restored an event that we had deleted, because its visit wants none.
fn is_restored(row: &CalendarEvent, event: &OutsideEvent) -> bool {
    row.known.is_none() && event.state != EventState::Cancelled && row.removed_event.as_ref() == Some(&event.id)
}

/// Whether an event is our own insert, of which the push does not know yet that it arrived.
fn is_late(row: &CalendarEvent, event: &OutsideEvent) -> bool {
    let number = event.id.strip_prefix(row.seed.as_str()).and_then(|rest| rest.strip_prefix('n'));
    row.known.is_none()
        && event.state != EventState::Cancelled
        && number.is_some_and(|number| number.parse::<i64>().is_ok())
}

/// The time of an event of other people, or of the copy of the one that shows an appointment. One that lies on other appointments is for
/// staff.
fn foreign(
    tx: &mut Tx<'_>,
    edits: &Edits<'_>,
    event: &OutsideEvent,
    shown: Option<AppointmentId>,
) -> Result<Vec<News>, UseCaseError> {
    let id = edits.organization;
    let Some(busy) = busy_time(event, edits.zone) else {
        calendar_mirror::remove(tx, id, edits.calendar, &event.id)?;
        if shown.is_none() {
            resolve(tx, edits, event, "the event takes no time any more")?;
        } else {
            // A copy that takes no time is a copy.
            end_passed_collisions(tx, edits, event)?;
        }
        return Ok(Vec::new());
    };
    calendar_mirror::put(tx, id, &busy, edits.generation)?;
    collide(tx, edits, event, shown)
}

/// Our event left a calendar that is not its own: a person deleted it there, or moved it on. Where it should be, only a push can
/// say which.
fn leave_other_calendar(
    tx: &mut Tx<'_>,
    edits: &Edits<'_>,
    event: &OutsideEvent,
    row: &CalendarEvent,
) -> Result<(), UseCaseError> {
    let id = edits.organization;
    let mut open = list_open_conflicts(tx, id, &event.id)?;
    open.retain(|one| one.found.kind == ConflictKind::OtherCalendar);
    calendar_mirror::remove(tx, id, edits.calendar, &event.id)?;
    resolve(tx, edits, event, "the event is not in this calendar any more")?;
    if !open.is_empty() && open.iter().all(|one| one.found.calendar == edits.calendar) {
        calendar_event::raise_to_write(tx, id, row.appointment, edits.now)?;
    }
    Ok(())
}

/// The conflicts of an event with the visits that it lies on, besides the visit that it shows.
fn collide(
    tx: &mut Tx<'_>,
    edits: &Edits<'_>,
    event: &OutsideEvent,
    shown: Option<AppointmentId>,
) -> Result<Vec<News>, UseCaseError> {
    end_passed_collisions(tx, edits, event)?;
    let Some(busy) = busy_time(event, edits.zone) else { return Ok(Vec::new()) };
    let (mut news, mut after) = (Vec::new(), (Timestamp::MIN, 0));
    loop {
        let touched =
            calendar_mirror::list_touched(tx, edits.organization, edits.calendar, busy.span, edits.now, after, PAGE)?;
        let Some((last, taken)) = touched.last() else { return Ok(news) };
        after = (taken.start, (*last).into());
        for (appointment, taken) in touched.into_iter().filter(|(one, _)| Some(*one) != shown) {
            if let Some(kind) = judge_collision(event, edits.zone, taken) {
                news.extend(conflict(tx, edits, event, appointment, kind)?);
            }
        }
    }
}

/// All open conflicts of an event, in whatever calendar.
fn list_open_conflicts(tx: &mut Tx<'_>, id: OrganizationId, event: &str) -> Result<Vec<StoredConflict>, UseCaseError> {
    let (mut all, mut after) = (Vec::new(), 0);
    loop {
        let page = calendar_conflict::list_open_of_event(tx, id, event, after, PAGE)?;
        let Some(last) = page.last() else { return Ok(all) };
        after = last.id;
        all.extend(page);
    }
}

/// Ends the conflicts of an event with visits that it does not touch any more: a person moved it away, or it was put back.
fn end_passed_collisions(tx: &mut Tx<'_>, edits: &Edits<'_>, event: &OutsideEvent) -> Result<(), UseCaseError> {
    let id = edits.organization;
    for one in list_open_conflicts(tx, id, seen_as(event))? {
        if !one.found.kind.is_collision() || one.found.calendar != edits.calendar {
            continue;
        }
        let currency = organization(tx, id)?.0.currency;
        let visit = appointment::find(tx, id, one.found.appointment, currency)?;
        if visit
            .is_some_and(|visit| visit.status.holds_slot() && judge_collision(event, edits.zone, visit.span).is_some())
        {
            continue;
        }
        // Of a series, another instance may still touch the visit.
        if event.series.is_none() || calendar_conflict::remove_instance(tx, id, one.id, &event.id)? {
            calendar_conflict::resolve(tx, id, one.id, "the event is elsewhere now", edits.now)?;
        }
    }
    Ok(())
}

/// Brings our copy up to date about the time that our own event takes beside its visit.
fn occupy_beside_visit(
    tx: &mut Tx<'_>,
    edits: &Edits<'_>,
    event: &OutsideEvent,
    row: &CalendarEvent,
) -> Result<(), UseCaseError> {
    let id = edits.organization;
    let shows = |known: &KnownEvent| known.event == event.id || event.series.as_ref() == Some(&known.event);
    // A copy is an event of its own.
    if !row.known.as_ref().is_some_and(shows) {
        return Ok(());
    }
    let visit = read_wanted_event(tx, id, row.appointment)?;
    let open = list_open_conflicts(tx, id, seen_as(event))?;
    let is_for_staff = open.iter().any(|one| one.found.appointment == row.appointment);
    match time_beside_visit(event, visit.as_ref(), edits.zone) {
        // A push that waits is about to write the event, unless staff decide about it.
        Some(_) if row.wanted > row.pushed && !is_for_staff => {}
        Some(busy) => calendar_mirror::put(tx, id, &busy, edits.generation)?,
        None => calendar_mirror::remove(tx, id, edits.calendar, &event.id)?,
    }
    Ok(())
}

/// A person moved the event of an appointment: the appointment follows, if the rules of booking let it.
fn take_over(
    tx: &mut Tx<'_>,
    edits: &Edits<'_>,
    event: &OutsideEvent,
    (row, shown): (&CalendarEvent, &ShownEvent),
    to: Span,
) -> Result<Followed, UseCaseError> {
    let (id, now) = (edits.organization, edits.now);
    let earlier = calendar_conflict::find_move(tx, id, row.appointment)?;
    let Some(appointment) = (edits.rule)(tx, id, row.appointment, to, now)? else {
        let mut news: Vec<News> =
            conflict(tx, edits, event, row.appointment, ConflictKind::RefusedMove)?.into_iter().collect();
        news.extend(collide(tx, edits, event, Some(row.appointment))?);
        return Ok(news.into());
    };
    let seen = ShownEvent { version: event.version.clone(), span: to, ..shown.clone() };
    calendar_event::record_seen(tx, id, appointment, &shown.version, &push::known(&seen))?;
    let payload = serde_json::json!({ "new": appointment }).to_string();
    event::push(tx, id, "appointment_moved_outside", &row.appointment.to_string(), &payload, now)?;
    resolve(tx, edits, event, "the appointment went where the event is")?;
    // While staff had to decide, the event was left as it is.
    calendar_event::raise_again(tx, id, appointment, now)?;
    let (calendar, old) = (edits.calendar, row.appointment);
    let moved = OutsideMove { organization: id, calendar, earlier, old, new: appointment, to };
    moves::report(tx, &moved, edits.accounts, now)?;
    Ok(Followed { news: Vec::new(), moved_to: Some(appointment) })
}

fn conflict(
    tx: &mut Tx<'_>,
    edits: &Edits<'_>,
    event: &OutsideEvent,
    appointment: AppointmentId,
    kind: ConflictKind,
) -> Result<Option<News>, UseCaseError> {
    if is_told_elsewhere(tx, edits, event, kind)? {
        return Ok(None);
    }
    let found = FoundConflict {
        appointment,
        kind,
        calendar: edits.calendar.to_owned(),
        event: seen_as(event).to_owned(),
        span: event.time.and_then(|time| time.span(edits.zone)),
        version: event.version.clone(),
        moved_from: None,
    };
    let instance = event.series.as_ref().map(|_| SeriesInstance { event: event.id.clone(), span: found.span });
    // Another's event, or a series of ours, stays as it is when staff let it stand. Of our event, its row knows so.
    if !kind.is_about_ours() && calendar_conflict::is_accepted(tx, edits.organization, &found, instance.as_ref())? {
        return Ok(None);
    }
    conflict_reports::record(tx, edits.organization, &found, instance.as_ref(), edits.now)
}

/// An event that went into another calendar is deleted in the one where it was: of the two, staff decide about the first.
fn is_told_elsewhere(
    tx: &mut Tx<'_>,
    edits: &Edits<'_>,
    event: &OutsideEvent,
    kind: ConflictKind,
) -> Result<bool, UseCaseError> {
    if !matches!(kind, ConflictKind::Deleted | ConflictKind::OtherCalendar) {
        return Ok(false);
    }
    let id = edits.organization;
    let open = list_open_conflicts(tx, id, &event.id)?;
    if kind == ConflictKind::Deleted {
        return Ok(open.iter().any(|one| one.found.kind == ConflictKind::OtherCalendar));
    }
    let is_before = |one: &&StoredConflict| one.found.kind.is_about_ours() && one.found.calendar != edits.calendar;
    for one in open.iter().filter(is_before) {
        calendar_conflict::resolve(tx, id, one.id, "the event is in another calendar", edits.now)?;
    }
    Ok(false)
}

fn resolve(tx: &mut Tx<'_>, edits: &Edits<'_>, event: &OutsideEvent, how: &str) -> Result<(), UseCaseError> {
    let which = (edits.calendar, event.id.as_str());
    calendar_conflict::resolve_of_event(tx, edits.organization, which, how, edits.now)?;
    Ok(())
}

//! What people did to bookings in external calendars, and what staff can do about it.
//!
//! The ways: what was done outside holds, ours is put back, the customer moves, or the booking is cancelled. A move that the appointment
//! followed is in the list too, until a person sent the customer its message or chose not to. [`CalendarConflicts::find`] rehearses what
//! [`CalendarConflicts::resolve`] does, so it lists exactly the ways that can be taken, each with the customer's message and how it would
//! leave. Nothing is sent before a person chose.

mod choices;

use std::sync::Arc;

use balcao_domain::outside_event::ConflictKind;
use balcao_domain::scheduling::CalendarDown;
use balcao_domain::{AppointmentId, AppointmentStatus, ContactId, OrganizationId, Span};
use balcao_store::ops::audit::{self, AuditEntry};
use balcao_store::scheduling::calendar_conflict::{self, FoundConflict, StoredConflict};
use balcao_store::scheduling::calendar_event::{self, KnownEvent};
use balcao_store::scheduling::{appointment, calendar_mirror, catalog};
use balcao_store::{Tx, crm::contact, crm::staff};
use choices::{list_choices, way_of};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use serde::{Deserialize, Serialize};

use crate::context::app_context::{AppContext, UseCaseError, granted, organization, undo};
use crate::context::notification_accounts::NotificationAccounts;
use crate::context::page::cut;
use crate::context::staff_email::Actor;
use crate::messaging::outbound::reach::AccountPolicies;
use crate::scheduling::appointments::{AppointmentView, view};
use crate::scheduling::booking::freshness::{self, Whose};
use crate::scheduling::booking::remote_move::{self, BegunMove, RemoteMove};
use crate::scheduling::booking::staff_move::ResolvedByMove;
use crate::scheduling::remote_calendar::push;
use crate::scheduling::ways_out::{self, Act, ChangeNotice, ResolveRefusal, Resolved};

/// A booking that a person changed outside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CalendarConflict {
    /// Its number.
    pub id: i64,
    /// What the person did.
    pub kind: ConflictKind,
    /// The booking, as it stands.
    pub appointment: AppointmentView,
    /// Of a move, the booking as the customer knows it.
    pub known: Option<AppointmentView>,
    /// Whose it is.
    pub contact: ContactId,
    /// Their name, where it is known.
    pub contact_name: Option<String>,
    /// The local time at which the event begins now, if it is anywhere.
    pub event_from: Option<DateTime>,
    /// The local time at which it ends.
    pub event_to: Option<DateTime>,
    /// Of a recurring series, the local times of the instances that are known, in order, at most [`calendar_conflict::MAX_INSTANCES`].
    pub instances: Vec<InstanceTime>,
    /// When it was found.
    pub found_at: Timestamp,
}

/// When an instance of a series is, in local time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct InstanceTime {
    /// When it begins.
    pub from: DateTime,
    /// When it ends.
    pub to: DateTime,
}

/// Some of the open conflicts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConflictPage {
    /// Oldest first.
    pub items: Vec<CalendarConflict>,
    /// The number that the next page begins behind; `None` on the last one.
    pub next: Option<i64>,
}

/// A conflict with what staff can do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConflictWays {
    /// The conflict.
    pub conflict: CalendarConflict,
    /// Exactly the ways that can be taken now.
    pub ways: Vec<ConflictWay>,
}

/// A way that can be taken, with what follows from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConflictWay {
    /// What staff choose.
    #[serde(flatten)]
    pub choice: ConflictChoice,
    /// What becomes of the booking.
    pub effect: BookingEffect,
    /// The booking afterwards.
    pub appointment: AppointmentView,
    /// What the customer would read, and how it would reach them at what price; `None` if they would read nothing.
    pub notice: Option<ChangeNotice>,
}

/// What becomes of the booking of a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BookingEffect {
    /// It stays as it is.
    Stays,
    /// It gets another time or professional.
    Moves,
    /// It is cancelled.
    Ends,
}

impl BookingEffect {
    /// The word that programs read.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stays => "stays",
            Self::Moves => "moves",
            Self::Ends => "ends",
        }
    }
}

/// What staff choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "choice", rename_all = "snake_case")]
pub enum ConflictChoice {
    /// What was done outside holds: a deleted event cancels its booking, a moved one moves it, and anything else stays as it is. Of a move
    /// that the appointment followed, only the message to the customer is missing.
    #[serde(rename = "take")]
    TakeOutside,
    /// Our event is put back as it was.
    Restore,
    /// The booking is cancelled.
    Cancel,
    /// The customer moves.
    Move {
        /// The new local date.
        date: Date,
        /// The new local time, in minutes since midnight.
        start_min: u16,
        /// The professional by name; as before, if absent.
        professional: Option<String>,
    },
}

/// Why a conflict was not resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum ConflictRefusal {
    /// No open conflict has that number.
    #[error("unknown conflict {id}; `balcao calendar conflicts` shows the open ones")]
    NotFound {
        /// As given.
        id: i64,
    },
    /// The person changed the event again since the conflict was looked at.
    #[error("conflict {id} changed since; look at it again: `balcao calendar ways-out {id}`")]
    Changed {
        /// Which.
        id: i64,
    },
    /// The event is another person's, or its calendar is not linked any more.
    #[error("cannot put back the event of conflict {id}: it is not ours; take it as it is, or move the customer")]
    NotOurs {
        /// Which.
        id: i64,
    },
    /// The booking cannot be changed so.
    #[error(transparent)]
    Booking(#[from] ResolveRefusal),
}

/// A conflict that was resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResolvedConflict {
    /// Its number.
    pub id: i64,
    /// The booking, if the choice changed it, with the message to the customer.
    pub booking: Option<Resolved>,
}

/// Lists conflicts with external calendars, and resolves them.
#[derive(Debug, Clone)]
pub struct CalendarConflicts {
    app: AppContext,
    policies: AccountPolicies,
}

impl CalendarConflicts {
    /// Over the application context, with the policies on which messages leave.
    #[must_use]
    pub fn new(app: AppContext, policies: AccountPolicies) -> Self {
        Self { app, policies }
    }

    /// A page of the open conflicts, oldest first: at most `limit` behind the number `after`. It may hold fewer and yet not be the last one.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn page(&self, id: OrganizationId, after: Option<i64>, limit: u32) -> Result<ConflictPage, UseCaseError> {
        let list = move |tx: &mut Tx<'_>, now| {
            let mut found = calendar_conflict::list_open(tx, id, after.unwrap_or(0), limit.saturating_add(1))?;
            let next = cut(&mut found, limit).map(|last| last.id);
            let mut items = Vec::new();
            for stored in &found {
                items.extend(show(tx, id, stored, now)?);
            }
            Ok(ConflictPage { items, next })
        };
        self.app.look(list).await
    }

    /// What staff can do about one conflict. Nothing changes.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed, or if an external calendar does not answer and its copy is too old; inside, why there is
    /// nothing to do.
    pub async fn find(
        &self,
        id: OrganizationId,
        number: i64,
    ) -> Result<Result<ConflictWays, ConflictRefusal>, UseCaseError> {
        let stored = granted!(self.open(id, number).await?);
        freshness::freshen_before(&self.app, id, Whose::Everybody).await?;
        // The reading may have found that the event is elsewhere now.
        let stored = granted!(self.open(id, stored.id).await?);
        let (accounts, policies) = (Arc::clone(&self.app.notices), self.policies.clone());
        let rehearse = move |tx: &mut Tx<'_>, now| {
            let Some(conflict) = show(tx, id, &stored, now)? else {
                return Ok(Err(ConflictRefusal::NotFound { id: number }));
            };
            let mut ways: Vec<ConflictWay> = Vec::new();
            for choice in list_choices(tx, id, &conflict, now)? {
                let by = Actor::Operator;
                let decision = Decision { organization: id, stored: &stored, choice: &choice, notify: true, by: &by };
                let would = undo(tx, |tx| {
                    let begun = granted!(end_conflict(tx, &decision, &accounts, &policies, now)?);
                    begun.end(tx, id, &accounts, now).map(Ok)
                })?;
                let Ok(booking) = would else { continue };
                let way = foresee(choice, &conflict.appointment, booking);
                // Of a deleted event, what was done outside is the cancellation.
                let is_known =
                    |one: &ConflictWay| one.effect == BookingEffect::Ends && way.effect == BookingEffect::Ends;
                if !ways.iter().any(is_known) {
                    ways.push(way);
                }
            }
            Ok(Ok(ConflictWays { conflict, ways }))
        };
        self.app.rehearse(rehearse).await
    }

    /// Resolves a conflict. The customer gets the message of a move or a cancellation if `notify` says so.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, why nothing was done.
    pub async fn resolve(
        &self,
        id: OrganizationId,
        number: i64,
        choice: ConflictChoice,
        notify: bool,
        by: Actor,
    ) -> Result<Result<ResolvedConflict, ConflictRefusal>, UseCaseError> {
        let stored = granted!(self.open(id, number).await?);
        if stored.found.kind == ConflictKind::Deleted {
            // It may be in another calendar, which was not read since.
            freshness::freshen_before(&self.app, id, Whose::Everybody).await?;
        }
        let (found, wanted) = (stored.found.clone(), choice.clone());
        if let Some(way) = self.app.look(move |tx, _now| way_of(tx, id, &found, &wanted)).await? {
            ways_out::freshen_before(&self.app, id, stored.found.appointment, &way).await?;
        }
        let which = stored.found.appointment;
        let wanted = ConflictMove { organization: id, stored, choice, notify, by, policies: self.policies.clone() };
        // Whatever the choice is: only a move waits for the calendar.
        let booking = granted!(remote_move::move_by_staff(&self.app, None, wanted).await?);
        self.push(id, booking.as_ref().map_or(which, |resolved| resolved.appointment.id)).await;
        Ok(Ok(ResolvedConflict { id: number, booking }))
    }

    /// Makes the event as its appointment is; if the service fails now, the worker goes on.
    async fn push(&self, id: OrganizationId, appointment: AppointmentId) {
        if let Some(service) = &self.app.remote_calendar
            && let Err(error) = push::push_event(&self.app, service, id, appointment).await
        {
            tracing::warn!(organization = %id, %error, "event of a resolved conflict not pushed");
        }
    }

    async fn open(
        &self,
        id: OrganizationId,
        number: i64,
    ) -> Result<Result<StoredConflict, ConflictRefusal>, UseCaseError> {
        let found = self.app.look(move |tx, _now| Ok(calendar_conflict::find(tx, id, number)?)).await?;
        Ok(found.filter(|one| one.resolution.is_none()).ok_or(ConflictRefusal::NotFound { id: number }))
    }
}

/// What a person decided about a conflict, as a move that may have to be taken back.
#[derive(Debug, Clone)]
struct ConflictMove {
    organization: OrganizationId,
    stored: StoredConflict,
    choice: ConflictChoice,
    notify: bool,
    by: Actor,
    policies: AccountPolicies,
}

impl RemoteMove for ConflictMove {
    type Done = Option<Resolved>;
    type Refusal = ConflictRefusal;

    fn organization(&self) -> OrganizationId {
        self.organization
    }

    fn begin(
        &self,
        tx: &mut Tx<'_>,
        accounts: &NotificationAccounts,
        now: Timestamp,
    ) -> Result<Result<BegunMove<Option<Resolved>>, ConflictRefusal>, UseCaseError> {
        let Self { organization, stored, choice, notify, by, policies } = self;
        let decision = Decision { organization: *organization, stored, choice, notify: *notify, by };
        end_conflict(tx, &decision, accounts, policies, now)
    }

    fn refuse_taken(
        &self,
        tx: &mut Tx<'_>,
        old: AppointmentId,
        now: Timestamp,
    ) -> Result<ConflictRefusal, UseCaseError> {
        let way = way_of(tx, self.organization, &self.stored.found, &self.choice)?;
        Ok(ConflictRefusal::Booking(ways_out::refuse_taken(tx, self.organization, way.as_ref(), old, now)?))
    }

    /// As every act of staff.
    fn stands_unsure(&self, _when_down: CalendarDown) -> bool {
        true
    }
}

/// What a person decided about a conflict.
struct Decision<'a> {
    organization: OrganizationId,
    stored: &'a StoredConflict,
    choice: &'a ConflictChoice,
    /// Whether the customer reads of it.
    notify: bool,
    by: &'a Actor,
}

impl Decision<'_> {
    /// How the conflict ends, for the audit log.
    const fn how(&self) -> &'static str {
        match self.choice {
            ConflictChoice::TakeOutside if self.stored.found.moved_from.is_none() => calendar_conflict::OUTSIDE_HOLDS,
            ConflictChoice::TakeOutside if self.notify => "the customer was told",
            ConflictChoice::TakeOutside => "the customer was not told",
            ConflictChoice::Restore => "ours was put back",
            ConflictChoice::Cancel => "the booking was cancelled",
            ConflictChoice::Move { .. } => calendar_conflict::CUSTOMER_MOVED,
        }
    }

    /// The row of the audit log.
    fn entry(&self, by: &str, now: Timestamp) -> AuditEntry {
        self.resolved_by_move().entry(by, self.stored.found.appointment, now)
    }

    /// The conflict, as a move that resolves it keeps it.
    fn resolved_by_move(&self) -> ResolvedByMove {
        let found = &self.stored.found;
        ResolvedByMove {
            number: self.stored.id,
            is_about_ours: found.moved_from.is_none() && found.kind.is_about_ours(),
            found: serde_json::json!({ "conflict": found.kind }).to_string(),
            resolution: serde_json::json!({ "resolution": self.how() }).to_string(),
        }
    }
}

/// Ends a conflict as a person decided, in a transaction of the caller: the row of the conflict is locked first. Returns the booking if it
/// changed or its customer reads of it; a move is not announced yet. The customer of a move reads nothing if the appointment goes back to the time that they know.
fn end_conflict(
    tx: &mut Tx<'_>,
    decision: &Decision<'_>,
    accounts: &NotificationAccounts,
    policies: &AccountPolicies,
    now: Timestamp,
) -> Result<Result<BegunMove<Option<Resolved>>, ConflictRefusal>, UseCaseError> {
    let Decision { organization: id, stored, choice, notify, by } = *decision;
    let found = &stored.found;
    if *choice == ConflictChoice::Restore && !found.kind.is_about_ours() {
        return Ok(Err(ConflictRefusal::NotOurs { id: stored.id }));
    }
    if !calendar_conflict::resolve(tx, id, stored.id, decision.how(), now)? {
        return Ok(Err(ConflictRefusal::NotFound { id: stored.id }));
    }
    // A reading since may have found the event elsewhere: what was chosen was chosen for what it was. A title may be another.
    let current = calendar_conflict::find(tx, id, stored.id)?;
    let is_as_seen =
        |current: &StoredConflict| FoundConflict { version: found.version.clone(), ..current.found.clone() } == *found;
    let Some(stored) = current.filter(is_as_seen) else {
        return Ok(Err(ConflictRefusal::Changed { id: stored.id }));
    };
    let found = &stored.found;
    let (way, is_report) = (way_of(tx, id, found, choice)?, found.moved_from.is_some());
    let mut begun = BegunMove::Done(None);
    if way.is_some() && *choice == ConflictChoice::TakeOutside {
        // Beside its visit, our event takes its time as another's does; it must not keep the visit away that follows it.
        calendar_mirror::remove(tx, id, &found.calendar, &found.event)?;
    }
    if way.is_some() || is_report {
        let act = Act { organization: id, id: found.appointment, known: found.moved_from, way, notify, by: by.clone() };
        begun = match ways_out::begin(tx, &act, accounts, policies, now)? {
            // A booking that has begun or ended needs no message; its report can still be put away in silence.
            Err(ResolveRefusal::Begun { .. } | ResolveRefusal::Ended { .. } | ResolveRefusal::Moved { .. })
                if act.way.is_none() && !notify =>
            {
                BegunMove::Done(None)
            }
            other => granted!(other.map_err(ConflictRefusal::Booking)).map(Some),
        };
    }
    let people = staff::list(tx, id)?;
    let by = granted!(by.identify(&people).map_err(|unknown| ConflictRefusal::Booking(unknown.into())));
    if !is_report {
        let now_at = begun.done().as_ref().map_or(found.appointment, |resolved| resolved.appointment.id);
        let fate = match choice {
            ConflictChoice::TakeOutside => EventFate::Stays,
            ConflictChoice::Cancel => EventFate::Follows,
            ConflictChoice::Restore => EventFate::Restored,
            // To where it is: the event is put back there.
            ConflictChoice::Move { .. } if now_at == found.appointment && found.kind.is_about_ours() => {
                EventFate::Restored
            }
            ConflictChoice::Move { .. } => EventFate::Follows,
        };
        know_event(tx, id, &stored, now_at, fate, now)?;
    }
    let move_of_staff = match &mut begun {
        BegunMove::Made(made) => made.staff_move(),
        BegunMove::Done(_) => None,
    };
    match move_of_staff {
        Some(staff) => staff.conflict = Some(decision.resolved_by_move()),
        None => audit::append(tx, id, &decision.entry(by.name(), now))?,
    }
    Ok(Ok(begun))
}

/// What follows from a choice that was rehearsed.
fn foresee(choice: ConflictChoice, before: &AppointmentView, booking: Option<Resolved>) -> ConflictWay {
    let (appointment, notice) =
        booking.map_or_else(|| (before.clone(), None), |resolved| (resolved.appointment, resolved.notice));
    let is_cancelled = |view: &AppointmentView| view.status == AppointmentStatus::Cancelled;
    let effect = if is_cancelled(&appointment) && !is_cancelled(before) {
        BookingEffect::Ends
    } else if appointment.id == before.id {
        BookingEffect::Stays
    } else {
        BookingEffect::Moves
    };
    // A rehearsal gives a moved booking a number that it does not keep.
    let appointment = AppointmentView { id: before.id, ..appointment };
    ConflictWay { choice, effect, appointment, notice }
}

/// What becomes of our event after a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EventFate {
    /// It stays as the person made it.
    Stays,
    /// It follows its visit, which may have ended before the choice.
    Follows,
    /// It is written again as a whole.
    Restored,
}

/// Takes note of how our event is now, so that a reading does not find the same conflict again and a push goes on from there.
fn know_event(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    stored: &StoredConflict,
    now_at: AppointmentId,
    fate: EventFate,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let found = &stored.found;
    if found.kind == ConflictKind::RecurringException {
        // What was found is an instance, and our event is the series.
        return Ok(());
    }
    if found.version.is_empty() {
        // A move that was taken back wrote the event since: what our row knows of it is newer.
        if fate != EventFate::Stays {
            calendar_event::raise_again(tx, id, now_at, now)?;
        }
        return Ok(());
    }
    let Some(row) = calendar_event::find(tx, id, now_at)? else { return Ok(()) };
    let Some(known) = row.known.filter(|known| known.event == found.event) else { return Ok(()) };
    if found.kind == ConflictKind::Deleted {
        calendar_event::forget(tx, id, now_at, now)?;
        return Ok(());
    }
    let marked = if fate == EventFate::Restored { push::TO_BE_RESTORED } else { known.marked };
    let version = found.version.clone();
    let seen = KnownEvent {
        version,
        span: found.span.unwrap_or(known.span),
        marked,
        calendar: found.calendar.clone(),
        ..known.clone()
    };
    calendar_event::record_seen(tx, id, now_at, &known.version, &seen)?;
    if fate != EventFate::Stays {
        calendar_event::raise_again(tx, id, now_at, now)?;
    }
    Ok(())
}

/// A conflict in local terms; `None` if its appointment is gone, or if the conflict ended with it.
fn show(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    stored: &StoredConflict,
    now: Timestamp,
) -> Result<Option<CalendarConflict>, UseCaseError> {
    let (organization, zone) = organization(tx, id)?;
    let found = appointment::find(tx, id, stored.found.appointment, organization.currency)?;
    let Some(one) = found else { return Ok(None) };
    if stored.found.kind.ends_with_visit() && !one.is_to_come(now) {
        return Ok(None);
    }
    let known = match stored.found.moved_from {
        Some(known) => appointment::find(tx, id, known, organization.currency)?,
        None => None,
    };
    let names = catalog::professional_names(tx, id)?;
    let local = |span: Span| (zone.to_datetime(span.start), zone.to_datetime(span.end));
    let listed = calendar_conflict::list_instances(tx, id, stored.id)?;
    let spans: Vec<Span> = listed.into_iter().filter_map(|one| one.span).collect();
    let (event_from, event_to) = spans.first().copied().or(stored.found.span).map(local).unzip();
    let instances = spans.into_iter().map(local).map(|(from, to)| InstanceTime { from, to }).collect();
    Ok(Some(CalendarConflict {
        id: stored.id,
        kind: stored.found.kind,
        appointment: view(&one, &names, &zone),
        known: known.map(|known| view(&known, &names, &zone)),
        contact: one.contact,
        contact_name: contact::find(tx, id, one.contact)?.and_then(|contact| contact.name),
        event_from,
        event_to,
        instances,
        found_at: stored.found_at,
    }))
}

//! What people did to bookings in calendars outside, and what staff can do about it.
//!
//! Three kinds of ways: what was done outside holds, ours is put back, or the customer moves. A move that the appointment followed is in
//! the list too, until a person sent the customer its message or chose not to. Ways that change the booking are the ways out of
//! `ways_out`, with the customer's message and how it would leave. Nothing is sent before a person chose.

use std::sync::Arc;

use balcao_domain::outside_event::ConflictKind;
use balcao_domain::{AppointmentId, ContactId, OrganizationId, Span};
use balcao_store::ops::audit::{self, AuditEntry};
use balcao_store::scheduling::calendar_conflict::{self, FoundConflict, StoredConflict};
use balcao_store::scheduling::calendar_event::{self, KnownEvent};
use balcao_store::scheduling::{appointment, catalog};
use balcao_store::{Tx, crm::contact, crm::staff};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use serde::Serialize;

use crate::context::app_context::{AppContext, UseCaseError, granted, organization};
use crate::context::staff_email::Actor;
use crate::messaging::outbound::reach::AccountPolicies;
use crate::scheduling::appointments::{AppointmentView, view};
use crate::scheduling::remote_calendar::push;
use crate::scheduling::ways_out::{self, Act, ResolveRefusal, Resolved, Way, WayOut, WaysOut};

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
    /// When it was found.
    pub found_at: Timestamp,
}

/// A conflict with what staff can do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConflictWays {
    /// The conflict.
    pub conflict: CalendarConflict,
    /// Whether our event can be put back as it was.
    pub may_restore: bool,
    /// What the customer would read if they are moved, or if the booking is cancelled, and how it would leave.
    pub ways: Vec<WayOut>,
}

/// What staff choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConflictChoice {
    /// What was done outside holds: a deleted event cancels its booking, a moved one moves it, and anything else stays as it is. Of a move
    /// that the appointment followed, only the message to the customer is missing.
    TakeOutside,
    /// Our event is put back as it was.
    Restore,
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
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConflictRefusal {
    /// No open conflict has that number.
    #[error("unknown conflict {id}; `balcao calendar conflicts` shows the open ones")]
    NotFound {
        /// As given.
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

/// Lists conflicts with calendars outside, and resolves them.
#[derive(Debug, Clone)]
pub struct CalendarConflicts {
    app: AppContext,
    policies: AccountPolicies,
    ways_out: WaysOut,
}

impl CalendarConflicts {
    /// Over the application context, with the policies on which messages leave.
    #[must_use]
    pub fn new(app: AppContext, policies: AccountPolicies) -> Self {
        Self { ways_out: WaysOut::new(app.clone(), policies.clone()), app, policies }
    }

    /// The open conflicts, oldest first, at most `limit`.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn list(&self, id: OrganizationId, limit: u32) -> Result<Vec<CalendarConflict>, UseCaseError> {
        let list = move |tx: &mut Tx<'_>, now| {
            let mut shown = Vec::new();
            for stored in calendar_conflict::list_open(tx, id, limit)? {
                shown.extend(show(tx, id, &stored, now)?);
            }
            Ok(shown)
        };
        self.app.look(list).await
    }

    /// What staff can do about one conflict. Nothing changes.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, why there is nothing to do.
    pub async fn find(
        &self,
        id: OrganizationId,
        number: i64,
    ) -> Result<Result<ConflictWays, ConflictRefusal>, UseCaseError> {
        let stored = granted!(self.open(id, number).await?);
        let (kind, known) = (stored.found.kind, stored.found.moved_from);
        let conflict = self.app.look(move |tx, now| show(tx, id, &stored, now)).await?;
        let Some(conflict) = conflict else { return Ok(Err(ConflictRefusal::NotFound { id: number })) };
        let found = self.ways_out.find_as_known(id, conflict.appointment.id, known).await?;
        let ways = granted!(found.map_err(ConflictRefusal::Booking)).ways;
        Ok(Ok(ConflictWays { conflict, may_restore: kind.is_about_ours(), ways }))
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
        let found = &stored.found;
        if choice == ConflictChoice::Restore && !found.kind.is_about_ours() {
            return Ok(Err(ConflictRefusal::NotOurs { id: number }));
        }
        if found.moved_from.is_some() {
            return self.resolve_move(id, stored, choice, notify, by).await;
        }
        let mut booking = None;
        if let Some(way) = self.way(id, &stored, &choice).await? {
            let resolved = self.ways_out.resolve(id, found.appointment, way, Some(notify), by.clone()).await?;
            booking = Some(granted!(resolved.map_err(ConflictRefusal::Booking)));
        }
        let now_at = booking.as_ref().map_or(found.appointment, |resolved| resolved.appointment.id);
        let restore = choice == ConflictChoice::Restore;
        granted!(self.close(id, stored.clone(), now_at, restore, by).await?);
        self.push(id, now_at).await;
        Ok(Ok(ResolvedConflict { id: number, booking }))
    }

    /// Ends the report of a move: the customer gets the message, unless `notify` is false or the appointment goes back to the time that they know.
    async fn resolve_move(
        &self,
        id: OrganizationId,
        stored: StoredConflict,
        choice: ConflictChoice,
        notify: bool,
        by: Actor,
    ) -> Result<Result<ResolvedConflict, ConflictRefusal>, UseCaseError> {
        let (found, wanted) = (stored.found.clone(), choice.clone());
        if let Some(way) = self.app.look(move |tx, _now| way_of_move(tx, id, &found, wanted)).await? {
            ways_out::freshen_before(&self.app, id, stored.found.appointment, &way).await?;
        }
        let (accounts, policies) = (Arc::clone(&self.app.notices), self.policies.clone());
        let (number, now) = (stored.id, self.app.clock.now());
        let end = move |tx: &mut Tx<'_>| {
            let found = &stored.found;
            let how = match &choice {
                ConflictChoice::TakeOutside if notify => "the customer was told",
                ConflictChoice::TakeOutside => "the customer was not told",
                ConflictChoice::Restore => "ours was put back",
                ConflictChoice::Move { .. } => "the customer was moved",
            };
            if !calendar_conflict::resolve(tx, id, stored.id, how, now)? {
                return Ok::<_, UseCaseError>(Err(ConflictRefusal::NotFound { id: stored.id }));
            }
            let way = way_of_move(tx, id, found, choice)?;
            let act =
                Act { organization: id, id: found.appointment, known: found.moved_from, way, notify, by: by.clone() };
            let resolved = ways_out::resolve(tx, &act, &accounts, &policies, now)?;
            // A booking that has begun or ended needs no message; its report can still be put away in silence.
            let resolved = match resolved {
                Err(ResolveRefusal::Begun { .. } | ResolveRefusal::Ended { .. } | ResolveRefusal::Moved { .. })
                    if act.way.is_none() && !notify =>
                {
                    None
                }
                other => Some(granted!(other.map_err(ConflictRefusal::Booking))),
            };
            let people = staff::list(tx, id)?;
            let by = granted!(by.identify(&people).map_err(|unknown| ConflictRefusal::Booking(unknown.into())));
            audit::append(tx, id, &entry(&stored, by.name(), how, now))?;
            Ok(Ok(resolved))
        };
        let booking = granted!(self.app.store.write(move |tx| tx.savepoint(end)).await?);
        if let Some(resolved) = &booking {
            self.push(id, resolved.appointment.id).await;
        }
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

    /// The change of the booking that a choice means; none if the booking stays.
    async fn way(
        &self,
        id: OrganizationId,
        stored: &StoredConflict,
        choice: &ConflictChoice,
    ) -> Result<Option<Way>, UseCaseError> {
        Ok(match (choice, stored.found.kind, stored.found.span) {
            (ConflictChoice::Move { date, start_min, professional }, ..) => {
                Some(Way::Move { date: *date, start_min: *start_min, professional: professional.clone() })
            }
            (ConflictChoice::TakeOutside, ConflictKind::Deleted, _) => Some(Way::Cancel),
            (ConflictChoice::TakeOutside, ConflictKind::RefusedMove, Some(span)) => {
                let zone = self.app.look(move |tx, _now| Ok(organization(tx, id)?.1)).await?;
                Some(way_to(zone.to_datetime(span.start)))
            }
            (ConflictChoice::TakeOutside | ConflictChoice::Restore, ..) => None,
        })
    }

    /// Ends a conflict: what the event is now is known, and with `restore` it is put back as it was.
    async fn close(
        &self,
        id: OrganizationId,
        stored: StoredConflict,
        now_at: AppointmentId,
        restore: bool,
        by: Actor,
    ) -> Result<Result<(), ConflictRefusal>, UseCaseError> {
        let close = move |tx: &mut Tx<'_>, now| {
            let people = staff::list(tx, id)?;
            let by = granted!(by.identify(&people).map_err(|unknown| ConflictRefusal::Booking(unknown.into())));
            let how = if restore { "ours was put back" } else { "what was done outside holds" };
            if !calendar_conflict::resolve(tx, id, stored.id, how, now)? {
                return Ok(Err(ConflictRefusal::NotFound { id: stored.id }));
            }
            know_event(tx, id, &stored, now_at, restore, now)?;
            audit::append(tx, id, &entry(&stored, by.name(), how, now))?;
            Ok(Ok(()))
        };
        let now = self.app.clock.now();
        self.app.store.write(move |tx| tx.savepoint(|tx| close(tx, now))).await
    }
}

/// The row of the audit log about a resolved conflict.
fn entry(stored: &StoredConflict, by: &str, how: &str, now: Timestamp) -> AuditEntry {
    AuditEntry {
        at: now,
        actor: by.to_owned(),
        action: "calendar.resolve".to_owned(),
        subject: stored.found.appointment.to_string(),
        before: Some(serde_json::json!({ "conflict": stored.found.kind }).to_string()),
        after: Some(serde_json::json!({ "resolution": how }).to_string()),
    }
}

/// The change of a booking that a choice about its move means; `None` leaves it where the person moved it.
fn way_of_move(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    found: &FoundConflict,
    choice: ConflictChoice,
) -> Result<Option<Way>, UseCaseError> {
    let (organization, zone) = organization(tx, id)?;
    let known = match (choice, found.moved_from) {
        (ConflictChoice::Move { date, start_min, professional }, _) => {
            return Ok(Some(Way::Move { date, start_min, professional }));
        }
        (ConflictChoice::Restore, Some(known)) => appointment::find(tx, id, known, organization.currency)?,
        (ConflictChoice::TakeOutside | ConflictChoice::Restore, _) => None,
    };
    Ok(known.map(|known| way_to(zone.to_datetime(known.span.start))))
}

/// The move to a local time, with the same professional.
fn way_to(local: DateTime) -> Way {
    let minute = i32::from(local.hour()) * 60 + i32::from(local.minute());
    Way::Move { date: local.date(), start_min: u16::try_from(minute).unwrap_or_default(), professional: None }
}

/// Takes note of how our event is now, so that a reading does not find the same conflict again and a push goes on from there.
fn know_event(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    stored: &StoredConflict,
    now_at: AppointmentId,
    restore: bool,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let found = &stored.found;
    let Some(row) = calendar_event::find(tx, id, now_at)? else { return Ok(()) };
    let Some(known) = row.known.filter(|known| known.event == found.event) else { return Ok(()) };
    if found.kind == ConflictKind::Deleted {
        calendar_event::forget(tx, id, now_at, now)?;
        return Ok(());
    }
    // A mark that names no appointment differs from what is wanted, so that the push writes the whole event.
    let marked = if restore { 0 } else { known.marked };
    let version = found.version.clone();
    let seen = KnownEvent {
        version,
        span: found.span.unwrap_or(known.span),
        marked,
        calendar: found.calendar.clone(),
        ..known.clone()
    };
    calendar_event::record_seen(tx, id, now_at, &known.version, &seen)?;
    if restore {
        calendar_event::raise_again(tx, id, now_at, now)?;
    }
    Ok(())
}

/// A conflict in local terms; `None` if its appointment is gone, or if it reports a move of an appointment that was changed since.
fn show(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    stored: &StoredConflict,
    now: Timestamp,
) -> Result<Option<CalendarConflict>, UseCaseError> {
    let (organization, zone) = organization(tx, id)?;
    let found = appointment::find(tx, id, stored.found.appointment, organization.currency)?;
    let Some(one) = found else { return Ok(None) };
    let is_report = stored.found.moved_from.is_some();
    if is_report && !ways_out::is_to_come(&one, now) {
        return Ok(None);
    }
    let known = match stored.found.moved_from {
        Some(known) => appointment::find(tx, id, known, organization.currency)?,
        None => None,
    };
    let names = catalog::professional_names(tx, id)?;
    let local = |span: Span| (zone.to_datetime(span.start), zone.to_datetime(span.end));
    let (event_from, event_to) = stored.found.span.map(local).unzip();
    Ok(Some(CalendarConflict {
        id: stored.id,
        kind: stored.found.kind,
        appointment: view(&one, &names, &zone),
        known: known.map(|known| view(&known, &names, &zone)),
        contact: one.contact,
        contact_name: contact::find(tx, id, one.contact)?.and_then(|contact| contact.name),
        event_from,
        event_to,
        found_at: stored.found_at,
    }))
}

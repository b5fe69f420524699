//! Booking where professionals have external calendars: our copy is brought up to date, our tables claim the slot, the event is written and
//! looked at, and only then the booking is announced.
//!
//! A claim is a hold that expires, and it is stored under the key of the effect. So a crash at any step leaves either nothing, a hold that
//! the same effect goes on with, or a hold that expires, and the push deletes the event of the last. A business that lets bookings go on
//! while the calendar does not answer (`when_calendar_is_down: book_anyway`) gets the event later.
//!
//! A cancellation first asks the service, so that it is refused while the service does not answer. After that our tables decide, and the
//! push follows. Of moves see [`super::remote_move`].

use std::sync::Arc;

use balcao_domain::appointment::visit::MarkAuthor;
use balcao_domain::calendar_push::Arrival;
use balcao_domain::outside_event::{EventTime, OutsideEvent};
use balcao_domain::scheduling::CalendarDown;
use balcao_domain::{AppointmentId, AppointmentStatus, OrganizationId};
use balcao_store::scheduling::calendar_claim::{self, CalendarClaim};
use balcao_store::scheduling::calendar_mirror::{self, BusyEvent};
use balcao_store::scheduling::{appointment, calendar_event};
use balcao_store::turns::ledger::{self, EffectKey, Recorded};
use balcao_store::{StoreError, Tx};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Booked;
use super::book::{ClaimedSlot, slot_of};
use super::freshness::{Connected, Whose, connect, freshen};
use super::rival;
use crate::context::app_context::{AppContext, Effect, UseCaseError, granted, organization};
use crate::context::calendar_service::{CalendarService, RemoteCalendarError, ServiceError};
use crate::scheduling::remote_calendar::push::{self, Pushed};

/// How long a claim holds its slot: longer than the calls to the service take together, and a turn that resumes after a crash.
pub(super) const CLAIM: SignedDuration = SignedDuration::from_mins(3);
/// How often a booking begins again whose claim expired meanwhile.
const ATTEMPTS: u32 = 3;

/// The answer of a booking with the slot that it claimed, or why it claimed none.
pub(crate) type ClaimAnswer<D, R> = Result<Result<(D, Option<ClaimedSlot>), R>, UseCaseError>;

/// A booking that may need the agreement of an external calendar.
pub(crate) trait RemoteBooking: Clone + Send + Sync + 'static {
    /// The answer.
    type Done: Serialize + DeserializeOwned + Clone + Send + 'static;
    /// Why nothing was booked.
    type Refusal: Serialize + DeserializeOwned + Send + 'static;

    /// Checks everything and claims the slot; with `held_until` as a hold without any notice.
    fn claim(
        &self,
        tx: &mut Tx<'_>,
        held_until: Option<Timestamp>,
        now: Timestamp,
    ) -> ClaimAnswer<Self::Done, Self::Refusal>;

    /// What follows from a booking that stands.
    fn complete(
        &self,
        tx: &mut Tx<'_>,
        done: &Self::Done,
        slot: &ClaimedSlot,
        now: Timestamp,
    ) -> Result<(), UseCaseError>;

    /// The refusal if an event outside was first.
    fn refuse_taken(&self, tx: &mut Tx<'_>, now: Timestamp) -> Result<Self::Refusal, UseCaseError>;

    /// What was booked.
    fn booked(done: &Self::Done) -> &Booked;
}

/// Books, once per key.
pub(crate) async fn book<B: RemoteBooking>(
    app: &AppContext,
    id: OrganizationId,
    key: EffectKey,
    booking: &B,
    whose: Whose,
) -> Effect<B::Done, B::Refusal> {
    let Some(service) = app.remote_calendar.clone() else { return book_here(app, id, key, booking).await };
    let known = find_begun::<B>(app, id, &key).await?;
    let (connected, mut begun) = match known {
        Some(Begun::Answered(answer)) => return Ok(answer),
        Some(waits) => (Some(connect(app, id, service).await?), Some(waits)),
        None => (freshen(app, id, service, whose).await?, None),
    };
    let Some(connected) = connected else { return book_here(app, id, key, booking).await };
    for _attempt in 0..ATTEMPTS {
        let begins = match begun.take() {
            Some(begun) => begun,
            None => begin(app, id, &key, booking).await?,
        };
        let claim = match begins {
            Begun::Answered(answer) => return Ok(answer),
            Begun::Waits(claim) => claim,
        };
        match ask(app, id, &connected, claim.appointment).await? {
            Agreement::Stands => {
                if let Some(answer) = confirm(app, id, &key, booking).await? {
                    return Ok(answer);
                }
            }
            Agreement::Taken(rival) => return give_way(app, id, (&key, booking), &connected, &claim, *rival).await,
            Agreement::Failed(error) => {
                withdraw(app, id, &key, claim.appointment).await?;
                return Err(RemoteCalendarError::of_service(connected.service.name(), &error).into());
            }
            Agreement::Unsure(error) => {
                take_back(app, id, &key, &connected, claim.appointment).await?;
                return Err(RemoteCalendarError::of_service(connected.service.name(), &error).into());
            }
        }
    }
    let reason = "the claim of the slot expired again and again".to_owned();
    Err(RemoteCalendarError::Unavailable { calendar: connected.service.name(), reason }.into())
}

/// Books where no external calendar is asked.
async fn book_here<B: RemoteBooking>(
    app: &AppContext,
    id: OrganizationId,
    key: EffectKey,
    booking: &B,
) -> Effect<B::Done, B::Refusal> {
    let booking = booking.clone();
    let work = move |tx: &mut Tx<'_>, now| {
        let (done, slot) = granted!(booking.claim(tx, None, now)?);
        if let Some(slot) = &slot {
            booking.complete(tx, &done, slot, now)?;
        }
        Ok(Ok(done))
    };
    app.effect(id, key, work).await
}

/// Cancels, once per key, and deletes the event. Once the service answered, the cancellation stands: the worker goes on with the event.
pub(super) async fn cancel<T, R, W>(
    app: &AppContext,
    id: OrganizationId,
    key: EffectKey,
    whose: Whose,
    (work, touched): (W, fn(&T) -> AppointmentId),
) -> Effect<T, R>
where
    T: Serialize + DeserializeOwned + Clone + Send + 'static,
    R: Serialize + DeserializeOwned + Send + 'static,
    W: FnOnce(&mut Tx<'_>, Timestamp) -> Result<Result<T, R>, UseCaseError> + Clone + Send + 'static,
{
    let Some(service) = app.remote_calendar.clone() else { return app.effect(id, key, work).await };
    let looked = key.clone();
    let answered = app.look(move |tx, _now| Ok(ledger::find::<Result<T, R>>(tx, id, &looked)?)).await?.is_some();
    let connected =
        if answered { Some(connect(app, id, service).await?) } else { freshen(app, id, service, whose).await? };
    let done = app.effect(id, key, work).await?;
    if let (Some(connected), Ok(value)) = (connected, &done.value) {
        push_now(app, &connected.service, id, touched(value)).await;
    }
    Ok(done)
}

/// Makes the event of an appointment as it is, now or by the worker.
pub(super) async fn push_now(
    app: &AppContext,
    service: &Arc<dyn CalendarService>,
    id: OrganizationId,
    which: AppointmentId,
) {
    if let Err(error) = push::push_event(app, service, id, which).await {
        tracing::warn!(organization = %id, %error, "event of an appointment not pushed");
    }
}

/// Notes the time of an event that a reading has not seen yet.
pub(super) fn keep_rival(tx: &mut Tx<'_>, id: OrganizationId, rival: &OutsideEvent) -> Result<(), UseCaseError> {
    let zone = organization(tx, id)?.1;
    let Some(span) = rival.time.and_then(|time| time.span(&zone)) else { return Ok(()) };
    let all_day = matches!(rival.time, Some(EventTime::AllDay { .. }));
    let (calendar, event, version) = (rival.calendar.clone(), rival.id.clone(), rival.version.clone());
    calendar_mirror::put(tx, id, &BusyEvent { calendar, event, span, all_day, version }, 0)?;
    Ok(())
}

/// How far a booking is.
enum Begun<D, R> {
    /// It has its answer.
    Answered(Recorded<Result<D, R>>),
    /// Its slot is claimed.
    Waits(CalendarClaim<D>),
}

type BegunOf<B> = Begun<<B as RemoteBooking>::Done, <B as RemoteBooking>::Refusal>;

/// What an earlier run under the key came to. A claim that expired is none.
async fn find_begun<B: RemoteBooking>(
    app: &AppContext,
    id: OrganizationId,
    key: &EffectKey,
) -> Result<Option<BegunOf<B>>, UseCaseError> {
    let key = key.clone();
    app.look(move |tx, _now| found(tx, id, &key)).await
}

fn found<D, R>(tx: &mut Tx<'_>, id: OrganizationId, key: &EffectKey) -> Result<Option<Begun<D, R>>, UseCaseError>
where
    D: DeserializeOwned,
    R: DeserializeOwned,
{
    if let Some(value) = ledger::find(tx, id, key)? {
        return Ok(Some(Begun::Answered(Recorded { value, repeated: true })));
    }
    let Some(claim) = calendar_claim::find(tx, id, key)? else { return Ok(None) };
    let currency = organization(tx, id)?.0.currency;
    let held = appointment::find(tx, id, claim.appointment, currency)?;
    let is_held = held.is_some_and(|one| one.status == AppointmentStatus::Pending);
    Ok(is_held.then_some(Begun::Waits(claim)))
}

/// Runs a transaction that may run again, also if its commit was not answered.
pub(super) async fn write_again<T: Send + 'static>(
    app: &AppContext,
    work: impl FnOnce(&mut Tx<'_>) -> Result<T, UseCaseError> + Clone + Send + 'static,
) -> Result<T, UseCaseError> {
    let mut unknown = None;
    for _attempt in 0..ATTEMPTS {
        match app.store.write(work.clone()).await {
            Err(error) if UseCaseError::is_unknown(&error) => unknown = Some(error),
            Err(error) => return Err(unknown.unwrap_or(error)),
            done => return done,
        }
    }
    Err(unknown.unwrap_or_else(|| StoreError::Closed.into()))
}

/// Claims the slot. A refusal, and a booking that needs no external calendar, is answered at once.
async fn begin<B: RemoteBooking>(
    app: &AppContext,
    id: OrganizationId,
    key: &EffectKey,
    booking: &B,
) -> Result<BegunOf<B>, UseCaseError> {
    let (key, booking, now) = (key.clone(), booking.clone(), app.clock.now());
    let held_until = now.checked_add(CLAIM).unwrap_or(now);
    let claim = move |tx: &mut Tx<'_>| {
        if let Some(begun) = found(tx, id, &key)? {
            return Ok(begun);
        }
        calendar_claim::remove(tx, id, &key)?;
        let (done, slot) = match tx.savepoint(|tx| booking.claim(tx, Some(held_until), now))? {
            Ok(claimed) => claimed,
            Err(refusal) => {
                return Ok(Begun::Answered(ledger::once(tx, id, &key, now, |_tx| {
                    Ok::<_, UseCaseError>(Err(refusal))
                })?));
            }
        };
        let appointment = B::booked(&done).appointment.id;
        if slot.is_some() && calendar_event::find(tx, id, appointment)?.is_some() {
            let claim = CalendarClaim { appointment, answer: done };
            calendar_claim::insert(tx, id, &key, &claim)?;
            return Ok(Begun::Waits(claim));
        }
        if let Some(slot) = &slot {
            agree::<B>(tx, id, &done, now)?;
            booking.complete(tx, &done, slot, now)?;
        }
        Ok(Begun::Answered(ledger::once(tx, id, &key, now, |_tx| Ok::<_, UseCaseError>(Ok(done)))?))
    };
    write_again(app, claim).await
}

/// Gives the held appointment the status that its answer says; tells whether it still held its slot.
fn agree<B: RemoteBooking>(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    done: &B::Done,
    now: Timestamp,
) -> Result<bool, UseCaseError> {
    let view = &B::booked(done).appointment;
    let minutes = i64::from(organization(tx, id)?.0.scheduling.pending_minutes);
    let is_pending = view.status == AppointmentStatus::Pending;
    let expires_at = is_pending.then(|| balcao_domain::span::plus_minutes(now, minutes));
    Ok(appointment::agree(tx, id, view.id, view.status, expires_at)?)
}

/// What the external calendar says about a claim.
enum Agreement {
    /// The booking stands.
    Stands,
    /// This event was there first.
    Taken(Box<OutsideEvent>),
    /// The service failed, nothing was done, and the business does not book without it.
    Failed(ServiceError),
    /// The service does not say whether an event was there first, and the business does not book without it.
    Unsure(ServiceError),
}

/// Writes the event of a claim, and looks for an earlier one. A business that does not book without the calendar has its event confirmed
/// by the service, in the answer to the write or in the listing of that time.
async fn ask(
    app: &AppContext,
    id: OrganizationId,
    connected: &Connected,
    which: AppointmentId,
) -> Result<Agreement, UseCaseError> {
    let refuses = connected.when_down == CalendarDown::Refuse;
    let mut pushed = push::push_event(app, &connected.service, id, which).await?;
    if let Pushed::Unknown(_) = pushed {
        // The event was not there after its answer was lost. Its id makes a second insert the same event.
        pushed = push::push_event(app, &connected.service, id, which).await?;
    }
    match &pushed {
        Pushed::Failed(error) if refuses => return Ok(Agreement::Failed(error.clone())),
        // The event comes later.
        Pushed::Failed(_) | Pushed::Absent => return Ok(Agreement::Stands),
        Pushed::Current(_) | Pushed::Unknown(_) | Pushed::Held | Pushed::Conflict(_) => {}
    }
    Ok(match rival::find(app, id, &connected.service, (which, Arrival::Made), &pushed).await? {
        Ok(Some(rival)) => Agreement::Taken(Box::new(rival)),
        Ok(None) => Agreement::Stands,
        Err(error) if refuses => Agreement::Unsure(error),
        // A later reading finds it.
        Err(_) => Agreement::Stands,
    })
}

/// Answers a booking whose event stands; `None` if its claim expired meanwhile.
async fn confirm<B: RemoteBooking>(
    app: &AppContext,
    id: OrganizationId,
    key: &EffectKey,
    booking: &B,
) -> Result<Option<Recorded<Result<B::Done, B::Refusal>>>, UseCaseError> {
    let (key, booking, now) = (key.clone(), booking.clone(), app.clock.now());
    let confirm = move |tx: &mut Tx<'_>| {
        let claim: CalendarClaim<B::Done> = match found::<B::Done, B::Refusal>(tx, id, &key)? {
            Some(Begun::Answered(answer)) => return Ok(Some(answer)),
            Some(Begun::Waits(claim)) => claim,
            None => return Ok(None),
        };
        let currency = organization(tx, id)?.0.currency;
        let Some(one) = appointment::find(tx, id, claim.appointment, currency)? else { return Ok(None) };
        if !agree::<B>(tx, id, &claim.answer, now)? {
            return Ok(None);
        }
        booking.complete(tx, &claim.answer, &slot_of(&one), now)?;
        calendar_claim::remove(tx, id, &key)?;
        let answer = claim.answer;
        ledger::once(tx, id, &key, now, |_tx| Ok::<_, UseCaseError>(Ok(answer))).map(Some)
    };
    write_again(app, confirm).await
}

/// Takes a claim back of which nothing is known outside. The key is free: the same effect may try again.
async fn withdraw(
    app: &AppContext,
    id: OrganizationId,
    key: &EffectKey,
    which: AppointmentId,
) -> Result<(), UseCaseError> {
    let (key, now) = (key.clone(), app.clock.now());
    let withdraw = move |tx: &mut Tx<'_>| {
        if calendar_claim::remove(tx, id, &key)? {
            appointment::cancel(tx, id, which, &MarkAuthor::Job, now)?;
            appointment::remove_untold(tx, id, which, now)?;
        }
        Ok(())
    };
    write_again(app, withdraw).await
}

/// Takes a claim back whose event may be there: the event goes, now or by the worker. The key is free: the same effect may try again.
async fn take_back(
    app: &AppContext,
    id: OrganizationId,
    key: &EffectKey,
    connected: &Connected,
    which: AppointmentId,
) -> Result<(), UseCaseError> {
    let (key, now) = (key.clone(), app.clock.now());
    let cancel = move |tx: &mut Tx<'_>| {
        if calendar_claim::remove(tx, id, &key)? {
            appointment::cancel(tx, id, which, &MarkAuthor::Job, now)?;
            appointment::remove_untold(tx, id, which, now)?;
        }
        Ok(())
    };
    write_again(app, cancel).await?;
    remove_unannounced(app, id, connected, which).await
}

/// Deletes the event of a claim that was given up, and then every trace of the claim. If the service fails now, the worker deletes the
/// event. If the event was not there, its insert may still arrive: the trace stays until it cannot arrive any more.
async fn remove_unannounced(
    app: &AppContext,
    id: OrganizationId,
    connected: &Connected,
    which: AppointmentId,
) -> Result<(), UseCaseError> {
    if let Ok(Pushed::Absent) = push::push_event(app, &connected.service, id, which).await {
        let now = app.clock.now();
        write_again(app, move |tx| Ok(appointment::remove_untold(tx, id, which, now)?)).await?;
    }
    Ok(())
}

/// Gives the slot up to an event that was there first: ours is deleted, and the booking is refused.
async fn give_way<B: RemoteBooking>(
    app: &AppContext,
    id: OrganizationId,
    (key, booking): (&EffectKey, &B),
    connected: &Connected,
    claim: &CalendarClaim<B::Done>,
    rival: OutsideEvent,
) -> Effect<B::Done, B::Refusal> {
    let (which, now) = (claim.appointment, app.clock.now());
    let (own, booking) = (key.clone(), booking.clone());
    let refuse = move |tx: &mut Tx<'_>| {
        if let Some(Begun::Answered(answer)) = found(tx, id, &own)? {
            return Ok(answer);
        }
        calendar_claim::remove(tx, id, &own)?;
        appointment::cancel(tx, id, which, &MarkAuthor::Job, now)?;
        appointment::remove_untold(tx, id, which, now)?;
        keep_rival(tx, id, &rival)?;
        let refusal = booking.refuse_taken(tx, now)?;
        ledger::once(tx, id, &own, now, |_tx| Ok::<_, UseCaseError>(Err(refusal)))
    };
    let answer = write_again(app, refuse).await?;
    remove_unannounced(app, id, connected, which).await?;
    Ok(answer)
}

//! Moving where professionals have external calendars: our tables move the appointment, the event follows and its new time is looked at, and
//! only then the move is announced and answered.
//!
//! The move is stored with a claim under the key of the effect. A run that resumes after a crash goes on with it. If none resumes, the move
//! stands, and [`complete_old`] announces it. A move that met an event which was there first is taken back and refused. If the service does
//! not say whether there is one, a business that does not book without the calendar has the move taken back, too: the key is free, and the
//! same effect may try again.

use std::sync::Arc;

use balcao_domain::calendar_push::Arrival;
use balcao_domain::outside_event::OutsideEvent;
use balcao_domain::scheduling::CalendarDown;
use balcao_domain::{AppointmentId, ContactId, OrganizationId};
use balcao_store::scheduling::calendar_claim::{self, CalendarClaim};
use balcao_store::scheduling::{calendar_event, calendar_link};
use balcao_store::turns::ledger::{self, EffectKey, Recorded};
use balcao_store::{StoreError, Tx};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::freshness::{Connected, Whose, connect, freshen};
use super::remote::{CLAIM, keep_rival, push_now, write_again};
use super::{BookingRefusal, RescheduleRequest, Rescheduled, Teller, bound, change, rival, trail};
use crate::context::app_context::{AppContext, Effect, UseCaseError, granted};
use crate::context::calendar_service::{RemoteCalendarError, ServiceError};
use crate::context::notification_accounts::NotificationAccounts;
use crate::notifications::professionals::NotificationKind;
use crate::scheduling::appointments::AppointmentView;
use crate::scheduling::remote_calendar::push::{self, Pushed};
use balcao_domain::appointment::visit::MarkAuthor;

/// A move that a contact asks for, or a program for the contact.
#[derive(Clone)]
pub(super) struct CustomerMove {
    pub(super) organization: OrganizationId,
    pub(super) contact: ContactId,
    pub(super) request: RescheduleRequest,
    /// Who is recorded as its author.
    pub(super) by: MarkAuthor,
    pub(super) teller: Teller,
}

/// A move that waits for the calendar, as its claim keeps it.
#[derive(Clone, Serialize, Deserialize)]
struct WaitingMove {
    moved: Rescheduled,
    /// The author in the audit log.
    actor: Option<String>,
}

impl WaitingMove {
    const fn new_appointment(&self) -> AppointmentId {
        self.moved.new.appointment.id
    }
}

type Answer = Recorded<Result<Rescheduled, BookingRefusal>>;

impl CustomerMove {
    fn change(&self, tx: &mut Tx<'_>, now: Timestamp) -> Result<Result<Rescheduled, BookingRefusal>, UseCaseError> {
        change::move_unannounced(tx, self.organization, self.contact, &self.request, bound(&self.by), now)
    }
}

/// Announces a move that stands, to others and to its professional.
fn announce(tx: &mut Tx<'_>, teller: &Teller, done: &Rescheduled, now: Timestamp) -> Result<(), UseCaseError> {
    change::announce_move(tx, teller.organization, done, now)?;
    let (old, new) = (&done.old, &done.new.appointment);
    // The new one stands as the old one did before it was given up.
    let before = AppointmentView { status: new.status, ..old.clone() };
    let what = NotificationKind::Moved(old.id, new.id);
    teller.report(tx, now, (what, Some(trail::shown(&before)), trail::shown(new)))
}

/// Moves, once per key.
pub(super) async fn reschedule(
    app: &AppContext,
    key: EffectKey,
    whose: Whose,
    wanted: CustomerMove,
) -> Effect<Rescheduled, BookingRefusal> {
    let id = wanted.organization;
    let Some(service) = app.remote_calendar.clone() else { return move_here(app, key, wanted).await };
    let own = key.clone();
    let (connected, begun) = match app.look(move |tx, _now| found(tx, id, &own)).await? {
        Some(Begun::Answered(answer)) => return Ok(answer),
        Some(Begun::Waits(waiting)) => (Some(connect(app, id, service).await?), Some(waiting)),
        None => (freshen(app, id, service, whose).await?, None),
    };
    let Some(connected) = connected else { return move_here(app, key, wanted).await };
    let waiting = match begun {
        Some(waiting) => waiting,
        None => match begin(app, &key, &wanted).await? {
            Begun::Answered(answer) => return Ok(answer),
            Begun::Waits(waiting) => waiting,
        },
    };
    let unsure = match look(app, id, &connected, waiting.new_appointment()).await? {
        Ok(Some(rival)) => {
            return match take_back(app, &key, &connected, &wanted, waiting, Some(rival)).await? {
                Some(answer) => Ok(answer),
                None => Err(ended_elsewhere(&connected)),
            };
        }
        Ok(None) => None,
        // The worker goes on with the event, and a reading shows staff what lies at its time.
        Err(_) if connected.when_down == CalendarDown::BookAnyway => None,
        Err(error) => Some(error),
    };
    let answer = match &unsure {
        Some(_) => take_back(app, &key, &connected, &wanted, waiting, None).await?,
        None => finish(app, &key, &wanted).await?,
    };
    match (answer, unsure) {
        (Some(answer), _) => Ok(answer),
        (None, Some(error)) => Err(RemoteCalendarError::of_service(connected.service.name(), &error).into()),
        (None, None) => Err(ended_elsewhere(&connected)),
    }
}

/// Another run under the same key took the move back meanwhile.
fn ended_elsewhere(connected: &Connected) -> UseCaseError {
    let reason = "another run of this move took it back".to_owned();
    RemoteCalendarError::Unavailable { calendar: connected.service.name(), reason }.into()
}

/// Moves where no external calendar is asked.
async fn move_here(app: &AppContext, key: EffectKey, wanted: CustomerMove) -> Effect<Rescheduled, BookingRefusal> {
    let id = wanted.organization;
    let work = move |tx: &mut Tx<'_>, now| {
        let done = granted!(wanted.change(tx, now)?);
        announce(tx, &wanted.teller, &done, now)?;
        Ok(Ok(done))
    };
    app.effect(id, key, work).await
}

/// How far a move is.
enum Begun {
    /// It has its answer.
    Answered(Answer),
    /// It is made, and the calendar was not asked yet.
    Waits(WaitingMove),
}

/// What an earlier run under the key came to.
fn found(tx: &mut Tx<'_>, id: OrganizationId, key: &EffectKey) -> Result<Option<Begun>, UseCaseError> {
    if let Some(value) = ledger::find(tx, id, key)? {
        return Ok(Some(Begun::Answered(Recorded { value, repeated: true })));
    }
    let claim: Option<CalendarClaim<WaitingMove>> = calendar_claim::find(tx, id, key)?;
    Ok(claim.map(|claim| Begun::Waits(claim.answer)))
}

/// Makes the move in our tables. A refusal, and a move that concerns no external calendar, is answered at once.
async fn begin(app: &AppContext, key: &EffectKey, wanted: &CustomerMove) -> Result<Begun, UseCaseError> {
    let (id, key, wanted, now) = (wanted.organization, key.clone(), wanted.clone(), app.clock.now());
    let begin = move |tx: &mut Tx<'_>| {
        if let Some(begun) = found(tx, id, &key)? {
            return Ok(begun);
        }
        ledger::demand_open(tx, id, &key)?;
        let value = tx.savepoint(|tx| wanted.change(tx, now))?;
        if let Ok(moved) = &value {
            let waiting = WaitingMove { moved: moved.clone(), actor: wanted.teller.actor.clone() };
            let appointment = waiting.new_appointment();
            if calendar_event::find(tx, id, appointment)?.is_some() {
                let claim = CalendarClaim { appointment, answer: waiting };
                calendar_claim::insert_move(tx, id, &key, &claim, now)?;
                return Ok(Begun::Waits(claim.answer));
            }
            announce(tx, &wanted.teller, moved, now)?;
        }
        Ok(Begun::Answered(ledger::once(tx, id, &key, now, |_tx| Ok::<_, UseCaseError>(value))?))
    };
    write_again(app, begin).await
}

/// Writes the event of a move, and looks for an event that was at its time before.
async fn look(
    app: &AppContext,
    id: OrganizationId,
    connected: &Connected,
    which: AppointmentId,
) -> Result<Result<Option<OutsideEvent>, ServiceError>, UseCaseError> {
    let mut pushed = push::push_event(app, &connected.service, id, which).await?;
    if let Pushed::Unknown(_) = pushed {
        // The event had not changed after the answer was lost. Its version makes a second change the same change.
        pushed = push::push_event(app, &connected.service, id, which).await?;
    }
    rival::find(app, id, &connected.service, (which, Arrival::Moved), &pushed).await
}

/// Announces and answers a move that stands; `None` if another run took it back meanwhile.
async fn finish(app: &AppContext, key: &EffectKey, wanted: &CustomerMove) -> Result<Option<Answer>, UseCaseError> {
    let (id, key, teller, now) = (wanted.organization, key.clone(), wanted.teller.clone(), app.clock.now());
    let finish = move |tx: &mut Tx<'_>| match found(tx, id, &key)? {
        Some(Begun::Answered(answer)) => Ok(Some(answer)),
        Some(Begun::Waits(waiting)) => end(tx, &key, &teller, waiting.moved, now).map(Some),
        None => Ok(None),
    };
    write_again(app, finish).await
}

/// Ends the claim of a move that stands.
fn end(
    tx: &mut Tx<'_>,
    key: &EffectKey,
    teller: &Teller,
    moved: Rescheduled,
    now: Timestamp,
) -> Result<Answer, UseCaseError> {
    let id = teller.organization;
    calendar_claim::remove(tx, id, key)?;
    announce(tx, teller, &moved, now)?;
    ledger::once(tx, id, key, now, |_tx| Ok(Ok(moved)))
}

/// Takes a move back: because of an event that was there first, with a refusal under its key, or else with the key free. If it cannot be
/// taken back, it stands and is answered so; `None` if the key is free.
async fn take_back(
    app: &AppContext,
    key: &EffectKey,
    connected: &Connected,
    wanted: &CustomerMove,
    waiting: WaitingMove,
    rival: Option<OutsideEvent>,
) -> Result<Option<Answer>, UseCaseError> {
    let id = wanted.organization;
    let (key, wanted, now) = (key.clone(), wanted.clone(), app.clock.now());
    let old = waiting.moved.old.id;
    let undo = move |tx: &mut Tx<'_>| {
        let moved = match found(tx, id, &key)? {
            Some(Begun::Answered(answer)) => return Ok(Some(answer)),
            Some(Begun::Waits(waiting)) => waiting.moved,
            None => return Ok(None),
        };
        if let Some(rival) = &rival {
            keep_rival(tx, id, rival)?;
        }
        if !change::take_back(tx, id, &moved, now)? {
            // The next reading makes the event a conflict for staff.
            if let Some(rival) = &rival {
                calendar_link::set_due(tx, id, &rival.calendar, now)?;
            }
            return end(tx, &key, &wanted.teller, moved, now).map(Some);
        }
        calendar_claim::remove(tx, id, &key)?;
        if rival.is_none() {
            return Ok(None);
        }
        let refusal = change::find_alternatives(tx, id, moved.old.id, &wanted.request, now)?;
        ledger::once(tx, id, &key, now, |_tx| Ok::<_, UseCaseError>(Err(refusal))).map(Some)
    };
    let answer = write_again(app, undo).await?;
    // The event goes back with the appointment, now or by the worker.
    push_now(app, &connected.service, id, old).await;
    Ok(answer)
}

/// Whether a move waits that no run resumed.
pub(super) fn has_old(tx: &mut Tx<'_>, id: OrganizationId, now: Timestamp) -> Result<bool, StoreError> {
    Ok(!calendar_claim::list_old_moves::<WaitingMove>(tx, id, waited_since(now))?.is_empty())
}

/// Announces and answers the moves that no run resumed. They stand. What lies at their time becomes a conflict for staff with the next
/// reading.
pub(super) fn complete_old(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    accounts: &Arc<NotificationAccounts>,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    for (key, claim) in calendar_claim::list_old_moves::<WaitingMove>(tx, id, waited_since(now))? {
        let WaitingMove { moved, actor } = claim.answer;
        let teller = Teller { accounts: Arc::clone(accounts), actor, organization: id };
        end(tx, &key, &teller, moved, now)?;
    }
    Ok(())
}

fn waited_since(now: Timestamp) -> Timestamp {
    now.checked_sub(CLAIM).unwrap_or(now)
}

//! Moving where professionals have external calendars: our tables move the appointment, the event follows and its new time is looked at, and
//! only then the move is announced and answered.
//!
//! The move is stored with a claim under the key of the effect, or under a key of its own if the caller gives none. A run that resumes after
//! a crash goes on with it. If none resumes, [`take_back_old`] looks at the new time, and [`complete_old`] announces what stands. A move that
//! met an event which was there first is taken back and refused. If the service does not say whether there is one, a move of staff stands,
//! and a move of a customer only where the business books without the calendar: else it is taken back, its key is free, and the same effect
//! may try again.

use std::sync::Arc;

use balcao_domain::calendar_push::Arrival;
use balcao_domain::outside_event::OutsideEvent;
use balcao_domain::scheduling::CalendarDown;
use balcao_domain::{AppointmentId, ContactId, OrganizationId};
use balcao_store::scheduling::calendar_claim::{self, CalendarClaim};
use balcao_store::scheduling::{appointment, calendar_event, calendar_link};
use balcao_store::turns::ledger::{self, EffectKey, Recorded};
use balcao_store::{StoreError, Tx};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::freshness::{Connected, Whose, connect, freshen};
use super::remote::{CLAIM, keep_rival, push_now, write_again};
use super::staff_move::StaffMove;
use super::{BookingRefusal, RescheduleRequest, Rescheduled, Teller, bound, change, rival, trail};
use crate::context::app_context::{AppContext, Effect, UseCaseError, granted, organization};
use crate::context::calendar_service::{RemoteCalendarError, ServiceError};
use crate::context::notification_accounts::NotificationAccounts;
use crate::notifications::professionals::NotificationKind;
use crate::scheduling::appointments::AppointmentView;
use crate::scheduling::remote_calendar::push::{self, Pushed};
use balcao_domain::appointment::visit::MarkAuthor;

/// A move that may have to be taken back.
pub(crate) trait RemoteMove: Clone + Send + 'static {
    /// What its caller gets.
    type Done: Serialize + DeserializeOwned + Clone + Send + 'static;
    /// Why it was not made.
    type Refusal: Serialize + DeserializeOwned + Send + 'static;

    /// The business.
    fn organization(&self) -> OrganizationId;

    /// Makes the move in our tables, and announces nothing. What a refusal had begun is undone.
    fn begin(
        &self,
        tx: &mut Tx<'_>,
        accounts: &NotificationAccounts,
        now: Timestamp,
    ) -> Result<Result<BegunMove<Self::Done>, Self::Refusal>, UseCaseError>;

    /// The refusal of a time that an event outside has.
    fn refuse_taken(&self, tx: &mut Tx<'_>, old: AppointmentId, now: Timestamp) -> Result<Self::Refusal, UseCaseError>;

    /// Whether it stands although the service does not say what was there first.
    fn stands_unsure(&self, when_down: CalendarDown) -> bool;
}

/// What a move came to in our tables.
pub(crate) enum BegunMove<D> {
    /// Nothing is to be announced: the answer is final.
    Done(D),
    /// The appointment is at its new time.
    Made(Box<MadeMove<D>>),
}

impl<D> BegunMove<D> {
    /// Announces the move where no external calendar is asked.
    pub(crate) fn end(
        self,
        tx: &mut Tx<'_>,
        id: OrganizationId,
        accounts: &Arc<NotificationAccounts>,
        now: Timestamp,
    ) -> Result<D, UseCaseError> {
        match self {
            Self::Done(done) => Ok(done),
            Self::Made(made) => {
                made.announce(tx, id, accounts, now)?;
                Ok(made.done)
            }
        }
    }

    /// What its caller gets.
    pub(crate) fn done(&self) -> &D {
        match self {
            Self::Done(done) => done,
            Self::Made(made) => &made.done,
        }
    }

    /// The same move with another answer.
    pub(crate) fn map<E>(self, change: impl FnOnce(D) -> E) -> BegunMove<E> {
        match self {
            Self::Done(done) => BegunMove::Done(change(done)),
            Self::Made(made) => {
                let MadeMove { moved, from, done } = *made;
                BegunMove::Made(Box::new(MadeMove { moved, from, done: change(done) }))
            }
        }
    }
}

/// A move that was made and is not announced.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct MadeMove<D> {
    /// Both appointments.
    pub(crate) moved: Rescheduled,
    /// Whose move it is.
    pub(crate) from: Mover,
    /// What its caller gets.
    pub(crate) done: D,
}

/// Whose move it is, with what follows from it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mover {
    /// The customer's, or a program's for the customer: its name in the audit log.
    Customer(Option<String>),
    /// That of staff.
    Staff(Box<StaffMove>),
}

impl<D> MadeMove<D> {
    const fn new_appointment(&self) -> AppointmentId {
        self.moved.new.appointment.id
    }

    /// What follows from it, if it is that of staff.
    pub(crate) fn staff_move(&mut self) -> Option<&mut StaffMove> {
        match &mut self.from {
            Mover::Staff(staff) => Some(staff),
            Mover::Customer(_) => None,
        }
    }

    /// Announces a move that stands, to others and to its professional.
    fn announce(
        &self,
        tx: &mut Tx<'_>,
        id: OrganizationId,
        accounts: &Arc<NotificationAccounts>,
        now: Timestamp,
    ) -> Result<(), UseCaseError> {
        let moved = &self.moved;
        let actor = match &self.from {
            Mover::Staff(staff) => return staff.announce(tx, id, accounts, moved, now),
            Mover::Customer(actor) => actor.clone(),
        };
        change::announce_move(tx, id, moved, now)?;
        let (old, new) = (&moved.old, &moved.new.appointment);
        // The new one stands as the old one did before it was given up.
        let before = AppointmentView { status: new.status, ..old.clone() };
        let what = NotificationKind::Moved(old.id, new.id);
        let teller = Teller { accounts: Arc::clone(accounts), actor, organization: id };
        teller.report(tx, now, (what, Some(trail::shown(&before)), trail::shown(new)))
    }

    /// Takes the move back; returns whether that was possible.
    fn take_back(&self, tx: &mut Tx<'_>, id: OrganizationId, now: Timestamp) -> Result<bool, UseCaseError> {
        if !change::take_back(tx, id, &self.moved, now)? {
            return Ok(false);
        }
        if let Mover::Staff(staff) = &self.from {
            staff.take_back(tx, id)?;
        }
        Ok(true)
    }
}

/// A move that a contact asks for, or a program for the contact.
#[derive(Clone)]
pub(super) struct CustomerMove {
    pub(super) organization: OrganizationId,
    pub(super) contact: ContactId,
    pub(super) request: RescheduleRequest,
    /// Who is recorded as its author.
    pub(super) by: MarkAuthor,
    /// The author in the audit log.
    pub(super) actor: Option<String>,
}

impl RemoteMove for CustomerMove {
    type Done = Rescheduled;
    type Refusal = BookingRefusal;

    fn organization(&self) -> OrganizationId {
        self.organization
    }

    fn begin(
        &self,
        tx: &mut Tx<'_>,
        _accounts: &NotificationAccounts,
        now: Timestamp,
    ) -> Result<Result<BegunMove<Rescheduled>, BookingRefusal>, UseCaseError> {
        let moved = change::move_unannounced(tx, self.organization, self.contact, &self.request, bound(&self.by), now)?;
        let from = Mover::Customer(self.actor.clone());
        Ok(moved.map(|moved| BegunMove::Made(Box::new(MadeMove { done: moved.clone(), from, moved }))))
    }

    fn refuse_taken(
        &self,
        tx: &mut Tx<'_>,
        old: AppointmentId,
        now: Timestamp,
    ) -> Result<BookingRefusal, UseCaseError> {
        change::find_alternatives(tx, self.organization, old, &self.request, now)
    }

    fn stands_unsure(&self, when_down: CalendarDown) -> bool {
        when_down == CalendarDown::BookAnyway
    }
}

/// A move that waits for the calendar, as its claim keeps it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct WaitingMove<D> {
    made: Box<MadeMove<D>>,
    /// Whether the answer is recorded under the key of the claim.
    is_recorded: bool,
}

type AnswerOf<M> = Recorded<Result<<M as RemoteMove>::Done, <M as RemoteMove>::Refusal>>;

/// Moves an appointment of a contact, once per key.
pub(super) async fn reschedule(
    app: &AppContext,
    key: EffectKey,
    whose: Whose,
    wanted: CustomerMove,
) -> Effect<Rescheduled, BookingRefusal> {
    let id = wanted.organization;
    let Some(service) = app.remote_calendar.clone() else { return move_here(app, Some(key), wanted).await };
    let own = key.clone();
    let connected = match app.look(move |tx, _now| found::<CustomerMove>(tx, id, &own)).await? {
        Some(Begun::Answered(answer)) => return Ok(answer),
        Some(Begun::Waits(..)) => Some(connect(app, id, service).await?),
        None => freshen(app, id, service, whose).await?,
    };
    match connected {
        Some(connected) => move_remotely(app, Some(key), &connected, wanted).await,
        None => move_here(app, Some(key), wanted).await,
    }
}

/// Moves an appointment as staff chose, once per key if there is one. The caller has read the calendars.
pub(crate) async fn move_by_staff<M: RemoteMove>(
    app: &AppContext,
    key: Option<EffectKey>,
    wanted: M,
) -> Result<Result<M::Done, M::Refusal>, UseCaseError> {
    let answer = match app.remote_calendar.clone() {
        Some(service) => {
            let connected = connect(app, wanted.organization(), service).await?;
            move_remotely(app, key, &connected, wanted).await?
        }
        None => move_here(app, key, wanted).await?,
    };
    Ok(answer.value)
}

/// Moves where no external calendar is asked.
async fn move_here<M: RemoteMove>(app: &AppContext, key: Option<EffectKey>, wanted: M) -> Effect<M::Done, M::Refusal> {
    let (id, accounts) = (wanted.organization(), Arc::clone(&app.notices));
    let work = move |tx: &mut Tx<'_>, now| {
        let begun = granted!(wanted.begin(tx, &accounts, now)?);
        begun.end(tx, id, &accounts, now).map(Ok)
    };
    match key {
        Some(key) => app.effect(id, key, work).await,
        None => Ok(Recorded { value: app.act(id, None, work).await?, repeated: false }),
    }
}

async fn move_remotely<M: RemoteMove>(
    app: &AppContext,
    key: Option<EffectKey>,
    connected: &Connected,
    wanted: M,
) -> Effect<M::Done, M::Refusal> {
    let id = wanted.organization();
    let (key, waiting) = match begin(app, key, &wanted).await? {
        Begun::Answered(answer) => return Ok(answer),
        Begun::Waits(key, waiting) => (key, waiting),
    };
    let unsure = match look(app, id, connected, waiting.made.new_appointment()).await? {
        Ok(Some(rival)) => {
            return match take_back(app, &key, connected, &wanted, waiting, Some(rival)).await? {
                Some(answer) => Ok(answer),
                None => Err(ended_elsewhere(connected)),
            };
        }
        Ok(None) => None,
        // The worker goes on with the event, and a reading shows staff what lies at its time.
        Err(_) if wanted.stands_unsure(connected.when_down) => None,
        Err(error) => Some(error),
    };
    let answer = match &unsure {
        Some(_) => take_back(app, &key, connected, &wanted, waiting, None).await?,
        None => finish::<M>(app, id, &key, waiting).await?,
    };
    match (answer, unsure) {
        (Some(answer), _) => Ok(answer),
        (None, Some(error)) => Err(RemoteCalendarError::of_service(connected.service.name(), &error).into()),
        (None, None) => Err(ended_elsewhere(connected)),
    }
}

/// Another run under the same key took the move back meanwhile.
fn ended_elsewhere(connected: &Connected) -> UseCaseError {
    let reason = "another run of this move took it back".to_owned();
    RemoteCalendarError::Unavailable { calendar: connected.service.name(), reason }.into()
}

/// How far a move is.
enum Begun<M: RemoteMove> {
    /// It has its answer.
    Answered(AnswerOf<M>),
    /// It is made, and the calendar was not asked yet. The key is that of its claim.
    Waits(EffectKey, WaitingMove<M::Done>),
}

/// What an earlier run under the key came to.
fn found<M: RemoteMove>(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    key: &EffectKey,
) -> Result<Option<Begun<M>>, UseCaseError> {
    if let Some(value) = ledger::find(tx, id, key)? {
        return Ok(Some(Begun::Answered(Recorded { value, repeated: true })));
    }
    let claim: Option<CalendarClaim<WaitingMove<M::Done>>> = calendar_claim::find(tx, id, key)?;
    Ok(claim.map(|claim| Begun::Waits(key.clone(), claim.answer)))
}

/// Makes the move in our tables. A refusal, and a move that concerns no external calendar, is answered at once.
async fn begin<M: RemoteMove>(app: &AppContext, key: Option<EffectKey>, wanted: &M) -> Result<Begun<M>, UseCaseError> {
    let (id, wanted, now) = (wanted.organization(), wanted.clone(), app.clock.now());
    let (own, accounts) = (key.clone(), Arc::clone(&app.notices));
    let begin = move |tx: &mut Tx<'_>| {
        if let Some(key) = &own {
            if let Some(begun) = found(tx, id, key)? {
                return Ok(begun);
            }
            ledger::demand_open(tx, id, key)?;
        }
        let value = match tx.savepoint(|tx| wanted.begin(tx, &accounts, now))? {
            Ok(BegunMove::Made(made)) if calendar_event::find(tx, id, made.new_appointment())?.is_some() => {
                let (appointment, is_recorded) = (made.new_appointment(), own.is_some());
                let key = own.unwrap_or_else(|| key_of_claim(appointment));
                let claim = CalendarClaim { appointment, answer: WaitingMove { made, is_recorded } };
                calendar_claim::insert_move(tx, id, &key, &claim, now)?;
                return Ok(Begun::Waits(key, claim.answer));
            }
            Ok(begun) => Ok(begun.end(tx, id, &accounts, now)?),
            Err(refusal) => Err(refusal),
        };
        let Some(key) = &own else { return Ok(Begun::Answered(Recorded { value, repeated: false })) };
        Ok(Begun::Answered(ledger::once(tx, id, key, now, |_tx| Ok::<_, UseCaseError>(value))?))
    };
    match key {
        Some(_) => write_again(app, begin).await,
        // Without a key, a second run would move the appointment again.
        None => app.store.write(begin).await,
    }
}

/// The key of a claim whose caller gives none: no other move leads to this appointment.
fn key_of_claim(new: AppointmentId) -> EffectKey {
    EffectKey { key: format!("move/{}", i64::from(new)), args_hash: String::new(), turn: None, tool: String::new() }
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
async fn finish<M: RemoteMove>(
    app: &AppContext,
    id: OrganizationId,
    key: &EffectKey,
    waiting: WaitingMove<M::Done>,
) -> Result<Option<AnswerOf<M>>, UseCaseError> {
    let (key, accounts, now) = (key.clone(), Arc::clone(&app.notices), app.clock.now());
    let finish = move |tx: &mut Tx<'_>| match found::<M>(tx, id, &key)? {
        Some(Begun::Answered(answer)) => Ok(Some(answer)),
        Some(Begun::Waits(key, waiting)) => end(tx, id, &key, &accounts, waiting, now).map(Some),
        // Nothing but the server itself ends a claim that has no key of a caller, and a move that it ends stands.
        None if !waiting.is_recorded => Ok(Some(Recorded { value: Ok(waiting.made.done), repeated: false })),
        None => Ok(None),
    };
    write_again(app, finish).await
}

/// Ends the claim of a move that stands.
fn end<D, R>(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    key: &EffectKey,
    accounts: &Arc<NotificationAccounts>,
    WaitingMove { made, is_recorded }: WaitingMove<D>,
    now: Timestamp,
) -> Result<Recorded<Result<D, R>>, UseCaseError>
where
    D: Serialize + DeserializeOwned,
    R: Serialize + DeserializeOwned,
{
    calendar_claim::remove(tx, id, key)?;
    made.announce(tx, id, accounts, now)?;
    if !is_recorded {
        return Ok(Recorded { value: Ok(made.done), repeated: false });
    }
    ledger::once(tx, id, key, now, |_tx| Ok(Ok(made.done)))
}

/// Takes a move back: because of an event that was there first, with a refusal under its key, or else with the key free. If it cannot be
/// taken back, it stands and is answered so; `None` if the key is free.
async fn take_back<M: RemoteMove>(
    app: &AppContext,
    key: &EffectKey,
    connected: &Connected,
    wanted: &M,
    waiting: WaitingMove<M::Done>,
    rival: Option<OutsideEvent>,
) -> Result<Option<AnswerOf<M>>, UseCaseError> {
    let (id, accounts) = (wanted.organization(), Arc::clone(&app.notices));
    let (key, wanted, now) = (key.clone(), wanted.clone(), app.clock.now());
    let old = waiting.made.moved.old.id;
    let undo = move |tx: &mut Tx<'_>| {
        let begun = match found::<M>(tx, id, &key)? {
            Some(Begun::Answered(answer)) => return Ok(Some(answer)),
            Some(Begun::Waits(_, waiting)) => waiting,
            // The server ended the claim, or this transaction did and its answer was lost.
            None if !waiting.is_recorded && is_held(tx, id, waiting.made.new_appointment())? => {
                return Ok(Some(Recorded { value: Ok(waiting.made.done), repeated: false }));
            }
            None if waiting.is_recorded => return Ok(None),
            None => waiting,
        };
        if let Some(rival) = &rival {
            keep_rival(tx, id, rival)?;
        }
        if calendar_claim::remove(tx, id, &key)? && !begun.made.take_back(tx, id, now)? {
            // The next reading makes the event a conflict for staff.
            if let Some(rival) = &rival {
                calendar_link::set_due(tx, id, &rival.calendar, now)?;
            }
            return end(tx, id, &key, &accounts, begun, now).map(Some);
        }
        if rival.is_none() {
            return Ok(None);
        }
        let value = Err(wanted.refuse_taken(tx, begun.made.moved.old.id, now)?);
        if !begun.is_recorded {
            return Ok(Some(Recorded { value, repeated: false }));
        }
        ledger::once(tx, id, &key, now, |_tx| Ok::<_, UseCaseError>(value)).map(Some)
    };
    let answer = write_again(app, undo).await?;
    // The event goes back with the appointment, now or by the worker.
    push_now(app, &connected.service, id, old).await;
    Ok(answer)
}

/// Whether an appointment holds its time.
fn is_held(tx: &mut Tx<'_>, id: OrganizationId, which: AppointmentId) -> Result<bool, UseCaseError> {
    let currency = organization(tx, id)?.0.currency;
    Ok(appointment::find(tx, id, which, currency)?.is_some_and(|one| one.status.holds_slot()))
}

/// Whether a move waits that no run resumed.
pub(super) fn has_old(tx: &mut Tx<'_>, id: OrganizationId, now: Timestamp) -> Result<bool, StoreError> {
    Ok(!calendar_claim::list_old_moves::<WaitingMove<Value>>(tx, id, waited_since(now))?.is_empty())
}

/// Takes back the moves that no run resumed and that met an event which was there first; their keys are free. If the service does not say
/// what was there, a move stays for [`complete_old`].
pub(super) async fn take_back_old(app: &AppContext, id: OrganizationId) -> Result<(), UseCaseError> {
    let Some(service) = app.remote_calendar.clone() else { return Ok(()) };
    let list = move |tx: &mut Tx<'_>, now| Ok(calendar_claim::list_old_moves(tx, id, waited_since(now))?);
    let waiting: Vec<(EffectKey, CalendarClaim<WaitingMove<Value>>)> = app.look(list).await?;
    if waiting.is_empty() {
        return Ok(());
    }
    let connected = connect(app, id, service).await?;
    for (key, claim) in waiting {
        let rival = match look(app, id, &connected, claim.appointment).await? {
            Ok(Some(rival)) => rival,
            // The others would wait for the same service.
            Err(ServiceError::Unavailable { .. } | ServiceError::Disconnected { .. }) => return Ok(()),
            Ok(None) | Err(_) => continue,
        };
        let (now, old) = (app.clock.now(), claim.answer.made.moved.old.id);
        let undo = move |tx: &mut Tx<'_>| {
            let waits: Option<CalendarClaim<WaitingMove<Value>>> = calendar_claim::find(tx, id, &key)?;
            // A run that resumed ended it.
            let Some(claim) = waits else { return Ok(()) };
            keep_rival(tx, id, &rival)?;
            if claim.answer.made.take_back(tx, id, now)? {
                calendar_claim::remove(tx, id, &key)?;
            } else {
                // It stands. The next reading makes the event a conflict for staff.
                calendar_link::set_due(tx, id, &rival.calendar, now)?;
            }
            Ok(())
        };
        write_again(app, undo).await?;
        push_now(app, &connected.service, id, old).await;
    }
    Ok(())
}

/// Announces and answers the moves that no run resumed and that stand.
pub(super) fn complete_old(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    accounts: &Arc<NotificationAccounts>,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    for (key, claim) in calendar_claim::list_old_moves::<WaitingMove<Value>>(tx, id, waited_since(now))? {
        end::<Value, Value>(tx, id, &key, accounts, claim.answer, now)?;
    }
    Ok(())
}

fn waited_since(now: Timestamp) -> Timestamp {
    now.checked_sub(CLAIM).unwrap_or(now)
}

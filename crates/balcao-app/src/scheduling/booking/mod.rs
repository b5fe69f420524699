//! Books, cancels and moves appointments. Tools, the HTTP API, commands and workers create and change appointments only through this
//! module.
//!
//! A call checks everything again, whatever was offered before: the service, the hours, notice and advance, the contact's own limit, and
//! duplicates. If two callers want the same time, the slot claims in the database decide (`balcao_store::scheduling::slot_claim`). Each
//! call is one transaction, so a move frees the old time only if it gets the new one.

mod book;
pub(crate) mod change;
pub(crate) mod coverage;
pub(crate) mod freshness;
pub(crate) mod outside;
pub(crate) mod remote;
pub(crate) mod remote_move;
mod rival;
mod seeded_bugs;
pub(crate) mod staff_move;
pub(crate) mod trail;

use std::sync::Arc;

use balcao_domain::appointment::visit::MarkAuthor;
use balcao_domain::hours::Period;
use balcao_domain::{AppointmentId, ContactId, OrganizationId, ProfessionalId, ServiceId};
use balcao_store::scheduling::appointment;
use balcao_store::turns::ledger::EffectKey;
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::context::app_context::{AppContext, Effect, UseCaseError};
use crate::context::names::NameRefusal;
use crate::context::notification_accounts::NotificationAccounts;
use crate::notifications::professionals::{self, NotificationKind};
use crate::scheduling::agenda::Slot;
use crate::scheduling::appointments::AppointmentView;
pub(crate) use book::{
    Claimed, ClaimedSlot, Wanted, claim as claim_slot, complete as complete_booking, price_of_grant,
    professional_of_grant,
};
pub use coverage::PlanNotice;
use freshness::Whose;
use remote::{ClaimAnswer, RemoteBooking};
use remote_move::CustomerMove;

/// Which service is meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServiceChoice {
    /// By name or alias.
    Name(String),
    /// By id.
    Id(ServiceId),
    /// By both, which must mean the same service: a caller that contradicts itself is asked, not believed by half.
    NameAndId {
        /// The name or alias.
        name: String,
        /// The id.
        id: ServiceId,
    },
}

/// Which professional is meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProfessionalChoice {
    /// By name or alias, as the contact or staff wrote it.
    Name(String),
    /// By id, where it is known: a name may be two people's, or have been changed.
    Id(ProfessionalId),
}

impl From<String> for ProfessionalChoice {
    fn from(name: String) -> Self {
        Self::Name(name)
    }
}

/// What is to be booked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BookRequest {
    /// The professional; if absent, any professional who is free and offers the service.
    pub professional: Option<ProfessionalChoice>,
    /// What; a visit of the default duration, if absent.
    pub service: Option<ServiceChoice>,
    /// The local date.
    pub date: Date,
    /// The local time, in minutes since midnight.
    pub start_min: u16,
    /// The name of the person who comes, if that is not the contact.
    pub attendee: Option<String>,
    /// Whether it only holds the slot until it is confirmed or expires.
    pub pending: bool,
    /// Where it is booked: `agent`, `console`, `mcp`.
    pub source: String,
    /// Whether the customer knows the price, or the caller answers for it. If not, a visit that a plan of the customer does not pay for is
    /// refused ([`BookingRefusal::PriceNotAgreed`]), because a subscriber expects to pay nothing.
    pub price_agreed: bool,
}

impl BookRequest {
    /// Whether a customer books, through an agent, and not staff.
    pub(crate) fn is_by_customer(&self) -> bool {
        self.source == "agent"
    }

    /// Whose calendars the booking needs.
    const fn needed_calendars(&self) -> Whose {
        match &self.professional {
            Some(ProfessionalChoice::Id(id)) => Whose::Professional(*id),
            Some(ProfessionalChoice::Name(_)) | None => Whose::Everybody,
        }
    }
}

/// An appointment that was booked, or was there already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Booked {
    /// The appointment.
    pub appointment: AppointmentView,
    /// Whether the contact already had it, so that nothing was done.
    pub already_booked: bool,
    /// Whether a plan pays for it.
    pub is_subscriber: bool,
    /// The plan that pays for it.
    pub plan_name: Option<String>,
    /// Why a plan of the contact does not pay for it. Of a move, only if the visit became dearer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_notice: Option<PlanNotice>,
    /// Whether a name was a near spelling only: the answer should say what was understood.
    pub near_name: bool,
}

/// What is to be moved, and to when.
///
/// A move with the same professional and the same service keeps the price and the length of the appointment, whatever they cost and last
/// today. Whether a plan pays for it is decided by its new date. With another professional or another service, the terms of today hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RescheduleRequest {
    /// Which; the next upcoming one, if absent.
    pub appointment: Option<AppointmentId>,
    /// The new local date.
    pub date: Date,
    /// The new local time, in minutes since midnight.
    pub start_min: u16,
    /// The new professional; if absent, the professional stays.
    pub professional: Option<String>,
    /// What; as before, if absent, also if that service was archived.
    pub service: Option<ServiceChoice>,
    /// Where it is moved: `agent`, `console`, `mcp`.
    pub source: String,
    /// Whether the customer knows the new price, or the caller answers for it. If not, a move that makes the visit dearer is refused
    /// ([`BookingRefusal::PriceNotAgreed`]).
    pub price_agreed: bool,
}

impl RescheduleRequest {
    /// Whose calendars the move of an appointment of `contact` needs.
    const fn needed_calendars(&self, contact: ContactId) -> Whose {
        if self.professional.is_some() { Whose::Everybody } else { Whose::UpcomingOf(contact) }
    }
}

/// An appointment that was moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rescheduled {
    /// What was cancelled.
    pub old: AppointmentView,
    /// What was booked instead.
    pub new: Booked,
}

/// Why nothing was booked, moved or cancelled. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "refusal", content = "details", rename_all = "snake_case")]
pub enum BookingRefusal {
    /// Another appointment takes the slot, or the professional is away.
    SlotTaken {
        /// The nearest free ones, those of the professional asked for first.
        alternatives: Vec<Slot>,
    },
    /// Outside of business or working hours.
    OutsideHours {
        /// When the professional, or any who could be booked for it, works on that date.
        works: Vec<Period>,
        /// Why the date is not like its weekday.
        note: Option<String>,
        /// The one professional who was asked about, if the business is open on that date and they do not work.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        absent: Option<String>,
        /// The nearest free ones.
        alternatives: Vec<Slot>,
    },
    /// Less than the minimum notice ahead.
    TooSoon {
        /// The notice.
        notice_min: u32,
        /// The nearest free ones.
        alternatives: Vec<Slot>,
    },
    /// Beyond the maximum advance.
    TooFar {
        /// The last date that can be booked.
        last_date: Date,
    },
    /// The date or the time is over.
    PastDate {
        /// Today.
        today: Date,
        /// The local time now, `HH:MM`.
        time: String,
    },
    /// The clock change skips that time.
    NoSuchTime,
    /// Appointments do not begin then: at no full five minutes, or, for customers, beside the starts of the business.
    OffGrid {
        /// The nearest free ones.
        alternatives: Vec<Slot>,
    },
    /// The professional does not offer the service.
    NotOffered {
        /// The service.
        service: String,
        /// The professional; absent if no professional offers the service.
        professional: Option<String>,
        /// Who does.
        offered_by: Vec<String>,
    },
    /// The contact holds as many upcoming appointments as it may.
    TooManyOpen {
        /// How many that are.
        limit: u32,
        /// Those it holds.
        upcoming: Vec<AppointmentView>,
    },
    /// The contact has another appointment at that start.
    OtherAtThatTime {
        /// That one.
        existing: Box<AppointmentView>,
    },
    /// The professional's name.
    Professional(NameRefusal),
    /// The service's name.
    Service(NameRefusal),
    /// No service has that id.
    NoSuchService {
        /// The services there are.
        known: Vec<String>,
    },
    /// The contact has no appointment with that id. An appointment of another contact gives this refusal, too.
    NotFound {
        /// Those it has.
        upcoming: Vec<AppointmentView>,
    },
    /// Several appointments could be meant.
    Ambiguous {
        /// Those.
        candidates: Vec<AppointmentView>,
    },
    /// The appointment is over.
    AlreadyStarted,
    /// The appointment was cancelled before.
    AlreadyCancelled,
    /// The appointment was moved before, so another one stands in its place.
    Moved {
        /// That one.
        to: AppointmentId,
    },
    /// Too late to cancel or move it without staff.
    CancellationNotice {
        /// How long before its start it could be.
        notice_min: u32,
    },
    /// No plan of the customer pays for the visit, or the move makes it dearer, and the customer has not agreed to its price.
    PriceNotAgreed,
}

/// Books, moves and cancels.
#[derive(Debug, Clone)]
pub struct Booking {
    app: AppContext,
    /// Who does it on the contact's behalf, by their name in the audit log.
    actor: Option<String>,
}

impl Booking {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app, actor: None }
    }

    /// Returns the use case with `actor` as the author in the audit log: a program with an API key, and not the contact in a conversation,
    /// because the transcript keeps the contact's words.
    #[must_use]
    pub fn by(self, actor: String) -> Self {
        Self { actor: Some(actor), ..self }
    }

    /// Books an appointment for a contact. If it already has the very same one, that is given.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed, or the key was used for something else.
    pub async fn book(
        &self,
        organization: OrganizationId,
        contact: ContactId,
        key: EffectKey,
        request: BookRequest,
    ) -> Effect<Booked, BookingRefusal> {
        let whose = request.needed_calendars();
        let booking = PlainBooking { organization, contact, request, teller: self.teller(organization) };
        // A turn holds this future, so its largest part is on the heap; so in the acts below.
        Box::pin(remote::book(&self.app, organization, key, &booking, whose)).await
    }

    /// What [`Self::book`] would do now. Nothing changes: it is the real thing, undone.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed, or if an external calendar does not answer and its copy is too old.
    pub async fn preview_book(
        &self,
        organization: OrganizationId,
        contact: ContactId,
        request: BookRequest,
    ) -> Result<Result<Booked, BookingRefusal>, UseCaseError> {
        freshness::freshen_before(&self.app, organization, request.needed_calendars()).await?;
        self.app.rehearse(move |tx, now| book::book(tx, organization, contact, Wanted::of_new(&request), now)).await
    }

    /// What [`Self::cancel`] would do now. Nothing changes.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed, or if an external calendar does not answer and its copy is too old.
    pub async fn preview_cancel(
        &self,
        organization: OrganizationId,
        contact: ContactId,
        appointment: Option<AppointmentId>,
    ) -> Result<Result<AppointmentView, BookingRefusal>, UseCaseError> {
        let by = self.author();
        let cancel = move |tx: &mut balcao_store::Tx<'_>, now| {
            Ok(change::cancel(tx, organization, contact, appointment, bound(&by), now)?.map(|(_, after)| after))
        };
        freshness::freshen_before(&self.app, organization, Whose::UpcomingOf(contact)).await?;
        self.app.rehearse(cancel).await
    }

    /// What [`Self::reschedule`] would do now. Nothing changes.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed, or if an external calendar does not answer and its copy is too old.
    pub async fn preview_reschedule(
        &self,
        organization: OrganizationId,
        contact: ContactId,
        request: RescheduleRequest,
    ) -> Result<Result<Rescheduled, BookingRefusal>, UseCaseError> {
        let by = self.author();
        freshness::freshen_before(&self.app, organization, request.needed_calendars(contact)).await?;
        self.app.rehearse(move |tx, now| change::reschedule(tx, organization, contact, &request, bound(&by), now)).await
    }

    /// Cancels one of the contact's appointments: the one of that id, or, without one, the next upcoming one.
    ///
    /// # Errors
    /// As [`Self::book`].
    pub async fn cancel(
        &self,
        organization: OrganizationId,
        contact: ContactId,
        key: EffectKey,
        appointment: Option<AppointmentId>,
    ) -> Effect<AppointmentView, BookingRefusal> {
        let (teller, by) = (self.teller(organization), self.author());
        let cancel = move |tx: &mut balcao_store::Tx<'_>, now| {
            let cancelled = change::cancel(tx, organization, contact, appointment, bound(&by), now)?;
            let told = teller.report_change(tx, cancelled, now, |(before, after)| {
                Some((NotificationKind::Cancelled(after.id), Some(trail::shown(before)), trail::shown(after)))
            })?;
            Ok(told.map(|(_, after)| after))
        };
        let touched: fn(&AppointmentView) -> AppointmentId = |after| after.id;
        Box::pin(remote::cancel(&self.app, organization, key, Whose::UpcomingOf(contact), (cancel, touched))).await
    }

    /// Moves one of the contact's appointments. The old time is freed only if the new one is had.
    ///
    /// # Errors
    /// As [`Self::book`].
    pub async fn reschedule(
        &self,
        organization: OrganizationId,
        contact: ContactId,
        key: EffectKey,
        request: RescheduleRequest,
    ) -> Effect<Rescheduled, BookingRefusal> {
        let whose = request.needed_calendars(contact);
        let (by, actor) = (self.author(), self.actor.clone());
        let wanted = CustomerMove { organization, contact, request, by, actor };
        Box::pin(remote_move::reschedule(&self.app, key, whose, wanted)).await
    }

    /// Confirms one of the contact's pending appointments.
    ///
    /// # Errors
    /// As [`Self::book`].
    pub async fn confirm(
        &self,
        organization: OrganizationId,
        contact: ContactId,
        key: EffectKey,
        appointment: Option<AppointmentId>,
    ) -> Effect<AppointmentView, BookingRefusal> {
        let confirm =
            move |tx: &mut balcao_store::Tx<'_>, now| change::confirm(tx, organization, contact, appointment, now);
        self.app.effect(organization, key, confirm).await
    }

    /// Cancels the pending appointments that have expired, offers their time to the waitlist, and gives how many they were. Of the moves whose
    /// run ended before the external calendar answered, it takes back those that met an event which was there first, and announces the others.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn expire_pending(&self, organization: OrganizationId) -> Result<usize, UseCaseError> {
        if seeded_bugs::expires_in_parts() {
            return seeded_bugs::expire_in_parts(&self.app, organization).await;
        }
        // Before a reading makes such an event a conflict for staff.
        remote_move::take_back_old(&self.app, organization).await?;
        let now = self.app.clock.now();
        let gives_up = move |tx: &mut balcao_store::Tx<'_>, now| {
            Ok(!appointment::expired(tx, organization, now)?.is_empty() || remote_move::has_old(tx, organization, now)?)
        };
        if self.app.look(gives_up).await? {
            // The time that a hold or a move gives up is offered to others. If the service does not answer, a copy that is too old offers nothing.
            freshness::check(&self.app, organization).await?;
        }
        let accounts = Arc::clone(&self.app.notices);
        let expire = move |tx: &mut balcao_store::Tx<'_>| {
            remote_move::complete_old(tx, organization, &accounts, now)?;
            let lapsed = change::expire(tx, organization, now)?;
            for one in &lapsed {
                professionals::enqueue(tx, &accounts, organization, NotificationKind::Cancelled(*one), now)?;
            }
            Ok(lapsed.len())
        };
        self.app.store.write(expire).await
    }

    /// Who is recorded as having cancelled or moved an appointment.
    fn author(&self) -> MarkAuthor {
        self.actor.clone().map_or(MarkAuthor::Customer, MarkAuthor::Program)
    }

    fn teller(&self, organization: OrganizationId) -> Teller {
        Teller { accounts: Arc::clone(&self.app.notices), actor: self.actor.clone(), organization }
    }
}

/// A booking by [`Booking::book`].
#[derive(Clone)]
struct PlainBooking {
    organization: OrganizationId,
    contact: ContactId,
    request: BookRequest,
    teller: Teller,
}

impl RemoteBooking for PlainBooking {
    type Done = Booked;
    type Refusal = BookingRefusal;

    fn claim(
        &self,
        tx: &mut balcao_store::Tx<'_>,
        held_until: Option<Timestamp>,
        now: Timestamp,
    ) -> ClaimAnswer<Booked, BookingRefusal> {
        let claimed = book::claim(tx, self.organization, self.contact, Wanted::of_new(&self.request), held_until, now)?;
        Ok(claimed.map(|claimed| (claimed.booked, claimed.slot)))
    }

    fn complete(
        &self,
        tx: &mut balcao_store::Tx<'_>,
        done: &Booked,
        slot: &book::ClaimedSlot,
        now: Timestamp,
    ) -> Result<(), UseCaseError> {
        book::complete(tx, self.organization, slot, now)?;
        let what = NotificationKind::Booked(done.appointment.id);
        self.teller.report(tx, now, (what, None, trail::shown(&done.appointment)))
    }

    fn refuse_taken(&self, tx: &mut balcao_store::Tx<'_>, now: Timestamp) -> Result<BookingRefusal, UseCaseError> {
        book::find_alternatives(tx, self.organization, self.contact, Wanted::of_new(&self.request), now)
    }

    fn booked(done: &Booked) -> &Booked {
        done
    }
}

/// The contact, or a program for the contact.
fn bound(by: &MarkAuthor) -> change::Changer<'_> {
    change::Changer { by, for_customer: true }
}

/// Reports a change to the professional and to the audit log, in the transaction of the change.
#[derive(Clone)]
struct Teller {
    accounts: Arc<NotificationAccounts>,
    actor: Option<String>,
    organization: OrganizationId,
}

impl Teller {
    /// Returns `answer`. If it is a success, notifies the professional, and writes to the audit log if an actor made the change for the
    /// contact. `what` returns the change with the appointment before and after; `None` if nothing changed.
    fn report_change<T, R>(
        &self,
        tx: &mut balcao_store::Tx<'_>,
        answer: Result<T, R>,
        now: Timestamp,
        what: impl FnOnce(&T) -> Option<(NotificationKind, Option<Value>, Value)>,
    ) -> Result<Result<T, R>, UseCaseError> {
        if let Ok(done) = &answer
            && let Some(change) = what(done)
        {
            self.report(tx, now, change)?;
        }
        Ok(answer)
    }

    fn report(
        &self,
        tx: &mut balcao_store::Tx<'_>,
        now: Timestamp,
        (what, before, after): (NotificationKind, Option<Value>, Value),
    ) -> Result<(), UseCaseError> {
        professionals::enqueue(tx, &self.accounts, self.organization, what, now)?;
        if let Some(actor) = &self.actor {
            trail::write_down(tx, self.organization, actor, what, (before, after), now)?;
        }
        Ok(())
    }
}

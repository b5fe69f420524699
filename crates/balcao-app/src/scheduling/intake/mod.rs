//! Intake: a contact books sessions with the conversation's professional ([`professional_choice`]), for themselves or another person.
//!
//! The channel identifies the writer; the text never does. If the writer gives another person's number, the appointment still belongs to
//! the writer, counts against the writer's limits, and names the other person as attendee. The reply shows and changes nothing of that
//! person. A contact is added only if the number is new, and the answer does not show whether it was.

mod first_available;
mod no_free_slot;
pub(crate) mod professional_choice;
mod professional_mention;

use std::sync::Arc;

use balcao_domain::contact::Contact;
use balcao_domain::hours::Period;
use balcao_domain::professional::Professional;
use balcao_domain::service::Service;
use balcao_domain::{ContactId, ConversationId, FailureClass, Money, OrganizationId, Phone};
use balcao_store::turns::ledger::EffectKey;
use balcao_store::{Tx, crm::contact, messaging::conversation, scheduling::agenda_feed};
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Serialize};

use crate::context::app_context::{AppContext, Effect, UseCaseError, granted};
use crate::context::names::may_be_theirs;
use crate::context::notification_accounts::NotificationAccounts;
use crate::notifications::professionals::{self, NotificationKind};
use crate::scheduling::agenda::{Agenda, Slot};
use crate::scheduling::booking::freshness::{self, Whose};
use crate::scheduling::booking::remote::{self, ClaimAnswer, RemoteBooking};
use crate::scheduling::booking::{
    BookRequest, Booked, BookingRefusal, Claimed, ClaimedSlot, ProfessionalChoice, ServiceChoice, Wanted, claim_slot,
    complete_booking,
};

pub use no_free_slot::NoFreeSlot;
pub(crate) use professional_mention::asks_for_a_number;

/// How often a booking is tried that the database put off.
const ATTEMPTS: u32 = 3;
/// How many days of a professional's hours the answer lists.
const WEEK: i64 = 7;

/// What is to be booked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntakeRequest {
    /// The local date.
    pub date: Date,
    /// The local time, in minutes since midnight.
    pub start_min: u16,
    /// Who comes.
    pub client_name: String,
    /// Their number, or the writer's.
    pub client_phone: Phone,
    /// What is to be done, by name or alias; without one, the first service that the professional offers.
    pub service: Option<String>,
    /// As [`BookRequest::price_agreed`].
    pub price_agreed: bool,
}

/// The appointment that was booked, and the person who comes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntakeBooked {
    /// The appointment.
    pub booked: Booked,
    /// Who comes, where that is not who wrote.
    pub for_somebody_else: Option<String>,
}

/// What is free on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sessions {
    /// The professional.
    pub professional: String,
    /// The day.
    pub date: Date,
    /// What a session is.
    pub service: Option<String>,
    /// Starts, `HH:MM`.
    pub slots: Vec<String>,
    /// How long a session takes.
    pub session_min: u32,
    /// The business's zone.
    pub timezone: String,
    /// Why there is none, where the day is over or too far ahead.
    pub outside: Option<Outside>,
    /// Why a day that can be booked has none.
    pub empty: Option<NoFreeSlot>,
    /// The next free times, where there are none.
    pub next: Vec<Slot>,
    /// If an external calendar did not answer: the instant of our copy, which the answer is from.
    pub as_of: Option<Timestamp>,
}

/// A day that cannot be booked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// It is over.
    Past,
    /// Beyond the maximum advance: the last day that can be booked.
    TooFar(Date),
}

/// A professional in the form that customers read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfessionalInfo {
    /// Their name.
    pub name: String,
    /// What they are.
    pub profession: Option<String>,
    /// How long a session takes.
    pub session_min: u32,
    /// What it costs; `None` without a service.
    pub price: Option<Money>,
    /// When they work, on each of the next seven days, today first.
    pub working_hours: Vec<(Date, Vec<Period>)>,
}

/// Why the intake refused to book or to answer. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "refusal", content = "details", rename_all = "snake_case")]
pub enum IntakeRefusal {
    /// The conversation has no professional yet, so the agent has to ask the customer.
    Whom {
        /// Who there is.
        known: Vec<String>,
    },
    /// The writer's own name with a number that is not theirs: one of the two is wrong.
    OtherNumber,
    /// What every booking may be refused for.
    Booking(BookingRefusal),
}

/// Books sessions. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Intake {
    app: AppContext,
}

/// The conversation's professional and what a session with them is.
struct Session<'a> {
    professional: &'a Professional,
    service: Option<&'a Service>,
}

impl Intake {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// What is free with the conversation's professional on a day, for a service by name or alias, else for the first that they
    /// offer.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn sessions(
        &self,
        organization: OrganizationId,
        contact: ContactId,
        conversation: ConversationId,
        date: Date,
        service: Option<String>,
    ) -> Result<Result<Sessions, IntakeRefusal>, UseCaseError> {
        let as_of = freshness::freshen_for_read(&self.app, organization).await?;
        self.app
            .look(move |tx, now| {
                let agenda = Agenda::load(tx, organization, Some(contact), (date, date), now)?;
                let session = granted!(session(tx, &agenda, conversation, service.as_deref())?);
                let last = agenda.last_date(session.service);
                let outside = match date {
                    _ if date < agenda.today() => Some(Outside::Past),
                    _ if date > last => Some(Outside::TooFar(last)),
                    _ => None,
                };
                let free = agenda.free(session.service, None, Some(session.professional.id), (date, date));
                let starts = free.iter().filter(|_| outside.is_none()).flat_map(|free| &free.starts);
                let slots = starts.filter_map(|start| agenda.slot(session.professional.id, *start));
                let slots: Vec<String> = slots.map(|slot| slot.start).collect();
                let none = slots.is_empty() && outside.is_none();
                let next = if none {
                    no_free_slot::find_next_free_days(
                        tx,
                        organization,
                        contact,
                        session.professional,
                        session.service,
                        date,
                        now,
                    )?
                } else {
                    Vec::new()
                };
                Ok(Ok(Sessions {
                    empty: none.then(|| no_free_slot::explain_empty_day(&agenda, session.professional, date)),
                    next,
                    professional: session.professional.name.clone(),
                    date,
                    service: session.service.map(|service| service.name.clone()),
                    slots,
                    session_min: session.minutes(&agenda),
                    timezone: agenda.organization.timezone.clone(),
                    outside,
                    as_of,
                }))
            })
            .await
    }

    /// Who the conversation's professional is, and on what terms they are booked.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn professional(
        &self,
        organization: OrganizationId,
        conversation: ConversationId,
    ) -> Result<Result<ProfessionalInfo, IntakeRefusal>, UseCaseError> {
        self.app
            .look(move |tx, now| {
                let today = crate::context::app_context::organization(tx, organization)?.1.to_datetime(now).date();
                let days: Vec<Date> = (0..WEEK).map(|ahead| today.saturating_add(ahead.days())).collect();
                let until = days.last().copied().unwrap_or(today);
                let agenda = Agenda::load(tx, organization, None, (today, until), now)?;
                let session = granted!(session(tx, &agenda, conversation, None)?);
                let need = agenda.need(session.professional, session.service, None);
                let works = |date: &Date| (*date, agenda.works(session.professional, *date));
                Ok(Ok(ProfessionalInfo {
                    name: session.professional.name.clone(),
                    profession: session.professional.profession.clone(),
                    session_min: session.minutes(&agenda),
                    price: session
                        .service
                        .and(need)
                        .map(|need| Money::new(need.price_cents, agenda.organization.currency)),
                    working_hours: days.iter().map(works).collect(),
                }))
            })
            .await
    }

    /// Returns the name of the conversation's professional, if one was chosen and can still be booked.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn with_whom(
        &self,
        organization: OrganizationId,
        id: ConversationId,
    ) -> Result<Option<String>, UseCaseError> {
        self.app
            .look(move |tx, _now| {
                let Some(known) = conversation::get(tx, organization, id)?.professional else { return Ok(None) };
                let mut active = crate::scheduling::professionals::active(tx, organization)?.into_iter();
                Ok(active.find(|one| one.id == known).map(|one| one.name))
            })
            .await
    }

    /// Books a session, once per key. What the database puts off is tried again, a bounded number of times: bookings run one after
    /// the other, so that each sees all before it, and the claims decide between two who want the same.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn book(
        &self,
        organization: OrganizationId,
        contact: ContactId,
        conversation: ConversationId,
        key: EffectKey,
        request: IntakeRequest,
    ) -> Effect<IntakeBooked, IntakeRefusal> {
        let whose = Whose::OfConversation(conversation);
        let mut attempt = 0;
        loop {
            attempt += 1;
            let (request, accounts) = (request.clone(), Arc::clone(&self.app.notices));
            let booking = IntakeBooking { organization, contact, conversation, request, accounts };
            match remote::book(&self.app, organization, key.clone(), &booking, whose).await {
                // The external calendar was asked for as long as a customer waits.
                Err(error @ UseCaseError::RemoteCalendar(_)) => return Err(error),
                Err(error) if attempt < ATTEMPTS && error.class() == FailureClass::Transient && !error.is_unknown() => {
                }
                done => return done,
            }
        }
    }

    /// What [`Self::book`] would do now. Nothing changes.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed, or if the professional's calendar does not answer and its copy is too old.
    pub async fn preview(
        &self,
        organization: OrganizationId,
        contact: ContactId,
        conversation: ConversationId,
        request: IntakeRequest,
    ) -> Result<Result<IntakeBooked, IntakeRefusal>, UseCaseError> {
        freshness::freshen_before(&self.app, organization, Whose::OfConversation(conversation)).await?;
        self.app
            .rehearse(move |tx, now| {
                let claimed = claim(tx, organization, contact, conversation, &request, None, now)?;
                Ok(claimed.map(|(booked, _slot)| booked))
            })
            .await
    }
}

impl Session<'_> {
    fn minutes(&self, agenda: &Agenda) -> u32 {
        let usual = agenda.organization.scheduling.default_duration_minutes;
        agenda.need(self.professional, self.service, None).map_or(usual, |need| need.duration_min)
    }
}

fn session<'a>(
    tx: &mut Tx<'_>,
    agenda: &'a Agenda,
    id: ConversationId,
    wanted: Option<&str>,
) -> Result<Result<Session<'a>, IntakeRefusal>, UseCaseError> {
    let known = conversation::get(tx, agenda.organization.id, id)?.professional;
    let mut active = agenda.professionals.iter().filter(|one| one.active);
    let Some(professional) = active.clone().find(|one| Some(one.id) == known) else {
        return Ok(Err(IntakeRefusal::Whom { known: active.by_ref().map(|one| one.name.clone()).collect() }));
    };
    Ok(service_of(agenda, professional, wanted).map(|service| Session { professional, service }))
}

/// What a session with a professional is: the wanted service, if they offer it, else the first that they offer.
fn service_of<'a>(
    agenda: &'a Agenda,
    professional: &Professional,
    wanted: Option<&str>,
) -> Result<Option<&'a Service>, IntakeRefusal> {
    let Some(wanted) = wanted else { return Ok(first_service(agenda, professional)) };
    let (service, _) = agenda.service(wanted).map_err(BookingRefusal::Service).map_err(IntakeRefusal::Booking)?;
    if professional.offers(service.id).is_some() {
        return Ok(Some(service));
    }
    let offers = |one: &&Professional| one.active && one.offers(service.id).is_some();
    Err(IntakeRefusal::Booking(BookingRefusal::NotOffered {
        service: service.name.clone(),
        professional: Some(professional.name.clone()),
        offered_by: agenda.professionals.iter().filter(offers).map(|one| one.name.clone()).collect(),
    }))
}

/// The first service that a professional offers.
fn first_service<'a>(agenda: &'a Agenda, professional: &Professional) -> Option<&'a Service> {
    let mut offered = agenda.services.iter().filter(|service| service.active);
    offered.find(|service| professional.offers(service.id).is_some())
}

/// A booking by [`Intake::book`].
#[derive(Clone)]
struct IntakeBooking {
    organization: OrganizationId,
    contact: ContactId,
    conversation: ConversationId,
    request: IntakeRequest,
    accounts: Arc<NotificationAccounts>,
}

impl RemoteBooking for IntakeBooking {
    type Done = IntakeBooked;
    type Refusal = IntakeRefusal;

    fn claim(
        &self,
        tx: &mut Tx<'_>,
        held_until: Option<Timestamp>,
        now: Timestamp,
    ) -> ClaimAnswer<IntakeBooked, IntakeRefusal> {
        claim(tx, self.organization, self.contact, self.conversation, &self.request, held_until, now)
    }

    fn complete(
        &self,
        tx: &mut Tx<'_>,
        done: &IntakeBooked,
        slot: &ClaimedSlot,
        now: Timestamp,
    ) -> Result<(), UseCaseError> {
        complete_booking(tx, self.organization, slot, now)?;
        let booked = NotificationKind::Booked(done.booked.appointment.id);
        professionals::enqueue(tx, &self.accounts, self.organization, booked, now)?;
        Ok(())
    }

    fn refuse_taken(&self, tx: &mut Tx<'_>, now: Timestamp) -> Result<IntakeRefusal, UseCaseError> {
        // The time outside is in our copy by now, so the same request is refused with what is free.
        match tx.savepoint(|tx| {
            let claimed = claim(tx, self.organization, self.contact, self.conversation, &self.request, None, now)?;
            Ok::<_, UseCaseError>(Err::<std::convert::Infallible, _>(claimed.err()))
        })? {
            Err(Some(refusal)) => Ok(refusal),
            Err(None) => Ok(IntakeRefusal::Booking(BookingRefusal::SlotTaken { alternatives: Vec::new() })),
            Ok(never) => match never {},
        }
    }

    fn booked(done: &IntakeBooked) -> &Booked {
        &done.booked
    }
}

fn claim(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    writer: ContactId,
    conversation: ConversationId,
    request: &IntakeRequest,
    held_until: Option<Timestamp>,
    now: Timestamp,
) -> ClaimAnswer<IntakeBooked, IntakeRefusal> {
    let agenda = Agenda::load(tx, organization, Some(writer), (request.date, request.date), now)?;
    let session = granted!(session(tx, &agenda, conversation, request.service.as_deref())?);
    let mut writer = contact::get(tx, organization, writer)?;
    let who = granted!(who(&writer, request));
    let wish = BookRequest {
        professional: Some(ProfessionalChoice::Id(session.professional.id)),
        service: session.service.map(|service| ServiceChoice::Id(service.id)),
        date: request.date,
        start_min: request.start_min,
        attendee: who.attendee.clone(),
        pending: false,
        source: "agent".to_owned(),
        price_agreed: request.price_agreed,
    };
    let Claimed { booked, slot } =
        match claim_slot(tx, organization, writer.id, Wanted::of_new(&wish), held_until, now)? {
            Ok(claimed) => claimed,
            Err(refusal) => {
                let refusal = of_one(refusal, &session.professional.name);
                let away =
                    no_free_slot::explain_empty_day(&agenda, session.professional, request.date) == NoFreeSlot::Away;
                return Ok(Err(IntakeRefusal::Booking(if away {
                    not_taken(refusal, &session.professional.name)
                } else {
                    refusal
                })));
            }
        };
    if !booked.already_booked {
        if who.note_number {
            agenda_feed::set_attendee_phone(tx, organization, booked.appointment.id, request.client_phone.e164())?;
        }
        if who.is_writer && writer.name.is_none() {
            writer.name = Some(request.client_name.clone());
            contact::update(tx, organization, &writer)?;
        }
        if who.is_stranger && contact::find_by_phone(tx, organization, &request.client_phone)?.is_none() {
            let new = contact::NewContact {
                name: Some(request.client_name.clone()),
                phone: Some(request.client_phone.clone()),
                ..contact::NewContact::default()
            };
            contact::insert(tx, organization, &new, now)?;
        }
    }
    Ok(Ok((IntakeBooked { booked, for_somebody_else: who.attendee }, slot)))
}

/// The person who comes, as far as the request reveals it.
struct Who {
    /// Their name, where they are not who writes.
    attendee: Option<String>,
    is_writer: bool,
    /// The attendee has a number that differs from the writer's.
    is_stranger: bool,
    /// The number is not the writer's own by the channel's word: it is kept with the appointment alone.
    note_number: bool,
}

fn who(writer: &Contact, request: &IntakeRequest) -> Result<Who, IntakeRefusal> {
    let (name, preferred_name) = (writer.name.as_deref(), writer.preferred_name.as_deref());
    let nameless = name.is_none() && preferred_name.is_none();
    let is_own_name = nameless || may_be_theirs(&request.client_name, name, preferred_name);
    let attendee = (!is_own_name).then(|| request.client_name.clone());
    let Some(own) = &writer.phone else {
        // The channel hides the writer's number, so the given number cannot be compared and identifies no contact.
        return Ok(Who { attendee, is_writer: is_own_name, is_stranger: false, note_number: true });
    };
    if own.identity() == request.client_phone.identity() {
        return Ok(Who { attendee, is_writer: is_own_name, is_stranger: false, note_number: false });
    }
    if !nameless && is_own_name {
        return Err(IntakeRefusal::OtherNumber);
    }
    let attendee = Some(request.client_name.clone());
    Ok(Who { attendee, is_writer: false, is_stranger: true, note_number: true })
}

/// Converts the refusal of a day on which the professional is away: no other contact has taken that time.
fn not_taken(refusal: BookingRefusal, professional: &str) -> BookingRefusal {
    if let BookingRefusal::SlotTaken { alternatives } = refusal {
        let absent = Some(professional.to_owned());
        BookingRefusal::OutsideHours { works: Vec::new(), note: None, absent, alternatives }
    } else {
        refusal
    }
}

/// The refusal without what others have free: the conversation is about one professional.
fn of_one(mut refusal: BookingRefusal, professional: &str) -> BookingRefusal {
    if let BookingRefusal::SlotTaken { alternatives }
    | BookingRefusal::OutsideHours { alternatives, .. }
    | BookingRefusal::TooSoon { alternatives, .. }
    | BookingRefusal::OffGrid { alternatives } = &mut refusal
    {
        alternatives.retain(|slot| slot.professional == professional);
    }
    refusal
}

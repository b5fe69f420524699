//! The checks before an appointment, and the appointment.

use std::collections::BTreeMap;

use balcao_domain::availability::{Verdict, instant_of};
use balcao_domain::hours::covered;
use balcao_domain::professional::Professional;
use balcao_domain::service::Service;
use balcao_domain::{
    Appointment, AppointmentId, AppointmentStatus, ContactId, Money, OrganizationId, PlanId, ProfessionalId, ServiceId,
    Span,
};
use balcao_seeded_bugs::{Bug, is_on};
use balcao_store::scheduling::appointment::NewAppointment;
use balcao_store::scheduling::reminder::ReminderSubject;
use balcao_store::{Tx, scheduling::appointment, scheduling::catalog, scheduling::waitlist, turns::event};
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};

use super::coverage::cover;
use super::{BookRequest, Booked, BookingRefusal, ProfessionalChoice, ServiceChoice};
use crate::context::app_context::{UseCaseError, granted, organization};
use crate::context::names::NameRefusal;
use crate::scheduling::agenda::{Agenda, KeptTerms, Need};
use crate::scheduling::appointments::{AppointmentView, view};
use crate::scheduling::reminders;

/// Days around the wanted date that are loaded to offer alternatives from.
const ALTERNATIVE_DAYS: i64 = 3;

/// Days after it that are searched where those have nothing free.
const FURTHER_DAYS: i64 = 30;

type Answer<T> = Result<Result<T, BookingRefusal>, UseCaseError>;

/// What is wanted, and, of a move, what the appointment keeps in whose place it comes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) request: &'a BookRequest,
    pub(crate) kept: Option<KeptTerms>,
}

impl<'a> Wanted<'a> {
    /// A new booking.
    pub(crate) const fn of_new(request: &'a BookRequest) -> Self {
        Self { request, kept: None }
    }
}

/// What is wanted, understood.
struct Wish<'a> {
    service: Option<&'a Service>,
    professional: Option<&'a Professional>,
    near_name: bool,
    start: Timestamp,
}

/// A claim on a slot, and what the booking of it is.
pub(crate) struct Claimed {
    /// The answer that the booking gets.
    pub(crate) booked: Booked,
    /// What the contact had already is not claimed again.
    pub(crate) slot: Option<ClaimedSlot>,
}

/// The appointment that holds a claimed slot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClaimedSlot {
    contact: ContactId,
    appointment: AppointmentId,
    starts_at: Timestamp,
    occupied: Span,
}

/// Books: claims the slot, and tells everybody.
pub(crate) fn book(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    wanted: Wanted<'_>,
    now: Timestamp,
) -> Answer<Booked> {
    let claimed = granted!(claim(tx, organization, contact, wanted, None, now)?);
    if let Some(slot) = &claimed.slot {
        complete(tx, organization, slot, now)?;
    }
    Ok(Ok(claimed.booked))
}

/// What follows from a booking that stands: reminders, the waitlist, the event for other programs.
pub(crate) fn complete(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    slot: &ClaimedSlot,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    plan_reminders(tx, id, slot, now)?;
    announce(tx, id, slot, now)
}

/// Plans the reminders of a booking.
pub(super) fn plan_reminders(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    slot: &ClaimedSlot,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let (organization, _) = organization(tx, id)?;
    let subject = ReminderSubject { appointment: slot.appointment, starts_at: slot.starts_at };
    Ok(reminders::plan_automatic(tx, &organization, subject, now)?)
}

/// What others learn from a booking: the contact waits no more, and programs get their event.
pub(super) fn announce(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    slot: &ClaimedSlot,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    waitlist::accept(tx, id, slot.contact, slot.occupied)?;
    event::push(tx, id, "appointment_booked", &slot.appointment.to_string(), "{}", now)?;
    Ok(())
}

/// Checks everything and claims the slot. With `held_until` the appointment only holds it so long, without any notice, because the external
/// calendar must agree first. The answer is that of the whole booking.
pub(crate) fn claim(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    Wanted { request, kept }: Wanted<'_>,
    held_until: Option<Timestamp>,
    now: Timestamp,
) -> Answer<Claimed> {
    let around =
        (request.date.saturating_sub(ALTERNATIVE_DAYS.days()), request.date.saturating_add(ALTERNATIVE_DAYS.days()));
    let agenda = Agenda::load(tx, organization, Some(contact), around, now)?.keeping(kept);
    let wish = granted!(understand(&agenda, request));
    let upcoming = appointment::upcoming_of_contact(tx, organization, contact, agenda.organization.currency, now)?;
    let names = names(&agenda);
    let (professional, need) = match decide(&agenda, &wish, request, &upcoming) {
        Ok(Decision::New { professional, need }) => (professional, need),
        Ok(Decision::Existing(existing)) => {
            let booked = as_booked(tx, &agenda, &wish, existing)?;
            return Ok(Ok(Claimed { booked, slot: None }));
        }
        Err(mut refusal) => {
            look_further(tx, &agenda, contact, &wish, request.date, &mut refusal)?;
            return Ok(Err(refusal));
        }
    };
    let coverage = cover(tx, &agenda, contact, wish.service, wish.start)?;
    let price_cents = coverage.cents_of(need.price_cents);
    // A visit that costs nothing costs a subscriber nothing, too.
    let plan_notice = coverage.notice.filter(|_| need.price_cents > 0);
    if plan_notice.is_some() && !request.price_agreed {
        return Ok(Err(BookingRefusal::PriceNotAgreed));
    }
    let plan = coverage.plan;
    let mut new = NewAppointment {
        contact,
        professional: professional.id,
        capacity: professional.capacity,
        service: wish.service.map(|service| service.id),
        service_name: wish.service.map(|service| service.name.clone()).unwrap_or_default(),
        span: Span::of_minutes(wish.start, need.duration_min),
        occupied: Span::of_minutes(wish.start, need.duration_min)
            .widened(need.buffer_before_min, need.buffer_after_min),
        status: if request.pending { AppointmentStatus::Pending } else { AppointmentStatus::Confirmed },
        price_cents,
        plan: plan.as_ref().map(|(id, _)| *id),
        attendee: request.attendee.clone(),
        source: request.source.clone(),
        expires_at: request
            .pending
            .then(|| balcao_domain::span::plus_minutes(now, i64::from(agenda.organization.scheduling.pending_minutes))),
    };
    let agreed = new.status;
    if let Some(until) = held_until {
        (new.status, new.expires_at) = (AppointmentStatus::Pending, Some(until));
    }
    // The agenda said free; only the claims can promise it.
    let Some(id) = appointment::insert(tx, organization, &new, now)? else {
        let alternatives = alternatives(&agenda, &wish);
        return Ok(Err(BookingRefusal::SlotTaken { alternatives }));
    };
    let slot = ClaimedSlot { contact, appointment: id, starts_at: new.span.start, occupied: new.occupied };
    new.status = agreed;
    let booked = Booked {
        appointment: booked_view(&agenda, &new, id, &names),
        already_booked: false,
        is_subscriber: plan.is_some(),
        plan_name: plan.map(|(_, name)| name),
        plan_notice,
        near_name: wish.near_name,
    };
    Ok(Ok(Claimed { booked, slot: Some(slot) }))
}

/// The slot that an appointment holds.
pub(crate) fn slot_of(one: &balcao_domain::Appointment) -> ClaimedSlot {
    ClaimedSlot { contact: one.contact, appointment: one.id, starts_at: one.span.start, occupied: one.occupied }
}

/// What else is free near a time that an event outside takes.
pub(crate) fn find_alternatives(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    Wanted { request, kept }: Wanted<'_>,
    now: Timestamp,
) -> Result<BookingRefusal, UseCaseError> {
    let around =
        (request.date.saturating_sub(ALTERNATIVE_DAYS.days()), request.date.saturating_add(ALTERNATIVE_DAYS.days()));
    let agenda = Agenda::load(tx, organization, Some(contact), around, now)?.keeping(kept);
    let wish = match understand(&agenda, request) {
        Ok(wish) => wish,
        Err(refusal) => return Ok(refusal),
    };
    let mut refusal = BookingRefusal::SlotTaken { alternatives: alternatives(&agenda, &wish) };
    look_further(tx, &agenda, contact, &wish, request.date, &mut refusal)?;
    Ok(refusal)
}

/// What a request leads to.
enum Decision<'a> {
    /// The contact has the appointment already.
    Existing(&'a Appointment),
    /// It can be booked with this professional.
    New { professional: &'a Professional, need: Need },
}

/// Decides a request by the agenda and by the open appointments of the contact. What is proposed to staff is decided here, too
/// ([`professional_of_grant`]).
fn decide<'a>(
    agenda: &'a Agenda,
    wish: &Wish<'a>,
    request: &BookRequest,
    upcoming: &'a [Appointment],
) -> Result<Decision<'a>, BookingRefusal> {
    let names = names(agenda);
    let shown = |one| view(one, &names, &agenda.zone);
    // A second turn that asks for an existing appointment receives that appointment.
    let same_start = upcoming.iter().find(|one| one.span.start == wish.start && one.attendee == request.attendee);
    if let Some(existing) = same_start {
        let same = wish.professional.is_none_or(|wanted| wanted.id == existing.professional)
            && wish.service.is_none_or(|wanted| Some(wanted.id) == existing.service);
        if !same {
            return Err(BookingRefusal::OtherAtThatTime { existing: Box::new(shown(existing)) });
        }
        return Ok(Decision::Existing(existing));
    }
    let limit = agenda.organization.scheduling.maximum_open_appointments;
    if u32::try_from(upcoming.len()).is_ok_and(|open| open >= limit) {
        return Err(BookingRefusal::TooManyOpen { limit, upcoming: upcoming.iter().map(shown).collect() });
    }
    let (professional, need) = free_professional(agenda, wish, request.date, request.is_by_customer())?;
    Ok(Decision::New { professional, need })
}

/// The professional that [`book`] would book for the request, by the same decision; `None` if it would book nothing new.
pub(crate) fn professional_of_grant(
    agenda: &Agenda,
    request: &BookRequest,
    upcoming: &[Appointment],
) -> Option<ProfessionalId> {
    let wish = understand(agenda, request).ok()?;
    match decide(agenda, &wish, request, upcoming).ok()? {
        Decision::New { professional, .. } => Some(professional.id),
        Decision::Existing(_) => None,
    }
}

/// What [`book`] would book it for, if it is granted to this professional at this time.
pub(crate) fn price_of_grant(
    tx: &mut Tx<'_>,
    agenda: &Agenda,
    contact: ContactId,
    (professional, service): (ProfessionalId, Option<&Service>),
    start: Timestamp,
) -> Result<Money, UseCaseError> {
    let full = agenda.professionals.iter().find(|one| one.id == professional);
    let full = full.and_then(|one| agenda.need(one, service, None)).map(|need| need.price_cents);
    let cents = cover(tx, agenda, contact, service, start)?.cents_of(full.unwrap_or_default());
    Ok(Money::new(cents, agenda.organization.currency))
}

/// The answer to a request for an appointment that the contact has.
fn as_booked(
    tx: &mut Tx<'_>,
    agenda: &Agenda,
    wish: &Wish<'_>,
    existing: &Appointment,
) -> Result<Booked, UseCaseError> {
    let plan_name = plan_name(tx, agenda, existing.plan)?;
    Ok(Booked {
        appointment: view(existing, &names(agenda), &agenda.zone),
        already_booked: true,
        is_subscriber: plan_name.is_some(),
        plan_name,
        plan_notice: None,
        near_name: wish.near_name,
    })
}

fn booked_view(
    agenda: &Agenda,
    new: &NewAppointment,
    id: AppointmentId,
    names: &BTreeMap<ProfessionalId, String>,
) -> AppointmentView {
    let appointment = Appointment {
        id,
        contact: new.contact,
        professional: new.professional,
        service: new.service,
        service_name: new.service_name.clone(),
        span: new.span,
        occupied: new.occupied,
        seat: 1,
        status: new.status,
        price: Money::new(new.price_cents, agenda.organization.currency),
        plan: new.plan,
        attendee: new.attendee.clone(),
        source: new.source.clone(),
        holds_until: new.expires_at,
        mark: None,
        moved_to: None,
    };
    view(&appointment, names, &agenda.zone)
}

pub(super) fn names(agenda: &Agenda) -> BTreeMap<ProfessionalId, String> {
    agenda.professionals.iter().map(|one| (one.id, one.name.clone())).collect()
}

fn understand<'a>(agenda: &'a Agenda, request: &BookRequest) -> Result<Wish<'a>, BookingRefusal> {
    let (service, near_service) = match &request.service {
        // A move without a service means that of the appointment.
        None => (agenda.kept.and_then(|kept| kept.service).map(|id| service_of(agenda, id)).transpose()?, false),
        Some(ServiceChoice::Name(name)) => {
            let (service, near) = agenda.service(name).map_err(BookingRefusal::Service)?;
            (Some(service), near)
        }
        Some(ServiceChoice::Id(id)) => (Some(service_of(agenda, *id)?), false),
        Some(ServiceChoice::NameAndId { name, id }) => {
            let by_id = service_of(agenda, *id)?;
            let (by_name, near) = agenda.service(name).map_err(BookingRefusal::Service)?;
            if by_id.id != by_name.id {
                let candidates = vec![by_name.name.clone(), by_id.name.clone()];
                return Err(BookingRefusal::Service(NameRefusal::Ambiguous { query: name.clone(), candidates }));
            }
            (Some(by_name), near)
        }
    };
    let named = request.professional.as_ref().map(|choice| match choice {
        ProfessionalChoice::Name(name) => agenda.professional(name),
        ProfessionalChoice::Id(id) => agenda.professional_of(*id).map(|one| (one, false)),
    });
    let named = named.transpose();
    let named = named.map_err(BookingRefusal::Professional)?;
    let start = instant_of(&agenda.zone, request.date, request.start_min).ok_or(BookingRefusal::NoSuchTime)?;
    Ok(Wish {
        service,
        professional: named.map(|(professional, _)| professional),
        near_name: near_service || named.is_some_and(|(_, near)| near),
        start,
    })
}

/// A service that can be booked: an active one, or that of the appointment which is moved.
fn service_of(agenda: &Agenda, id: ServiceId) -> Result<&Service, BookingRefusal> {
    let is_kept = agenda.kept.is_some_and(|kept| kept.service == Some(id));
    let found = agenda.services.iter().find(|service| service.id == id && (service.active || is_kept));
    found.ok_or_else(|| {
        let active = agenda.services.iter().filter(|service| service.active);
        BookingRefusal::NoSuchService { known: active.map(|service| service.name.clone()).collect() }
    })
}

/// The professional asked for, or the first free one who offers the service, if the start can be booked. Staff may begin at any five
/// minutes, a customer where the business lets appointments begin.
fn free_professional<'a>(
    agenda: &'a Agenda,
    wish: &Wish<'a>,
    date: Date,
    for_customer: bool,
) -> Result<(&'a Professional, Need), BookingRefusal> {
    let offering: Vec<(&Professional, Need)> = agenda
        .professionals
        .iter()
        .filter(|one| one.active)
        .filter_map(|one| Some((one, agenda.need(one, wish.service, None)?)))
        .collect();
    let asked: Vec<&(&Professional, Need)> =
        offering.iter().filter(|(one, _)| wish.professional.is_none_or(|wanted| wanted.id == one.id)).collect();
    if asked.is_empty() {
        return Err(BookingRefusal::NotOffered {
            service: wish.service.map(|service| service.name.clone()).unwrap_or_default(),
            professional: wish.professional.map(|one| one.name.clone()),
            offered_by: offering.iter().map(|(one, _)| one.name.clone()).collect(),
        });
    }
    let mut verdicts = Vec::with_capacity(asked.len());
    for (one, need) in &asked {
        let verdict = agenda.verdict(one.id, wish.service, *need, wish.start);
        let beside = for_customer && verdict == Verdict::Free && !agenda.is_on_grid(one, wish.service, wish.start);
        if verdict == Verdict::Free && !beside || is_on(Bug::SlotNotGuarded) {
            return Ok((one, *need));
        }
        verdicts.push(if beside { Verdict::OffGrid } else { verdict });
    }
    Err(refusal(agenda, wish, date, &asked, &verdicts))
}

/// Picks the refusal that helps most: a taken slot says more than the closed day of another professional.
fn refusal(
    agenda: &Agenda,
    wish: &Wish<'_>,
    date: Date,
    asked: &[&(&Professional, Need)],
    verdicts: &[Verdict],
) -> BookingRefusal {
    let any = |wanted: Verdict| verdicts.contains(&wanted);
    let rules = &agenda.organization.scheduling;
    let today = agenda.today();
    if any(Verdict::Past) {
        let time = agenda.zone.to_datetime(agenda.now).strftime("%H:%M").to_string();
        return BookingRefusal::PastDate { today, time };
    }
    if any(Verdict::TooFar) {
        let days = wish.service.and_then(|service| service.advance_days).unwrap_or(rules.maximum_advance_days);
        return BookingRefusal::TooFar { last_date: today.saturating_add(i64::from(days.min(100_000)).days()) };
    }
    let alternatives = alternatives(agenda, wish);
    if any(Verdict::TooSoon) {
        let notice_min = wish.service.and_then(|service| service.notice_min).unwrap_or(rules.minimum_notice_minutes);
        return BookingRefusal::TooSoon { notice_min, alternatives };
    }
    if any(Verdict::OffGrid) {
        return BookingRefusal::OffGrid { alternatives };
    }
    if any(Verdict::Taken) || any(Verdict::Away) {
        return BookingRefusal::SlotTaken { alternatives };
    }
    let works = covered(asked.iter().flat_map(|(one, _)| agenda.works(one, date)));
    let is_absent = works.is_empty() && !agenda.business.on(date).is_empty();
    let absent = wish.professional.filter(|_| is_absent).map(|one| one.name.clone());
    BookingRefusal::OutsideHours { works, note: agenda.business.note_on(date).map(str::to_owned), absent, alternatives }
}

/// Fills in alternatives from the weeks after, where the days around the wanted one have none.
fn look_further(
    tx: &mut Tx<'_>,
    agenda: &Agenda,
    contact: ContactId,
    wish: &Wish<'_>,
    date: Date,
    refusal: &mut BookingRefusal,
) -> Result<(), UseCaseError> {
    let (BookingRefusal::SlotTaken { alternatives: found }
    | BookingRefusal::OutsideHours { alternatives: found, .. }
    | BookingRefusal::TooSoon { alternatives: found, .. }
    | BookingRefusal::OffGrid { alternatives: found }) = refusal
    else {
        return Ok(());
    };
    if found.is_empty() {
        let later = (date, date.saturating_add(FURTHER_DAYS.days()));
        let wide = Agenda::load(tx, agenda.organization.id, Some(contact), later, agenda.now)?.keeping(agenda.kept);
        *found = alternatives(&wide, wish);
    }
    Ok(())
}

fn alternatives(agenda: &Agenda, wish: &Wish<'_>) -> Vec<crate::scheduling::agenda::Slot> {
    agenda.alternatives(wish.service, None, wish.professional.map(|one| one.id), wish.start)
}

fn plan_name(tx: &mut Tx<'_>, agenda: &Agenda, plan: Option<PlanId>) -> Result<Option<String>, UseCaseError> {
    let Some(wanted) = plan else { return Ok(None) };
    let plans = catalog::list_plans(tx, agenda.organization.id, agenda.organization.currency)?;
    Ok(plans.into_iter().find(|plan| plan.id == wanted).map(|plan| plan.name))
}

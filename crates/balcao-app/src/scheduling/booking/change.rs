//! Cancelling, moving, confirming, expiring.

use balcao_domain::appointment::visit::{MarkAuthor, VisitMark};
use balcao_domain::{Appointment, AppointmentId, AppointmentStatus, ContactId, OrganizationId};
use balcao_language::normalize::normalize;
use balcao_store::crm::organization::Organization;
use balcao_store::scheduling::reminder::{self, ReminderSubject};
use balcao_store::scheduling::{calendar_claim, calendar_conflict, calendar_event};
use balcao_store::{Tx, scheduling::agenda_feed, scheduling::appointment, scheduling::catalog, turns::event};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::book::{self, Claimed, Wanted};
use super::{BookRequest, BookingRefusal, ProfessionalChoice, RescheduleRequest, Rescheduled, ServiceChoice};
use crate::context::app_context::{UseCaseError, granted, organization};
use crate::scheduling::agenda::KeptTerms;
use crate::scheduling::appointments::{AppointmentView, view};
use crate::scheduling::reminders;
use crate::scheduling::remote_calendar::wanted::read_wanted_event;
use crate::scheduling::waitlist_offers::offer_freed;

type Answer<T> = Result<Result<T, BookingRefusal>, UseCaseError>;

/// The organization, and the appointment that is meant.
struct Meant {
    organization: Organization,
    zone: TimeZone,
    appointment: Appointment,
    view: AppointmentView,
}

/// Finds the appointment of an id, or the next upcoming one. Another contact's is as if it did not exist.
fn find(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    contact: ContactId,
    wanted: Option<AppointmentId>,
    now: Timestamp,
) -> Answer<Meant> {
    let (organization, zone) = organization(tx, id)?;
    let currency = organization.currency;
    let upcoming = appointment::upcoming_of_contact(tx, id, contact, currency, now)?;
    let names = catalog::professional_names(tx, id)?;
    let shown = |one: &Appointment| view(one, &names, &zone);
    let found = match wanted {
        Some(wanted) => appointment::find(tx, id, wanted, currency)?.filter(|one| one.contact == contact),
        None => {
            let day = |one: &Appointment| zone.to_datetime(one.span.start).date();
            let first = upcoming.first().map(&day);
            let candidates: Vec<_> = upcoming.iter().filter(|one| Some(day(one)) == first).collect();
            if candidates.len() > 1 {
                let candidates = candidates.into_iter().map(shown).collect();
                return Ok(Err(BookingRefusal::Ambiguous { candidates }));
            }
            upcoming.first().cloned()
        }
    };
    let Some(appointment) = found else {
        return Ok(Err(BookingRefusal::NotFound { upcoming: upcoming.iter().map(shown).collect() }));
    };
    let view = shown(&appointment);
    Ok(Ok(Meant { organization, zone, appointment, view }))
}

/// Who changes an appointment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Changer<'a> {
    /// The author of the mark.
    pub(crate) by: &'a MarkAuthor,
    /// Whether the customer asks for the change, and not the business. The cancellation notice binds the customer alone.
    pub(crate) for_customer: bool,
}

/// Whether it may still be cancelled or moved.
fn may_change(tx: &mut Tx<'_>, meant: &Meant, for_customer: bool, now: Timestamp) -> Answer<()> {
    let appointment = &meant.appointment;
    if appointment.status == AppointmentStatus::Cancelled {
        return Ok(Err(given_up(appointment)));
    }
    if appointment.span.start <= now || !appointment.status.is_open() {
        return Ok(Err(BookingRefusal::AlreadyStarted));
    }
    if !for_customer {
        return Ok(Ok(()));
    }
    let services =
        balcao_store::scheduling::catalog::list_services(tx, meant.organization.id, meant.organization.currency)?;
    let own = services.iter().find(|service| Some(service.id) == appointment.service);
    let own = own.and_then(|service| service.cancellation_notice_min);
    let notice_min = own.unwrap_or(meant.organization.scheduling.cancellation_notice_minutes);
    if balcao_domain::span::plus_minutes(now, i64::from(notice_min)) > appointment.span.start {
        return Ok(Err(BookingRefusal::CancellationNotice { notice_min }));
    }
    Ok(Ok(()))
}

/// The refusal of an appointment that gave its time up.
fn given_up(one: &Appointment) -> BookingRefusal {
    one.moved_to.map_or(BookingRefusal::AlreadyCancelled, |to| BookingRefusal::Moved { to })
}

/// Cancels an appointment, and gives it as it was and as it is.
pub(crate) fn cancel(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    contact: ContactId,
    wanted: Option<AppointmentId>,
    Changer { by, for_customer }: Changer<'_>,
    now: Timestamp,
) -> Answer<(AppointmentView, AppointmentView)> {
    let meant = granted!(find(tx, id, contact, wanted, now)?);
    granted!(may_change(tx, &meant, for_customer, now)?);
    free(tx, &meant.organization, &meant.zone, &meant.appointment, by, now)?;
    let subject = meant.appointment.id.to_string();
    event::push(tx, id, "appointment_cancelled", &subject, "{}", now)?;
    let mark = Some(VisitMark { by: by.clone(), at: now, from: meant.appointment.status });
    let after = AppointmentView { status: AppointmentStatus::Cancelled, mark, ..meant.view.clone() };
    Ok(Ok((meant.view, after)))
}

/// The booking that takes the place of an appointment which is moved.
pub(crate) fn in_its_place(old: &Appointment, request: &RescheduleRequest) -> BookRequest {
    BookRequest {
        professional: Some(match &request.professional {
            Some(name) => ProfessionalChoice::Name(name.clone()),
            None => ProfessionalChoice::Id(old.professional),
        }),
        service: request.service.clone().filter(|wanted| !is_service_as_booked(old, wanted)),
        date: request.date,
        start_min: request.start_min,
        attendee: old.attendee.clone(),
        pending: old.status == AppointmentStatus::Pending,
        source: request.source.clone(),
        // The move compares the price with the old one.
        price_agreed: true,
    }
}

/// Whether the service that is wanted has the name under which the appointment was booked. The service may have another name today.
fn is_service_as_booked(old: &Appointment, wanted: &ServiceChoice) -> bool {
    let ServiceChoice::Name(name) = wanted else { return false };
    old.service.is_some() && normalize(name) == normalize(&old.service_name)
}

/// Moves an appointment, and announces it.
pub(crate) fn reschedule(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    contact: ContactId,
    request: &RescheduleRequest,
    changer: Changer<'_>,
    now: Timestamp,
) -> Answer<Rescheduled> {
    let moved = granted!(move_unannounced(tx, id, contact, request, changer, now)?);
    announce_move(tx, id, &moved, now)?;
    Ok(Ok(moved))
}

/// Moves an appointment: cancels it and books another one in its place. What follows from it for others comes with [`announce_move`], once
/// the move is certain to stand.
pub(crate) fn move_unannounced(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    contact: ContactId,
    request: &RescheduleRequest,
    Changer { by, for_customer }: Changer<'_>,
    now: Timestamp,
) -> Answer<Rescheduled> {
    let meant = granted!(find(tx, id, contact, request.appointment, now)?);
    granted!(may_change(tx, &meant, for_customer, now)?);
    let before = reminder::list_of(tx, id, meant.appointment.id)?;
    // The old time is given back first, because the new one may overlap it; a refusal undoes this with all the rest.
    appointment::cancel(tx, id, meant.appointment.id, by, now)?;
    let wish = in_its_place(&meant.appointment, request);
    let wanted = Wanted { request: &wish, kept: KeptTerms::of_appointment(&meant.appointment) };
    let Claimed { mut booked, slot } = granted!(book::claim(tx, id, contact, wanted, None, now)?);
    if let Some(slot) = &slot {
        book::plan_reminders(tx, id, slot, now)?;
    }
    if booked.already_booked {
        // Another appointment of theirs stands there: moving onto it would lose one of the two.
        return Ok(Err(BookingRefusal::OtherAtThatTime { existing: Box::new(booked.appointment) }));
    }
    // The customer knows the price that the visit had before.
    let is_dearer = booked.appointment.price.cents > meant.appointment.price.cents;
    booked.plan_notice = booked.plan_notice.filter(|_| is_dearer);
    if is_dearer && !request.price_agreed {
        return Ok(Err(BookingRefusal::PriceNotAgreed));
    }
    appointment::set_moved_to(tx, id, meant.appointment.id, booked.appointment.id)?;
    agenda_feed::moved(tx, id, meant.appointment.id, booked.appointment.id)?;
    if let Some(known) = calendar_event::find(tx, id, booked.appointment.id)?.and_then(|row| row.known) {
        // What staff have to decide about the event goes with it, and it stays as it is until then.
        if calendar_conflict::hand_over(tx, id, (meant.appointment.id, booked.appointment.id), &known.event)? {
            calendar_event::leave(tx, id, booked.appointment.id)?;
        }
    }
    let start = balcao_domain::availability::instant_of(&meant.zone, request.date, request.start_min).unwrap_or(now);
    // The booking planned the automatic reminders of the new start.
    let subject = ReminderSubject { appointment: booked.appointment.id, starts_at: start };
    reminders::carry_over(tx, id, &before, subject, now)?;
    let mark = Some(VisitMark { by: by.clone(), at: now, from: meant.appointment.status });
    let moved_to = Some(booked.appointment.id);
    let old = AppointmentView { status: AppointmentStatus::Cancelled, mark, moved_to, ..meant.view };
    Ok(Ok(Rescheduled { old, new: booked }))
}

/// What follows from a move for others: the old time is offered to those who wait for it, and programs get their events.
pub(super) fn announce_move(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    moved: &Rescheduled,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let (organization, zone) = organization(tx, id)?;
    let new = appointment::find(tx, id, moved.new.appointment.id, organization.currency)?;
    if let Some(new) = new.filter(|one| one.status.holds_slot()) {
        book::announce(tx, id, &book::slot_of(&new), now)?;
    }
    let at = |view: &AppointmentView| (view.date, view.start.clone());
    if at(&moved.old) != at(&moved.new.appointment)
        && let Some(old) = appointment::find(tx, id, moved.old.id, organization.currency)?
    {
        offer_freed(tx, &organization, &zone, &old, now)?;
    }
    let payload = serde_json::json!({ "new": moved.new.appointment.id }).to_string();
    event::push(tx, id, "appointment_rescheduled", &moved.old.id.to_string(), &payload, now)?;
    Ok(())
}

/// Takes a move back that was not announced: the old appointment stands again at its time, and nothing is left of the new one. Returns
/// whether that was possible; if not, because the old time was given away meanwhile or the appointment changed again, nothing is changed.
pub(super) fn take_back(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    moved: &Rescheduled,
    now: Timestamp,
) -> Result<bool, UseCaseError> {
    let (old, new) = (moved.old.id, moved.new.appointment.id);
    let (organization, _) = organization(tx, id)?;
    if !appointment::lock_open(tx, id, new)? {
        return Ok(false);
    }
    let before = reminder::list_of(tx, id, new)?;
    let wanted = read_wanted_event(tx, id, new)?;
    let taken_back = tx.savepoint(|tx| {
        // The new time may overlap the old one.
        appointment::cancel(tx, id, new, &MarkAuthor::Job, now)?;
        if !appointment::reopen(tx, id, old, now)? {
            return Ok::<_, UseCaseError>(Err(()));
        }
        let known = calendar_event::find(tx, id, new)?.and_then(|row| row.known);
        let is_for_staff = match &known {
            Some(known) => calendar_conflict::hand_over(tx, id, (new, old), &known.event)?,
            None => false,
        };
        if let Some(wanted) = wanted.as_ref().filter(|_| !is_for_staff) {
            calendar_event::assume_changed(tx, id, new, &wanted.calendar, wanted.span)?;
        }
        appointment::set_moved_to(tx, id, new, old)?;
        if is_for_staff {
            // A person changed the event meanwhile: it stays as it is until staff decide.
            calendar_event::leave(tx, id, old)?;
        }
        agenda_feed::moved(tx, id, new, old)?;
        Ok(Ok(()))
    })?;
    let stands = appointment::find(tx, id, old, organization.currency)?.filter(|_| taken_back.is_ok());
    let Some(stands) = stands else { return Ok(false) };
    let subject = ReminderSubject { appointment: old, starts_at: stands.span.start };
    reminders::plan_automatic(tx, &organization, subject, now)?;
    reminders::carry_over(tx, id, &before, subject, now)?;
    appointment::remove_untold(tx, id, new, now)?;
    Ok(true)
}

/// The refusal of a move to a time that an event outside has: what else is free.
pub(crate) fn find_alternatives(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    which: AppointmentId,
    request: &RescheduleRequest,
    now: Timestamp,
) -> Result<BookingRefusal, UseCaseError> {
    let currency = organization(tx, id)?.0.currency;
    let Some(stands) = appointment::find(tx, id, which, currency)? else {
        return Ok(BookingRefusal::NotFound { upcoming: Vec::new() });
    };
    let wanted = Wanted { request: &in_its_place(&stands, request), kept: KeptTerms::of_appointment(&stands) };
    book::find_alternatives(tx, id, stands.contact, wanted, now)
}

pub(super) fn confirm(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    contact: ContactId,
    wanted: Option<AppointmentId>,
    now: Timestamp,
) -> Answer<AppointmentView> {
    let meant = granted!(find(tx, id, contact, wanted, now)?);
    match meant.appointment.status {
        AppointmentStatus::Confirmed => return Ok(Ok(meant.view)),
        AppointmentStatus::Cancelled => return Ok(Err(given_up(&meant.appointment))),
        AppointmentStatus::Completed | AppointmentStatus::NoShow => return Ok(Err(BookingRefusal::AlreadyStarted)),
        AppointmentStatus::Pending => {}
    }
    // A hold that expired while the answer was on its way gave its slot up.
    if appointment::expired(tx, id, now)?.contains(&meant.appointment.id) {
        return Ok(Err(BookingRefusal::AlreadyCancelled));
    }
    appointment::confirm(tx, id, meant.appointment.id)?;
    event::push(tx, id, "appointment_confirmed", &meant.appointment.id.to_string(), "{}", now)?;
    Ok(Ok(AppointmentView { status: AppointmentStatus::Confirmed, ..meant.view }))
}

/// Cancels the holds that expired, and gives them. One that waited for the external calendar ends without any notice.
pub(super) fn expire(tx: &mut Tx<'_>, id: OrganizationId, now: Timestamp) -> Result<Vec<AppointmentId>, UseCaseError> {
    let (organization, zone) = organization(tx, id)?;
    let mut told = Vec::new();
    for appointment_id in appointment::expired(tx, id, now)? {
        let Some(one) = appointment::find(tx, id, appointment_id, organization.currency)? else { continue };
        if calendar_claim::remove_of(tx, id, one.id)? > 0 {
            appointment::cancel(tx, id, one.id, &MarkAuthor::Job, now)?;
            appointment::remove_untold(tx, id, one.id, now)?;
            continue;
        }
        free(tx, &organization, &zone, &one, &MarkAuthor::Job, now)?;
        event::push(tx, id, "appointment_expired", &one.id.to_string(), "{}", now)?;
        told.push(one.id);
    }
    calendar_claim::sweep(tx, id)?;
    appointment::sweep_given_up(tx, id, now)?;
    Ok(told)
}

pub(super) fn free(
    tx: &mut Tx<'_>,
    organization: &Organization,
    zone: &TimeZone,
    one: &Appointment,
    by: &MarkAuthor,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    appointment::cancel(tx, organization.id, one.id, by, now)?;
    offer_freed(tx, organization, zone, one, now)
}

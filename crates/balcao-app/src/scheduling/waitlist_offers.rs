//! Offers of freed time to those who wait for it. The caller reads the external calendars before its transaction, because the offer counts on
//! our copies of them.

use balcao_domain::hours::Period;
use balcao_domain::waitlist::WaitlistEntry;
use balcao_domain::{Appointment, Locale, ProfessionalId, Span};
use balcao_language::format;
use balcao_store::crm::organization::Organization;
use balcao_store::messaging::message::{self, Author, NewMessage};
use balcao_store::scheduling::waitlist::{self, NewOffer};
use balcao_store::{Tx, messaging::conversation, turns::event};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::context::app_context::UseCaseError;
use crate::messaging::outbound::enqueue::{self, OutgoingMessage};
use crate::scheduling::agenda::Agenda;

/// Time that became free.
#[derive(Debug, Clone, Copy)]
pub(super) struct Freed {
    pub(super) professional: ProfessionalId,
    pub(super) seat: u32,
    pub(super) span: Span,
}

/// Offers the time of an appointment that was given up to the first who waits for it.
pub(crate) fn offer_freed(
    tx: &mut Tx<'_>,
    organization: &Organization,
    zone: &TimeZone,
    given_up: &Appointment,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let freed = Freed { professional: given_up.professional, seat: given_up.seat, span: given_up.occupied };
    offer_to_next(tx, organization, zone, freed, now)
}

/// Offers time that became free to the first who waits for it.
pub(super) fn offer_to_next(
    tx: &mut Tx<'_>,
    organization: &Organization,
    zone: &TimeZone,
    freed: Freed,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    if freed.span.start <= now {
        return Ok(());
    }
    let start = zone.to_datetime(freed.span.start);
    let mut waiting = waitlist::waiting_for(tx, organization.id, start.date())?;
    for index in (0..waiting.len()).rev() {
        // A contact who opted out receives no offer, and the waitlist holds no slot for a contact who does not know of it.
        let contact = waiting.get(index).map(|entry| entry.contact);
        if let Some(contact) = contact
            && conversation::opted_out(tx, organization.id, contact)?
        {
            waiting.remove(index);
        }
    }
    if waiting.is_empty() {
        return Ok(());
    }
    let agenda = Agenda::load(tx, organization.id, None, (start.date(), start.date()), now)?;
    // Of the freed time what can be booked: it may begin off the grid, and a service may not fit in behind.
    let fits = |entry: &WaitlistEntry| -> Option<Timestamp> {
        let service = entry.service.and_then(|id| agenda.services.iter().find(|service| service.id == id));
        let free = agenda.free(service, None, Some(freed.professional), (start.date(), start.date()));
        let inside = |at: &Timestamp| freed.span.start <= *at && *at < freed.span.end;
        let wants = |at: &Timestamp| {
            let period = Period::new(agenda.minute_of_day(*at), 1440);
            period.is_ok_and(|period| entry.wants(start.date(), freed.professional, period))
        };
        free.iter().flat_map(|slots| slots.starts.iter().copied()).find(|at| inside(at) && wants(at))
    };
    if let Some((entry, at)) = waiting.iter().find_map(|entry| Some((entry, fits(entry)?))) {
        let hold = i64::from(organization.scheduling.waitlist_hold_minutes);
        let offer = NewOffer {
            entry: entry.id,
            contact: entry.contact,
            professional: freed.professional,
            seat: freed.seat.max(1),
            span: freed.span,
            held_until: balcao_domain::span::plus_minutes(now, hold),
        };
        waitlist::offer(tx, organization.id, &offer, now)?;
        add_offer_to_thread(tx, organization, zone, &agenda, &offer, at, now)?;
        event::push(tx, organization.id, "waitlist_offered", &entry.id.to_string(), "{}", now)?;
    }
    Ok(())
}

/// Puts the offer of the start `at` into the contact's thread, so that their answer is understood, whatever it is.
fn add_offer_to_thread(
    tx: &mut Tx<'_>,
    organization: &Organization,
    zone: &TimeZone,
    agenda: &Agenda,
    offer: &NewOffer,
    at: Timestamp,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let Some(conversation) = conversation::of_contact(tx, organization.id, offer.contact)?.into_iter().next() else {
        return Ok(());
    };
    let locale = Locale::closest_to_tag(&organization.locale);
    let name = agenda.professionals.iter().find(|one| one.id == offer.professional).map_or("", |one| one.name.as_str());
    let (starts, until) = (zone.to_datetime(at), zone.to_datetime(offer.held_until));
    let (day, at, until) =
        (format::day(starts.date(), locale), format::time(starts.time(), locale), format::time(until.time(), locale));
    let text = match locale {
        Locale::PtBr => {
            format!("Abriu um horário com {name}: {day} às {at}. Guardo para você até {until}. Quer?")
        }
        Locale::En => {
            format!("A time with {name} opened: {day} at {at}. I hold it for you until {until}. Do you want it?")
        }
    };
    let new = NewMessage {
        conversation: conversation.id,
        turn: None,
        author: Author::System,
        text: &text,
        subject: Some(&text),
    };
    let message = message::insert(tx, organization.id, &new, now)?;
    let outgoing = OutgoingMessage {
        conversation: conversation.id,
        channel: &conversation.channel,
        turn: None,
        message: Some(message),
        kind: "waitlist",
        name: &format!("waitlist/{message}"),
        text: &text,
        file: None,
        choices: None,
        about: None,
        fallback: None,
    };
    enqueue::enqueue(tx, organization.id, &outgoing, now)
}

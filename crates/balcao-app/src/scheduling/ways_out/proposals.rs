//! The ways out of one booking, with the message of each.

use balcao_domain::appointment::visit::MarkAuthor;
use balcao_domain::{Appointment, AppointmentId, Money, OrganizationId, ProfessionalId};
use balcao_store::scheduling::{appointment, catalog, kept_appointment};
use balcao_store::{Tx, crm::contact};
use jiff::{Timestamp, ToSpan};

use super::conflicts::{WorkingTime, find_undecided};
use super::resolve::request_to_move;
use super::{ResolveRefusal, WayOut, WaysOutView};
use crate::context::app_context::{UseCaseError, organization};
use crate::messaging::outbound::reach::AccountPolicies;
use crate::scheduling::agenda::{Agenda, KeptTerms, Slot};
use crate::scheduling::appointments::view;
use crate::scheduling::booking::change::in_its_place;
use crate::scheduling::booking::{price_of_grant, professional_of_grant};
use crate::scheduling::change_texts::{self, Change};

/// Free times that are proposed of the same professional, and of all others together.
const PROPOSED: usize = 3;
/// Free times that are held against the rules of a move, of the same professional and of the others.
const CHECKED: usize = 200;
/// Days before the booking that are searched for free times.
const SEARCHED_BEFORE: i64 = 14;
/// Days after it.
const SEARCHED_AFTER: i64 = 30;

/// Finds the ways out of an appointment. It gives the time of the booking back to see what is free without it, so the caller undoes its
/// transaction.
pub(super) fn find(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    which: AppointmentId,
    policies: &AccountPolicies,
    now: Timestamp,
) -> Result<Result<WaysOutView, ResolveRefusal>, UseCaseError> {
    let (organization, zone) = organization(tx, id)?;
    let Some(found) = appointment::find(tx, id, which, organization.currency)? else {
        return Ok(Err(ResolveRefusal::NotFound { id: which }));
    };
    if !found.is_to_come(now) {
        return Ok(Err(ResolveRefusal::of_ended(&found)));
    }
    let names = catalog::professional_names(tx, id)?;
    let shown = view(&found, &names, &zone);
    let reasons = WorkingTime::load(tx, &organization, &zone, now)?.conflicts_of(&found);
    let kept = kept_appointment::list_from(tx, id, found.span.start)?.remove(&which);
    let undecided = find_undecided(&reasons, kept.as_ref());
    let reason = undecided.or(reasons.first().copied());
    let slots = free_times(tx, id, &found, now)?;
    let customer = contact::get(tx, id, found.contact)?;
    let mut changes: Vec<Change<'_>> =
        slots.iter().map(|(to, price)| Change::Moved { old: &shown, to, price: *price }).collect();
    changes.push(Change::Cancelled(&shown));
    changes.extend(reason.map(|_| Change::Kept(&shown)));
    let mut ways = Vec::with_capacity(changes.len());
    for change in changes {
        let facts = change_texts::facts(&organization, &customer, change);
        let prospect = policies.look(tx, (id, found.contact), change.purpose(), &facts, now)?;
        let (way, to) = match change {
            Change::Moved { to, .. } => ("move", Some(to.clone())),
            Change::Cancelled(_) => ("cancel", None),
            Change::Kept(_) => ("keep", None),
        };
        ways.push(WayOut { way, to, text: facts.text.unwrap_or_default(), reach: prospect.reach });
    }
    let is_kept = reason.is_some() && undecided.is_none();
    Ok(Ok(WaysOutView { appointment: shown.clone(), contact: found.contact, reason, is_kept, ways }))
}

/// The free times nearest to an appointment, as [`find`] proposes them; none if it is not to come. The caller undoes its transaction.
pub(crate) fn list_near_times(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    which: AppointmentId,
    now: Timestamp,
) -> Result<Vec<Slot>, UseCaseError> {
    let currency = organization(tx, id)?.0.currency;
    match appointment::find(tx, id, which, currency)?.filter(|one| one.is_to_come(now)) {
        Some(one) => Ok(free_times(tx, id, &one, now)?.into_iter().map(|(slot, _price)| slot).collect()),
        None => Ok(Vec::new()),
    }
}

/// The free times nearest to a booking, each with what it costs there: those of its professional, then those of the others who offer its
/// service. Only times to which [`super::resolve()`] moves the booking are among them, because the decision of a booking chooses them.
fn free_times(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    one: &Appointment,
    now: Timestamp,
) -> Result<Vec<(Slot, Money)>, UseCaseError> {
    let (organization, zone) = organization(tx, id)?;
    appointment::cancel(tx, id, one.id, &MarkAuthor::Operator, now)?;
    let upcoming = appointment::upcoming_of_contact(tx, id, one.contact, organization.currency, now)?;
    let (today, day) = (zone.to_datetime(now).date(), zone.to_datetime(one.span.start).date());
    let dates = (today.max(day.saturating_sub(SEARCHED_BEFORE.days())), day.saturating_add(SEARCHED_AFTER.days()));
    let agenda = Agenda::load(tx, id, Some(one.contact), dates, now)?.keeping(KeptTerms::of_appointment(one));
    let service = agenda.services.iter().find(|service| Some(service.id) == one.service);
    let free = agenda.free(service, None, None, dates);
    let is_granted = |whose: ProfessionalId, at: Timestamp| {
        if whose == one.professional && at == one.span.start {
            return false;
        }
        let local = zone.to_datetime(at);
        let name = agenda.professional_of(whose).ok().map(|known| known.name.clone());
        let professional = name.filter(|_| whose != one.professional);
        let request = request_to_move(one.id, (local.date(), agenda.minute_of_day(at)), professional);
        professional_of_grant(&agenda, &in_its_place(one, &request), &upcoming) == Some(whose)
    };
    let distance = |at: Timestamp| (at.as_second() - one.span.start.as_second()).abs();
    let nearest = |is_wanted: &dyn Fn(ProfessionalId) -> bool| {
        let wanted = free.iter().filter(|slots| is_wanted(slots.professional));
        let mut all: Vec<(ProfessionalId, Timestamp)> =
            wanted.flat_map(|slots| slots.starts.iter().map(|at| (slots.professional, *at))).collect();
        all.sort_unstable_by_key(|(whose, at)| (distance(*at), *at, *whose));
        let mut all: Vec<_> = all.into_iter().take(CHECKED).filter(|(whose, at)| is_granted(*whose, *at)).collect();
        all.truncate(PROPOSED);
        all.sort_unstable_by_key(|(whose, at)| (*at, *whose));
        all
    };
    let own = nearest(&|whose| whose == one.professional);
    let others = nearest(&|whose| whose != one.professional);
    let mut priced = Vec::new();
    for (whose, at) in own.into_iter().chain(others) {
        let Some(slot) = agenda.slot(whose, at) else { continue };
        priced.push((slot, price_of_grant(tx, &agenda, one.contact, (whose, service), at)?));
    }
    Ok(priced)
}

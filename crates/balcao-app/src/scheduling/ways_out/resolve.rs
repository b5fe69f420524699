//! Taking a way out.

use std::sync::Arc;

use balcao_domain::appointment::visit::MarkAuthor;
use balcao_domain::hours::format_minute;
use balcao_domain::scheduling::CalendarDown;
use balcao_domain::{Appointment, AppointmentId, AppointmentStatus, OrganizationId};
use balcao_language::normalize;
use balcao_store::crm::organization::Organization;
use balcao_store::scheduling::{appointment, calendar_conflict, catalog, kept_appointment};
use balcao_store::turns::event;
use balcao_store::{Tx, crm::contact, crm::staff};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::conflicts::WorkingTime;
use super::{ChangeNotice, ResolveRefusal, Resolved, Way};
use crate::context::app_context::{UseCaseError, granted, organization};
use crate::context::notification_accounts::NotificationAccounts;
use crate::context::staff_email::{self, Actor};
use crate::messaging::outbound::reach::AccountPolicies;
use crate::notifications::professionals::{self, NotificationKind};
use crate::scheduling::appointments::{AppointmentView, view};
use crate::scheduling::booking::change::{self, Changer};
use crate::scheduling::booking::remote_move::{BegunMove, MadeMove, Mover, RemoteMove};
use crate::scheduling::booking::staff_move::StaffMove;
use crate::scheduling::booking::{RescheduleRequest, Rescheduled, trail};
use crate::scheduling::change_message::ChangeMessage;
use crate::scheduling::change_texts::{self, Change};

/// Where the appointment that takes the place of a moved one is said to be booked.
const SOURCE: &str = "console";

type Answer<T> = Result<Result<T, ResolveRefusal>, UseCaseError>;

/// What a person chose.
#[derive(Debug, Clone)]
pub(crate) struct Act {
    pub(crate) organization: OrganizationId,
    pub(crate) id: AppointmentId,
    /// The appointment as the customer knows it, if a person moved it in an external calendar.
    pub(crate) known: Option<AppointmentId>,
    /// The change; `None` leaves the booking as it is, and the customer may read how it is.
    pub(crate) way: Option<Way>,
    pub(crate) notify: bool,
    pub(crate) by: Actor,
}

/// What an act reads first.
struct Scene {
    organization: Organization,
    zone: TimeZone,
    by: MarkAuthor,
    found: Appointment,
    shown: AppointmentView,
}

/// An appointment that a way out changed, and what its customer would read about it.
struct Done {
    after: AppointmentView,
    start: Timestamp,
    action: &'static str,
    told: Option<NotificationKind>,
    /// Of a move, both appointments: others learn of it once it stands.
    moved: Option<Rescheduled>,
}

/// A move of staff, with the policies on which its message leaves.
#[derive(Debug, Clone)]
pub(crate) struct StaffAct {
    pub(crate) act: Act,
    pub(crate) policies: AccountPolicies,
}

impl RemoteMove for StaffAct {
    type Done = Resolved;
    type Refusal = ResolveRefusal;

    fn organization(&self) -> OrganizationId {
        self.act.organization
    }

    fn begin(&self, tx: &mut Tx<'_>, accounts: &NotificationAccounts, now: Timestamp) -> Answer<BegunMove<Resolved>> {
        begin(tx, &self.act, accounts, &self.policies, now)
    }

    fn refuse_taken(
        &self,
        tx: &mut Tx<'_>,
        old: AppointmentId,
        now: Timestamp,
    ) -> Result<ResolveRefusal, UseCaseError> {
        refuse_taken(tx, self.act.organization, self.act.way.as_ref(), old, now)
    }

    /// As every act of staff: our tables decide, and what lies there becomes a conflict for them.
    fn stands_unsure(&self, _when_down: CalendarDown) -> bool {
        true
    }
}

/// The refusal of a move to a time that an event outside has: what else is free.
pub(crate) fn refuse_taken(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    way: Option<&Way>,
    old: AppointmentId,
    now: Timestamp,
) -> Result<ResolveRefusal, UseCaseError> {
    let Some(Way::Move { date, start_min, professional }) = way else {
        return Ok(ResolveRefusal::NotFound { id: old });
    };
    let request = request_to_move(old, (*date, *start_min), professional.clone());
    Ok(change::find_alternatives(tx, id, old, &request, now)?.into())
}

/// Takes a way out, in a transaction of the caller, where no external calendar is asked.
pub(crate) fn resolve(
    tx: &mut Tx<'_>,
    act: &Act,
    accounts: &Arc<NotificationAccounts>,
    policies: &AccountPolicies,
    now: Timestamp,
) -> Answer<Resolved> {
    let begun = granted!(begin(tx, act, accounts, policies, now)?);
    begun.end(tx, act.organization, accounts, now).map(Ok)
}

/// Takes a way out, in a transaction of the caller, and announces no move.
pub(crate) fn begin(
    tx: &mut Tx<'_>,
    act: &Act,
    accounts: &NotificationAccounts,
    policies: &AccountPolicies,
    now: Timestamp,
) -> Answer<BegunMove<Resolved>> {
    let id = act.organization;
    let (organization, zone) = organization(tx, id)?;
    // A second change of the same appointment waits here.
    appointment::lock_open(tx, id, act.id)?;
    let Some(found) = appointment::find(tx, id, act.id, organization.currency)? else {
        return Ok(Err(ResolveRefusal::NotFound { id: act.id }));
    };
    let people = staff::list(tx, id)?;
    let by = granted!(act.by.identify(&people).map_err(ResolveRefusal::from));
    let names = catalog::professional_names(tx, id)?;
    if let Actor::Staff(email) = &act.by
        && !staff_email::may_change(
            granted!(staff_email::by_email(&people, email).map_err(ResolveRefusal::from)),
            found.professional,
            &names,
        )
    {
        return Ok(Err(ResolveRefusal::NotAllowed { email: email.clone(), id: act.id }));
    }
    let shown = view(&found, &names, &zone);
    let contact = found.contact;
    let scene = Scene { organization, zone, by, found, shown };
    let unchanged = |appointment| Resolved { appointment, contact, changed: false, notice: None };
    if !scene.found.is_to_come(now) {
        let earlier = match &act.way {
            Some(way) => earlier_result(tx, &scene, way, now)?,
            None => None,
        };
        let earlier = earlier.map(unchanged).map(BegunMove::Done);
        return Ok(earlier.ok_or_else(|| ResolveRefusal::of_ended(&scene.found)));
    }
    let done = match &act.way {
        Some(way) => granted!(scene.take(tx, way, now)?),
        None => Some(scene.leave()),
    };
    let Some(done) = done else { return Ok(Ok(BegunMove::Done(unchanged(scene.shown)))) };
    let untold = match act.way {
        // They know the time before a move outside of which they have not read.
        Some(Way::Move { .. } | Way::Cancel) => calendar_conflict::find_move(tx, id, act.id)?,
        Some(Way::Keep) | None => None,
    };
    let known_as = act.known.or(untold.and_then(|untold| untold.found.moved_from));
    let known = match known_as {
        Some(known) => appointment::find(tx, id, known, scene.organization.currency)?,
        None => None,
    };
    let known = known.map_or_else(|| scene.shown.clone(), |one| view(&one, &names, &scene.zone));
    if let Some(kind) = done.told {
        professionals::enqueue(tx, accounts, id, kind, now)?;
    }
    if done.moved.is_none() && (act.way.is_some() || act.notify) {
        let values = (Some(trail::shown(&scene.shown)), trail::shown(&done.after));
        trail::write_act(tx, id, (scene.by.name(), done.action, act.id), values, now)?;
    }
    // Nothing is said to a customer about a time that they know.
    let is_news = known_as.is_none() || change_texts::slot_of(&known) != change_texts::slot_of(&done.after);
    let (notice, message) = if act.notify && is_news {
        let (notice, message) = scene.prepare_message(tx, (act.way.as_ref(), &known), &done, policies, now)?;
        (Some(notice), message)
    } else {
        (None, None)
    };
    let resolved = Resolved { appointment: done.after.clone(), contact, changed: act.way.is_some(), notice };
    let Some(moved) = done.moved else {
        if let Some(message) = message {
            message.enqueue(tx, id, now)?;
        }
        return Ok(Ok(BegunMove::Done(resolved)));
    };
    let (by, before, after) = (scene.by.name().to_owned(), scene.shown, done.after);
    let from = Mover::Staff(Box::new(StaffMove { by, before, after, message, conflict: None }));
    Ok(Ok(BegunMove::Made(Box::new(MadeMove { moved, from, done: resolved }))))
}

/// What the same way led to before: the cancelled appointment, or the one that the customer has at the wanted time instead.
fn earlier_result(
    tx: &mut Tx<'_>,
    scene: &Scene,
    way: &Way,
    now: Timestamp,
) -> Result<Option<AppointmentView>, UseCaseError> {
    if scene.found.status != AppointmentStatus::Cancelled {
        return Ok(None);
    }
    match way {
        Way::Cancel => Ok(Some(scene.shown.clone()).filter(|shown| shown.moved_to.is_none())),
        Way::Keep => Ok(None),
        Way::Move { date, start_min, professional } => {
            let (id, currency) = (scene.organization.id, scene.organization.currency);
            let names = catalog::professional_names(tx, id)?;
            let upcoming = appointment::upcoming_of_contact(tx, id, scene.found.contact, currency, now)?;
            let wanted = professional.as_deref().map(normalize::normalize);
            let is_it = |view: &AppointmentView| {
                let named = normalize::normalize(&view.professional);
                (view.date, view.start.as_str()) == (*date, format_minute(*start_min).as_str())
                    && wanted.as_ref().is_none_or(|wanted| named.contains(wanted.as_str()))
                    && view.attendee == scene.found.attendee
            };
            Ok(upcoming.iter().map(|one| view(one, &names, &scene.zone)).find(is_it))
        }
    }
}

/// The move of an appointment to a local date and minute, as staff ask for it.
pub(super) fn request_to_move(
    id: AppointmentId,
    (date, start_min): (Date, u16),
    professional: Option<String>,
) -> RescheduleRequest {
    RescheduleRequest {
        appointment: Some(id),
        date,
        start_min,
        professional,
        service: None,
        source: SOURCE.to_owned(),
        // Staff decide. The customer reads the price if the move changes it.
        price_agreed: true,
    }
}

impl Scene {
    /// The booking as it stands.
    fn leave(&self) -> Done {
        let (after, start) = (self.shown.clone(), self.found.span.start);
        Done { after, start, action: "appointment.tell", told: None, moved: None }
    }

    /// Changes the appointment; `None` if it is so already.
    fn take(&self, tx: &mut Tx<'_>, way: &Way, now: Timestamp) -> Answer<Option<Done>> {
        let (id, contact, which) = (self.organization.id, self.found.contact, Some(self.found.id));
        let changer = Changer { by: &self.by, for_customer: false };
        match way {
            Way::Cancel => {
                let cancelled = change::cancel(tx, id, contact, which, changer, now)?;
                let (_, after) = granted!(cancelled.map_err(ResolveRefusal::from));
                let told = Some(NotificationKind::Cancelled(after.id));
                let (start, action) = (self.found.span.start, "appointment.cancel");
                Ok(Ok(Some(Done { after, start, action, told, moved: None })))
            }
            Way::Move { date, start_min, professional } => {
                let is_same_person = professional
                    .as_deref()
                    .is_none_or(|name| normalize::normalize(name) == normalize::normalize(&self.shown.professional));
                if is_same_person && self.shown.date == *date && self.shown.start == format_minute(*start_min) {
                    return Ok(Ok(None));
                }
                let request = request_to_move(self.found.id, (*date, *start_min), professional.clone());
                let moved = change::move_unannounced(tx, id, contact, &request, changer, now)?;
                let moved = granted!(moved.map_err(ResolveRefusal::from));
                let after = moved.new.appointment.clone();
                let start = balcao_domain::availability::instant_of(&self.zone, *date, *start_min).unwrap_or(now);
                let action = "appointment.reschedule";
                Ok(Ok(Some(Done { after, start, action, told: None, moved: Some(moved) })))
            }
            Way::Keep => {
                let reasons = WorkingTime::load(tx, &self.organization, &self.zone, now)?.conflicts_of(&self.found);
                if reasons.is_empty() {
                    return Ok(Err(ResolveRefusal::NoConflict { id: self.found.id }));
                }
                let mut is_news = false;
                for reason in reasons {
                    is_news |= kept_appointment::record(tx, id, self.found.id, reason, &self.by, now)?;
                }
                if !is_news {
                    return Ok(Ok(None));
                }
                event::push(tx, id, "appointment_kept", &self.found.id.to_string(), "{}", now)?;
                let (after, start) = (self.shown.clone(), self.found.span.start);
                Ok(Ok(Some(Done { after, start, action: "appointment.keep", told: None, moved: None })))
            }
        }
    }

    /// What the customer would read, and the message if it can reach them.
    fn prepare_message(
        &self,
        tx: &mut Tx<'_>,
        (way, known): (Option<&Way>, &AppointmentView),
        done: &Done,
        policies: &AccountPolicies,
        now: Timestamp,
    ) -> Result<(ChangeNotice, Option<ChangeMessage>), UseCaseError> {
        let to = change_texts::slot_of(&done.after);
        let change = match way {
            Some(Way::Move { .. }) | None => Change::Moved { old: known, to: &to, price: done.after.price },
            Some(Way::Cancel) => Change::Cancelled(known),
            Some(Way::Keep) => Change::Kept(known),
        };
        let id = self.organization.id;
        let customer = contact::get(tx, id, self.found.contact)?;
        let facts = change_texts::facts(&self.organization, &customer, change);
        let prospect = policies.look(tx, (id, self.found.contact), change.purpose(), &facts, now)?;
        let text = facts.text.unwrap_or_default();
        let message = ChangeMessage::of_prospect(&prospect, (change.kind(), &text), (done.after.id, done.start));
        Ok((ChangeNotice { text, reach: prospect.reach }, message))
    }
}

//! Reminders of appointments: planned with each booking, moved and ended with it, and confirmed by the contact.
//!
//! Sending them is the work of the timers ([`crate::timers`]).

use balcao_domain::reminder::{ReminderLeads, ReminderOrigin, plan_one};
use balcao_domain::{AppointmentId, AppointmentStatus, ContactId, OrganizationId, ReminderId};
use balcao_store::crm::organization::Organization;
use balcao_store::scheduling::reminder::{self, Reminder, ReminderState, ReminderSubject};
use balcao_store::turns::event;
use balcao_store::turns::ledger::EffectKey;
use balcao_store::{
    StoreError, Tx, crm::contact, messaging::conversation, scheduling::appointment, scheduling::catalog,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::context::app_context::{AppContext, Effect, UseCaseError, organization};
use crate::context::page::cut;
use crate::messaging::outbound::reach::find_place;
use crate::scheduling::appointments::{AppointmentView, view};

/// A reminder that was planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// Its id.
    pub id: ReminderId,
    /// Of what.
    pub appointment: AppointmentView,
    /// How long before it starts.
    pub minutes_before: u32,
    /// When it goes out.
    pub remind_at: Timestamp,
    /// The same in the organization's zone, `YYYY-MM-DDTHH:MM`.
    pub remind_at_local: String,
}

/// Why none was planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "refusal", content = "details", rename_all = "snake_case")]
pub enum ReminderRefusal {
    /// The contact has no such upcoming appointment.
    NotFound {
        /// Those it has.
        upcoming: Vec<AppointmentView>,
    },
    /// Several could be meant.
    Ambiguous {
        /// Those.
        candidates: Vec<AppointmentView>,
    },
    /// It would be due already.
    TooLate {
        /// How many minutes there are until the appointment.
        minutes_left: i64,
        /// How many minutes before it the reminder should come.
        minutes_before: u32,
    },
    /// The contact asked for no messages on our own account.
    OptedOut,
}

/// A reminder with its appointment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReminderRecord {
    /// The reminder.
    pub reminder: Reminder,
    /// When it leaves, in the organization's zone, `YYYY-MM-DDTHH:MM`.
    pub remind_at_local: String,
    /// Its appointment.
    pub appointment: AppointmentView,
    /// Whose the appointment is.
    pub contact: ContactId,
    /// Whether the contact has neither a conversation on a channel nor a phone, so that only people can remind them.
    pub is_unreachable: bool,
}

/// Some reminders, and where the next ones begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReminderPage {
    /// In order of time.
    pub items: Vec<ReminderRecord>,
    /// Where the next page begins; `None` on the last one.
    pub next: Option<(Timestamp, ReminderId)>,
}

/// Plans reminders.
#[derive(Debug, Clone)]
pub struct Reminders {
    app: AppContext,
}

impl Reminders {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// Plans a reminder of one of the contact's upcoming appointments, the next one without an id; `minutes_before` its
    /// start, or as long before as the business's rules say; where they say nothing, `usual_minutes`.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn schedule(
        &self,
        organization: OrganizationId,
        contact: ContactId,
        key: EffectKey,
        wanted: Option<AppointmentId>,
        minutes_before: Option<u32>,
        usual_minutes: u32,
    ) -> Effect<Planned, ReminderRefusal> {
        let lead = Lead { asked: minutes_before, usual: usual_minutes };
        let plan = move |tx: &mut Tx<'_>, now| plan(tx, organization, contact, wanted, lead, now);
        self.app.effect(organization, key, plan).await
    }

    /// A page of at most `limit` reminders that are still to come, in order of time.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn page(
        &self,
        id: OrganizationId,
        after: Option<(Timestamp, ReminderId)>,
        limit: u32,
    ) -> Result<ReminderPage, UseCaseError> {
        self.app
            .look(move |tx, _now| {
                let (organization, zone) = organization(tx, id)?;
                let names = catalog::professional_names(tx, id)?;
                let mut found = reminder::list_open(tx, id, after, limit.saturating_add(1))?;
                let next = cut(&mut found, limit).map(|last| (last.planned.remind_at, last.id));
                let mut items = Vec::with_capacity(found.len());
                for one in found {
                    let about = appointment::find(tx, id, one.subject.appointment, organization.currency)?;
                    let Some(about) = about else { continue };
                    let has_phone = contact::get(tx, id, about.contact)?.phone.is_some();
                    let is_unreachable = !has_phone && find_place(tx, id, about.contact)?.is_none();
                    items.push(ReminderRecord {
                        is_unreachable,
                        reminder: one,
                        remind_at_local: local(&zone, one.planned.remind_at),
                        appointment: view(&about, &names, &zone),
                        contact: about.contact,
                    });
                }
                Ok(ReminderPage { items, next })
            })
            .await
    }
}

/// A local time, `YYYY-MM-DDTHH:MM`.
fn local(zone: &TimeZone, at: Timestamp) -> String {
    zone.to_datetime(at).strftime("%Y-%m-%dT%H:%M").to_string()
}

/// Plans the automatic reminders of an appointment that this transaction booked or locked.
pub(crate) fn plan_automatic(
    tx: &mut Tx<'_>,
    organization: &Organization,
    subject: ReminderSubject,
    now: Timestamp,
) -> Result<(), StoreError> {
    let leads: &ReminderLeads = &organization.scheduling.automatic_reminder_minutes;
    let planned = leads.plan(subject.starts_at, now);
    reminder::insert_each(tx, organization.id, subject, ReminderOrigin::Automatic, &planned, now)
}

/// Gives an appointment that took the place of another one the reminders that the contact asked for there, as long before the new
/// start. What waits for the same start keeps its time, to which quiet hours may have moved it.
///
/// `before` holds the reminders as they were before the old appointment was given up.
pub(crate) fn carry_over(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    before: &[Reminder],
    subject: ReminderSubject,
    now: Timestamp,
) -> Result<(), StoreError> {
    for one in before {
        let waits = one.state == ReminderState::Open;
        let planned = if waits && one.subject.starts_at == subject.starts_at {
            Some(one.planned)
        } else if one.origin == ReminderOrigin::Asked && one.state != ReminderState::Cancelled {
            plan_one(subject.starts_at, one.planned.minutes_before, now)
        } else {
            None
        };
        if let Some(planned) = planned {
            reminder::insert(tx, organization, subject, one.origin, planned, now)?;
        }
    }
    Ok(())
}

/// Records that a contact answered a reminder and will come; a hold is confirmed. Returns whether the answer is new. An answer to an
/// appointment that was moved, cancelled or started changes nothing.
pub(crate) fn confirm(
    tx: &mut Tx<'_>,
    organization: &Organization,
    contact: ContactId,
    subject: ReminderSubject,
    now: Timestamp,
) -> Result<bool, UseCaseError> {
    let found = appointment::find(tx, organization.id, subject.appointment, organization.currency)?;
    let stands =
        found.filter(|one| one.contact == contact && one.span.start == subject.starts_at && now < one.span.start);
    let Some(found) = stands else { return Ok(false) };
    if !appointment::lock_open(tx, organization.id, found.id)? || !reminder::confirm(tx, organization.id, subject, now)?
    {
        return Ok(false);
    }
    if found.status == AppointmentStatus::Pending {
        appointment::confirm(tx, organization.id, found.id)?;
    }
    event::push(tx, organization.id, "appointment_confirmed", &found.id.to_string(), "{}", now)?;
    Ok(true)
}

/// How long before an appointment: what was asked for comes before the business's rule, and that before what is usual.
#[derive(Debug, Clone, Copy)]
struct Lead {
    asked: Option<u32>,
    usual: u32,
}

fn plan(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    contact: ContactId,
    wanted: Option<AppointmentId>,
    lead: Lead,
    now: Timestamp,
) -> Result<Result<Planned, ReminderRefusal>, UseCaseError> {
    let (organization, zone) = organization(tx, id)?;
    if conversation::opted_out(tx, id, contact)? {
        return Ok(Err(ReminderRefusal::OptedOut));
    }
    let upcoming = appointment::upcoming_of_contact(tx, id, contact, organization.currency, now)?;
    let names = catalog::professional_names(tx, id)?;
    let views = || upcoming.iter().map(|one| view(one, &names, &zone)).collect::<Vec<_>>();
    let day = |one: &balcao_domain::Appointment| zone.to_datetime(one.span.start).date();
    if let (None, [first, second, ..]) = (wanted, upcoming.as_slice())
        && day(first) == day(second)
    {
        let candidates = upcoming.iter().filter(|one| day(one) == day(first)).map(|one| view(one, &names, &zone));
        return Ok(Err(ReminderRefusal::Ambiguous { candidates: candidates.collect() }));
    }
    let Some(meant) = upcoming.iter().find(|one| wanted.is_none_or(|wanted| wanted == one.id)) else {
        return Ok(Err(ReminderRefusal::NotFound { upcoming: views() }));
    };
    let before = lead.asked.or(organization.scheduling.reminder_minutes).unwrap_or(lead.usual);
    let Some(planned) = plan_one(meant.span.start, before, now) else {
        let minutes_left = meant.span.start.duration_since(now).as_mins();
        return Ok(Err(ReminderRefusal::TooLate { minutes_left, minutes_before: before }));
    };
    if !appointment::lock_open(tx, id, meant.id)? {
        // It was cancelled meanwhile.
        return Ok(Err(ReminderRefusal::NotFound { upcoming: Vec::new() }));
    }
    let subject = ReminderSubject { appointment: meant.id, starts_at: meant.span.start };
    let reminder = reminder::insert(tx, id, subject, ReminderOrigin::Asked, planned, now)?;
    Ok(Ok(Planned {
        id: reminder,
        appointment: view(meant, &names, &zone),
        minutes_before: before,
        remind_at: planned.remind_at,
        remind_at_local: local(&zone, planned.remind_at),
    }))
}

//! Reminders of appointments. Sending them is a job's work.

use balcao_domain::{AppointmentId, ContactId, OrganizationId, ReminderId};
use balcao_store::turns::ledger::EffectKey;
use balcao_store::{Tx, messaging::conversation, scheduling::appointment, scheduling::catalog, scheduling::reminder};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::context::app_context::{AppContext, Effect, UseCaseError, organization};
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
    },
    /// The contact asked for no messages on our own account.
    OptedOut,
}

/// Plans reminders.
#[derive(Debug, Clone)]
pub struct Reminders {
    desk: AppContext,
}

impl Reminders {
    /// Over a desk.
    #[must_use]
    pub fn new(desk: AppContext) -> Self {
        Self { desk }
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
        self.desk.effect(organization, key, plan).await
    }
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
    let remind_at = balcao_domain::span::plus_minutes(meant.span.start, -i64::from(before));
    if remind_at <= now {
        let minutes_left = meant.span.start.duration_since(now).as_mins();
        return Ok(Err(ReminderRefusal::TooLate { minutes_left }));
    }
    let reminder = reminder::insert(tx, id, meant.id, remind_at, now)?;
    Ok(Ok(Planned {
        id: reminder,
        appointment: view(meant, &names, &zone),
        minutes_before: before,
        remind_at,
        remind_at_local: zone.to_datetime(remind_at).strftime("%Y-%m-%dT%H:%M").to_string(),
    }))
}

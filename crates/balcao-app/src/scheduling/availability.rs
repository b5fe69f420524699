//! Free slots for tools, the console and MCP.

use balcao_domain::availability::FreeSlots;
use balcao_domain::professional::Professional;
use balcao_domain::service::Service;
use balcao_domain::{Appointment, AppointmentId, ContactId, OrganizationId};
use balcao_language::normalize::normalize;
use balcao_store::Tx;
use balcao_store::scheduling::appointment;
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Serialize};

use crate::context::app_context::{AppContext, UseCaseError};
use crate::context::names::NameRefusal;
pub use crate::scheduling::agenda::Slot;
use crate::scheduling::agenda::{Agenda, KeptTerms};
use crate::scheduling::booking::freshness;

/// How many days after the one asked for a look for the next free slot covers.
pub const NEXT_DAYS: i64 = 30;

/// What is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AvailabilityQuery {
    /// The local date; today if absent.
    pub date: Option<Date>,
    /// A professional's name; everybody if absent.
    pub professional: Option<String>,
    /// A service's name. Its duration counts before `duration_min`.
    pub service: Option<String>,
    /// How long a visit without a service takes; the business's default if absent too.
    pub duration_min: Option<u32>,
}

/// The free starts of one professional.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfessionalSlots {
    /// Their name.
    pub professional: String,
    /// Local times, `HH:MM`, in order.
    pub slots: Vec<String>,
}

/// What is free on a date.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayAvailability {
    /// The local date.
    pub date: Date,
    /// How long the visit takes; of those with free slots who differ, the shortest.
    pub duration_min: u32,
    /// The service that was understood.
    pub service: Option<String>,
    /// The professional that was understood.
    pub professional: Option<String>,
    /// Whether one of the names was a near spelling only: the answer should say what was understood.
    pub near_name: bool,
    /// How many slots are free, over all.
    pub total: usize,
    /// By professional; those with nothing free are left out.
    pub results: Vec<ProfessionalSlots>,
    /// Why the day is not like its weekday.
    pub note: Option<String>,
    /// Whether the professional who was asked for has no hours at all: then there is nothing to look for.
    #[serde(default)]
    pub no_hours: bool,
    /// On a day without free slots: the first one after it, within 30 days.
    pub next_available: Option<Slot>,
    /// Whether the service is offered no longer, so that the times are those to which the contact's appointment of it can be moved.
    #[serde(default)]
    pub only_to_move: bool,
    /// The times for a move of the contact's own appointment, which keeps another length than a new visit has.
    #[serde(default)]
    pub to_move: Option<MoveTimes>,
    /// If an external calendar did not answer: the instant of our copy, which the answer is from.
    #[serde(default)]
    pub as_of: Option<Timestamp>,
}

/// The times to which an appointment can be moved with its professional and its service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveTimes {
    /// The appointment.
    pub appointment: AppointmentId,
    /// The length that it keeps.
    pub duration_min: u32,
    /// Its professional.
    pub professional: String,
    /// Local times, `HH:MM`, in order.
    pub slots: Vec<String>,
}

/// Why the query has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "about", content = "details", rename_all = "snake_case")]
pub enum AvailabilityRefusal {
    /// The date is over.
    PastDate {
        /// Today.
        today: Date,
        /// How long the visit would take.
        duration_min: u32,
    },
    /// The date is beyond the maximum advance.
    TooFar {
        /// The last date that can be booked.
        last_date: Date,
        /// How long the visit would take.
        duration_min: u32,
    },
    /// The duration is not a multiple of five minutes from 5 to 720.
    Duration {
        /// As given.
        duration_min: u32,
    },
    /// The professional's name.
    Professional(NameRefusal),
    /// The service's name.
    Service(NameRefusal),
    /// The professional does not offer the service.
    NotOffered {
        /// The service.
        service: String,
        /// The professional.
        professional: String,
        /// Who does.
        offered_by: Vec<String>,
        /// How long the visit would take.
        duration_min: u32,
    },
}

/// Looks for free slots.
#[derive(Debug, Clone)]
pub struct Availability {
    app: AppContext,
}

impl Availability {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// Lists the free slots of a date. Leaves out slots that the waitlist keeps for a contact other than `contact`.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn on(
        &self,
        organization: OrganizationId,
        contact: Option<ContactId>,
        query: AvailabilityQuery,
    ) -> Result<Result<DayAvailability, AvailabilityRefusal>, UseCaseError> {
        let as_of = freshness::freshen_for_read(&self.app, organization).await?;
        self.app
            .look(move |tx, now| {
                let zone = crate::context::app_context::organization(tx, organization)?.1;
                let today = zone.to_datetime(now).date();
                let date = query.date.unwrap_or(today);
                let agenda = Agenda::load(tx, organization, contact, (date, date), now)?;
                let mut found = on_day(&agenda, date, &query);
                let kept = match contact.filter(|_| may_mean_kept(&found)) {
                    Some(contact) => find_kept(tx, &agenda, contact, &query)?,
                    None => None,
                };
                let mut to_move = None;
                if kept.is_some() {
                    found = on_day(&agenda.keeping(kept), date, &query);
                } else if let (Some(contact), Ok(answer)) = (contact, &found) {
                    to_move = move_times(tx, agenda, contact, answer)?;
                }
                let mut answer = match found {
                    Ok(answer) => DayAvailability { as_of, only_to_move: kept.is_some(), to_move, ..answer },
                    Err(refusal) => return Ok(Err(refusal)),
                };
                if answer.total == 0 {
                    let dates = (date.saturating_add(1.day()), date.saturating_add(NEXT_DAYS.days()));
                    let later = Agenda::load(tx, organization, contact, dates, now)?.keeping(kept);
                    answer.next_available = next_after(&later, dates, &query);
                }
                Ok(Ok(answer))
            })
            .await
    }
}

/// Whether the query may mean a service that is offered no longer.
const fn may_mean_kept(found: &Result<DayAvailability, AvailabilityRefusal>) -> bool {
    match found {
        Ok(answer) => answer.near_name,
        Err(refusal) => matches!(refusal, AvailabilityRefusal::Service(_) | AvailabilityRefusal::NotOffered { .. }),
    }
}

/// The terms of the contact's appointment of the service that is named, if only a move can have them: the service is archived, or the
/// professional of the appointment, who is named, offers it no longer.
fn find_kept(
    tx: &mut Tx<'_>,
    agenda: &Agenda,
    contact: ContactId,
    query: &AvailabilityQuery,
) -> Result<Option<KeptTerms>, UseCaseError> {
    let Some(wanted) = query.service.as_deref().map(normalize) else { return Ok(None) };
    let named = query.professional.as_deref().and_then(|name| agenda.professional(name).ok()).map(|(one, _)| one);
    let id = agenda.organization.id;
    let upcoming = appointment::upcoming_of_contact(tx, id, contact, agenda.organization.currency, agenda.now)?;
    let is_only_kept = |one: &Appointment| {
        let service = agenda.services.iter().find(|service| Some(service.id) == one.service);
        service.is_some_and(|service| {
            let is_given_up =
                || named.is_some_and(|named| named.id == one.professional && named.offers(service.id).is_none());
            normalize(&service.name) == wanted && (!service.active || is_given_up())
        })
    };
    let of_named = |one: &&Appointment| named.is_some_and(|named| named.id == one.professional);
    let kept: Vec<&Appointment> = upcoming.iter().filter(|one| is_only_kept(one)).collect();
    Ok(kept.iter().copied().find(of_named).or(kept.first().copied()).and_then(KeptTerms::of_appointment))
}

/// The times for a move of the contact's only appointment of the service, and of the professional if one is named; `None` where that
/// appointment lasts as long as a new visit, because the times are the same.
fn move_times(
    tx: &mut Tx<'_>,
    agenda: Agenda,
    contact: ContactId,
    answer: &DayAvailability,
) -> Result<Option<MoveTimes>, UseCaseError> {
    let (id, currency) = (agenda.organization.id, agenda.organization.currency);
    let upcoming = appointment::upcoming_of_contact(tx, id, contact, currency, agenda.now)?;
    let service = agenda.services.iter().find(|one| one.active && Some(&one.name) == answer.service.as_ref());
    let with = |one: &Appointment| agenda.professionals.iter().find(|who| who.id == one.professional);
    let is_meant = |one: &&Appointment| {
        let named = answer.professional.as_ref();
        one.service.is_some_and(|of| service.is_some_and(|service| service.id == of))
            && named.is_none_or(|named| with(one).is_some_and(|who| who.name == *named))
    };
    let meant: Vec<&Appointment> = upcoming.iter().filter(is_meant).collect();
    let [one] = meant.as_slice() else { return Ok(None) };
    let Some((terms, who)) = KeptTerms::of_appointment(one).zip(with(one)) else { return Ok(None) };
    let new_visit = agenda.need(who, service, None).map(|need| need.duration_min);
    let (who, name, service) = (who.id, who.name.clone(), service.map(|service| service.id));
    let moving = agenda.keeping(Some(terms));
    let service = moving.services.iter().find(|one| Some(one.id) == service);
    let kept = moving.professionals.iter().find(|one| one.id == who).and_then(|who| moving.need(who, service, None));
    let Some(duration_min) = kept.map(|need| need.duration_min).filter(|kept| Some(*kept) != new_visit) else {
        return Ok(None);
    };
    let free = moving.free(service, None, Some(who), (answer.date, answer.date));
    let slots = free.iter().filter_map(|slots| shown(&moving, slots)).flat_map(|one| one.slots).collect();
    Ok(Some(MoveTimes { appointment: one.id, duration_min, professional: name, slots }))
}

fn on_day(agenda: &Agenda, date: Date, query: &AvailabilityQuery) -> Result<DayAvailability, AvailabilityRefusal> {
    let today = agenda.today();
    if date < today {
        // The day alone is the answer, but what is understood of the names still says how long the visit is.
        let service = query.service.as_deref().and_then(|name| agenda.service(name).ok()).map(|(service, _)| service);
        let named = query.professional.as_deref().and_then(|name| agenda.professional(name).ok());
        let duration_min = duration(agenda, service, named.map(|(professional, _)| professional), query);
        return Err(AvailabilityRefusal::PastDate { today, duration_min });
    }
    let mut near_name = false;
    let mut noted = |near: bool| near_name |= near;
    let service = query.service.as_deref().map(|name| agenda.service(name)).transpose();
    let service = service.map_err(AvailabilityRefusal::Service)?.map(|(service, near)| {
        noted(near);
        service
    });
    let professional = query.professional.as_deref().map(|name| agenda.professional(name)).transpose();
    let professional = professional.map_err(AvailabilityRefusal::Professional)?.map(|(professional, near)| {
        noted(near);
        professional
    });
    if let Some(duration_min) = query.duration_min.filter(|_| service.is_none())
        && !(duration_min.is_multiple_of(5) && (5..=720).contains(&duration_min))
    {
        return Err(AvailabilityRefusal::Duration { duration_min });
    }
    let last_date = agenda.last_date(service);
    if date > last_date {
        let duration_min = duration(agenda, service, professional, query);
        return Err(AvailabilityRefusal::TooFar { last_date, duration_min });
    }
    if let (Some(service), Some(professional)) = (service, professional)
        && agenda.need(professional, Some(service), None).is_none()
    {
        return Err(AvailabilityRefusal::NotOffered {
            service: service.name.clone(),
            professional: professional.name.clone(),
            offered_by: agenda.offered_by(service),
            duration_min: service.duration_min,
        });
    }
    let free = agenda.free(service, query.duration_min, professional.map(|one| one.id), (date, date));
    let any_free = free.iter().any(|slots| !slots.starts.is_empty());
    let counted: Vec<_> = free.iter().filter(|slots| !any_free || !slots.starts.is_empty()).collect();
    let needs = agenda.professionals.iter().filter(|one| counted.iter().any(|slots| slots.professional == one.id));
    let durations = needs.filter_map(|one| agenda.need(one, service, query.duration_min)).map(|need| need.duration_min);
    let default = duration(agenda, service, professional, query);
    Ok(DayAvailability {
        date,
        duration_min: durations.min().unwrap_or(default),
        service: service.map(|service| service.name.clone()),
        professional: professional.map(|professional| professional.name.clone()),
        near_name,
        total: free.iter().map(|slots| slots.starts.len()).sum(),
        results: free.iter().filter_map(|slots| shown(agenda, slots)).collect(),
        note: agenda.business.note_on(date).map(str::to_owned),
        no_hours: professional.is_some_and(|one| one.hours.is_empty()),
        next_available: None,
        only_to_move: false,
        to_move: None,
        as_of: None,
    })
}

/// How long a visit takes: as the professional has it for the service, else the service's, else what was asked, else the
/// business's default.
fn duration(
    agenda: &Agenda,
    service: Option<&Service>,
    professional: Option<&Professional>,
    query: &AvailabilityQuery,
) -> u32 {
    let own = professional.and_then(|one| agenda.need(one, service, query.duration_min)).map(|need| need.duration_min);
    own.or(service.map(|service| service.duration_min))
        .or(query.duration_min)
        .unwrap_or(agenda.organization.scheduling.default_duration_minutes)
}

fn shown(agenda: &Agenda, free: &FreeSlots) -> Option<ProfessionalSlots> {
    let slots: Vec<_> = free.starts.iter().filter_map(|start| agenda.slot(free.professional, *start)).collect();
    let professional = slots.first()?.professional.clone();
    Some(ProfessionalSlots { professional, slots: slots.into_iter().map(|slot| slot.start).collect() })
}

fn next_after(agenda: &Agenda, dates: (Date, Date), query: &AvailabilityQuery) -> Option<Slot> {
    // The names were understood for the day before; they are the same here.
    let service = query.service.as_deref().and_then(|name| agenda.service(name).ok()).map(|(service, _)| service);
    let named = query.professional.as_deref().and_then(|name| agenda.professional(name).ok());
    let free = agenda.free(service, query.duration_min, named.map(|(professional, _)| professional.id), dates);
    let firsts = free.iter().filter_map(|slots| Some((*slots.starts.first()?, slots.professional)));
    firsts.min().and_then(|(start, professional)| agenda.slot(professional, start))
}

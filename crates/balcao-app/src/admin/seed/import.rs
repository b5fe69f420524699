//! A checked file into the database.

use std::collections::BTreeMap;

use balcao_domain::holidays::brazilian;
use balcao_domain::service::OfferedService;
use balcao_domain::subscription::{SubscriberStatus, SubscriptionDates};
use balcao_domain::{AppointmentId, ContactId, OrganizationId, PlanId, ProfessionalId, ServiceId, TagId};
use balcao_language::search::search_tokens;
use balcao_store::crm::subscription::NewSubscription;
use balcao_store::scheduling::appointment::NewAppointment;
use balcao_store::{
    Tx, crm::contact, crm::note, crm::organization, crm::pipeline, crm::staff, crm::subscription, crm::tag, knowledge,
    messaging::template, scheduling::appointment, scheduling::catalog, scheduling::hours,
};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::{BusinessFile, ContactEntry, SeedError, SubscriptionEntry};

/// For how many years after the current one national holidays are loaded.
const HOLIDAY_YEARS: i16 = 2;

/// What was imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The organization.
    pub organization: OrganizationId,
    /// How many services.
    pub services: usize,
    /// How many professionals.
    pub professionals: usize,
    /// How many contacts.
    pub contacts: usize,
    /// How many appointments.
    pub appointments: usize,
    /// How many knowledge entries.
    pub knowledge: usize,
}

/// The ids that the database gave, by place in the file.
struct Ids {
    services: Vec<ServiceId>,
    professionals: Vec<ProfessionalId>,
    plans: Vec<PlanId>,
    tags: Vec<TagId>,
    pipelines: Vec<balcao_domain::pipeline::Pipeline>,
}

/// The national holidays that are stored for a business that closes on them: of this year and the next ones.
pub(crate) fn new_holidays(today: Date) -> BTreeMap<Date, String> {
    let years = today.year()..=today.year().saturating_add(HOLIDAY_YEARS);
    years.flat_map(brazilian).map(|(date, name)| (date, name.to_owned())).collect()
}

pub(crate) fn import(tx: &mut Tx<'_>, file: &BusinessFile, now: Timestamp) -> Result<Imported, SeedError> {
    if organization::find_by_slug(tx, &file.organization.slug)?.is_some() {
        return Err(SeedError::SlugTaken { slug: file.organization.slug.clone() });
    }
    let id = organization::insert(tx, &file.organization, now)?;
    for (date, exception) in &file.exceptions {
        hours::set_exception(tx, id, None, *date, exception)?;
    }
    if file.national_holidays {
        let zone = TimeZone::get(&file.organization.timezone).unwrap_or(TimeZone::UTC);
        for (date, name) in new_holidays(zone.to_datetime(now).date()) {
            hours::set_holiday(tx, id, date, &name)?;
        }
    }
    let services: Vec<ServiceId> =
        file.services.iter().map(|new| catalog::insert_service(tx, id, new)).collect::<Result<_, _>>()?;
    let professionals = import_professionals(tx, file, id, &services)?;
    let plans = file.plans.iter().map(|entry| {
        let mut plan = entry.plan.clone();
        plan.covers = entry.covers.iter().filter_map(|place| services.get(*place).copied()).collect();
        catalog::insert_plan(tx, id, &plan)
    });
    let plans = plans.collect::<Result<_, _>>()?;
    let tags = file.tags.iter().map(|name| tag::insert(tx, id, name)).collect::<Result<_, _>>()?;
    let pipelines = file.pipelines.iter().map(|(name, stages)| pipeline::insert(tx, id, name, stages));
    let pipelines = pipelines.collect::<Result<_, _>>()?;
    for entry in &file.staff {
        let professional = entry.professional.and_then(|place| professionals.get(place).copied());
        staff::insert(tx, id, &staff::Staff { professional, ..entry.person.clone() })?;
    }
    for entry in &file.knowledge {
        knowledge::insert(tx, id, entry, search_tokens)?;
    }
    for new in &file.templates {
        template::insert_template(tx, id, new)?;
    }
    for new in &file.media {
        template::insert_media(tx, id, new)?;
    }
    let ids = Ids { services, professionals, plans, tags, pipelines };
    for entry in &file.contacts {
        import_contact(tx, file, id, entry, &ids, now)?;
    }
    Ok(Imported {
        organization: id,
        services: file.services.len(),
        professionals: file.professionals.len(),
        contacts: file.contacts.len(),
        appointments: file.contacts.iter().map(|entry| entry.appointments.len()).sum(),
        knowledge: file.knowledge.len(),
    })
}

fn import_professionals(
    tx: &mut Tx<'_>,
    file: &BusinessFile,
    id: OrganizationId,
    services: &[ServiceId],
) -> Result<Vec<ProfessionalId>, SeedError> {
    let mut professionals = Vec::with_capacity(file.professionals.len());
    for entry in &file.professionals {
        let mut new = entry.professional.clone();
        let offered = entry.offers.iter().filter_map(|(place, duration_min, price_cents)| {
            let (duration_min, price_cents) = (*duration_min, *price_cents);
            Some(OfferedService { service: *services.get(*place)?, duration_min, price_cents })
        });
        new.services = offered.collect();
        let professional = catalog::insert_professional(tx, id, &new)?;
        for (span, note) in &entry.away {
            catalog::insert_time_off(tx, id, professional, *span, note.as_deref())?;
        }
        professionals.push(professional);
    }
    Ok(professionals)
}

fn today(file: &BusinessFile, now: Timestamp) -> Date {
    let zone = TimeZone::get(&file.organization.timezone).unwrap_or(TimeZone::UTC);
    zone.to_datetime(now).date()
}

/// The dates of a subscription; what paused or ended on a day that the file does not say, did so by today.
fn dated(file: &BusinessFile, new: &SubscriptionEntry, today: Date) -> Result<SubscriptionDates, SeedError> {
    let mut dates = new.dates;
    match new.status {
        SubscriberStatus::Active => {}
        SubscriberStatus::Overdue => {
            let grace_days = file.organization.scheduling.plan_grace_days;
            if let (SubscriberStatus::Active, Some(due)) = (dates.status_on(today, grace_days), dates.due) {
                return Err(SeedError::NotOverdue { due });
            }
        }
        SubscriberStatus::Paused => dates.paused = dates.paused.or(Some(today)),
        SubscriberStatus::Cancelled => dates.ended = dates.ended.or(Some(today)),
    }
    Ok(dates)
}

fn import_contact(
    tx: &mut Tx<'_>,
    file: &BusinessFile,
    id: OrganizationId,
    entry: &ContactEntry,
    ids: &Ids,
    now: Timestamp,
) -> Result<(), SeedError> {
    let who: ContactId = contact::insert(tx, id, &entry.contact, now)?;
    for tag in entry.tags.iter().filter_map(|place| ids.tags.get(*place)) {
        tag::attach(tx, id, who, *tag)?;
    }
    for (pipeline, stage) in &entry.stages {
        if let Some(pipeline) = ids.pipelines.get(*pipeline)
            && let Some(stage) = pipeline.stages.get(*stage)
        {
            pipeline::place(tx, id, who, pipeline.id, stage.id)?;
        }
    }
    if let Some(new) = &entry.subscription
        && let Some(plan) = ids.plans.get(new.plan)
    {
        let today = today(file, now);
        let dates = dated(file, new, today)?;
        subscription::start(tx, id, &NewSubscription { contact: who, plan: *plan, dates }, today)?;
    }
    for content in &entry.notes {
        note::insert(tx, id, who, "import", content, now)?;
    }
    for one in &entry.appointments {
        let service = file.services.get(one.service).zip(ids.services.get(one.service));
        let professional = file.professionals.get(one.professional).zip(ids.professionals.get(one.professional));
        let (Some((service, service_id)), Some((professional, professional_id))) = (service, professional) else {
            continue;
        };
        let new = NewAppointment {
            contact: who,
            professional: *professional_id,
            capacity: professional.professional.capacity,
            service: Some(*service_id),
            service_name: service.name.clone(),
            span: one.span,
            occupied: one.occupied,
            status: one.status,
            price_cents: one.price_cents,
            plan: None,
            attendee: one.attendee.clone(),
            source: "import".to_owned(),
            expires_at: None,
        };
        let booked: Option<AppointmentId> = appointment::insert(tx, id, &new, now)?;
        if booked.is_none() {
            return Err(SeedError::Overlap { starts: one.span.start });
        }
    }
    Ok(())
}

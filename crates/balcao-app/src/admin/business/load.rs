//! The stored business in the form of a file that was read.

use balcao_domain::{OrganizationId, ServiceId};
use balcao_store::crm::staff::Staff;
use balcao_store::scheduling::catalog::{self, Around};
use balcao_store::{
    Tx, crm::organization, crm::pipeline, crm::staff, crm::tag, knowledge, messaging::template, scheduling::hours,
};
use jiff::Timestamp;
use jiff::civil::Date;

use crate::admin::seed::{BusinessFile, PlanEntry, ProfessionalEntry, StaffEntry};
use crate::context::app_context::UseCaseError;

/// Everything of the business but its contacts, inactive entries included. Ids are the real ones.
pub(super) fn load(tx: &mut Tx<'_>, id: OrganizationId) -> Result<BusinessFile, UseCaseError> {
    let organization = organization::get(tx, id)?;
    let currency = organization.currency;
    let open = hours::of_business(tx, &organization, Date::MIN, Date::MAX)?;
    let services = catalog::list_services(tx, id, currency)?;
    let place = |service: ServiceId| services.iter().position(|one| one.id == service);
    let always = Around { from: Date::MIN, to: Date::MAX, since: Timestamp::MIN };
    let professionals: Vec<ProfessionalEntry> = catalog::list_professionals(tx, id, always)?
        .into_iter()
        .map(|professional| {
            let offers = professional.services.iter();
            let offers = offers.filter_map(|one| Some((place(one.service)?, one.duration_min, one.price_cents)));
            let offers = offers.collect();
            let away = professional.time_off.iter().map(|one| (one.span, one.note.clone())).collect();
            ProfessionalEntry { professional, offers, away }
        })
        .collect();
    let plans = catalog::list_plans(tx, id, currency)?.into_iter().map(|plan| {
        let covers = plan.covers.iter().filter_map(|service| place(*service)).collect();
        PlanEntry { plan, covers }
    });
    let plans = plans.collect();
    let staff = staff::list_with_archived(tx, id)?.into_iter().map(|person: Staff| {
        let linked = person.professional;
        let professional = linked.and_then(|id| professionals.iter().position(|one| one.professional.id == id));
        StaffEntry { person, professional }
    });
    let staff = staff.collect();
    let pipelines = pipeline::list(tx, id)?.into_iter().map(|one| {
        let stages = one.stages.into_iter().map(|stage| stage.name).collect();
        (one.name, stages)
    });
    Ok(BusinessFile {
        exceptions: open.exceptions.into_iter().collect(),
        national_holidays: !open.holidays.is_empty(),
        plans,
        pipelines: pipelines.collect(),
        tags: tag::list(tx, id)?.into_iter().map(|tag| tag.name).collect(),
        contacts: Vec::new(),
        staff,
        knowledge: knowledge::list(tx, id)?,
        templates: template::list_templates(tx, id)?,
        media: template::list_media(tx, id)?,
        organization,
        services,
        professionals,
    })
}

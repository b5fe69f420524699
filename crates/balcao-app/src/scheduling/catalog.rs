//! The services, professionals and plans of an organization. All from data.

use balcao_domain::hours::Period;
use balcao_domain::{Money, OrganizationId, PlanId, ProfessionalId, ServiceId};
use balcao_store::scheduling::catalog;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::context::app_context::{AppContext, UseCaseError, organization};
use crate::context::names::NameRefusal;
use crate::scheduling::agenda::Agenda;

/// A service in the form that customers read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceView {
    /// Its id.
    pub id: ServiceId,
    /// Its name.
    pub name: String,
    /// What customers call it besides.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// What it is.
    pub description: Option<String>,
    /// Its price.
    pub price: Money,
    /// How long it takes.
    pub duration_min: u32,
}

/// A professional in the form that customers read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfessionalView {
    /// Their id.
    pub id: ProfessionalId,
    /// Their name.
    pub name: String,
    /// What customers call them besides.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// What they are.
    pub profession: Option<String>,
    /// What they offer, in order of the catalog.
    pub services: Vec<String>,
    /// What they charge or how long they take where that differs from the service's own.
    pub terms: Vec<OwnTerms>,
    /// What they do not do.
    pub restrictions: Option<String>,
    /// When they work on the date asked for, or today.
    pub works: Vec<Period>,
}

/// A professional's own price and duration of a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnTerms {
    /// The service's name.
    pub service: String,
    /// Their price.
    pub price: Money,
    /// How long it takes with them.
    pub duration_min: u32,
}

/// A plan in the form that customers read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanView {
    /// Its id.
    pub id: PlanId,
    /// Its name.
    pub name: String,
    /// What it costs per period.
    pub price: Money,
    /// `week`, `month` or `year`.
    pub period: String,
    /// What it gives, in words.
    pub benefits: Vec<String>,
    /// What it covers.
    pub services: Vec<String>,
    /// How many appointments per period; any number if absent.
    pub quota: Option<u32>,
}

/// Who works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Working {
    /// The service that was understood, if one was named.
    pub service: Option<String>,
    /// Who works, and offers it.
    pub professionals: Vec<ProfessionalView>,
}

/// Everything on offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// Active services.
    pub services: Vec<ServiceView>,
    /// Active professionals.
    pub professionals: Vec<ProfessionalView>,
}

/// Tells what is on offer.
#[derive(Debug, Clone)]
pub struct Catalog {
    app: AppContext,
}

impl Catalog {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// Active services and professionals.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn offer(&self, organization: OrganizationId) -> Result<Offer, UseCaseError> {
        self.app
            .look(move |tx, now| {
                let today = today(tx, organization, now)?;
                let agenda = Agenda::load(tx, organization, None, (today, today), now)?;
                let services = agenda.services.iter().filter(|service| service.active);
                let services = services.map(|service| ServiceView {
                    id: service.id,
                    name: service.name.clone(),
                    aliases: service.aliases.clone(),
                    description: service.description.clone(),
                    price: service.price,
                    duration_min: service.duration_min,
                });
                Ok(Offer { services: services.collect(), professionals: professionals(&agenda, today) })
            })
            .await
    }

    /// Who works on a date, or, without one, who works here at all; only those who offer the service, if one is named.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn professionals(
        &self,
        organization: OrganizationId,
        date: Option<Date>,
        service: Option<String>,
    ) -> Result<Result<Working, NameRefusal>, UseCaseError> {
        self.app
            .look(move |tx, now| {
                let day = date.map_or_else(|| today(tx, organization, now), Ok)?;
                let agenda = Agenda::load(tx, organization, None, (day, day), now)?;
                let wanted = match service.as_deref().map(|name| agenda.service(name)).transpose() {
                    Ok(found) => found.map(|(service, _)| service.name.clone()),
                    Err(refusal) => return Ok(Err(refusal)),
                };
                let mut views = professionals(&agenda, day);
                views.retain(|view| {
                    wanted.as_ref().is_none_or(|name| view.services.contains(name))
                        && (date.is_none() || !view.works.is_empty())
                });
                Ok(Ok(Working { service: wanted, professionals: views }))
            })
            .await
    }

    /// Active plans.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn plans(&self, organization_id: OrganizationId) -> Result<Vec<PlanView>, UseCaseError> {
        self.app
            .look(move |tx, _now| {
                let (organization, _) = organization(tx, organization_id)?;
                let services = catalog::list_services(tx, organization_id, organization.currency)?;
                let plans = catalog::list_plans(tx, organization_id, organization.currency)?;
                let view = |plan: balcao_domain::subscription::Plan| PlanView {
                    id: plan.id,
                    services: services
                        .iter()
                        .filter(|service| plan.covers.contains(&service.id))
                        .map(|service| service.name.clone())
                        .collect(),
                    name: plan.name,
                    price: plan.price,
                    period: plan.period.as_str().to_owned(),
                    benefits: plan.benefits,
                    quota: plan.quota,
                };
                Ok(plans.into_iter().filter(|plan| plan.active).map(view).collect())
            })
            .await
    }
}

fn today(tx: &mut balcao_store::Tx<'_>, id: OrganizationId, now: jiff::Timestamp) -> Result<Date, UseCaseError> {
    Ok(organization(tx, id)?.1.to_datetime(now).date())
}

fn professionals(agenda: &Agenda, day: Date) -> Vec<ProfessionalView> {
    let active = agenda.professionals.iter().filter(|one| one.active);
    let view = |one: &balcao_domain::professional::Professional| {
        let offered = agenda.services.iter().filter(|service| service.active && one.offers(service.id).is_some());
        let own_terms = |service: &balcao_domain::service::Service| {
            let own = one.offers(service.id)?;
            let price = Money { cents: own.price_cents.unwrap_or(service.price.cents), ..service.price };
            let duration_min = own.duration_min.unwrap_or(service.duration_min);
            let differs = price != service.price || duration_min != service.duration_min;
            differs.then(|| OwnTerms { service: service.name.clone(), price, duration_min })
        };
        ProfessionalView {
            id: one.id,
            name: one.name.clone(),
            aliases: one.aliases.clone(),
            profession: one.profession.clone(),
            terms: offered.clone().filter_map(own_terms).collect(),
            services: offered.map(|service| service.name.clone()).collect(),
            restrictions: one.restrictions.clone(),
            works: agenda.works(one, day),
        }
    };
    active.map(view).collect()
}

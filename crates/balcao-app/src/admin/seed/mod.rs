//! Loads a business from a YAML file (`balcao seed FILE`).
//!
//! Reading collects all mistakes of the file, each with its place and the valid form. A file with a mistake imports nothing. The import is
//! one transaction.

mod business;
mod check;
mod content;
mod import;
mod notices;
mod people;
mod reader;

use balcao_domain::hours::DayException;
use balcao_domain::knowledge::KnowledgeEntry;
use balcao_domain::professional::Professional;
use balcao_domain::service::Service;
use balcao_domain::subscription::{Plan, SubscriberStatus, SubscriptionDates};
use balcao_domain::{AppointmentStatus, Span};
use balcao_store::StoreError;
use balcao_store::crm::contact::NewContact;
use balcao_store::crm::organization::Organization;
use balcao_store::messaging::template::{Media, Template};
use balcao_yaml::{Document, Problem};
use jiff::Timestamp;
use jiff::civil::Date;

use crate::context::app_context::UseCaseError;

pub(crate) use content::NAME_SEPARATOR;
pub use import::Imported;
pub(crate) use import::import;
pub(crate) use import::new_holidays;

/// The format of business files that this program reads and writes. It grows with every key or meaning that an earlier program would
/// misread.
pub(crate) const FORMAT: u64 = 1;

/// A business as a file describes it, without a mistake. Things refer to each other by their place in these lists.
#[derive(Debug, Clone)]
pub struct BusinessFile {
    pub(crate) organization: Organization,
    pub(crate) exceptions: Vec<(Date, DayException)>,
    /// Whether Brazil's national holidays close the business.
    pub(crate) national_holidays: bool,
    pub(crate) services: Vec<Service>,
    pub(crate) professionals: Vec<ProfessionalEntry>,
    pub(crate) plans: Vec<PlanEntry>,
    pub(crate) pipelines: Vec<(String, Vec<String>)>,
    pub(crate) tags: Vec<String>,
    pub(crate) contacts: Vec<ContactEntry>,
    pub(crate) staff: Vec<StaffEntry>,
    pub(crate) knowledge: Vec<KnowledgeEntry>,
    pub(crate) templates: Vec<Template>,
    pub(crate) media: Vec<Media>,
}

impl BusinessFile {
    /// Everybody who can be booked, in the file's order.
    #[must_use]
    pub fn professional_names(&self) -> Vec<&str> {
        self.professionals.iter().map(|entry| entry.professional.name.as_str()).collect()
    }

    /// Everything that can be booked, in the file's order.
    #[must_use]
    pub fn service_names(&self) -> Vec<&str> {
        self.services.iter().map(|service| service.name.as_str()).collect()
    }

    /// Lists valid entries that are probably unintended, each with a cure: active services without a professional, which cannot be booked.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let active = || self.professionals.iter().filter(|one| one.professional.active);
        let offered = |at: usize| active().any(|one| one.offers.iter().any(|(of, _, _)| *of == at));
        let unoffered = self.services.iter().enumerate().filter(|(at, service)| service.active && !offered(*at));
        let word = |(_, service): (usize, &Service)| {
            let name = &service.name;
            format!(
                "nobody offers `{name}`: no customer can book it; name it under `services` of a professional, or remove it"
            )
        };
        unoffered.map(word).collect()
    }
}

/// A professional, with the services they offer by place.
#[derive(Debug, Clone)]
pub(crate) struct ProfessionalEntry {
    pub(crate) professional: Professional,
    /// Service, own duration, own price in cents.
    pub(crate) offers: Vec<(usize, Option<u32>, Option<i64>)>,
    pub(crate) away: Vec<(Span, Option<String>)>,
}

/// A staff member, with the index of the professional that they are.
#[derive(Debug, Clone)]
pub(crate) struct StaffEntry {
    pub(crate) person: balcao_store::crm::staff::Staff,
    pub(crate) professional: Option<usize>,
}

/// A plan, with the services it covers by place.
#[derive(Debug, Clone)]
pub(crate) struct PlanEntry {
    pub(crate) plan: Plan,
    pub(crate) covers: Vec<usize>,
}

/// A contact with what belongs to it.
#[derive(Debug, Clone)]
pub(crate) struct ContactEntry {
    pub(crate) contact: NewContact,
    pub(crate) tags: Vec<usize>,
    /// Pipeline and stage.
    pub(crate) stages: Vec<(usize, usize)>,
    pub(crate) subscription: Option<SubscriptionEntry>,
    pub(crate) notes: Vec<String>,
    pub(crate) appointments: Vec<AppointmentEntry>,
}

/// A subscription of a contact, to the plan of that index. The dates that the file leaves out are those of the import.
#[derive(Debug, Clone)]
pub(crate) struct SubscriptionEntry {
    pub(crate) plan: usize,
    pub(crate) status: SubscriberStatus,
    pub(crate) dates: SubscriptionDates,
}

/// An appointment of a contact.
#[derive(Debug, Clone)]
pub(crate) struct AppointmentEntry {
    pub(crate) service: usize,
    pub(crate) professional: usize,
    pub(crate) span: Span,
    pub(crate) occupied: Span,
    pub(crate) status: AppointmentStatus,
    pub(crate) price_cents: i64,
    pub(crate) attendee: Option<String>,
    /// Where it stands in the file.
    pub(crate) pointer: String,
}

/// Why a business was not imported. Nothing was.
#[derive(Debug, Clone, thiserror::Error)]
pub enum SeedError {
    /// The slug belongs to an organization that is there already.
    #[error("there is an organization `{slug}` already; give the file another slug, or seed an empty database")]
    SlugTaken {
        /// The slug.
        slug: String,
    },
    /// The database refused the time of an appointment that the file's check had let pass.
    #[error("the appointment at {starts} overlaps another one")]
    Overlap {
        /// When it starts.
        starts: Timestamp,
    },
    /// A subscription is called overdue whose payment is not late.
    #[error(
        "invalid status `overdue` of a subscription due on {due}; expected `active`, or a due date whose days of grace are over"
    )]
    NotOverdue {
        /// When the payment is due.
        due: Date,
    },
    /// The database failed.
    #[error("the database failed: {0}")]
    Store(#[from] StoreError),
    /// What was imported could not be recorded as the first version.
    #[error(transparent)]
    Record(#[from] UseCaseError),
}

impl SeedError {
    /// How it is to be treated.
    #[must_use]
    pub fn class(&self) -> balcao_domain::FailureClass {
        match self {
            Self::SlugTaken { .. } | Self::Overlap { .. } | Self::NotOverdue { .. } => {
                balcao_domain::FailureClass::Correction
            }
            Self::Store(error) => error.failure(),
            Self::Record(error) => error.class(),
        }
    }
}

impl BusinessFile {
    /// Reads a business from a YAML text; `file` is its name, for messages.
    ///
    /// # Errors
    /// Every mistake in it, in order of place.
    pub fn read(file: &str, text: &str) -> Result<Self, Vec<Problem>> {
        let document = Document::read(file, text).map_err(|problem| vec![*problem])?;
        let mut reader = reader::Reader::new(&document);
        let business = business::read(&mut reader);
        let mut problems = reader.into_problems();
        problems.sort_by_key(|problem| (problem.line, problem.column));
        match business {
            Some(business) if problems.is_empty() => Ok(business),
            Some(_) | None => Err(problems),
        }
    }

    /// Its slug.
    #[must_use]
    pub fn slug(&self) -> &str {
        &self.organization.slug
    }

    /// Its IANA zone.
    #[must_use]
    pub fn timezone(&self) -> &str {
        &self.organization.timezone
    }
}

/// The id that is put where the database gives the real one.
pub(crate) fn placeholder<T: TryFrom<i64>>(number: usize) -> Option<T> {
    T::try_from(i64::try_from(number).ok()?.checked_add(1)?).ok()
}

//! The professional: the person who can be booked.

use serde::{Deserialize, Serialize};

use crate::hours::Hours;
use crate::ids::{ProfessionalId, ServiceId};
use crate::service::OfferedService;
use crate::time_off::TimeOff;

/// A professional with hours, services and time off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Professional {
    /// Their id.
    pub id: ProfessionalId,
    /// Their name as customers read it.
    pub name: String,
    /// Other names and spellings that customers use.
    pub aliases: Vec<String>,
    /// What they are, such as "barbeiro"; for customers.
    pub profession: Option<String>,
    /// When they work. Holidays are the organization's, so none are in here.
    pub hours: Hours,
    /// What they offer.
    pub services: Vec<OfferedService>,
    /// When they are away.
    pub time_off: Vec<TimeOff>,
    /// What they do not do, for customers.
    pub restrictions: Option<String>,
    /// How many appointments they take at a time; 1 for a person.
    pub capacity: u32,
    /// Where notices to them go, in E.164.
    pub phone: Option<String>,
    /// Where notices to them go.
    pub email: Option<String>,
    /// Which notices they want.
    pub notify: Notify,
    /// The word in a first message (`#ana`) that means them: lower-case letters, digits and hyphens.
    pub code: Option<String>,
    /// Whether they can be booked.
    pub active: bool,
}

/// The channels by which a professional receives news of their bookings, moves and cancellations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notify {
    /// By WhatsApp, to their number.
    pub whatsapp: bool,
    /// By e-mail, to their address.
    pub email: bool,
}

impl Professional {
    /// The service as they offer it, if they do.
    #[must_use]
    pub fn offers(&self, service: ServiceId) -> Option<&OfferedService> {
        self.services.iter().find(|offered| offered.service == service)
    }
}

//! Who takes part in a run: businesses, and customers of each.

use balcao_channel::Number;
use balcao_channel::inbound::Person;
use balcao_domain::{OrganizationId, Phone};
use jiff::Timestamp;

/// Customers of each business that have an appointment on the next morning, one each half hour.
pub(crate) const CUSTOMERS: usize = 6;

/// An entry of the knowledge that every business has.
pub(crate) const ENTRY: &str = "Vale-presente";

/// A person of staff that every business has.
pub(crate) const ATTENDANT: &str = "davi@figueira.example";

/// When every run begins: a Monday morning in São Paulo.
const BEGINS: &str = "2026-11-23T12:00:20Z";

pub(crate) fn begins() -> anyhow::Result<Timestamp> {
    Ok(BEGINS.parse::<Timestamp>()?)
}

/// A business of the run.
#[derive(Debug, Clone)]
pub(crate) struct Tenant {
    pub(crate) organization: OrganizationId,
    /// Its account at the provider.
    pub(crate) account: String,
}

/// A customer's number. Both tenants have a customer of each number: they are two contacts.
pub(crate) fn number(contact: usize) -> String {
    format!("+55319910000{:02}", contact + 10)
}

pub(crate) fn person(contact: usize) -> Person {
    let number = number(contact);
    Person {
        number: Some(Number::new(number.trim_start_matches('+'))),
        phone: Phone::parse(&number).ok(),
        name: Some(format!("Cliente {contact}")),
        ..Person::default()
    }
}

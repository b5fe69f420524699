//! What an entry of a calendar says.

use balcao_domain::{AppointmentStatus, Money};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::scheduling::appointments::AppointmentView;

/// What an entry says, in local terms. It names no row of ours: another calendar has none, and knows whose an entry is by what
/// it wrote into it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// What is booked, and who and what it takes.
    pub parts: VisitParts,
    /// The local date.
    pub date: Date,
    /// The local time it starts, `HH:MM`.
    pub start: String,
    /// The local time it ends, `HH:MM`.
    pub finish: String,
    /// The local date it ends on: the next one for a visit until midnight or over it.
    pub finish_date: Date,
    /// Where it stands.
    pub status: AppointmentStatus,
    /// The price at booking; zero where a plan covers it.
    pub price: Money,
    /// The name of the person who comes, if that is not the contact.
    pub attendee: Option<String>,
}

/// One service of a visit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VisitPart {
    /// What is booked.
    pub service: String,
    /// Who does it.
    pub professional: String,
    /// The chairs, rooms or devices that it takes, by their names. Our own tables have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
}

/// The services of a visit, one after another: at least one. They are one booking, which is moved and cancelled as a whole. Our own tables
/// keep visits of one part; another calendar may have longer ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<VisitPart>", into = "Vec<VisitPart>")]
pub struct VisitParts {
    first: VisitPart,
    more: Vec<VisitPart>,
}

/// A list of parts is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid parts of a visit; expected at least one")]
pub struct NoParts;

impl VisitParts {
    /// A visit of one service, which takes no resource.
    #[must_use]
    pub const fn of_one(service: String, professional: String) -> Self {
        Self { first: VisitPart { service, professional, resources: Vec::new() }, more: Vec::new() }
    }

    /// In order of time.
    pub fn iter(&self) -> impl Iterator<Item = &VisitPart> {
        std::iter::once(&self.first).chain(&self.more)
    }

    /// The services in words: `Corte + Barba`.
    #[must_use]
    pub fn services(&self) -> String {
        self.iter().map(|part| part.service.as_str()).collect::<Vec<_>>().join(" + ")
    }

    /// Who does them, in words, each named once: `Ana + Bruno`.
    #[must_use]
    pub fn professionals(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for part in self.iter() {
            if !names.contains(&part.professional.as_str()) {
                names.push(&part.professional);
            }
        }
        names.join(" + ")
    }
}

impl TryFrom<Vec<VisitPart>> for VisitParts {
    type Error = NoParts;

    fn try_from(parts: Vec<VisitPart>) -> Result<Self, NoParts> {
        let mut parts = parts.into_iter();
        Ok(Self { first: parts.next().ok_or(NoParts)?, more: parts.collect() })
    }
}

impl From<VisitParts> for Vec<VisitPart> {
    fn from(parts: VisitParts) -> Self {
        std::iter::once(parts.first).chain(parts.more).collect()
    }
}

impl From<AppointmentView> for Visit {
    fn from(view: AppointmentView) -> Self {
        let AppointmentView {
            professional, service, date, start, finish, finish_date, status, price, attendee, ..
        } = view;
        let parts = VisitParts::of_one(service, professional);
        Self { parts, date, start, finish, finish_date, status, price, attendee }
    }
}

#[cfg(test)]
mod tests {
    use super::{NoParts, VisitPart, VisitParts};

    #[test]
    fn parts_are_named_in_order_and_each_professional_once() {
        let part = |service: &str, professional: &str| VisitPart {
            service: service.to_owned(),
            professional: professional.to_owned(),
            resources: vec!["Cadeira 2".to_owned()],
        };
        let all = vec![part("Corte", "Ana"), part("Barba", "Bruno"), part("Sobrancelha", "Ana")];
        let parts = VisitParts::try_from(all.clone()).unwrap();
        assert_eq!(parts.services(), "Corte + Barba + Sobrancelha");
        assert_eq!(parts.professionals(), "Ana + Bruno");
        assert_eq!(Vec::from(parts), all);
        assert_eq!(VisitParts::try_from(Vec::new()), Err(NoParts));
    }
}

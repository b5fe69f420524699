//! Staff named by their e-mail addresses, and who acts for the business.

use std::collections::BTreeMap;

use balcao_domain::ProfessionalId;
use balcao_domain::appointment::visit::MarkAuthor;
use balcao_domain::staff::{Role, VisitsMarked};
use balcao_language::normalize;
use balcao_store::crm::staff::Staff;
use serde::{Deserialize, Serialize};

/// Who acts for the business.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A staff member, by their e-mail address.
    Staff(String),
    /// A program that does not name the person behind it, by its name in the audit log.
    Program(String),
    /// A person who works on the server itself, through its commands.
    Operator,
}

impl Actor {
    /// Finds the actor among the staff; its address is then as the business wrote it.
    pub(crate) fn identify(&self, all: &[Staff]) -> Result<MarkAuthor, UnknownStaff> {
        Ok(match self {
            Self::Staff(email) => MarkAuthor::Staff(by_email(all, email)?.email.clone()),
            Self::Program(name) => MarkAuthor::Program(name.clone()),
            Self::Operator => MarkAuthor::Operator,
        })
    }
}

/// A request named a staff member by an unknown e-mail address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("nobody of staff has the e-mail address `{email}`; known: {}", known.join(", "))]
pub struct UnknownStaff {
    /// As given.
    pub email: String,
    /// Those of the business.
    pub known: Vec<String>,
}

/// Who of staff has an e-mail address; letters' case and spaces around it do not count.
pub(crate) fn by_email<'a>(all: &'a [Staff], email: &str) -> Result<&'a Staff, UnknownStaff> {
    all.iter().find(|one| one.email.eq_ignore_ascii_case(email.trim())).ok_or_else(|| UnknownStaff {
        email: email.to_owned(),
        known: all.iter().map(|one| one.email.clone()).collect(),
    })
}

/// Whether a staff member may change the visits of a professional, by their role.
pub(crate) fn may_change(me: &Staff, of: ProfessionalId, names: &BTreeMap<ProfessionalId, String>) -> bool {
    match me.role.marks_visits_of() {
        VisitsMarked::All => true,
        VisitsMarked::Own => professional_of(me, names) == Some(of),
        VisitsMarked::None => false,
    }
}

/// The professional that a staff member of this role is: the one that the business names, else the one of the same name.
pub(crate) fn professional_of(me: &Staff, names: &BTreeMap<ProfessionalId, String>) -> Option<ProfessionalId> {
    let of_same_name = || names.iter().find(|(_, name)| normalize(name) == normalize(&me.name)).map(|(id, _)| *id);
    if me.role == Role::Professional { me.professional.or_else(of_same_name) } else { None }
}

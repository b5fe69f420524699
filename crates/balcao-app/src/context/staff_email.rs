//! Staff named by their e-mail addresses.

use balcao_store::crm::staff::Staff;
use serde::{Deserialize, Serialize};

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

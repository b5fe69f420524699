//! Staff who write to an assistant: through which contact, and what they may see.

use std::collections::BTreeMap;
use std::time::Duration;

use balcao_domain::entitlement::{Feature, UpgradeRequired};
use balcao_domain::staff::Role;
use balcao_domain::visit::MarkAuthor;
use balcao_domain::{ContactId, OrganizationId, ProfessionalId};
use balcao_language::normalize;
use balcao_store::crm::staff::{self, Staff};
use balcao_store::{Tx, crm::contact, scheduling::catalog};
use serde::{Deserialize, Serialize};

use crate::admin::plans::{self, Plans};
use crate::context::app_context::{AppContext, UseCaseError, granted};
use crate::context::request_rate;

const HOUR: Duration = Duration::from_hours(1);

/// What a staff member may see of the business.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StaffPermissions {
    /// Prices and revenue.
    pub money: bool,
    /// Only what this professional is booked for.
    pub only: Option<ProfessionalId>,
}

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

/// Why a contact may not ask the assistant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StaffAccessRefusal {
    /// The e-mail address belongs to no staff member.
    #[error(transparent)]
    UnknownStaff(#[from] UnknownStaff),
    /// A customer asks what is for staff.
    #[error("only staff may ask this")]
    NotStaff,
    /// The business's plan has no assistant.
    #[error("{}", plans::worded(.0, balcao_tool::Locale::En))]
    UpgradeRequired(UpgradeRequired),
    /// They have asked too often.
    #[error("that is enough for now: up to {per_hour} questions an hour; ask again in {} minutes", wait.as_secs().div_ceil(60))]
    TooOften {
        /// How often they may.
        per_hour: u32,
        /// When again.
        wait: Duration,
    },
    /// The staff member has the role of a professional, but matches the name of no professional.
    #[error(
        "`{name}` has the role `professional`, and no professional has that name; name theirs in the seed file (`professional:`), or give both the same name"
    )]
    NoProfessional {
        /// The name.
        name: String,
    },
}

/// Finds staff members and their permissions.
#[derive(Debug, Clone)]
pub struct StaffAccess {
    desk: AppContext,
}

impl StaffPermissions {
    /// Everything, as owners and managers do.
    pub const ALL: Self = Self { money: true, only: None };
}

/// Who of staff has an e-mail address; letters' case and spaces around it do not count.
pub(crate) fn by_email<'a>(all: &'a [Staff], email: &str) -> Result<&'a Staff, UnknownStaff> {
    all.iter().find(|one| one.email.eq_ignore_ascii_case(email.trim())).ok_or_else(|| UnknownStaff {
        email: email.to_owned(),
        known: all.iter().map(|one| one.email.clone()).collect(),
    })
}

impl StaffAccess {
    /// Over a desk.
    #[must_use]
    pub fn new(desk: AppContext) -> Self {
        Self { desk }
    }

    /// Returns the contact through which a staff member writes. The first call adds it; customers' contacts stay apart.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, [`StaffAccessRefusal::UnknownStaff`].
    pub async fn contact_of(
        &self,
        organization: OrganizationId,
        email: String,
    ) -> Result<Result<ContactId, StaffAccessRefusal>, UseCaseError> {
        let now = self.desk.clock.now();
        let work = move |tx: &mut Tx<'_>| {
            let all = staff::list(tx, organization)?;
            let me = granted!(by_email(&all, &email).map_err(StaffAccessRefusal::from));
            if let Some(known) = staff::contact_of(tx, organization, me.id)? {
                return Ok(Ok(known));
            }
            let new = contact::NewContact { name: Some(me.name.clone()), ..contact::NewContact::default() };
            let id = contact::insert(tx, organization, &new, now)?;
            staff::set_contact(tx, organization, me.id, id)?;
            Ok(Ok(id))
        };
        self.desk.store.write(work).await
    }

    /// Counts a question of a staff member to the assistant, and returns the contact through which they write. The database holds the
    /// count, for all processes over it.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, [`StaffAccessRefusal::UnknownStaff`],
    /// [`StaffAccessRefusal::UpgradeRequired`] or [`StaffAccessRefusal::TooOften`].
    pub async fn asks(
        &self,
        organization: OrganizationId,
        email: String,
        per_hour: u32,
    ) -> Result<Result<ContactId, StaffAccessRefusal>, UseCaseError> {
        let contact = match self.contact_of(organization, email).await? {
            Ok(contact) => contact,
            Err(refusal) => return Ok(Err(refusal)),
        };
        // A question without entitlement does not count.
        if let Err(missing) = Plans::new(self.desk.clone()).allows(organization, Feature::Assistant).await? {
            return Ok(Err(StaffAccessRefusal::UpgradeRequired(missing)));
        }
        let counted =
            request_rate::take_within(&self.desk, organization, format!("assistant/{contact}"), (per_hour, HOUR))
                .await?;
        Ok(counted.map(|()| contact).map_err(|wait| StaffAccessRefusal::TooOften { per_hour, wait }))
    }

    /// Returns the permissions of the staff member behind a contact. Owners and managers see everything, professionals their own
    /// appointments, all others everything but money.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, why they may see nothing.
    pub async fn sees(
        &self,
        organization: OrganizationId,
        contact: ContactId,
    ) -> Result<Result<StaffPermissions, StaffAccessRefusal>, UseCaseError> {
        self.desk
            .look(move |tx, now| {
                let Some(me) = staff::of_contact(tx, organization, contact)? else {
                    return Ok(Err(StaffAccessRefusal::NotStaff));
                };
                if let Err(missing) = plans::allows(tx, organization, Feature::Assistant, now)? {
                    return Ok(Err(StaffAccessRefusal::UpgradeRequired(missing)));
                }
                sees(tx, organization, me)
            })
            .await
    }
}

fn sees(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    me: Staff,
) -> Result<Result<StaffPermissions, StaffAccessRefusal>, UseCaseError> {
    if me.role != Role::Professional {
        return Ok(Ok(StaffPermissions { money: me.role.sees_all_money(), only: None }));
    }
    Ok(match professional_of(&me, &catalog::professional_names(tx, organization)?) {
        Some(id) => Ok(StaffPermissions { money: true, only: Some(id) }),
        None => Err(StaffAccessRefusal::NoProfessional { name: me.name }),
    })
}

/// The professional that a staff member of this role is: the one that the business names, else the one of the same name.
pub(crate) fn professional_of(me: &Staff, names: &BTreeMap<ProfessionalId, String>) -> Option<ProfessionalId> {
    let of_same_name = || names.iter().find(|(_, name)| normalize(name) == normalize(&me.name)).map(|(id, _)| *id);
    if me.role == Role::Professional { me.professional.or_else(of_same_name) } else { None }
}

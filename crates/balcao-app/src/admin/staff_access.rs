//! Staff who write to an assistant: through which contact, and what they may see.

use std::time::Duration;

use balcao_domain::entitlement::{Feature, UpgradeRequired};
use balcao_domain::staff::Role;
use balcao_domain::{ContactId, OrganizationId, ProfessionalId};
use balcao_store::crm::staff::{self, Staff};
use balcao_store::{Tx, crm::contact, scheduling::catalog};

use crate::admin::plans::{self, Plans};
use crate::context::app_context::{AppContext, UseCaseError, granted};
use crate::context::request_rate;
use crate::context::staff_email::{UnknownStaff, by_email, professional_of};

const HOUR: Duration = Duration::from_hours(1);

/// What a staff member may see of the business.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StaffPermissions {
    /// Prices and revenue.
    pub money: bool,
    /// Only what this professional is booked for.
    pub only: Option<ProfessionalId>,
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
    app: AppContext,
}

impl StaffPermissions {
    /// Everything, as owners and managers do.
    pub const ALL: Self = Self { money: true, only: None };
}

impl StaffAccess {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
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
        let now = self.app.clock.now();
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
        self.app.store.write(work).await
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
        if let Err(missing) = Plans::new(self.app.clone()).allows(organization, Feature::Assistant).await? {
            return Ok(Err(StaffAccessRefusal::UpgradeRequired(missing)));
        }
        let counted =
            request_rate::take_within(&self.app, organization, format!("assistant/{contact}"), per_hour, HOUR).await?;
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
        self.app
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

//! The professionals who can be booked.

use balcao_domain::OrganizationId;
use balcao_domain::professional::Professional;
use balcao_store::Tx;
use balcao_store::scheduling::catalog::{self, Around};
use jiff::Timestamp;
use jiff::civil::Date;

use crate::context::app_context::UseCaseError;

/// Those who can be booked.
pub(crate) fn active(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Vec<Professional>, UseCaseError> {
    let none = Date::constant(1970, 1, 1);
    let around = Around { from: none, to: none, since: Timestamp::MAX };
    let all = catalog::list_professionals(tx, organization, around)?;
    Ok(all.into_iter().filter(|one| one.active).collect())
}

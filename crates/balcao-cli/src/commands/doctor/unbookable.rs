//! Whether the served business offers what it lists. What is in the others is not shown here.

use balcao_app::admin::business::Business;
use balcao_store::{Store, crm::organization::Organization};

use super::{Config, Finding};
use crate::{output::error_chain, time, wire};

/// Gives the warnings that a plan of the business would give, such as active services that no active professional offers.
pub(super) async fn check(store: &Store, config: &Config, of: &Organization) -> Vec<Finding> {
    let app = wire::serving(store.clone(), of.id, time::clock(), config);
    let warnings = match Business::new(app).warnings(of.id).await {
        Ok(warnings) => warnings,
        Err(error) => return vec![Finding::wrong("business", error_chain(&error), "see what the database says")],
    };
    let mend = "`balcao business set professionals NAME services+=SERVICE` offers a service; \
                `balcao business remove services SERVICE` archives it";
    warnings.into_iter().map(|one| Finding::warning("business", format!("of {}: {one}", of.slug), mend)).collect()
}

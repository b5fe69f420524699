//! Whether any person learns of visits without a mark.

use balcao_domain::appointment::visit::UnmarkedVisits;
use balcao_store::crm::organization::Organization;

use super::{Config, Finding};

/// What hears of an unmarked visit besides staff.
const EVENT: &str = "appointment.unmarked";

/// A business that asks its staff about visits without a mark, and has no way to ask them.
pub(super) fn check(config: &Config, of: &Organization) -> Option<Finding> {
    let alerts = config.handoffs.alerts();
    let hears = |events: &[String]| events.is_empty() || events.iter().any(|event| event == EVENT);
    let is_asked = alerts.email || alerts.whatsapp || config.webhooks.iter().any(|one| hears(&one.events));
    (of.scheduling.unmarked_visits == UnmarkedVisits::Ask && !is_asked).then(|| {
        Finding::warning(
            "visits",
            format!("of {}: no way leads to the staff who are to be asked about visits without a mark", of.slug),
            "set handoffs.tell_by, or `unmarked_visits: complete` under scheduling in the business file; \
             `balcao appointments list --unmarked` lists them",
        )
    })
}

//! How staff are told of handoffs: `[handoffs]`.

use balcao_app::alerts::HandoffAlerts;
use serde::Deserialize;

use super::Config;

/// Beside the console and the outgoing webhooks.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct HandoffsConfig {
    /// By which ways; none unless they are named.
    pub(crate) tell_by: Vec<Way>,
}

/// A way to staff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Way {
    Email,
    Whatsapp,
}

impl HandoffsConfig {
    /// The ways that were chosen.
    pub(crate) fn alerts(&self) -> HandoffAlerts {
        HandoffAlerts { email: self.tell_by.contains(&Way::Email), whatsapp: self.tell_by.contains(&Way::Whatsapp) }
    }

    pub(super) fn rows(&self, row: &mut impl FnMut(&str, String)) {
        let ways: Vec<String> = self.tell_by.iter().map(|way| format!("{way:?}").to_lowercase()).collect();
        row("handoffs.tell_by", if ways.is_empty() { "(console and webhooks)".to_owned() } else { ways.join(", ") });
    }
}

/// A way that leads nowhere is a mistake: nobody would be told, and nobody would know.
pub(super) fn check(config: &Config) -> Result<(), String> {
    let alerts = config.handoffs.alerts();
    if alerts.email && config.email.account().is_none() {
        return Err("handoffs.tell_by names `email`, and email.host and email.from are not set".to_owned());
    }
    if alerts.whatsapp && config.whatsapp.account.is_none() && config.evolution.instance.is_none() {
        return Err("handoffs.tell_by names `whatsapp`, and no account of it is configured".to_owned());
    }
    Ok(())
}

//! How staff are told of handoffs: `[handoffs]`.

use balcao_app::context::notification_accounts::HandoffAlerts;
use serde::{Deserialize, Deserializer, de::Error};
use toml::Value;

use super::Config;

/// Beside `balcao inbox` and the outgoing webhooks.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct HandoffsConfig {
    /// By which ways; none unless they are named.
    #[serde(deserialize_with = "ways")]
    pub(crate) tell_by: Vec<Way>,
}

/// A way to staff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Email,
    Whatsapp,
}

const WAYS: [(&str, Way); 2] = [("email", Way::Email), ("whatsapp", Way::Whatsapp)];

/// Reads the list of ways, and tells of all that are none.
fn ways<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Way>, D::Error> {
    let value = Value::deserialize(from)?;
    let Some(written) = value.as_array() else {
        let one = value.as_str().unwrap_or("email");
        return Err(D::Error::custom(format!("`tell_by` is a list: write [\"{one}\"]")));
    };
    let known = |one: &Value| WAYS.iter().find(|(word, _)| one.as_str() == Some(word)).map(|(_, way)| *way);
    let strange: Vec<String> = written
        .iter()
        .filter(|one| known(one).is_none())
        .map(|one| format!("`{}`", one.as_str().map_or_else(|| one.to_string(), str::to_owned)))
        .collect();
    if strange.is_empty() {
        return Ok(written.iter().filter_map(known).collect());
    }
    Err(D::Error::custom(format!("invalid `tell_by` {}; expected `email` or `whatsapp`", strange.join(", "))))
}

impl HandoffsConfig {
    /// The ways that were chosen.
    pub(crate) fn alerts(&self) -> HandoffAlerts {
        HandoffAlerts { email: self.tell_by.contains(&Way::Email), whatsapp: self.tell_by.contains(&Way::Whatsapp) }
    }

    pub(super) fn rows(&self, row: &mut impl FnMut(&str, String)) {
        let ways: Vec<String> = self.tell_by.iter().map(|way| format!("{way:?}").to_lowercase()).collect();
        row("handoffs.tell_by", if ways.is_empty() { "(inbox and webhooks)".to_owned() } else { ways.join(", ") });
    }
}

/// A way that leads nowhere is a mistake: nobody would be told, and nobody would know. A server does not start with it.
///
/// # Errors
/// Every such way, with the keys that lead somewhere.
pub(crate) fn check(config: &Config) -> Result<(), String> {
    let alerts = config.handoffs.alerts();
    let mut lost = Vec::new();
    if alerts.email && config.email.account().is_none() {
        lost.push("`email`, which needs email.host and email.from: set both");
    }
    if alerts.whatsapp && config.whatsapp.account.is_none() && config.evolution.instance.is_none() {
        lost.push("`whatsapp`, which needs a number: set whatsapp.account or evolution.instance");
    }
    if lost.is_empty() {
        return Ok(());
    }
    Err(format!("handoffs.tell_by names {}; or take it out", lost.join(", and ")))
}

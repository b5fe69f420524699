//! Stands in for the check of Google Calendar in a build without it.

use super::Finding;
use crate::config::Config;

/// Warns if the configuration wants what is not built in.
pub(super) async fn check(config: &Config) -> Vec<Finding> {
    if !config.google.is_set() {
        return Vec::new();
    }
    let says = "[google] is configured, and this build has no Google Calendar".to_owned();
    vec![Finding::warning("google", says, "build the program with its feature `google-calendar`")]
}

//! The unofficial gateway: `[evolution]`.

use std::{path::PathBuf, time::Duration};

use balcao_channel::channels::evolution::{Config as Instance, Evolution};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::serve::secret_of;
use crate::output::error_chain;

/// How long one call may take.
const WITHIN: Duration = Duration::from_secs(30);

/// An instance of Evolution API. Off unless `instance` is set.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct EvolutionConfig {
    /// Its name.
    pub(crate) instance: Option<String>,
    /// Where the gateway answers.
    pub(crate) base_url: String,
    /// The gateway's key.
    pub(crate) token: Option<SecretString>,
    /// A file that holds it.
    pub(crate) token_file: Option<PathBuf>,
    /// What its webhooks show: the same key as a rule, for the gateway puts that into them.
    pub(crate) secret: Option<SecretString>,
    /// A file that holds it.
    pub(crate) secret_file: Option<PathBuf>,
}

/// An instance, ready to be used.
pub(crate) struct EvolutionAccount {
    pub(crate) channel: Evolution,
    pub(crate) key: SecretString,
}

impl EvolutionConfig {
    /// The instance with its keys; `None` if none is configured.
    pub(crate) fn read(&self) -> Result<Option<EvolutionAccount>, String> {
        let Some(instance) = &self.instance else { return Ok(None) };
        let secret = |key, value, file| secret_of("evolution", "instance", key, value, file);
        let token = secret("token", self.token.as_ref(), self.token_file.as_deref())?;
        let key = secret("secret", self.secret.as_ref(), self.secret_file.as_deref())?;
        if key.expose_secret().trim().is_empty() {
            return Err("evolution.secret is empty: anybody could post".to_owned());
        }
        let config =
            Instance { base_url: self.base_url.clone(), instance: instance.clone(), key: token, within: WITHIN };
        let channel = Evolution::new(config).map_err(|error| format!("evolution: {}", error_chain(&error)))?;
        Ok(Some(EvolutionAccount { channel, key }))
    }

    pub(super) fn rows(&self, row: &mut impl FnMut(&str, String)) {
        row("evolution.instance", self.instance.clone().unwrap_or_else(|| "(none)".to_owned()));
        row("evolution.base_url", self.base_url.clone());
        for (key, value, file) in
            [("evolution.token", &self.token, &self.token_file), ("evolution.secret", &self.secret, &self.secret_file)]
        {
            let shown = match (value, file) {
                (Some(_), _) => "********".to_owned(),
                (None, Some(file)) => format!("in {}", file.display()),
                (None, None) => "(none)".to_owned(),
            };
            row(key, shown);
        }
    }
}

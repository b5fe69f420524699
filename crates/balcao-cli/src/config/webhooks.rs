//! Who is told of what happens: `[[webhooks]]`.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use balcao_app::admin::webhooks::{Subscriber, TYPES};
use balcao_channel::endpoint::Endpoint;
use secrecy::SecretString;
use serde::Deserialize;

/// An endpoint outside.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebhookConfig {
    /// Its name: what was delivered is remembered by it.
    pub(crate) name: String,
    /// Where it is.
    pub(crate) url: String,
    /// What it wants to hear, such as `appointment.booked`; all, if it is empty.
    #[serde(default)]
    pub(crate) events: Vec<String>,
    /// What deliveries are signed with. Better: `secret_file` or `secret_env`.
    #[serde(default)]
    pub(crate) secret: Option<SecretString>,
    /// A file that holds it.
    #[serde(default)]
    pub(crate) secret_file: Option<PathBuf>,
    /// A variable of the environment that holds it.
    #[serde(default)]
    pub(crate) secret_env: Option<String>,
    /// Permits plain HTTP, this machine and private networks.
    #[serde(default)]
    pub(crate) allow_private: bool,
}

impl WebhookConfig {
    /// The endpoint, ready to be told.
    pub(crate) fn read(&self, environment: &BTreeMap<String, String>) -> Result<Subscriber, String> {
        let at = |what: String| format!("webhooks `{}`: {what}", self.name);
        for event in &self.events {
            let known = TYPES.iter().map(|(_, name, _)| *name);
            if !known.clone().any(|name| name == event) {
                let near = balcao_yaml::nearest(event, known.clone());
                let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                let known = known.collect::<Vec<_>>().join(", ");
                return Err(at(format!("unknown event `{event}`; expected one of: {known}{hint}")));
            }
        }
        let secret = self.secret(environment).map_err(at)?;
        let endpoint = Endpoint::new(&self.url, &secret, self.allow_private).map_err(|error| at(error.to_string()))?;
        let types: BTreeSet<String> = self.events.iter().cloned().collect();
        Ok(Subscriber { name: self.name.clone(), types, endpoint })
    }

    fn secret(&self, environment: &BTreeMap<String, String>) -> Result<SecretString, String> {
        match (&self.secret, &self.secret_file, &self.secret_env) {
            (Some(secret), None, None) => Ok(secret.clone()),
            (None, Some(file), None) => {
                let text = std::fs::read_to_string(file)
                    .map_err(|error| format!("secret_file {}: {}", file.display(), crate::files::reason(&error)))?;
                Ok(SecretString::from(text.trim().to_owned()))
            }
            (None, None, Some(name)) => {
                let found = environment.get(name).ok_or_else(|| format!("the environment has no {name}"))?;
                Ok(SecretString::from(found.clone()))
            }
            _ => Err("give one of secret_file, secret_env and secret".to_owned()),
        }
    }

    /// What it shows of itself.
    pub(crate) fn shown(&self) -> String {
        let events = if self.events.is_empty() { "everything".to_owned() } else { self.events.join(", ") };
        let private = if self.allow_private { ", private networks allowed" } else { "" };
        // A query may hold a key.
        let url = self.url.split('?').next().unwrap_or_default();
        format!("{events} to {url}{private}")
    }
}

/// Every endpoint; two of one name are a mistake.
pub(crate) fn read(all: &[WebhookConfig], environment: &BTreeMap<String, String>) -> Result<Vec<Subscriber>, String> {
    let mut names = BTreeSet::new();
    if let Some(twice) = all.iter().find(|one| !names.insert(one.name.as_str())) {
        return Err(format!("webhooks `{}` is there twice; give each a name of its own", twice.name));
    }
    all.iter().map(|one| one.read(environment)).collect()
}

//! What an organization configured for a service. Secrets are kept apart, so that only credentials can be made of them.

use std::{collections::BTreeMap, fmt};

use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};

use crate::{
    problem::Problem,
    strike::Striker,
    template::{Piece, Text, plain},
};

/// An organization's settings of one connection.
#[derive(Clone, Default)]
pub struct Settings {
    pub(crate) values: Map<String, Value>,
    secrets: BTreeMap<String, SecretString>,
}

impl Settings {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What an organization gave, sorted by the schema of the pack's `settings`: properties with `secret: true` are secrets, and what
    /// was not given takes its `default`. Whether it satisfies the schema is for its caller to say.
    #[must_use]
    pub fn sorted(schema: &Value, given: &Map<String, Value>) -> Self {
        let properties = schema.get("properties").and_then(Value::as_object);
        let mut settings = Self::new();
        for (name, property) in properties.into_iter().flatten() {
            let Some(value) = given.get(name).or_else(|| property.get("default")) else { continue };
            let secret = property.get("secret") == Some(&Value::Bool(true));
            settings = if secret {
                settings.secret(name, plain(value).unwrap_or_default())
            } else {
                settings.value(name, value.clone())
            };
        }
        settings
    }

    /// Adds what anybody may see.
    #[must_use]
    pub fn value(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.values.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a secret.
    #[must_use]
    pub fn secret(mut self, name: &str, secret: impl Into<SecretString>) -> Self {
        self.secrets.insert(name.to_owned(), secret.into());
        self
    }

    /// A text with settings, secrets among them.
    ///
    /// # Errors
    /// The setting that is missing.
    pub fn credential(&self, text: &str, at: &str) -> Result<SecretString, Problem> {
        self.fill(text, at, true).map(SecretString::from)
    }

    /// A text with settings that anybody may see.
    ///
    /// # Errors
    /// The setting that is missing, or is a secret.
    pub fn open(&self, text: &str, at: &str) -> Result<String, Problem> {
        self.fill(text, at, false)
    }

    fn fill(&self, text: &str, at: &str, secrets: bool) -> Result<String, Problem> {
        let text = Text::parse(text).map_err(|message| Problem::new(at, message))?;
        let mut filled = String::new();
        for piece in &text.0 {
            match piece {
                Piece::Literal(literal) => filled.push_str(literal),
                Piece::Hole(hole) => {
                    let name = hole.0.get(1).map_or("", String::as_str);
                    let missing = || {
                        let known = self.values.keys().chain(self.secrets.keys()).map(String::as_str);
                        Problem::new(at, format!("the setting `{name}` is missing")).nearest(name, known)
                    };
                    match (self.values.get(name).and_then(plain), self.secrets.get(name)) {
                        (Some(value), _) => filled.push_str(&value),
                        (None, Some(secret)) if secrets => filled.push_str(secret.expose_secret()),
                        (None, Some(_)) => {
                            let message = format!("the setting `{name}` is a secret, which is used under `auth` only");
                            return Err(Problem::new(at, message));
                        }
                        (None, None) => return Err(missing()),
                    }
                }
            }
        }
        Ok(filled)
    }

    /// Finds our secrets, and these, in what a service says.
    #[must_use]
    pub fn striker(&self, further: &[SecretString]) -> Striker {
        Striker::new(self.secrets.values().chain(further).map(ExposeSecret::expose_secret))
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("values", &self.values)
            .field("secrets", &self.secrets.keys().collect::<Vec<_>>())
            .finish()
    }
}

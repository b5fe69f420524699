//! Google Calendar: `[google]`.

use std::path::{Path, PathBuf};

use secrecy::SecretString;
use serde::Deserialize;

#[cfg(feature = "google-calendar")]
use super::serve::secret_of;

/// How the business proves who it is: a service account, or an OAuth client that a person grants rights to.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct GoogleConfig {
    /// The key file of a service account.
    pub(crate) service_account_file: Option<PathBuf>,
    /// The person of the Workspace domain whose calendars the service account uses.
    pub(crate) subject: Option<String>,
    /// The OAuth client.
    pub(crate) client_id: Option<String>,
    /// Its secret. Better: `client_secret_file`.
    pub(crate) client_secret: Option<SecretString>,
    /// A file that holds its secret.
    pub(crate) client_secret_file: Option<PathBuf>,
    /// Asks for events of calendars that others share with the account, too.
    pub(crate) shared_calendars: bool,
    /// The file of the refresh tokens that people granted.
    pub(crate) tokens: PathBuf,
    /// Calendars that `doctor` looks at beside those in the account's list.
    pub(crate) calendars: Vec<String>,
    /// A stand-in for Google, all addresses under one.
    pub(crate) base_url: Option<String>,
}

impl Default for GoogleConfig {
    fn default() -> Self {
        Self {
            service_account_file: None,
            subject: None,
            client_id: None,
            client_secret: None,
            client_secret_file: None,
            shared_calendars: false,
            tokens: PathBuf::from("google.tokens.json"),
            calendars: Vec::new(),
            base_url: None,
        }
    }
}

/// The OAuth client of the configuration.
#[cfg(feature = "google-calendar")]
pub(crate) struct OAuthClient {
    pub(crate) id: String,
    pub(crate) secret: SecretString,
}

impl GoogleConfig {
    /// Whether anything says how the business is connected.
    pub(crate) fn is_set(&self) -> bool {
        self.service_account_file.is_some() || self.client_id.is_some()
    }

    /// The OAuth client, if one is configured.
    ///
    /// # Errors
    /// The secret is missing, or is given twice.
    #[cfg(feature = "google-calendar")]
    pub(crate) fn client(&self) -> Result<Option<OAuthClient>, String> {
        let Some(id) = self.client_id.clone() else { return Ok(None) };
        let (value, file) = (self.client_secret.as_ref(), self.client_secret_file.as_deref());
        let secret = secret_of("google", "client_id", "client_secret", value, file)?;
        Ok(Some(OAuthClient { id, secret }))
    }

    /// Refuses settings that contradict each other. It reads no file.
    ///
    /// # Errors
    /// What to mend in the configuration.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.service_account_file.is_some() && self.client_id.is_some() {
            return Err("give google.service_account_file or google.client_id, not both".to_owned());
        }
        if self.subject.is_some() && self.service_account_file.is_none() {
            return Err("google.subject is set and google.service_account_file is missing; give both".to_owned());
        }
        Ok(())
    }

    /// Files are meant from the folder of the configuration, if that names them.
    pub(super) fn seen_from(&mut self, folder: &Path, is_from_file: impl Fn(&str) -> bool) {
        if is_from_file("google.tokens") {
            self.tokens = folder.join(&self.tokens);
        }
        for (key, file) in [
            ("google.service_account_file", &mut self.service_account_file),
            ("google.client_secret_file", &mut self.client_secret_file),
        ] {
            if is_from_file(key) {
                *file = file.take().map(|file| folder.join(file));
            }
        }
    }

    pub(super) fn rows(&self, row: &mut impl FnMut(&str, String)) {
        let none = || "(none)".to_owned();
        let path = |path: &Option<PathBuf>| path.as_ref().map_or_else(none, |path| path.display().to_string());
        row("google.service_account_file", path(&self.service_account_file));
        row("google.subject", self.subject.clone().unwrap_or_else(none));
        row("google.client_id", self.client_id.clone().unwrap_or_else(none));
        let secret = match (&self.client_secret, &self.client_secret_file) {
            (Some(_), _) => "********".to_owned(),
            (None, Some(file)) => format!("in {}", file.display()),
            (None, None) => none(),
        };
        row("google.client_secret", secret);
        row("google.shared_calendars", self.shared_calendars.to_string());
        row("google.tokens", self.tokens.display().to_string());
        row("google.calendars", if self.calendars.is_empty() { none() } else { self.calendars.join(", ") });
        row("google.base_url", self.base_url.clone().unwrap_or_else(|| "(Google's)".to_owned()));
    }
}

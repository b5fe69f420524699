//! E-mail to professionals: `[email]`.

use std::path::PathBuf;
use std::time::Duration;

use balcao_channel::channels::email::{Config as Account, Email, Security};
use secrecy::SecretString;
use serde::Deserialize;

use super::serve::secret_of;
use crate::output::error_chain;

/// How e-mail leaves. Off unless `host` is set.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct EmailConfig {
    /// The SMTP server.
    pub(crate) host: Option<String>,
    /// Its port; without it 587 for `starttls`, 465 for `tls`, 25 for `none`.
    pub(crate) port: Option<u16>,
    /// `starttls`, `tls`, or `none` to a server on this machine.
    pub(crate) security: SecurityWord,
    /// The user name on the mail server; without it the client does not log in.
    pub(crate) user: Option<String>,
    /// The password.
    pub(crate) password: Option<SecretString>,
    /// A file that holds it.
    pub(crate) password_file: Option<PathBuf>,
    /// Whom letters come from: an address, or `Name <address>`.
    pub(crate) from: String,
    /// A file with certificates in PEM that are trusted besides the usual ones.
    pub(crate) ca_file: Option<PathBuf>,
    /// How long one letter may take, in seconds: less than `server.lease_s`.
    pub(crate) timeout_s: u64,
}

/// How the connection is kept from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SecurityWord {
    Starttls,
    Tls,
    None,
}

impl Default for EmailConfig {
    fn default() -> Self {
        Self {
            host: None,
            port: None,
            security: SecurityWord::Starttls,
            user: None,
            password: None,
            password_file: None,
            from: String::new(),
            ca_file: None,
            timeout_s: 20,
        }
    }
}

impl EmailConfig {
    /// The account; `None` if none is configured.
    pub(crate) fn read(&self) -> Result<Option<Email>, String> {
        let Some(host) = &self.host else { return Ok(None) };
        if !(1..=25).contains(&self.timeout_s) {
            return Err(format!("email.timeout_s is {}; write 1 to 25", self.timeout_s));
        }
        let login = match &self.user {
            None => None,
            Some(user) => {
                let (value, file) = (self.password.as_ref(), self.password_file.as_deref());
                Some((user.clone(), secret_of("email", "user", "password", value, file)?))
            }
        };
        let read = |file: &PathBuf| {
            std::fs::read(file)
                .map_err(|error| format!("email.ca_file {}: {}", file.display(), crate::files::reason(&error)))
        };
        let (security, usual) = match self.security {
            SecurityWord::Starttls => (Security::StartTls, 587),
            SecurityWord::Tls => (Security::Tls, 465),
            SecurityWord::None => (Security::None, 25),
        };
        let account = Account {
            host: host.clone(),
            port: self.port.unwrap_or(usual),
            security,
            authority: self.ca_file.as_ref().map(read).transpose()?,
            login,
            from: self.from.clone(),
            within: Duration::from_secs(self.timeout_s),
        };
        Email::new(account).map(Some).map_err(|error| format!("email: {}", error_chain(&error)))
    }

    /// The address that letters come from, if any leave; its secrets are not looked at.
    pub(crate) fn account(&self) -> Option<String> {
        self.host.as_ref()?;
        Email::address(&self.from)
    }

    pub(super) fn rows(&self, row: &mut impl FnMut(&str, String)) {
        let none = || "(none)".to_owned();
        row("email.host", self.host.clone().unwrap_or_else(none));
        row("email.port", self.port.map_or_else(|| "(usual)".to_owned(), |port| port.to_string()));
        row("email.security", format!("{:?}", self.security).to_lowercase());
        row("email.user", self.user.clone().unwrap_or_else(none));
        row("email.from", self.from.clone());
        row("email.timeout_s", self.timeout_s.to_string());
        let shown = match (&self.password, &self.password_file) {
            (Some(_), _) => "********".to_owned(),
            (None, Some(file)) => format!("in {}", file.display()),
            (None, None) => none(),
        };
        row("email.password", shown);
    }
}

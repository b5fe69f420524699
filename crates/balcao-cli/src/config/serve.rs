//! What `balcao serve` reads: `[server]` and `[whatsapp]`.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};

use balcao_channel::{
    AccountId,
    channels::whatsapp::{Config as Account, signature::AppSecrets},
};
use balcao_domain::burst::BurstRules;
use balcao_web::WhatsAppWebhook;
use ipnet::IpNet;
use secrecy::SecretString;
use serde::Deserialize;

use crate::output::chain;

/// The server.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ServerConfig {
    /// Where it listens.
    pub(crate) listen: String,
    /// Where Prometheus reads `/metrics`; nowhere if it is not set.
    pub(crate) metrics_listen: Option<String>,
    /// How long a customer must have been quiet before they are answered, in milliseconds.
    pub(crate) burst_window_ms: u64,
    /// Turns that run at the same time.
    pub(crate) max_concurrent_turns: u32,
    /// After so many seconds without a sign of life a turn or an attempt to send is taken for lost.
    pub(crate) lease_s: u64,
    /// For so many seconds a message of unknown outcome holds back those behind it.
    pub(crate) settle_s: u64,
    /// Webhooks that are taken in at the same time; those beyond are told to come again.
    pub(crate) max_webhooks: u32,
    /// Messages that may wait for an answer before webhooks are told to come again.
    pub(crate) max_waiting: u32,
    /// Networks of the proxies before it, whose `X-Forwarded-For` is believed.
    pub(crate) trusted_proxies: Vec<IpNet>,
    /// How long turns and requests may go on after the program was told to stop, in seconds.
    pub(crate) drain_s: u64,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            listen: "127.0.0.1:8080".to_owned(),
            metrics_listen: None,
            burst_window_ms: 3_000,
            max_concurrent_turns: 32,
            lease_s: 30,
            settle_s: 60,
            max_webhooks: 256,
            max_waiting: 20_000,
            trusted_proxies: Vec::new(),
            drain_s: 20,
        }
    }
}

impl ServerConfig {
    /// Where it listens.
    pub(crate) fn address(&self) -> Result<SocketAddr, String> {
        address("server.listen", &self.listen)
    }

    /// Where Prometheus reads.
    pub(crate) fn metrics_address(&self) -> Result<Option<SocketAddr>, String> {
        self.metrics_listen.as_deref().map(|listen| address("server.metrics_listen", listen)).transpose()
    }

    /// When a burst is answered.
    pub(crate) fn burst(&self) -> BurstRules {
        BurstRules { quiet: std::time::Duration::from_millis(self.burst_window_ms), ..BurstRules::default() }
    }

    /// Numbers and the ranges that they may be in.
    pub(super) fn ranges(&self) -> [(&'static str, u64, u64, u64); 7] {
        [
            ("server.burst_window_ms", self.burst_window_ms, 0, 60_000),
            ("server.max_concurrent_turns", u64::from(self.max_concurrent_turns), 1, 10_000),
            ("server.lease_s", self.lease_s, 1, 600),
            ("server.settle_s", self.settle_s, 0, 3_600),
            ("server.max_webhooks", u64::from(self.max_webhooks), 1, 10_000),
            ("server.max_waiting", u64::from(self.max_waiting), 1, 10_000_000),
            ("server.drain_s", self.drain_s, 0, 600),
        ]
    }

    pub(super) fn rows(&self, row: &mut impl FnMut(&str, String)) {
        row("server.listen", self.listen.clone());
        row("server.metrics_listen", self.metrics_listen.clone().unwrap_or_else(|| "(nowhere)".to_owned()));
        for (key, value, ..) in self.ranges() {
            row(key, value.to_string());
        }
        let trusted: Vec<String> = self.trusted_proxies.iter().map(ToString::to_string).collect();
        row("server.trusted_proxies", if trusted.is_empty() { "(none)".to_owned() } else { trusted.join(", ") });
    }
}

fn address(key: &str, text: &str) -> Result<SocketAddr, String> {
    let hint = "write an address and a port, for example 127.0.0.1:8080 or [::]:8080";
    text.parse().map_err(|error| format!("{key} `{text}`: {error}; {hint}"))
}

/// A number on WhatsApp. Secrets better come from the environment or from files.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct WhatsAppConfig {
    /// The id of the phone number; without it there is no WhatsApp.
    pub(crate) account: Option<String>,
    /// The id of the business account that it must belong to.
    pub(crate) business: Option<String>,
    /// Where the Graph API answers.
    pub(crate) base_url: String,
    /// Its version.
    pub(crate) version: String,
    /// The access token.
    pub(crate) token: Option<SecretString>,
    /// A file that holds it.
    pub(crate) token_file: Option<PathBuf>,
    /// The app secret that webhooks are signed with.
    pub(crate) app_secret: Option<SecretString>,
    /// A file that holds it.
    pub(crate) app_secret_file: Option<PathBuf>,
    /// The word that Meta shows when it checks the webhook's address.
    pub(crate) verify_token: Option<SecretString>,
    /// A file that holds it.
    pub(crate) verify_token_file: Option<PathBuf>,
}

impl Default for WhatsAppConfig {
    fn default() -> Self {
        let usual = Account::new(AccountId::new(""), SecretString::default());
        Self {
            account: None,
            business: None,
            base_url: usual.base_url,
            version: usual.version,
            token: None,
            token_file: None,
            app_secret: None,
            app_secret_file: None,
            verify_token: None,
            verify_token_file: None,
        }
    }
}

/// A number on WhatsApp, ready to be used.
pub(crate) struct WhatsAppAccount {
    pub(crate) account: Account,
    pub(crate) business: Option<String>,
    pub(crate) webhook: WhatsAppWebhook,
}

impl WhatsAppConfig {
    /// The account with its secrets; `None` if none is configured.
    pub(crate) fn read(&self) -> Result<Option<WhatsAppAccount>, String> {
        let Some(account) = &self.account else { return Ok(None) };
        let secret = |key, value, file| secret_of("whatsapp", "account", key, value, file);
        let token = secret("token", self.token.as_ref(), self.token_file.as_deref())?;
        let app_secret = secret("app_secret", self.app_secret.as_ref(), self.app_secret_file.as_deref())?;
        let verify_token = secret("verify_token", self.verify_token.as_ref(), self.verify_token_file.as_deref())?;
        let secrets = AppSecrets::new(app_secret).map_err(|error| format!("whatsapp.app_secret: {}", chain(&error)))?;
        let usual = Account::new(AccountId::new(account.as_str()), token);
        let account = Account { base_url: self.base_url.clone(), version: self.version.clone(), ..usual };
        let webhook = WhatsAppWebhook { secrets, verify_token };
        Ok(Some(WhatsAppAccount { account, business: self.business.clone(), webhook }))
    }

    pub(super) fn rows(&self, row: &mut impl FnMut(&str, String)) {
        let none = || "(none)".to_owned();
        row("whatsapp.account", self.account.clone().unwrap_or_else(none));
        row("whatsapp.business", self.business.clone().unwrap_or_else(|| "(any)".to_owned()));
        row("whatsapp.base_url", self.base_url.clone());
        row("whatsapp.version", self.version.clone());
        for (key, value, file) in [
            ("whatsapp.token", &self.token, &self.token_file),
            ("whatsapp.app_secret", &self.app_secret, &self.app_secret_file),
            ("whatsapp.verify_token", &self.verify_token, &self.verify_token_file),
        ] {
            let shown = match (value, file) {
                (Some(_), _) => "********".to_owned(),
                (None, Some(file)) => format!("in {}", file.display()),
                (None, None) => none(),
            };
            row(key, shown);
        }
    }
}

/// A secret of a section that must be there, because `why` is set: from the configuration or its file.
pub(super) fn secret_of(
    section: &str,
    why: &str,
    key: &str,
    value: Option<&SecretString>,
    file: Option<&Path>,
) -> Result<SecretString, String> {
    match (value, file) {
        (Some(_), Some(_)) => Err(format!("give {section}.{key} or {section}.{key}_file, not both")),
        (Some(value), None) => Ok(value.clone()),
        (None, Some(file)) => {
            let text = std::fs::read_to_string(file)
                .map_err(|error| format!("{section}.{key}_file {}: {error}", file.display()))?;
            Ok(SecretString::from(text.trim().to_owned()))
        }
        (None, None) => Err(format!(
            "{section}.{why} is set and {section}.{key} is missing; give it by BALCAO__{}__{} or {section}.{key}_file",
            section.to_uppercase(),
            key.to_uppercase()
        )),
    }
}

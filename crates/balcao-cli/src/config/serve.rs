//! What `balcao serve` reads: `[server]` and `[whatsapp]`.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::{Path, PathBuf},
};

use balcao_app::{
    messaging::outbound::message_templates::Purpose, messaging::outbound::reach::AccountPolicies,
    messaging::outbound::send_policy::SendPolicy, timers::TimerSettings,
};
use balcao_channel::{
    AccountId,
    channels::whatsapp::{Config as Account, signature::AppSecrets},
};
use balcao_domain::burst::BurstRules;
use balcao_domain::throttle::SendingRate;
use balcao_web::WhatsAppWebhook;
use ipnet::IpNet;
use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use secrecy::SecretString;
use serde::{Deserialize, Deserializer, de::Error};
use toml::Value;

use super::terms::{RatesConfig, TemplateConfig, terms};
use crate::output::error_chain;

/// The shortest lease, in seconds: an attempt to send takes 20 at most, and clocks and disks have their time besides.
const SHORTEST_LEASE_S: u64 = 30;

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
    /// Permits a lease that is shorter than an attempt to send may take: for a trial, in which being sent twice is no harm.
    pub(crate) allow_short_lease: bool,
    /// For so many seconds a message of unknown outcome holds back those behind it.
    pub(crate) settle_s: u64,
    /// How long a turn waits for a customer's file, in seconds.
    pub(crate) file_wait_s: u64,
    /// The address that the world reaches it by, such as `https://shop.example`: for `balcao doctor`.
    pub(crate) public_url: Option<String>,
    /// Nobody gets an unasked-for message from this local time on.
    pub(crate) quiet_from: String,
    /// Until this one.
    pub(crate) quiet_until: String,
    /// Connections at the same time; those beyond may ask for health alone.
    pub(crate) max_connections: u32,
    /// Webhooks that are taken in at the same time; those beyond are told to come again.
    pub(crate) max_webhooks: u32,
    /// Messages that may wait for an answer before webhooks are told to come again.
    pub(crate) max_waiting: u32,
    /// Mebibytes of memory that it may use: beyond four fifths of them nothing new is taken in. 0: what the container allows.
    pub(crate) memory_mib: u32,
    /// Mebibytes of files of one contact that are kept in a day, by whatever channel they come.
    pub(crate) files_mib_contact_day: u32,
    /// While less of the database's disk is free, in hundredths, no files are taken.
    pub(crate) least_free_disk_percent: u8,
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
            allow_short_lease: false,
            settle_s: 60,
            file_wait_s: 20,
            public_url: None,
            quiet_from: "21:00".to_owned(),
            quiet_until: "08:00".to_owned(),
            max_connections: 1_024,
            max_webhooks: 256,
            max_waiting: 20_000,
            memory_mib: 0,
            files_mib_contact_day: 50,
            least_free_disk_percent: 10,
            trusted_proxies: Vec::new(),
            drain_s: 20,
        }
    }
}

fn is_address_of_the_web(url: &str) -> bool {
    reqwest::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
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

    /// When unasked-for messages rest.
    pub(crate) fn timers(&self) -> Result<TimerSettings, String> {
        let read = |key: &str, text: &str| {
            text.parse::<Time>().map_err(|_source| format!("server.{key} `{text}`: write a time such as 21:00"))
        };
        Ok(TimerSettings {
            quiet_from: read("quiet_from", &self.quiet_from)?,
            quiet_until: read("quiet_until", &self.quiet_until)?,
            ..TimerSettings::default()
        })
    }

    /// What is in no range for a reason that wants to be told.
    pub(super) fn check(&self) -> Result<(), String> {
        if let Some(url) = self.public_url.as_ref().filter(|url| !is_address_of_the_web(url)) {
            return Err(format!(
                "server.public_url `{url}`: write the address at which the server is reached from outside, such as https://atende.example.com"
            ));
        }
        if self.lease_s >= SHORTEST_LEASE_S || self.allow_short_lease {
            return Ok(());
        }
        Err(format!(
            "server.lease_s is {}; write {SHORTEST_LEASE_S} or more: an attempt to send may take 20 s, and with a shorter lease a \
             message that is still being sent is taken for lost. For a trial, set server.allow_short_lease = true",
            self.lease_s
        ))
    }

    /// When a burst is answered.
    pub(crate) fn burst(&self) -> BurstRules {
        BurstRules { quiet: std::time::Duration::from_millis(self.burst_window_ms), ..BurstRules::default() }
    }

    /// Numbers and the ranges that they may be in.
    pub(super) fn ranges(&self) -> [(&'static str, u64, u64, u64); 12] {
        [
            ("server.burst_window_ms", self.burst_window_ms, 0, 60_000),
            ("server.max_concurrent_turns", u64::from(self.max_concurrent_turns), 1, 10_000),
            ("server.lease_s", self.lease_s, if self.allow_short_lease { 1 } else { SHORTEST_LEASE_S }, 600),
            ("server.settle_s", self.settle_s, 0, 3_600),
            ("server.file_wait_s", self.file_wait_s, 0, 120),
            ("server.max_connections", u64::from(self.max_connections), 16, 100_000),
            ("server.max_webhooks", u64::from(self.max_webhooks), 1, 10_000),
            ("server.max_waiting", u64::from(self.max_waiting), 1, 10_000_000),
            ("server.memory_mib", u64::from(self.memory_mib), 0, 1 << 20),
            ("server.files_mib_contact_day", u64::from(self.files_mib_contact_day), 0, 1 << 20),
            ("server.least_free_disk_percent", u64::from(self.least_free_disk_percent), 0, 100),
            ("server.drain_s", self.drain_s, 0, 600),
        ]
    }

    pub(super) fn rows(&self, row: &mut impl FnMut(&str, String)) {
        row("server.listen", self.listen.clone());
        row("server.public_url", self.public_url.clone().unwrap_or_else(|| "(none)".to_owned()));
        row("server.quiet_from", self.quiet_from.clone());
        row("server.quiet_until", self.quiet_until.clone());
        row("server.allow_short_lease", self.allow_short_lease.to_string());
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
    /// The app secret before, which webhooks may still be signed with while it is being changed.
    pub(crate) previous_app_secret: Option<SecretString>,
    /// A file that holds it.
    pub(crate) previous_app_secret_file: Option<PathBuf>,
    /// Until when: a date, whose beginning in UTC is meant, or an instant.
    #[serde(deserialize_with = "moment")]
    pub(crate) previous_app_secret_until: Option<String>,
    /// The word that Meta shows when it checks the webhook's address.
    pub(crate) verify_token: Option<SecretString>,
    /// A file that holds it.
    pub(crate) verify_token_file: Option<PathBuf>,
    /// Approved templates by what they are used for.
    pub(crate) templates: BTreeMap<Purpose, TemplateConfig>,
    /// What messages cost.
    pub(crate) rates: Option<RatesConfig>,
    /// What they may cost in a month, such as `150.00`.
    pub(crate) monthly_cap: Option<String>,
    /// How many leave in one second at most.
    pub(crate) messages_per_second: u32,
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
            previous_app_secret: None,
            previous_app_secret_file: None,
            previous_app_secret_until: None,
            verify_token: None,
            verify_token_file: None,
            templates: BTreeMap::new(),
            rates: None,
            monthly_cap: None,
            messages_per_second: usual.rate.per_second,
        }
    }
}

/// A number on WhatsApp, ready to be used.
pub(crate) struct WhatsAppAccount {
    pub(crate) account: Account,
    pub(crate) business: Option<String>,
    pub(crate) webhook: WhatsAppWebhook,
    pub(crate) terms: SendPolicy,
}

impl WhatsAppConfig {
    /// The account with its secrets; `None` if none is configured.
    pub(crate) fn read(&self) -> Result<Option<WhatsAppAccount>, String> {
        let Some(account) = &self.account else { return Ok(None) };
        let secret = |key, value, file| secret_of("whatsapp", "account", key, value, file);
        let token = secret("token", self.token.as_ref(), self.token_file.as_deref())?;
        let app_secret = secret("app_secret", self.app_secret.as_ref(), self.app_secret_file.as_deref())?;
        let verify_token = secret("verify_token", self.verify_token.as_ref(), self.verify_token_file.as_deref())?;
        let secrets =
            AppSecrets::new(app_secret).map_err(|error| format!("whatsapp.app_secret: {}", error_chain(&error)))?;
        let secrets = self.with_previous(secrets)?;
        let usual = Account::new(AccountId::new(account.as_str()), token);
        let rate = SendingRate { per_second: self.messages_per_second, ..usual.rate };
        let account = Account { base_url: self.base_url.clone(), version: self.version.clone(), rate, ..usual };
        let webhook = WhatsAppWebhook { secrets, verify_token };
        let terms = terms(&self.templates, self.rates.as_ref(), self.monthly_cap.as_deref())?;
        Ok(Some(WhatsAppAccount { account, business: self.business.clone(), webhook, terms }))
    }

    /// The terms on which messages of the account leave, by its name; empty without an account.
    pub(crate) fn policies(&self) -> Result<AccountPolicies, String> {
        let policy = terms(&self.templates, self.rates.as_ref(), self.monthly_cap.as_deref())?;
        Ok(AccountPolicies(self.account.iter().map(|account| (account.clone(), policy.clone())).collect()))
    }

    /// The secrets, with the one before up to its end. Without an end it would hold for ever, and whoever leaked it could sign.
    fn with_previous(&self, secrets: AppSecrets) -> Result<AppSecrets, String> {
        const KEY: &str = "whatsapp.previous_app_secret";
        let (value, file) = (self.previous_app_secret.as_ref(), self.previous_app_secret_file.as_deref());
        let is_given = value.is_some() || file.is_some();
        let until = match &self.previous_app_secret_until {
            Some(until) if is_given => until,
            Some(_) => return Err(format!("{KEY}_until is set and {KEY} is missing; give both, or neither")),
            None if is_given => {
                return Err(format!(
                    "{KEY} is set and {KEY}_until is missing; write when it ends: a date or an instant, such as \
                     2026-12-01 or 2026-12-01T09:00:00-03:00"
                ));
            }
            None => return Ok(secrets),
        };
        let until = self.previous_until().ok_or_else(|| {
            format!(
                "{KEY}_until `{until}` is neither a date nor an instant with its offset; write one such as 2026-12-01 or \
                 2026-12-01T09:00:00-03:00"
            )
        })?;
        let previous = secret_of("whatsapp", "account", "previous_app_secret", value, file)?;
        secrets.with_previous(previous, until).map_err(|error| format!("{KEY}: {}", error_chain(&error)))
    }

    /// When the app secret before ends, if that can be read.
    pub(crate) fn previous_until(&self) -> Option<Timestamp> {
        let until = self.previous_app_secret_until.as_ref()?;
        // A date and nothing more: a time without an offset would be dropped, and the secret end hours before.
        let date = || Some(until).filter(|until| until.len() == "2026-12-01".len())?.parse::<Date>().ok();
        let midnight = || Some(date()?.to_zoned(TimeZone::UTC).ok()?.timestamp());
        until.parse::<Timestamp>().ok().or_else(midnight)
    }

    /// Numbers and what they may be.
    pub(super) fn ranges(&self) -> [(&'static str, u64, u64, u64); 1] {
        [("whatsapp.messages_per_second", u64::from(self.messages_per_second), 1, 1_000)]
    }

    pub(super) fn rows(&self, row: &mut impl FnMut(&str, String)) {
        let none = || "(none)".to_owned();
        row("whatsapp.account", self.account.clone().unwrap_or_else(none));
        row("whatsapp.business", self.business.clone().unwrap_or_else(|| "(any)".to_owned()));
        row("whatsapp.base_url", self.base_url.clone());
        row("whatsapp.version", self.version.clone());
        let templates = self.templates.iter().map(|(purpose, one)| format!("{purpose:?}: {}", one.name));
        let templates: Vec<String> = templates.collect();
        row("whatsapp.templates", if templates.is_empty() { none() } else { templates.join(", ") });
        row("whatsapp.rates", if self.rates.is_some() { "set" } else { "(not metered)" }.to_owned());
        row("whatsapp.monthly_cap", self.monthly_cap.clone().unwrap_or_else(none));
        row("whatsapp.messages_per_second", self.messages_per_second.to_string());
        row("whatsapp.previous_app_secret_until", self.previous_app_secret_until.clone().unwrap_or_else(none));
        for (key, value, file) in [
            ("whatsapp.token", &self.token, &self.token_file),
            ("whatsapp.app_secret", &self.app_secret, &self.app_secret_file),
            ("whatsapp.previous_app_secret", &self.previous_app_secret, &self.previous_app_secret_file),
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

/// A date or an instant, as a text or as TOML writes them without quotes.
fn moment<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let value = Value::deserialize(from)?;
    let text = value.as_str().map(str::to_owned);
    let text = text.or_else(|| value.as_datetime().map(ToString::to_string));
    let expected = "a date or an instant is expected, such as 2026-12-01 or 2026-12-01T09:00:00-03:00";
    text.map(Some).ok_or_else(|| D::Error::custom(expected))
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
            let text = std::fs::read_to_string(file).map_err(|error| {
                format!("{section}.{key}_file {}: {}", file.display(), crate::files::reason(&error))
            })?;
            Ok(SecretString::from(text.trim().to_owned()))
        }
        (None, None) => Err(format!(
            "{section}.{why} is set and {section}.{key} is missing; give it by BALCAO__{}__{} or {section}.{key}_file",
            section.to_uppercase(),
            key.to_uppercase()
        )),
    }
}

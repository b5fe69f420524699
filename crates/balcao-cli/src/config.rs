//! Configuration: `balcao.toml`, then the environment (`BALCAO__SECTION__KEY`, and `BALCAO_DATABASE_URL`). Read once, at the
//! start.
//!
//! Every mistake names its place: the file with line and the nearest key, or the variable. Secrets come from the
//! environment, a file, or the configuration, and are never shown.

mod chat;
mod database;
mod email;
mod embedding;
mod evolution;
mod google;
pub(crate) mod handoffs;
mod packs;
mod retention;
mod serve;
mod service_key;
mod telemetry;
mod terms;
mod transcription;
pub(crate) mod webhooks;

use std::time::Duration;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use balcao_app::context::budgets::FileBudgets;
use balcao_llm::{
    detect::{ProviderConfig, ProviderKind},
    price::{Price, parse_usd},
};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use toml::{Table, Value};

use crate::output::Failure;
pub(crate) use chat::{ChatConfig, ChatSettings};
use database::DatabaseConfig;
pub(crate) use email::EmailConfig;
pub(crate) use evolution::{EvolutionAccount, EvolutionConfig};
pub(crate) use google::GoogleConfig;
#[cfg(feature = "google-calendar")]
pub(crate) use google::OAuthClient;
use handoffs::HandoffsConfig;
pub(crate) use packs::{AccountConfig, PacksConfig};
use retention::RetentionConfig;
pub(crate) use serve::{ServerConfig, WhatsAppAccount, WhatsAppConfig};
pub(crate) use telemetry::{LogConfig, LogFormat, TelemetryConfig};
pub(crate) use transcription::TranscriptionConfig;
use webhooks::WebhookConfig;

/// The file that is read if none is named.
pub(crate) const DEFAULT_FILE: &str = "balcao.toml";
const PREFIX: &str = "BALCAO__";

/// The whole configuration.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Config {
    pub(crate) database: DatabaseConfig,
    pub(crate) organization: OrganizationConfig,
    pub(crate) agents: AgentsConfig,
    pub(crate) model: ModelConfig,
    pub(crate) server: ServerConfig,
    pub(crate) whatsapp: WhatsAppConfig,
    pub(crate) chat: ChatConfig,
    pub(crate) transcription: TranscriptionConfig,
    pub(crate) evolution: EvolutionConfig,
    pub(crate) email: EmailConfig,
    pub(crate) handoffs: HandoffsConfig,
    pub(crate) embedding: embedding::EmbeddingConfig,
    pub(crate) retention: RetentionConfig,
    pub(crate) log: LogConfig,
    pub(crate) telemetry: TelemetryConfig,
    pub(crate) webhooks: Vec<WebhookConfig>,
    pub(crate) packs: PacksConfig,
    pub(crate) google: GoogleConfig,
    /// Every secret in it and in the environment, so that no log shows one.
    #[serde(skip)]
    pub(crate) secrets: Vec<SecretString>,
    #[serde(skip)]
    origins: BTreeMap<String, String>,
}

/// Which business of the database is served.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct OrganizationConfig {
    /// Its short name; needed only if there are several.
    pub(crate) slug: Option<String>,
}

/// Agent profiles.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct AgentsConfig {
    /// Their folder.
    pub(crate) dir: PathBuf,
    /// The one that answers if none is named.
    pub(crate) profile: String,
    /// How often each of staff may ask an assistant within an hour.
    pub(crate) questions_per_hour: u32,
}

impl Default for AgentsConfig {
    fn default() -> Self {
        Self { dir: PathBuf::from("agents"), profile: "eli".to_owned(), questions_per_hour: 20 }
    }
}

/// How models are asked.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ModelConfig {
    /// Attempts per provider, the first included.
    pub(crate) attempts: u32,
    /// One call, in seconds.
    pub(crate) timeout_s: u64,
    /// Until the first piece of the answer, in seconds.
    pub(crate) first_token_s: u64,
    /// Between two pieces of the answer, in seconds.
    pub(crate) stall_s: u64,
    /// Tried in order.
    pub(crate) providers: Vec<ProviderEntry>,
}

impl Default for ModelConfig {
    fn default() -> Self {
        Self { attempts: 2, timeout_s: 30, first_token_s: 20, stall_s: 10, providers: Vec::new() }
    }
}

/// One provider.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProviderEntry {
    /// How profiles and `--model` name it.
    pub(crate) name: String,
    /// `openai`, `anthropic`, `gemini`, `groq`, `openrouter`, `mistral`, `deepseek`, `xai`, `ollama`, `compatible`.
    pub(crate) kind: String,
    /// The service's address; needed for `compatible`.
    #[serde(default)]
    pub(crate) base_url: Option<String>,
    /// The model.
    #[serde(default)]
    pub(crate) model: Option<String>,
    /// The key. Better: `api_key_file`.
    #[serde(default)]
    pub(crate) api_key: Option<SecretString>,
    /// A file that holds the key.
    #[serde(default)]
    pub(crate) api_key_file: Option<PathBuf>,
    /// US dollars per million input tokens.
    #[serde(default)]
    pub(crate) price_input_usd: Option<String>,
    /// US dollars per million cached input tokens; without it the price of input.
    #[serde(default)]
    pub(crate) price_cached_input_usd: Option<String>,
    /// US dollars per million output tokens.
    #[serde(default)]
    pub(crate) price_output_usd: Option<String>,
}

impl ProviderEntry {
    /// What the model crate builds a provider from.
    pub(crate) fn provider(&self, model: &ModelConfig) -> Result<ProviderConfig, String> {
        let at = |what: String| format!("model.providers `{}`: {what}", self.name);
        let kind: ProviderKind = self.kind.parse().map_err(|error| at(format!("{error}")))?;
        let mut config = ProviderConfig::new(kind);
        config.name = Some(self.name.clone());
        config.base_url.clone_from(&self.base_url);
        config.model.clone_from(&self.model);
        config.key = self.key().map_err(at)?;
        config.price = self.price().map_err(at)?;
        model.apply(&mut config);
        Ok(config)
    }

    fn key(&self) -> Result<Option<SecretString>, String> {
        match (&self.api_key, &self.api_key_file) {
            (Some(_), Some(_)) => Err("give api_key or api_key_file, not both".to_owned()),
            (Some(key), None) => Ok(Some(key.clone())),
            (None, Some(file)) => {
                let text = std::fs::read_to_string(file)
                    .map_err(|error| format!("api_key_file {}: {}", file.display(), crate::files::reason(&error)))?;
                Ok(Some(SecretString::from(text.trim().to_owned())))
            }
            (None, None) => Ok(None),
        }
    }

    fn price(&self) -> Result<Option<Price>, String> {
        let read =
            |text: &Option<String>| text.as_deref().map(parse_usd).transpose().map_err(|error| error.to_string());
        match (read(&self.price_input_usd)?, read(&self.price_output_usd)?) {
            (None, None) => Ok(None),
            (Some(input), Some(output)) => {
                Ok(Some(Price { input, cached_input: read(&self.price_cached_input_usd)?.unwrap_or(input), output }))
            }
            (None, Some(_)) | (Some(_), None) => Err("give price_input_usd and price_output_usd together".to_owned()),
        }
    }
}

impl ModelConfig {
    /// Sets the clocks of a provider.
    pub(crate) fn apply(&self, config: &mut ProviderConfig) {
        config.clocks.whole = Duration::from_secs(self.timeout_s);
        config.clocks.first_token = Duration::from_secs(self.first_token_s);
        config.clocks.stall = Duration::from_secs(self.stall_s);
    }
}

/// One effective value.
pub(crate) struct ShownValue {
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) origin: String,
}

impl Config {
    /// Where a shown value comes from: its key, the key of the file that holds it, or the list that it is an entry of.
    fn origin(&self, key: &str) -> String {
        let within = std::iter::successors(Some(key), |key| Some(key.rsplit_once('.')?.0));
        let mut set = within.flat_map(|key| [key.to_owned(), format!("{key}_file")]);
        set.find_map(|key| self.origins.get(&key).cloned()).unwrap_or_else(|| "default".to_owned())
    }

    /// What files may take.
    pub(crate) fn file_budgets(&self) -> FileBudgets {
        let bytes = |mib: u32| u64::from(mib) << 20;
        FileBudgets {
            visitors_day: bytes(self.chat.files_mib_day),
            contact_day: bytes(self.server.files_mib_contact_day),
            least_free_percent: self.server.least_free_disk_percent,
        }
    }

    /// All effective values with their origin; secrets are masked.
    pub(crate) fn rows(&self) -> Vec<ShownValue> {
        let mut rows = Vec::new();
        let mut row = |key: &str, value: String| {
            rows.push(ShownValue { key: key.to_owned(), value, origin: self.origin(key) });
        };
        self.database.rows(&mut row);
        row("organization.slug", self.organization.slug.clone().unwrap_or_else(|| "(the only one)".to_owned()));
        row("agents.dir", self.agents.dir.display().to_string());
        row("agents.profile", self.agents.profile.clone());
        row("agents.questions_per_hour", self.agents.questions_per_hour.to_string());
        row("model.attempts", self.model.attempts.to_string());
        row("model.timeout_s", self.model.timeout_s.to_string());
        row("model.first_token_s", self.model.first_token_s.to_string());
        row("model.stall_s", self.model.stall_s.to_string());
        self.server.rows(&mut row);
        self.whatsapp.rows(&mut row);
        self.chat.rows(&mut row);
        self.transcription.rows(&mut row);
        self.evolution.rows(&mut row);
        self.email.rows(&mut row);
        self.handoffs.rows(&mut row);
        self.embedding.rows(&mut row);
        self.retention.rows(&mut row);
        self.log.rows(&mut row);
        self.telemetry.rows(&mut row);
        self.packs.rows(&mut row);
        self.google.rows(&mut row);
        for one in &self.webhooks {
            row(&format!("webhooks.{}", one.name), one.shown());
        }
        for one in &self.model.providers {
            let key = match (&one.api_key, &one.api_key_file) {
                (Some(key), _) if !key.expose_secret().is_empty() => "key ********".to_owned(),
                (_, Some(file)) => format!("key in {}", file.display()),
                _ => "no key".to_owned(),
            };
            let model = one.model.as_deref().unwrap_or("its usual model");
            let base = one.base_url.as_deref().unwrap_or("its usual address");
            let value = format!("{} {model} at {base}, {key}", one.kind);
            row(&format!("model.providers.{}", one.name), value);
        }
        rows
    }
}

/// Reads the file (the named one, else `balcao.toml` if there is one) and the environment.
pub(crate) fn load(file: Option<&Path>, environment: &BTreeMap<String, String>) -> Result<Config, Failure> {
    let default = Path::new(DEFAULT_FILE);
    let (name, text) = match file {
        Some(named) => {
            let text = crate::files::read_text(named)?;
            (named.display().to_string(), text)
        }
        None if default.exists() => {
            let text = crate::files::read_text(default)?;
            (DEFAULT_FILE.to_owned(), text)
        }
        None => (DEFAULT_FILE.to_owned(), String::new()),
    };
    let mut config = parse(&name, &text, environment).map_err(Failure::usage)?;
    // What a file names is meant from where the file is, wherever the command is run.
    let from_file = |key: &str, config: &Config| config.origins.get(key).is_none_or(|origin| *origin == name);
    if let Some(folder) = Path::new(&name).parent().filter(|folder| !folder.as_os_str().is_empty()) {
        if from_file("database.path", &config) && config.database.path != ":memory:" {
            config.database.path = folder.join(&config.database.path).display().to_string();
        }
        if from_file("database.url_file", &config) {
            config.database.url_file = config.database.url_file.take().map(|file| folder.join(file));
        }
        if from_file("agents.dir", &config) {
            config.agents.dir = folder.join(&config.agents.dir);
        }
        let origins = config.origins.clone();
        let is_from_file = |key: &str| origins.get(key).is_none_or(|origin| *origin == name);
        config.packs.seen_from(folder, is_from_file);
        config.google.seen_from(folder, is_from_file);
    }
    Ok(config)
}

/// Reads a file's text and the environment over it.
fn parse(name: &str, text: &str, environment: &BTreeMap<String, String>) -> Result<Config, String> {
    let file_only: Config = toml::from_str(text).map_err(|error| in_file(name, &error))?;
    let mut table: Table = text.parse().map_err(|error: toml::de::Error| in_file(name, &error))?;
    let mut origins = BTreeMap::new();
    for (section, value) in &table {
        match value.as_table() {
            Some(keys) => origins.extend(keys.keys().map(|key| (format!("{section}.{key}"), name.to_owned()))),
            // A list of entries, such as `[[webhooks]]`.
            None => drop(origins.insert(section.clone(), name.to_owned())),
        }
    }
    let mut config = file_only;
    for (variable, value) in environment.iter().filter(|(variable, _)| variable.starts_with(PREFIX)) {
        let path = variable.trim_start_matches(PREFIX).to_lowercase();
        let Some((section, key)) = path.split_once("__") else {
            return Err(format!("{variable}: write {PREFIX}SECTION__KEY, for example {PREFIX}DATABASE__PATH"));
        };
        let entry = table.entry(section.to_owned()).or_insert_with(|| Value::Table(Table::new()));
        let Some(keys) = entry.as_table_mut() else {
            return Err(format!("{variable}: invalid section `{section}`; expected a table"));
        };
        overlay(keys, key, value);
        config = Config::deserialize(table.clone())
            .map_err(|error| with_suggestion(&format!("{variable}: {}", error.message())))?;
        origins.insert(format!("{section}.{key}"), format!("environment, {variable}"));
    }
    if let Some(url) = environment.get(database::VARIABLE) {
        config.database.url = Some(SecretString::from(url.clone()));
        config.database.url_file = None;
        origins.insert("database.url".to_owned(), format!("environment, {}", database::VARIABLE));
    }
    config.origins = origins;
    config.secrets = telemetry::secrets(&table, environment);
    config.packs.organization.clone_from(&config.organization.slug);
    config.secrets.extend(config.packs.take_up(environment));
    config.secrets.extend(config.embedding.take_up(environment));
    config.packs.embedding = config.embedding.clone();
    check_ranges(&config)?;
    Ok(config)
}

/// Numbers that no clock or loop can take are mistakes, not settings.
fn check_ranges(config: &Config) -> Result<(), String> {
    let model = &config.model;
    let rows = [
        ("model.attempts", u64::from(model.attempts), 1, 10),
        ("model.timeout_s", model.timeout_s, 1, 3_600),
        ("model.first_token_s", model.first_token_s, 1, 3_600),
        ("model.stall_s", model.stall_s, 1, 3_600),
    ];
    config.server.check()?;
    for (key, value, low, high) in rows
        .into_iter()
        .chain(config.server.ranges())
        .chain(config.whatsapp.ranges())
        .chain(config.chat.ranges())
        .chain(config.transcription.ranges())
        .chain(config.packs.ranges())
        .chain(config.embedding.ranges())
    {
        if !(low..=high).contains(&value) {
            let origin = config.origins.get(key).map_or("default", String::as_str);
            return Err(format!("{origin}: {key} is {value}; it may be {low} to {high}"));
        }
    }
    config.retention.check()?;
    config.packs.check()?;
    config.google.check()?;
    if config.database.path.is_empty() {
        return Err("database.path is empty; name a file, or `:memory:`".to_owned());
    }
    Ok(())
}

/// Keys that want text, also where it looks like a number.
const TEXTS: [&str; 29] = [
    "client_id",
    "client_secret",
    "subject",
    "folder",
    "instance",
    "public_url",
    "quiet_from",
    "quiet_until",
    "monthly_cap",
    "path",
    "url",
    "slug",
    "dir",
    "profile",
    "listen",
    "metrics_listen",
    "account",
    "business",
    "base_url",
    "version",
    "token",
    "app_secret",
    "previous_app_secret",
    "previous_app_secret_until",
    "secret",
    "verify_token",
    "level",
    "otlp_endpoint",
    "service_name",
];

/// Puts a variable's text where its key is: as text where the file has or wants text, else as the TOML value that it spells.
fn overlay(keys: &mut Table, key: &str, value: &str) {
    let spelled = format!("value = {value}").parse::<Table>().ok().and_then(|table| table.get("value").cloned());
    let typed = match spelled {
        Some(found) if !found.is_str() && !TEXTS.contains(&key) => found,
        Some(found) if found.is_str() => found,
        _ => Value::String(value.to_owned()),
    };
    keys.insert(key.to_owned(), typed);
}

fn in_file(name: &str, error: &toml::de::Error) -> String {
    with_suggestion(&format!("{name}: {error}"))
}

/// The parser says "unknown field `x`, expected one of `a`, `b`": offers the nearest.
fn with_suggestion(message: &str) -> String {
    let Some((_, names)) = message.split_once("unknown field ") else { return message.to_owned() };
    let mut names = names.split('`').skip(1).step_by(2);
    let near = names.next().and_then(|wrong| balcao_yaml::nearest(wrong, names));
    near.map_or_else(|| message.to_owned(), |name| format!("{}\ndid you mean `{name}`?", message.trim_end()))
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;

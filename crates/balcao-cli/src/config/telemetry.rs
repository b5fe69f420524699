//! What the program tells of itself: `[log]` and `[telemetry]`; and the secrets that it must not tell.

use std::collections::BTreeMap;

use secrecy::SecretString;
use serde::Deserialize;
use toml::{Table, Value};

/// How log lines look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// The log, on standard error.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LogConfig {
    /// How lines look.
    pub(crate) format: LogFormat,
    /// `error`, `warn`, `info`, `debug`, `trace`, or directives such as `balcao_app=debug,warn`. `-v` and `BALCAO_LOG` go before it.
    pub(crate) level: Option<String>,
}

impl LogConfig {
    pub(super) fn rows(&self, row: &mut impl FnMut(&str, String)) {
        let format = match self.format {
            LogFormat::Text => "text",
            LogFormat::Json => "json",
        };
        row("log.format", format.to_owned());
        row("log.level", self.level.clone().unwrap_or_else(|| "(warn for serve, else error)".to_owned()));
    }
}

/// Traces.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TelemetryConfig {
    /// Where a collector takes OTLP over HTTP, without `/v1/traces`. `OTEL_EXPORTER_OTLP_ENDPOINT` goes before it.
    pub(crate) otlp_endpoint: Option<String>,
    /// How this service is called there. `OTEL_SERVICE_NAME` goes before it.
    pub(crate) service_name: String,
    /// Whether spans hold what was said: prompts, messages, arguments and results of tools.
    pub(crate) capture_content: bool,
}

impl Default for TelemetryConfig {
    fn default() -> Self {
        Self { otlp_endpoint: None, service_name: "balcao".to_owned(), capture_content: false }
    }
}

impl TelemetryConfig {
    pub(super) fn rows(&self, row: &mut impl FnMut(&str, String)) {
        row("telemetry.otlp_endpoint", self.otlp_endpoint.clone().unwrap_or_else(|| "(none)".to_owned()));
        row("telemetry.service_name", self.service_name.clone());
        row("telemetry.capture_content", self.capture_content.to_string());
    }
}

/// Every secret of the configuration (by the names of its keys, also those in files) and of the environment.
pub(super) fn secrets(table: &Table, environment: &BTreeMap<String, String>) -> Vec<SecretString> {
    let mut found = Vec::new();
    collect(&Value::Table(table.clone()), &mut found);
    let named = environment.iter().filter(|(name, _)| is_secret(&name.to_lowercase()));
    found.extend(named.map(|(_, value)| value.clone()));
    let pointed = table.get("webhooks").and_then(Value::as_array).into_iter().flatten();
    let pointed = pointed.filter_map(|one| environment.get(one.get("secret_env")?.as_str()?));
    found.extend(pointed.cloned());
    let passwords: Vec<String> = found.iter().filter_map(|text| password(text)).collect();
    found.extend(passwords);
    found.into_iter().map(|text| SecretString::from(text.trim().to_owned())).collect()
}

fn is_secret(name: &str) -> bool {
    ["key", "token", "secret", "password", "database_url", "headers"].iter().any(|end| name.ends_with(end))
        || name == "url"
}

fn collect(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Table(table) => {
            for (name, value) in table {
                match (value.as_str(), name.strip_suffix("_file")) {
                    (Some(text), None) if is_secret(name) => into.push(text.to_owned()),
                    (Some(file), Some(name)) if is_secret(name) => into.extend(std::fs::read_to_string(file)),
                    _ => collect(value, into),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|one| collect(one, into)),
        Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {}
    }
}

/// The password in an address.
fn password(address: &str) -> Option<String> {
    let (_, rest) = address.split_once("://")?;
    let (login, _) = rest.rsplit_once('@')?;
    login.split_once(':').map(|(_, password)| password.to_owned())
}

//! Builds a provider from configuration values, or from the environment that it is handed.
//!
//! Nothing here reads the environment: `balcao-cli` does that once. Retrying and fallbacks are the caller's to add.

use std::{collections::BTreeMap, fmt, str::FromStr};

use secrecy::SecretString;

use crate::{
    http::{Clocks, Sizes},
    price::Price,
    provider::ChatProvider,
    providers::{
        Service,
        anthropic::Anthropic,
        gemini::Gemini,
        openai::{Dialect, OpenAi},
    },
};

/// The services that we speak to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProviderKind {
    /// OpenAI.
    OpenAi,
    /// Anthropic.
    Anthropic,
    /// Google's Gemini API.
    Gemini,
    /// Groq.
    Groq,
    /// `OpenRouter`.
    OpenRouter,
    /// Mistral.
    Mistral,
    /// `DeepSeek`.
    DeepSeek,
    /// xAI.
    Xai,
    /// Ollama, here or elsewhere.
    Ollama,
    /// Any other service that speaks OpenAI's chat completions; needs `base_url` and `model`.
    Compatible,
}

/// What is known of a service before it is configured.
struct Facts {
    kind: ProviderKind,
    name: &'static str,
    base_url: &'static str,
    model: &'static str,
    /// Variables that decide for it, in order.
    variables: &'static [&'static str],
    needs_key: bool,
}

/// In the order in which the environment is searched: a key that is paid for comes before a local service.
const SERVICES: [Facts; 10] = [
    Facts {
        kind: ProviderKind::OpenAi,
        name: "openai",
        base_url: "https://api.openai.com/v1",
        model: "gpt-4.1-mini",
        variables: &["OPENAI_API_KEY"],
        needs_key: true,
    },
    Facts {
        kind: ProviderKind::Anthropic,
        name: "anthropic",
        base_url: "https://api.anthropic.com",
        model: "claude-haiku-4-5",
        variables: &["ANTHROPIC_API_KEY"],
        needs_key: true,
    },
    Facts {
        kind: ProviderKind::Gemini,
        name: "gemini",
        base_url: "https://generativelanguage.googleapis.com/v1beta",
        model: "gemini-2.5-flash",
        variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        needs_key: true,
    },
    Facts {
        kind: ProviderKind::Groq,
        name: "groq",
        base_url: "https://api.groq.com/openai/v1",
        model: "openai/gpt-oss-120b",
        variables: &["GROQ_API_KEY"],
        needs_key: true,
    },
    Facts {
        kind: ProviderKind::OpenRouter,
        name: "openrouter",
        base_url: "https://openrouter.ai/api/v1",
        model: "openai/gpt-4.1-mini",
        variables: &["OPENROUTER_API_KEY"],
        needs_key: true,
    },
    Facts {
        kind: ProviderKind::Mistral,
        name: "mistral",
        base_url: "https://api.mistral.ai/v1",
        model: "mistral-small-latest",
        variables: &["MISTRAL_API_KEY"],
        needs_key: true,
    },
    Facts {
        kind: ProviderKind::DeepSeek,
        name: "deepseek",
        base_url: "https://api.deepseek.com/v1",
        model: "deepseek-chat",
        variables: &["DEEPSEEK_API_KEY"],
        needs_key: true,
    },
    Facts {
        kind: ProviderKind::Xai,
        name: "xai",
        base_url: "https://api.x.ai/v1",
        model: "grok-3-mini",
        variables: &["XAI_API_KEY"],
        needs_key: true,
    },
    Facts {
        kind: ProviderKind::Ollama,
        name: "ollama",
        base_url: "http://127.0.0.1:11434/v1",
        model: "qwen3:8b",
        variables: &["OLLAMA_HOST"],
        needs_key: false,
    },
    Facts {
        kind: ProviderKind::Compatible,
        name: "compatible",
        base_url: "",
        model: "",
        variables: &[],
        needs_key: false,
    },
];

impl ProviderKind {
    fn facts(self) -> Option<&'static Facts> {
        SERVICES.iter().find(|facts| facts.kind == self)
    }

    /// The name in configuration files: `openai`, `anthropic`, …
    #[must_use]
    pub fn name(self) -> &'static str {
        self.facts().map_or("", |facts| facts.name)
    }
}

impl fmt::Display for ProviderKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ProviderKind {
    type Err = ConfigError;

    fn from_str(written: &str) -> Result<Self, ConfigError> {
        let found = SERVICES.iter().find(|facts| facts.name == written);
        found.map(|facts| facts.kind).ok_or_else(|| ConfigError::UnknownKind { written: written.to_owned() })
    }
}

/// Why a provider cannot be built from its configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// No such kind.
    #[error("unknown provider {written:?}; expected one of {}", SERVICES.map(|facts| facts.name).join(", "))]
    UnknownKind {
        /// What was written.
        written: String,
    },
    /// A value that this kind cannot do without.
    #[error("{kind} needs {what}")]
    Missing {
        /// The kind.
        kind: ProviderKind,
        /// `base_url`, `model` or `key`.
        what: &'static str,
    },
    /// The address is none.
    #[error("invalid base_url {written:?} of {kind}; expected an address with http or https")]
    BaseUrl {
        /// The kind.
        kind: ProviderKind,
        /// What was written.
        written: String,
    },
    /// The HTTP client could not be built.
    #[error("no HTTP client for {kind}")]
    Client {
        /// The kind.
        kind: ProviderKind,
        /// Why not.
        #[source]
        source: reqwest::Error,
    },
}

/// How a provider is configured. Only `kind` is needed where the kind has defaults.
#[derive(Debug, Clone)]
pub struct ProviderConfig {
    /// Which service.
    pub kind: ProviderKind,
    /// The name in records; the kind's if none.
    pub name: Option<String>,
    /// Where the API begins; the service's own if none.
    pub base_url: Option<String>,
    /// The model; a default of the kind if none.
    pub model: Option<String>,
    /// The key.
    pub key: Option<SecretString>,
    /// What the model costs.
    pub price: Option<Price>,
    /// How long a call may take.
    pub clocks: Clocks,
    /// How much of an answer is read.
    pub sizes: Sizes,
}

impl ProviderConfig {
    /// A configuration with the kind's defaults.
    #[must_use]
    pub fn new(kind: ProviderKind) -> Self {
        Self {
            kind,
            name: None,
            base_url: None,
            model: None,
            key: None,
            price: None,
            clocks: Clocks::default(),
            sizes: Sizes::default(),
        }
    }

    /// Builds the provider. Nothing is sent.
    ///
    /// # Errors
    /// [`ConfigError`] says what is missing or wrong.
    pub fn build(self) -> Result<Box<dyn ChatProvider>, ConfigError> {
        let kind = self.kind;
        let (default_url, default_model, needs_key) =
            kind.facts().map_or(("", "", false), |facts| (facts.base_url, facts.model, facts.needs_key));
        let missing = |what| ConfigError::Missing { kind, what };
        let given = |value: Option<String>, default: &str| {
            value.filter(|value| !value.trim().is_empty()).or_else(|| (!default.is_empty()).then(|| default.to_owned()))
        };
        let base_url = given(self.base_url, default_url).ok_or_else(|| missing("base_url"))?;
        let is_address =
            reqwest::Url::parse(&base_url).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        if !is_address {
            return Err(ConfigError::BaseUrl { kind, written: base_url });
        }
        if needs_key && self.key.is_none() {
            return Err(missing("key"));
        }
        let service = Service {
            name: given(self.name, kind.name()).unwrap_or_default(),
            base_url,
            model: given(self.model, default_model).ok_or_else(|| missing("model"))?,
            key: self.key,
            price: self.price,
            clocks: self.clocks,
            sizes: self.sizes,
        };
        let client = |source| ConfigError::Client { kind, source };
        let dialect = match kind {
            ProviderKind::Anthropic => return Ok(Box::new(Anthropic::new(service).map_err(client)?)),
            ProviderKind::Gemini => return Ok(Box::new(Gemini::new(service).map_err(client)?)),
            ProviderKind::OpenAi => Dialect::OPENAI,
            ProviderKind::Groq => Dialect::GROQ,
            ProviderKind::Mistral => Dialect::MISTRAL,
            ProviderKind::DeepSeek => Dialect::DEEPSEEK,
            ProviderKind::OpenRouter | ProviderKind::Xai | ProviderKind::Ollama | ProviderKind::Compatible => {
                Dialect::COMPATIBLE
            }
        };
        Ok(Box::new(OpenAi::new(service, dialect).map_err(client)?))
    }
}

/// What an environment gives.
#[derive(Debug, Clone)]
pub struct Detected {
    /// The configuration, ready to build.
    pub config: ProviderConfig,
    /// The variable that decided, for the message to the operator.
    pub variable: &'static str,
}

/// The provider that an environment asks for: the first variable that is set and not blank, in the order OpenAI, Anthropic,
/// Gemini, Groq, `OpenRouter`, Mistral, `DeepSeek`, xAI, Ollama. `OPENAI_BASE_URL` goes with `OPENAI_API_KEY`.
#[must_use]
pub fn from_environment(variables: &BTreeMap<String, String>) -> Option<Detected> {
    let value = |name: &str| variables.get(name).map(|value| value.trim()).filter(|value| !value.is_empty());
    for facts in &SERVICES {
        for variable in facts.variables {
            let Some(found) = value(variable) else { continue };
            let mut config = ProviderConfig::new(facts.kind);
            if facts.kind == ProviderKind::Ollama {
                config.base_url = Some(ollama_url(found));
            } else {
                config.key = Some(SecretString::from(found.to_owned()));
            }
            if facts.kind == ProviderKind::OpenAi {
                config.base_url = value("OPENAI_BASE_URL").map(str::to_owned);
            }
            return Some(Detected { config, variable });
        }
    }
    None
}

/// `OLLAMA_HOST` as Ollama reads it: scheme and port may be missing; `0.0.0.0` is where it listens, not where to ask.
fn ollama_url(host: &str) -> String {
    let (scheme, rest) = host.split_once("://").unwrap_or(("http", host));
    let rest = rest.trim_end_matches('/').replace("0.0.0.0", "127.0.0.1");
    let has_port =
        rest.rsplit_once(':').is_some_and(|(_, port)| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()));
    let port = if has_port || scheme == "https" { "" } else { ":11434" };
    format!("{scheme}://{rest}{port}/v1")
}

#[cfg(test)]
#[path = "detect_tests.rs"]
mod tests;

//! How texts become vectors, for search by meaning: `[embedding]`.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc, time::Duration};

use balcao_llm::embed::{Embedder, EmbeddingConfig as Service, OpenAiEmbedder};
use secrecy::SecretString;
use serde::Deserialize;

use super::service_key;
use crate::output::chain;

/// A service that speaks OpenAI's protocol. Without `model` there is none, and search goes by words alone.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct EmbeddingConfig {
    /// Where it answers, version included.
    pub(crate) base_url: String,
    /// Its model.
    pub(crate) model: Option<String>,
    /// The environment variable that holds its key.
    pub(crate) api_key_env: Option<String>,
    /// A file that holds its key.
    pub(crate) api_key_file: Option<PathBuf>,
    /// One request, in seconds.
    pub(crate) timeout_s: u64,
    /// What the environment says under `api_key_env`.
    #[serde(skip)]
    key: Option<SecretString>,
}

impl Default for EmbeddingConfig {
    fn default() -> Self {
        Self {
            base_url: "https://api.openai.com/v1".to_owned(),
            model: None,
            api_key_env: None,
            api_key_file: None,
            timeout_s: 5,
            key: None,
        }
    }
}

impl EmbeddingConfig {
    /// Takes the key from the environment, and gives it, so that no log shows it.
    pub(super) fn take_up(&mut self, environment: &BTreeMap<String, String>) -> Option<SecretString> {
        let key = environment.get(self.api_key_env.as_ref()?)?.trim();
        self.key = (!key.is_empty()).then(|| SecretString::from(key.to_owned()));
        self.key.clone()
    }

    /// The service, ready to be asked; `None` if none is configured.
    ///
    /// # Errors
    /// What to mend in the configuration.
    pub(crate) fn read(&self) -> Result<Option<Arc<dyn Embedder>>, String> {
        let Some(model) = &self.model else { return Ok(None) };
        let (named, file) = (self.api_key_env.as_deref(), self.api_key_file.as_deref());
        let key = service_key::read("embedding", named, file, |_name| self.key.clone())?;
        let service = Service {
            base_url: self.base_url.clone(),
            model: model.clone(),
            key,
            within: Duration::from_secs(self.timeout_s),
        };
        let built = OpenAiEmbedder::new(service).map_err(|error| format!("embedding: {}", chain(&error)))?;
        Ok(Some(Arc::new(built)))
    }

    pub(super) fn ranges(&self) -> [(&'static str, u64, u64, u64); 1] {
        [("embedding.timeout_s", self.timeout_s, 1, 60)]
    }

    pub(super) fn rows(&self, row: &mut impl FnMut(&str, String)) {
        let none = || "(none)".to_owned();
        row("embedding.base_url", self.base_url.clone());
        row("embedding.model", self.model.clone().unwrap_or_else(|| "(none: search goes by words alone)".to_owned()));
        row("embedding.api_key_env", self.api_key_env.clone().unwrap_or_else(none));
        let file = self.api_key_file.as_ref().map(|file| file.display().to_string());
        row("embedding.api_key_file", file.unwrap_or_else(none));
        row("embedding.timeout_s", self.timeout_s.to_string());
    }
}

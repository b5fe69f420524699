//! How texts become vectors, for search by meaning: `[embedding]`.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::Duration,
};

#[cfg(feature = "local-embeddings")]
use balcao_embedding::LocalEmbedder;
use balcao_llm::embed::{Embedder, EmbeddingConfig as Service, OpenAiEmbedder, PrefixedEmbedder, Prefixes};
use secrecy::SecretString;
use serde::Deserialize;

use super::service_key;
use crate::output::error_chain;

/// Where a service answers if no address is given.
const BASE_URL: &str = "https://api.openai.com/v1";
/// Characters of a prefix at most: some models want a sentence.
const MAX_PREFIX: usize = 500;

/// A service that speaks OpenAI's protocol, or a model in a folder. Without `model` and `folder` there is none, and search goes by words
/// alone.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct EmbeddingConfig {
    /// A folder of this machine with a static model, instead of a service.
    pub(crate) folder: Option<PathBuf>,
    /// Where the service answers, version included.
    pub(crate) base_url: Option<String>,
    /// Its model.
    pub(crate) model: Option<String>,
    /// The environment variable that holds its key.
    pub(crate) api_key_env: Option<String>,
    /// A file that holds its key.
    pub(crate) api_key_file: Option<PathBuf>,
    /// What the model wants before what is looked for.
    pub(crate) query_prefix: String,
    /// What it wants before what may be found.
    pub(crate) passage_prefix: String,
    /// One request, in seconds.
    pub(crate) timeout_s: u64,
    /// What the environment says under `api_key_env`.
    #[serde(skip)]
    key: Option<SecretString>,
    /// The folder's model: it is read once, whoever asks.
    #[serde(skip)]
    local: Arc<OnceLock<Arc<dyn Embedder>>>,
}

impl Default for EmbeddingConfig {
    fn default() -> Self {
        Self {
            folder: None,
            base_url: None,
            model: None,
            api_key_env: None,
            api_key_file: None,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            timeout_s: 5,
            key: None,
            local: Arc::default(),
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

    /// What makes vectors, ready to be asked; `None` if nothing is configured. A folder is read when this is first called.
    ///
    /// # Errors
    /// What to mend in the configuration, or in the folder.
    pub(crate) fn read(&self) -> Result<Option<Arc<dyn Embedder>>, String> {
        let prefixes = self.prefixes()?;
        let made: Arc<dyn Embedder> = if self.folder.is_some() {
            self.local()?
        } else if let Some(model) = &self.model {
            Arc::new(self.service(model)?)
        } else if prefixes == Prefixes::default() {
            return Ok(None);
        } else {
            return Err("embedding: a prefix is set and no model: set `model` or `folder`".to_owned());
        };
        Ok(Some(Arc::new(PrefixedEmbedder::new(made, prefixes))))
    }

    fn prefixes(&self) -> Result<Prefixes, String> {
        for (key, prefix) in [("query_prefix", &self.query_prefix), ("passage_prefix", &self.passage_prefix)] {
            let many = prefix.chars().count();
            if many > MAX_PREFIX {
                return Err(format!("embedding.{key} has {many} characters: {MAX_PREFIX} are the most"));
            }
        }
        Ok(Prefixes { query: self.query_prefix.clone(), passage: self.passage_prefix.clone() })
    }

    fn service(&self, model: &str) -> Result<OpenAiEmbedder, String> {
        let (named, file) = (self.api_key_env.as_deref(), self.api_key_file.as_deref());
        let key = service_key::read("embedding", named, file, |_name| self.key.clone())?;
        let service = Service {
            base_url: self.base_url.clone().unwrap_or_else(|| BASE_URL.to_owned()),
            model: model.to_owned(),
            key,
            within: Duration::from_secs(self.timeout_s),
        };
        OpenAiEmbedder::new(service).map_err(|error| format!("embedding: {}", error_chain(&error)))
    }

    fn local(&self) -> Result<Arc<dyn Embedder>, String> {
        let of_service = [
            ("model", self.model.is_some()),
            ("base_url", self.base_url.is_some()),
            ("api_key_env", self.api_key_env.is_some()),
            ("api_key_file", self.api_key_file.is_some()),
        ];
        if let Some((key, _)) = of_service.iter().find(|(_, set)| *set) {
            let mend = "a folder makes vectors without a service: take one of the two out";
            return Err(format!("embedding: `folder` and `{key}` are both set; {mend}"));
        }
        if let Some(read) = self.local.get() {
            return Ok(Arc::clone(read));
        }
        let read = open(self.folder.as_deref().unwrap_or_else(|| Path::new("")))?;
        Ok(Arc::clone(self.local.get_or_init(|| read)))
    }

    pub(super) fn ranges(&self) -> [(&'static str, u64, u64, u64); 1] {
        [("embedding.timeout_s", self.timeout_s, 1, 60)]
    }

    pub(super) fn rows(&self, row: &mut impl FnMut(&str, String)) {
        let none = || "(none)".to_owned();
        let path = |path: &Option<PathBuf>| path.as_ref().map_or_else(none, |path| path.display().to_string());
        let unset = || if self.folder.is_some() { none() } else { "(none: search goes by words alone)".to_owned() };
        row("embedding.folder", path(&self.folder));
        row("embedding.base_url", self.base_url.clone().unwrap_or_else(|| BASE_URL.to_owned()));
        row("embedding.model", self.model.clone().unwrap_or_else(unset));
        row("embedding.api_key_env", self.api_key_env.clone().unwrap_or_else(none));
        row("embedding.api_key_file", path(&self.api_key_file));
        let prefix = |prefix: &str| if prefix.is_empty() { none() } else { format!("{prefix:?}") };
        row("embedding.query_prefix", prefix(&self.query_prefix));
        row("embedding.passage_prefix", prefix(&self.passage_prefix));
        row("embedding.timeout_s", self.timeout_s.to_string());
    }
}

/// Reads the folder's model.
#[cfg(feature = "local-embeddings")]
fn open(folder: &Path) -> Result<Arc<dyn Embedder>, String> {
    let model = LocalEmbedder::open(folder).map_err(|error| format!("embedding.folder: {}", error_chain(&error)))?;
    Ok(Arc::new(model))
}

/// Refuses: what reads a model is not built in.
#[cfg(not(feature = "local-embeddings"))]
fn open(folder: &Path) -> Result<Arc<dyn Embedder>, String> {
    let place = folder.display();
    Err(format!(
        "embedding.folder: this build reads no model, such as that in {place}; build the program with its feature `local-embeddings`"
    ))
}

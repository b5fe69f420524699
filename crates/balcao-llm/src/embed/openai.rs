//! OpenAI's `/embeddings` and the services that speak it: one request for each batch.

use std::time::Duration;

use async_trait::async_trait;
use reqwest::{Client, Url};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::json;

use super::{Embedder, TextRole};
use crate::failure::Failure;
use crate::{error::ModelError, http};

/// Texts of one request.
const BATCH: usize = 64;
/// Characters of one text that are sent: services refuse what is longer than their model reads.
const MAX_CHARS: usize = 6_000;
/// Largest answer that is read, in bytes: a batch of vectors with 4,096 numbers each, written out.
const MAX_ANSWER: usize = 8 * 1024 * 1024;
/// Numbers of one vector at most.
const MAX_LENGTH: usize = 8_192;
/// Values of one answer at most: a batch of the longest vectors.
const MOST_VALUES: usize = 600_000;

/// How a service is asked.
#[derive(Debug, Clone)]
pub struct EmbeddingConfig {
    /// Where it answers, up to and with the version: `https://api.openai.com/v1`. Only `https`, or `http` on this machine and
    /// to a neighbour on a private network whose name has no dot (`http://ollama:11434/v1`).
    pub base_url: String,
    /// Its model.
    pub model: String,
    /// Its key, if it wants one.
    pub key: Option<SecretString>,
    /// How long one request may take.
    pub within: Duration,
}

/// Why a service cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddingConfigError {
    /// The address is none, or texts and key would travel in the open.
    #[error(
        "invalid base URL `{url}`; expected https:// (http:// on this machine or to a name without a dot), for example https://api.openai.com/v1"
    )]
    BaseUrl {
        /// As given.
        url: String,
    },
    /// There is no model.
    #[error("the model is empty: name one, for example text-embedding-3-small")]
    Model,
    /// The TLS back end or the system's proxy settings cannot be used.
    #[error("no HTTP client could be built")]
    Client(#[source] reqwest::Error),
}

/// A service that speaks OpenAI's protocol. Its `Debug` hides the key.
#[derive(Debug)]
pub struct OpenAiEmbedder {
    client: Client,
    url: Url,
    config: EmbeddingConfig,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Placed>,
}

#[derive(Deserialize)]
struct Placed {
    index: usize,
    embedding: Vec<f32>,
}

impl OpenAiEmbedder {
    /// Checks the configuration. Nothing is sent.
    ///
    /// # Errors
    /// [`EmbeddingConfigError`] says what to mend.
    pub fn new(config: EmbeddingConfig) -> Result<Self, EmbeddingConfigError> {
        let (url, local) = http::endpoint(&config.base_url, "embeddings")
            .ok_or_else(|| EmbeddingConfigError::BaseUrl { url: config.base_url.clone() })?;
        if config.model.trim().is_empty() {
            return Err(EmbeddingConfigError::Model);
        }
        let client = http::client(Duration::from_secs(5), local).map_err(EmbeddingConfigError::Client)?;
        Ok(Self { client, url, config })
    }

    async fn ask(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Failure> {
        let input: Vec<String> = texts.iter().map(|text| shortened(text)).collect();
        let body = json!({"model": self.config.model, "input": input, "encoding_format": "float"});
        let mut request = self.client.post(self.url.clone()).json(&body);
        if let Some(key) = &self.config.key {
            request = request.bearer_auth(key.expose_secret());
        }
        let body = http::answer(request, self.config.within, MAX_ANSWER, "the vectors").await?;
        let answer: Answer = balcao_json::read_as(&body, MOST_VALUES)
            .map_err(|_source| Failure::malformed("the answer holds no vectors"))?;
        ordered(answer.data, texts.len())
    }
}

/// The vectors in the order of their texts: each text has one.
fn ordered(mut data: Vec<Placed>, expected: usize) -> Result<Vec<Vec<f32>>, Failure> {
    data.sort_by_key(|one| one.index);
    let whole = data.len() == expected && data.iter().enumerate().all(|(place, one)| one.index == place);
    if !whole {
        return Err(Failure::malformed("the answer holds not one vector for each text"));
    }
    let length = data.first().map_or(0, |one| one.embedding.len());
    let usable = |one: &Placed| one.embedding.len() == length && one.embedding.iter().all(|number| number.is_finite());
    if !(1..=MAX_LENGTH).contains(&length) || !data.iter().all(usable) {
        return Err(Failure::malformed("the answer holds vectors of different lengths, or none"));
    }
    Ok(data.into_iter().map(|one| one.embedding).collect())
}

/// The beginning of a long text; of an empty one, a space: services refuse nothing.
fn shortened(text: &str) -> String {
    if text.trim().is_empty() { " ".to_owned() } else { text.chars().take(MAX_CHARS).collect() }
}

#[async_trait]
impl Embedder for OpenAiEmbedder {
    async fn embed(&self, texts: &[String], _role: TextRole) -> Result<Vec<Vec<f32>>, ModelError> {
        let key = self.config.key.as_ref().map(ExposeSecret::expose_secret);
        let mut vectors: Vec<Vec<f32>> = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            let found = self.ask(batch).await.and_then(|found| match (vectors.first(), found.first()) {
                (Some(known), Some(new)) if known.len() != new.len() => {
                    Err(Failure::malformed("the answers hold vectors of different lengths"))
                }
                _ => Ok(found),
            });
            vectors.extend(found.map_err(|failure| failure.into_error("embedding", key.into_iter()))?);
        }
        Ok(vectors)
    }

    fn model(&self) -> &str {
        &self.config.model
    }
}

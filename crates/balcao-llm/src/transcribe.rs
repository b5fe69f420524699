//! Speech to text, by OpenAI's `/audio/transcriptions` and the services that speak it.
//!
//! One request, one answer; whoever asks decides whether to ask again. What is heard is a customer's words, no more: whoever
//! shows it to a model says so.

use std::{fmt, time::Duration};

use async_trait::async_trait;
use reqwest::{
    Client, Url,
    multipart::{Form, Part},
};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use crate::failure::Failure;
use crate::{
    error::{ModelError, ModelErrorKind},
    http,
};

/// Largest answer that is read, in bytes.
const MAX_ANSWER: usize = 256 * 1024;

/// Sound that is to be written down.
#[derive(Clone, Copy)]
pub struct Speech<'a> {
    /// Its type without parameters, such as `audio/ogg`.
    pub mime: &'a str,
    /// Its bytes.
    pub bytes: &'a [u8],
}

impl fmt::Debug for Speech<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Speech").field("mime", &self.mime).field("bytes", &self.bytes.len()).finish()
    }
}

/// Writes down what is said.
#[async_trait]
pub trait Transcriber: Send + Sync + fmt::Debug {
    /// What is said in it; empty if nothing is.
    ///
    /// # Errors
    /// [`ModelError`]; its kind says whether the same may be tried again. It never holds a word of what was heard.
    async fn transcribe(&self, speech: Speech<'_>) -> Result<String, ModelError>;
}

/// How a service is asked.
#[derive(Debug, Clone)]
pub struct TranscriptionConfig {
    /// Where it answers, up to and with the version: `https://api.openai.com/v1`. Only `https`, or `http` on this machine and
    /// to a neighbour on a private network whose name has no dot (`http://whisper:9000/v1`).
    pub base_url: String,
    /// Its model.
    pub model: String,
    /// Its key, if it wants one.
    pub key: Option<SecretString>,
    /// The language that is spoken, as ISO 639-1 (`pt`); without it the service guesses.
    pub language: Option<String>,
    /// How long one call may take.
    pub within: Duration,
}

/// Why a service cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptionConfigError {
    /// The address is none, or speech and key would travel in the open.
    #[error(
        "invalid base URL `{url}`; expected https:// (http:// on this machine or to a name without a dot), for example https://api.openai.com/v1"
    )]
    BaseUrl {
        /// As given.
        url: String,
    },
    /// There is no model.
    #[error("the model is empty: name one, for example whisper-1")]
    Model,
    /// The language is none.
    #[error("invalid language `{language}`; expected two letters, for example pt")]
    Language {
        /// As given.
        language: String,
    },
    /// The TLS back end or the system's proxy settings cannot be used.
    #[error("no HTTP client could be built")]
    Client(#[source] reqwest::Error),
}

/// A service that speaks OpenAI's protocol. Its `Debug` hides the key.
#[derive(Debug)]
pub struct OpenAiTranscriber {
    client: Client,
    url: Url,
    config: TranscriptionConfig,
}

impl OpenAiTranscriber {
    /// Checks the configuration. Nothing is sent.
    ///
    /// # Errors
    /// [`TranscriptionConfigError`] says what to mend.
    pub fn new(config: TranscriptionConfig) -> Result<Self, TranscriptionConfigError> {
        let (url, local) = http::endpoint(&config.base_url, "audio/transcriptions")
            .ok_or_else(|| TranscriptionConfigError::BaseUrl { url: config.base_url.clone() })?;
        if config.model.trim().is_empty() {
            return Err(TranscriptionConfigError::Model);
        }
        if let Some(language) = &config.language
            && !(language.len() == 2 && language.bytes().all(|letter| letter.is_ascii_lowercase()))
        {
            return Err(TranscriptionConfigError::Language { language: language.clone() });
        }
        let client = http::client(Duration::from_secs(5), local).map_err(TranscriptionConfigError::Client)?;
        Ok(Self { client, url, config })
    }

    async fn ask(&self, speech: Speech<'_>) -> Result<String, Failure> {
        let name = format!("audio.{}", extension(speech.mime));
        let part = Part::bytes(speech.bytes.to_vec()).file_name(name).mime_str(speech.mime);
        let part = part.map_err(|_source| Failure::new(ModelErrorKind::Rejected, "the sound has no type"))?;
        let mut form =
            Form::new().part("file", part).text("model", self.config.model.clone()).text("response_format", "json");
        if let Some(language) = &self.config.language {
            form = form.text("language", language.clone());
        }
        let mut request = self.client.post(self.url.clone()).multipart(form);
        if let Some(key) = &self.config.key {
            request = request.bearer_auth(key.expose_secret());
        }
        let body = http::answer(request, self.config.within, MAX_ANSWER, "the transcript").await?;
        let answer: Value = balcao_json::read_as(&body, balcao_json::MOST_VALUES)
            .map_err(|_source| Failure::malformed("the answer is invalid JSON"))?;
        let text = answer.get("text").and_then(Value::as_str);
        text.map(|text| text.trim().to_owned()).ok_or_else(|| Failure::malformed("the answer has no `text`"))
    }
}

#[async_trait]
impl Transcriber for OpenAiTranscriber {
    async fn transcribe(&self, speech: Speech<'_>) -> Result<String, ModelError> {
        let key = self.config.key.as_ref().map(ExposeSecret::expose_secret);
        self.ask(speech).await.map_err(|failure| failure.into_error("transcription", key.into_iter()))
    }
}

/// Services tell the format by the file's name.
fn extension(mime: &str) -> &'static str {
    match mime {
        "audio/ogg" => "ogg",
        "audio/mpeg" => "mp3",
        "audio/mp4" => "m4a",
        "audio/aac" => "aac",
        "audio/amr" => "amr",
        "audio/wav" | "audio/x-wav" => "wav",
        "audio/flac" | "audio/x-flac" => "flac",
        "audio/webm" => "webm",
        _ => "bin",
    }
}

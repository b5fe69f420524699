//! How sound is written down: `[transcription]`.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc, time::Duration};

use balcao_llm::price::parse_usd;
use balcao_llm::transcribe::{OpenAiTranscriber, Transcriber, TranscriptionConfig as Service};
use secrecy::SecretString;
use serde::Deserialize;

use super::service_key;
use crate::output::error_chain;

/// How long one call may take.
const WITHIN: Duration = Duration::from_secs(30);

/// A service that speaks OpenAI's protocol. Without `model` there is none.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TranscriptionConfig {
    /// Where it answers, version included.
    pub(crate) base_url: String,
    /// Its model.
    pub(crate) model: Option<String>,
    /// The environment variable that holds its key.
    pub(crate) api_key_env: Option<String>,
    /// A file that holds its key.
    pub(crate) api_key_file: Option<PathBuf>,
    /// The longest sound that is sent to it, in seconds.
    pub(crate) max_seconds: u64,
    /// The language that is spoken, such as `pt`.
    pub(crate) language: Option<String>,
    /// US dollars that the service charges for a minute of sound, such as `0.006`.
    pub(crate) usd_minute: Option<String>,
}

impl Default for TranscriptionConfig {
    fn default() -> Self {
        Self {
            base_url: "https://api.openai.com/v1".to_owned(),
            model: None,
            api_key_env: None,
            api_key_file: None,
            max_seconds: 300,
            language: None,
            usd_minute: None,
        }
    }
}

impl TranscriptionConfig {
    /// The service, ready to be asked; `None` if none is configured.
    pub(crate) fn read(&self, environment: &BTreeMap<String, String>) -> Result<Option<Arc<dyn Transcriber>>, String> {
        let Some(model) = &self.model else { return Ok(None) };
        let (named, file) = (self.api_key_env.as_deref(), self.api_key_file.as_deref());
        let key = service_key::read("transcription", named, file, |name| {
            environment.get(name).cloned().map(SecretString::from)
        })?;
        let service = Service {
            base_url: self.base_url.clone(),
            model: model.clone(),
            key,
            language: self.language.clone(),
            within: WITHIN,
        };
        let built =
            OpenAiTranscriber::new(service).map_err(|error| format!("transcription: {}", error_chain(&error)))?;
        Ok(Some(Arc::new(built)))
    }

    /// Millionths of a US dollar that the service charges for a minute of sound, if that is known.
    pub(crate) fn micro_usd_minute(&self) -> Result<Option<u64>, String> {
        let wrong = |written: &str| {
            format!("transcription.usd_minute: invalid price {written:?}; expected US dollars a minute, like 0.006")
        };
        self.usd_minute.as_deref().map(|written| parse_usd(written).map_err(|_error| wrong(written))).transpose()
    }

    pub(super) fn ranges(&self) -> [(&'static str, u64, u64, u64); 1] {
        [("transcription.max_seconds", self.max_seconds, 1, 3_600)]
    }

    pub(super) fn rows(&self, row: &mut impl FnMut(&str, String)) {
        let none = || "(none)".to_owned();
        row("transcription.base_url", self.base_url.clone());
        row("transcription.model", self.model.clone().unwrap_or_else(none));
        row("transcription.api_key_env", self.api_key_env.clone().unwrap_or_else(none));
        let file = self.api_key_file.as_ref().map(|file| file.display().to_string());
        row("transcription.api_key_file", file.unwrap_or_else(none));
        row("transcription.max_seconds", self.max_seconds.to_string());
        row("transcription.usd_minute", self.usd_minute.clone().unwrap_or_else(none));
        row("transcription.language", self.language.clone().unwrap_or_else(|| "(the service guesses)".to_owned()));
    }
}

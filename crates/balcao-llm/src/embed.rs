//! Texts to vectors: by a service that speaks OpenAI's `/embeddings`, or by a model in a folder of this machine.
//!
//! Whoever asks decides what to do without. Vectors of one model are compared with each other and with no others, so a configuration has
//! one.

mod local;
mod openai;
mod patience;

use std::fmt;

use async_trait::async_trait;

pub use local::{LocalEmbedder, LocalModelError};
pub use openai::{EmbeddingConfig, EmbeddingConfigError, OpenAiEmbedder};
pub use patience::Patience;

use crate::error::ModelError;

/// Makes vectors of texts: near ones of texts that mean nearly the same.
#[async_trait]
pub trait Embedder: Send + Sync + fmt::Debug {
    /// The vectors of the texts, one for each and in their order, all of one length, of finite numbers. Of no texts there are none. Of an
    /// empty text, and of one that the model knows no word of, the vector may be zeros: it is near nothing.
    ///
    /// # Errors
    /// [`ModelError`]; its kind says whether the same may be tried again. It never holds a word of the texts.
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, ModelError>;

    /// Its model's name. Vectors under one name can be compared, also those that were made long ago.
    fn model(&self) -> &str;
}

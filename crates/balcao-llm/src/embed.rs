//! Texts to vectors: by a service that speaks OpenAI's `/embeddings`, or by a model in a folder of this machine
//! (`balcao-embedding`).
//!
//! Whoever asks decides what to do without. Vectors of one model are compared with each other and with no others, so a configuration has
//! one.

mod openai;
mod patience;
mod prefixed;

use std::fmt;

use async_trait::async_trait;

pub use openai::{EmbeddingConfig, EmbeddingConfigError, OpenAiEmbedder};
pub use patience::Patience;
pub use prefixed::{PrefixedEmbedder, Prefixes};

use crate::error::ModelError;

/// What a text is for. Models that are trained for search read a question otherwise than what may answer it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextRole {
    /// It is looked for.
    Query,
    /// It may be found.
    Passage,
}

/// Makes vectors of texts: near ones of texts that mean nearly the same.
#[async_trait]
pub trait Embedder: Send + Sync + fmt::Debug {
    /// The vectors of the texts, one for each and in their order, all of one length, of finite numbers. Of no texts there are none. Of an
    /// empty text, and of one that the model knows no word of, the vector may be zeros: it is near nothing. A query's vector is compared with
    /// passages'; whether `role` makes a difference is the model's affair.
    ///
    /// # Errors
    /// [`ModelError`]; its kind says whether the same may be tried again. It never holds a word of the texts.
    async fn embed(&self, texts: &[String], role: TextRole) -> Result<Vec<Vec<f32>>, ModelError>;

    /// Its model's name. Vectors under one name can be compared, also those that were made long ago.
    fn model(&self) -> &str;
}

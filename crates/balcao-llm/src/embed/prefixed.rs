//! Prefixes of a model that is told by them what a text is for.

use std::sync::Arc;

use async_trait::async_trait;

use super::{Embedder, TextRole};
use crate::error::ModelError;

/// What a model wants written before a text, of each role: `query: ` and `passage: ` of the E5 family, an instruction of others. Its
/// card says which.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prefixes {
    /// Before what is looked for.
    pub query: String,
    /// Before what may be found.
    pub passage: String,
}

impl Prefixes {
    fn for_role(&self, role: TextRole) -> &str {
        match role {
            TextRole::Query => &self.query,
            TextRole::Passage => &self.passage,
        }
    }
}

/// Another embedder, whose texts get a prefix by their role. Its model's name holds the prefixes: vectors that were made with others
/// are not compared with these.
#[derive(Debug)]
pub struct PrefixedEmbedder {
    inner: Arc<dyn Embedder>,
    prefixes: Prefixes,
    name: String,
}

impl PrefixedEmbedder {
    /// With these prefixes; without any it does what `inner` does, under its name.
    #[must_use]
    pub fn new(inner: Arc<dyn Embedder>, prefixes: Prefixes) -> Self {
        let plain = prefixes == Prefixes::default();
        let name = if plain {
            inner.model().to_owned()
        } else {
            format!("{} after {:?} and {:?}", inner.model(), prefixes.query, prefixes.passage)
        };
        Self { inner, prefixes, name }
    }
}

#[async_trait]
impl Embedder for PrefixedEmbedder {
    async fn embed(&self, texts: &[String], role: TextRole) -> Result<Vec<Vec<f32>>, ModelError> {
        let prefix = self.prefixes.for_role(role);
        // An empty text stays one: it is near nothing, and not near to its prefix.
        let marked = |text: &String| if text.trim().is_empty() { text.clone() } else { format!("{prefix}{text}") };
        let texts: Vec<String> = texts.iter().map(marked).collect();
        self.inner.embed(&texts, role).await
    }

    fn model(&self) -> &str {
        &self.name
    }
}

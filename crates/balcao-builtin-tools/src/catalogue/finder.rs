//! Finds entries by words, and by meaning as far as there is somebody who makes vectors.

use std::{sync::Arc, time::Duration};

use balcao_language::bilingual_tokens;
use balcao_llm::embed::{Embedder, Patience, TextRole};
use balcao_search::{Entry, Index, Query};
use tokio::sync::OnceCell;

/// How long the vectors of a search are waited for, and how long nobody is asked for them after that was in vain.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);
const REST: Duration = Duration::from_secs(60);

pub(super) struct Finder {
    /// By words alone.
    index: Index,
    /// By words and by meaning, once the vectors are there.
    meant: OnceCell<Index>,
    embedder: Option<Arc<dyn Embedder>>,
    patience: Patience,
}

impl Finder {
    pub(super) fn over(entries: Vec<Entry>, embedder: Option<Arc<dyn Embedder>>) -> Self {
        let index = Index::new(entries, bilingual_tokens);
        Self { index, meant: OnceCell::new(), embedder, patience: Patience::new(PATIENCE, REST) }
    }

    /// At most `limit` entries, the best first.
    pub(super) async fn find(&self, words: &str, limit: usize) -> Vec<&Entry> {
        let meant = self.by_meaning(words).await;
        let query = Query { words, limit, ..Query::default() };
        let hits = match &meant {
            Some((index, vector)) => index.search(&Query { vector: Some(vector), ..query }),
            None => self.index.search(&query),
        };
        hits.into_iter().map(|hit| hit.entry).collect()
    }

    /// The index with vectors, and the query's own; `None` if there are none now.
    async fn by_meaning(&self, query: &str) -> Option<(&Index, Vec<f32>)> {
        let embedder = self.embedder.as_ref()?;
        let asked = async {
            let made = || async {
                let entries = self.index.entries().to_vec();
                let texts: Vec<String> = entries.iter().map(Entry::meaning).collect();
                let vectors = embedder.embed(&texts, TextRole::Passage).await.map_err(|error| error.to_string())?;
                Index::new(entries, bilingual_tokens).with_vectors(&vectors).map_err(|error| error.to_string())
            };
            let index = self.meant.get_or_try_init(made).await?;
            let vectors =
                embedder.embed(&[query.to_owned()], TextRole::Query).await.map_err(|error| error.to_string())?;
            vectors.into_iter().next().map(|vector| (index, vector)).ok_or_else(|| "no vector".to_owned())
        };
        self.patience.ask(embedder.model(), "it is looked for by words alone", asked).await
    }
}

//! What makes vectors of queries and entries, and how long it is waited for.

use std::{sync::Arc, time::Duration};

use balcao_domain::{KnowledgeId, OrganizationId};
use balcao_llm::embed::{Embedder, Patience, TextRole};
use balcao_store::{
    Store, StoreError,
    knowledge::vectors::{self, EntryVector},
};
use sha2::{Digest, Sha256};

/// Entries that are made vectors of at once: what is done is kept, also if the next ones take too long.
const BATCH: usize = 8;
/// How long a search waits for the query's vector, and for those that entries lack: together well under the five seconds that the tool
/// `search_knowledge_base` has, so that a slow model costs the rank by vectors and not the answer.
const FOR_QUERY: Duration = Duration::from_secs(2);
const FOR_ENTRIES: Duration = Duration::from_millis(1_500);
/// How long the model is left alone after that was in vain.
const REST: Duration = Duration::from_secs(60);

/// Why vectors were not made.
#[derive(Debug, thiserror::Error)]
#[error("{model} gives no vectors: {why}")]
pub struct NoVectors {
    /// Whose.
    pub model: String,
    /// What it said.
    pub why: String,
}

/// What makes vectors, for all searches of a program.
#[derive(Debug)]
pub struct Meaning {
    embedder: Arc<dyn Embedder>,
    queries: Patience,
    entries: Patience,
}

/// An entry whose vector has to be made.
pub(crate) struct Lacking {
    pub(crate) entry: KnowledgeId,
    pub(crate) text: String,
}

/// SHA-256.
pub(crate) fn digest(text: &str) -> Vec<u8> {
    Sha256::digest(text.as_bytes()).to_vec()
}

impl Meaning {
    /// By this model.
    #[must_use]
    pub fn new(embedder: Arc<dyn Embedder>) -> Self {
        Self { embedder, queries: Patience::new(FOR_QUERY, REST), entries: Patience::new(FOR_ENTRIES, REST) }
    }

    pub(crate) fn model(&self) -> &str {
        self.embedder.model()
    }

    /// A query's vector; `None` while there is none to be had.
    pub(crate) async fn vector(&self, query: &str) -> Option<Vec<f32>> {
        let texts = [query.to_owned()];
        let made = async {
            let made = self.embedder.embed(&texts, TextRole::Query).await;
            let vectors = made.map_err(|error| error.to_string())?;
            vectors.into_iter().next().ok_or_else(|| "no vector".to_owned())
        };
        self.queries.ask(self.model(), "knowledge is found by words alone", made).await
    }

    /// Makes what is lacking and keeps it, as much as a search has time for. After a failure nothing is made for a while.
    pub(crate) async fn fill_in_passing(
        &self,
        store: &Store,
        organization: OrganizationId,
        lacking: Vec<Lacking>,
    ) -> Vec<(KnowledgeId, Vec<f32>)> {
        let mut made = Vec::new();
        let filling = async {
            let filled = self.fill(store, organization, lacking, &mut made).await;
            filled.map_err(|error| error.why)
        };
        let what = "some entries of the knowledge base have no vector yet: they are found by words alone";
        let _rests_or_done: Option<()> = self.entries.ask(self.model(), what, filling).await;
        made
    }

    /// Makes what is lacking and keeps it, batch by batch; `made` has what is kept, or could not be.
    pub(crate) async fn fill(
        &self,
        store: &Store,
        organization: OrganizationId,
        lacking: Vec<Lacking>,
        made: &mut Vec<(KnowledgeId, Vec<f32>)>,
    ) -> Result<(), NoVectors> {
        let failed = |why: String| NoVectors { model: self.model().to_owned(), why };
        for batch in lacking.chunks(BATCH) {
            let texts: Vec<String> = batch.iter().map(|one| one.text.clone()).collect();
            let answer = self.embedder.embed(&texts, TextRole::Passage).await;
            let vectors = answer.map_err(|error| failed(error.to_string()))?;
            if vectors.len() != batch.len() {
                return Err(failed("not one vector for each text".to_owned()));
            }
            made.extend(batch.iter().map(|one| one.entry).zip(vectors.iter().cloned()));
            let kept = batch.iter().zip(vectors).map(|(one, numbers)| EntryVector {
                entry: one.entry,
                digest: digest(&one.text),
                numbers,
            });
            let (kept, model): (Vec<EntryVector>, String) = (kept.collect(), self.model().to_owned());
            let write = store.write(move |tx| vectors::store_vectors(tx, organization, &model, &kept));
            write.await.map_err(|error: StoreError| failed(format!("they could not be kept: {error}")))?;
        }
        Ok(())
    }
}

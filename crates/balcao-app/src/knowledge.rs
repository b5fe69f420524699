//! Searching the business's knowledge.

use balcao_domain::OrganizationId;
use balcao_language::search::search_tokens;
use balcao_store::knowledge;
use serde::{Deserialize, Serialize};

use crate::desk::{Desk, UseCaseError};
use crate::names::{NameRefusal, find};

/// How many entries an answer holds at most.
const LIMIT: u32 = 5;

/// An entry that fits a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnowledgeHit {
    /// What it is about.
    pub title: String,
    /// The facts.
    pub content: String,
    /// What it belongs to.
    pub category: Option<String>,
    /// How well it fits: higher is better, comparable within one answer only.
    pub score: f64,
}

/// Searches.
#[derive(Debug, Clone)]
pub struct Knowledge {
    desk: Desk,
}

impl Knowledge {
    /// Over a desk.
    #[must_use]
    pub fn new(desk: Desk) -> Self {
        Self { desk }
    }

    /// The entries that fit a query best, at most five. No hit is an empty list; an unknown category is a refusal.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn search(
        &self,
        organization: OrganizationId,
        query: String,
        category: Option<String>,
    ) -> Result<Result<Vec<KnowledgeHit>, NameRefusal>, UseCaseError> {
        let tokens = search_tokens(&query);
        self.desk
            .look(move |tx, _now| {
                let categories = knowledge::categories(tx, organization)?;
                let category = match category.as_deref() {
                    None => None,
                    Some(name) => match find(name, categories.iter().map(|one| (one, [].as_slice()))) {
                        Ok(found) => categories.get(found.index),
                        Err(refusal) => return Ok(Err(refusal)),
                    },
                };
                let hits = knowledge::search(tx, organization, &tokens, category.map(String::as_str), LIMIT)?;
                let hit = |hit: knowledge::Hit| KnowledgeHit {
                    title: hit.entry.title,
                    content: hit.entry.content,
                    category: hit.entry.category,
                    score: hit.score,
                };
                Ok(Ok(hits.into_iter().map(hit).collect()))
            })
            .await
    }
}

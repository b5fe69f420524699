//! Entries of the business's knowledge base.

use serde::{Deserialize, Serialize};

use crate::ids::KnowledgeId;

/// A question's answer, or any other fact that customers ask for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnowledgeEntry {
    /// Its id.
    pub id: KnowledgeId,
    /// What it belongs to, such as "Pagamento".
    pub category: Option<String>,
    /// What it is about.
    pub title: String,
    /// The facts.
    pub content: String,
}

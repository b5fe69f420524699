//! Searching the business's knowledge.

use balcao_domain::OrganizationId;
use balcao_language::search::search_tokens;
use balcao_store::knowledge;
use balcao_store::organization::{self, Organization};
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
                let mut found: Vec<KnowledgeHit> = hits.into_iter().map(hit).collect();
                if category.is_none() {
                    found.extend(own_facts(&organization::get(tx, organization)?, &tokens));
                    found.truncate(usize::try_from(LIMIT).unwrap_or(usize::MAX));
                }
                Ok(Ok(found))
            })
            .await
    }
}

/// What the business's own record says and a query asks for: address and telephone need no entry of their own. They stand
/// behind the entries, which the business worded itself.
fn own_facts(organization: &Organization, asked: &[String]) -> Vec<KnowledgeHit> {
    let portuguese = organization.locale.starts_with("pt");
    let say = |pt: &'static str, en: &'static str| if portuguese { pt } else { en };
    let facts = [
        (
            say("Telefone", "Phone"),
            "telefone celular contato numero ligar phone call number",
            organization.phone.as_deref(),
        ),
        (say("Endereço", "Address"), "endereço local rua onde fica address where", organization.address.as_deref()),
    ];
    let hit = |(title, words, content): (&str, &str, Option<&str>)| {
        let words = search_tokens(words);
        let content = content.filter(|_| asked.iter().any(|token| words.contains(token)))?;
        Some(KnowledgeHit {
            title: title.to_owned(),
            content: format!("{title}: {content}"),
            category: None,
            score: 0.0,
        })
    };
    facts.into_iter().filter_map(hit).collect()
}

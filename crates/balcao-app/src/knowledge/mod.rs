//! Searches the knowledge base of the business: by words, and by meaning if an embedding model is configured.
//!
//! The database ranks by words, the distance of vectors gives the second rank, and both ranks are fused. A search creates the vector of an
//! entry if the vector is missing, or if the text or the model has changed since. The vector is stored with the entry. While the model
//! fails, only words count.
//!
//! A search by meaning always finds a nearest entry, so the reader of the result decides whether the entry answers the question.

use std::collections::HashMap;

use balcao_domain::knowledge::KnowledgeEntry;
use balcao_domain::{KnowledgeId, OrganizationId};
use balcao_language::search::search_tokens;
use balcao_search::{Vectors, fuse};
use balcao_store::crm::organization::{self, Organization};
use balcao_store::knowledge::{self, vectors};
use serde::{Deserialize, Serialize};

use crate::context::app_context::{AppContext, UseCaseError};
use crate::context::meaning::{Lacking, Meaning, NoVectors, digest};
use crate::context::names::{NameRefusal, find};

/// How many entries an answer holds at most.
const LIMIT: usize = 5;
/// Places of each rank that are fused.
const DEPTH: u32 = 50;

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
    /// Its place by words, from 1.
    pub by_words: Option<usize>,
    /// Its place by vectors, from 1.
    pub by_vectors: Option<usize>,
}

/// Searches.
#[derive(Debug, Clone)]
pub struct Knowledge {
    app: AppContext,
}

/// What may be near, with the vector that is kept of it.
type Candidate = (KnowledgeEntry, Option<Vec<f32>>);

/// What one look into the database brings.
struct Looked {
    /// By words, best first; the business's own facts behind the entries.
    words: Vec<Found>,
    /// Empty if no model makes vectors.
    entries: Vec<Candidate>,
}

/// A hit of the search by words. A hit outside of the entries has no id.
struct Found {
    id: Option<KnowledgeId>,
    hit: KnowledgeHit,
}

impl Knowledge {
    /// Over the application context. What makes vectors is the context's.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
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
        let looked = match self.look(organization, &query, category).await? {
            Ok(looked) => looked,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let mut hits = match self.app.meaning.as_deref() {
            Some(meaning) if !looked.entries.is_empty() => match meaning.vector(&query).await {
                Some(vector) => {
                    let entries = self.filled(meaning, organization, looked.entries).await;
                    fused(looked.words, &entries, &vector)
                }
                None => by_words(looked.words),
            },
            _ => by_words(looked.words),
        };
        hits.truncate(LIMIT);
        Ok(Ok(hits))
    }

    /// Makes the vectors that entries lack, however long it takes, so that no search has to. Returns how many it made; zero if no model
    /// makes vectors.
    ///
    /// # Errors
    /// The database's, or the model's; what was made until then is kept.
    pub async fn prepare(&self, organization: OrganizationId) -> Result<Result<usize, NoVectors>, UseCaseError> {
        let Some(meaning) = self.app.meaning.as_deref() else { return Ok(Ok(0)) };
        let model = meaning.model().to_owned();
        let entries = self.app.look(move |tx, _now| with_vectors(tx, organization, None, &model)).await?;
        let mut made = Vec::new();
        let done = meaning.fill(&self.app.store, organization, lacking(&entries), &mut made).await;
        Ok(done.map(|()| made.len()))
    }

    async fn look(
        &self,
        organization: OrganizationId,
        query: &str,
        category: Option<String>,
    ) -> Result<Result<Looked, NameRefusal>, UseCaseError> {
        let tokens = search_tokens(query);
        let model = self.app.meaning.as_deref().map(|meaning| meaning.model().to_owned());
        self.app
            .look(move |tx, _now| {
                let categories = knowledge::categories(tx, organization)?;
                let category = match category.as_deref() {
                    None => None,
                    Some(name) => match find(name, categories.iter().map(|one| (one, [].as_slice()))) {
                        Ok(found) => categories.get(found.index),
                        Err(refusal) => return Ok(Err(refusal)),
                    },
                };
                let category = category.map(String::as_str);
                let hits = knowledge::search(tx, organization, &tokens, category, DEPTH)?;
                let mut words: Vec<Found> = hits.into_iter().map(|hit| found(hit.entry, hit.score)).collect();
                if category.is_none() {
                    words.extend(own_facts(&organization::get(tx, organization)?, &tokens));
                }
                let entries = match &model {
                    Some(model) => with_vectors(tx, organization, category, model)?,
                    None => Vec::new(),
                };
                Ok(Ok(Looked { words, entries }))
            })
            .await
    }

    /// The same entries with the vectors that they lacked, as far as they could be made in the time that a search has.
    async fn filled(
        &self,
        meaning: &Meaning,
        organization: OrganizationId,
        mut entries: Vec<Candidate>,
    ) -> Vec<(KnowledgeEntry, Vec<f32>)> {
        let lacking = lacking(&entries);
        if !lacking.is_empty() {
            let made = meaning.fill_in_passing(&self.app.store, organization, lacking).await;
            let mut made: HashMap<KnowledgeId, Vec<f32>> = made.into_iter().collect();
            for (entry, vector) in &mut entries {
                if vector.is_none() {
                    *vector = made.remove(&entry.id);
                }
            }
        }
        entries.into_iter().filter_map(|(entry, vector)| Some((entry, vector?))).collect()
    }
}

/// The entries, each with the vector that this model made of the text that it has now.
fn with_vectors(
    tx: &mut balcao_store::Tx<'_>,
    organization: OrganizationId,
    category: Option<&str>,
    model: &str,
) -> Result<Vec<Candidate>, UseCaseError> {
    let kept = vectors::list(tx, organization, model)?.into_iter().map(|one| (one.entry, one));
    let mut kept: HashMap<KnowledgeId, vectors::EntryVector> = kept.collect();
    let entries = knowledge::list(tx, organization)?.into_iter();
    let entries = entries.filter(|entry| category.is_none() || entry.category.as_deref() == category);
    let with_vector = |entry: KnowledgeEntry| {
        let vector = kept.remove(&entry.id).filter(|kept| kept.digest == digest(&text(&entry)));
        (entry, vector.map(|kept| kept.numbers))
    };
    Ok(entries.map(with_vector).collect())
}

fn lacking(entries: &[Candidate]) -> Vec<Lacking> {
    let without = entries.iter().filter(|(_, vector)| vector.is_none());
    without.map(|(entry, _)| Lacking { entry: entry.id, text: text(entry) }).collect()
}

/// What an entry's vector is made of.
fn text(entry: &KnowledgeEntry) -> String {
    format!("{}. {}", entry.title, entry.content)
}

fn found(entry: KnowledgeEntry, score: f64) -> Found {
    let KnowledgeEntry { id, category, title, content } = entry;
    let hit = KnowledgeHit { title, content, category, score, by_words: None, by_vectors: None };
    Found { id: Some(id), hit }
}

fn by_words(words: Vec<Found>) -> Vec<KnowledgeHit> {
    (1_usize..).zip(words).map(|(place, found)| KnowledgeHit { by_words: Some(place), ..found.hit }).collect()
}

/// Both ranks as one. An entry without a vector has its place by words.
fn fused(words: Vec<Found>, entries: &[(KnowledgeEntry, Vec<f32>)], query: &[f32]) -> Vec<KnowledgeHit> {
    // A vector of another length comes of a model that was exchanged behind its name: it is near nothing.
    let usable: Vec<&(KnowledgeEntry, Vec<f32>)> =
        entries.iter().filter(|(_, vector)| vector.len() == query.len()).collect();
    let numbers: Vec<Vec<f32>> = usable.iter().map(|(_, vector)| vector.clone()).collect();
    let near = Vectors::new(&numbers).map(|vectors| vectors.nearest(query, places(DEPTH), |_| true));
    let mut found = words;
    let by_words: Vec<u32> = (0_u32..).take(found.len()).collect();
    let mut known: HashMap<KnowledgeId, u32> =
        by_words.iter().zip(&found).filter_map(|(place, found)| Some((found.id?, *place))).collect();
    let mut by_vectors = Vec::new();
    for near in near.unwrap_or_default() {
        let Some((entry, _)) = usable.get(places(near)) else { continue };
        let next = u32::try_from(found.len()).unwrap_or(u32::MAX);
        let place = *known.entry(entry.id).or_insert(next);
        if place == next {
            found.push(self::found(entry.clone(), 0.0));
        }
        by_vectors.push(place);
    }
    let place_in = |rank: &[u32], of: u32| rank.iter().position(|one| *one == of).map(|place| place + 1);
    let ranked = fuse(&[&by_words, &by_vectors]).into_iter().filter_map(|(place, score)| {
        let hit = found.get(places(place))?.hit.clone();
        let (by_words, by_vectors) = (place_in(&by_words, place), place_in(&by_vectors, place));
        Some(KnowledgeHit { score, by_words, by_vectors, ..hit })
    });
    ranked.collect()
}

fn places(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// What the business's own record says and a query asks for: address and telephone need no entry of their own. They stand
/// behind the entries, which the business worded itself.
fn own_facts(organization: &Organization, asked: &[String]) -> Vec<Found> {
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
    let fact = |(title, words, content): (&str, &str, Option<&str>)| {
        let words = search_tokens(words);
        let content = content.filter(|_| asked.iter().any(|token| words.contains(token)))?;
        let content = format!("{title}: {content}");
        let title = title.to_owned();
        let hit = KnowledgeHit { title, content, category: None, score: 0.0, by_words: None, by_vectors: None };
        Some(Found { id: None, hit })
    };
    facts.into_iter().filter_map(fact).collect()
}

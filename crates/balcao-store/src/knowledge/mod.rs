//! The knowledge base, with full-text search over tokens that the program made.
//!
//! The tokenizer comes in as a function, the same for entries and queries: it folds accents and case and cuts words to
//! their stems, so that SQLite's own tokenizer only has to split at spaces.

mod bm25;
pub mod vectors;

use std::collections::BTreeSet;

use balcao_domain::knowledge::KnowledgeEntry;
use balcao_domain::{KnowledgeId, OrganizationId};

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, values};
use bm25::{Document, scores};

/// How much a hit counts in the title, the content and the category; in the statement for FTS5 too.
const WEIGHTS: [f64; 3] = [4.0, 1.0, 2.0];

/// An entry that a query found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The entry.
    pub entry: KnowledgeEntry,
    /// How well it fits: higher is better, comparable within one query only.
    pub score: f64,
}

fn read(row: &Row<'_>) -> Result<KnowledgeEntry, StoreError> {
    Ok(KnowledgeEntry { id: row.get(0)?, category: row.get(1)?, title: row.get(2)?, content: row.get(3)? })
}

/// Adds an entry and its tokens; its `id` is not looked at.
///
/// # Errors
/// A unique violation if the category has that title already.
pub fn insert(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    new: &KnowledgeEntry,
    tokens: impl Fn(&str) -> Vec<String>,
) -> Result<KnowledgeId, StoreError> {
    let id: KnowledgeId = tx.insert(
        "INSERT INTO knowledge_entry (organization_id, category, title, content) VALUES (?1, ?2, ?3, ?4) RETURNING id",
        values![organization, new.category.as_ref(), &new.title, &new.content],
    )?;
    tx.execute(
        "INSERT INTO knowledge_search (rowid, title, content, category) VALUES (?1, ?2, ?3, ?4)",
        values![
            id,
            tokens(&new.title).join(" "),
            tokens(&new.content).join(" "),
            tokens(new.category.as_deref().unwrap_or_default()).join(" "),
        ],
    )?;
    Ok(id)
}

/// Removes an entry, its tokens and its vector; tells whether it was there.
///
/// # Errors
/// What the database said.
pub fn delete(tx: &mut Tx<'_>, organization: OrganizationId, id: KnowledgeId) -> Result<bool, StoreError> {
    let removed =
        tx.execute("DELETE FROM knowledge_entry WHERE organization_id = ?1 AND id = ?2", values![organization, id])?;
    if removed == 1 {
        tx.execute("DELETE FROM knowledge_search WHERE rowid = ?1", values![id])?;
    }
    Ok(removed == 1)
}

/// The entries that share a token with the query, best first, at most `limit`. No hit is an empty list.
///
/// Ranked by BM25, a hit in the title counting four times and one in the category twice.
///
/// # Errors
/// What the database said.
pub fn search(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    query_tokens: &[String],
    category: Option<&str>,
    limit: u32,
) -> Result<Vec<Hit>, StoreError> {
    let distinct: BTreeSet<&str> = query_tokens.iter().map(String::as_str).filter(|token| !token.is_empty()).collect();
    if distinct.is_empty() {
        return Ok(Vec::new());
    }
    if tx.is_postgres() {
        return ranked(tx, organization, &distinct, category, limit);
    }
    // Quoted, a token is a token: none of FTS5's operators can be smuggled in.
    let terms: Vec<String> = distinct.iter().map(|token| format!("\"{}\"", token.replace('"', "\"\""))).collect();
    tx.query_all(
        "SELECT e.id, e.category, e.title, e.content, -bm25(knowledge_search, 4.0, 1.0, 2.0) AS score
         FROM knowledge_search JOIN knowledge_entry e ON e.id = knowledge_search.rowid
         WHERE knowledge_search MATCH ?1 AND e.organization_id = ?2 AND (?3 IS NULL OR e.category = ?3)
         ORDER BY score DESC, e.id LIMIT ?4",
        values![terms.join(" OR "), organization, category, limit],
        |row| Ok(Hit { entry: read(row)?, score: row.get(4)? }),
    )
}

/// As [`search`], where the database has no full-text ranking of this kind: the program ranks what it reads.
fn ranked(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    terms: &BTreeSet<&str>,
    category: Option<&str>,
    limit: u32,
) -> Result<Vec<Hit>, StoreError> {
    let entries = tx.query_all(
        "SELECT e.id, e.category, e.title, e.content, s.title, s.content, s.category
         FROM knowledge_entry e JOIN knowledge_search s ON s.rowid = e.id WHERE e.organization_id = ?1 ORDER BY e.id",
        values![organization],
        |row| Ok((read(row)?, [row.get::<String>(4)?, row.get(5)?, row.get(6)?])),
    )?;
    let documents: Vec<Document<'_>> =
        entries.iter().map(|(_, [title, content, category])| [title.as_str(), content, category]).collect();
    let scores = scores(terms, &documents, WEIGHTS);
    let mut hits: Vec<Hit> = entries
        .into_iter()
        .zip(scores)
        .filter_map(|((entry, _), score)| Some(Hit { entry, score: score? }))
        .filter(|hit| category.is_none() || hit.entry.category.as_deref() == category)
        .collect();
    hits.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.entry.id.cmp(&other.entry.id)));
    hits.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(hits)
}

/// Every entry, in order of id.
///
/// # Errors
/// What the database said.
pub fn list(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Vec<KnowledgeEntry>, StoreError> {
    tx.query_all(
        "SELECT id, category, title, content FROM knowledge_entry WHERE organization_id = ?1 ORDER BY id",
        values![organization],
        read,
    )
}

/// The categories in use, in alphabetical order.
///
/// # Errors
/// What the database said.
pub fn categories(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Vec<String>, StoreError> {
    tx.query_all(
        "SELECT DISTINCT category FROM knowledge_entry WHERE organization_id = ?1 AND category IS NOT NULL ORDER BY category",
        values![organization],
        |row| row.get(0),
    )
}

//! Entries, and what is found among them.

use serde::Serialize;

use crate::{Filter, VectorError, fuse::fuse, keywords::Keywords, vectors::Vectors};

/// Places of each rank that are fused.
const DEPTH: usize = 100;

/// What an entry belongs to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Labels {
    /// The tool or pack.
    pub tool: String,
    /// The type: a command, a helper, an example, …
    pub kind: String,
    /// The commands that it is about.
    pub commands: Vec<String>,
    /// A category; empty if it has none.
    pub category: String,
}

/// Something that can be found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Its id, unique among entries of its kind and tool.
    pub id: String,
    /// Its name: words that count more.
    pub title: String,
    /// What is said of it.
    pub text: String,
    /// What is found in it besides, such as the names of arguments: words that count less.
    pub details: String,
    /// What it belongs to.
    pub labels: Labels,
}

impl Entry {
    /// What a model makes the entry's vector of: what it is called, and what is said of it.
    #[must_use]
    pub fn meaning(&self) -> String {
        format!("{}. {}", self.title.replace(['_', '-'], " "), self.text)
    }
}

/// What is looked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Query<'a> {
    /// In words.
    pub words: &'a str,
    /// The words as the vector that the model of the entries' vectors makes of them; without it keywords alone decide.
    pub vector: Option<&'a [f32]>,
    /// Among which entries.
    pub filter: Filter<'a>,
    /// How many at most.
    pub limit: usize,
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hit<'a> {
    /// The entry.
    pub entry: &'a Entry,
    /// Its place by keywords, from 1.
    pub by_keywords: Option<usize>,
    /// Its place by vectors, from 1.
    pub by_vectors: Option<usize>,
    /// What the two come to: higher is better, comparable within one answer only.
    pub score: f64,
}

/// Makes the tokens of a text.
type Tokens = Box<dyn Fn(&str) -> Vec<String> + Send + Sync>;

/// Entries that can be searched.
pub struct Index {
    entries: Vec<Entry>,
    tokens: Tokens,
    keywords: Keywords,
    vectors: Option<Vectors>,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index").field("entries", &self.entries.len()).finish_non_exhaustive()
    }
}

impl Index {
    /// An index of these entries. `tokens` makes the tokens of entries and queries alike.
    #[must_use]
    pub fn new(entries: Vec<Entry>, tokens: impl Fn(&str) -> Vec<String> + Send + Sync + 'static) -> Self {
        let mut keywords = Keywords::default();
        for entry in &entries {
            keywords.add([&tokens(&entry.title), &tokens(&entry.text), &tokens(&entry.details)]);
        }
        Self { entries, tokens: Box::new(tokens), keywords, vectors: None }
    }

    /// The same with the vectors of the entries, in their order.
    ///
    /// # Errors
    /// If they are not one for each entry, all of one length, of numbers.
    pub fn with_vectors(self, vectors: &[Vec<f32>]) -> Result<Self, VectorError> {
        let entries = self.entries.len();
        if vectors.len() != entries {
            return Err(VectorError::Number { vectors: vectors.len(), entries });
        }
        Ok(Self { vectors: Some(Vectors::new(vectors)?), ..self })
    }

    /// All entries, in their order.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What fits the query best, best first. No hit is an empty list. The same query has the same answer.
    #[must_use]
    pub fn search(&self, query: &Query<'_>) -> Vec<Hit<'_>> {
        let takes = |place: u32| self.entry(place).is_some_and(|entry| query.filter.takes(&entry.labels));
        let mut by_keywords = self.keywords.search(&(self.tokens)(query.words), takes);
        by_keywords.truncate(DEPTH.max(query.limit));
        let by_vectors = match (&self.vectors, query.vector) {
            (Some(vectors), Some(vector)) => vectors.nearest(vector, DEPTH.max(query.limit), takes),
            _ => Vec::new(),
        };
        let place = |rank: &[u32], entry: u32| rank.iter().position(|other| *other == entry).map(|place| place + 1);
        let fused = fuse(&[&by_keywords, &by_vectors]).into_iter().take(query.limit);
        let hit = |(found, score): (u32, f64)| {
            let (by_keywords, by_vectors) = (place(&by_keywords, found), place(&by_vectors, found));
            Some(Hit { entry: self.entry(found)?, by_keywords, by_vectors, score })
        };
        fused.filter_map(hit).collect()
    }

    fn entry(&self, place: u32) -> Option<&Entry> {
        self.entries.get(usize::try_from(place).ok()?)
    }
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;

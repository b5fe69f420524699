//! BM25 as SQLite's FTS5 counts it, for databases that do not.

use std::collections::{BTreeMap, BTreeSet};

/// The columns of a document, each tokens with spaces between.
pub(super) type Document<'a> = [&'a str; 3];

/// How soon more hits of the same token stop counting.
const K1: f64 = 1.2;
/// How much a document's length counts.
const B: f64 = 0.75;

/// For each document how well it fits, or `None` if it holds no term: higher is better.
pub(super) fn scores(terms: &BTreeSet<&str>, documents: &[Document<'_>], weights: [f64; 3]) -> Vec<Option<f64>> {
    let total: f64 = documents.iter().map(length).sum();
    let number = count(documents.len());
    let average = if total > 0.0 { total / number } else { 1.0 };
    let frequencies: Vec<BTreeMap<&str, f64>> =
        documents.iter().map(|document| frequencies(terms, document, weights)).collect();
    let rarity: BTreeMap<&str, f64> = terms
        .iter()
        .map(|term| {
            let holding = count(frequencies.iter().filter(|found| found.contains_key(term)).count());
            // A term of more than half of the documents would count against them; as in FTS5 it counts next to nothing.
            let idf = ((number - holding + 0.5) / (holding + 0.5)).ln();
            (*term, if idf > 0.0 { idf } else { 1e-6 })
        })
        .collect();
    let score = |(document, found): (&Document<'_>, &BTreeMap<&str, f64>)| {
        let long = K1 * (1.0 - B + B * length(document) / average);
        let of_term = |(term, frequency): (&&str, &f64)| {
            rarity.get(term).map_or(0.0, |idf| idf * frequency * (K1 + 1.0) / (frequency + long))
        };
        (!found.is_empty()).then(|| found.iter().map(of_term).sum())
    };
    documents.iter().zip(&frequencies).map(score).collect()
}

/// How often each term that the document holds is in it, each hit counting as its column does.
fn frequencies<'t>(terms: &BTreeSet<&'t str>, document: &Document<'_>, weights: [f64; 3]) -> BTreeMap<&'t str, f64> {
    let mut found = BTreeMap::new();
    for (column, weight) in document.iter().zip(weights) {
        for token in column.split_whitespace() {
            if let Some(term) = terms.get(token) {
                *found.entry(*term).or_default() += weight;
            }
        }
    }
    found
}

fn length(document: &Document<'_>) -> f64 {
    count(document.iter().map(|column| column.split_whitespace().count()).sum())
}

fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::from(u32::MAX), f64::from)
}

#[cfg(test)]
#[path = "bm25_tests.rs"]
mod tests;

//! BM25F over an inverted index (Robertson and Zaragoza, 2009): a hit counts as its field does, and each field has a length of its own.

use std::collections::{HashMap, HashSet};

/// How soon more hits of the same token stop counting.
const K1: f64 = 0.8;
/// How much a field's length counts: title, text, details.
const B: [f64; FIELDS] = [0.5, 0.7, 0.5];
/// What a hit in a field counts: title, text, details.
const WEIGHTS: [f64; FIELDS] = [2.0, 1.0, 0.7];
/// Title, text, details.
const FIELDS: usize = 3;

/// Where a token stands.
#[derive(Debug, Clone, Copy)]
struct Posting {
    entry: u32,
    /// How often, by field.
    hits: [u16; FIELDS],
}

/// Tokens with the entries that hold them.
#[derive(Debug, Default)]
pub(crate) struct Keywords {
    postings: HashMap<String, Vec<Posting>>,
    lengths: Vec<[f64; FIELDS]>,
    totals: [f64; FIELDS],
}

impl Keywords {
    /// Adds the next entry, by the tokens of its fields.
    pub(crate) fn add(&mut self, fields: [&[String]; FIELDS]) {
        let entry = u32::try_from(self.lengths.len()).unwrap_or(u32::MAX);
        let mut found: HashMap<&str, [u16; FIELDS]> = HashMap::new();
        for (field, tokens) in fields.into_iter().enumerate() {
            for token in tokens {
                if let Some(hits) = found.entry(token).or_default().get_mut(field) {
                    *hits = hits.saturating_add(1);
                }
            }
        }
        for (token, hits) in found {
            self.postings.entry(token.to_owned()).or_default().push(Posting { entry, hits });
        }
        let lengths = fields.map(|tokens| count(tokens.len()));
        for (total, length) in self.totals.iter_mut().zip(lengths) {
            *total += length;
        }
        self.lengths.push(lengths);
    }

    /// The entries that hold a token of the query and that `takes` keeps, best first; of equal ones the one that was added first.
    pub(crate) fn search(&self, tokens: &[String], takes: impl Fn(u32) -> bool) -> Vec<u32> {
        let number = count(self.lengths.len());
        let averages = self.totals.map(|total| if total > 0.0 { total / number } else { 1.0 });
        let mut scores: HashMap<u32, f64> = HashMap::new();
        let mut asked = HashSet::new();
        for token in tokens.iter().filter(|token| asked.insert(token.as_str())) {
            let Some(postings) = self.postings.get(token) else { continue };
            let holding = count(postings.len());
            let rarity = (1.0 + (number - holding + 0.5) / (holding + 0.5)).ln();
            for posting in postings {
                let weight = self.weight(*posting, averages);
                *scores.entry(posting.entry).or_default() += rarity * weight * (K1 + 1.0) / (weight + K1);
            }
        }
        let mut ranked: Vec<(u32, f64)> = scores.into_iter().filter(|(entry, _)| takes(*entry)).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked.into_iter().map(|(entry, _)| entry).collect()
    }

    /// How much the hits of a token in an entry come to, each field by its length and its weight.
    fn weight(&self, posting: Posting, averages: [f64; FIELDS]) -> f64 {
        let lengths = usize::try_from(posting.entry).ok().and_then(|entry| self.lengths.get(entry));
        let lengths = lengths.copied().unwrap_or(averages);
        let mut sum = 0.0;
        for ((hits, length), (average, (b, weight))) in
            posting.hits.into_iter().zip(lengths).zip(averages.into_iter().zip(B.into_iter().zip(WEIGHTS)))
        {
            sum += weight * f64::from(hits) / (1.0 - b + b * length / average);
        }
        sum
    }
}

fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::from(u32::MAX), f64::from)
}

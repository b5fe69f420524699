//! The contracts that are shown on demand: what each takes, and how well a message covers what its tool says that it does.

use std::collections::{BTreeMap, BTreeSet};

use balcao_language::bilingual_tokens;
use balcao_tool::CommandSpec;

/// Contracts by the names of their tools.
#[derive(Debug, Default)]
pub(super) struct Contracts {
    by_name: BTreeMap<String, Contract>,
    /// In how many contracts a word stands: a word of many says little.
    holders: BTreeMap<String, u32>,
}

#[derive(Debug)]
struct Contract {
    /// What it takes.
    tokens: usize,
    /// The tool's name, and what it does in each language: its description up to the first stop.
    phrases: Vec<Vec<Word>>,
}

/// A word of a phrase by its stems, in either language.
type Word = Vec<String>;

/// The words of a phrase, but for those that say nothing.
fn words(phrase: &str) -> Vec<Word> {
    let each = phrase.split(|letter: char| !letter.is_alphanumeric()).map(bilingual_tokens);
    each.filter(|stems| !stems.is_empty()).collect()
}

impl Contracts {
    /// The contracts of these tools, with the tokens of each.
    pub(super) fn new<'a>(tools: impl Iterator<Item = (&'a CommandSpec, usize)>) -> Self {
        let mut contracts = Self::default();
        for (spec, tokens) in tools {
            let first = |text: &str| text.split([',', '.', ':', ';', '(']).next().unwrap_or_default().to_owned();
            let texts = [spec.name.clone(), first(&spec.description.pt_br), first(&spec.description.en)];
            let phrases: Vec<Vec<Word>> = texts.iter().map(|text| words(text)).collect();
            for stem in phrases.iter().flatten().flatten().collect::<BTreeSet<_>>() {
                *contracts.holders.entry(stem.clone()).or_default() += 1;
            }
            contracts.by_name.insert(spec.name.clone(), Contract { tokens, phrases });
        }
        contracts
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Tokens of a contract.
    pub(super) fn tokens(&self, name: &str) -> Option<usize> {
        Some(self.by_name.get(name)?.tokens)
    }

    /// The part of a tool's best covered phrase that is among these stems, from 0 to 1; rare words count more.
    pub(super) fn covered_by(&self, name: &str, stems: &BTreeSet<String>) -> f64 {
        let is_there = |word: &&Word| word.iter().any(|stem| stems.contains(stem));
        let share = |phrase: &Vec<Word>| {
            let whole: f64 = phrase.iter().map(|word| self.weight(word)).sum();
            let there: f64 = phrase.iter().filter(is_there).map(|word| self.weight(word)).sum();
            if whole > 0.0 { there / whole } else { 0.0 }
        };
        let phrases = self.by_name.get(name).map(|contract| contract.phrases.as_slice()).unwrap_or_default();
        phrases.iter().map(share).fold(0.0, f64::max)
    }

    /// What a word says, by the stem that the most contracts have.
    fn weight(&self, word: &Word) -> f64 {
        let all = u32::try_from(self.by_name.len()).unwrap_or(u32::MAX);
        let holders = word.iter().filter_map(|stem| self.holders.get(stem)).max().copied().unwrap_or(all);
        (1.0 + f64::from(all) / f64::from(holders.max(1))).ln()
    }
}

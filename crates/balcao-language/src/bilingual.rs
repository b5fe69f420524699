//! The tokens of texts that are Portuguese or English, names of code among them: `createTask`, `calendar.events.list`, "cria uma tarefa".
//!
//! Built on [`search`](crate::search): the same folding, the same stop words, the same stems. Besides, names are cut where their parts
//! meet, and a word is also known by its English stem: which language a short text is in is not guessed.

use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use crate::{
    normalize::{TokenKind, tokens},
    search::{is_stop_word, stem},
};

static ENGLISH: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// The tokens of a text, in its order: of each word its Portuguese stem and, where it differs, its English one.
#[must_use]
pub fn bilingual_tokens(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for token in tokens(&apart(text)).into_iter().filter(|token| token.kind != TokenKind::Mark) {
        if is_stop_word(&token.text) || ENGLISH_STOP_WORDS.contains(&token.text.as_str()) {
            continue;
        }
        let portuguese = stem(&token.text);
        if token.kind == TokenKind::Word && token.text.is_ascii() {
            let english = ENGLISH.stem(&token.text).into_owned();
            if english != portuguese {
                found.push(english);
            }
        }
        found.push(portuguese);
    }
    found
}

/// A blank between the parts of a name: `createTask`, `HTTPServer` and `create_task` are two words each.
fn apart(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let letters: Vec<char> = text.chars().collect();
    for (place, letter) in letters.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|before| letters.get(before));
        let after = letters.get(place + 1);
        let rises =
            before.is_some_and(|before| before.is_lowercase() || before.is_ascii_digit()) && letter.is_uppercase();
        let ends_capitals = before.is_some_and(|before| before.is_uppercase())
            && letter.is_uppercase()
            && after.is_some_and(|after| after.is_lowercase());
        if rises || ends_capitals {
            out.push(' ');
        }
        out.push(if *letter == '_' { ' ' } else { *letter });
    }
    out
}

const ENGLISH_STOP_WORDS: &[&str] = &[
    "by", "from", "as", "into", "its", "their", "them", "these", "those", "was", "were", "been", "being", "if", "then",
    "than", "so", "but", "which", "who", "will", "would", "should", "could", "may", "might", "must", "us", "our",
    "his", "her", "need", "want", "d", "s", "t", "re", "ll", "ve", "m",
];

#[cfg(test)]
#[path = "bilingual_tests.rs"]
mod tests;

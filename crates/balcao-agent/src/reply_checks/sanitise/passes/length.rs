//! Excess length: cut at the last sentence that fits, by what people see as characters.

use unicode_segmentation::UnicodeSegmentation;

use crate::reply_checks::sanitise::{
    edit::{Edit, Severity, sentences},
    rules::Rules,
};

pub(crate) fn find(text: &str, rules: &Rules) -> Vec<Edit> {
    let most = rules.config.max_chars;
    if most == 0 || text.len() <= most {
        return Vec::new();
    }
    let Some((limit, _)) = text.grapheme_indices(true).nth(most) else { return Vec::new() };
    let fits = sentences(text).into_iter().map(|sentence| sentence.end).take_while(|end| *end <= limit).last();
    // A first sentence that is too long is cut at a word, or at the character if it is one word.
    let end = fits.unwrap_or_else(|| {
        text.get(..limit).and_then(|head| head.rfind(char::is_whitespace)).filter(|at| *at > 0).unwrap_or(limit)
    });
    vec![Edit::new(end..text.len(), Severity::Form)]
}

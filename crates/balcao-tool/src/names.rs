//! Names that are near to one that does not exist.

use crate::limits::MAX_SUGGESTIONS;

/// At most [`MAX_SUGGESTIONS`] of `known`, the most similar to `name` first; none that is not similar at all.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = name.to_lowercase();
    let mut scored: Vec<(f64, &str)> = known
        .map(|candidate| (strsim::jaro_winkler(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score > 0.6)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.into_iter().take(MAX_SUGGESTIONS).map(|(_, candidate)| candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_names_come_first_and_what_is_not_similar_not_at_all() {
        let known = ["book_slot", "book_appointment", "BOOK_SLOTS", "cancel", "book_slot_at"];
        assert_eq!(nearest("book_slot", known.into_iter()), ["book_slot", "BOOK_SLOTS", "book_slot_at"]);
        assert_eq!(nearest("CANCEL", known.into_iter()), ["cancel"]);
        assert_eq!(nearest("ab", ["ba", "xy"].into_iter()), Vec::<&str>::new());
        // Of two that are equally similar the first by the alphabet.
        assert_eq!(nearest("slot", ["slot2", "slot1"].into_iter()), ["slot1", "slot2"]);
    }
}

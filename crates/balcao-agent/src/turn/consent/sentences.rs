//! The sentences of a text of ours.

use super::vocabulary::TITLES;
use crate::turn::grounding::words;

/// The parts of a text, each with the mark that ends it. The dot of a title before a name ends nothing, nor does a mark within a number:
/// "o Dr. Wesley", "10:00", "R$ 1.500".
pub(super) fn parts<'a>(text: &'a str, marks: &[char]) -> Vec<&'a str> {
    let (mut all, mut begins) = (Vec::new(), 0);
    for (at, mark) in text.match_indices(marks) {
        let behind = at.saturating_add(mark.len());
        let (Some(part), Some(rest)) = (text.get(begins..behind), text.get(behind..)) else { continue };
        if mark == "." && ends_with_title(part) && rest.trim_start().starts_with(char::is_uppercase) {
            continue;
        }
        let is_digit = |letter: char| letter.is_ascii_digit();
        if text.get(..at).is_some_and(|before| before.ends_with(is_digit)) && rest.starts_with(is_digit) {
            continue;
        }
        all.push(part);
        begins = behind;
    }
    all.extend(text.get(begins..).filter(|rest| !rest.is_empty()));
    all
}

fn ends_with_title(text: &str) -> bool {
    words(text).last().is_some_and(|last| TITLES.contains(&last.as_str()))
}

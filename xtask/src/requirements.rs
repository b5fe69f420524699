//! Checks that `docs/requirements.md` explains every requirement number that the sources cite.

use std::{collections::BTreeSet, fs};

const LIST: &str = "docs/requirements.md";
/// The letters of the families: attacks, faults, gates, invariants, oracles, privacy.
const FAMILIES: [&str; 6] = ["A", "F", "G", "I", "O", "P"];
/// The files that may cite a number. This file is left out, because its tests make numbers up.
const SOURCES: [&str; 8] = ["*.rs", "*.sql", "*.js", "*.sh", "*.toml", "*.yaml", "*.md", ":!xtask/src/requirements.rs"];

/// Fails for a number that the sources cite and the list does not explain.
pub(crate) fn check() -> Result<String, String> {
    let list = fs::read_to_string(LIST).map_err(|error| format!("{LIST}: {error}"))?;
    let explained = explained(&list);
    let mut cited_numbers = BTreeSet::new();
    let mut problems = Vec::new();
    for file in crate::files(&SOURCES)? {
        // A file that is not UTF-8 is not a source.
        let Ok(text) = fs::read_to_string(&file) else { continue };
        for (line, number) in
            (1..).zip(text.lines()).flat_map(|(line, text)| cited(text).into_iter().map(move |n| (line, n)))
        {
            if !explained.contains(&number) {
                problems.push(format!("{file}:{line}: unknown requirement {number}; expected a number of {LIST}"));
            }
            cited_numbers.insert(number);
        }
    }
    if problems.is_empty() {
        Ok(format!("{} requirements are cited and explained", cited_numbers.len()))
    } else {
        Err(problems.join("\n"))
    }
}

/// The numbers in the first column of the tables.
fn explained(list: &str) -> BTreeSet<String> {
    let cells = list.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    cells.filter(|cell| is_number(cell)).map(str::to_owned).collect()
}

/// The numbers in a line: `F-02` in prose, and `f_02_` at the beginning of a name.
fn cited(line: &str) -> Vec<String> {
    let words = line.split(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '-' | '_'));
    words.flat_map(|word| if is_number(word) { vec![word.to_owned()] } else { numbers_of_name(word) }).collect()
}

/// Whether a word is a number such as `F-02`. Two digits follow a `P`, because elliptic curves have three.
fn is_number(word: &str) -> bool {
    let Some((family, digits)) = word.split_once('-') else { return false };
    let most = if family == "P" { 2 } else { 3 };
    FAMILIES.contains(&family)
        && (1..=most).contains(&digits.len())
        && digits.bytes().all(|digit| digit.is_ascii_digit())
}

/// The numbers with which the name of a test begins; a name such as `f_08_f_09_…` has two.
fn numbers_of_name(name: &str) -> Vec<String> {
    let mut numbers = Vec::new();
    let mut parts = name.split('_');
    while let (Some(family), Some(digits)) = (parts.next(), parts.next()) {
        let number = format!("{}-{digits}", family.to_uppercase());
        let is_cited = family.chars().all(char::is_lowercase) && is_number(&number) && parts.clone().next().is_some();
        if !is_cited {
            break;
        }
        numbers.push(number);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_prose_and_in_names_are_cited() {
        assert_eq!(cited("/// See I-5, F-02's rule and (A-105)."), ["I-5", "F-02", "A-105"]);
        assert_eq!(cited("async fn f_08_f_09_a_blind_effect() {}"), ["F-08", "F-09"]);
        assert_eq!(cited("fn i_1_row_is_durable() {} // G-05/O-2"), ["I-1", "G-05", "O-2"]);
    }

    #[test]
    fn other_words_are_not_cited() {
        for text in ["P-521", "UTF-8", "SHA-256", "A-1234", "x-F-02", "let p_95 = 1;", "of_02_x", "F_02_X", "i_64"] {
            assert_eq!(cited(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn explained_numbers_stand_in_the_first_column() {
        let list = "| number | demand |\n|---|---|\n| F-02 | As I-5. |\nA-1\n";
        assert_eq!(explained(list), BTreeSet::from(["F-02".to_owned()]));
    }
}

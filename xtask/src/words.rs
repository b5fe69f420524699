//! What must not stand in the project: marks of unfinished work, files that have grown too long, and words that `docs/style.md` advises
//! against, which may become fewer and never more.

use std::{collections::BTreeMap, fs, process::Command};

/// Longest source file, in lines; tests and tables may be longer.
const MAX_LINES: usize = 600;

/// How often each discouraged word may still occur, by place and word.
const COUNTS: &str = "xtask/words.json";

/// Words in comments that hide the noun a reader needs.
const IN_COMMENTS: [&str; 8] = ["told", "whom", "whoever", "nobody", "somebody", "anew", "is no", "the same,"];

/// Function names that say neither what a function does nor to what.
const FUNCTIONS: [&str; 16] = [
    "at", "by", "judge", "keep", "of", "said", "say", "settle", "tell", "to", "told", "whom", "whose", "with",
    "within", "word",
];

/// Forms of an error that say what something is not, in place of what is expected.
const IN_TEXTS: [&str; 3] = ["is no ", "is none", "are none"];

/// Files whose texts a model or a customer reads. Their wording is part of what the evaluations measure, so this check does not ask
/// for a change of it.
const FOR_MODELS_AND_CUSTOMERS: [&str; 9] = [
    "crates/balcao-agent/src/prompt/words.rs",
    "crates/balcao-connector/src/request.rs",
    "crates/balcao-domain/src/ids.rs",
    "crates/balcao-domain/src/phone.rs",
    "crates/balcao-offline/src/words/",
    "crates/balcao-pack/src/program/messages.rs",
    "crates/balcao-pack/src/validate/reads.rs",
    "crates/balcao-query/src/",
    "crates/balcao-tool/src/repair.rs",
];

/// A line that makes the error of a tool holds a text for the model.
const MAKES_MODEL_TEXT: &str = "ToolError::new(";

type Counts = BTreeMap<String, BTreeMap<String, u64>>;

/// Fails for a mark, for a file that is too long, and for a discouraged word that occurs more often than before.
pub(crate) fn check() -> Result<String, String> {
    let files = sources()?;
    let mut problems = marks_and_lengths(&files);
    let (counts, limits) = (count(&files), read_limits()?);
    let mut fewer = 0;
    for (place, words) in &counts {
        for (word, found) in words {
            let limit = limits.get(place).and_then(|words| words.get(word)).copied().unwrap_or_default();
            if *found > limit {
                problems.push(format!(
                    "`{word}` occurs {found} times in {place}; expected at most {limit} ({COUNTS}); docs/style.md says what to write"
                ));
            }
            fewer += limit.saturating_sub(*found);
        }
    }
    if !problems.is_empty() {
        return Err(problems.join("\n"));
    }
    let lower =
        if fewer == 0 { String::new() } else { format!("; {fewer} fewer than allowed: `xtask lower` keeps it so") };
    Ok(format!("{} files, nothing to complain about{lower}", files.len()))
}

/// Writes today's counts as the limits; a limit never rises.
pub(crate) fn lower() -> Result<String, String> {
    let mut counts = count(&sources()?);
    if let Ok(limits) = read_limits() {
        for (place, words) in &mut counts {
            for (word, found) in words {
                let limit = limits.get(place).and_then(|words| words.get(word)).copied().unwrap_or(*found);
                *found = limit.min(*found);
            }
        }
    }
    let text = serde_json::to_string_pretty(&counts).map_err(|error| error.to_string())?;
    fs::write(COUNTS, format!("{text}\n")).map_err(|error| format!("{COUNTS}: {error}"))?;
    Ok(format!("{COUNTS} holds today's counts"))
}

fn read_limits() -> Result<Counts, String> {
    let text = fs::read_to_string(COUNTS).map_err(|error| format!("{COUNTS}: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("{COUNTS}: {error}"))
}

/// Path and text of every Rust file that git knows, but for this one, which names the words.
fn sources() -> Result<Vec<(String, String)>, String> {
    let listed =
        Command::new("git").args(["ls-files", "*.rs"]).output().map_err(|error| format!("git ls-files: {error}"))?;
    let files = String::from_utf8_lossy(&listed.stdout).into_owned();
    let read = |file: &str| Some((file.to_owned(), fs::read_to_string(file).ok()?));
    Ok(files.lines().filter(|file| *file != "xtask/src/words.rs").filter_map(read).collect())
}

fn marks_and_lengths(files: &[(String, String)]) -> Vec<String> {
    let marks = ["TODO", "FIXME", "XXX", "#[ignore"];
    let mut problems = Vec::new();
    for (file, text) in files {
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(mark) = marks.iter().find(|mark| line.contains(**mark)) {
                problems.push(format!("{file}:{number}: `{mark}` is a mark of unfinished work"));
            }
        }
        let lines = text.lines().count();
        if lines > MAX_LINES && !file.contains("tests") {
            problems.push(format!("{file}: {lines} lines; expected at most {MAX_LINES}: is it still one thing?"));
        }
    }
    problems
}

fn count(files: &[(String, String)]) -> Counts {
    let zeros = |words: &[&str]| words.iter().map(|word| ((*word).to_owned(), 0)).collect();
    let mut counts: Counts = [
        ("comments".to_owned(), zeros(&IN_COMMENTS)),
        ("function names".to_owned(), zeros(&FUNCTIONS)),
        ("texts".to_owned(), zeros(&IN_TEXTS)),
    ]
    .into();
    let mut add = |place: &str, word: &str, times: usize| {
        if let Some(found) = counts.get_mut(place).and_then(|words| words.get_mut(word)) {
            *found += u64::try_from(times).unwrap_or(u64::MAX);
        }
    };
    for (file, text) in files {
        let tests = file.contains("tests");
        let speaks = FOR_MODELS_AND_CUSTOMERS.iter().any(|place| file.starts_with(place));
        for line in text.lines().map(str::trim) {
            if let Some(comment) = line.strip_prefix("//") {
                let comment = comment.to_lowercase();
                IN_COMMENTS.iter().for_each(|word| add("comments", word, occurrences(&comment, word)));
                continue;
            }
            if let Some(name) = function_name(line).filter(|_| !tests) {
                FUNCTIONS.iter().filter(|bare| **bare == name).for_each(|bare| add("function names", bare, 1));
            }
            if !tests && !speaks && !line.contains(MAKES_MODEL_TEXT) {
                let quoted: Vec<&str> = line.split('"').skip(1).step_by(2).collect();
                let found = |word: &str| quoted.iter().map(|text| text.matches(word).count()).sum();
                IN_TEXTS.iter().for_each(|word| add("texts", word, found(word)));
            }
        }
    }
    counts
}

/// How often a word stands in a text by itself.
fn occurrences(text: &str, word: &str) -> usize {
    let is_part = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    let alone = |(at, found): &(usize, &str)| {
        let before = text.get(..*at).and_then(|before| before.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|after| after.chars().next());
        !is_part(before) && !is_part(after)
    };
    text.match_indices(word).filter(alone).count()
}

/// The name of a function that begins in this line.
fn function_name(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once("fn ")?;
    let modifiers = ["pub", "pub(crate)", "pub(super)", "const", "async", "unsafe", "extern"];
    let all_modify = before.split_whitespace().all(|word| modifiers.contains(&word) || word.starts_with("pub("));
    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
    rest.get(..end).filter(|_| all_modify)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, place: &str, word: &str) -> u64 {
        count(&[("a.rs".to_owned(), text.to_owned())])[place][word]
    }

    #[test]
    fn discouraged_words_count_in_comments_names_and_texts_alone() {
        let text = "/// Told whom it is told.\nlet told = \"told\";\npub(crate) fn told(a: u8) {}\nfn told_all() {}\nlet e = \"`x` is no day\";\n// stolden\n";
        assert_eq!(found(text, "comments", "told"), 2);
        assert_eq!(found(text, "comments", "whom"), 1);
        assert_eq!(found(text, "function names", "told"), 1);
        assert_eq!(found(text, "texts", "is no "), 1);
    }

    #[test]
    fn texts_for_models_and_customers_are_not_counted() {
        let error = "let e = \"`x` is no day\";\n";
        let counted = |file: &str, text: &str| count(&[(file.to_owned(), text.to_owned())])["texts"]["is no "];
        assert_eq!(counted("crates/balcao-domain/src/hours.rs", error), 1);
        assert_eq!(counted("crates/balcao-offline/src/words/en.rs", error), 0);
        assert_eq!(counted("crates/balcao-domain/src/ids.rs", error), 0);
        assert_eq!(counted("a.rs", "ToolError::new(ErrorCode::NotFound, \"`x` is no day\")\n"), 0);
    }

    #[test]
    fn every_file_for_models_and_customers_exists() {
        for place in FOR_MODELS_AND_CUSTOMERS {
            assert!(std::path::Path::new("..").join(place).exists(), "{place} is gone; take it out of the list");
        }
    }
}

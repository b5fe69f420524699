//! YAML files with positions, so that every mistake names its line and column, the line itself, and what would be right.
//!
//! A [`Document`] is a file read as JSON values; [`Document::problem`] turns a JSON pointer and words into a [`Problem`] with
//! its place. Profiles, packs, scenarios and businesses are all read through here.

mod positions;

use std::fmt;
use std::sync::OnceLock;

use serde::de::DeserializeOwned;
use serde_json::Value;

use positions::Positions;

/// Largest file that is read, in bytes.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Parts that aliases may repeat in all: more than anybody writes, and few enough for whoever walks them.
const MAX_REPEATED: usize = 100_000;

/// How many lines below its key a block of text is looked for: blank lines and comments may stand between.
const BLOCK_SEARCH: usize = 50;

/// A YAML file, read.
#[derive(Debug, Clone)]
pub struct Document {
    /// The file's name, as problems show it.
    pub file: String,
    /// Its content as JSON values. Unquoted dates stay strings.
    pub value: Value,
    text: String,
    /// Where everything stands: found out with the first problem, for there may be many.
    positions: OnceLock<Positions>,
}

/// Writes values as YAML, as [`Document::read`] reads them back.
///
/// # Errors
/// What cannot be written, which no JSON value is.
pub fn write(value: &Value) -> Result<String, String> {
    serde_saphyr::to_string(value).map_err(|error| error.to_string())
}

/// One mistake in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub file: String,
    /// The value, as a JSON pointer; empty where the file as a whole is meant.
    pub pointer: String,
    /// From 1; 0 if the place is not known.
    pub line: usize,
    /// From 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub suggestion: Option<String>,
    /// The line itself.
    pub snippet: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What a file lacks, or is as a whole, stands on no line.
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.message)?,
            line => write!(f, "{}:{line}:{}: {}", self.file, self.column, self.message)?,
        }
        if let Some(suggestion) = &self.suggestion {
            write!(f, "; {suggestion}")?;
        }
        if !self.snippet.is_empty() {
            write!(f, "\n    {} | {}", self.line, self.snippet)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}

impl Document {
    /// Reads a file's text.
    ///
    /// # Errors
    /// The first place where it is no YAML (a repeated key included), or is too large.
    pub fn read(file: &str, text: &str) -> Result<Self, Box<Problem>> {
        // Editors of some systems begin a file with a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let at = |line: usize, column: usize, message: String| {
            Box::new(Problem {
                file: file.to_owned(),
                pointer: String::new(),
                line,
                column,
                message: clipped(&message),
                suggestion: None,
                snippet: excerpt(line_of(text, line), column),
            })
        };
        if text.len() > MAX_BYTES {
            return Err(at(0, 0, format!("the file is larger than {MAX_BYTES} bytes")));
        }
        // YAML 1.2: `yes`, `no`, `y` and `on` are words, and `0119` is no octal number.
        let options = serde_saphyr::options! {
            strict_booleans: true,
            leading_zero_numbers_as_strings: true,
            alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MAX_REPEATED },
        };
        match serde_saphyr::from_str_with_options::<Value>(text, options) {
            Ok(Value::Null) => Err(at(1, 1, "the file is empty".to_owned())),
            Ok(value) => Ok(Self { file: file.to_owned(), value, text: text.to_owned(), positions: OnceLock::new() }),
            Err(error) => {
                let (line, column) =
                    error.location().map_or((0, 0), |place| (widen(place.line()), widen(place.column())));
                let words = error.to_string();
                let first = words.lines().next().unwrap_or("invalid YAML").trim_start_matches("error: ").to_owned();
                let first = without_place(&first);
                if let Some((line, column)) = indenting_tab(text, line) {
                    let suggestion = Some("indent with spaces".to_owned());
                    return Err(Box::new(Problem {
                        suggestion,
                        ..*at(line, column, "a tab does not indent".to_owned())
                    }));
                }
                if !first.contains("duplicate mapping key") {
                    return Err(at(line, column, beyond_budget(&first).unwrap_or(first)));
                }
                // The library's words speak of its own options.
                let key =
                    line_of(text, line).trim_start().trim_start_matches("- ").split(':').next().unwrap_or_default();
                let message = format!("the key `{}` is here twice", key.trim());
                let suggestion = Some("keep one of the two".to_owned());
                Err(Box::new(Problem { suggestion, ..*at(line, column, message) }))
            }
        }
    }

    fn positions(&self) -> &Positions {
        self.positions.get_or_init(|| Positions::from_text(&self.text))
    }

    /// The unquoted value at a JSON pointer as the file writes it: `1.50` and `1.500` are one number in [`Self::value`]. `None` of a quoted
    /// text, a list or a mapping, and of a value that an alias repeats.
    #[must_use]
    pub fn written(&self, pointer: &str) -> Option<&str> {
        self.positions().written(pointer)
    }

    /// A mistake at a JSON pointer. If nothing stands there (a missing key), the place of what should hold it is named.
    #[must_use]
    pub fn problem(&self, pointer: &str, message: impl Into<String>, suggestion: Option<String>) -> Problem {
        let (line, column) = self.positions().find(pointer);
        Problem {
            file: self.file.clone(),
            pointer: pointer.to_owned(),
            line,
            column,
            message: clipped(&message.into()),
            suggestion: suggestion.as_deref().map(clipped),
            snippet: excerpt(line_of(&self.text, line), column),
        }
    }

    /// Where the text of a string begins that may be a block of many lines (`function: |`): its first line, from 1, and how many
    /// characters stand before each of its lines.
    ///
    /// `text` is the string at `pointer`. Of a string outside of a block, the characters before it on its only line.
    #[must_use]
    pub fn text_start(&self, pointer: &str, text: &str) -> (usize, usize) {
        let (line, column) = self.positions().find(pointer);
        let standing = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        // A block begins below its key, and loses its indentation.
        let block = (line..line.saturating_add(BLOCK_SEARCH)).find_map(|at| {
            let before = line_of(&self.text, at).strip_suffix(standing.trim_end())?;
            before.chars().all(|character| character == ' ').then(|| (at, before.chars().count()))
        });
        match block {
            Some((at, indent)) if !standing.is_empty() => {
                let blank = text.lines().take_while(|line| line.trim().is_empty()).count();
                (at.saturating_sub(blank), indent)
            }
            _ => {
                let before = column.saturating_sub(1);
                let quoted =
                    line_of(&self.text, line).chars().nth(before).is_some_and(|first| matches!(first, '"' | '\''));
                (line, before + usize::from(quoted))
            }
        }
    }

    /// Reads the content as `T`. The first mistake is named with its place and, for an unknown key or variant, the nearest
    /// known one.
    ///
    /// # Errors
    /// The mistake.
    pub fn read_as<T: DeserializeOwned>(&self) -> Result<T, Box<Problem>> {
        self.read_as_at()
            .map_err(|(pointer, message, suggestion)| Box::new(self.problem(&pointer, message, suggestion)))
    }

    /// As [`Self::read_as`], for a value that was put together of several files: the mistake's JSON pointer, what is wrong and what would
    /// be right.
    ///
    /// # Errors
    /// The mistake.
    pub fn read_as_at<T: DeserializeOwned>(&self) -> Result<T, (String, String, Option<String>)> {
        serde_path_to_error::deserialize(&self.value).map_err(|error| {
            let mut pointer = String::new();
            for segment in error.path() {
                match segment {
                    serde_path_to_error::Segment::Seq { index } => pointer.push_str(&format!("/{index}")),
                    serde_path_to_error::Segment::Map { key } => pointer.push_str(&format!("/{}", escape(key))),
                    serde_path_to_error::Segment::Enum { .. } | serde_path_to_error::Segment::Unknown => {}
                }
            }
            let message = error.into_inner().to_string();
            let suggestion = unknown_name(&message);
            (pointer, message, suggestion)
        })
    }
}

/// Writes a key as a step of a JSON pointer.
#[must_use]
pub fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// The most similar of `known`, if one is similar at all.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    // The first measure likes common beginnings, the second forgives a swap in a short name.
    let score = |candidate: &str| {
        let candidate = candidate.to_lowercase();
        strsim::jaro_winkler(&wanted, &candidate).max(strsim::normalized_damerau_levenshtein(&wanted, &candidate))
    };
    known
        .into_iter()
        .map(|candidate| (score(candidate), candidate))
        .filter(|(score, _)| *score > 0.66)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// Rewords the library's errors about its own budget for the author of the file.
fn beyond_budget(message: &str) -> Option<String> {
    if message.contains("Nodes {") {
        return Some("the file holds too many values; expected at most 250000".to_owned());
    }
    if message.contains("recursion limit") || message.contains("Depth {") {
        return Some("values are nested too deep here; expected at most 127 levels".to_owned());
    }
    message.contains("budget breached").then(|| "the file takes too much to read; expected a simpler one".to_owned())
}

/// serde says "unknown field `x`, expected one of `a`, `b`": offers the nearest.
fn unknown_name(message: &str) -> Option<String> {
    if !message.starts_with("unknown ") {
        return None;
    }
    let mut names = message.split('`').skip(1).step_by(2);
    let wrong = names.next()?;
    nearest(wrong, names).map(|name| format!("did you mean `{name}`?"))
}

fn line_of(text: &str, line: usize) -> &str {
    line.checked_sub(1).and_then(|skip| text.lines().nth(skip)).unwrap_or("").trim_end()
}

/// The first tab that stands where a line is indented, up to a line beyond where reading stopped: what came of it is told elsewhere.
fn indenting_tab(text: &str, stopped: usize) -> Option<(usize, usize)> {
    let lines = text.lines().take(stopped.saturating_add(1)).enumerate();
    // Blocks of text may have tabs of their own: the one nearest to where reading stopped is meant.
    let found = lines.filter_map(|(place, line)| {
        let indent = line.chars().take_while(|letter| matches!(letter, ' ' | '\t'));
        let column = indent.clone().position(|letter| letter == '\t')?;
        (indent.count() < line.chars().count()).then_some((place + 1, column + 1))
    });
    found.last().filter(|(line, _)| line + 2 > stopped)
}

/// The library says the place in its words, too: `line 2 column 2: illegal …`.
fn without_place(words: &str) -> String {
    let rest = words.strip_prefix("line ").and_then(|rest| rest.split_once(": "));
    match rest {
        Some((place, rest)) if place.split_whitespace().any(|word| word == "column") => rest.to_owned(),
        Some(_) | None => words.to_owned(),
    }
}

/// Characters of a line that a problem shows, and of its words.
const MAX_SHOWN: usize = 160;
const MAX_WORDS: usize = 600;

/// The part of a line that a mistake at `column` is read in: all of it, if it is no longer than anybody reads.
fn excerpt(line: &str, column: usize) -> String {
    let length = line.chars().count();
    if length <= MAX_SHOWN {
        return line.to_owned();
    }
    let from = column.saturating_sub(1 + MAX_SHOWN / 2).min(length - MAX_SHOWN);
    let shown: String = line.chars().skip(from).take(MAX_SHOWN).collect();
    let (before, after) = (if from > 0 { "…" } else { "" }, if from + MAX_SHOWN < length { "…" } else { "" });
    format!("{before}{shown}{after}")
}

/// Words about a mistake quote what stands in the file, which may be as long as the file.
fn clipped(words: &str) -> String {
    match words.char_indices().nth(MAX_WORDS) {
        Some((end, _)) => format!("{}…", words.get(..end).unwrap_or_default()),
        None => words.to_owned(),
    }
}

fn widen(number: impl TryInto<usize>) -> usize {
    number.try_into().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its shape matters")]
    struct Shop {
        name: String,
        hours: Vec<u8>,
    }

    #[test]
    fn a_mistake_names_its_line_and_what_would_be_right() {
        let document = Document::read("shop.yaml", "name: Figueira\nhuors: [9]\n").unwrap();
        let problem = document.read_as::<Shop>().unwrap_err();
        assert_eq!((problem.line, problem.suggestion.as_deref()), (2, Some("did you mean `hours`?")));
        assert!(problem.to_string().starts_with("shop.yaml:2:"), "{problem}");

        let document = Document::read("shop.yaml", "name: Figueira\nhours:\n  - 9\n  - dez\n").unwrap();
        assert_eq!(document.read_as::<Shop>().unwrap_err().line, 4);
    }

    #[test]
    fn text_that_is_no_yaml_and_repeated_keys_are_mistakes_with_a_line() {
        for text in ["a: [1, 2\nb: 3\n", "a: 1\na: 2\n", "a: \"x\n"] {
            let problem = Document::read("x.yaml", text).unwrap_err();
            assert!(problem.line > 0, "{text:?}: {problem:?}");
        }
    }

    #[test]
    fn a_file_of_more_than_4_mib_or_of_very_many_repeated_parts_is_refused() {
        let of = |bytes: usize| format!("a: {}", "x".repeat(bytes - 3));
        assert!(Document::read("x.yaml", &of(super::MAX_BYTES)).is_ok());
        let problem = Document::read("x.yaml", &of(super::MAX_BYTES + 1)).unwrap_err();
        assert!(problem.message.contains("4194304 bytes"), "{problem:?}");
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..9 {
            let parts = vec![format!("*a{}", level - 1); 10].join(", ");
            text.push_str(&format!("a{level}: &a{level} [{parts}]\n"));
        }
        assert!(Document::read("x.yaml", &text).is_err());
    }

    #[test]
    fn the_lines_of_a_block_are_found_with_their_indentation() {
        let text = "a: x => 1\nb: |\n  first\n    second\nlist:\n  - code: |2\n\n      deep\n  - code: 'x => 2'\n";
        let document = Document::read("x.yaml", text).unwrap();
        let start = |pointer: &str| {
            let text = document.value.pointer(pointer).and_then(Value::as_str).unwrap();
            document.text_start(pointer, text)
        };
        assert_eq!(start("/a"), (1, 3));
        assert_eq!(start("/b"), (3, 2));
        assert_eq!(start("/list/1/code"), (9, 11));
    }

    #[test]
    fn a_tab_is_told_at_its_own_place_and_once() {
        for (text, line, column) in [("a: 1\nb:\n\tc: 2\n", 3, 1), ("a:\n  b: 1\n \tc: 2\n", 3, 2)] {
            let problem = Document::read("x.yaml", text).unwrap_err();
            assert_eq!((problem.line, problem.column), (line, column), "{text:?}: {problem:?}");
            assert!(problem.message.contains("tab") && !problem.message.contains("column"), "{problem:?}");
            assert!(problem.suggestion.unwrap().contains("spaces"));
        }
        // Where no tab indents, it is a character as any other.
        assert!(Document::read("x.yaml", "a: |\n  x\n  \ty\nb: 'p\tq'\n").is_ok());
        let other = Document::read("x.yaml", "a: [1\nb: 2\n").unwrap_err();
        assert!(!other.message.contains("line 2") && !other.message.contains("column"), "{other:?}");
    }

    #[test]
    fn of_a_very_long_line_only_the_part_around_the_mistake_is_shown() {
        let long = "x".repeat(100_000);
        let document = Document::read("x.yaml", &format!("name: {long}\nhours: [{long}]\nmore: 1\n")).unwrap();
        let problem = document.read_as::<Shop>().unwrap_err();
        assert!(problem.to_string().len() < 2_000, "{}", problem.to_string().len());
        let problem = document.problem("/hours/0", "no number", None);
        assert!(problem.snippet.starts_with("hours: [x") && problem.snippet.ends_with('…'), "{}", problem.snippet);
        let text = format!("a: {long}\nb: [\n{long}: {long}: 1\n");
        assert!(Document::read("x.yaml", &text).unwrap_err().to_string().len() < 2_000);
    }

    #[test]
    fn a_missing_key_is_shown_where_it_should_stand() {
        let document = Document::read("x.yaml", "tool:\n  id: a\n  commands:\n    - id: b\n").unwrap();
        assert_eq!(document.problem("/tool/commands/0/input_schema", "missing", None).line, 4);
        assert_eq!(document.problem("/tool/id", "bad", None).column, 7);
    }
}

//! From what an author wrote to a module that the engine compiles, without moving a line.
//!
//! We do not parse JavaScript: the engine does. Each way to write a helper is a frame around the text; the first frame that the engine
//! accepts is the one.

use std::collections::BTreeSet;

/// A helper's text in one of the frames.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Framed {
    pub(super) text: String,
    /// Characters that the frame puts before the first line.
    pub(super) shift: u32,
}

const BEFORE_EXPRESSION: &str = "export default (";

/// The frames to try, in this order. If none is accepted, the complaint about the last one is the author's.
pub(super) fn frames(source: &str) -> Vec<Framed> {
    if exports(source) {
        return vec![Framed { text: source.to_owned(), shift: 0 }];
    }
    let expression = Framed {
        text: format!("{BEFORE_EXPRESSION}{}\n);", without_end(source)),
        shift: u32::try_from(BEFORE_EXPRESSION.len()).unwrap_or(0),
    };
    // `typeof` of a name that only looked like a top-level one is "undefined", so finding too many does no harm.
    let functions: Vec<String> = names(source)
        .iter()
        .map(|name| format!("{name}: typeof {name} === \"function\" ? {name} : undefined"))
        .collect();
    let statements = Framed {
        text: format!("{source}\n;export const __functions = () => ({{ {} }});", functions.join(", ")),
        shift: 0,
    };
    // Accepted only where a frame was at fault; otherwise the complaint about it is about the author's text alone.
    let bare = Framed { text: source.to_owned(), shift: 0 };
    vec![expression, statements, bare]
}

/// Whether a line begins with `export`.
fn exports(source: &str) -> bool {
    source.lines().any(|line| {
        let rest = line.trim_start().strip_prefix("export");
        rest.is_some_and(|rest| rest.starts_with([' ', '\t', '{', '*']))
    })
}

/// Without the semicolon that ends an expression statement, and a comment on the rest of its line.
fn without_end(source: &str) -> &str {
    let trimmed = source.trim_end();
    let (before, line) = trimmed.rsplit_once('\n').map_or(("", trimmed), |(before, line)| (before, line));
    let end = line.find(";").filter(|at| {
        let comment = line.get(at + 1..).unwrap_or("").trim_start();
        comment.starts_with("//") && !comment.contains(['\'', '"', '`'])
    });
    let kept = end.map_or(trimmed.len(), |end| trimmed.len() - line.len() + end);
    let _ = before;
    trimmed.get(..kept).unwrap_or(trimmed).trim_end_matches([';', ' ', '\t', '\n', '\r'])
}

/// Names that are declared with `function`, `const`, `let` or `var`, at whatever depth.
fn names(source: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let mut previous = "";
    let mut rest = source;
    while let Some(start) = rest.find(in_name) {
        let Some((gap, from)) = rest.split_at_checked(start) else { break };
        let length = from.find(|character| !in_name(character)).unwrap_or(from.len());
        let Some((word, after)) = from.split_at_checked(length) else { break };
        let adjacent = gap.chars().all(|character| character.is_whitespace() || character == '*');
        let declares = matches!(previous, "function" | "const" | "let" | "var");
        if adjacent && declares && !word.starts_with(|first: char| first.is_numeric()) && !RESERVED.contains(&word) {
            found.insert(word);
        }
        previous = word;
        rest = after;
    }
    found
}

/// Words that may follow `function` or `let` in prose, and would break the frame.
const RESERVED: &[&str] = &[
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

fn in_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;

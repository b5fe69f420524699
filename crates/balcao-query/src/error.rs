//! What is wrong with a question, where, and what would be right.

use thiserror::Error;

/// A question that cannot be answered as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {message}{}", .suggestion.as_ref().map(|text| format!("; {text}")).unwrap_or_default())]
pub struct QueryError {
    /// Where, in bytes from the start.
    pub at: usize,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub suggestion: Option<String>,
}

/// A problem whose place is known by its byte alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) at: usize,
    pub(crate) message: String,
    pub(crate) suggestion: Option<String>,
}

pub(crate) type Checked<T> = Result<T, Problem>;

impl Problem {
    pub(crate) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), suggestion: None }
    }

    pub(crate) fn suggest(self, suggestion: impl Into<String>) -> Self {
        Self { suggestion: Some(suggestion.into()), ..self }
    }

    /// The same, with its place in the question.
    pub(crate) fn placed(self, text: &str) -> QueryError {
        let before = text.get(..self.at.min(text.len())).unwrap_or(text);
        let (line, last) = before.split('\n').enumerate().last().unwrap_or((0, ""));
        let Self { at, message, suggestion } = self;
        QueryError { at, line: line + 1, column: last.chars().count() + 1, message, suggestion }
    }
}

/// "did you mean …?" or the list, for a name that does not exist.
pub(crate) fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let wrong = wrong.to_lowercase();
    let near = known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(&wrong, name), *name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 4)
        .min();
    match near {
        Some((_, name)) => format!("did you mean `{name}`?"),
        None => format!("there are: {}", known.join(", ")),
    }
}

/// A number beyond what is kept to the last digit.
pub(crate) fn too_large(what: &str) -> Problem {
    Problem::new(0, format!("{what} is larger than a number may be"))
        .suggest("compute with smaller numbers; there is no such figure in this business")
}

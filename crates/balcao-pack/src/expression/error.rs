//! What is wrong with an expression, and where.

use super::Function;

/// What is wrong with an expression or with what it was given, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at character {at}: {kind}")]
pub struct ExpressionError {
    /// The character, from 1.
    pub at: usize,
    /// What.
    pub kind: ErrorKind,
}

/// What is wrong with an expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ErrorKind {
    /// A character that belongs to nothing.
    #[error("`{0}` means nothing here")]
    Character(char),
    /// A text without its end.
    #[error("the text has no closing quote")]
    OpenText,
    /// Something else was expected.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What would be right.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// Longer, deeper or of more parts than an expression may be.
    #[error("the expression has more than {most} {what}")]
    TooLarge {
        /// Of what.
        what: &'static str,
        /// How many there may be.
        most: usize,
    },
    /// No such function.
    #[error("unknown function `{name}`; expected one of {}", Function::NAMES.join(", "))]
    Function {
        /// The name.
        name: String,
    },
    /// A function with too few or too many arguments.
    #[error("`{name}` takes {takes} arguments")]
    Arguments {
        /// The function.
        name: &'static str,
        /// How many it takes.
        takes: usize,
    },
    /// A pattern that is not a valid regular expression.
    #[error("invalid regular expression `{0}`")]
    Pattern(String),
    /// A number that does not fit.
    #[error("invalid number `{0}`")]
    Number(String),
    /// A value of another type than the operation takes.
    #[error("`{operation}` takes {takes}, not {got}")]
    Type {
        /// The operation.
        operation: &'static str,
        /// What it takes.
        takes: &'static str,
        /// What came.
        got: String,
    },
    /// Division by zero, or a result beyond all numbers.
    #[error("invalid result; expected a number")]
    NotANumber,
}

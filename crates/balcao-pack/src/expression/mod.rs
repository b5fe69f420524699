//! The expressions of packs: short conditions and paths over one JSON value, written as authors of JavaScript expect.
//!
//! ```text
//! !event && !trigger_id            event === 'automation_webhook'            payload || body.payload
//! custom_fields[*].id              size(name) <= 100                         {add: assignees, rem: []}
//! ```
//!
//! A name is a field of the value, and `$` is the value itself. A missing field is `null`, and so is a field of a value that is not an
//! object. `&&`, `||` and `!` take `null`, `false`, `0` and `""` for false, as JavaScript does, and `&&` and `||` give one of their
//! operands. `===` and `==` are the same: equal JSON, numbers by value. `<` compares two numbers or two texts. `+`, `-`, `*` and `/` take
//! numbers, and `+` also takes two texts. Anything else is an error with its place. `list[*].field` is the field of every element.
//!
//! Functions: `size(x)` (characters, elements or fields), `type(x)`, `lower(text)`, `number(text)`, `string(x)`, `includes(list or text,
//! x)`, `starts_with(text, text)`, `matches(text, 'pattern')`, `defined(x)`.
//!
//! An expression has no loops and no recursion. Reading an expression limits its length, depth and parts; computing it limits how much of
//! the value it may read. It sees only its value: no clock and no randomness.

mod error;
mod eval;
mod lex;
mod parse;
mod print;
mod values;

use std::fmt;

use serde_json::Value;

pub use error::{ErrorKind, ExpressionError};
use values::truthy;
pub(crate) use values::{equal, kind};

/// Bytes of an expression.
pub const MAX_BYTES: usize = 1024;
/// Parentheses, indices and operators that stand within each other.
pub const MAX_DEPTH: usize = 32;
/// Parts of an expression.
pub const MAX_PARTS: usize = 256;
/// Elements that one evaluation may look at in lists.
pub const MAX_ELEMENTS: usize = 10_000;
/// Bytes of text that one evaluation may make.
pub const MAX_TEXT: usize = 1 << 20;

/// An expression, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    root: Node,
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// The first mistake, with its place.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        Ok(Self { root: parse::parse(text)? })
    }

    /// The texts in quotes of an expression, the patterns among them; none of what cannot be read.
    pub(crate) fn texts(expression: &str) -> Vec<String> {
        let words = lex::words(expression).unwrap_or_default();
        words
            .into_iter()
            .filter_map(|(word, _)| if let lex::Word::Text(text) = word { Some(text) } else { None })
            .collect()
    }

    /// Computes it over a value.
    ///
    /// # Errors
    /// An operation over values that it does not take, or too large a value.
    pub fn value(&self, over: &Value) -> Result<Value, ExpressionError> {
        eval::evaluate(&self.root, over).map(std::borrow::Cow::into_owned)
    }

    /// Whether it holds over a value.
    ///
    /// # Errors
    /// As [`Self::value`].
    pub fn holds(&self, over: &Value) -> Result<bool, ExpressionError> {
        eval::evaluate(&self.root, over).map(|value| truthy(&value))
    }

    /// The fields of the value that it looks at, each with the field below if that is looked at: `input.name` is `("input", Some("name"))`.
    pub(crate) fn roots(&self) -> Vec<(&str, Option<&str>)> {
        let mut found = Vec::new();
        roots(&self.root, &mut found);
        found
    }
}

fn roots<'a>(node: &'a Node, found: &mut Vec<(&'a str, Option<&'a str>)>) {
    match node {
        Node::Literal(_) | Node::Element => {}
        Node::Root => found.push(("$", None)),
        Node::Name(name) => found.push((name, None)),
        Node::Field { of, name } => {
            if let Node::Name(root) = of.as_ref() {
                found.push((root, Some(name)));
            } else {
                roots(of, found);
            }
        }
        Node::Index { of: left, index: right, .. }
        | Node::Each { of: left, then: right }
        | Node::Binary { left, right, .. } => [left, right].into_iter().for_each(|node| roots(node, found)),
        Node::Not(of) | Node::Negative { of, .. } | Node::Matches { text: of, .. } => roots(of, found),
        Node::Call { arguments: nodes, .. } | Node::List(nodes) => nodes.iter().for_each(|node| roots(node, found)),
        Node::Object(fields) => fields.iter().for_each(|(_, node)| roots(node, found)),
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print::node(&self.root, f)
    }
}

/// A part of an expression, with the character where it begins (for what can fail).
#[derive(Debug, Clone)]
enum Node {
    /// `$`
    Root,
    /// A text, a number, `true`, `false`, `null`.
    Literal(Value),
    /// `name`, a field of the root.
    Name(String),
    /// `of.name`
    Field {
        of: Box<Node>,
        name: String,
    },
    /// `of[index]`
    Index {
        of: Box<Node>,
        index: Box<Node>,
        at: usize,
    },
    /// `of[*]`, and what follows it: applied to every element.
    Each {
        of: Box<Node>,
        then: Box<Node>,
    },
    /// What an element is within `then`.
    Element,
    Not(Box<Node>),
    Negative {
        of: Box<Node>,
        at: usize,
    },
    Binary {
        operator: Operator,
        left: Box<Node>,
        right: Box<Node>,
        at: usize,
    },
    Call {
        function: Function,
        arguments: Vec<Node>,
        at: usize,
    },
    /// `matches(text, 'pattern')`, compiled.
    Matches {
        text: Box<Node>,
        pattern: Pattern,
        at: usize,
    },
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

/// Two expressions are equal if they print alike; their positions do not count.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        struct Printed<'a>(&'a Node);
        impl fmt::Display for Printed<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                print::node(self.0, f)
            }
        }
        Printed(self).to_string() == Printed(other).to_string()
    }
}

#[derive(Debug, Clone)]
struct Pattern(regex::Regex);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Or,
    Coalesce,
    And,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl Operator {
    const fn symbol(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::Coalesce => "??",
            Self::And => "&&",
            Self::Equal => "===",
            Self::Unequal => "!==",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
        }
    }

    /// How tightly it binds.
    const fn rank(self) -> u8 {
        match self {
            Self::Or | Self::Coalesce => 1,
            Self::And => 2,
            Self::Equal | Self::Unequal => 3,
            Self::Less | Self::LessEqual | Self::Greater | Self::GreaterEqual => 4,
            Self::Add | Self::Subtract => 5,
            Self::Multiply | Self::Divide => 6,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Function {
    Size,
    Type,
    Lower,
    Number,
    String,
    Includes,
    StartsWith,
    Defined,
}

impl Function {
    const ALL: [Self; 8] = [
        Self::Size,
        Self::Type,
        Self::Lower,
        Self::Number,
        Self::String,
        Self::Includes,
        Self::StartsWith,
        Self::Defined,
    ];
    const NAMES: [&'static str; 9] =
        ["size", "type", "lower", "number", "string", "includes", "starts_with", "defined", "matches"];

    const fn name(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Type => "type",
            Self::Lower => "lower",
            Self::Number => "number",
            Self::String => "string",
            Self::Includes => "includes",
            Self::StartsWith => "starts_with",
            Self::Defined => "defined",
        }
    }

    const fn takes(self) -> usize {
        match self {
            Self::Size | Self::Type | Self::Lower | Self::Number | Self::String | Self::Defined => 1,
            Self::Includes | Self::StartsWith => 2,
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

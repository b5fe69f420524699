//! A question as it was written.

use std::cmp::Ordering;

use crate::value::{Duration, Value};

/// A question whose grammar is right. Whether its names exist, [`Query::plan`](crate::Query::plan) says.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    pub(crate) text: String,
    pub(crate) source: Name,
    pub(crate) stages: Vec<Stage>,
}

/// A name and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) at: usize,
    pub(crate) text: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Stage {
    Where(Expression),
    Extend(Vec<Named>),
    Summarize { figures: Vec<Named>, by: Vec<Named> },
    Sort(Vec<(Name, Direction)>),
    Take(usize),
    Select(Vec<Name>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Ascending,
    Descending,
}

/// `name = expression`; the name may be left out where the expression suggests one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Named {
    pub(crate) name: Option<Name>,
    pub(crate) value: Expression,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Expression {
    pub(crate) at: usize,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Value(Value),
    Duration(Duration),
    Name(String),
    Call(String, Vec<Expression>),
    Not(Box<Expression>),
    Negative(Box<Expression>),
    Both(Box<Expression>, Operator, Box<Expression>),
    In(Box<Expression>, Vec<Expression>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Or,
    And,
    Compare(Comparison),
    Search(Search),
    Compute(Arithmetic),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Search {
    Contains,
    StartsWith,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Plus,
    Minus,
    Times,
    Over,
}

impl Operator {
    /// The operator that is written like this.
    pub(crate) fn of_sign(sign: &str) -> Option<Self> {
        Some(match sign {
            "==" | "=" => Self::Compare(Comparison::Equal),
            "!=" | "<>" => Self::Compare(Comparison::NotEqual),
            "<" => Self::Compare(Comparison::Less),
            "<=" => Self::Compare(Comparison::LessOrEqual),
            ">" => Self::Compare(Comparison::Greater),
            ">=" => Self::Compare(Comparison::GreaterOrEqual),
            "+" => Self::Compute(Arithmetic::Plus),
            "-" => Self::Compute(Arithmetic::Minus),
            "*" => Self::Compute(Arithmetic::Times),
            "/" => Self::Compute(Arithmetic::Over),
            "or" => Self::Or,
            "and" => Self::And,
            "contains" => Self::Search(Search::Contains),
            "startswith" => Self::Search(Search::StartsWith),
            _ => return None,
        })
    }

    /// Those that bind closer have the higher number.
    pub(crate) fn strength(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Compare(_) | Self::Search(_) => 3,
            Self::Compute(Arithmetic::Plus | Arithmetic::Minus) => 4,
            Self::Compute(Arithmetic::Times | Arithmetic::Over) => 5,
        }
    }
}

impl Comparison {
    /// Whether it holds between values that stand so to each other; with nothing only "is not the same" does.
    pub(crate) fn holds(self, order: Option<Ordering>) -> bool {
        match self {
            Self::Equal => order == Some(Ordering::Equal),
            Self::NotEqual => order != Some(Ordering::Equal),
            Self::Less => order == Some(Ordering::Less),
            Self::LessOrEqual => order.is_some_and(Ordering::is_le),
            Self::Greater => order == Some(Ordering::Greater),
            Self::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
        }
    }

    /// The one that says the same with its sides swapped.
    pub(crate) fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
            Self::Equal | Self::NotEqual => self,
        }
    }
}

impl Arithmetic {
    /// As it is written.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Times => "*",
            Self::Over => "/",
        }
    }
}

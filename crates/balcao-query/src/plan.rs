//! A question whose every name and type is right, ready to be run.

use jiff::Span;
use jiff::civil::DateTime;

use crate::aggregate::Aggregate;
use crate::evaluate::Code;
use crate::syntax::{Comparison, Direction, Operator};
use crate::value::{Type, Value};

/// A question that can be answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    pub(crate) source: &'static str,
    pub(crate) fields: Vec<&'static str>,
    pub(crate) steps: Vec<Step>,
    pub(crate) columns: Vec<Column>,
}

/// A column of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type.
    pub of: Type,
}

/// What a question can be about at most, by one of its dates; both ends may be open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Range {
    /// The first that counts.
    pub from: Option<DateTime>,
    /// The first that no longer counts.
    pub until: Option<DateTime>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    Where(Code),
    Extend(Vec<Code>),
    Summarize { figures: Vec<Aggregate>, by: Vec<Code> },
    Sort(Vec<(usize, Direction)>),
    Take(usize),
    Select(Vec<usize>),
}

impl Plan {
    /// The source whose rows are wanted.
    #[must_use]
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// The answer's columns.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Between what a field of the source must lie for a row to count at all, by the conditions that stand first. Rows outside
    /// need not be read; whoever reads them gets the same answer.
    #[must_use]
    pub fn range(&self, field: &str) -> Range {
        let mut range = Range::default();
        let Some(field) = self.fields.iter().position(|name| *name == field) else { return range };
        for step in &self.steps {
            let Step::Where(condition) = step else { break };
            narrow(&mut range, condition, field);
        }
        range
    }
}

fn narrow(range: &mut Range, condition: &Code, field: usize) {
    let Code::Both(left, operator, right) = condition else { return };
    let comparison = match operator {
        Operator::And => {
            narrow(range, left, field);
            return narrow(range, right, field);
        }
        Operator::Compare(comparison) => *comparison,
        Operator::Or | Operator::Search(_) | Operator::Compute(_) => return,
    };
    let (comparison, value) = match (&**left, &**right) {
        (Code::Field(at), Code::Value(value)) if *at == field => (comparison, value),
        (Code::Value(value), Code::Field(at)) if *at == field => (comparison.mirrored(), value),
        _ => return,
    };
    // A date stands for its whole day.
    let (first, after) = match value {
        Value::DateTime(at) => (*at, at.saturating_add(Span::new().nanoseconds(1))),
        Value::Date(date) => (date.at(0, 0, 0, 0), date.saturating_add(Span::new().days(1)).at(0, 0, 0, 0)),
        Value::Null | Value::Boolean(_) | Value::Integer(_) | Value::Decimal(_) | Value::Money(_) | Value::Text(_) => {
            return;
        }
    };
    let (from, until) = match comparison {
        Comparison::Equal => (Some(first), Some(after)),
        Comparison::Less => (None, Some(first)),
        Comparison::LessOrEqual => (None, Some(after)),
        Comparison::Greater => (Some(after), None),
        Comparison::GreaterOrEqual => (Some(first), None),
        Comparison::NotEqual => (None, None),
    };
    range.from = range.from.into_iter().chain(from).max();
    range.until = range.until.into_iter().chain(until).min();
}

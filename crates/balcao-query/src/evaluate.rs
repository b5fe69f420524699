//! Expressions whose types are right, and what they make of a row.

use std::cmp::Ordering;

use crate::functions::Function;
use crate::syntax::{Arithmetic, Operator, Search};
use crate::value::{Value, float, folded, whole};

/// An expression over a row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Code {
    Field(usize),
    Value(Value),
    Not(Box<Code>),
    Negative(Box<Code>),
    Both(Box<Code>, Operator, Box<Code>),
    In(Box<Code>, Vec<Value>),
    Call(Function, Box<Code>),
}

impl Code {
    /// What it is for this row. Nothing compares with nothing but nothing; what is computed from nothing is nothing.
    pub(crate) fn of(&self, row: &[Value]) -> Value {
        match self {
            Self::Field(at) => row.get(*at).cloned().unwrap_or(Value::Null),
            Self::Value(value) => value.clone(),
            Self::Not(inner) => Value::Boolean(!inner.of(row).is_true()),
            Self::Negative(inner) => negative(&inner.of(row)),
            Self::In(what, among) => {
                let what = what.of(row);
                Value::Boolean(among.iter().any(|one| compared(&what, one) == Some(Ordering::Equal)))
            }
            Self::Call(function, argument) => function.of(&argument.of(row)),
            Self::Both(left, operator, right) => {
                let (left, right) = (|| left.of(row), || right.of(row));
                match operator {
                    Operator::And => Value::Boolean(left().is_true() && right().is_true()),
                    Operator::Or => Value::Boolean(left().is_true() || right().is_true()),
                    Operator::Compare(comparison) => Value::Boolean(comparison.holds(compared(&left(), &right()))),
                    Operator::Search(search) => Value::Boolean(found(&left(), *search, &right())),
                    Operator::Compute(arithmetic) => computed(&left(), *arithmetic, &right()),
                }
            }
        }
    }
}

fn found(left: &Value, search: Search, right: &Value) -> bool {
    let (Value::Text(left), Value::Text(right)) = (left, right) else { return false };
    match search {
        Search::Contains => folded(left).contains(&folded(right)),
        Search::StartsWith => folded(left).starts_with(&folded(right)),
    }
}

fn negative(value: &Value) -> Value {
    match value {
        Value::Integer(number) => Value::Integer(number.saturating_neg()),
        Value::Money(cents) => Value::Money(cents.saturating_neg()),
        Value::Decimal(number) => Value::Decimal(-number),
        Value::Null | Value::Boolean(_) | Value::Text(_) | Value::Date(_) | Value::DateTime(_) => Value::Null,
    }
}

/// How two values stand to each other; `None` if one of them is nothing. A date and time beside a date counts by its day.
fn compared(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Null, Value::Null) => Some(Ordering::Equal),
        (Value::Null, _) | (_, Value::Null) => None,
        (Value::Text(a), Value::Text(b)) => Some(folded(a).cmp(&folded(b))),
        (Value::Date(day), Value::DateTime(at)) => Some(day.cmp(&at.date())),
        (Value::DateTime(at), Value::Date(day)) => Some(at.date().cmp(day)),
        _ => Some(left.order(right)),
    }
}

fn computed(left: &Value, arithmetic: Arithmetic, right: &Value) -> Value {
    if let (Some(a), Some(b), Arithmetic::Minus) = (left.date(), right.date(), arithmetic) {
        return Value::Integer(i64::from(b.until(a).map_or(0, |span| span.get_days())));
    }
    let (Some(a), Some(b)) = (left.number(), right.number()) else { return Value::Null };
    let result = match arithmetic {
        Arithmetic::Plus => a + b,
        Arithmetic::Minus => a - b,
        Arithmetic::Times => a * b,
        Arithmetic::Over => a / b,
    };
    let is_ratio = arithmetic == Arithmetic::Over;
    match (left, right) {
        // Money over money is a plain number; money with a number stays money.
        (Value::Money(_), Value::Money(_)) if is_ratio => Value::decimal(result),
        (Value::Money(_), _) | (_, Value::Money(_)) if result.is_finite() => Value::Money(whole(result)),
        (Value::Integer(_), Value::Integer(_)) if !is_ratio && result.abs() < float(1 << 53) => {
            Value::Integer(whole(result))
        }
        _ => Value::decimal(result),
    }
}

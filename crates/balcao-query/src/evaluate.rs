//! Expressions whose types are right, and what they make of a row.

use std::cmp::Ordering;

use crate::error::{Checked, too_large};
use crate::functions::Function;
use crate::syntax::{Arithmetic, Operator, Search};
use crate::value::{Value, folded, whole};

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
    ///
    /// # Errors
    /// A number beyond what can be kept: a figure that is not the one that was asked for is never given.
    pub(crate) fn evaluate(&self, row: &[Value]) -> Checked<Value> {
        Ok(match self {
            Self::Field(at) => row.get(*at).cloned().unwrap_or(Value::Null),
            Self::Value(value) => value.clone(),
            Self::Not(inner) => Value::Boolean(!inner.evaluate(row)?.is_true()),
            Self::Negative(inner) => negative(&inner.evaluate(row)?)?,
            Self::In(what, among) => {
                let what = what.evaluate(row)?;
                Value::Boolean(among.iter().any(|one| compared(&what, one) == Some(Ordering::Equal)))
            }
            Self::Call(function, argument) => function.apply(&argument.evaluate(row)?)?,
            Self::Both(left, operator, right) => {
                let (left, right) = (|| left.evaluate(row), || right.evaluate(row));
                match operator {
                    Operator::And => Value::Boolean(left()?.is_true() && right()?.is_true()),
                    Operator::Or => Value::Boolean(left()?.is_true() || right()?.is_true()),
                    Operator::Compare(comparison) => Value::Boolean(comparison.holds(compared(&left()?, &right()?))),
                    Operator::Search(search) => Value::Boolean(found(&left()?, *search, &right()?)),
                    Operator::Compute(arithmetic) => computed(&left()?, *arithmetic, &right()?)?,
                }
            }
        })
    }
}

fn found(left: &Value, search: Search, right: &Value) -> bool {
    let (Value::Text(left), Value::Text(right)) = (left, right) else { return false };
    match search {
        Search::Contains => folded(left).contains(&folded(right)),
        Search::StartsWith => folded(left).starts_with(&folded(right)),
    }
}

fn negative(value: &Value) -> Checked<Value> {
    let negated = |number: i64| number.checked_neg().ok_or_else(|| too_large("a number with its sign turned"));
    Ok(match value {
        Value::Integer(number) => Value::Integer(negated(*number)?),
        Value::Money(cents) => Value::Money(negated(*cents)?),
        Value::Decimal(number) => Value::Decimal(-number),
        Value::Null | Value::Boolean(_) | Value::Text(_) | Value::Date(_) | Value::DateTime(_) => Value::Null,
    })
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

fn computed(left: &Value, arithmetic: Arithmetic, right: &Value) -> Checked<Value> {
    if let (Some(a), Some(b), Arithmetic::Minus) = (left.date(), right.date(), arithmetic) {
        return Ok(Value::Integer(i64::from(b.until(a).map_or(0, |span| span.get_days()))));
    }
    let is_money = matches!(left, Value::Money(_)) || matches!(right, Value::Money(_));
    if let (Value::Integer(a) | Value::Money(a), Value::Integer(b) | Value::Money(b)) = (left, right)
        && let Some(exact) = exactly(*a, arithmetic, *b)
    {
        // Money over money is no money; nor is it asked for here.
        let whole = exact?;
        return Ok(if is_money { Value::Money(whole) } else { Value::Integer(whole) });
    }
    let (Some(a), Some(b)) = (left.number(), right.number()) else { return Ok(Value::Null) };
    let result = match arithmetic {
        Arithmetic::Plus => a + b,
        Arithmetic::Minus => a - b,
        Arithmetic::Times => a * b,
        Arithmetic::Over => a / b,
    };
    let is_ratio = arithmetic == Arithmetic::Over;
    if !(result.is_finite() || is_ratio && b == 0.0) {
        return Err(too_large(named(arithmetic)));
    }
    Ok(match (left, right) {
        // Money over money is a plain number; money with a number stays money.
        (Value::Money(_), Value::Money(_)) if is_ratio => Value::decimal(result),
        (Value::Money(_), _) | (_, Value::Money(_)) if result.is_finite() => {
            Value::Money(whole(result).ok_or_else(|| too_large(named(arithmetic)))?)
        }
        _ => Value::decimal(result),
    })
}

/// What comes of whole numbers, to the last digit; `None` for a ratio, which is none.
fn exactly(a: i64, arithmetic: Arithmetic, b: i64) -> Option<Checked<i64>> {
    let result = match arithmetic {
        Arithmetic::Plus => a.checked_add(b),
        Arithmetic::Minus => a.checked_sub(b),
        Arithmetic::Times => a.checked_mul(b),
        Arithmetic::Over => return None,
    };
    Some(result.ok_or_else(|| too_large(named(arithmetic))))
}

const fn named(arithmetic: Arithmetic) -> &'static str {
    match arithmetic {
        Arithmetic::Plus => "a sum",
        Arithmetic::Minus => "a difference",
        Arithmetic::Times => "a product",
        Arithmetic::Over => "a ratio",
    }
}

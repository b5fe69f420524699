//! Figures over the rows of a group.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::error::{Checked, Problem, nearest, too_large};
use crate::evaluate::Code;
use crate::value::{Type, Value, float, whole};

/// A figure: how it is made, of what.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Aggregate {
    pub(crate) how: How,
    pub(crate) of: Option<Code>,
    /// Whether it is an amount of money.
    pub(crate) is_money: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    Count,
    CountIf,
    Distinct,
    Sum,
    Average,
    Least,
    Greatest,
}

const NAMES: [(&str, How); 7] = [
    ("count", How::Count),
    ("countif", How::CountIf),
    ("distinct", How::Distinct),
    ("sum", How::Sum),
    ("avg", How::Average),
    ("min", How::Least),
    ("max", How::Greatest),
];

impl How {
    /// The figure of this name.
    pub(crate) fn named(at: usize, name: &str) -> Checked<Self> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, how)| *how).ok_or_else(|| {
            let problem = Problem::new(at, format!("there is no figure `{name}`"));
            problem.suggest(nearest(name, NAMES.iter().map(|(name, _)| *name)))
        })
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        NAMES.iter().find(|(_, how)| *how == self).map_or("count", |(name, _)| name)
    }

    /// What the figure is, of something of this type.
    pub(crate) fn type_of(self, at: usize, of: Option<&Type>) -> Checked<Type> {
        let name = self.name();
        match (self, of) {
            (Self::Count, _) | (Self::Distinct, Some(_)) | (Self::CountIf, Some(Type::Boolean)) => Ok(Type::Number),
            (Self::CountIf, Some(_)) => {
                Err(Problem::new(at, "`countif` takes a condition").suggest(r#"as in countif(status == "completed")"#))
            }
            (Self::Sum | Self::Average, Some(one @ (Type::Number | Type::Money)))
            | (Self::Least | Self::Greatest, Some(one @ (Type::Number | Type::Money | Type::Date | Type::DateTime))) => {
                Ok(one.clone())
            }
            (_, Some(of)) => Err(Problem::new(at, format!("`{name}` cannot be made of {of}"))),
            (_, None) => {
                Err(Problem::new(at, format!("`{name}` takes one value")).suggest(format!("as in {name}(price)")))
            }
        }
    }
}

/// A value that can stand in an ordered set.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ordered(pub(crate) Value);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.order(&other.0)
    }
}

/// A figure as it grows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    rows: i64,
    cents: i64,
    sum: f64,
    is_whole: bool,
    extreme: Option<Value>,
    seen: BTreeSet<Ordered>,
}

impl Tally {
    /// Adds a row; an error if a number becomes larger than one may be. Nothing counts for no figure but `count()`.
    pub(crate) fn add(&mut self, aggregate: &Aggregate, row: &[Value]) -> Checked<()> {
        let Some(code) = &aggregate.of else {
            self.rows += 1;
            return Ok(());
        };
        let value = code.evaluate(row)?;
        if value.is_null() || (aggregate.how == How::CountIf && !value.is_true()) {
            return Ok(());
        }
        self.is_whole = matches!(value, Value::Integer(_)) && (self.rows == 0 || self.is_whole);
        self.rows += 1;
        match aggregate.how {
            How::Count | How::CountIf => {}
            How::Distinct => {
                self.seen.insert(Ordered(value));
            }
            How::Sum | How::Average => {
                if let Value::Money(cents) | Value::Integer(cents) = value {
                    self.cents = self.cents.checked_add(cents).ok_or_else(|| too_large("a sum"))?;
                }
                self.sum += value.number().unwrap_or(0.0);
                if !self.sum.is_finite() {
                    return Err(too_large("a sum"));
                }
            }
            How::Least | How::Greatest => {
                let wanted = if aggregate.how == How::Least { Ordering::Less } else { Ordering::Greater };
                if self.extreme.as_ref().is_none_or(|known| value.order(known) == wanted) {
                    self.extreme = Some(value);
                }
            }
        }
        Ok(())
    }

    /// The figure; an error if it is larger than a number may be. Of no values the sum is 0, and average, least and greatest are nothing.
    pub(crate) fn figure(self, aggregate: &Aggregate) -> Checked<Value> {
        Ok(match aggregate.how {
            How::Count | How::CountIf => Value::Integer(self.rows),
            How::Distinct => Value::Integer(i64::try_from(self.seen.len()).unwrap_or(i64::MAX)),
            How::Sum if aggregate.is_money => Value::Money(self.cents),
            How::Sum if self.is_whole || self.rows == 0 => Value::Integer(self.cents),
            How::Sum => Value::decimal(self.sum),
            How::Average if self.rows == 0 => Value::Null,
            How::Average if aggregate.is_money => {
                let mean = float(self.cents) / float(self.rows);
                Value::Money(whole(mean).ok_or_else(|| too_large("an average"))?)
            }
            How::Average => Value::decimal(self.sum / float(self.rows)),
            How::Least | How::Greatest => self.extreme.unwrap_or(Value::Null),
        })
    }
}

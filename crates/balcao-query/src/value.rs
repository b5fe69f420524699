//! Values and their types.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use jiff::civil::{Date, DateTime};

/// What a field or an expression is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// Yes or no.
    Boolean,
    /// A number.
    Number,
    /// An amount in the organization's currency.
    Money,
    /// Text. Compared without regard to case and accents.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A local date.
    Date,
    /// A local date and time.
    DateTime,
    /// A stretch of time, such as `30d`.
    Duration,
}

/// A value. Nothing is [`Value::Null`], whatever the type.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Not known, or none.
    Null,
    /// Yes or no.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction; never NaN or infinite.
    Decimal(f64),
    /// Cents.
    Money(i64),
    /// Text.
    Text(Arc<str>),
    /// A local date.
    Date(Date),
    /// A local date and time.
    DateTime(DateTime),
}

/// `3mo`, `2w`, `30d`, `12h`, `45min`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Duration {
    pub(crate) months: i64,
    pub(crate) days: i64,
    pub(crate) minutes: i64,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Boolean => "a yes or no",
            Self::Number => "a number",
            Self::Money => "an amount of money",
            Self::Text => "text",
            Self::Choice(_) => "one of its words",
            Self::Date => "a date",
            Self::DateTime => "a date and time",
            Self::Duration => "a duration",
        })
    }
}

impl Value {
    /// Text, shared.
    #[must_use]
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(text.into())
    }

    /// A number with a fraction; what is none (0 ÷ 0) is nothing.
    #[must_use]
    pub fn decimal(number: f64) -> Self {
        if number.is_finite() { Self::Decimal(number) } else { Self::Null }
    }

    /// Whether it is nothing.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub(crate) fn is_true(&self) -> bool {
        matches!(self, Self::Boolean(true))
    }

    /// As a number: cents of money, the value of numbers.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Integer(number) | Self::Money(number) => Some(float(*number)),
            Self::Decimal(number) => Some(*number),
            Self::Null | Self::Boolean(_) | Self::Text(_) | Self::Date(_) | Self::DateTime(_) => None,
        }
    }

    pub(crate) fn date(&self) -> Option<Date> {
        match self {
            Self::Date(date) => Some(*date),
            Self::DateTime(at) => Some(at.date()),
            Self::Null | Self::Boolean(_) | Self::Integer(_) | Self::Decimal(_) | Self::Money(_) | Self::Text(_) => {
                None
            }
        }
    }

    /// A total order for sorting and grouping: nothing comes last, text by its letters without regard to case and accents.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Null, Self::Null) => Ordering::Equal,
            (Self::Null, _) => Ordering::Greater,
            (_, Self::Null) => Ordering::Less,
            (Self::Text(a), Self::Text(b)) => folded(a).cmp(&folded(b)).then_with(|| a.cmp(b)),
            (Self::Boolean(a), Self::Boolean(b)) => a.cmp(b),
            (Self::Integer(a), Self::Integer(b)) | (Self::Money(a), Self::Money(b)) => a.cmp(b),
            (Self::Date(a), Self::Date(b)) => a.cmp(b),
            (Self::DateTime(a), Self::DateTime(b)) => a.cmp(b),
            _ => self.number().unwrap_or(f64::MAX).total_cmp(&other.number().unwrap_or(f64::MAX)),
        }
    }
}

/// As text is compared: without case and accents.
pub(crate) fn folded(text: &str) -> String {
    balcao_language::normalize(text)
}

/// The nearest number with a fraction; sums of cents and counts stay far below where that is not exact.
#[expect(clippy::as_conversions, reason = "i64 has no From for f64, and the loss beyond 2^53 is meant")]
pub(crate) fn float(number: i64) -> f64 {
    number as f64
}

/// The nearest whole number, if it is one of those that a number with a fraction tells apart.
#[expect(clippy::as_conversions, reason = "within the bound that is checked nothing is lost")]
pub(crate) fn whole(number: f64) -> Option<i64> {
    const MOST: f64 = 9_007_199_254_740_992.0;
    (number.abs() < MOST).then(|| number.round() as i64)
}

//! Functions of one value.

use jiff::civil::Weekday;

use crate::error::{Checked, Problem, nearest, too_large};
use crate::value::{Type, Value, whole};

/// The words of `weekday(…)`.
pub(crate) const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
static WEEKDAY_WORDS: &[&str] = &WEEKDAYS;

/// What a function is called, and what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Date,
    Week,
    Month,
    Year,
    Weekday,
    Hour,
    Round,
}

const NAMES: [(&str, Function); 7] = [
    ("date", Function::Date),
    ("week", Function::Week),
    ("month", Function::Month),
    ("year", Function::Year),
    ("weekday", Function::Weekday),
    ("hour", Function::Hour),
    ("round", Function::Round),
];

impl Function {
    /// The function of this name for one argument, whose type is checked, and what it gives.
    pub(crate) fn checked(at: usize, name: &str, arguments: &[Type]) -> Checked<(Self, Type)> {
        let Some((_, function)) = NAMES.iter().find(|(known, _)| *known == name) else {
            let problem = Problem::new(at, format!("there is no function `{name}` here"));
            return Err(problem.suggest(nearest(name, NAMES.iter().map(|(name, _)| *name))));
        };
        let [of] = arguments else {
            return Err(Problem::new(at, format!("`{name}` takes one value")));
        };
        let (takes, gives) = function.types();
        if !takes.contains(of) {
            let takes: Vec<String> = takes.iter().map(ToString::to_string).collect();
            return Err(Problem::new(at, format!("`{name}` takes {}, not {of}", takes.join(" or "))));
        }
        Ok((*function, gives))
    }

    fn types(self) -> (&'static [Type], Type) {
        const DATES: &[Type] = &[Type::Date, Type::DateTime];
        match self {
            Self::Date | Self::Week => (DATES, Type::Date),
            Self::Month => (DATES, Type::Text),
            Self::Year => (DATES, Type::Number),
            Self::Weekday => (DATES, Type::Choice(WEEKDAY_WORDS)),
            Self::Hour => (&[Type::DateTime], Type::Number),
            Self::Round => (&[Type::Number], Type::Number),
        }
    }

    /// What it makes of a value. Nothing stays nothing.
    ///
    /// # Errors
    /// A number that is too large to be rounded.
    pub(crate) fn apply(self, value: &Value) -> Checked<Value> {
        match (self, value) {
            (Self::Round, Value::Integer(_)) => Ok(value.clone()),
            (Self::Round, _) => value.number().map_or(Ok(Value::Null), |number| {
                whole(number).map(Value::Integer).ok_or_else(|| too_large("a rounded number"))
            }),
            (_, _) => Ok(self.part(value)),
        }
    }

    /// The part of a date.
    fn part(self, value: &Value) -> Value {
        if let (Self::Hour, Value::DateTime(at)) = (self, value) {
            return Value::Integer(at.hour().into());
        }
        let Some(date) = value.date() else { return Value::Null };
        match self {
            Self::Date => Value::Date(date),
            Self::Week => {
                let back = i64::from(date.weekday().since(Weekday::Monday));
                Value::Date(date.saturating_sub(jiff::Span::new().days(back)))
            }
            Self::Month => Value::text(format!("{:04}-{:02}", date.year(), date.month())),
            Self::Year => Value::Integer(date.year().into()),
            Self::Weekday => {
                let place = usize::try_from(date.weekday().to_monday_zero_offset()).unwrap_or(0);
                WEEKDAYS.get(place).map_or(Value::Null, |name| Value::text(*name))
            }
            Self::Hour | Self::Round => Value::Null,
        }
    }
}

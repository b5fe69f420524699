//! Names become places, and every expression gets a type, against what whoever asks may see.

use jiff::Span;
use jiff::civil::{Date, DateTime};

use crate::QueryError;
use crate::aggregate::{Aggregate, How};
use crate::catalogue::{Catalogue, Source};
use crate::error::{Checked, Problem, nearest};
use crate::evaluate::Code;
use crate::functions::Function;
use crate::plan::{Column, Plan, Step};
use crate::syntax::{Arithmetic, Comparison, Expression, Kind, Name, Named, Operator, Query, Stage};
use crate::value::{Duration, Type, Value, whole};

impl Query {
    /// The question against what whoever asks may see, at a moment in the organization's zone (`now`, and the day of `today`).
    ///
    /// # Errors
    /// A name that does not exist there, or types that do not go together.
    pub fn plan(&self, catalogue: &Catalogue, now: DateTime) -> Result<Plan, QueryError> {
        let source = catalogue.sources.iter().find(|source| source.name == self.source.text).ok_or_else(|| {
            let problem = Problem::new(self.source.at, format!("there is no source `{}`", self.source.text));
            problem.suggest(nearest(&self.source.text, catalogue.sources.iter().map(|source| source.name)))
        });
        source.and_then(|source| self.checked(source, now)).map_err(|problem| problem.placed(&self.text))
    }

    fn checked(&self, source: &Source, now: DateTime) -> Checked<Plan> {
        let columns = source.fields.iter().map(|field| Column { name: field.name.to_owned(), of: field.of.clone() });
        let mut scope = Scope { columns: columns.collect(), now };
        let steps = self.stages.iter().map(|stage| scope.stage(stage)).collect::<Checked<Vec<Step>>>()?;
        let fields = source.fields.iter().map(|field| field.name).collect();
        Ok(Plan { source: source.name, fields, steps, columns: scope.columns })
    }
}

/// What can be named at a place in the question.
struct Scope {
    columns: Vec<Column>,
    now: DateTime,
}

type Typed = (Code, Type);

impl Scope {
    fn stage(&mut self, stage: &Stage) -> Checked<Step> {
        match stage {
            Stage::Where(condition) => Ok(Step::Where(self.condition(condition)?)),
            Stage::Extend(all) => self.extend(all),
            Stage::Summarize { figures, by } => self.summarize(figures, by),
            Stage::Sort(by) => {
                let keys = by.iter().map(|(name, direction)| Ok((self.place(name)?, *direction)));
                Ok(Step::Sort(keys.collect::<Checked<_>>()?))
            }
            Stage::Take(count) => Ok(Step::Take(*count)),
            Stage::Select(names) => {
                let places = names.iter().map(|name| self.place(name)).collect::<Checked<Vec<_>>>()?;
                let mut kept = Vec::new();
                for (name, place) in names.iter().zip(&places) {
                    let of = self.columns.get(*place).map_or(Type::Text, |column| column.of.clone());
                    push(&mut kept, name.at, name.text.clone(), of)?;
                }
                self.columns = kept;
                Ok(Step::Select(places))
            }
        }
    }

    fn extend(&mut self, all: &[Named]) -> Checked<Step> {
        let mut codes = Vec::new();
        for one in all {
            let (code, of) = self.expression(&one.value)?;
            let name = one.name.as_ref().ok_or_else(|| {
                Problem::new(one.value.at, "what is added needs a name").suggest("as in extend rate = missed / due")
            })?;
            push(&mut self.columns, name.at, name.text.clone(), shown(one.value.at, of)?)?;
            codes.push(code);
        }
        Ok(Step::Extend(codes))
    }

    fn summarize(&mut self, figures: &[Named], by: &[Named]) -> Checked<Step> {
        let (mut columns, mut keys, mut all) = (Vec::new(), Vec::new(), Vec::new());
        for one in by {
            let (code, of) = self.expression(&one.value)?;
            push(&mut columns, one.value.at, name_of(one)?, shown(one.value.at, of)?)?;
            keys.push(code);
        }
        for one in figures {
            let (figure, of) = self.figure(&one.value)?;
            push(&mut columns, one.value.at, name_of(one)?, of)?;
            all.push(figure);
        }
        self.columns = columns;
        Ok(Step::Summarize { figures: all, by: keys })
    }

    fn figure(&self, expression: &Expression) -> Checked<(Aggregate, Type)> {
        let Kind::Call(name, arguments) = &expression.kind else {
            let problem = Problem::new(expression.at, "`summarize` wants figures");
            return Err(problem.suggest("as in summarize count(), sum(price) by professional"));
        };
        let how = How::named(expression.at, name)?;
        if arguments.len() > 1 {
            return Err(Problem::new(expression.at, format!("`{name}` takes one value")));
        }
        let of = arguments.first().map(|argument| self.expression(argument)).transpose()?;
        let gives = how.type_of(expression.at, of.as_ref().map(|(_, of)| of))?;
        Ok((Aggregate { how, of: of.map(|(code, _)| code), is_money: gives == Type::Money }, gives))
    }

    fn place(&self, name: &Name) -> Checked<usize> {
        self.columns.iter().position(|column| column.name == name.text).ok_or_else(|| self.unknown(name.at, &name.text))
    }

    fn unknown(&self, at: usize, name: &str) -> Problem {
        let known = self.columns.iter().map(|column| column.name.as_str());
        Problem::new(at, format!("there is no field `{name}` here")).suggest(nearest(name, known))
    }

    fn condition(&self, expression: &Expression) -> Checked<Code> {
        match self.expression(expression)? {
            (code, Type::Boolean) => Ok(code),
            (_, of) => Err(Problem::new(expression.at, format!("a condition is wanted, and this is {of}"))),
        }
    }

    fn expression(&self, expression: &Expression) -> Checked<Typed> {
        let at = expression.at;
        match &expression.kind {
            Kind::Value(value) => Ok((Code::Value(value.clone()), type_of(value))),
            Kind::Duration(_) => {
                Err(Problem::new(at, "a duration only stands after a date").suggest("as in today - 30d"))
            }
            Kind::Name(name) => self.named(at, name),
            Kind::Call(name, arguments) => {
                let typed = arguments.iter().map(|one| self.expression(one)).collect::<Checked<Vec<_>>>()?;
                let (mut codes, types): (Vec<Code>, Vec<Type>) = typed.into_iter().unzip();
                let (function, gives) = Function::checked(at, name, &types)?;
                // A function that is checked takes one value.
                let argument = codes.pop().unwrap_or(Code::Value(Value::Null));
                Ok((Code::Call(function, Box::new(argument)), gives))
            }
            Kind::Not(inner) => Ok((Code::Not(Box::new(self.condition(inner)?)), Type::Boolean)),
            Kind::Negative(inner) => match self.expression(inner)? {
                (code, of @ (Type::Number | Type::Money)) => Ok((Code::Negative(Box::new(code)), of)),
                (_, of) => Err(Problem::new(at, format!("{of} has no negative"))),
            },
            Kind::In(what, among) => self.among(what, among),
            Kind::Both(left, operator, right) => self.both(at, left, *operator, right),
        }
    }

    fn named(&self, at: usize, name: &str) -> Checked<Typed> {
        if let Some(place) = self.columns.iter().position(|column| column.name == name) {
            let of = self.columns.get(place).map_or(Type::Text, |column| column.of.clone());
            return Ok((Code::Field(place), of));
        }
        match name {
            "today" => Ok((Code::Value(Value::Date(self.now.date())), Type::Date)),
            "now" => Ok((Code::Value(Value::DateTime(self.now)), Type::DateTime)),
            _ => Err(self.unknown(at, name)),
        }
    }

    fn among(&self, what: &Expression, among: &[Expression]) -> Checked<Typed> {
        let (code, of) = self.expression(what)?;
        let mut values = Vec::new();
        for one in among {
            let (value, kind) = self.expression(one)?;
            let Code::Value(value) = fit(one.at, (value, kind), &of)? else {
                return Err(Problem::new(one.at, "`in` wants values, not fields"));
            };
            values.push(value);
        }
        Ok((Code::In(Box::new(code), values), Type::Boolean))
    }

    fn both(&self, at: usize, left: &Expression, operator: Operator, right: &Expression) -> Checked<Typed> {
        match (&right.kind, operator) {
            (_, Operator::And | Operator::Or) => {
                Ok((joined(self.condition(left)?, operator, self.condition(right)?), Type::Boolean))
            }
            (Kind::Duration(duration), Operator::Compute(arithmetic @ (Arithmetic::Plus | Arithmetic::Minus))) => {
                self.shifted(left, *duration, arithmetic)
            }
            (_, Operator::Compute(arithmetic)) => {
                computed(at, self.expression(left)?, arithmetic, self.expression(right)?)
            }
            (_, Operator::Search(_)) => {
                let (a, b) = (self.expression(left)?, self.expression(right)?);
                match (&a.1, &b.1) {
                    (Type::Text | Type::Choice(_), Type::Text) => Ok((joined(a.0, operator, b.0), Type::Boolean)),
                    (of_a, of_b) => Err(Problem::new(at, format!("texts are searched, not {of_a} for {of_b}"))),
                }
            }
            (_, Operator::Compare(comparison)) => self.comparison(at, left, comparison, right),
        }
    }

    fn comparison(&self, at: usize, left: &Expression, how: Comparison, right: &Expression) -> Checked<Typed> {
        let (a, b) = (self.expression(left)?, self.expression(right)?);
        let (of_left, of_right) = (a.1.clone(), b.1.clone());
        let a = fit(left.at, a, &of_right)?;
        let b = fit(right.at, b, &of_left)?;
        let is_equality = matches!(how, Comparison::Equal | Comparison::NotEqual);
        if !is_equality && matches!(of_left, Type::Boolean | Type::Choice(_)) {
            return Err(Problem::new(at, format!("{of_left} is not more or less than another")));
        }
        Ok((joined(a, Operator::Compare(how), b), Type::Boolean))
    }

    /// A date moved by a duration: only a date that is known before anything is read.
    fn shifted(&self, date: &Expression, by: Duration, how: Arithmetic) -> Checked<Typed> {
        let sign = if how == Arithmetic::Minus { -1 } else { 1 };
        let span = Span::new()
            .try_months(sign * by.months)
            .and_then(|span| span.try_days(sign * by.days))
            .and_then(|span| span.try_minutes(sign * by.minutes));
        let span = span.map_err(|error| Problem::new(date.at, format!("the duration is too long: {error}")))?;
        let beyond = |_| Problem::new(date.at, "the date lies beyond the calendar").suggest("use a shorter duration");
        match self.expression(date)? {
            (Code::Value(Value::Date(day)), _) if by.minutes == 0 => {
                Ok((Code::Value(Value::Date(day.checked_add(span).map_err(beyond)?)), Type::Date))
            }
            (Code::Value(Value::Date(day)), _) => {
                let at = day.at(0, 0, 0, 0).checked_add(span).map_err(beyond)?;
                Ok((Code::Value(Value::DateTime(at)), Type::DateTime))
            }
            (Code::Value(Value::DateTime(at)), _) => {
                Ok((Code::Value(Value::DateTime(at.checked_add(span).map_err(beyond)?)), Type::DateTime))
            }
            _ => Err(Problem::new(date.at, "only today, now and dates that are written out move by a duration")
                .suggest("as in starts_at >= today - 30d")),
        }
    }
}

fn joined(left: Code, operator: Operator, right: Code) -> Code {
    Code::Both(Box::new(left), operator, Box::new(right))
}

fn computed(at: usize, (a, of_a): Typed, how: Arithmetic, (b, of_b): Typed) -> Checked<Typed> {
    use Type::{Date, DateTime, Money, Number};
    let of = match (&of_a, how, &of_b) {
        (Number, _, Number)
        | (Money, Arithmetic::Over, Money)
        | (Date | DateTime, Arithmetic::Minus, Date | DateTime) => Number,
        (Money, Arithmetic::Plus | Arithmetic::Minus, Money)
        | (Money, Arithmetic::Times | Arithmetic::Over, Number)
        | (Number, Arithmetic::Times, Money) => Money,
        _ => return Err(Problem::new(at, format!("`{}` does not stand between {of_a} and {of_b}", how.sign()))),
    };
    Ok((joined(a, Operator::Compute(how), b), of))
}

/// A value as the other side's type wants it: a text as a date or a word, a number as money.
fn fit(at: usize, (code, of): Typed, wanted: &Type) -> Checked<Code> {
    let mismatch = || Problem::new(at, format!("{of} is compared with {wanted}"));
    match (code, &of, wanted) {
        (Code::Value(Value::Null), _, _) => Ok(Code::Value(Value::Null)),
        (code, _, _) if is_null(wanted) => Ok(code),
        (Code::Value(Value::Text(text)), _, Type::Choice(words)) => {
            let word = words.iter().find(|word| word.eq_ignore_ascii_case(&text));
            word.map(|word| Code::Value(Value::text(*word))).ok_or_else(|| {
                let problem = Problem::new(at, format!("`{text}` is none of its words"));
                problem.suggest(nearest(&text, words.iter().copied()))
            })
        }
        (Code::Value(Value::Text(text)), _, Type::Date | Type::DateTime) => moment(at, &text),
        (Code::Value(value @ (Value::Integer(_) | Value::Decimal(_))), _, Type::Money) => {
            let cents = |number: f64| whole(number * 100.0).ok_or_else(|| Problem::new(at, "the amount is too large"));
            Ok(Code::Value(value.number().map_or(Ok(Value::Null), |number| cents(number).map(Value::Money))?))
        }
        (code, Type::Date | Type::DateTime, Type::Date | Type::DateTime)
        | (code, Type::Text | Type::Choice(_), Type::Text | Type::Choice(_)) => Ok(code),
        // The value on the other side becomes money, or a date.
        (code, Type::Money, Type::Number) | (code, Type::Date | Type::DateTime, Type::Text) => Ok(code),
        (code, _, _) if of == *wanted => Ok(code),
        _ => Err(mismatch()),
    }
}

/// The type of `null`, which goes with every other.
fn is_null(of: &Type) -> bool {
    *of == Type::Duration
}

fn moment(at: usize, text: &str) -> Checked<Code> {
    // A date is read out of a date and time as well, which is not meant.
    if let (10, Ok(date)) = (text.len(), text.parse::<Date>()) {
        return Ok(Code::Value(Value::Date(date)));
    }
    match text.parse::<DateTime>() {
        Ok(moment) => Ok(Code::Value(Value::DateTime(moment))),
        Err(error) => Err(Problem::new(at, format!("`{text}` is no date: {error}"))
            .suggest("dates are written 2026-11-24, or \"2026-11-24T09:30\"")),
    }
}

fn type_of(value: &Value) -> Type {
    match value {
        Value::Null => Type::Duration,
        Value::Boolean(_) => Type::Boolean,
        Value::Integer(_) | Value::Decimal(_) => Type::Number,
        Value::Money(_) => Type::Money,
        Value::Text(_) => Type::Text,
        Value::Date(_) => Type::Date,
        Value::DateTime(_) => Type::DateTime,
    }
}

/// The type of something that is shown; `null` alone has none.
fn shown(at: usize, of: Type) -> Checked<Type> {
    if is_null(&of) { Err(Problem::new(at, "there is nothing to show")) } else { Ok(of) }
}

/// The name that was given, or the one that what is computed suggests: `price`, `month`, `sum_price`.
fn name_of(one: &Named) -> Checked<String> {
    if let Some(name) = &one.name {
        return Ok(name.text.clone());
    }
    match &one.value.kind {
        Kind::Name(name) => Ok(name.clone()),
        Kind::Call(function, arguments) => match arguments.first().map(|argument| &argument.kind) {
            Some(Kind::Name(field)) if How::named(0, function).is_ok() => Ok(format!("{function}_{field}")),
            _ => Ok(function.clone()),
        },
        Kind::Value(_) | Kind::Duration(_) | Kind::Not(_) | Kind::Negative(_) | Kind::Both(..) | Kind::In(..) => {
            Err(Problem::new(one.value.at, "this needs a name").suggest("as in late = hour(starts_at) >= 18"))
        }
    }
}

fn push(columns: &mut Vec<Column>, at: usize, name: String, of: Type) -> Checked<()> {
    if columns.iter().any(|column| column.name == name) {
        let problem = Problem::new(at, format!("two fields are called `{name}`"));
        return Err(problem.suggest(format!("name one of them otherwise, as in other_{name} = …")));
    }
    columns.push(Column { name, of });
    Ok(())
}

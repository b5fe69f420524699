//! Parts to a value. What is only looked at is borrowed.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the kinds of JSON do not grow, and each operation takes few of them"
)]

use std::{borrow::Cow, cmp::Ordering};

use serde_json::{Map, Number, Value};

use super::{
    ErrorKind, ExpressionError, Function, MAX_ELEMENTS, MAX_TEXT, Node, Operator,
    values::{equal, kind, truthy, weight},
};

type Evaluated<'a> = Result<Cow<'a, Value>, ExpressionError>;

const NULL: Cow<'static, Value> = Cow::Owned(Value::Null);

pub(super) fn evaluate<'a>(node: &'a Node, root: &'a Value) -> Evaluated<'a> {
    Evaluation { root, looked_at: 0, made: 0 }.node(node, root)
}

struct Evaluation<'a> {
    root: &'a Value,
    looked_at: usize,
    made: usize,
}

impl<'a> Evaluation<'a> {
    fn node(&mut self, node: &'a Node, element: &'a Value) -> Evaluated<'a> {
        match node {
            Node::Root => Ok(Cow::Borrowed(self.root)),
            Node::Element => Ok(Cow::Borrowed(element)),
            Node::Literal(value) => Ok(Cow::Borrowed(value)),
            Node::Name(name) => Ok(self.root.get(name).map_or(NULL, Cow::Borrowed)),
            Node::Field { of, name } => Ok(field(self.node(of, element)?, name)),
            Node::Index { of, index, at } => {
                let of = self.node(of, element)?;
                let index = self.node(index, element)?;
                match (index.as_str(), index.as_u64()) {
                    (Some(name), _) => Ok(field(of, name)),
                    (None, Some(place)) => Ok(item(of, usize::try_from(place).unwrap_or(usize::MAX))),
                    (None, None) => Err(wrong(*at, "[…]", "a name or a place from 0", &index)),
                }
            }
            Node::Each { of, then } => self.each(of, then, element),
            Node::Not(of) => {
                let of = self.node(of, element)?;
                Ok(Cow::Owned(Value::Bool(!truthy(&of))))
            }
            Node::Negative { of, at } => {
                let of = self.node(of, element)?;
                let Some(number) = of.as_f64() else { return Err(wrong(*at, "-", "a number", &of)) };
                finite(-number, *at)
            }
            Node::Binary { operator, left, right, at } => self.binary(*operator, left, right, *at, element),
            Node::Call { function, arguments, at } => self.call(*function, arguments, *at, element),
            Node::Matches { text, pattern, at } => {
                let text = self.node(text, element)?;
                match text.as_ref() {
                    Value::String(text) => Ok(Cow::Owned(Value::Bool(pattern.0.is_match(text)))),
                    Value::Null => Ok(Cow::Owned(Value::Bool(false))),
                    other => Err(wrong(*at, "matches", "a text", other)),
                }
            }
            Node::List(items) => {
                let values: Result<Vec<Value>, _> = items.iter().map(|item| self.owned(item, element)).collect();
                Ok(Cow::Owned(Value::Array(values?)))
            }
            Node::Object(fields) => {
                let mut object = Map::new();
                for (name, value) in fields {
                    object.insert(name.clone(), self.owned(value, element)?);
                }
                Ok(Cow::Owned(Value::Object(object)))
            }
        }
    }

    /// A copy that becomes part of something made; counted, so that nothing is doubled without end.
    fn owned(&mut self, node: &'a Node, element: &'a Value) -> Result<Value, ExpressionError> {
        let value = self.node(node, element)?;
        if let Cow::Borrowed(value) = &value {
            self.made(weight(value, MAX_TEXT), 1)?;
        }
        Ok(value.into_owned())
    }

    fn each(&mut self, of: &'a Node, then: &'a Node, element: &'a Value) -> Evaluated<'a> {
        let of = self.node(of, element)?;
        let mut found = Vec::new();
        match of {
            Cow::Borrowed(Value::Array(items)) => {
                for item in items {
                    self.look()?;
                    found.push(self.owned(then, item)?);
                }
            }
            // What was made here has no life beyond it; its elements are walked by plain steps only.
            Cow::Owned(Value::Array(items)) => {
                for item in items {
                    self.look()?;
                    found.push(walk(then, item));
                }
            }
            Cow::Borrowed(_) | Cow::Owned(_) => {}
        }
        // Lists of lists become one list: `groups[*].members[*].id`.
        let nested = matches!(then, Node::Each { .. });
        let flat = found.into_iter().flat_map(|value| match value {
            Value::Array(inner) if nested => inner,
            other => vec![other],
        });
        Ok(Cow::Owned(Value::Array(flat.collect())))
    }

    fn look(&mut self) -> Result<(), ExpressionError> {
        self.looked_at += 1;
        if self.looked_at > MAX_ELEMENTS {
            let kind = ErrorKind::TooLarge { what: "elements to look at", most: MAX_ELEMENTS };
            return Err(ExpressionError { at: 1, kind });
        }
        Ok(())
    }

    fn made(&mut self, bytes: usize, at: usize) -> Result<(), ExpressionError> {
        self.made = self.made.saturating_add(bytes);
        if self.made > MAX_TEXT {
            let kind = ErrorKind::TooLarge { what: "bytes of result", most: MAX_TEXT };
            return Err(ExpressionError { at, kind });
        }
        Ok(())
    }

    fn binary(
        &mut self,
        operator: Operator,
        left: &'a Node,
        right: &'a Node,
        at: usize,
        element: &'a Value,
    ) -> Evaluated<'a> {
        let left = self.node(left, element)?;
        match operator {
            Operator::Or if truthy(&left) => return Ok(left),
            Operator::And if !truthy(&left) => return Ok(left),
            Operator::Coalesce if !left.is_null() => return Ok(left),
            Operator::Or | Operator::And | Operator::Coalesce => return self.node(right, element),
            Operator::Equal
            | Operator::Unequal
            | Operator::Less
            | Operator::LessEqual
            | Operator::Greater
            | Operator::GreaterEqual
            | Operator::Add
            | Operator::Subtract
            | Operator::Multiply
            | Operator::Divide => {}
        }
        let right = self.node(right, element)?;
        let bool = |bool| Ok(Cow::Owned(Value::Bool(bool)));
        match operator {
            Operator::Equal => bool(equal(&left, &right)),
            Operator::Unequal => bool(!equal(&left, &right)),
            Operator::Less => bool(order(operator, &left, &right, at)? == Ordering::Less),
            Operator::LessEqual => bool(order(operator, &left, &right, at)? != Ordering::Greater),
            Operator::Greater => bool(order(operator, &left, &right, at)? == Ordering::Greater),
            Operator::GreaterEqual => bool(order(operator, &left, &right, at)? != Ordering::Less),
            Operator::Add | Operator::Subtract | Operator::Multiply | Operator::Divide => {
                self.arithmetic(operator, &left, &right, at)
            }
            // Decided above, by the left side alone.
            Operator::Or | Operator::And | Operator::Coalesce => Ok(right),
        }
    }

    fn arithmetic(&mut self, operator: Operator, left: &Value, right: &Value, at: usize) -> Evaluated<'a> {
        if let (Operator::Add, Some(left), Some(right)) = (operator, left.as_str(), right.as_str()) {
            self.made(left.len() + right.len(), at)?;
            return Ok(Cow::Owned(Value::from(format!("{left}{right}"))));
        }
        let takes = if operator == Operator::Add { "two numbers or two texts" } else { "two numbers" };
        let number = |value: &Value| value.as_f64().ok_or_else(|| wrong(at, operator.symbol(), takes, value));
        let (left, right) = (number(left)?, number(right)?);
        let result = match operator {
            Operator::Subtract => left - right,
            Operator::Multiply => left * right,
            Operator::Divide => left / right,
            _add => left + right,
        };
        finite(result, at)
    }

    fn call(&mut self, function: Function, arguments: &'a [Node], at: usize, element: &'a Value) -> Evaluated<'a> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.node(argument, element)?);
        }
        let mut values = values.into_iter();
        let (first, second) = (values.next().unwrap_or(NULL), values.next().unwrap_or(NULL));
        let name = function.name();
        let text = |value: &Value, takes| match value {
            Value::String(text) => Ok(text.clone()),
            other => Err(wrong(at, name, takes, other)),
        };
        let made = match function {
            Function::Defined => Value::Bool(!first.is_null()),
            Function::Type => Value::from(kind(&first)),
            Function::Size => match first.as_ref() {
                Value::String(text) => Value::from(text.chars().count()),
                Value::Array(items) => Value::from(items.len()),
                Value::Object(fields) => Value::from(fields.len()),
                Value::Null => Value::from(0),
                other => return Err(wrong(at, name, "a text, a list or an object", other)),
            },
            Function::Lower => Value::from(text(&first, "a text")?.to_lowercase()),
            Function::Number => match first.as_ref() {
                Value::Number(number) => Value::Number(number.clone()),
                Value::String(text) => return finite(text.trim().parse::<f64>().unwrap_or(f64::NAN), at),
                other => return Err(wrong(at, name, "a text or a number", other)),
            },
            Function::String => match first.as_ref() {
                Value::String(text) => Value::from(text.clone()),
                other => Value::from(other.to_string()),
            },
            Function::Includes => match first.as_ref() {
                Value::Array(items) => {
                    items.iter().try_for_each(|_item| self.look())?;
                    Value::Bool(items.iter().any(|item| equal(item, &second)))
                }
                Value::String(whole) => Value::Bool(whole.contains(text(&second, "a text within a text")?.as_str())),
                Value::Null => Value::Bool(false),
                other => return Err(wrong(at, name, "a list or a text", other)),
            },
            Function::StartsWith => {
                Value::Bool(text(&first, "two texts")?.starts_with(text(&second, "two texts")?.as_str()))
            }
        };
        self.made(weight(&made, MAX_TEXT), at)?;
        Ok(Cow::Owned(made))
    }
}

fn field<'a>(of: Cow<'a, Value>, name: &str) -> Cow<'a, Value> {
    match of {
        Cow::Borrowed(of) => of.get(name).map_or(NULL, Cow::Borrowed),
        Cow::Owned(Value::Object(mut fields)) => fields.swap_remove(name).map_or(NULL, Cow::Owned),
        Cow::Owned(_) => NULL,
    }
}

fn item<'a>(of: Cow<'a, Value>, place: usize) -> Cow<'a, Value> {
    match of {
        Cow::Borrowed(of) => of.get(place).map_or(NULL, Cow::Borrowed),
        Cow::Owned(Value::Array(items)) => items.into_iter().nth(place).map_or(NULL, Cow::Owned),
        Cow::Owned(_) => NULL,
    }
}

/// Steps over a value that was made: fields and literal places; nothing else stands behind `[*]`.
fn walk(then: &Node, element: Value) -> Value {
    match then {
        Node::Field { of, name } => field(Cow::Owned(walk(of, element)), name).into_owned(),
        Node::Index { of, index, .. } => match index.as_ref() {
            Node::Literal(Value::String(name)) => field(Cow::Owned(walk(of, element)), name).into_owned(),
            Node::Literal(Value::Number(place)) => {
                let place = place.as_u64().and_then(|place| usize::try_from(place).ok()).unwrap_or(usize::MAX);
                item(Cow::Owned(walk(of, element)), place).into_owned()
            }
            _computed => Value::Null,
        },
        Node::Each { of, then } => match walk(of, element) {
            Value::Array(items) => items.into_iter().map(|item| walk(then, item)).collect(),
            _other => Value::Null,
        },
        _element => element,
    }
}

fn order(operator: Operator, left: &Value, right: &Value, at: usize) -> Result<Ordering, ExpressionError> {
    let takes = "two numbers or two texts";
    match (left, right) {
        (Value::Number(_), Value::Number(_)) => {
            let numbers = left.as_f64().zip(right.as_f64());
            let ordering = numbers.and_then(|(left, right)| left.partial_cmp(&right));
            ordering.ok_or(ExpressionError { at, kind: ErrorKind::NotANumber })
        }
        (Value::String(left), Value::String(right)) => Ok(left.cmp(right)),
        (left, right) => {
            let got = format!("{} and {}", kind(left), kind(right));
            Err(ExpressionError { at, kind: ErrorKind::Type { operation: operator.symbol(), takes, got } })
        }
    }
}

fn finite<'a>(number: f64, at: usize) -> Evaluated<'a> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let whole = number.fract() == 0.0 && number.abs() < EXACT;
    // Whole numbers stay whole: a value that was 3 is not written as 3.0.
    let parsed =
        if whole { format!("{number:.0}").parse::<i64>().ok().map(Number::from) } else { Number::from_f64(number) };
    parsed.map(|number| Cow::Owned(Value::Number(number))).ok_or(ExpressionError { at, kind: ErrorKind::NotANumber })
}

fn wrong(at: usize, operation: &'static str, takes: &'static str, got: &Value) -> ExpressionError {
    ExpressionError { at, kind: ErrorKind::Type { operation, takes, got: kind(got).to_owned() } }
}

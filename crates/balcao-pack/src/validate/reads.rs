//! Checks that read: values that a command gives, and references that one finds.

use balcao_tool::{CallResult, ErrorCode, Internal, ResultClass, ToolContext, ToolError};
use balcao_yaml::nearest;
use serde_json::{Map, Value};

use super::{Failure, Lookup, path::FieldPath};
use crate::expression::{Expression, equal};

/// Values shown of those that would be right.
const MAX_SHOWN: usize = 20;
/// Values of one list that are looked up one by one.
const MAX_REFERENCES: usize = 20;

/// A read command with what it is asked.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) command: String,
    pub(super) arguments: Vec<(String, Expression)>,
}

impl Question {
    /// What the command answers to arguments over that value; `None` if it finds nothing.
    ///
    /// # Errors
    /// A read that gave no answer: nothing can be decided.
    pub(super) async fn ask(
        &self,
        cx: &ToolContext,
        lookup: &dyn Lookup,
        over: &Value,
    ) -> Result<Option<Value>, Box<ToolError>> {
        let mut arguments = Map::new();
        for (name, expression) in &self.arguments {
            match expression.value(over) {
                Ok(Value::Null) => {}
                Ok(value) => drop(arguments.insert(name.clone(), value)),
                Err(error) => return Err(undecided(Internal::note(format!("argument `{name}`: {error}")))),
            }
        }
        let CallResult { class, code, value, internal, .. } =
            lookup.read(cx, &self.command, Value::Object(arguments)).await;
        match class {
            ResultClass::Success => Ok(Some(value)),
            ResultClass::Refusal => Ok(None),
            ResultClass::Correction if matches!(code, Some(ErrorCode::NotFound)) => Ok(None),
            ResultClass::Correction | ResultClass::Fault => {
                let words = internal.unwrap_or_else(|| value.to_string());
                Err(undecided(Internal::note(format!("`{}`: {words}", self.command))))
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct Read {
    pub(super) problem: &'static str,
    pub(super) field: FieldPath,
    pub(super) question: Question,
    /// Where the answer holds the values; without it, that there is an answer is all.
    pub(super) values: Option<Expression>,
}

impl Read {
    /// What is wrong. An error is a read that gave no answer: nothing can be decided.
    pub(super) async fn judge(
        &self,
        cx: &ToolContext,
        lookup: &dyn Lookup,
        args: &Value,
    ) -> Result<Vec<Failure>, Box<ToolError>> {
        let mut there = Vec::new();
        self.field.each(args, &mut |elements, value| {
            if let Some(value) = value.filter(|value| !value.is_null()) {
                there.push((self.field.pointer(elements), value));
            }
        });
        let Some(((_, first), _)) = there.split_first() else { return Ok(Vec::new()) };
        match &self.values {
            Some(values) => {
                let known = self.known(cx, lookup, args, first, values).await?;
                let wrong = there.into_iter().filter(|(_, value)| !known.iter().any(|known| equal(known, value)));
                Ok(wrong.map(|(pointer, value)| self.unknown(pointer, value, &known)).collect())
            }
            None => {
                let mut failures = Vec::new();
                // What is not looked up may not pass.
                if let Some((pointer, value)) = there.get(MAX_REFERENCES) {
                    let expected = format!("at most {MAX_REFERENCES} at a time");
                    let (pointer, got) = (pointer.clone(), Some((*value).clone()));
                    failures.push(Failure { pointer, problem: "too_many", expected, got, ..Failure::default() });
                }
                for (pointer, value) in there.into_iter().take(MAX_REFERENCES) {
                    if self.answer(cx, lookup, args, value).await?.is_none() {
                        let expected = "something that exists".to_owned();
                        let got = Some(value.clone());
                        failures.push(Failure { pointer, problem: "not_found", expected, got, ..Failure::default() });
                    }
                }
                Ok(failures)
            }
        }
    }

    async fn known(
        &self,
        cx: &ToolContext,
        lookup: &dyn Lookup,
        args: &Value,
        first: &Value,
        values: &Expression,
    ) -> Result<Vec<Value>, Box<ToolError>> {
        let Some(answer) = self.answer(cx, lookup, args, first).await? else { return Ok(Vec::new()) };
        match values.value(&answer) {
            Ok(Value::Array(values)) => Ok(values),
            Ok(one) => Ok(vec![one]),
            Err(error) => Err(undecided(Internal::note(format!(
                "`values` over the answer of `{}`: {error}",
                self.question.command
            )))),
        }
    }

    /// What the command answers; `None` if it finds nothing.
    async fn answer(
        &self,
        cx: &ToolContext,
        lookup: &dyn Lookup,
        args: &Value,
        value: &Value,
    ) -> Result<Option<Value>, Box<ToolError>> {
        // `value` is the value that is looked up, which a list of them needs.
        let mut over = args.as_object().cloned().unwrap_or_default();
        over.insert("value".to_owned(), value.clone());
        self.question.ask(cx, lookup, &Value::Object(over)).await
    }

    fn unknown(&self, pointer: String, value: &Value, known: &[Value]) -> Failure {
        let shown: Vec<String> = known.iter().take(MAX_SHOWN).map(Value::to_string).collect();
        let more = if known.len() > MAX_SHOWN { ", …" } else { "" };
        let expected = if known.is_empty() {
            "nothing: there are none".to_owned()
        } else {
            format!("one of {}{more}", shown.join(", "))
        };
        let near = value.as_str().and_then(|name| nearest(name, known.iter().filter_map(Value::as_str)));
        Failure {
            pointer,
            problem: self.problem,
            expected,
            got: Some(value.clone()),
            nearest: near.map(Value::from),
            mended: None,
            cited: None,
        }
    }
}

/// The error for a check that could not be made. The call does not run, and the caller made no mistake.
pub(super) fn undecided(internal: Internal) -> Box<ToolError> {
    let words = "a check before the call could not be made; nothing has been done";
    Box::new(ToolError::new(ErrorCode::Unavailable, words).internal(internal))
}

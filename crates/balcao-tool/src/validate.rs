//! Schemas, compiled once, and what breaks them in words: one entry per bad field.

use std::sync::Arc;

use jsonschema::{Draft, ValidationError, error::ValidationErrorKind};
use serde_json::Value;

use crate::{
    error::FieldProblem,
    limits::{MAX_FIELD_PROBLEMS, MAX_QUOTED_CHARS},
    registry::nearest,
    repair::kind,
};

/// A compiled JSON Schema 2020-12; formats are checked.
#[derive(Debug, Clone)]
pub struct Schema {
    source: Arc<Value>,
    compiled: Arc<jsonschema::Validator>,
}

impl Schema {
    /// Compiles a schema. References to other documents are not followed.
    ///
    /// # Errors
    /// Why it is no schema, and where.
    pub fn compile(source: &Value) -> Result<Self, String> {
        let compiled = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .should_validate_formats(true)
            .build(source)
            .map_err(|error| format!("at `{}`: {error}", error.instance_path()))?;
        Ok(Self { source: Arc::new(source.clone()), compiled: Arc::new(compiled) })
    }

    /// The schema itself.
    #[must_use]
    pub fn source(&self) -> &Value {
        &self.source
    }

    /// The schema itself, to be kept without copying it.
    #[must_use]
    pub fn shared(&self) -> Arc<Value> {
        Arc::clone(&self.source)
    }

    /// Whether `value` satisfies the schema.
    #[must_use]
    pub fn is_valid(&self, value: &Value) -> bool {
        self.compiled.is_valid(value)
    }

    /// Everything that is wrong with `value`, one entry per field; empty if nothing is.
    #[must_use]
    pub fn problems(&self, value: &Value) -> Vec<FieldProblem> {
        self.first_problems(value, MAX_FIELD_PROBLEMS)
    }

    /// As [`Self::problems`], but at most `most` of them.
    #[must_use]
    pub fn first_problems(&self, value: &Value, most: usize) -> Vec<FieldProblem> {
        if self.compiled.is_valid(value) {
            return Vec::new();
        }
        let mut problems: Vec<FieldProblem> = Vec::new();
        for error in self.compiled.iter_errors(value) {
            for problem in self.describe(&error) {
                // A field that is of the wrong type breaks its pattern and range as well: the first word is enough.
                if problems.len() < most && !problems.iter().any(|seen| seen.pointer == problem.pointer) {
                    problems.push(problem);
                }
            }
        }
        problems
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the validator's kinds grow; each is told with its place at least"
    )]
    fn describe(&self, error: &ValidationError<'_>) -> Vec<FieldProblem> {
        let pointer = error.instance_path().to_string();
        let one = |problem: &str, expected: String| {
            let got = (!error.instance().is_object()).then(|| quoted(error.instance()));
            vec![FieldProblem {
                pointer: pointer.clone(),
                problem: problem.to_owned(),
                expected,
                got,
                ..FieldProblem::default()
            }]
        };
        match error.kind() {
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let expected = self.words_for(&format!("{pointer}/{name}"));
                vec![FieldProblem {
                    pointer: format!("{pointer}/{name}"),
                    problem: "missing".to_owned(),
                    expected,
                    ..FieldProblem::default()
                }]
            }
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                let known = self.property_names(&pointer);
                unexpected
                    .iter()
                    .map(|name| FieldProblem {
                        pointer: format!("{pointer}/{name}"),
                        problem: "unknown_field".to_owned(),
                        expected: if known.is_empty() {
                            "no fields".to_owned()
                        } else {
                            format!("one of {}", known.join(", "))
                        },
                        nearest: nearest(name, known.iter().map(String::as_str)).first().map(|name| Value::from(*name)),
                        ..FieldProblem::default()
                    })
                    .collect()
            }
            ValidationErrorKind::Enum { options } => {
                let names: Vec<&str> =
                    options.as_array().map(|all| all.iter().filter_map(Value::as_str).collect()).unwrap_or_default();
                let mut problem = one("not_allowed", format!("one of {options}"));
                if let Some(first) = problem.first_mut() {
                    first.nearest = match error.instance().as_str() {
                        Some(got) => nearest(got, names.into_iter()).first().map(|name| Value::from(*name)),
                        None => nearest_number(error.instance(), options),
                    };
                }
                problem
            }
            ValidationErrorKind::Type { .. } => {
                one("wrong_type", format!("{}, not {}", self.words_for(&pointer), kind(error.instance())))
            }
            ValidationErrorKind::Minimum { .. }
            | ValidationErrorKind::Maximum { .. }
            | ValidationErrorKind::ExclusiveMinimum { .. }
            | ValidationErrorKind::ExclusiveMaximum { .. }
            | ValidationErrorKind::MultipleOf { .. } => one("out_of_range", self.words_for(&pointer)),
            ValidationErrorKind::MinLength { limit } => one("too_short", format!("at least {limit} characters")),
            ValidationErrorKind::MaxLength { limit } => one("too_long", format!("at most {limit} characters")),
            ValidationErrorKind::MinProperties { limit } => one("too_few", format!("at least {limit} fields")),
            ValidationErrorKind::MaxProperties { limit } => one("too_many", format!("at most {limit} fields")),
            ValidationErrorKind::MinItems { limit } => one("too_few", format!("at least {limit} items")),
            ValidationErrorKind::MaxItems { limit } => one("too_many", format!("at most {limit} items")),
            ValidationErrorKind::Pattern { .. } | ValidationErrorKind::Format { .. } => {
                one("bad_format", self.words_for(&pointer))
            }
            _ => one("not_allowed", self.words_for(&pointer)),
        }
    }

    /// What the schema says about the field at `pointer`: type, range, and its first example.
    fn words_for(&self, pointer: &str) -> String {
        let Some(field) = self.field(pointer) else { return "a value that fits the schema".to_owned() };
        let mut words = match field.get("type") {
            Some(Value::String(name)) => name.clone(),
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
            _other => "a value".to_owned(),
        };
        if let Some(options) = field.get("enum") {
            words.push_str(&format!(", one of {options}"));
        }
        match (field.get("minimum"), field.get("maximum")) {
            (Some(low), Some(high)) => words.push_str(&format!(" from {low} to {high}")),
            (Some(low), None) => words.push_str(&format!(" from {low}")),
            (None, Some(high)) => words.push_str(&format!(" up to {high}")),
            (None, None) => {}
        }
        if let Some(example) = field.pointer("/examples/0") {
            words.push_str(&format!(", for example {example}"));
        }
        words
    }

    fn property_names(&self, pointer: &str) -> Vec<String> {
        self.field(pointer)
            .and_then(|schema| schema.get("properties"))
            .and_then(Value::as_object)
            .map(|map| map.keys().cloned().collect())
            .unwrap_or_default()
    }

    fn field(&self, pointer: &str) -> Option<&Value> {
        let mut schema: &Value = &self.source;
        for step in pointer.split('/').skip(1) {
            schema = match schema.get("properties").and_then(|properties| properties.get(step)) {
                Some(property) => property,
                None => schema.get("items")?,
            };
        }
        Some(schema)
    }
}

/// The option that is nearest to a number, the smaller one of two.
fn nearest_number(got: &Value, options: &Value) -> Option<Value> {
    let got = got.as_f64()?;
    let distance = |option: &&Value| option.as_f64().map(|number| (number - got).abs());
    let numbers = options.as_array()?.iter().filter(|option| option.is_number());
    let nearest = numbers.min_by(|a, b| distance(a).partial_cmp(&distance(b)).unwrap_or(std::cmp::Ordering::Equal));
    nearest.cloned()
}

fn quoted(value: &Value) -> Value {
    if let Some(items) = value.as_array() {
        return format!("a list of {} items", items.len()).into();
    }
    match value.as_str() {
        Some(text) if text.chars().count() > MAX_QUOTED_CHARS => {
            format!("{}…", text.chars().take(MAX_QUOTED_CHARS).collect::<String>()).into()
        }
        _ => value.clone(),
    }
}

#[cfg(test)]
#[path = "validate_tests.rs"]
mod tests;

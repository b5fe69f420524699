//! Schemas, compiled once, and what breaks them in words: one entry per bad field.

use std::sync::Arc;

use jsonschema::{Draft, PatternOptions, ValidationError, error::ValidationErrorKind};
use serde_json::Value;

use crate::names::nearest;
use crate::{
    cost::Cost,
    error::FieldProblem,
    limits::{
        MAX_COMPARED, MAX_FIELD_PROBLEMS, MAX_MISTAKES_SEEN, MAX_PATTERN_MEMORY, MAX_PATTERN_STEPS, MAX_QUOTED_CHARS,
        MAX_TOLD_CHARS, MAX_VISITS,
    },
    repair::kind,
};

/// A compiled JSON Schema 2020-12; formats are checked.
#[derive(Debug, Clone)]
pub struct Schema {
    source: Arc<Value>,
    compiled: Arc<jsonschema::Validator>,
    cost: Cost,
}

impl Schema {
    /// Compiles a schema. References to other documents are not followed. What it would cost to compile, and to check values against it,
    /// is bounded ([`crate::limits`]): a schema may come from a stranger.
    ///
    /// # Errors
    /// Why it is not a schema, and where; or which budget it exceeds.
    pub fn compile(source: &Value) -> Result<Self, String> {
        let cost = Cost::from_schema(source)?;
        let patterns = PatternOptions::fancy_regex()
            .backtrack_limit(MAX_PATTERN_STEPS)
            .size_limit(MAX_PATTERN_MEMORY)
            .dfa_size_limit(MAX_PATTERN_MEMORY);
        let compiled = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .should_validate_formats(true)
            .with_pattern_options(patterns)
            .build(source)
            .map_err(|error| format!("at `{}`: {error}", error.instance_path()))?;
        Ok(Self { source: Arc::new(source.clone()), compiled: Arc::new(compiled), cost })
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

    /// Whether `value` satisfies the schema. One that would take more than [`MAX_VISITS`] to check does not.
    #[must_use]
    pub fn is_valid(&self, value: &Value) -> bool {
        self.cost.fits(value) && self.compiled.is_valid(value)
    }

    /// Whether a check of a value takes so little time that others on the thread do not wait.
    pub(crate) fn checks_lightly(&self, value: &Value) -> bool {
        self.cost.is_light(value)
    }

    /// Everything that is wrong with `value`, one entry per field; empty if nothing is.
    #[must_use]
    pub fn problems(&self, value: &Value) -> Vec<FieldProblem> {
        self.first_problems(value, MAX_FIELD_PROBLEMS)
    }

    /// As [`Self::problems`], but at most `most` of them.
    #[must_use]
    pub fn first_problems(&self, value: &Value, most: usize) -> Vec<FieldProblem> {
        if !self.cost.fits(value) {
            return vec![FieldProblem {
                problem: "too_large".to_owned(),
                expected: format!("a value that takes at most {MAX_VISITS} steps to check: fewer items"),
                ..FieldProblem::default()
            }];
        }
        if self.compiled.is_valid(value) {
            return Vec::new();
        }
        let mut problems: Vec<FieldProblem> = Vec::new();
        // The validator collects every mistake before it gives the first, so of a value that may have very many only the first is looked for.
        let listed = self.cost.lists_mistakes_of(value).then(|| self.compiled.iter_errors(value));
        let first = if listed.is_none() { self.compiled.validate(value).err() } else { None };
        // Very many mistakes are one: to describe each takes longer than to find it.
        for error in listed.into_iter().flatten().take(most.max(MAX_MISTAKES_SEEN)).chain(first) {
            for problem in self.describe(&error, most) {
                // A field that is of the wrong type breaks its pattern and range as well: the first word is enough.
                if problems.len() < most && !problems.iter().any(|seen| seen.pointer == problem.pointer) {
                    problems.push(problem);
                }
            }
            if problems.len() >= most {
                break;
            }
        }
        problems
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the validator's kinds grow; each is told with its place at least"
    )]
    fn describe(&self, error: &ValidationError<'_>, most: usize) -> Vec<FieldProblem> {
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
                    .take(most)
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
                // Among very many words the nearest is rarely the one that was meant, and takes long to find.
                let all = options.as_array().filter(|all| all.len() <= MAX_COMPARED);
                let names: Vec<&str> = all.into_iter().flatten().filter_map(Value::as_str).collect();
                let mut problem = one("not_allowed", format!("one of {}", shortened(options)));
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
            // A text on which a pattern takes too many steps does not fit it.
            ValidationErrorKind::Pattern { .. }
            | ValidationErrorKind::BacktrackLimitExceeded { .. }
            | ValidationErrorKind::RegexEngineFailure { .. }
            | ValidationErrorKind::Format { .. } => one("bad_format", self.words_for(&pointer)),
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
            words.push_str(&format!(", one of {}", shortened(options)));
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

/// Allowed values as an error shows them: of a long list, the beginning.
fn shortened(options: &Value) -> String {
    let whole = options.to_string();
    match whole.char_indices().nth(MAX_TOLD_CHARS) {
        Some((end, _)) => format!("{}…", whole.get(..end).unwrap_or_default()),
        None => whole,
    }
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

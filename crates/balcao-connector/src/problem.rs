//! What is wrong with what an author wrote: all of it, each with its place and what would be right.

use std::fmt;

use jsonschema::{Draft, ValidationError, error::ValidationErrorKind};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// How alike two names must be, from 0 to 1, for one to be offered for the other.
const ALIKE: f64 = 0.6;

/// One mistake in a connection or a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// JSON pointer to it; empty for the whole.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub suggestion: Option<String>,
}

impl Problem {
    /// A mistake at that place.
    pub fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), message: message.into(), suggestion: None }
    }

    /// The same, with what would be right.
    #[must_use]
    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// The same, with the nearest of those names, if one is near.
    #[must_use]
    pub fn nearest<'a>(self, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let near = known.into_iter().map(|other| (strsim::jaro_winkler(name, other), other));
        let best = near.filter(|(score, _)| *score >= ALIKE).max_by(|a, b| a.0.total_cmp(&b.0));
        match best {
            Some((_, other)) => self.suggest(format!("did you mean `{other}`?")),
            None => self,
        }
    }

    /// The same, below that pointer.
    #[must_use]
    pub fn below(mut self, base: &str) -> Self {
        self.pointer.insert_str(0, base);
        self
    }
}

impl Problem {
    /// Reads a value of YAML or JSON as that type.
    ///
    /// # Errors
    /// Everything about its shape that is wrong.
    pub fn reading<T: JsonSchema + DeserializeOwned>(value: &Value) -> Result<T, Vec<Self>> {
        read(value)
    }

    /// The JSON Schema of a type that [`Self::reading`] reads, without references, so that it can be put into another schema as it is.
    #[must_use]
    pub fn schema_of<T: JsonSchema>() -> Value {
        schema_of::<T>()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pointer.is_empty() { "/" } else { &self.pointer };
        write!(f, "{place}: {}", self.message)?;
        self.suggestion.as_ref().map_or(Ok(()), |suggestion| write!(f, "; {suggestion}"))
    }
}

/// The JSON Schema of a type, without references, so that it can be put into another schema as it is.
pub(crate) fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    join_words(&mut schema);
    schema
}

/// Turns "one of these constants", as enums with documented variants come out, into an `enum`, whose mistakes can be told in words.
fn join_words(schema: &mut Value) {
    if let Some(words) = schema.get("oneOf").and_then(Value::as_array) {
        let words: Option<Vec<Value>> = words.iter().map(|word| word.get("const").cloned()).collect();
        if let (Some(words), Some(object)) = (words, schema.as_object_mut()) {
            object.remove("oneOf");
            object.insert("enum".to_owned(), Value::Array(words));
        }
    }
    match schema {
        Value::Object(fields) => fields.values_mut().for_each(join_words),
        Value::Array(items) => items.iter_mut().for_each(join_words),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Reads a value as that type.
///
/// # Errors
/// Everything about its shape that is wrong.
pub(crate) fn read<T: JsonSchema + DeserializeOwned>(value: &Value) -> Result<T, Vec<Problem>> {
    let schema = schema_of::<T>();
    let whole = |error: String| vec![Problem::new("", error)];
    let compiled = jsonschema::options()
        .with_draft(Draft::Draft202012)
        .build(&schema)
        .map_err(|error| whole(error.to_string()))?;
    let problems: Vec<Problem> = compiled.iter_errors(value).flat_map(|error| describe(&error, &schema)).collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    serde_json::from_value(value.clone()).map_err(|error| whole(error.to_string()))
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the validator's kinds grow; each is told with its place at least")]
fn describe(error: &ValidationError<'_>, schema: &Value) -> Vec<Problem> {
    let at = error.instance_path().to_string();
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let known = known_keys(schema, &at);
            let unknown = |key: &String| {
                Problem::new(format!("{at}/{}", escape(key)), format!("unknown key `{key}`"))
                    .nearest(key, known.iter().map(String::as_str))
            };
            unexpected.iter().map(unknown).collect()
        }
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            vec![Problem::new(at, format!("`{name}` is missing")).suggest(format!("add `{name}: …`"))]
        }
        ValidationErrorKind::Enum { options } => {
            let got = error.instance().as_str().unwrap_or_default().to_owned();
            let names = options.as_array().into_iter().flatten().filter_map(Value::as_str);
            vec![Problem::new(at, format!("this must be one of {options}")).nearest(&got, names)]
        }
        _ => vec![Problem::new(at, error.to_string())],
    }
}

/// The keys that may stand in the object at `pointer`.
fn known_keys(schema: &Value, pointer: &str) -> Vec<String> {
    let mut here = Some(schema);
    for step in pointer.split('/').skip(1) {
        here = here.and_then(|schema| {
            let named = schema.get("properties").and_then(|all| all.get(step));
            named.or_else(|| schema.get("items")).or_else(|| schema.get("additionalProperties"))
        });
        // An optional object is one of "the object" and "null".
        here = here.map(|schema| {
            let object = |part: &&Value| part.get("properties").is_some();
            schema.get("anyOf").and_then(Value::as_array).and_then(|parts| parts.iter().find(object)).unwrap_or(schema)
        });
    }
    let properties = here.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    properties.map(|map| map.keys().cloned().collect()).unwrap_or_default()
}

/// A key as a step of a JSON pointer (RFC 6901).
pub(crate) fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

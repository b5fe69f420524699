//! Schemas from types: one to check what comes in, the same one and those of answers to show in the document.

use balcao_tool::validate::Schema;
use schemars::generate::{Contract, SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema as Generated};
use serde_json::{Map, Value};

/// Where a document keeps its schemas.
const PLACE: &str = "/components/schemas";

/// The schema of something that comes in, with everything that it names inside. A field that may be left out is absent then,
/// not null.
///
/// # Errors
/// A schema that is none: a mistake in this program.
pub(super) fn of_input<T: JsonSchema>() -> Result<Schema, String> {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    tidied(&mut schema);
    without_null(&mut schema);
    // Without it, a validator does not name what is unknown.
    if let Some(fields) = schema.as_object_mut() {
        fields.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    Schema::compile(&schema)
}

/// The schemas of a document.
#[derive(Debug)]
pub(super) struct Components {
    inputs: SchemaGenerator,
    outputs: SchemaGenerator,
}

impl Components {
    pub(super) fn new() -> Self {
        let generator = |contract: Contract| {
            let with = |settings: &mut SchemaSettings| {
                settings.definitions_path = PLACE.into();
                settings.contract = contract;
                settings.meta_schema = None;
            };
            SchemaSettings::draft2020_12().with(with).into_generator()
        };
        Self { inputs: generator(Contract::Deserialize), outputs: generator(Contract::Serialize) }
    }

    /// Where the schema of something that comes in is.
    pub(super) fn input<T: JsonSchema>(&mut self) -> Value {
        let mut schema = self.inputs.subschema_for::<T>().to_value();
        without_null(&mut schema);
        schema
    }

    /// Where the schema of an answer is.
    pub(super) fn output<T: JsonSchema>(&mut self) -> Value {
        Generated::to_value(self.outputs.subschema_for::<T>())
    }

    /// All of them, by name.
    pub(super) fn all(mut self) -> Map<String, Value> {
        let mut all = self.inputs.take_definitions(true);
        all.values_mut().for_each(without_null);
        all.extend(self.outputs.take_definitions(true));
        all.values_mut().for_each(tidied);
        all.sort_keys();
        all
    }
}

/// Makes one list of a choice among words, which a generator lists one by one otherwise.
fn tidied(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let choices = fields.get("oneOf").and_then(Value::as_array);
            let words: Option<Vec<Value>> =
                choices.and_then(|all| all.iter().map(|one| one.get("const").cloned()).collect());
            if let Some(words) = words {
                let told = |one: &Value| {
                    Some(format!("- `{}`: {}", one.get("const")?.as_str()?, one.get("description")?.as_str()?))
                };
                let told: Vec<String> = choices.into_iter().flatten().filter_map(told).collect();
                let before = fields.get("description").and_then(Value::as_str).unwrap_or_default();
                let description = format!("{before}\n\n{}", told.join("\n"));
                fields.insert("description".to_owned(), description.into());
                fields.insert("type".to_owned(), "string".into());
                fields.insert("enum".to_owned(), words.into());
                fields.remove("oneOf");
            }
            fields.values_mut().for_each(tidied);
        }
        Value::Array(items) => items.iter_mut().for_each(tidied),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Takes out that a value may be null.
fn without_null(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Array(types)) = fields.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    fields.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(options)) = fields.get_mut("enum") {
                options.retain(|option| !option.is_null());
            }
            if let Some(Value::Array(choices)) = fields.get_mut("anyOf") {
                choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
                if let [only] = choices.as_slice() {
                    let only = only.as_object().cloned().unwrap_or_default();
                    fields.remove("anyOf");
                    fields.extend(only);
                }
            }
            fields.values_mut().for_each(without_null);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

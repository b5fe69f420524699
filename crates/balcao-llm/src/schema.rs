//! JSON Schema 2020-12 in the dialects that vendors take.
//!
//! What a dialect cannot say is dropped and listed. Nothing is lost by that but help for the model: the tool layer checks
//! arguments and answers against the whole schema.

use serde_json::{Map, Value, json};

/// What a vendor takes, and for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Tool parameters of OpenAI and its kin, input schemas of Anthropic: any JSON Schema whose root is a plain object,
    /// without long bounds on texts: engines that compile schemas to grammars (llama.cpp and what is built on it) write out
    /// each repetition and refuse them.
    ObjectRoot,
    /// Anthropic's `output_config.format`: closed objects, no bounds on numbers, strings and arrays.
    AnthropicOutput,
    /// Gemini's `parameters`: the subset of OpenAPI 3.0 that its `Schema` type has.
    GeminiParameters,
    /// Gemini's `responseJsonSchema`.
    GeminiResponse,
}

/// Something that the dialect cannot say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// JSON pointer to the schema that held it.
    pub pointer: String,
    /// The keyword that was dropped or weakened.
    pub keyword: String,
}

/// Deepest nesting that is translated; below, any value is allowed.
const MAX_DEPTH: usize = 32;

/// Longest bound on a text that is passed on to engines that may compile it to a grammar.
const MAX_REPEATS: u64 = 256;

/// Says `schema` in `dialect` and lists what got lost on the way. Local references are resolved where the dialect has none;
/// a recursive one ends in "any value".
#[must_use]
pub fn translate(schema: &Value, dialect: Dialect) -> (Value, Vec<Lost>) {
    let mut translation = Translation { root: schema, dialect, lost: Vec::new(), open: Vec::new() };
    let mut translated = translation.schema(schema, "", 0);
    if dialect != Dialect::AnthropicOutput
        && let Value::Object(root) = &mut translated
    {
        translation.plain_root(root);
    }
    (translated, translation.lost)
}

/// True if OpenAI's strict mode can enforce `schema` as it stands: every object closed, every property required, only
/// keywords that the mode knows.
#[must_use]
pub fn is_strict(schema: &Value) -> bool {
    const KNOWN: &[&str] = &[
        "type",
        "title",
        "description",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
        "const",
        "anyOf",
        "$ref",
        "$defs",
        "pattern",
        "format",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minItems",
        "maxItems",
    ];
    let Value::Object(map) = schema else { return false };
    if map.keys().any(|key| !KNOWN.contains(&key.as_str())) {
        return false;
    }
    let objects = ["properties", "$defs"].iter().filter_map(|key| map.get(*key)?.as_object());
    let parts = objects
        .flat_map(Map::values)
        .chain(map.get("items"))
        .chain(map.get("anyOf").and_then(Value::as_array).into_iter().flatten());
    if !parts.into_iter().all(is_strict) {
        return false;
    }
    !may_be_object(map) || is_closed(map) && all_required(map)
}

fn may_be_object(map: &Map<String, Value>) -> bool {
    map.contains_key("properties")
        || match map.get("type") {
            Some(Value::String(name)) => name == "object",
            Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
            Some(_) | None => {
                !["enum", "const", "anyOf", "oneOf", "allOf", "$ref"].iter().any(|key| map.contains_key(*key))
            }
        }
}

fn is_closed(map: &Map<String, Value>) -> bool {
    map.get("additionalProperties") == Some(&Value::Bool(false))
}

fn all_required(map: &Map<String, Value>) -> bool {
    let required = map.get("required").and_then(Value::as_array);
    let required = |name: &str| required.is_some_and(|names| names.iter().any(|it| it == name));
    map.get("properties").and_then(Value::as_object).is_none_or(|all| all.keys().all(|name| required(name)))
}

struct Translation<'a> {
    root: &'a Value,
    dialect: Dialect,
    lost: Vec<Lost>,
    /// References that are being resolved, against recursion.
    open: Vec<String>,
}

impl<'a> Translation<'a> {
    fn lose(&mut self, pointer: &str, keyword: &str) {
        self.lost.push(Lost { pointer: pointer.to_owned(), keyword: keyword.to_owned() });
    }

    fn schema(&mut self, schema: &'a Value, pointer: &str, depth: usize) -> Value {
        let Value::Object(map) = schema else {
            // `true` and `false` are schemas too; no dialect but JSON Schema itself has them.
            if self.dialect == Dialect::ObjectRoot && schema.is_boolean() {
                return schema.clone();
            }
            if schema == &Value::Bool(false) {
                self.lose(pointer, "false");
            }
            return json!({});
        };
        if depth > MAX_DEPTH {
            self.lose(pointer, "depth");
            return json!({});
        }
        match self.dialect {
            Dialect::ObjectRoot => self.without_long_bounds(schema, pointer),
            Dialect::AnthropicOutput => self.filtered(map, pointer, depth, ANTHROPIC_OUTPUT),
            Dialect::GeminiResponse => self.filtered(map, pointer, depth, GEMINI_RESPONSE),
            Dialect::GeminiParameters => self.gemini_parameters(map, pointer, depth),
        }
    }

    fn without_long_bounds(&mut self, value: &Value, pointer: &str) -> Value {
        let Value::Object(map) = value else {
            let Value::Array(all) = value else { return value.clone() };
            let parts = all.iter().enumerate();
            return parts.map(|(index, part)| self.without_long_bounds(part, &format!("{pointer}/{index}"))).collect();
        };
        let mut out = Map::new();
        for (keyword, value) in map {
            // A property may have a keyword's name; its value is no number then.
            if ["maxLength", "minLength"].contains(&keyword.as_str()) && value.as_u64().is_some_and(|n| n > MAX_REPEATS)
            {
                self.lose(pointer, keyword);
            } else {
                let at = format!("{pointer}/{}", escape(keyword));
                out.insert(keyword.clone(), self.without_long_bounds(value, &at));
            }
        }
        Value::Object(out)
    }

    /// The root of a tool's parameters: an object, not a choice between schemas.
    fn plain_root(&mut self, root: &mut Map<String, Value>) {
        for keyword in ["anyOf", "oneOf", "allOf", "not", "enum", "const", "if", "then", "else"] {
            if root.shift_remove(keyword).is_some() {
                self.lose("", keyword);
            }
        }
        let object = if self.dialect == Dialect::GeminiParameters { "OBJECT" } else { "object" };
        if root.get("type").and_then(Value::as_str) != Some(object) {
            root.insert("type".to_owned(), object.into());
        }
        if self.dialect == Dialect::ObjectRoot && !root.contains_key("properties") {
            root.insert("properties".to_owned(), json!({}));
        }
    }

    /// Keeps the keywords of a list; subschemas are translated on the way.
    fn filtered(&mut self, map: &'a Map<String, Value>, pointer: &str, depth: usize, known: &[&str]) -> Value {
        let mut out = Map::new();
        for (keyword, value) in map {
            let at = format!("{pointer}/{}", escape(keyword));
            match keyword.as_str() {
                "oneOf" if known.contains(&"anyOf") && !map.contains_key("anyOf") => {
                    self.lose(pointer, "oneOf");
                    out.insert("anyOf".to_owned(), self.list(value, &at, depth));
                }
                _ if !known.contains(&keyword.as_str()) => self.lose(pointer, keyword),
                "properties" | "$defs" => {
                    out.insert(keyword.clone(), self.named(value, &at, depth));
                }
                "anyOf" | "allOf" | "prefixItems" => {
                    out.insert(keyword.clone(), self.list(value, &at, depth));
                }
                "items" => {
                    out.insert(keyword.clone(), self.schema(value, &at, depth + 1));
                }
                "additionalProperties" => {
                    let kept = if value.is_boolean() { value.clone() } else { self.schema(value, &at, depth + 1) };
                    out.insert(keyword.clone(), kept);
                }
                "minItems" if self.dialect == Dialect::AnthropicOutput && value.as_u64().is_none_or(|n| n > 1) => {
                    self.lose(pointer, keyword);
                }
                _ => {
                    out.insert(keyword.clone(), value.clone());
                }
            }
        }
        if self.dialect == Dialect::AnthropicOutput && may_be_object(map) && !is_closed(map) {
            self.lose(pointer, "additionalProperties");
            out.insert("additionalProperties".to_owned(), Value::Bool(false));
        }
        Value::Object(out)
    }

    fn gemini_parameters(&mut self, map: &'a Map<String, Value>, pointer: &str, depth: usize) -> Value {
        if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
            return self.resolved(map, reference, pointer, depth);
        }
        let mut out = Map::new();
        for (keyword, value) in map {
            let at = format!("{pointer}/{}", escape(keyword));
            match keyword.as_str() {
                "type" => self.gemini_type(value, pointer, &mut out),
                "enum" => self.gemini_enum(value, pointer, &mut out),
                "const" => self.gemini_enum(&json!([value]), pointer, &mut out),
                "format" if !matches!(value.as_str(), Some("date-time" | "int32" | "int64" | "float" | "double")) => {
                    self.lose(pointer, keyword);
                }
                "properties" => {
                    out.insert(keyword.clone(), self.named(value, &at, depth));
                }
                "items" => {
                    out.insert(keyword.clone(), self.schema(value, &at, depth + 1));
                }
                "anyOf" | "oneOf" => {
                    if keyword == "oneOf" {
                        self.lose(pointer, keyword);
                    }
                    self.gemini_any_of(value, &at, depth, &mut out);
                }
                "title" | "description" | "format" | "default" | "required" | "minItems" | "maxItems"
                | "minProperties" | "maxProperties" | "minLength" | "maxLength" | "pattern" | "minimum" | "maximum"
                | "example" => {
                    out.insert(keyword.clone(), value.clone());
                }
                "$schema" | "$defs" | "$id" | "$comment" => {}
                _ => self.lose(pointer, keyword),
            }
        }
        if out.get("type").is_some_and(|name| name == "ARRAY") && !out.contains_key("items") {
            out.insert("items".to_owned(), json!({}));
        }
        if let (Some(Value::Array(required)), Some(Value::Object(properties))) =
            (out.get("required"), out.get("properties"))
        {
            // Gemini refuses a required property that is not described.
            let kept: Vec<Value> = required
                .iter()
                .filter(|it| it.as_str().is_some_and(|it| properties.contains_key(it)))
                .cloned()
                .collect();
            if kept.len() != required.len() {
                self.lose(pointer, "required");
            }
            out.insert("required".to_owned(), Value::Array(kept));
        } else if out.shift_remove("required").is_some() {
            self.lose(pointer, "required");
        }
        Value::Object(out)
    }

    fn resolved(&mut self, map: &'a Map<String, Value>, reference: &str, pointer: &str, depth: usize) -> Value {
        let target = reference.strip_prefix('#').and_then(|local| self.root.pointer(local));
        let Some(target) = target.filter(|_| !self.open.iter().any(|it| it == reference)) else {
            self.lose(pointer, "$ref");
            return json!({});
        };
        self.open.push(reference.to_owned());
        let mut resolved = self.schema(target, pointer, depth + 1);
        self.open.pop();
        if let (Value::Object(out), Some(description)) = (&mut resolved, map.get("description")) {
            out.insert("description".to_owned(), description.clone());
        }
        resolved
    }

    fn gemini_type(&mut self, value: &Value, pointer: &str, out: &mut Map<String, Value>) {
        let names: Vec<&str> = match value {
            Value::String(name) => vec![name],
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
        };
        if names.contains(&"null") {
            out.insert("nullable".to_owned(), true.into());
        }
        let mut others = names.iter().filter(|name| **name != "null");
        match (others.next(), others.next()) {
            (Some(only), None) => {
                out.insert("type".to_owned(), only.to_ascii_uppercase().into());
            }
            (Some(_), Some(_)) => {
                let choices = names.iter().filter(|name| **name != "null");
                let choices: Vec<Value> = choices.map(|name| json!({ "type": name.to_ascii_uppercase() })).collect();
                out.insert("anyOf".to_owned(), Value::Array(choices));
            }
            (None, _) => self.lose(pointer, "type"),
        }
    }

    /// Gemini knows enumerations of strings only.
    fn gemini_enum(&mut self, value: &Value, pointer: &str, out: &mut Map<String, Value>) {
        let all = value.as_array().map(Vec::as_slice).unwrap_or_default();
        let words: Vec<Value> = all.iter().filter(|item| item.is_string()).cloned().collect();
        let has_null = all.iter().any(Value::is_null);
        if has_null {
            out.insert("nullable".to_owned(), true.into());
        }
        if words.is_empty() || words.len() + usize::from(has_null) != all.len() {
            self.lose(pointer, "enum");
        } else {
            out.insert("type".to_owned(), "STRING".into());
            out.insert("enum".to_owned(), Value::Array(words));
        }
    }

    /// A choice; `null` among its parts becomes `nullable`, and a choice of one becomes that one.
    fn gemini_any_of(&mut self, value: &'a Value, at: &str, depth: usize, out: &mut Map<String, Value>) {
        let all = value.as_array().map(Vec::as_slice).unwrap_or_default();
        let is_null = |part: &Value| part.get("type").is_some_and(|name| name == "null");
        if all.iter().any(is_null) {
            out.insert("nullable".to_owned(), true.into());
        }
        let mut parts = Vec::new();
        for (index, part) in all.iter().enumerate().filter(|(_, part)| !is_null(part)) {
            parts.push(self.schema(part, &format!("{at}/{index}"), depth + 1));
        }
        if let [Value::Object(only)] = parts.as_slice() {
            for (keyword, value) in only {
                out.entry(keyword.clone()).or_insert_with(|| value.clone());
            }
        } else if !parts.is_empty() {
            out.insert("anyOf".to_owned(), Value::Array(parts));
        }
    }

    fn named(&mut self, value: &'a Value, at: &str, depth: usize) -> Value {
        let Value::Object(all) = value else { return json!({}) };
        let parts = all
            .iter()
            .map(|(name, part)| (name.clone(), self.schema(part, &format!("{at}/{}", escape(name)), depth + 1)));
        Value::Object(parts.collect())
    }

    fn list(&mut self, value: &'a Value, at: &str, depth: usize) -> Value {
        let all = value.as_array().map(Vec::as_slice).unwrap_or_default();
        let parts = all.iter().enumerate().map(|(index, part)| self.schema(part, &format!("{at}/{index}"), depth + 1));
        Value::Array(parts.collect())
    }
}

const ANTHROPIC_OUTPUT: &[&str] = &[
    "$defs",
    "$ref",
    "type",
    "title",
    "description",
    "enum",
    "const",
    "anyOf",
    "allOf",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minItems",
    "format",
    "default",
];

const GEMINI_RESPONSE: &[&str] = &[
    "$id",
    "$defs",
    "$ref",
    "$anchor",
    "type",
    "format",
    "title",
    "description",
    "enum",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "anyOf",
    "properties",
    "additionalProperties",
    "required",
    "propertyOrdering",
];

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;

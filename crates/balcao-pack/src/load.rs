//! From the text of a `tool.yaml` to checked tools.

use std::{collections::BTreeMap, sync::Arc, sync::LazyLock};

use balcao_tool::{Tool, ToolHandler, validate::Schema};
use balcao_yaml::{Document, Problem};
use serde_json::Value;

use crate::{check, manifest::Manifest};

/// Native handlers by name.
pub type Handlers = BTreeMap<String, Arc<dyn ToolHandler>>;

/// The JSON Schema of `tool.yaml`, for editors and for the loader.
pub const SCHEMA: &str = include_str!("tool.schema.json");

static COMPILED: LazyLock<Result<Schema, String>> = LazyLock::new(|| {
    let source: Value = serde_json::from_str(SCHEMA).map_err(|error| error.to_string())?;
    Schema::compile(&source)
});

/// A pack whose every part was checked.
#[derive(Debug)]
pub struct LoadedPack {
    /// Its id.
    pub id: String,
    /// Its version.
    pub version: String,
    /// Its commands, ready to be registered.
    pub tools: Vec<Tool>,
}

/// Loads a pack. `file` is the name that problems show.
///
/// # Errors
/// Every problem at once, each with its place and what would be right.
pub fn load(file: &str, text: &str, handlers: &Handlers) -> Result<LoadedPack, Vec<Problem>> {
    let document = Document::read(file, text).map_err(|problem| vec![*problem])?;
    let schema = COMPILED.as_ref().map_err(|reason| vec![document.problem("", reason.clone(), None)])?;
    let shape: Vec<Problem> = schema
        .problems(&document.value)
        .into_iter()
        .map(|found| {
            let suggestion = match found.nearest.as_ref().and_then(Value::as_str) {
                Some(name) => format!("did you mean `{name}`?"),
                None => format!("expected {}", found.expected),
            };
            document.problem(&found.pointer, found.problem.replace('_', " "), Some(suggestion))
        })
        .collect();
    if !shape.is_empty() {
        return Err(shape);
    }
    let manifest: Manifest = document.read_as().map_err(|problem| vec![*problem])?;
    let pack = manifest.tool;
    let tools = check::compile(&document, &pack, handlers)?;
    Ok(LoadedPack { id: pack.id, version: pack.version, tools })
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;

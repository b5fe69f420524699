//! From the text of a `tool.yaml` to checked tools.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, LazyLock},
};

use balcao_sandbox::Bundle;
use balcao_tool::{Tool, ToolHandler, validate::Schema};
use balcao_yaml::{Document, Problem};
use serde_json::Value;

use crate::{check, folder::Folder, helpers, manifest::Manifest};

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
    /// Its helpers; [`crate::check_helpers`] looks at their code.
    pub helpers: Bundle,
}

/// Loads a pack that is one text, without a folder. `file` is the name that problems show.
///
/// # Errors
/// Every problem at once, each with its place and what would be right.
pub fn load(file: &str, text: &str, handlers: &Handlers) -> Result<LoadedPack, Vec<Problem>> {
    load_text(file, text, handlers, None)
}

/// Loads a pack from its folder: `tool.yaml` and the files that it names. Problems name files as they stand in the folder.
///
/// # Errors
/// Every problem at once, each with its place and what would be right.
pub fn load_folder(root: &Path, handlers: &Handlers) -> Result<LoadedPack, Vec<Problem>> {
    let folder = Folder::new(root);
    let file = "tool.yaml";
    let text = folder.read(file).map_err(|error| {
        let (message, suggestion) = (format!("{}: {error}", root.join(file).display()), None);
        vec![Problem { file: file.to_owned(), line: 0, column: 0, message, suggestion, snippet: String::new() }]
    })?;
    load_text(file, &text, handlers, Some(&folder))
}

fn load_text(file: &str, text: &str, handlers: &Handlers, folder: Option<&Folder>) -> Result<LoadedPack, Vec<Problem>> {
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
    match (check::compile(&document, &pack, handlers), helpers::bundle(&document, &pack, folder)) {
        (Ok(tools), Ok(helpers)) => Ok(LoadedPack { id: pack.id, version: pack.version, tools, helpers }),
        (tools, helpers) => Err(tools.err().into_iter().chain(helpers.err()).flatten().collect()),
    }
}

#[cfg(test)]
#[path = "load_tests.rs"]
pub(crate) mod tests;

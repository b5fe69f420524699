//! Commands that are code of this program.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use balcao_tool::ToolHandler;
use balcao_yaml::nearest;
use serde_json::Value;

use super::{Finding, Kind, PackParts};
use crate::manifest::{Command, Pack};

/// Native handlers by name.
pub type Handlers = BTreeMap<String, Arc<dyn ToolHandler>>;

/// Native handlers, found by name.
pub struct Native {
    handlers: Handlers,
}

impl Native {
    /// These handlers.
    #[must_use]
    pub const fn new(handlers: Handlers) -> Self {
        Self { handlers }
    }
}

impl Kind for Native {
    fn check(&self, pack: &Pack) -> Vec<Finding> {
        let what = "a pack of type `native` runs in this program, and has no `connection`";
        let found = pack.connection.is_some().then(|| Finding::new("/connection", what).suggest("remove it"));
        found.into_iter().collect()
    }

    fn handler(&self, _parts: PackParts<'_>, command: &Command) -> Result<Arc<dyn ToolHandler>, Vec<Finding>> {
        let Some(name) = command.handler.as_str() else {
            let finding = Finding::new("/handler", "a command of a native pack names its handler");
            return Err(vec![finding.suggest("write the handler's name")]);
        };
        let Some(handler) = self.handlers.get(name) else {
            let finding = Finding::new("/handler", format!("unknown native handler `{name}`"));
            let near = nearest(name, self.handlers.keys().map(String::as_str));
            return Err(vec![match near {
                Some(near) => finding.suggest(format!("did you mean `{near}`?")),
                None => finding,
            }]);
        };
        let differ = differences(command, name, handler.as_ref());
        if differ.is_empty() { Ok(Arc::clone(handler)) } else { Err(differ) }
    }
}

/// The Rust arguments and the input schema must speak of the same fields, and demand the same ones.
fn differences(command: &Command, name: &str, handler: &dyn ToolHandler) -> Vec<Finding> {
    let rust = handler.args_schema();
    let names = |schema: &Value, key: &str| -> BTreeSet<String> {
        match schema.get(key) {
            Some(Value::Object(map)) => map.keys().cloned().collect(),
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => BTreeSet::new(),
        }
    };
    let mut findings = Vec::new();
    for key in ["properties", "required"] {
        let (contract, code) = (names(&command.input_schema, key), names(&rust, key));
        let differ: Vec<&String> = contract.symmetric_difference(&code).collect();
        if !differ.is_empty() {
            let message = format!("the input schema and the handler `{name}` differ in {key}: {differ:?}");
            findings.push(Finding::new("/input_schema", message).suggest(format!("the handler has {code:?}")));
        }
    }
    findings
}

//! A pack of another type over a server: its definition as it is, with a connection and handlers that stand beside it.

use std::{collections::BTreeMap, sync::Arc};

use balcao_connector::{Problem, unknown_settings};
use balcao_pack::{LoadedPack, Loader, manifest::PackKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    connection::Connection,
    kind::Mcp,
    mapping::{Mapping, Meaning},
    server::Server,
};

/// How the commands of a pack run on a server. A command that is not listed is not there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Overlay {
    /// The pack.
    pub pack: String,
    /// JSON Schema of what an organization must set up for this connection, instead of the pack's own.
    #[serde(default)]
    pub settings: Option<Value>,
    /// The server.
    pub connection: Connection,
    /// What the server's errors mean, whatever the command: after those of the command itself.
    #[serde(default)]
    pub errors: Vec<Meaning>,
    /// Tools of the server by command.
    pub commands: BTreeMap<String, Mapping>,
}

impl Overlay {
    /// Reads one from YAML's or JSON's values.
    ///
    /// # Errors
    /// Everything that is wrong with it by itself; what is wrong with it beside its pack, [`Self::load`] tells.
    pub fn read(value: &Value) -> Result<Self, Vec<Problem>> {
        let mut read: Self = Problem::reading(value)?;
        for mapping in read.commands.values_mut() {
            mapping.errors.extend(read.errors.iter().cloned());
        }
        let connection = value.get("connection").unwrap_or(&Value::Null);
        let mut problems = Connection::read(connection).err().unwrap_or_default();
        problems.extend(unknown_settings(connection, read.settings.as_ref()));
        let problems: Vec<Problem> = problems.into_iter().map(|problem| problem.below("/connection")).collect();
        if problems.is_empty() { Ok(read) } else { Err(problems) }
    }

    /// Loads its pack over the server, or, without one, to be looked at. `load` names what is loaded and reads it.
    ///
    /// # Errors
    /// Everything that is wrong with the two together, in words.
    pub fn load(
        self: &Arc<Self>,
        loader: Loader,
        server: Option<Arc<Server>>,
        load: impl FnOnce(&Loader) -> Result<LoadedPack, Vec<String>>,
    ) -> Result<LoadedPack, Vec<String>> {
        let kind = server.map_or_else(Mcp::offline, Mcp::with).over(Arc::clone(self));
        let kind: Arc<dyn balcao_pack::Kind> = Arc::new(kind);
        let loader = loader.kind(PackKind::Http, Arc::clone(&kind)).kind(PackKind::Mcp, kind);
        let mut pack = load(&loader)?;
        let problems = self.beside(&pack);
        if !problems.is_empty() {
            return Err(problems.iter().map(ToString::to_string).collect());
        }
        let kept = |id: &str| self.commands.contains_key(id);
        let names: Vec<String> = pack
            .pack
            .commands
            .iter()
            .filter(|command| kept(&command.id))
            .map(|command| command.id.replace('-', "_"))
            .collect();
        pack.tools.retain(|tool| names.contains(&tool.spec.name));
        Ok(pack)
    }

    /// What does not fit the pack.
    fn beside(&self, pack: &LoadedPack) -> Vec<Problem> {
        let mut problems = Vec::new();
        if pack.id != self.pack {
            problems
                .push(Problem::new("/pack", format!("this is for the pack `{}`, not for `{}`", self.pack, pack.id)));
        }
        let known = || pack.pack.commands.iter().map(|command| command.id.as_str());
        for (id, mapping) in &self.commands {
            let at = format!("/commands/{id}");
            match pack.pack.commands.iter().find(|command| command.id == *id) {
                None => problems.push(Problem::new(at, format!("the pack has no command `{id}`")).nearest(id, known())),
                Some(command) => {
                    let found = mapping.compile(&command.input_schema).err().unwrap_or_default();
                    problems.extend(found.into_iter().map(|problem| problem.below(&at)));
                }
            }
        }
        problems
    }
}

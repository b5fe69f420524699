//! A pack of another type over a server: its definition as it is, with a connection and handlers that stand beside it.

use std::collections::BTreeMap;

use balcao_connector::{Problem, unknown_settings};
use balcao_pack::LoadedPack;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    connection::Connection,
    mapping::{Mapping, Meaning},
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

    /// What does not fit the pack.
    pub(crate) fn beside(&self, pack: &LoadedPack) -> Vec<Problem> {
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

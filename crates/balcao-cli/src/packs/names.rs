//! The names by which a profile's model calls commands: the pack's own, or `<pack>_<command>` where several packs of the profile have a
//! command of that name.
//!
//! Names depend on the packs of the profile and on nothing else: which tools it leaves out changes no name.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use balcao_agent::Profile;
use balcao_tool::{ExposedNames, Tool};

/// The longest name that every model provider takes back.
const LONGEST: usize = 64;

/// The names of a profile's commands that are not those of their packs, by pack.
#[derive(Debug, Default)]
pub(super) struct Names(BTreeMap<String, Arc<ExposedNames>>);

/// A command of a pack of the profile.
#[derive(Debug, Clone, Copy)]
pub(super) struct PackCommand<'a> {
    pub(super) pack: &'a str,
    pub(super) name: &'a str,
    /// Never called by a model.
    pub(super) internal: bool,
}

impl<'a> From<&'a Tool> for PackCommand<'a> {
    fn from(tool: &'a Tool) -> Self {
        Self { pack: &tool.spec.pack, name: &tool.command, internal: tool.spec.internal }
    }
}

/// Names that cannot be made, and why.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Clash {
    /// The name that cannot be.
    pub(super) name: String,
    /// The packs that have a command of this name or would get one.
    pub(super) packs: Vec<String>,
}

impl Names {
    /// Names the commands of a profile's packs. An internal command is never called by a model and keeps its name.
    ///
    /// # Errors
    /// The names that are too long for a model provider, or that another command has.
    pub(super) fn new<'a>(commands: impl Iterator<Item = PackCommand<'a>>) -> Result<Self, Vec<Clash>> {
        let mut holders: BTreeMap<&str, BTreeMap<&str, bool>> = BTreeMap::new();
        for PackCommand { pack, name, internal } in commands {
            holders.entry(name).or_default().insert(pack, internal);
        }
        let mut names: BTreeMap<String, ExposedNames> = BTreeMap::new();
        let mut clashes = Vec::new();
        for (command, packs) in holders.iter().filter(|(_, packs)| packs.len() > 1) {
            for pack in packs.iter().filter(|(_, internal)| !**internal).map(|(pack, _)| *pack) {
                let name = format!("{pack}_{command}");
                let others: BTreeSet<&str> =
                    holders.get(name.as_str()).into_iter().flat_map(BTreeMap::keys).copied().collect();
                if name.len() > LONGEST || !others.is_empty() {
                    let packs = others.into_iter().chain([pack]).map(str::to_owned).collect();
                    clashes.push(Clash { name, packs });
                } else {
                    names.entry(pack.to_owned()).or_default().insert((*command).to_owned(), name);
                }
            }
        }
        let names = names.into_iter().map(|(pack, names)| (pack, Arc::new(names))).collect();
        if clashes.is_empty() { Ok(Self(names)) } else { Err(clashes) }
    }

    /// The exposed names of a pack's commands, if one of them is not the pack's own.
    pub(super) fn of_pack(&self, pack: &str) -> Option<&Arc<ExposedNames>> {
        self.0.get(pack)
    }

    /// The exposed name of a pack's command.
    pub(super) fn exposed<'a>(&'a self, pack: &str, command: &'a str) -> &'a str {
        self.of_pack(pack).and_then(|names| names.get(command)).map_or(command, String::as_str)
    }

    /// The exposed names of a command in all packs that share its name; empty if none do.
    pub(super) fn shared(&self, command: &str) -> Vec<&str> {
        self.0.values().filter_map(|names| names.get(command)).map(String::as_str).collect()
    }

    /// The profile with exposed names where it leaves out a command that several packs have.
    pub(super) fn expand(&self, profile: &mut Profile) {
        let more: Vec<String> =
            profile.without_tools.iter().flat_map(|name| self.shared(name)).map(str::to_owned).collect();
        profile.without_tools.extend(more);
    }
}

#[cfg(test)]
#[path = "names_tests.rs"]
mod tests;

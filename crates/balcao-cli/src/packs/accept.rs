//! What a person accepted of packs: a command is not offered, and no program of a pack is started, on other terms than those.
//!
//! Acceptances stand in a file of the installation (`packs.accepted`), by organization and pack; a pack's folder holds none. A pack that the
//! file does not name is accepted as it is when `serve` starts, and written down: whoever names its folder has chosen it. That does not hold
//! for a program: it is started once a person accepted it. Under `packs.development` nothing has to be accepted.

use std::{
    collections::BTreeMap,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use balcao_pack::{Terms, manifest::PackKind, read_regular};
use serde::{Deserialize, Serialize};

use super::OwnPack;
use crate::{config::PacksConfig, output::Failure};

/// Largest file of acceptances, in bytes: the terms of some hundred packs.
const MAX_BYTES: u64 = 64 << 20;

/// Stands for an organization where the configuration names none.
const ANY: &str = "_";

/// The accepted terms, by organization and pack.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Accepted {
    organizations: BTreeMap<String, BTreeMap<String, Terms>>,
}

impl Accepted {
    /// Reads the file; without one nothing is written down.
    ///
    /// # Errors
    /// If it cannot be read, or is no such file.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        match read_regular(path, MAX_BYTES) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| {
                Failure::usage(format!(
                    "packs.accepted {}: invalid file: {error}; move it away, and `balcao pack accept` writes it anew",
                    path.display()
                ))
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Failure::usage(format!("packs.accepted {}: {error}", path.display()))),
        }
    }

    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Failure> {
        let failed = |error: &dyn std::fmt::Display| Failure::operation(format!("{}: {error}", path.display()));
        let text = serde_json::to_string_pretty(self).map_err(|error| failed(&error))?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = tempfile::NamedTempFile::new_in(folder).map_err(|error| failed(&error))?;
        std::fs::write(file.path(), text + "\n").map_err(|error| failed(&error))?;
        file.persist(path).map_err(|error| failed(&error.error)).map(drop)
    }

    /// What was accepted of a pack, if anything was.
    pub(crate) fn of(&self, config: &PacksConfig, pack: &str) -> Option<&Terms> {
        self.organizations.get(whose(config))?.get(pack)
    }

    /// Accepts a pack as it is; gives what was accepted before.
    pub(crate) fn accept(&mut self, config: &PacksConfig, own: &OwnPack) -> Option<Terms> {
        let all = self.organizations.entry(whose(config).to_owned()).or_default();
        all.insert(own.pack.id.clone(), own.pack.terms.clone())
    }
}

/// The key of the organization that is served.
fn whose(config: &PacksConfig) -> &str {
    config.organization.as_deref().unwrap_or(ANY)
}

/// The file of what was accepted of the tools of a pack's server: beside that of the packs, never in the pack's folder.
pub(crate) fn of_server(config: &PacksConfig, pack: &str) -> PathBuf {
    config.accepted.with_extension("servers").join(whose(config)).join(format!("{pack}.json"))
}

/// Whether a pack may be connected: its server started or asked, with the account's secrets.
pub(crate) fn may_connect(config: &PacksConfig, accepted: &Accepted, pack: &str, terms: &Terms, program: bool) -> bool {
    if config.development || config.reviewing {
        return true;
    }
    accepted.of(config, pack).map_or(!program, |known| known.shared == terms.shared)
}

/// The commands of a pack that are not as they were accepted.
pub(crate) fn changed(config: &PacksConfig, own: &OwnPack, known: Option<&Terms>) -> Vec<String> {
    match known {
        Some(known) if !config.development => own.pack.terms.changed(known).into_iter().collect(),
        Some(_) | None => Vec::new(),
    }
}

/// Accepts the packs that the file does not name, except those that start a program, and writes the file.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn remember(config: &PacksConfig, packs: &[OwnPack]) -> Result<(), Failure> {
    if config.development {
        return Ok(());
    }
    let mut accepted = Accepted::read(&config.accepted)?;
    let new = packs.iter().filter(|own| accepted.of(config, &own.pack.id).is_none() && !own.starts_a_program());
    let new: Vec<&OwnPack> = new.collect();
    if new.is_empty() {
        return Ok(());
    }
    for own in new {
        let file = config.accepted.display();
        tracing::warn!(pack = own.pack.id, %file, "accepted as it is, because the file names no terms of it; changes wait for `balcao pack accept`");
        drop(accepted.accept(config, own));
    }
    accepted.write(&config.accepted)
}

impl OwnPack {
    /// Whether its commands are tools of a program that is started for them.
    pub(crate) fn starts_a_program(&self) -> bool {
        let connection = self.pack.terms.shared.get("over").and_then(|over| over.get("connection"));
        let connection = connection
            .or_else(|| (self.pack.pack.kind == PackKind::Mcp).then_some(self.pack.pack.connection.as_ref()).flatten());
        connection.is_some_and(|connection| connection.get("command").is_some_and(|command| !command.is_null()))
    }
}

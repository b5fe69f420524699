//! What a person accepted of packs: a command is not offered, and no program of a pack is started, on other terms than those.
//!
//! Acceptances stand in a file of the installation (`packs.accepted`), by organization and pack; a pack's folder holds none. What was accepted
//! while the configuration named no organization holds for one that is named later, and is written under its name by the next `serve`.
//!
//! When `serve` starts, it accepts a pack without any acceptance as it is and writes the acceptance down, because the operator chose its
//! folder. If the file is gone and the database says that a server was at work before, every pack waits for a person instead, for each
//! command that loads packs. A pack that only other organizations accepted is compared with their terms, so that a changed pack does not
//! count as new. A pack that starts a program always waits for a person. Under `packs.development` no pack needs an acceptance.

use std::{collections::BTreeMap, io::ErrorKind, path::Path};

use balcao_mcp::FilePins;
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
    /// The list before this one was lost: a pack that is not on this one may have been on that one, so that it waits for a person.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    waits: bool,
}

impl Accepted {
    /// Reads the file. Without one nothing is accepted; a list that was lost makes every pack wait.
    ///
    /// # Errors
    /// If it cannot be read, or is no such file.
    pub(crate) fn read(config: &PacksConfig) -> Result<Self, Failure> {
        let path = config.accepted.as_path();
        match read_regular(path, MAX_BYTES) {
            Ok(text) => balcao_json::read_strictly(&text).map_err(|error| {
                Failure::usage(format!(
                    "packs.accepted {}: invalid file: {error}; restore it from a backup. Without one, move it away: every pack then waits for `balcao pack accept`, and `--dry-run` shows what that would accept",
                    path.display()
                ))
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Ok(Self { waits: config.acceptances_are_lost, ..Self::default() })
            }
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

    /// What was accepted of a pack for the organization that is served, if anything was: by its name, else before it had one.
    pub(crate) fn of(&self, config: &PacksConfig, pack: &str) -> Option<&Terms> {
        [whose(config), ANY].into_iter().find_map(|whose| self.organizations.get(whose)?.get(pack))
    }

    /// What a pack is held against: what was accepted for the organization, else what others accepted. Of those, the terms that it
    /// still has, else the first; `None`: the file does not name the pack.
    pub(crate) fn held_against(&self, config: &PacksConfig, pack: &str, terms: &Terms) -> Option<&Terms> {
        let others = || self.organizations.values().filter_map(|packs| packs.get(pack));
        self.of(config, pack).or_else(|| others().find(|known| *known == terms)).or_else(|| others().next())
    }

    /// Accepts a pack as it is; gives what it was held against before.
    pub(crate) fn accept(&mut self, config: &PacksConfig, own: &OwnPack) -> Option<Terms> {
        let before = self.held_against(config, &own.pack.id, &own.pack.terms).cloned();
        self.note(config, &own.pack.id, own.pack.terms.clone());
        before
    }

    /// Writes terms under the organization that is served.
    fn note(&mut self, config: &PacksConfig, pack: &str, terms: Terms) {
        self.organizations.entry(whose(config).to_owned()).or_default().insert(pack.to_owned(), terms);
    }

    /// Whether packs without terms wait for a person.
    pub(crate) const fn waits(&self) -> bool {
        self.waits
    }

    /// Whether the organization that is served has terms of a pack under its own name.
    fn names(&self, config: &PacksConfig, pack: &str) -> bool {
        self.organizations.get(whose(config)).is_some_and(|packs| packs.contains_key(pack))
    }
}

/// The key of the organization that is served.
fn whose(config: &PacksConfig) -> &str {
    config.organization.as_deref().unwrap_or(ANY)
}

/// Where it is kept what was accepted of the tools of a pack's server: beside the file of the packs, never in the pack's folder.
pub(crate) fn of_server(config: &PacksConfig, pack: &str) -> FilePins {
    let of = |whose: &str| config.accepted.with_extension("servers").join(whose).join(format!("{pack}.json"));
    FilePins::new(of(whose(config))).or(of(ANY))
}

/// Whether a pack may be connected: its server started or asked, with the account's secrets.
pub(crate) fn may_connect(config: &PacksConfig, accepted: &Accepted, pack: &str, terms: &Terms, program: bool) -> bool {
    if config.development || config.reviewing {
        return true;
    }
    let known = if program { accepted.of(config, pack) } else { accepted.held_against(config, pack, terms) };
    known.map_or(!program && !accepted.waits, |known| known.shared == terms.shared)
}

/// The commands of a pack that are not as they were accepted.
pub(crate) fn changed(config: &PacksConfig, own: &OwnPack, accepted: &Accepted) -> Vec<String> {
    match accepted.held_against(config, &own.pack.id, &own.pack.terms) {
        Some(known) if !config.development => own.pack.terms.changed(known).into_iter().collect(),
        None if accepted.waits && !config.development => own.pack.terms.commands.keys().cloned().collect(),
        Some(_) | None => Vec::new(),
    }
}

/// Writes down, under the organization that is served, what each pack is held against: what was accepted before the organization was
/// named, and packs that are new, as they are. Programs are never taken as they are.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn remember(config: &PacksConfig, packs: &[OwnPack]) -> Result<(), Failure> {
    if config.development {
        return Ok(());
    }
    let mut accepted = Accepted::read(config)?;
    let file = config.accepted.display();
    // Even an empty list tells the next start that none was lost.
    let is_first = !config.accepted.exists();
    if is_first && accepted.waits && !packs.is_empty() {
        tracing::error!(%file, "the list of accepted packs is gone: restore it from a backup, or review each pack with `balcao pack accept --dry-run`");
    }
    let mut is_new = false;
    for own in packs {
        let (pack, terms) = (&own.pack.id, &own.pack.terms);
        if accepted.names(config, pack) {
            continue;
        }
        let kept = match accepted.of(config, pack) {
            Some(before) => {
                tracing::info!(pack, %file, "what was accepted before the organization was named holds for it");
                Some(before.clone())
            }
            None if own.starts_a_program() || accepted.waits => None,
            None if accepted.held_against(config, pack, terms).is_none_or(|known| known == terms) => {
                tracing::warn!(pack, %file, "accepted as it is, because the file names no terms of it; changes wait for `balcao pack accept`");
                Some(terms.clone())
            }
            // What others accepted has changed since: a person has to see how.
            None => None,
        };
        if let Some(kept) = kept {
            accepted.note(config, pack, kept);
            is_new = true;
        }
    }
    match (is_new, is_first) {
        (true, _) => accepted.write(&config.accepted),
        (false, true) => {
            // A folder that takes no file holds no acceptances either, so nothing is lost there.
            if let Err(failure) = accepted.write(&config.accepted) {
                tracing::debug!(reason = failure.message(), "an empty list of acceptances could not be written");
            }
            Ok(())
        }
        (false, false) => Ok(()),
    }
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

//! Contracts that the operator accepted: a command whose contract is another one is not offered until it is accepted, too.
//!
//! A pack that the file does not name is accepted as it is when the program starts: whoever names its folder has chosen it.

use std::{collections::BTreeMap, io::ErrorKind, path::Path};

use serde::{Deserialize, Serialize};

use super::OwnPack;
use crate::output::Failure;

/// The hash of each command's contract.
pub(crate) type Contracts = BTreeMap<String, String>;

/// The accepted contracts, by pack.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Accepted(pub(crate) BTreeMap<String, Contracts>);

impl Accepted {
    /// Reads the file; without one nothing is written down.
    ///
    /// # Errors
    /// If it cannot be read, or is no such file.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        match std::fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| {
                Failure::usage(format!("{}: {error}; `balcao pack accept` writes it anew", path.display()))
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
}

/// The contracts that a pack has now.
pub(crate) fn contracts(own: &OwnPack) -> Contracts {
    own.tools.iter().map(|tool| (tool.spec.name.clone(), tool.contract_hash.clone())).collect()
}

/// The commands of a pack whose contracts are new, or not the accepted ones.
pub(crate) fn changed(own: &OwnPack, accepted: &Contracts) -> Vec<String> {
    let now = contracts(own).into_iter();
    now.filter(|(name, hash)| accepted.get(name) != Some(hash)).map(|(name, _)| name).collect()
}

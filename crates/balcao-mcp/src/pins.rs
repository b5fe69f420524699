//! Where it is kept what a person accepted: one seam, with a file beside the pack and one in memory.

use std::{
    collections::BTreeMap,
    fmt,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use async_trait::async_trait;
use balcao_pack::read_regular;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::contract::Contract;

/// A contract that a person accepted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// [`Contract::hash`] at that time.
    pub hash: String,
    /// The contract, so that a later change can be shown beside it.
    pub contract: Value,
}

impl From<&Contract> for Pin {
    fn from(contract: &Contract) -> Self {
        Self { hash: contract.hash(), contract: contract.whole.clone() }
    }
}

/// Why pins cannot be read or kept. Until they can, no tool may be called.
#[derive(Debug, thiserror::Error)]
pub enum PinsError {
    /// The file.
    #[error("{0}")]
    File(PathBuf, #[source] io::Error),
    /// What stands in it.
    #[error("invalid list of accepted tools in {0}; restore the file, or accept the tools again")]
    Unreadable(PathBuf, #[source] serde_json::Error),
    /// Something else that keeps pins.
    #[error("{0}")]
    Other(String),
}

/// Keeps what was accepted of one server, by the tool's name there.
#[async_trait]
pub trait Pins: Send + Sync + fmt::Debug {
    /// Everything that was accepted.
    ///
    /// # Errors
    /// If the list cannot be read.
    async fn load(&self) -> Result<BTreeMap<String, Pin>, PinsError>;

    /// Keeps this instead, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be kept: then what was accepted before stands.
    async fn keep(&self, pins: &BTreeMap<String, Pin>) -> Result<(), PinsError>;
}

/// A file of JSON. One that is not there holds nothing. It belongs to the installation: what lies in a pack's folder comes from whoever wrote
/// the pack.
#[derive(Debug)]
pub struct FilePins {
    path: PathBuf,
    before: Option<PathBuf>,
}

/// Largest file that is read, in bytes.
const MAX_BYTES: u64 = 4 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    tools: BTreeMap<String, Pin>,
}

impl FilePins {
    /// In that file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), before: None }
    }

    /// As long as that file is not there, what stands in this one counts. It is read and never written.
    #[must_use]
    pub fn or(self, before: impl Into<PathBuf>) -> Self {
        Self { before: Some(before.into()), ..self }
    }

    fn read(&self) -> Result<BTreeMap<String, Pin>, PinsError> {
        for path in std::iter::once(&self.path).chain(&self.before) {
            let text = match read_regular(path, MAX_BYTES) {
                Ok(text) => text,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(PinsError::File(path.clone(), error)),
            };
            let written: Written =
                balcao_json::read_strictly(&text).map_err(|error| PinsError::Unreadable(path.clone(), error))?;
            return Ok(written.tools);
        }
        Ok(BTreeMap::new())
    }

    fn write(&self, text: &str) -> io::Result<()> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        // Written beside under a name of its own and moved: a crash leaves the old file or the new one, and no link is followed.
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.persist(&self.path).map(drop).map_err(|error| error.error)
    }
}

#[async_trait]
impl Pins for FilePins {
    async fn load(&self) -> Result<BTreeMap<String, Pin>, PinsError> {
        self.read()
    }

    async fn keep(&self, pins: &BTreeMap<String, Pin>) -> Result<(), PinsError> {
        let text = format!("{:#}\n", json!({ "tools": pins }));
        self.write(&text).map_err(|error| PinsError::File(self.path.clone(), error))
    }
}

/// Pins for as long as the program runs.
#[derive(Debug, Default)]
pub struct MemoryPins(Mutex<BTreeMap<String, Pin>>);

#[async_trait]
impl Pins for MemoryPins {
    async fn load(&self) -> Result<BTreeMap<String, Pin>, PinsError> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    async fn keep(&self, pins: &BTreeMap<String, Pin>) -> Result<(), PinsError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone_from(pins);
        Ok(())
    }
}

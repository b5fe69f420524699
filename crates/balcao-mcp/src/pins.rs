//! Where it is kept what a person accepted: one seam, with a file beside the pack and one in memory.

use std::{
    collections::BTreeMap,
    fmt, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use async_trait::async_trait;
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
    #[error("{0} is no list of accepted tools; restore it, or accept the tools anew")]
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
    /// If it cannot be told.
    async fn load(&self) -> Result<BTreeMap<String, Pin>, PinsError>;

    /// Keeps this instead, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be kept: then what was accepted before stands.
    async fn keep(&self, pins: &BTreeMap<String, Pin>) -> Result<(), PinsError>;
}

/// A file of JSON, such as `mcp.lock` beside `tool.yaml`. One that is not there holds nothing.
#[derive(Debug)]
pub struct FilePins {
    path: PathBuf,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    tools: BTreeMap<String, Pin>,
}

impl FilePins {
    /// In that file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The file `mcp.lock` of a pack's folder.
    #[must_use]
    pub fn beside(folder: &Path) -> Self {
        Self::new(folder.join("mcp.lock"))
    }

    fn failed(&self, error: io::Error) -> PinsError {
        PinsError::File(self.path.clone(), error)
    }
}

#[async_trait]
impl Pins for FilePins {
    async fn load(&self) -> Result<BTreeMap<String, Pin>, PinsError> {
        let text = match tokio::fs::read(&self.path).await {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            Err(error) => return Err(self.failed(error)),
        };
        let written: Written =
            serde_json::from_slice(&text).map_err(|error| PinsError::Unreadable(self.path.clone(), error))?;
        Ok(written.tools)
    }

    async fn keep(&self, pins: &BTreeMap<String, Pin>) -> Result<(), PinsError> {
        // Written beside and moved: a crash leaves the old file or the new one.
        let beside = self.path.with_extension("lock.new");
        let text = format!("{:#}\n", json!({ "tools": pins }));
        tokio::fs::write(&beside, text).await.map_err(|error| self.failed(error))?;
        tokio::fs::rename(&beside, &self.path).await.map_err(|error| self.failed(error))
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

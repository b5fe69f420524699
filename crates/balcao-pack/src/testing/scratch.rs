//! Where the examples of native commands run: a world of their own, with the business that the pack arranges.

use async_trait::async_trait;
use balcao_tool::CallResult;
use jiff::Timestamp;
use serde_json::Value;

use crate::manifest::Arrange;

/// One call in a scratch world.
#[derive(Debug, Clone, PartialEq)]
pub struct ScratchCall {
    /// The command, as its tool is named.
    pub tool: String,
    /// Its arguments.
    pub input: Value,
}

/// Makes scratch worlds. The program that runs the examples has the code behind native commands; this crate has none.
#[async_trait]
pub trait Scratch: Send + Sync {
    /// Runs calls one after the other in a new world, at one moment, and returns the result of each. It stops behind the first that fails.
    ///
    /// # Errors
    /// Why the world cannot be made, such as an invalid business.
    async fn run(&self, arrange: &Arrange, now: Timestamp, calls: Vec<ScratchCall>) -> Result<Vec<CallResult>, String>;
}

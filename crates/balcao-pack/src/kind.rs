//! Kinds of execution: where the commands of a pack run. A kind looks at its own part of a pack when it is loaded, and makes the
//! handlers; everything else about a pack is the same for all kinds.

pub(crate) mod composite;
mod native;
pub(crate) mod script;
mod stub;
pub(crate) mod with_receipts;

use std::sync::Arc;

use balcao_sandbox::Sandbox;
use balcao_tool::ToolHandler;
use serde_json::Value;

use crate::manifest::{Command, Pack};

pub use native::{Handlers, Native};
pub use script::Script;
pub use stub::Described;
pub use with_receipts::Undo;

/// What a kind finds wrong with a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Where: a JSON pointer from whatever was looked at (the pack, or the command).
    pub pointer: String,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub suggestion: Option<String>,
}

impl Finding {
    /// A mistake at a place.
    pub fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), message: message.into(), suggestion: None }
    }

    /// With what would be right.
    #[must_use]
    pub fn suggest(self, suggestion: impl Into<String>) -> Self {
        Self { suggestion: Some(suggestion.into()), ..self }
    }
}

/// What the maker of a handler may use of its pack.
#[derive(Clone, Copy)]
pub struct PackParts<'a> {
    /// The pack as written.
    pub pack: &'a Pack,
    /// Where its helpers run, if helpers run here at all.
    pub sandbox: Option<&'a Arc<Sandbox>>,
}

/// A kind of execution.
pub trait Kind: Send + Sync {
    /// Looks at what concerns the pack as a whole: `connection`, `settings`. Pointers from the pack, such as `/connection/base_url`.
    fn check(&self, pack: &Pack) -> Vec<Finding>;

    /// Makes the handler of a command. Pointers of findings from the command, such as `/handler/path`.
    ///
    /// # Errors
    /// Everything that is wrong with the command.
    fn handler(&self, parts: PackParts<'_>, command: &Command) -> Result<Arc<dyn ToolHandler>, Vec<Finding>>;

    /// What the command makes of a recorded answer of the other side, before the pack's processors. The answer itself, if the kind has no
    /// mapping of its own.
    ///
    /// # Errors
    /// Why nothing can be made of it.
    fn replay(&self, pack: &Pack, command: &Command, input: &Value, response: &Value) -> Result<Value, String> {
        let _unused = (pack, command, input);
        Ok(response.clone())
    }

    /// Whether an example without a recorded answer can be run for real, because nothing outside of the pack is touched.
    fn computes(&self) -> bool {
        false
    }
}

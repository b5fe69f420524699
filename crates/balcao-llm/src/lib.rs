//! The model contract and its providers.
//!
//! A [`ChatProvider`] turns one [`ModelRequest`] into one [`ModelResponse`]: no loop, no tools run, no retry policy of the
//! turn. What a vendor sends is kept as sent (tool arguments stay raw text) so that the tool layer can repair and judge it.

pub mod error;
pub mod message;
pub mod provider;
pub mod usage;

pub use error::{ModelError, ModelErrorKind};
pub use message::{FinishReason, Message, ModelResponse, ToolCallRequest};
pub use provider::{ChatProvider, ModelRequest, Purpose, ResponseFormat, StreamEvent, ToolChoice, ToolDefinition, TurnFacts};
pub use usage::Usage;

//! The model contract and its providers.
//!
//! A [`ChatProvider`] turns one [`ModelRequest`] into one [`ModelResponse`]. It has no loop, runs no tools, and does not decide whether a
//! turn tries again. It keeps a vendor's output unchanged (tool arguments stay raw text), so that the tool layer can repair and check it.

pub mod detect;
pub mod embed;
pub mod error;
pub(crate) mod failure;
pub mod fallback;
pub mod http;
pub mod message;
pub mod price;
pub mod provider;
pub mod providers;
pub mod retry;
pub mod schema;
pub mod sse;
pub mod transcribe;
pub mod usage;
pub mod wellformed;

pub use error::{ModelError, ModelErrorKind};
pub use message::{FinishReason, Message, ModelResponse, SERVICE_MESSAGE, ToolCallRequest};
pub use provider::{
    ChatProvider, EventSink, ModelRequest, Purpose, ResponseFormat, StreamEvent, ToolChoice, ToolDefinition, TurnFacts,
};
pub use usage::Usage;

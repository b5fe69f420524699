//! The built-in model: it answers without a network, always the same way, and only from what tools returned.
//!
//! It serves the demo, the tests and the degraded mode, behind the same [`balcao_llm::ChatProvider`] as any vendor. Each
//! call re-reads the whole transcript ([`state`]), so a conversation can move to it from another model and back.
//! Utterances become acts and slots ([`nlu`]), [`policy`] decides the next calls or the reply, `words` says it.
//!
//! Not here: any rule of the business. Services, people, prices and hours are what the tools say they are.

pub mod catalog;
pub mod nlu;
pub mod policy;
mod provider;
pub mod results;
pub mod state;
mod structured;
mod summary;
mod words;

pub use provider::{MODEL, OfflineModel};

//! Calls servers of the Model Context Protocol, as packs describe them: over standard input and output, or over streamable HTTP.
//!
//! A [`Connection`] says how to reach a server. [`Server::open`] binds it to the settings of an organization and to the addresses and
//! programs that the operator permits ([`Reach`]). [`Mcp`] is the kind of execution `mcp`: its commands name tools of the server, with
//! contracts, checks and texts of the pack's own.
//!
//! No statement of a server is trusted. [`Pins`] hold the names, descriptions and schemas of its tools that a person accepted. A tool that
//! changed, appeared or disappeared is out of use until a person accepts it. A text of a server reaches a prompt or a customer only as the
//! result of a call, and its annotations weaken no flag of a pack.
//!
//! Invariants: the process of a server gets only the environment that the pack states. A server has at most one start at a time, and the
//! pauses between the starts of a server that dies repeatedly grow. A call whose answer was lost is [`Outcome::Unknown`] and is never sent
//! again.

mod connection;
mod contract;
mod error;
mod handler;
mod http;
mod kind;
mod listing;
mod live;
mod load;
mod mapping;
mod open;
mod overlay;
mod owed;
mod pins;
mod server;
mod stdio;

pub use balcao_connector::{Outcome, Problem};
pub use connection::{Auth, Connection, Handshake, Restart};
pub use contract::{Contract, Standing, visible};
pub use error::{CallError, FailureKind};
pub use kind::Mcp;
pub use mapping::{Mapping, Meaning};
pub use open::{Permitted, Reach};
pub use overlay::Overlay;
pub use pins::{FilePins, MemoryPins, Pin, Pins, PinsError};
pub use server::{Health, Review, Server};

//! Calls servers of the Model Context Protocol, as packs describe them: over standard input and output, or over streamable HTTP.
//!
//! A [`Connection`] says how a server is reached, [`Server::open`] binds it to an organization's settings and to what whoever runs this
//! program lets it [`Reach`], and [`Mcp`] is the kind of execution `mcp`: its commands name tools of the server, under contracts, checks
//! and words of the pack's own.
//!
//! Nothing that a server says is believed. What its tools are called, how they are described and what they take is pinned
//! ([`Pins`]): a tool that changed, came or went is out of use until a person accepts it. No text of a server reaches a prompt or a
//! customer except as the result of a call, and its annotations weaken no flag of a pack.
//!
//! Invariants: a server's process gets no environment but what the pack states. Of one server there is at most one start at a time, and
//! a server that dies again and again is started ever more rarely. A call whose answer was lost is [`Outcome::Unknown`] and never sent again.

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

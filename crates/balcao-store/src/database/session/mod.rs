//! One connection to PostgreSQL: its address, its settings, statements with what they read and defer, and the organization that it sees.

mod address;
mod bind;
mod deferred;
mod read_cache;
#[expect(clippy::module_inception, reason = "the session itself beside its parts")]
mod session;
mod tenant;
mod tls;

pub(crate) use address::{Address, parse};
pub(crate) use session::Session;

/// The channel that all programs of a database share.
pub(crate) const CHANNEL: &str = "balcao";

//! The kinds of packs that this program runs: the one place that lists them.

use std::sync::Arc;

use balcao_connector::{Account, Http};
use balcao_mcp::{Mcp, Server};
use balcao_pack::{Handlers, Loader, manifest::PackKind};
use balcao_sandbox::Launcher;

/// What the commands of one pack are connected to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Connected {
    /// The account at the service of a pack of type `http`; without one its commands are checked, and answer that nobody is connected.
    pub(crate) http: Option<Arc<Account>>,
    /// The server of a pack of type `mcp`; the same without one.
    pub(crate) mcp: Option<Arc<Server>>,
}

/// A loader that knows every kind: `native` and `script` by itself, the others listed here.
pub(crate) fn loader(handlers: Handlers, connected: &Connected, workers: u8) -> Loader {
    let http = connected.http.clone().map_or_else(Http::offline, Http::with);
    let mcp = connected.mcp.clone().map_or_else(Mcp::offline, Mcp::with);
    let loader = Loader::new(handlers).kind(PackKind::Http, Arc::new(http)).kind(PackKind::Mcp, Arc::new(mcp));
    loader.helpers_in(Launcher::this_executable(), workers)
}

//! Loads a pack over a server that an overlay names.

use std::sync::Arc;

use balcao_pack::{LoadedPack, Loader, manifest::PackKind};

use crate::{kind::Mcp, overlay::Overlay, server::Server};

impl Overlay {
    /// Loads its pack over the server, or, without one, to be looked at. `load` names what is loaded and reads it.
    ///
    /// # Errors
    /// Everything that is wrong with the two together, in words.
    pub fn load(
        self: &Arc<Self>,
        loader: Loader,
        server: Option<Arc<Server>>,
        load: impl FnOnce(&Loader) -> Result<LoadedPack, Vec<String>>,
    ) -> Result<LoadedPack, Vec<String>> {
        let kind = server.map_or_else(Mcp::offline, Mcp::with).over(Arc::clone(self));
        let kind: Arc<dyn balcao_pack::Kind> = Arc::new(kind);
        let loader = loader.kind(PackKind::Http, Arc::clone(&kind)).kind(PackKind::Mcp, kind);
        let mut pack = load(&loader)?;
        let problems = self.beside(&pack);
        if !problems.is_empty() {
            return Err(problems.iter().map(ToString::to_string).collect());
        }
        let kept = |id: &str| self.commands.contains_key(id);
        let names: Vec<String> = pack
            .pack
            .commands
            .iter()
            .filter(|command| kept(&command.id))
            .map(|command| command.id.replace('-', "_"))
            .collect();
        pack.tools.retain(|tool| names.contains(&tool.spec.name));
        Ok(pack)
    }
}

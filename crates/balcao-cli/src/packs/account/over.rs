//! A pack over a server of the Model Context Protocol instead of its own service: `over` of an account names the file with the connection.

use std::path::Path;

use balcao_mcp::Overlay;
use balcao_pack::{read_named, read_regular};
use balcao_yaml::Document;

use serde_json::{Value, json};

use super::{
    Accepted, AccountConfig, Arc, Connected, Connection, Handlers, Link, LoadedPack, OwnPack, PacksConfig, Problem,
    accept, deliveries, given, keys, loader, own, problem, seen_from_here, server, taking, withheld,
};

/// Largest file of a connection, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Loads a pack over the server that the file describes; the one `before` serves on if the file says the same.
///
/// # Errors
/// Every mistake of the file, of the account, and of what does not fit the pack.
pub(super) fn load(
    config: &PacksConfig,
    account: &AccountConfig,
    loaded: &LoadedPack,
    handlers: &Handlers,
    (folder, accepted): (&Path, &Accepted),
    (file, before): (&Path, Option<&Link>),
) -> Result<OwnPack, Vec<Problem>> {
    let (overlay, written) = read(file, folder)?;
    let pack = &loaded.pack;
    let mut terms = loaded.terms.clone();
    terms.share("over", written.clone());
    let program = overlay.connection.command.is_some();
    let may_connect = accept::may_connect(config, accepted, &pack.id, &terms, program);
    let overlay = Arc::new(overlay);
    let of = json!({ "over": written, "settings": pack.settings });
    let place = format!("packs.accounts `{}`", pack.id);
    let schema = overlay.settings.as_ref().or(pack.settings.as_ref());
    let settings = given(config, Some(account), schema, &place)?;
    let server = match before.filter(|link| link.of == of).and_then(|link| link.connected.mcp.clone()) {
        Some(server) => server,
        None => Arc::new(server(config, &overlay.connection, settings, &place, &pack.id)?),
    };
    let loader = loader(handlers.clone(), &Connected::default(), config.workers);
    let mut broken = Vec::new();
    let connected = may_connect.then(|| Arc::clone(&server));
    let loaded = overlay.load(loader, connected, |loader| {
        loader.load_folder(folder).map_err(|problems| {
            broken = seen_from_here(folder, problems);
            Vec::new()
        })
    });
    let mend = "what it lists has to fit the pack's commands";
    let loaded = loaded.map_err(|told| match broken.as_slice() {
        [] => told.into_iter().map(|message| problem(file, message, mend)).collect(),
        _ => broken.clone(),
    })?;
    let mut own = own(folder, loaded);
    own.pack.terms = terms;
    if !may_connect {
        return Ok(withheld(own));
    }
    let connected = Connected { mcp: Some(Arc::clone(&server)), ..Connected::default() };
    (own.server, own.link) = (Some(server), Some(Link { of, connected }));
    // What the service sends on its own comes from the service, whoever is asked on its behalf.
    let keys = keys(config, Some(account), &place)?;
    let connection = pack.connection.as_ref().and_then(|connection| Connection::read(connection).ok());
    let deliveries = deliveries(connection.and_then(|connection| connection.deliveries), keys, &place)?;
    Ok(taking(deliveries, own))
}

/// The connection of a file, and the file's content. A file in the pack's folder is the author's, so it may not lead elsewhere.
fn read(file: &Path, folder: &Path) -> Result<(Overlay, Value), Vec<Problem>> {
    let mend = "name the file of a connection beside the pack: docs/MCP.md, chapter 3";
    let unread = |error: &dyn std::fmt::Display| vec![problem(file, format!("packs.accounts.over: {error}"), mend)];
    let read = if file.starts_with(folder) { read_regular } else { read_named };
    let text = read(file, MAX_BYTES).map_err(|error| unread(&error))?;
    let text = String::from_utf8(text).map_err(|error| unread(&error))?;
    let document = Document::read(&file.display().to_string(), &text).map_err(|problem| vec![*problem])?;
    let told = |found: Vec<balcao_connector::Problem>| -> Vec<Problem> {
        found.into_iter().map(|one| document.problem(&one.pointer, one.message, one.suggestion)).collect()
    };
    Ok((Overlay::read(&document.value).map_err(told)?, document.value))
}

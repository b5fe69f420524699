//! The kind of execution `mcp`: packs whose commands are tools of a server.

use std::{sync::Arc, time::Duration};

use balcao_connector::{Problem, unknown_settings};
use balcao_pack::{
    Finding, Kind, PackParts,
    manifest::{Command, Pack},
};
use balcao_tool::{Effect, EffectClass, ToolHandler, limits};
use serde_json::Value;

use crate::{
    connection::Connection,
    handler::McpTool,
    mapping::{Call, Mapping},
    overlay::Overlay,
    server::Server,
};

/// Runs packs of type `mcp`: on a server, or, without one, to be checked and tested against recorded answers. With an [`Overlay`] it
/// runs packs of other types there, too.
#[derive(Debug, Clone, Default)]
pub struct Mcp {
    server: Option<Arc<Server>>,
    overlay: Option<Arc<Overlay>>,
}

impl Mcp {
    /// Without a server: packs load and are checked, and a call is told that nobody is connected.
    #[must_use]
    pub fn offline() -> Self {
        Self::default()
    }

    /// On that server.
    #[must_use]
    pub fn with(server: Arc<Server>) -> Self {
        Self { server: Some(server), overlay: None }
    }

    /// With a connection and handlers that stand beside the pack instead of in it.
    #[must_use]
    pub fn over(self, overlay: Arc<Overlay>) -> Self {
        Self { overlay: Some(overlay), ..self }
    }

    fn call(&self, command: &Command) -> Result<Call, Vec<Problem>> {
        let schema = &command.input_schema;
        let Some(overlay) = &self.overlay else { return Mapping::read(&command.handler)?.compile(schema) };
        let beside = overlay.commands.get(&command.id).and_then(|mapping| mapping.compile(schema).ok());
        // What the overlay does not list is taken out once the pack is loaded, and what is wrong with it is told then, by its own
        // places; until then a command has to be something.
        beside.map_or_else(|| Mapping { tool: command.id.clone(), ..Mapping::default() }.compile(schema), Ok)
    }
}

impl Kind for Mcp {
    fn check(&self, pack: &Pack) -> Vec<Finding> {
        if self.overlay.is_some() {
            return Vec::new();
        }
        let Some(connection) = &pack.connection else {
            let finding = Finding::new("/type", "a pack of type `mcp` says where its server is");
            return vec![finding.suggest("add `connection: {command: …}` or `connection: {url: …}`")];
        };
        let mut problems = Connection::read(connection).err().unwrap_or_default();
        problems.extend(unknown_settings(connection, pack.settings.as_ref()));
        problems.into_iter().map(|problem| finding(problem.below("/connection"))).collect()
    }

    fn handler(&self, parts: PackParts<'_>, command: &Command) -> Result<Arc<dyn ToolHandler>, Vec<Finding>> {
        let _unused = parts;
        let call = self.call(command).map_err(|problems| -> Vec<Finding> {
            problems.into_iter().map(|problem| finding(problem.below("/handler"))).collect()
        })?;
        if let Some(finding) = self.repeatable(command) {
            return Err(vec![finding]);
        }
        let limit = command.timeout_ms.map_or(limits::DEFAULT_TIMEOUT, Duration::from_millis);
        let within = limit - (limit / 10).min(Duration::from_secs(1));
        let input_schema = command.input_schema.clone();
        let reads = command.effect == Effect::Read;
        Ok(Arc::new(McpTool { server: self.server.clone(), call, input_schema, within, reads }))
    }

    fn replay(&self, _pack: &Pack, command: &Command, _input: &Value, response: &Value) -> Result<Value, String> {
        let joined = |problems: Vec<Problem>| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        let call = self.call(command).map_err(joined)?;
        if response.get("content").is_none() && response.get("structuredContent").is_none() {
            return Err("a recorded answer has `content` or `structuredContent`, as the server gives them".to_owned());
        }
        call.result(response).map_err(|error| error.for_staff())
    }
}

impl Mcp {
    /// A command that would be repeated after an unknown outcome, on a server that could not tell the repeat. What the server says of
    /// itself (`idempotentHint`) does not count.
    fn repeatable(&self, command: &Command) -> Option<Finding> {
        if self.overlay.as_ref().is_some_and(|overlay| !overlay.commands.contains_key(&command.id)) {
            return None;
        }
        let own = command.handler.get("key").and_then(Value::as_str).is_some();
        let beside = self.overlay.as_ref().map(|overlay| overlay.commands.get(&command.id));
        let keyed = beside.map_or(own, |mapping| mapping.is_some_and(|mapping| mapping.key.is_some()));
        match command.effect_class? {
            EffectClass::Keyed if !keyed && !command.idempotent => {
                let message = "`keyed` sends a key with each call, and the handler names no argument for it";
                Some(Finding::new("/effect_class", message).suggest("set `handler.key`, or say `blind`"))
            }
            EffectClass::Queryable => {
                let message = "a tool of a server cannot look up what became of an earlier attempt";
                Some(
                    Finding::new("/effect_class", message).suggest("say `keyed` if the tool takes a key, else `blind`"),
                )
            }
            EffectClass::Keyed | EffectClass::Read | EffectClass::Local | EffectClass::Blind => None,
        }
    }
}

fn finding(problem: Problem) -> Finding {
    let found = Finding::new(problem.pointer, problem.message);
    match problem.suggestion {
        Some(suggestion) => found.suggest(suggestion),
        None => found,
    }
}

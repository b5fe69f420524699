//! Commands become tools.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use balcao_sandbox::Sandbox;
use balcao_tool::{Confirm, Effect, Tool, ToolHandler, validate::Schema};
use balcao_yaml::nearest;
use serde_json::{Value, json};

use crate::{
    guard::Guarded,
    guard::ResultAudience,
    kind::{
        Finding, Kind, PackParts,
        composite::{self, Composed, Composite},
        with_receipts::{Undo, WithReceipts},
    },
    manifest::{Command, Pack, PackKind},
    process::Processors,
    validate::{ArgumentChecks, Compiler, Lookup, OwnCommands},
};

/// What the commands of a pack are made of.
pub(crate) struct Assembly<'a> {
    pub(crate) pack: &'a Pack,
    pub(crate) kind: &'a dyn Kind,
    pub(crate) sandbox: Option<&'a Arc<Sandbox>>,
    pub(crate) processors: &'a Arc<Processors>,
    pub(crate) admissions: &'a BTreeMap<String, Arc<ArgumentChecks>>,
}

/// Returns the tools of the valid commands, and reports the mistakes of the others.
pub(crate) fn compile(compiler: &mut Compiler<'_>, assembly: &Assembly<'_>) -> Vec<Tool> {
    let (mut ready, mut composites) = (Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    for (index, command) in assembly.pack.commands.iter().enumerate() {
        let at = format!("/tool/commands/{index}");
        if !seen.insert(command.id.as_str()) {
            compiler.complain(&format!("{at}/id"), format!("the command `{}` is defined twice", command.id), None);
        }
        closed(compiler, command, &at);
        said(compiler, command, &at);
        super::schemas::check(compiler, command, &at);
        if composite::is_composite(command) {
            match composite::check(assembly.pack, command) {
                Ok(composed) => composites.push((command, composed)),
                Err(findings) => complain(compiler, &at, findings),
            }
            continue;
        }
        let parts = PackParts { pack: assembly.pack, sandbox: assembly.sandbox };
        match assembly.kind.handler(parts, command) {
            Ok(handler) => {
                confirmable(compiler, command, handler.as_ref(), &at);
                ready.push((command, handler));
            }
            Err(findings) => complain(compiler, &at, findings),
        }
    }
    let lookup: Arc<dyn Lookup> = Arc::new(OwnCommands::new(reads(assembly, &ready)));
    for (command, composed) in composites {
        let handler = composite(assembly, command, composed, &ready, &lookup);
        ready.push((command, Arc::new(handler)));
    }
    // As they stand in the pack.
    let place = |command: &Command| assembly.pack.commands.iter().position(|known| std::ptr::eq(known, command));
    ready.sort_by_key(|(command, _)| place(command));
    let tool = |(command, handler)| tool(assembly, command, handler, &lookup, ResultAudience::Model).ok();
    ready.into_iter().filter_map(tool).collect()
}

fn complain(compiler: &mut Compiler<'_>, at: &str, findings: Vec<Finding>) {
    for finding in findings {
        compiler.complain(&format!("{at}{}", finding.pointer), finding.message, finding.suggestion);
    }
}

/// A command with the commands that it may call, each behind its own checks.
fn composite(
    assembly: &Assembly<'_>,
    command: &Command,
    composed: Composed,
    ready: &[(&Command, Arc<dyn ToolHandler>)],
    lookup: &Arc<dyn Lookup>,
) -> Composite {
    let called = ready.iter().map(|(command, handler)| (command.id.replace('-', "_"), command, handler));
    let called = called.filter(|(name, ..)| composed.calls.contains_key(name));
    let tools = called.filter_map(|(name, command, handler)| {
        let tool = tool(assembly, command, Arc::clone(handler), lookup, ResultAudience::Pack).ok()?;
        Some((name, Arc::new(tool)))
    });
    let (tools, sandbox) = (tools.collect(), assembly.sandbox.map(Arc::clone));
    Composite { id: command.id.clone(), composed, tools, sandbox, schema: command.input_schema.clone() }
}

/// The commands that checks may read: with their processors, without checks of their own, so that none waits for itself.
fn reads(assembly: &Assembly<'_>, ready: &[(&Command, Arc<dyn ToolHandler>)]) -> BTreeMap<String, Arc<Tool>> {
    let nothing: Arc<dyn Lookup> = Arc::new(OwnCommands::new(BTreeMap::new()));
    let mut tools = BTreeMap::new();
    for (command, handler) in ready.iter().filter(|(command, _)| command.effect == Effect::Read) {
        let bare = Assembly { admissions: &BTreeMap::new(), ..*assembly };
        if let Ok(tool) = tool(&bare, command, Arc::clone(handler), &nothing, ResultAudience::Pack) {
            tools.insert(command.id.clone(), Arc::new(tool));
        }
    }
    tools
}

fn tool(
    assembly: &Assembly<'_>,
    command: &Command,
    handler: Arc<dyn ToolHandler>,
    lookup: &Arc<dyn Lookup>,
    audience: ResultAudience,
) -> Result<Tool, String> {
    let spec = command.spec(&assembly.pack.id);
    let admission = assembly.admissions.get(&command.id).map(Arc::clone);
    let around = &command.uses_processors;
    let plain = around.before.is_empty() && around.after.is_empty() && around.for_model.is_empty();
    if plain && admission.as_ref().is_none_or(|admission| !admission.reads()) {
        let tool = Tool::new(spec, proven(assembly, command, handler))?;
        return Ok(match admission {
            Some(admission) => tool.with_check(admission),
            None => tool,
        });
    }
    let guarded = Guarded {
        inner: handler,
        admission: admission.clone(),
        input: Schema::compile(&spec.input_schema)?,
        lookup: Arc::clone(lookup),
        sandbox: assembly.sandbox.map(Arc::clone),
        processors: Arc::clone(assembly.processors),
        around: around.clone(),
        audience,
        patience: spec.timeout / 2,
    };
    let tool = Tool::new(spec, proven(assembly, command, Arc::new(guarded)))?;
    Ok(match admission {
        Some(admission) => tool.with_check(admission),
        None => tool,
    })
}

/// With the receipt of a write, where no code of the program issues its own.
fn proven(assembly: &Assembly<'_>, command: &Command, inner: Arc<dyn ToolHandler>) -> Arc<dyn ToolHandler> {
    if assembly.pack.kind == PackKind::Native || command.effect == Effect::Read {
        return inner;
    }
    Arc::new(WithReceipts {
        inner,
        undo: Undo::of(assembly.pack, command),
        of_others: composite::is_composite(command),
    })
}

/// Input schemas are closed objects.
fn closed(compiler: &mut Compiler<'_>, command: &Command, at: &str) {
    let at = format!("{at}/input_schema");
    if command.input_schema.get("type") != Some(&json!("object")) {
        compiler.complain(&at, "the input schema must be an object schema", Some("add `type: object`".to_owned()));
    }
    if command.input_schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        let suggestion = Some("add `additionalProperties: false`".to_owned());
        compiler.complain(&at, "the input schema must be closed", suggestion);
    }
}

/// What must come from the conversation is an argument.
fn said(compiler: &mut Compiler<'_>, command: &Command, at: &str) {
    let properties = command.input_schema.get("properties").and_then(Value::as_object);
    let known = || properties.into_iter().flat_map(|properties| properties.keys().map(String::as_str));
    for argument in command.said.keys().filter(|argument| !known().any(|name| name == argument.as_str())) {
        let near = nearest(argument, known()).map(|name| format!("did you mean `{name}`?"));
        compiler.complain(&format!("{at}/said/{argument}"), format!("unknown argument `{argument}`"), near);
    }
}

fn confirmable(compiler: &mut Compiler<'_>, command: &Command, handler: &dyn ToolHandler, at: &str) {
    let confirm = command.spec("").confirm;
    if matches!(confirm, Confirm::Customer | Confirm::Staff) && !handler.confirmable() {
        let suggestion = Some("say `confirm: none` or `confirm: model`, or give the handler a preview".to_owned());
        let message = format!("`{}` must be confirmed, but its handler cannot say what it would do", command.id);
        compiler.complain(&format!("{at}/id"), message, suggestion);
    }
}

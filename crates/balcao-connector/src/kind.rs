//! The kind of execution `http`: packs whose commands are requests of one service.

use std::sync::Arc;

use async_trait::async_trait;
use balcao_pack::{
    Finding, Kind, PackParts,
    manifest::{Command, Pack},
};
use balcao_tool::{
    Effect, EffectClass, ErrorCode, Found, Internal, Preview, ToolContext, ToolError, ToolHandler, ToolOutput,
    ToolResult,
};
use serde_json::{Map, Value, json};

use crate::{
    account::Account,
    command::{HttpCommand, Operation, Verb},
    connection::Connection,
    fan_out::{self, One},
    handler::HttpTool,
    method_override::{methods_in_command, methods_in_headers, other_method},
    problem::Problem,
    response,
};

/// Runs packs of type `http`: against an account, or, without one, to be checked and tested against recorded answers.
#[derive(Debug, Clone, Default)]
pub struct Http {
    account: Option<Arc<Account>>,
}

impl Http {
    /// Without a service: packs load and are checked, and a call fails because no service is connected.
    #[must_use]
    pub fn offline() -> Self {
        Self::default()
    }

    /// Against that account.
    #[must_use]
    pub fn with(account: Arc<Account>) -> Self {
        Self { account: Some(account) }
    }
}

impl Kind for Http {
    fn check(&self, pack: &Pack) -> Vec<Finding> {
        let Some(connection) = &pack.connection else { return Vec::new() };
        let mut problems = match Connection::read(connection) {
            Ok(read) => methods_in_connection(&read),
            Err(problems) => problems,
        };
        problems.extend(unknown_settings(connection, pack.settings.as_ref()));
        problems.extend(unknown_processor(connection, pack));
        problems.into_iter().map(|problem| finding(problem, "/connection")).collect()
    }

    fn handler(&self, parts: PackParts<'_>, command: &Command) -> Result<Arc<dyn ToolHandler>, Vec<Finding>> {
        let settings = parts.pack.settings.as_ref();
        let mut problems = unknown_settings(&command.handler, settings);
        problems.extend(secret_settings(&command.handler, settings));
        let operation = compiled(command).map_err(|found| problems.extend(found)).ok();
        if let Some(operation) = &operation {
            problems.extend(beyond_its_effect(command.effect, &operation.command));
        }
        let mut findings: Vec<Finding> = repeatable(parts.pack, command).into_iter().collect();
        findings.extend(problems.into_iter().map(|problem| finding(problem, "/handler")));
        let Some(operation) = operation.filter(|_| findings.is_empty()) else { return Err(findings) };
        let schema = command.input_schema.clone();
        Ok(match &self.account {
            Some(account) => {
                let keyed = command.effect_class == Some(EffectClass::Keyed);
                Arc::new(HttpTool::new(Arc::clone(account), operation, schema, keyed))
            }
            None => Arc::new(Unconnected { schema }),
        })
    }

    fn replay(&self, _pack: &Pack, command: &Command, input: &Value, response: &Value) -> Result<Value, String> {
        let operation = compiled(command)
            .map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
        let shaped = &operation.command.response;
        if let Some(each) = &operation.command.for_each {
            let count = input.get(&each.argument).and_then(Value::as_array).map_or(0, Vec::len);
            let one = || response::result(shaped, response.clone()).map(One::Done);
            return Ok(fan_out::summary((0..count).map(|_| one()).collect::<Result<_, _>>()?));
        }
        let result = match &operation.command.pagination {
            Some(pages) => {
                let items = response.pointer(&pages.items).cloned().ok_or("the answer has no list of entries")?;
                let mut result = response::shape(shaped, items);
                if let Some(fields) = result.as_object_mut() {
                    fields.insert("more".to_owned(), false.into());
                    result
                } else {
                    json!({ "items": result, "more": false })
                }
            }
            None => response::result(shaped, response.clone())?,
        };
        Ok(match &shaped.find {
            Some(find) => find.among(&result, input.get(&find.argument).unwrap_or(&Value::Null)),
            None => result,
        })
    }
}

/// A command that would be repeated after an unknown outcome, by a service that could not tell the repeat.
fn repeatable(pack: &Pack, command: &Command) -> Option<Finding> {
    let header = pack.connection.as_ref().and_then(|connection| connection.get("idempotency_header"));
    match command.effect_class? {
        EffectClass::Keyed if header.is_none_or(Value::is_null) && !command.idempotent => Some(
            Finding::new(
                "/effect_class",
                "`keyed` sends a key with each call, and the connection names no header for it",
            )
            .suggest("set `connection.idempotency_header`, or say `blind`"),
        ),
        EffectClass::Queryable => Some(
            Finding::new("/effect_class", "an HTTP command cannot look up what became of an earlier attempt")
                .suggest("say `keyed` if the service honours a key, else `blind`"),
        ),
        EffectClass::Keyed | EffectClass::Read | EffectClass::Local | EffectClass::Blind => None,
    }
}

/// What a request does by its method, where the pack says that it only reads (RFC 9110 §9.2.1).
fn beyond_its_effect(effect: Effect, request: &HttpCommand) -> Vec<Problem> {
    let mut problems = methods_in_command(request);
    let message = match (effect, request.method) {
        (Effect::Read, Verb::Post) if !request.safe => Some((
            "invalid method for `effect: read`; expected GET or HEAD",
            "say what it changes under `effect`; or, of a search that changes nothing, `safe: true` beside `method`",
        )),
        (Effect::Read, Verb::Put | Verb::Patch | Verb::Delete) => Some((
            "invalid method for `effect: read`; expected GET, HEAD, or a POST that is `safe: true`",
            "say what it changes under `effect`",
        )),
        (Effect::Read | Effect::Write | Effect::Destructive, _) => None,
    };
    problems.extend(message.map(|(message, mend)| Problem::new("/method", message).suggest(mend)));
    if request.safe && (effect != Effect::Read || request.method != Verb::Post) {
        let message = "invalid `safe: true`; expected it of a POST whose effect is `read` alone";
        problems.push(Problem::new("/safe", message).suggest("take it out"));
    }
    problems
}

/// The same of a connection: its own headers, that of its credential, and that of its keys.
fn methods_in_connection(connection: &Connection) -> Vec<Problem> {
    let mut problems = methods_in_headers(connection.headers.keys(), "/headers");
    let named = connection.auth.as_ref().and_then(|auth| auth.header.as_ref()).map(|auth| &auth.name);
    if named.is_some_and(|name| !methods_in_headers([name], "").is_empty()) {
        problems.push(other_method("/auth/header/name".to_owned()));
    }
    if connection.idempotency_header.as_ref().is_some_and(|name| !methods_in_headers([name], "").is_empty()) {
        problems.push(other_method("/idempotency_header".to_owned()));
    }
    problems
}

fn compiled(command: &Command) -> Result<Operation, Vec<Problem>> {
    let mut read = HttpCommand::read(&command.handler)?;
    // A pack says it of the command; a request may still be told apart.
    read.idempotent = read.idempotent.or(command.idempotent.then_some(true));
    // What the tool layer cuts off has an unknown outcome; what ends by itself a little earlier says what became of it.
    let before = |limit: u64| limit - (limit / 10).min(1_000);
    read.timeout_ms = match (read.timeout_ms, command.timeout_ms) {
        (Some(own), Some(whole)) => Some(own.min(before(whole))),
        (None, Some(whole)) => Some(before(whole)),
        (own, None) => own,
    };
    read.compile(&command.input_schema)
}

fn finding(problem: Problem, base: &str) -> Finding {
    let problem = problem.below(base);
    let found = Finding::new(problem.pointer, problem.message);
    match problem.suggestion {
        Some(suggestion) => found.suggest(suggestion),
        None => found,
    }
}

/// A processor of deliveries that the pack does not have.
fn unknown_processor(connection: &Value, pack: &Pack) -> Option<Problem> {
    let at = "/deliveries/processor";
    let id = connection.pointer(at)?.as_str()?;
    let mut known = pack.processors.iter().map(|processor| processor.id.as_str());
    if known.clone().any(|other| other == id) {
        return None;
    }
    Some(Problem::new(at, format!("the pack has no processor `{id}`")).nearest(id, known.by_ref()))
}

/// Placeholders for settings that the pack does not declare. `settings` is the pack's schema of them.
#[must_use]
pub fn unknown_settings(connection: &Value, settings: Option<&Value>) -> Vec<Problem> {
    let empty = Map::new();
    let declared = settings.and_then(|schema| schema.get("properties")).and_then(Value::as_object).unwrap_or(&empty);
    let mut problems = Vec::new();
    each_setting(connection, &mut |at, name| {
        if !declared.contains_key(name) {
            let problem = Problem::new(at, format!("the pack declares no setting `{name}`"));
            problems.push(problem.nearest(name, declared.keys().map(String::as_str)));
        }
    });
    problems
}

/// Placeholders of a request for settings that are secret: a request is shown to whoever is asked, and told of in errors.
fn secret_settings(request: &Value, settings: Option<&Value>) -> Vec<Problem> {
    let mut problems = Vec::new();
    each_setting(request, &mut |at, name| {
        let secret = settings.and_then(|schema| schema.get("properties")?.get(name)?.get("secret"));
        if secret == Some(&Value::Bool(true)) {
            let message =
                format!("`{name}` is a secret, and a request must not hold one; name it in `connection.auth`");
            problems.push(Problem::new(at, message));
        }
    });
    problems
}

/// Every setting that a text below `value` asks for, with its place.
fn each_setting(value: &Value, see: &mut dyn FnMut(&str, &str)) {
    walk(value, "", &mut |at, text| {
        for rest in text.split("{settings.").skip(1) {
            let name = rest.split(['}', '.']).next().unwrap_or_default();
            if !name.is_empty() {
                see(at, name);
            }
        }
    });
}

fn walk(value: &Value, at: &str, visit: &mut dyn FnMut(&str, &str)) {
    match value {
        Value::String(text) => visit(at, text),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| walk(item, &format!("{at}/{index}"), visit));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(key, field)| walk(field, &format!("{at}/{}", crate::problem::escape(key)), visit));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A command of a service that is not connected.
struct Unconnected {
    schema: Value,
}

fn unconnected<T>() -> ToolResult<T> {
    let note = Internal::note("the pack was loaded without an account of its service");
    Err(ToolError::new(ErrorCode::Unavailable, "the service is not connected").internal(note).into())
}

#[async_trait]
impl ToolHandler for Unconnected {
    async fn call(&self, _cx: &ToolContext, _args: Value) -> ToolResult<ToolOutput> {
        unconnected()
    }

    async fn preview(&self, _cx: &ToolContext, _args: Value) -> ToolResult<Preview> {
        unconnected()
    }

    async fn find(&self, _cx: &ToolContext, _args: Value) -> ToolResult<Found> {
        unconnected()
    }

    fn confirmable(&self) -> bool {
        true
    }

    fn args_schema(&self) -> Value {
        self.schema.clone()
    }
}

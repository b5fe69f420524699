//! Programs of models (code mode): the tool `run_program` runs JavaScript that a model wrote over the tools that it is offered.
//!
//! The code runs in a separate worker of helpers, which ends with the program, and reaches nothing by itself. It is driven call by call, as
//! composite commands are (`kind::composite`). Each call is checked, limited, keyed and confirmed as if the model had made it:
//!
//! - The code can call only the tools and helpers that its text names, so the required confirmation is known before it runs ([`named`]).
//! - If one of those tools needs a confirmation, the program is rehearsed first: it really reads, changes nothing, and lists what it would
//!   change in one question. After the yes it is rehearsed again; if the list differs, nothing is done.
//! - A call that depends on a listed change and needs a confirmation, too, is refused within the program.
//!
//! Only for profiles that talk with staff; the code that creates the tool checks that. The breaker of the conversation and the effect
//! ledger belong to the turn and are not here.

mod calls;
mod helpers;
mod messages;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use balcao_sandbox::{Bundle, Helper, Launcher, Limits, Sandbox};
use balcao_tool::{
    Behaviour, CommandSpec, Confirm, Effect, EffectClass, ErrorCode, FieldProblem, Found, Internal, Preview, Tool,
    ToolContext, ToolError, ToolHandler, ToolOutput, ToolResult,
};
use serde_json::{Value, json};

use crate::kind::composite::{Composed, DRIVER, Ran, Stopped, drive};
use calls::{Mode, ProgramLog};

pub use helpers::ProgramHelpers;
pub use messages::{may_be_called, shape};

/// The tool's name.
pub const RUN_PROGRAM: &str = "run_program";
/// The default number of calls of one program.
pub const MAX_CALLS: usize = 24;
/// Calls of one program at most.
pub const MOST_CALLS: usize = 64;
/// Characters of a program.
const MAX_CODE: usize = 16_000;
/// No call begins later than that after the program did.
const TIME: Duration = Duration::from_secs(20);
/// When the whole is given up: the last call may take its own time, and may be tried again.
const TIMEOUT: Duration = Duration::from_secs(60);
/// What a program may use from one call to the next.
const STRETCH: Limits =
    Limits { time: Duration::from_millis(250), memory_bytes: 32 << 20, output_bytes: 256 << 10, stack_bytes: 1 << 20 };
/// What stands before a program's first line, in that line.
const BEFORE: &str = "async function program(args, tools) {";

/// A tool that programs may call.
#[derive(Debug, Clone)]
pub struct Callable {
    /// The tool.
    pub tool: Arc<Tool>,
    /// Who has to agree before it runs, as the profile has it.
    pub confirm: Confirm,
    /// Whether a turn shows its contract on demand; what it gives then stands beside the contract, not in the description of `run_program`.
    pub is_on_demand: bool,
}

/// The tool `run_program` over these tools and helpers, with at most `max_calls` calls of tools in one program. `launcher` starts the
/// worker of each program.
///
/// # Errors
/// If its contract is none, which is a defect.
pub fn tool(
    callable: Vec<Callable>,
    helpers: ProgramHelpers,
    max_calls: usize,
    launcher: Launcher,
) -> Result<Tool, String> {
    let tools: BTreeMap<String, Callable> = callable.into_iter().map(|one| (one.tool.spec.name.clone(), one)).collect();
    let spec = spec(&tools, &helpers, max_calls);
    let schema = spec.input_schema.clone();
    Tool::new(spec, Arc::new(Program { tools, helpers, max_calls, launcher, schema }))
}

fn spec(tools: &BTreeMap<String, Callable>, helpers: &ProgramHelpers, max_calls: usize) -> CommandSpec {
    let effect = tools.values().map(|one| one.tool.spec.behaviour.effect).max().unwrap_or(Effect::Read);
    let class = if effect == Effect::Read { EffectClass::Read } else { EffectClass::Blind };
    CommandSpec {
        name: RUN_PROGRAM.to_owned(),
        pack: "program".to_owned(),
        description: messages::description(tools, helpers, max_calls),
        input_schema: json!({
            "type": "object", "additionalProperties": false, "required": ["code"],
            "properties": {
                "code": {"type": "string", "minLength": 1, "maxLength": MAX_CODE},
                "dry_run": {"type": "boolean"}
            }
        }),
        output_schema: json!({"type": "object"}),
        behaviour: Behaviour { effect, class, idempotent: false, reversible: false, open_world: true },
        confirm: Confirm::None,
        timeout: TIMEOUT,
        settle: Duration::ZERO,
        on_error: messages::guidance(),
        internal: false,
        said: BTreeMap::new(),
        with: None,
        act: None,
    }
}

/// The tools of `known` whose names stand in the code as words, wherever that is. No others are bound: a program that puts a name together
/// finds no tool of that name.
fn named<'a>(code: &str, known: impl Iterator<Item = &'a String>) -> BTreeSet<&'a String> {
    let words: BTreeSet<&str> =
        code.split(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '$')).collect();
    known.filter(|name| words.contains(name.as_str())).collect()
}

struct Program {
    tools: BTreeMap<String, Callable>,
    helpers: ProgramHelpers,
    max_calls: usize,
    launcher: Launcher,
    schema: Value,
}

/// What came of driving a program once.
struct Driven {
    outcome: Result<Ran, Stopped>,
    log: ProgramLog,
}

impl Program {
    fn callable(&self, code: &str) -> BTreeMap<&String, &Callable> {
        let named = named(code, self.tools.keys());
        named.into_iter().filter_map(|name| Some((name, self.tools.get(name)?))).collect()
    }

    async fn drive(&self, cx: &ToolContext, code: &str, mode: Mode) -> ToolResult<Driven> {
        let callable = self.callable(code);
        // As of the tools, a program gets the helpers that its text names.
        let (named, mut helpers) = self.helpers.code_of(named(code, self.helpers.names()));
        let program = Helper::javascript("program", messages::FILE, &format!("{BEFORE}{code}\n}}"));
        helpers.push(Helper { dependencies: named, ..program });
        helpers.push(Helper::javascript("program:driver", "driver.js", DRIVER).with_dependencies(&["program"]));
        let bundle = Bundle::new(helpers).map_err(|problems| {
            let note = problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            ToolError::new(ErrorCode::Internal, "the program could not be run").internal(Internal::note(note))
        })?;
        let sandbox = Sandbox::new(bundle, self.launcher.clone(), 1);
        let composed = Composed {
            driver: "program:driver".to_owned(),
            target: "program".to_owned(),
            calls: callable.iter().map(|(name, one)| ((*name).clone(), one.tool.spec.behaviour.effect)).collect(),
            max_calls: self.max_calls,
            limits: STRETCH,
            promises: true,
        };
        let calls = calls::For::new(cx, callable, mode);
        let outcome = drive(&composed, Some(&sandbox), cx.helpers_now(), &json!({}), &calls).await;
        Ok(Driven { outcome, log: calls.into_log() })
    }

    /// Runs it with nothing changed: what it would change, if it comes that far.
    async fn rehearse(&self, cx: &ToolContext, code: &str) -> ToolResult<Driven> {
        self.drive(cx, code, Mode::Rehearsal).await
    }

    async fn run(&self, cx: &ToolContext, code: &str, agreed: Vec<(String, String)>) -> ToolResult<ToolOutput> {
        let driven = self.drive(cx, code, Mode::Real { agreed }).await?;
        messages::outcome(driven.outcome, &driven.log, code, &self.tools)
    }
}

fn code(args: &Value) -> &str {
    args.get("code").and_then(Value::as_str).unwrap_or_default()
}

fn is_dry(args: &Value) -> bool {
    args.get("dry_run").and_then(Value::as_bool).unwrap_or_default()
}

#[async_trait]
impl ToolHandler for Program {
    async fn call(&self, cx: &ToolContext, args: Value) -> ToolResult<ToolOutput> {
        let code = code(&args);
        if is_dry(&args) {
            let rehearsed = self.rehearse(cx, code).await?;
            return messages::rehearsal(rehearsed.outcome, &rehearsed.log, code, &self.tools);
        }
        let Some(agreed) = &cx.agreed else { return self.run(cx, code, Vec::new()).await };
        let rehearsed = self.rehearse(cx, code).await?;
        let now = messages::question(&rehearsed.log, rehearsed.outcome.as_ref().is_ok_and(|ran| ran.peeked), cx);
        if now != agreed.question {
            return Ok(messages::changed_meanwhile(&rehearsed.log));
        }
        self.run(cx, code, rehearsed.log.would.into_iter().map(|one| (one.name, one.args_hash)).collect()).await
    }

    /// Reads for real and changes nothing: what would be changed is asked for, all of it at once as far as that can be known.
    async fn preview(&self, cx: &ToolContext, args: Value) -> ToolResult<Preview> {
        let code = code(&args);
        let Driven { outcome, log } = self.rehearse(cx, code).await?;
        match outcome {
            Ok(ran) if !log.would.is_empty() => Ok(Preview::Ask(messages::question(&log, ran.peeked, cx))),
            outcome => messages::outcome(outcome, &log, code, &self.tools).map(Preview::Refused),
        }
    }

    async fn find(&self, _cx: &ToolContext, _args: Value) -> ToolResult<Found> {
        let note = Internal::note("a program is made of several calls and cannot be looked up");
        Err(ToolError::new(ErrorCode::Internal, "it is not known whether this was done").internal(note).into())
    }

    fn confirmable(&self) -> bool {
        true
    }

    fn args_schema(&self) -> Value {
        self.schema.clone()
    }

    fn calls(&self, args: &Value) -> Vec<String> {
        // A rehearsal changes nothing, so it needs no confirmation.
        if is_dry(args) {
            return Vec::new();
        }
        self.callable(code(args)).into_keys().cloned().collect()
    }
}

/// A mistake in a program, as a bad field.
fn mistake(problem: String, suggestion: Option<String>) -> ToolError {
    let expected = "a program that runs to its end".to_owned();
    let pointer = "/code".to_owned();
    ToolError::invalid(vec![FieldProblem { pointer, problem, expected, suggestion, ..FieldProblem::default() }])
}

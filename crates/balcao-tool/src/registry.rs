//! The tools that exist, and the ones that a profile offers.

use crate::names::nearest;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use indexmap::IndexMap;
use serde_json::{Map, Value, json};
use tokio::{
    task::spawn_blocking,
    time::{Instant, timeout},
};

use crate::call::RunMode;
use crate::class::ResultClass;
use crate::{
    Locale, canonical,
    check::{ArgumentCheck, Checked},
    context::ToolContext,
    effect::{Confirm, Effect},
    error::{ErrorCode, FieldProblem, Internal, ToolError, tell_uncertain},
    handler::ToolHandler,
    limits::CHECK_TIMEOUT,
    outcome::{CallResult, ToolOutput},
    receipt::Receipt,
    spec::CommandSpec,
    validate::Schema,
};

/// A command with its compiled schemas and its code.
pub struct Tool {
    /// The definition.
    pub spec: CommandSpec,
    /// The name of the command in its pack: that of the definition, unless the profile has several commands of this name.
    pub command: String,
    /// Compiled input schema, against which calls are checked.
    pub input: Schema,
    /// Compiled output schema.
    pub output: Schema,
    /// [`CommandSpec::contract_hash`], computed once; of a command of a pack with what it does ([`Tool::bind`]).
    pub contract_hash: String,
    shown: Arc<Value>,
    lines: [String; 2],
    pub(crate) check: Option<Arc<dyn ArgumentCheck>>,
    pub(crate) handler: Arc<dyn ToolHandler>,
}

impl std::fmt::Debug for Tool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tool")
            .field("name", &self.spec.name)
            .field("contract_hash", &self.contract_hash)
            .finish_non_exhaustive()
    }
}

/// A tool as one line of JSON.
fn line(spec: &CommandSpec, locale: Locale, schema: &Value) -> String {
    let (name, description) = (Value::from(spec.name.as_str()), Value::from(spec.description.get(locale)));
    format!(r#"{{"name":{name},"description":{description},"params":{schema}}}"#)
}

impl Tool {
    /// Compiles a command.
    ///
    /// # Errors
    /// Which schema is none, and why.
    pub fn new(spec: CommandSpec, handler: Arc<dyn ToolHandler>) -> Result<Self, String> {
        let input = Schema::compile(&spec.input_schema).map_err(|e| format!("input_schema of `{}` {e}", spec.name))?;
        let output =
            Schema::compile(&spec.output_schema).map_err(|e| format!("output_schema of `{}` {e}", spec.name))?;
        let contract_hash = spec.contract_hash();
        let shown = input.shared();
        let lines = [Locale::PtBr, Locale::En].map(|locale| line(&spec, locale, &shown));
        let command = spec.name.clone();
        Ok(Self { spec, command, input, output, contract_hash, shown, lines, check: None, handler })
    }

    /// The same command with a check of its arguments beyond the schema.
    #[must_use]
    pub fn with_check(self, check: Arc<dyn ArgumentCheck>) -> Self {
        Self { check: Some(check), ..self }
    }

    /// Has its contract change with what it does, too: its definition, and what it shares with others.
    pub fn bind(&mut self, definition: &Value, shared: &Value) {
        let whole = json!({ "contract": self.contract_hash, "definition": definition, "shared": shared });
        self.contract_hash = canonical::hash(&whole);
    }

    /// Judges arguments by the schema and by the command's check, all problems at once.
    ///
    /// # Errors
    /// What is wrong with them, one entry per bad field.
    pub fn check_arguments(&self, args: Value) -> Result<Checked, Vec<FieldProblem>> {
        let broken = self.input.problems(&args);
        match &self.check {
            Some(check) => check.check(&self.input, args, broken),
            None if broken.is_empty() => Ok(Checked { args, mended: Vec::new() }),
            None => Err(broken),
        }
    }

    /// The same command, for a profile that lets arguments be mended where a check says how (`autofix`); `None` if no check of it does.
    #[must_use]
    pub fn mending(&self) -> Option<Self> {
        let check = self.check.as_ref()?.mending()?;
        let handler = self.handler.mending().unwrap_or_else(|| Arc::clone(&self.handler));
        // The schemas have been compiled once, so they compile.
        let mending = Self::new(self.spec.clone(), handler).ok()?.with_check(check);
        Some(Self { contract_hash: self.contract_hash.clone(), command: self.command.clone(), ..mending })
    }

    /// The input schema that models are shown.
    #[must_use]
    pub fn shown(&self) -> Arc<Value> {
        Arc::clone(&self.shown)
    }

    /// Name, description and that schema as one line of JSON, `{"name":…,"description":…,"params":…}`, for prompts that list their
    /// tools: printed once.
    #[must_use]
    pub fn line(&self, locale: Locale) -> &str {
        let [pt_br, en] = &self.lines;
        match locale {
            Locale::PtBr => pt_br,
            Locale::En => en,
        }
    }

    /// Whether a call changes nothing, by what it says and by what it sends: rehearsals and trial runs call no other.
    #[must_use]
    pub fn is_safe(&self) -> bool {
        self.spec.behaviour.effect == Effect::Read && self.handler.is_safe()
    }

    /// Whether a confirmation can be requested before it runs.
    #[must_use]
    pub fn confirmable(&self) -> bool {
        self.handler.confirmable()
    }

    /// The same command with one argument limited to certain values, as a profile may.
    ///
    /// # Errors
    /// If the schema has no such argument.
    pub fn restrict(mut self, argument: &str, values: Vec<Value>) -> Result<Self, String> {
        self.spec.limit(argument, values)?;
        let limited = Self::new(self.spec, self.handler)?;
        Ok(Self { check: self.check, ..limited })
    }

    /// The same command, whose definition tells models the values of one argument. Another value passes the schema all the
    /// same: the handler knows a better answer than `invalid_arguments`, such as `forbidden`.
    ///
    /// # Errors
    /// If the schema has no such argument.
    pub fn suggest(mut self, argument: &str, values: Vec<Value>) -> Result<Self, String> {
        self.spec.limit(argument, values)?;
        let told = Self::new(self.spec, self.handler)?;
        Ok(Self { input: self.input, check: self.check, ..told })
    }

    /// JSON Schema of the handler's arguments.
    #[must_use]
    pub fn args_schema(&self) -> Value {
        self.handler.args_schema()
    }

    /// The other tools that a call with these arguments may call, by name.
    #[must_use]
    pub fn calls(&self, args: &Value) -> Vec<String> {
        self.handler.calls(args)
    }

    /// Runs a planned call within its time, and turns whatever happens into one result: a failure, a panic, a late or a
    /// malformed answer included. Dropping the future stops the call.
    pub async fn execute(&self, cx: &ToolContext, args: Value, mode: RunMode) -> CallResult {
        let started = Instant::now();
        let mut result = match mode {
            RunMode::Ask => self.run_once(cx, args, mode).await,
            RunMode::Execute => self.execute_at_most_once(cx, args, false).await,
            RunMode::Recover => self.execute_at_most_once(cx, args, true).await,
        };
        if result.uncertain {
            tell_uncertain(&mut result.value, cx.principal.locale);
        }
        result.duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        result
    }

    /// The result for an error of this command.
    #[must_use]
    pub fn fail(&self, error: &ToolError, locale: Locale) -> CallResult {
        error_result(error, self.spec.guidance(error.code, locale), locale)
    }

    /// The result of what a handler gave: checked against its schema, a large one beside the threads that serve others.
    pub(crate) async fn finish(&self, mut output: ToolOutput, locale: Locale) -> CallResult {
        if output.unprocessed.is_some() {
            return self.build_result(output, Vec::new(), locale);
        }
        if self.output.checks_lightly(&output.value) {
            let problems = self.output.problems(&output.value);
            return self.build_result(output, problems, locale);
        }
        let (schema, value) = (self.output.clone(), std::mem::take(&mut output.value));
        let checking = spawn_blocking(move || {
            let problems = schema.problems(&value);
            (value, problems)
        });
        match timeout(CHECK_TIMEOUT, checking).await {
            Ok(Ok((value, problems))) => self.build_result(ToolOutput { value, ..output }, problems, locale),
            Ok(Err(_)) | Err(_) => {
                let note = Internal::note("the check of the result against its schema did not end");
                self.fail(&ToolError::new(ErrorCode::Internal, "the tool failed").internal(note), locale)
            }
        }
    }

    fn build_result(&self, mut output: ToolOutput, problems: Vec<FieldProblem>, locale: Locale) -> CallResult {
        let unprocessed = output.unprocessed.take();
        if !problems.is_empty() {
            let note = format!("the result breaks the output schema: {}", json!(problems));
            return self
                .fail(&ToolError::new(ErrorCode::Internal, "the tool failed").internal(Internal::note(note)), locale);
        }
        if let (false, Some(object)) = (output.mended.is_empty(), output.value.as_object_mut()) {
            object.insert("_mended".to_owned(), json!(output.mended));
        }
        if let (Some(undo), Some(object)) = (output.undo, output.value.as_object_mut()) {
            object.insert("_undo".to_owned(), *undo);
        }
        if unprocessed.is_some() {
            output.value = warned(output.value, locale);
        }
        let internal = unprocessed.as_ref().map(Internal::for_staff);
        let class = if output.refused { ResultClass::Refusal } else { ResultClass::Success };
        CallResult { receipts: output.receipts, offers: output.offers, internal, ..plain(class, output.value) }
    }

    pub(crate) fn ask(&self, question: String, locale: Locale) -> CallResult {
        let error = ToolError::ask(question);
        CallResult { confirm: error.question.clone(), ..self.fail(&error, locale) }
    }
}

/// A result that kept the shape of the service, with a warning that says so. A list or a plain value stands under `result`.
fn warned(value: Value, locale: Locale) -> Value {
    let warning = match locale {
        Locale::PtBr => "este resultado está como o serviço o deu: não foi possível prepará-lo",
        Locale::En => "this result is as the service gave it: it could not be prepared",
    };
    let mut fields = match value {
        Value::Object(fields) => fields,
        plain @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            Map::from_iter([("result".to_owned(), plain)])
        }
    };
    fields.insert("_warning".to_owned(), warning.into());
    Value::Object(fields)
}

/// A result that is an error.
#[must_use]
pub fn error_result(error: &ToolError, guidance: Option<&str>, locale: Locale) -> CallResult {
    CallResult {
        code: Some(error.code),
        internal: error.internal.as_ref().map(Internal::for_staff),
        ..plain(error.code.class(), error.to_model(guidance, locale))
    }
}

fn plain(class: ResultClass, value: Value) -> CallResult {
    CallResult {
        class,
        code: None,
        value,
        receipts: Vec::<Receipt>::new(),
        offers: Vec::new(),
        internal: None,
        confirm: None,
        uncertain: false,
        duration_ms: 0,
    }
}

/// All tools of the program, by name, in the order in which their packs were loaded.
#[derive(Debug, Default)]
pub struct Registry {
    tools: IndexMap<String, Arc<Tool>>,
}

impl Registry {
    /// Adds a tool.
    ///
    /// # Errors
    /// If the name is taken: names are unique over all packs.
    pub fn add(&mut self, tool: Tool) -> Result<(), String> {
        let name = tool.spec.name.clone();
        if let Some(holder) = self.tools.get(&name) {
            return Err(format!(
                "the tool `{name}` of pack `{}` is already defined by pack `{}`",
                tool.spec.pack, holder.spec.pack
            ));
        }
        self.tools.insert(name, Arc::new(tool));
        Ok(())
    }

    /// Adds a tool that other registries hold, too, in the place of whichever has its name; gives that one.
    pub fn put(&mut self, tool: Arc<Tool>) -> Option<Arc<Tool>> {
        self.tools.insert(tool.spec.name.clone(), tool)
    }

    /// One tool.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<Tool>> {
        self.tools.get(name)
    }

    /// All tools, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.tools.values()
    }

    /// The tools that `offered` keeps and that are not internal: a snapshot that no later change reaches.
    pub fn toolbox(&self, offered: impl Fn(&CommandSpec) -> bool) -> Toolbox {
        Toolbox {
            tools: self
                .tools
                .values()
                .filter(|tool| !tool.spec.internal && offered(&tool.spec))
                .map(Arc::clone)
                .collect(),
            confirm: BTreeMap::new(),
            deferred: BTreeSet::new(),
        }
    }
}

/// The tool whose successful call shows the contracts of the tools that it names, for the rest of the turn.
pub const LOAD_TOOL: &str = "load_tool";

/// The tools of one turn.
#[derive(Debug, Clone, Default)]
pub struct Toolbox {
    tools: Vec<Arc<Tool>>,
    confirm: BTreeMap<String, Confirm>,
    deferred: BTreeSet<String>,
}

impl Toolbox {
    /// Adds a tool that is in no registry; one of the same name stays as it is.
    pub fn push(&mut self, tool: Tool) {
        if self.get(&tool.spec.name).is_none() {
            self.tools.push(Arc::new(tool));
        }
    }

    /// From now on the contracts of these tools are shown only once [`LOAD_TOOL`] was called for them. They can be called all the same.
    pub fn defer(&mut self, names: impl IntoIterator<Item = String>) {
        self.deferred.extend(names);
    }

    /// The tools whose contracts a model is shown: those that are not deferred, in order, and behind them the deferred ones that have a
    /// `place`, the lowest first. A caller that gives later tools higher places leaves what stands before them as it was.
    pub fn shown(&self, place: impl Fn(&str) -> Option<usize>) -> impl Iterator<Item = &Arc<Tool>> {
        let (later, first): (Vec<_>, Vec<_>) =
            self.tools.iter().partition(|tool| self.deferred.contains(&tool.spec.name));
        let mut placed: Vec<(usize, &Arc<Tool>)> =
            later.into_iter().filter_map(|tool| Some((place(&tool.spec.name)?, tool))).collect();
        placed.sort_by_key(|(place, _)| *place);
        first.into_iter().chain(placed.into_iter().map(|(_, tool)| tool))
    }

    /// Replaces the confirmation rule of one tool, as a profile may.
    pub fn set_confirm(&mut self, name: &str, confirm: Confirm) {
        self.confirm.insert(name.to_owned(), confirm);
    }

    /// One tool.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<Tool>> {
        self.tools.iter().find(|tool| tool.spec.name == name)
    }

    /// Who has to agree before `tool` runs.
    #[must_use]
    pub fn confirm(&self, tool: &Tool) -> Confirm {
        self.confirm.get(&tool.spec.name).copied().unwrap_or(tool.spec.confirm)
    }

    /// Whether the profile says itself who has to agree before the tool runs.
    #[must_use]
    pub fn settles_confirm(&self, name: &str) -> bool {
        self.confirm.contains_key(name)
    }

    /// Who has to agree before a call of `tool` runs: the strictest that it, or a tool that it may call, demands.
    #[must_use]
    pub fn confirm_call(&self, tool: &Tool, args: &Value) -> Confirm {
        let called = tool.calls(args).into_iter().filter_map(|name| Some(self.confirm(self.get(&name)?)));
        called.fold(self.confirm(tool), Confirm::max)
    }

    /// All tools, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.tools.iter()
    }

    /// The nearest names to one that does not exist, best first.
    #[must_use]
    pub fn nearest(&self, name: &str) -> Vec<&str> {
        nearest(name, self.tools.iter().map(|tool| tool.spec.name.as_str()))
    }
}

#[cfg(test)]
#[path = "registry_tests.rs"]
mod tests;

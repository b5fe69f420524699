//! Running the cases.

use async_trait::async_trait;
use balcao_sandbox::Call;
use balcao_tool::{
    CallResult, EffectKey, ErrorCode, FieldProblem, Internal, Locale, Principal, ResultClass, RunMode, Tool,
    ToolContext,
};
use jiff::{Timestamp, tz::TimeZone};
use serde_json::{Value, json};

use super::{CaseReport, Coverage, NOW, Outcome, Report, Scratch, ScratchCall, Sort};
use crate::{
    LoadedPack,
    check::{differs, words},
    expression::{Expression, equal},
    kind::{
        composite::{self, Answer, Calls},
        script,
    },
    manifest::{Arrange, Command, EdgeCase, EdgeInput, FailureCase, Subject, SuccessCase},
    process::ProcessContext,
    validate::{CheckContext, CheckError, Lookup, missing},
};

/// What is wrong with a case whose checks could not be made.
const UNDECIDED: &str = "undecided";

/// What read commands answer in a case: as it states.
struct Stated<'a>(Option<&'a Value>);

#[async_trait]
impl Lookup for Stated<'_> {
    async fn read(&self, _cx: &ToolContext, command: &str, _args: Value) -> CallResult {
        let Some(value) = self.0.and_then(|stated| stated.get(command)) else { return missing(command) };
        // `null` means that the requested thing does not exist.
        let (class, code) = if value.is_null() {
            (ResultClass::Correction, Some(ErrorCode::NotFound))
        } else {
            (ResultClass::Success, None)
        };
        CallResult { class, code, value: value.clone(), internal: None, ..missing(command) }
    }
}

#[async_trait]
impl Calls for Stated<'_> {
    async fn call(&self, _place: usize, name: &str, args: Value) -> Answer {
        Answer::Made(self.read(&context(NOW), name, args).await)
    }
}

impl LoadedPack {
    /// Runs every example of the pack. Nothing outside of it is touched: answers are the recorded ones, and time stands where the case says.
    /// Of native commands the input alone is checked.
    pub async fn test(&self) -> Report {
        self.test_in(None).await
    }

    /// As [`Self::test`], and runs native commands in the worlds that `scratch` makes.
    pub async fn test_in(&self, scratch: Option<&dyn Scratch>) -> Report {
        let mut cases = Vec::new();
        let examples = &self.pack.examples;
        for case in &examples.success_cases {
            let outcome = self.success(case, scratch).await;
            cases.push(self.with_id(&case.id, report(Sort::Success, case.id.clone(), &case.operation, outcome)));
        }
        for case in &examples.failure_cases {
            let outcome = self.failure(case).await;
            let told = report(Sort::Failure, case.id.clone(), &case.operation, outcome.map(|()| None));
            cases.push(self.with_id(&case.id, told));
        }
        for case in &examples.edge_cases {
            for (place, input) in case.cases.iter().enumerate() {
                let outcome = self.edge(case, input).await;
                let about = about(case);
                let told = report(Sort::Edge, format!("{}[{place}]", case.id), &about, outcome.map(|()| None));
                cases.push(self.with_id(&case.id, told));
            }
        }
        for (group, types) in &self.pack.field_mappings {
            for (name, mapping) in types {
                if let (Some(helper), Some(expected)) = (mapping.helper(), &mapping.extracted) {
                    let got = self.helper(helper, std::slice::from_ref(&mapping.example), NOW).await;
                    let outcome = held(got, expected, false);
                    cases.push(report(Sort::Mapping, format!("{group}.{name}"), helper, outcome.map(|()| None)));
                }
            }
        }
        Report { pack: self.id.clone(), version: self.version.clone(), cases, coverage: Coverage::of(&self.pack) }
    }

    /// A report with the place of its example, if that does not hold.
    fn with_id(&self, id: &str, report: CaseReport) -> CaseReport {
        let failed = matches!(report.outcome, Outcome::Failed(_));
        CaseReport { place: failed.then(|| self.place(id)).flatten(), ..report }
    }

    /// A success passes every check and gives the stated output. What was not looked at, if anything.
    async fn success(&self, case: &SuccessCase, scratch: Option<&dyn Scratch>) -> Result<Option<String>, String> {
        let tool = self.find(&case.operation)?;
        let arranged = self.pack.examples.arrange.as_ref();
        let now = case.now.or(arranged.and_then(|arrange| arrange.now)).unwrap_or(NOW);
        let lookups = case.lookups.as_ref();
        let args = match self.admitted(tool, &case.operation, &case.input, lookups, now).await {
            Ok(args) => args,
            Err(found) => return Err(format!("the input is refused: {}", words(&found))),
        };
        let composed = self.pack.commands.iter().find(|command| command.id == case.operation);
        let composed = composed.filter(|command| composite::is_composite(command));
        let result = match self.recorded.get(&case.id) {
            _ if composed.is_some() => self.composed(composed, &args, lookups, now).await?,
            Some(recorded) => self.replayed(&case.operation, &args, recorded, now).await?,
            None if self.kind.0.computes() => {
                let result = tool.execute(&context(now), args, RunMode::Execute).await;
                match result.class {
                    ResultClass::Success | ResultClass::Refusal => result.value,
                    ResultClass::Correction | ResultClass::Fault => {
                        let internal = result.internal.unwrap_or_default();
                        return Err(format!("it fails: {} {internal}", result.value));
                    }
                }
            }
            None => {
                let (Some(scratch), Some(arrange)) = (scratch, arranged) else {
                    return Ok(Some("the example holds no recorded answer".to_owned()));
                };
                // A result may hold more than the example shows of it.
                let result = self.in_scratch(scratch, arrange, case, now).await;
                return held(result, &case.output, true).map(|()| None);
            }
        };
        let broken = tool.output.problems(&result);
        if !broken.is_empty() {
            return Err(format!("what comes of the recorded answer breaks the output schema: {}", words(&broken)));
        }
        held(Ok(result), &case.output, false).map(|()| None)
    }

    /// What a native command gives in a world of its own.
    async fn in_scratch(
        &self,
        scratch: &dyn Scratch,
        arrange: &Arrange,
        case: &SuccessCase,
        now: Timestamp,
    ) -> Result<Value, String> {
        let before = case.arrange.iter().map(|call| (&call.operation, &call.input));
        let calls: Vec<ScratchCall> = before
            .chain([(&case.operation, &case.input)])
            .map(|(operation, input)| {
                Ok(ScratchCall { tool: self.find(operation)?.spec.name.clone(), input: input.clone() })
            })
            .collect::<Result<_, String>>()?;
        let expected = calls.len();
        let mut results = scratch.run(arrange, now, calls).await?;
        let place = results.len();
        let last = results.pop().ok_or("no call was made")?;
        match last.class {
            ResultClass::Success | ResultClass::Refusal if place == expected => Ok(last.value),
            ResultClass::Success | ResultClass::Refusal | ResultClass::Correction | ResultClass::Fault => {
                let which = if place < expected { format!("call {place} of `arrange`") } else { "it".to_owned() };
                Err(format!("{which} fails: {} {}", last.value, last.internal.unwrap_or_default()))
            }
        }
    }

    /// What a command that is made of others gives, if those answer as the case states.
    async fn composed(
        &self,
        command: Option<&Command>,
        args: &Value,
        lookups: Option<&Value>,
        now: Timestamp,
    ) -> Result<Value, String> {
        let command = command.ok_or("the example names no command of this pack")?;
        let composed = composite::check(&self.pack, command).map_err(|_findings| "it does not hold together")?;
        let ran =
            composite::drive(&composed, self.sandbox.as_deref(), now.as_millisecond(), args, &Stated(lookups)).await;
        let value = ran
            .map_err(|stopped| {
                let error = stopped.into_error();
                let internal = error.internal.as_ref().map(Internal::for_staff).unwrap_or_default();
                format!("it fails: {} {internal}; state under `lookups` what its calls answer", error.text.as_str())
            })?
            .value;
        self.processed(command, args, value, now).await
    }

    /// What the command makes of a recorded answer.
    async fn replayed(&self, operation: &str, args: &Value, recorded: &Value, now: Timestamp) -> Result<Value, String> {
        let command = self.pack.commands.iter().find(|command| command.id == operation);
        let command = command.ok_or_else(|| format!("unknown command `{operation}`"))?;
        let value = self.kind.0.replay(&self.pack, command, args, recorded)?;
        self.processed(command, args, value, now).await
    }

    /// What a model reads of a result of a command.
    async fn processed(&self, command: &Command, args: &Value, result: Value, now: Timestamp) -> Result<Value, String> {
        let context = ProcessContext { arguments: Some(args), ..self.process_context(now) };
        let mut value = result;
        for ids in [&command.uses_processors.after, &command.uses_processors.for_model] {
            value = self.processors.run_all(ids, value, context).await.map_err(|error| error.to_string())?;
        }
        Ok(value)
    }

    fn process_context(&self, now: Timestamp) -> ProcessContext<'_> {
        ProcessContext { sandbox: self.sandbox.as_deref(), now_ms: now.as_millisecond(), arguments: None }
    }

    /// A failure is refused as stated, and its correct input is not.
    async fn failure(&self, case: &FailureCase) -> Result<(), String> {
        let tool = self.find(&case.operation)?;
        let (lookups, now) = (case.lookups.as_ref(), case.now.unwrap_or(NOW));
        match self.admitted(tool, &case.operation, &case.wrong_input, lookups, now).await {
            Ok(_) => return Err("the wrong input is accepted".to_owned()),
            // Nothing was refused: a check could not be made.
            Err(found) if found.iter().any(|problem| problem.problem == UNDECIDED) => return Err(words(&found)),
            Err(found) => {
                if let Some((_, message)) = differs(case, &found) {
                    return Err(message);
                }
            }
        }
        let Some(correct) = &case.correct_input else { return Ok(()) };
        match self.admitted(tool, &case.operation, correct, lookups, now).await {
            Ok(_) => Ok(()),
            Err(found) => Err(format!("the correct input is refused: {}", words(&found))),
        }
    }

    /// Every check of the command, over an input.
    async fn admitted(
        &self,
        tool: &Tool,
        operation: &str,
        input: &Value,
        lookups: Option<&Value>,
        now: Timestamp,
    ) -> Result<Value, Vec<FieldProblem>> {
        let checked = tool.check_arguments(input.clone())?;
        let Some(admission) = self.admissions.get(operation) else { return Ok(checked.args) };
        let cx = context(now);
        let world = CheckContext { cx: &cx, lookup: &Stated(lookups), sandbox: self.sandbox.as_deref() };
        match admission.admit(world, &tool.input, checked.args).await {
            Ok(checked) => Ok(checked.args),
            Err(CheckError::Arguments(found)) => Err(found),
            Err(CheckError::Undecided(error)) => Err(vec![FieldProblem {
                problem: UNDECIDED.to_owned(),
                expected: error.internal.map(|internal| internal.for_staff()).unwrap_or_default(),
                suggestion: Some("state under `lookups` what the read commands answer".to_owned()),
                ..FieldProblem::default()
            }]),
        }
    }

    async fn edge(&self, case: &EdgeCase, input: &EdgeInput) -> Result<(), String> {
        let now = case.now.unwrap_or(NOW);
        let one = || input.arguments.clone().unwrap_or_else(|| vec![input.input.clone()]);
        let got = match case.subject() {
            Some(Subject::Helper(id)) => self.helper(id, &one(), now).await,
            Some(Subject::Extraction(named)) => {
                let found =
                    named.split_once('.').and_then(|(group, name)| self.pack.field_mappings.get(group)?.get(name));
                match found.and_then(|mapping| mapping.helper()) {
                    Some(helper) => self.helper(helper, &one(), now).await,
                    None => Err(format!("`{named}` has no extraction")),
                }
            }
            Some(Subject::Processor(id)) => {
                let ran = self.processors.run(id, input.input.clone(), self.process_context(now)).await;
                ran.map_err(|error| error.to_string())
            }
            Some(Subject::Expression(text)) => Expression::parse(text)
                .and_then(|expression| expression.value(&input.input))
                .map_err(|error| error.to_string()),
            Some(Subject::Detection) => match self.processors.formats().detect(&input.input) {
                Ok(None) => Ok(Value::Null),
                // Stated as the format's name, or as an object with the payload beside it.
                Ok(Some(found)) if input.expected.is_object() => {
                    Ok(json!({"format": found.format, "payload": found.payload}))
                }
                Ok(Some(found)) => Ok(Value::from(found.format)),
                Err(error) => Err(error.to_string()),
            },
            None => Err("the case is about nothing".to_owned()),
        };
        match (&input.error, got) {
            (Some(expected), Err(error)) if error.contains(expected) => Ok(()),
            (Some(expected), Err(error)) => Err(format!("it fails with `{error}`, not with `{expected}`")),
            (Some(expected), Ok(value)) => Err(format!("it gives {value}, and should fail with `{expected}`")),
            (None, got) => held(got, &input.expected, input.partial),
        }
    }

    async fn helper(&self, id: &str, arguments: &[Value], now: Timestamp) -> Result<Value, String> {
        let call = Call { now_ms: now.as_millisecond(), ..Call::new(id, arguments) };
        let ran = script::run(self.sandbox.as_deref(), &call).await;
        ran.map_err(|error| error.to_string())
    }

    fn find(&self, operation: &str) -> Result<&Tool, String> {
        let name = operation.replace('-', "_");
        let found = self.tools.iter().find(|tool| tool.spec.name == name);
        found.ok_or_else(|| format!("unknown command `{operation}`"))
    }
}

fn report(sort: Sort, id: String, about: &str, outcome: Result<Option<String>, String>) -> CaseReport {
    let outcome = match outcome {
        Ok(None) => Outcome::Passed,
        Ok(Some(reason)) => Outcome::Partly(reason),
        Err(message) => Outcome::Failed(message),
    };
    CaseReport { sort, id, about: about.to_owned(), place: None, outcome }
}

/// What an edge case is about, in words.
fn about(case: &EdgeCase) -> String {
    match case.subject() {
        Some(Subject::Helper(id)) => format!("helper {id}"),
        Some(Subject::Processor(id)) => format!("processor {id}"),
        Some(Subject::Expression(text)) => text.to_owned(),
        Some(Subject::Detection) => "the format of a payload".to_owned(),
        Some(Subject::Extraction(named)) => format!("field mapping {named}"),
        None => "nothing".to_owned(),
    }
}

/// Whether what came is what was stated.
fn held(got: Result<Value, String>, expected: &Value, partial: bool) -> Result<(), String> {
    let got = got?;
    let fits = if partial { holds(&got, expected) } else { equal(&got, expected) };
    if fits { Ok(()) } else { Err(format!("it gives {got}, and should give {expected}")) }
}

/// Whether all that is stated is there; objects may have more.
fn holds(got: &Value, expected: &Value) -> bool {
    match (got, expected) {
        (Value::Object(got), Value::Object(expected)) => {
            expected.iter().all(|(name, value)| got.get(name).is_some_and(|got| holds(got, value)))
        }
        (Value::Array(got), Value::Array(expected)) => {
            got.len() == expected.len() && got.iter().zip(expected).all(|(got, expected)| holds(got, expected))
        }
        (got, expected) => equal(got, expected),
    }
}

/// A context that belongs to no real caller.
fn context(now: Timestamp) -> ToolContext {
    let principal =
        Principal { organization: 0, contact: 0, conversation: 0, turn: 0, staff_facing: true, locale: Locale::En };
    let now = now.to_zoned(TimeZone::UTC);
    ToolContext {
        principal,
        key: EffectKey::derive(0, 0, 0, "test", ""),
        args_hash: String::new(),
        now,
        agreed: None,
        told_prices: Vec::new(),
    }
}

//! Every example is a test. What needs no worker and no recording is tested when the pack is loaded: a success satisfies both schemas and
//! the checks of its arguments, a failure is refused for the stated reason.
//!
//! What breaks a schema that it must satisfy is a mistake in the files. What the checks decide otherwise than the example says is an
//! example that does not hold: a failed test, which hides none of the others.

use balcao_tool::{FieldProblem, Tool, validate::Schema};
use serde_json::{Value, json};

use super::Assembly;
use crate::{
    manifest::{FailureCase, Pack, PackKind},
    validate::{ArgumentChecks, Compiler},
};

pub(crate) fn check(compiler: &mut Compiler<'_>, assembly: &Assembly<'_>, tools: &[Tool]) {
    let pack = assembly.pack;
    let find = |operation: &str| Judge::of(assembly, tools, operation);
    for (index, case) in pack.examples.success_cases.iter().enumerate() {
        let at = |field: &str| format!("/tool/examples/success_cases/{index}/{field}");
        // The compiler has already reported a command that is missing or has invalid schemas.
        let Some(judge) = find(&case.operation).filter(|_| whole(compiler, "success_cases", index, &case.operation))
        else {
            continue;
        };
        let what = format!("the input of `{}`", case.id);
        fits(compiler, &judge, &case.input, &at("input"), (&what, "breaks its schema"));
        let found = judge.output(&case.output);
        if !found.is_empty() {
            let message = format!("the output of `{}` breaks its schema: {}", case.id, words(&found));
            compiler.complain(&at("output"), message, None);
        }
    }
    for (index, case) in pack.examples.failure_cases.iter().enumerate() {
        let at = |field: &str| format!("/tool/examples/failure_cases/{index}/{field}");
        let Some(judge) = find(&case.operation).filter(|_| whole(compiler, "failure_cases", index, &case.operation))
        else {
            continue;
        };
        match judge.input(case.wrong_input.clone()) {
            // The command lacks a check that might refuse this input, and the compiler has already reported the broken check.
            _ if compiler.lacks_checks(&case.operation) => {}
            Ok(()) if decided_later(pack, &case.operation) => {}
            Ok(()) => {
                let message = format!("`{}` should be refused, and is accepted", case.id);
                compiler.unheld(&at("wrong_input"), message);
            }
            Err(found) => {
                if let Some((field, message)) = differs(case, &found) {
                    compiler.unheld(&at(field), message);
                }
            }
        }
        if let Some(correct) = &case.correct_input {
            let what = format!("the correct input of `{}`", case.id);
            fits(compiler, &judge, correct, &at("correct_input"), (&what, "is refused"));
        }
    }
    if pack.kind == PackKind::Native && !compiler.source.is_damaged("/tool/type") {
        shown(compiler, pack);
    }
}

/// Whether an example and the contract of its command are there as they were written, so that the one can be held against the other.
fn whole(compiler: &Compiler<'_>, list: &str, index: usize, operation: &str) -> bool {
    let source = compiler.source;
    let command = compiler.pack.commands.iter().position(|command| command.id == operation);
    let damaged =
        |field: &str| command.is_some_and(|place| source.is_damaged(&format!("/tool/commands/{place}/{field}")));
    !source.is_hurt(&format!("/tool/examples/{list}/{index}")) && !damaged("input_schema") && !damaged("output_schema")
}

/// Tells of an input that should pass, and does not: what it is, and what is said where it breaks the schema.
fn fits(compiler: &mut Compiler<'_>, judge: &Judge<'_>, input: &Value, at: &str, (what, breaks): (&str, &str)) {
    let broken = judge.schema().problems(input);
    if !broken.is_empty() {
        compiler.complain(at, format!("{what} {breaks}: {}", words(&broken)), None);
    } else if let Err(found) = judge.input(input.clone()) {
        compiler.unheld(at, format!("{what} is refused: {}", words(&found)));
    }
}

/// What judges the examples of a command.
enum Judge<'a> {
    /// The command itself.
    Tool(&'a Tool),
    /// Only the schemas and checks of the command, because another part of it is broken. The compiler has already reported that part.
    Parts { input: Schema, output: Schema, admission: Option<&'a ArgumentChecks> },
}

impl<'a> Judge<'a> {
    fn of(assembly: &Assembly<'a>, tools: &'a [Tool], operation: &str) -> Option<Self> {
        if let Some(tool) = tools.iter().find(|tool| tool.spec.name == operation.replace('-', "_")) {
            return Some(Self::Tool(tool));
        }
        let command = assembly.pack.commands.iter().find(|command| command.id == operation)?;
        let (input, output) = (Schema::compile(&command.input_schema), Schema::compile(&command.output_schema));
        let admission = assembly.admissions.get(operation).map(AsRef::as_ref);
        Some(Self::Parts { input: input.ok()?, output: output.ok()?, admission })
    }

    fn schema(&self) -> &Schema {
        match self {
            Self::Tool(tool) => &tool.input,
            Self::Parts { input, .. } => input,
        }
    }

    fn input(&self, args: Value) -> Result<(), Vec<FieldProblem>> {
        match self {
            Self::Tool(tool) => tool.check_arguments(args).map(drop),
            Self::Parts { input, admission: Some(admission), .. } => admission.judge(input, args).map(drop),
            Self::Parts { input, admission: None, .. } => match input.problems(&args) {
                found if found.is_empty() => Ok(()),
                found => Err(found),
            },
        }
    }

    fn output(&self, value: &Value) -> Vec<FieldProblem> {
        match self {
            Self::Tool(tool) => tool.output.problems(value),
            Self::Parts { output, .. } => output.problems(value),
        }
    }
}

/// How a refusal differs from what a failure case says of it: the field of the case, and the words.
pub(crate) fn differs(case: &FailureCase, found: &[FieldProblem]) -> Option<(&'static str, String)> {
    let words = said(found);
    if !words.contains(&case.error_message) {
        return Some(("error_message", format!("`{}` is refused for another reason: {words}", case.id)));
    }
    let reference = case.reference.as_ref()?;
    let id = reference.strip_prefix("anti_patterns.").unwrap_or(reference);
    if found.iter().any(|problem| problem.anti_pattern.as_deref() == Some(id)) {
        return None;
    }
    Some(("reference", format!("the refusal of `{}` does not cite `{id}`: {words}", case.id)))
}

/// Checks that read, and helpers, run when the pack is tested.
fn decided_later(pack: &Pack, operation: &str) -> bool {
    pack.validators.iter().any(|validator| {
        let for_it = validator.validates.as_deref() == Some(operation)
            || pack
                .commands
                .iter()
                .any(|command| command.id == operation && command.uses_validators.contains(&validator.id));
        let reads = validator.checks.iter().any(|check| {
            check.helper.is_some()
                || check.enum_from.is_some()
                || check.reference_exists.is_some()
                || check.custom_field_ids_exist.is_some()
        });
        for_it && (reads || validator.file.is_some())
    })
}

/// The text of a refusal, without the values of the call, which the caller wrote.
fn said(found: &[FieldProblem]) -> String {
    let one = |problem: &FieldProblem| {
        let FieldProblem { pointer, problem, expected, suggestion, .. } = problem;
        let suggestion = suggestion.as_ref().map(|suggestion| format!("; {suggestion}")).unwrap_or_default();
        let at = if pointer.is_empty() { String::new() } else { format!("{pointer}: ") };
        format!("{at}{problem}; expected {expected}{suggestion}")
    };
    found.iter().map(one).collect::<Vec<_>>().join("\n")
}

pub(crate) fn words(found: &[FieldProblem]) -> String {
    Value::to_string(&json!(found))
}

/// Commands of this program have an example of each sort.
fn shown(compiler: &mut Compiler<'_>, pack: &Pack) {
    for (index, command) in pack.commands.iter().enumerate() {
        let success = pack.examples.success_cases.iter().any(|case| case.operation == command.id);
        let failure = pack.examples.failure_cases.iter().any(|case| case.operation == command.id);
        for (found, kind) in [(success, "success"), (failure, "failure")] {
            if !found && !compiler.lacks(&format!("{kind}_cases")) {
                let message = format!("the command `{}` has no {kind} example", command.id);
                let suggestion = Some(format!("add one under examples.{kind}_cases"));
                compiler.complain(&format!("/tool/commands/{index}/id"), message, suggestion);
            }
        }
    }
}

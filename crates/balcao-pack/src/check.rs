//! Everything that can be wrong with a pack beyond the shape of its file.

use std::collections::BTreeSet;

use balcao_tool::{Confirm, Tool, ToolHandler, validate::Schema};
use balcao_yaml::{Document, Problem, nearest};
use serde_json::{Value, json};

use crate::{
    load::Handlers,
    manifest::{Command, Examples, Pack},
};

/// Checks a pack and compiles its commands. All problems are reported together.
pub(crate) fn compile(document: &Document, pack: &Pack, handlers: &Handlers) -> Result<Vec<Tool>, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut tools = Vec::new();
    let mut seen = BTreeSet::new();
    for (index, command) in pack.commands.iter().enumerate() {
        let base = format!("/tool/commands/{index}");
        let mut complain = |at: &str, message: String, suggestion: Option<String>| {
            problems.push(document.problem(&format!("{base}/{at}"), message, suggestion));
        };
        if !seen.insert(command.id.clone()) {
            complain("id", format!("the command `{}` is defined twice", command.id), None);
        }
        check_closed(command, &mut complain);
        check_references(pack, command, &mut complain);
        check_said(command, &mut complain);
        let Some(handler) = handlers.get(command.handler.as_str()) else {
            let near = nearest(&command.handler, handlers.keys().map(String::as_str))
                .map(|name| format!("did you mean `{name}`?"));
            complain("handler", format!("there is no native handler `{}`", command.handler), near);
            continue;
        };
        check_arguments(command, handler.as_ref(), &mut complain);
        let spec = command.spec(&pack.id);
        if matches!(spec.confirm, Confirm::Customer | Confirm::Staff) && !handler.confirmable() {
            let suggestion = Some("say `confirm: none` or `confirm: model`, or give the handler a preview".to_owned());
            complain(
                "id",
                format!("`{}` must be confirmed, but its handler cannot say what it would do", command.id),
                suggestion,
            );
        }
        match Tool::new(spec, handler.clone()) {
            Ok(tool) => tools.push(tool),
            Err(reason) => {
                let at = if reason.starts_with("input") { "input_schema" } else { "output_schema" };
                complain(at, reason, Some("a JSON Schema 2020-12 is expected".to_owned()));
            }
        }
    }
    problems.extend(check_examples(document, pack, &tools));
    if problems.is_empty() { Ok(tools) } else { Err(problems) }
}

type Complain<'a> = dyn FnMut(&str, String, Option<String>) + 'a;

/// Input schemas are closed objects (specification part 2).
fn check_closed(command: &Command, complain: &mut Complain<'_>) {
    if command.input_schema.get("type") != Some(&json!("object")) {
        complain(
            "input_schema",
            "the input schema must be an object schema".to_owned(),
            Some("add `type: object`".to_owned()),
        );
    }
    if command.input_schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        let suggestion = Some("add `additionalProperties: false`".to_owned());
        complain("input_schema", "the input schema must be closed".to_owned(), suggestion);
    }
}

/// What must come from the conversation is an argument.
fn check_said(command: &Command, complain: &mut Complain<'_>) {
    let properties = command.input_schema.get("properties").and_then(Value::as_object);
    let known = || properties.into_iter().flat_map(|properties| properties.keys().map(String::as_str));
    for argument in command.said.keys().filter(|argument| !known().any(|name| name == argument.as_str())) {
        let near = nearest(argument, known()).map(|name| format!("did you mean `{name}`?"));
        complain(&format!("said/{argument}"), format!("there is no argument `{argument}`"), near);
    }
}

fn check_references(pack: &Pack, command: &Command, complain: &mut Complain<'_>) {
    if let Some(undo) = &command.undo
        && !pack.commands.iter().any(|other| other.id == *undo)
    {
        let near = nearest(undo, pack.commands.iter().map(|other| other.id.as_str()))
            .map(|name| format!("did you mean `{name}`?"));
        complain("undo", format!("there is no command `{undo}`"), near);
    }
    let ids: Vec<&str> = example_ids(&pack.examples).collect();
    for (index, reference) in command.example_refs.iter().enumerate() {
        if !ids.contains(&reference.as_str()) {
            let near = nearest(reference, ids.iter().copied()).map(|name| format!("did you mean `{name}`?"));
            complain(&format!("example_refs/{index}"), format!("there is no example `{reference}`"), near);
        }
    }
}

/// The Rust arguments and the input schema must speak of the same fields, and demand the same ones.
fn check_arguments(command: &Command, handler: &dyn ToolHandler, complain: &mut Complain<'_>) {
    let rust = handler.args_schema();
    let names = |schema: &Value, key: &str| -> BTreeSet<String> {
        match schema.get(key) {
            Some(Value::Object(map)) => map.keys().cloned().collect(),
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => BTreeSet::new(),
        }
    };
    for key in ["properties", "required"] {
        let (contract, code) = (names(&command.input_schema, key), names(&rust, key));
        let differ: Vec<&String> = contract.symmetric_difference(&code).collect();
        if !differ.is_empty() {
            let message = format!("the input schema and the handler `{}` differ in {key}: {differ:?}", command.handler);
            complain("input_schema", message, Some(format!("the handler has {code:?}")));
        }
    }
}

/// Every example is a test: a success satisfies both schemas, a failure is refused for the stated reason.
fn check_examples(document: &Document, pack: &Pack, tools: &[Tool]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut seen = BTreeSet::new();
    for id in example_ids(&pack.examples) {
        if !seen.insert(id) {
            problems.push(document.problem("/tool/examples", format!("the example `{id}` is defined twice"), None));
        }
    }
    let find = |operation: &str| tools.iter().find(|tool| tool.spec.name == operation.replace('-', "_"));
    let unknown = |operation: &str| {
        let near = nearest(operation, pack.commands.iter().map(|command| command.id.as_str()))
            .map(|name| format!("did you mean `{name}`?"));
        (format!("there is no command `{operation}`"), near)
    };
    let broken = |schema: &Schema, value: &Value| {
        let found = schema.problems(value);
        (!found.is_empty()).then(|| format!("{}", json!(found)))
    };
    for (index, case) in pack.examples.success_cases.iter().enumerate() {
        let at = |field: &str| format!("/tool/examples/success_cases/{index}/{field}");
        let Some(tool) = find(&case.operation) else {
            // A command that did not compile has been reported already.
            if !pack.commands.iter().any(|command| command.id == case.operation) {
                let (message, near) = unknown(&case.operation);
                problems.push(document.problem(&at("operation"), message, near));
            }
            continue;
        };
        for (field, schema, value) in [("input", &tool.input, &case.input), ("output", &tool.output, &case.output)] {
            if let Some(found) = broken(schema, value) {
                problems.push(document.problem(
                    &at(field),
                    format!("the {field} of `{}` breaks its schema: {found}", case.id),
                    None,
                ));
            }
        }
    }
    for (index, case) in pack.examples.failure_cases.iter().enumerate() {
        let at = |field: &str| format!("/tool/examples/failure_cases/{index}/{field}");
        let Some(tool) = find(&case.operation) else {
            if !pack.commands.iter().any(|command| command.id == case.operation) {
                let (message, near) = unknown(&case.operation);
                problems.push(document.problem(&at("operation"), message, near));
            }
            continue;
        };
        match broken(&tool.input, &case.wrong_input) {
            None => problems.push(document.problem(
                &at("wrong_input"),
                format!("`{}` should be refused, and is accepted", case.id),
                None,
            )),
            Some(found) if !found.contains(&case.error_message) => {
                let message = format!("`{}` is refused for another reason: {found}", case.id);
                problems.push(document.problem(&at("error_message"), message, None));
            }
            Some(_) => {}
        }
        if let Some(found) = case.correct_input.as_ref().and_then(|input| broken(&tool.input, input)) {
            problems.push(document.problem(
                &at("correct_input"),
                format!("the correct input of `{}` is refused: {found}", case.id),
                None,
            ));
        }
    }
    for (index, command) in pack.commands.iter().enumerate() {
        let has = |cases: bool| {
            let mut of_success = pack.examples.success_cases.iter().map(|case| &case.operation);
            let mut of_failure = pack.examples.failure_cases.iter().map(|case| &case.operation);
            if cases {
                of_success.any(|operation| *operation == command.id)
            } else {
                of_failure.any(|operation| *operation == command.id)
            }
        };
        for (found, kind) in [(has(true), "success"), (has(false), "failure")] {
            if !found {
                let message = format!("the command `{}` has no {kind} example", command.id);
                problems.push(document.problem(
                    &format!("/tool/commands/{index}/id"),
                    message,
                    Some(format!("add one under examples.{kind}_cases")),
                ));
            }
        }
    }
    problems
}

fn example_ids(examples: &Examples) -> impl Iterator<Item = &str> {
    examples
        .success_cases
        .iter()
        .map(|case| case.id.as_str())
        .chain(examples.failure_cases.iter().map(|case| case.id.as_str()))
}

//! Judging a model's call before anything runs: pure, so that the turn can be replayed.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    Locale, canonical,
    effect::Confirm,
    error::{ErrorCode, FieldProblem, ToolError},
    outcome::CallResult,
    registry::{Toolbox, error_result},
    repair,
    text::ModelText,
    validate::Schema,
};

/// A call that passed every check that needs no I/O.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedCall {
    /// The tool's name: it exists and is offered.
    pub tool: String,
    /// Arguments that satisfy the input schema.
    pub args: Value,
    /// Hash of the canonical arguments.
    pub args_hash: String,
    /// Hash of the contract that they were checked against.
    pub contract_hash: String,
    /// Who has to agree before it runs.
    pub confirm: Confirm,
    /// Whether it may run beside others of its step.
    pub parallel: bool,
    /// What had to be mended in the arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<String>,
}

/// The verdict on one call.
#[derive(Debug, Clone, PartialEq)]
pub enum CallDecision {
    /// It may run.
    Run(PlannedCall),
    /// It may not: this is its answer.
    Answer(CallResult),
}

/// Checks a call as a model wrote it: does the tool exist, can the arguments be read, do they satisfy the schema?
#[must_use]
pub fn validate_call(toolbox: &Toolbox, name: &str, raw_arguments: &str, locale: Locale) -> CallDecision {
    let Some(tool) = toolbox.get(name) else {
        let quoted: String = name.chars().take(64).collect();
        let error = ToolError::new(ErrorCode::UnknownTool, ModelText::new(format!("there is no tool `{quoted}`")))
            .detail("nearest", json!(toolbox.nearest(&quoted)));
        return CallDecision::Answer(error_result(&error, None, locale));
    };
    let read = read(&tool.input, raw_arguments).and_then(|(args, mut repairs)| {
        let checked = tool.check_arguments(args)?;
        repairs.extend(checked.mended);
        Ok((checked.args, repairs))
    });
    let (args, repairs) = match read {
        Ok(read) => read,
        Err(problems) => return CallDecision::Answer(tool.fail(&ToolError::invalid(problems), locale)),
    };
    CallDecision::Run(PlannedCall {
        tool: tool.spec.name.clone(),
        args_hash: canonical::hash(&args),
        confirm: toolbox.confirm_call(tool, &args),
        args,
        contract_hash: tool.contract_hash.clone(),
        parallel: tool.spec.behaviour.parallel(),
        repairs,
    })
}

/// Arguments as a model wrote them, read and mended where that is unambiguous, and what was mended.
///
/// # Errors
/// What is wrong with them: one entry per bad field, or one for text that cannot be read.
pub fn arguments(schema: &Schema, raw: &str) -> Result<(Value, Vec<String>), Vec<FieldProblem>> {
    let (args, repairs) = read(schema, raw)?;
    let problems = schema.problems(&args);
    if problems.is_empty() { Ok((args, repairs)) } else { Err(problems) }
}

/// Arguments as far as they can be read; they may still break the schema.
fn read(schema: &Schema, raw: &str) -> Result<(Value, Vec<String>), Vec<FieldProblem>> {
    let unreadable = |reason| {
        vec![FieldProblem { problem: reason, expected: "one JSON object".to_owned(), ..FieldProblem::default() }]
    };
    let parsed = repair::parse_arguments(raw).map_err(unreadable)?;
    let (mut args, mut repairs) = (parsed.value, parsed.repairs);
    if !schema.is_valid(&args) {
        drop_nulls(&mut args, schema.source());
        repairs.extend(repair::fit_to_schema(&mut args, schema.source()));
    }
    Ok((args, repairs))
}

/// Strict modes of some vendors write `null` for an optional field that is not given: absent says the same.
fn drop_nulls(args: &mut Value, schema: &Value) {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|all| all.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    if let Some(map) = args.as_object_mut() {
        map.retain(|key, value| !value.is_null() || required.contains(&key.as_str()));
    }
}

#[cfg(test)]
#[path = "validate_call_tests.rs"]
mod tests;

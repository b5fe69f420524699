//! The texts about programs: for the model that writes them, and for the person who confirms their changes.

use std::{collections::BTreeMap, fmt::Write};

use balcao_sandbox::HelperError;
use balcao_tool::{
    CallResult, CommandSpec, ErrorCode, Locale, Localised, ModelText, ToolContext, ToolError, ToolOutput, ToolResult,
};
use serde_json::{Map, Value, json};

use super::{BEFORE, Callable, ProgramHelpers, calls::ProgramLog, mistake};
use crate::kind::{
    composite::{Ran, Stopped, Why, gathered},
    script::RunError,
};

/// The file that errors of a program name.
pub(super) const FILE: &str = "program";
/// Characters that the lines about what tools give may take.
const MAX_SHAPES: usize = 3_000;

/// The description of the tool that the model reads. Every request with programs carries it, so each word of it counts.
pub(super) fn description(tools: &BTreeMap<String, Callable>, helpers: &ProgramHelpers, max_calls: usize) -> Localised {
    let functions = |words: &str, each: &str| {
        let on_demand = helpers.are_on_demand().then(|| each.to_owned());
        let named: Vec<String> =
            [Some(helpers.signatures()), on_demand].into_iter().flatten().filter(|text| !text.is_empty()).collect();
        if named.is_empty() { String::new() } else { format!(" {words}: {}.", named.join(", ")) }
    };
    let shapes = shapes(tools);
    let gives = |words: &str| if shapes.is_empty() { String::new() } else { format!(" {words}:{shapes}") };
    Localised {
        pt_br: format!(
            "Executa seu JavaScript: muitas chamadas, laços ou contas. `code` é o corpo de uma função async: \
             `await tools.<ferramenta>({{…}})`, nomes por inteiro, `return` no fim. Até {max_calls} chamadas; sem rede, arquivos nem \
             timers. Recusa lança erro com `code` e `details`; confirmação é pedida antes.{}{}",
            functions("Funções sem `tools.`", "e cada Helper"),
            gives("Ferramentas e o que devolvem"),
        ),
        en: format!(
            "Runs your JavaScript: many calls, loops or sums. `code` is the body of an async function: `await tools.<tool>({{…}})`, \
             names in full, `return` at the end. At most {max_calls} calls; no network, files or timers. A refused call throws an error \
             with `code` and `details`; confirmation is asked for first.{}{}",
            functions("Functions without `tools.`", "and each Helper"),
            gives("Tools and what they give"),
        ),
    }
}

/// The name of a tool, and the fields of what it gives.
#[must_use]
pub fn shape(tool: &CommandSpec) -> String {
    let fields = tool.output_schema.get("properties").and_then(Value::as_object);
    let fields: Vec<&str> = fields.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    if fields.is_empty() { tool.name.clone() } else { format!("{} → {}", tool.name, fields.join(", ")) }
}

/// A line for each tool whose contract is always in view, as many as fit.
fn shapes(tools: &BTreeMap<String, Callable>) -> String {
    let mut lines = String::new();
    for one in tools.values().filter(|one| !one.is_on_demand) {
        let line = format!("\n{}", shape(&one.tool.spec));
        if lines.chars().count() + line.chars().count() > MAX_SHAPES {
            lines.push_str("\n…");
            break;
        }
        lines.push_str(&line);
    }
    lines
}

/// What the model does next, where a program failed.
pub(super) fn guidance() -> BTreeMap<ErrorCode, Localised> {
    let mend = Localised {
        pt_br: "Nada foi mudado. Corrija o programa na linha indicada e chame de novo.".to_owned(),
        en: "Nothing was changed. Mend the program at the line that is named and call again.".to_owned(),
    };
    BTreeMap::from([(ErrorCode::InvalidArguments, mend)])
}

/// What is asked before a program changes anything: all changes, with all values.
pub(super) fn question(log: &ProgramLog, more: bool, cx: &ToolContext) -> String {
    let locale = cx.principal.locale;
    let mut text = match locale {
        Locale::PtBr => format!("O programa vai fazer {} mudança(s):", log.would.len()),
        Locale::En => format!("The program is going to make {} change(s):", log.would.len()),
    };
    for (place, one) in log.would.iter().enumerate() {
        let _infallible = write!(text, "\n{}. {}: {} {}", place + 1, one.does, one.name, one.args);
    }
    if more {
        text.push_str(match locale {
            Locale::PtBr => {
                "\nDepois disso, o que ele fizer depende das respostas; o que precisar de confirmação não será feito."
            }
            Locale::En => "\nWhat it does after that depends on the answers; whatever must be agreed to is not done.",
        });
    }
    text
}

/// What a rehearsal that was asked for tells.
pub(super) fn rehearsal(
    outcome: Result<Ran, Stopped>,
    log: &ProgramLog,
    code: &str,
    tools: &BTreeMap<String, Callable>,
) -> ToolResult<ToolOutput> {
    let ran = match outcome {
        Ok(ran) => ran,
        Err(stopped) => return failure(stopped, log, code, tools),
    };
    let mut told = Map::from_iter([
        ("dry_run".to_owned(), json!(true)),
        ("would_change".to_owned(), would(log)),
        ("calls".to_owned(), calls(log)),
    ]);
    if ran.peeked {
        told.insert("and_then".to_owned(), json!("it depends on what these changes answer"));
    } else if log.would.is_empty() {
        told.insert("result".to_owned(), ran.value);
    }
    Ok(ToolOutput::success(told.into()))
}

/// What was agreed to is not what would be done by now.
pub(super) fn changed_meanwhile(log: &ProgramLog) -> ToolOutput {
    ToolOutput::refusal(json!({
        "done": false,
        "reason": "by now the program would do something else than what was agreed to, so nothing was done; ask again",
        "would_change": would(log),
    }))
}

/// The result of a program.
pub(super) fn outcome(
    outcome: Result<Ran, Stopped>,
    log: &ProgramLog,
    code: &str,
    tools: &BTreeMap<String, Callable>,
) -> ToolResult<ToolOutput> {
    let ran = match outcome {
        Ok(ran) => ran,
        Err(stopped) => return failure(stopped, log, code, tools),
    };
    let told = if ran.value.is_null() {
        json!({"result": null, "calls": calls(log), "note": "the program returned nothing; end it with `return`"})
    } else {
        json!({"result": ran.value, "calls": calls(log)})
    };
    Ok(gathered(ToolOutput::success(told), ran.results))
}

fn would(log: &ProgramLog) -> Value {
    log.would.iter().map(|one| json!({"tool": one.name, "arguments": one.args})).collect()
}

/// The calls in short, equal ones behind one another counted.
fn calls(log: &ProgramLog) -> Value {
    let mut told: Vec<(String, usize)> = Vec::new();
    for (name, ended) in &log.calls {
        let line = format!("{name}: {ended}");
        match told.last_mut() {
            Some((last, times)) if *last == line => *times += 1,
            _ => told.push((line, 1)),
        }
    }
    let line = |(line, times): (String, usize)| if times > 1 { format!("{line} ({times} times)") } else { line };
    told.into_iter().map(line).collect()
}

/// The result of a program that did not reach its end. If the program had already changed something, the result says that the change is
/// done.
fn failure(
    stopped: Stopped,
    log: &ProgramLog,
    code: &str,
    tools: &BTreeMap<String, Callable>,
) -> ToolResult<ToolOutput> {
    if matches!(stopped.why, Why::Unknown) {
        return Err(Box::new(stopped.error.detail("done_before", json!(stopped.changed)).uncertain()));
    }
    let error = tool_error(stopped.error, &stopped.why, code, tools);
    if stopped.changed.is_empty() {
        return Err(Box::new(error.detail("calls", calls(log))));
    }
    let words = error.fields.first().map_or_else(|| error.text.as_str().to_owned(), |field| field.problem.clone());
    let mut stop =
        Map::from_iter([("error".to_owned(), json!(words)), ("code".to_owned(), json!(error.code.as_str()))]);
    if !error.details.is_empty() {
        stop.insert("details".to_owned(), Value::Object(error.details));
    }
    let note = "what was changed before it stopped stays changed; go on from there, and do not repeat it";
    let told = json!({"stopped": stop, "changed": stopped.changed, "calls": calls(log), "note": note});
    Ok(gathered(ToolOutput::success(told), stopped.results))
}

/// The error with its place in the program.
fn tool_error(error: ToolError, why: &Why, code: &str, tools: &BTreeMap<String, Callable>) -> ToolError {
    match why {
        Why::Broke(RunError::Helper(HelperError::Thrown { message, place, .. })) => {
            let at = place.as_ref().filter(|place| place.file == FILE).map(|place| {
                let before = if place.line == 1 { u32::try_from(BEFORE.len()).unwrap_or_default() } else { 0 };
                let column = place.column.saturating_sub(before).max(1);
                // What is missing at the end is missing behind the last line.
                let last = u32::try_from(code.lines().count()).unwrap_or(u32::MAX).max(1);
                format!("line {}, column {column}: ", place.line.min(last))
            });
            mistake(format!("{}{message}", at.unwrap_or_default()), misnamed(code, tools))
        }
        Why::Broke(RunError::Helper(HelperError::Limit { limit, .. })) => {
            mistake(format!("between two calls it broke its {limit}"), None)
        }
        Why::Overstepped(how) => {
            mistake(how.clone(), Some("do less in one program, or list with fewer calls".to_owned()))
        }
        Why::Uncaught(result, trace) => uncaught(result, trace),
        Why::Broke(_) | Why::Unknown => error,
    }
}

/// A call that failed and was not caught, as the program's own failure.
fn uncaught(result: &CallResult, trace: &str) -> ToolError {
    let line = line(trace).map_or_else(String::new, |line| format!("line {line}: "));
    let words = result.value.get("error").and_then(Value::as_str).unwrap_or("the call failed");
    let mut error =
        ToolError::new(result.code.unwrap_or(ErrorCode::Internal), ModelText::new(format!("{line}{words}")));
    if let Some(details) = result.value.get("details").and_then(Value::as_object) {
        error.details.clone_from(details);
    }
    match &result.internal {
        Some(note) => error.internal(balcao_tool::Internal::note(note.clone())),
        None => error,
    }
}

/// The innermost line of the program that a trace of the engine names: the program is the first of its bundle.
fn line(trace: &str) -> Option<u32> {
    let (_, rest) = trace.split_once("helper-0:")?;
    rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}

/// What a program may have meant that calls a tool which is not there.
fn misnamed(code: &str, tools: &BTreeMap<String, Callable>) -> Option<String> {
    let called = code.split("tools.").skip(1).filter_map(|rest| {
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
        rest.get(..end).filter(|name| !name.is_empty())
    });
    let unknown = called.into_iter().find(|name| !tools.contains_key(*name))?;
    let near = balcao_tool::nearest(unknown, tools.keys().map(String::as_str));
    Some(match near.first() {
        Some(near) => format!("there is no tool `{unknown}`; did you mean `{near}`?"),
        None => format!("there is no tool `{unknown}` for programs"),
    })
}

/// Returns whether programs may call a tool. A tool whose arguments must come from the conversation runs only in the turn, which can
/// check that.
#[must_use]
pub fn may_be_called(tool: &balcao_tool::Tool) -> bool {
    !tool.spec.internal && tool.spec.said.is_empty()
}

//! `balcao pack test --live`: the success cases of packs, against the account of the configuration.
//!
//! Only what reads is sent: by its pack's word, and by its method. An answer of today is not the recorded one: what is held against it are
//! the command's own mapping and its output schema, which is what a service that changed would break.

use std::path::PathBuf;

use balcao_tool::{CallResult, Locale, ResultClass, RunMode, ToolError};

use super::{
    folder,
    run::{context, find, struck, tool, trial_packs},
};
use crate::{
    config::Config,
    output::{Failure, indented},
    packs::OwnPack,
};

/// Runs the packs that the paths name, and tells what came of it line by line; true if every case that was sent gave a result.
///
/// # Errors
/// A pack without an account, or one that the configuration does not have.
pub(super) async fn run(paths: &[PathBuf], config: &Config, tell: fn(&str)) -> Result<bool, Failure> {
    let own = trial_packs(config).await?;
    let mut held = true;
    for path in paths {
        let named = folder(path).canonicalize().ok();
        let here = own.all.iter().find(|one| named.is_some() && one.folder.canonicalize().ok() == named);
        let id = here.map_or_else(|| path.display().to_string(), |one| one.pack.id.clone());
        held &= pack(find(&own, &id)?, config, tell).await?;
    }
    Ok(held)
}

async fn pack(own: &OwnPack, config: &Config, tell: fn(&str)) -> Result<bool, Failure> {
    let (mut sent, mut unsent, mut wrong) = (0_usize, 0_usize, Vec::new());
    for case in &own.pack.pack.examples.success_cases {
        let tool = tool(own, &case.operation)?;
        if !tool.is_safe() {
            unsent += 1;
            continue;
        }
        let result = match tool.check_arguments(case.input.clone()) {
            Ok(checked) => tool.execute(&context(tool, &checked.args, None), checked.args, RunMode::Execute).await,
            Err(problems) => tool.fail(&ToolError::invalid(problems), Locale::En),
        };
        sent += 1;
        // A correct "no" is an answer.
        if matches!(result.class, ResultClass::Correction | ResultClass::Fault) {
            wrong.push(struck(config, &format!("  {} ({}): {}", case.id, case.operation, why(&result))));
        }
    }
    let id = &own.pack.id;
    tell(&format!(
        "live {id}: {} of {sent} reads answered; {unsent} cases that change something, or may, were not sent",
        sent - wrong.len()
    ));
    wrong.iter().for_each(|line| tell(&indented(line, 4)));
    Ok(wrong.is_empty())
}

fn why(result: &CallResult) -> String {
    let code = result.code.map_or("failed", balcao_tool::ErrorCode::as_str);
    let words = result.value.get("error").and_then(serde_json::Value::as_str).unwrap_or_default();
    let internal = result.internal.as_ref().map_or_else(String::new, |internal| format!(" ({internal})"));
    format!("{code}: {words}{internal}")
}

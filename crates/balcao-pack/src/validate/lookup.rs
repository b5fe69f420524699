//! What checks read: answers of the pack's own read commands.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use balcao_tool::{CallResult, ResultClass, RunMode, Tool, ToolContext, canonical};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

/// How long an answer may be used again, counted in the time of turns.
const FRESH: SignedDuration = SignedDuration::from_mins(5);
/// Answers that are kept.
const MAX_KEPT: usize = 256;

/// Runs read commands for checks.
#[async_trait]
pub trait Lookup: Send + Sync {
    /// Returns the result of a read command in the context of the call that is being checked.
    async fn read(&self, cx: &ToolContext, command: &str, args: Value) -> CallResult;
}

/// The pack's own read commands, whose answers are kept for a while: apart for every organization and contact.
pub struct OwnCommands {
    tools: BTreeMap<String, Arc<Tool>>,
    kept: Mutex<BTreeMap<String, (Timestamp, CallResult)>>,
}

impl OwnCommands {
    /// These commands, by id.
    #[must_use]
    pub fn new(tools: BTreeMap<String, Arc<Tool>>) -> Self {
        Self { tools, kept: Mutex::default() }
    }

    fn kept(&self, key: &str, now: Timestamp) -> Option<CallResult> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, result) = kept.get(key)?;
        let age = now.duration_since(*since);
        (age >= SignedDuration::ZERO && age < FRESH).then(|| result.clone())
    }

    fn keep(&self, key: String, now: Timestamp, result: &CallResult) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MAX_KEPT {
            kept.retain(|_, (since, _)| now.duration_since(*since).abs() < FRESH);
        }
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert(key, (now, result.clone()));
    }
}

#[async_trait]
impl Lookup for OwnCommands {
    async fn read(&self, cx: &ToolContext, command: &str, args: Value) -> CallResult {
        let Some(tool) = self.tools.get(command) else { return missing(command) };
        let (principal, now) = (cx.principal, cx.now.timestamp());
        let key = format!("{}/{}/{command}/{}", principal.organization, principal.contact, canonical::hash(&args));
        if let Some(result) = self.kept(&key, now) {
            return result;
        }
        let result = match tool.check_arguments(args) {
            Ok(checked) => tool.execute(cx, checked.args, RunMode::Execute).await,
            Err(problems) => tool.fail(&balcao_tool::ToolError::invalid(problems), principal.locale),
        };
        // What is not there now may be there in a moment: only what was found is kept.
        if result.class == ResultClass::Success {
            self.keep(key, now, &result);
        }
        result
    }
}

/// The loader has seen to it that checks name commands that are there.
pub(crate) fn missing(command: &str) -> CallResult {
    let note = balcao_tool::Internal::note(format!("a check reads `{command}`, which cannot be run here"));
    let error =
        balcao_tool::ToolError::new(balcao_tool::ErrorCode::Unavailable, "a check could not be made").internal(note);
    balcao_tool::registry::error_result(&error, None, balcao_tool::Locale::En)
}

//! The contact wants no more messages: confirmed once, then nothing is sent that was not asked for.

use super::{Decision, Guard, GuardEffect};
use crate::notice::notices;

pub(super) fn check(guard: &Guard<'_>) -> Result<Decision, String> {
    if !guard.profile.guardrails.opt_out || !balcao_language::intents_rules::opt_out(guard.text) {
        return Ok(Decision::Pass);
    }
    if guard.input.opted_out {
        return Ok(Decision::Silence(Vec::new()));
    }
    Ok(Decision::Reply(notices(guard.profile.language).opted_out.clone(), vec![GuardEffect::OptOut]))
}

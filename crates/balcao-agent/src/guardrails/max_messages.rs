//! The AI has said enough for one day: a person takes over.

use super::{Decision, Guard};
use crate::handoff::HandoffReason;

pub(super) fn check(guard: &Guard<'_>) -> Result<Decision, String> {
    let most = guard.profile.guardrails.max_messages_per_day;
    let reached = most > 0 && guard.input.ai_messages_today >= most;
    Ok(if reached {
        Decision::Handoff(HandoffReason::Guardrail("max_messages".to_owned()), None, Vec::new())
    } else {
        Decision::Pass
    })
}

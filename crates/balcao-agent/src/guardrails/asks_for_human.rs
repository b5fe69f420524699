//! The customer asks for a person: by rule, in every state, without the model.

use super::{Decision, Guard};
use crate::handoff::HandoffReason;

pub(super) fn check(guard: &Guard<'_>) -> Result<Decision, String> {
    let asks = guard.profile.guardrails.asks_for_human && balcao_language::intents_rules::asks_for_human(guard.text);
    Ok(if asks { Decision::Handoff(HandoffReason::AskedForHuman, None, Vec::new()) } else { Decision::Pass })
}

//! Something that staff want to handle: tagged, noted, reported to staff, perhaps handed over.

use super::{Decision, Guard, GuardEffect};
use crate::handoff::HandoffReason;

pub(super) fn check(guard: &Guard<'_>) -> Result<Decision, String> {
    for lead in &guard.profile.guardrails.hot_leads {
        let pattern =
            lead.patterns.iter().find(|pattern| balcao_language::intents_rules::contains_word(guard.text, pattern));
        let stage = lead.stage.as_ref().filter(|stage| guard.input.stages.contains(stage));
        let Some(why) = pattern.or(stage) else { continue };
        let mut effects: Vec<GuardEffect> =
            lead.tag.iter().map(|name| GuardEffect::Tag { name: name.clone() }).collect();
        effects.push(GuardEffect::Note {
            text: format!("hot lead ({why}): {}", guard.text.chars().take(200).collect::<String>()),
        });
        effects.push(GuardEffect::HotLead { why: why.clone() });
        return Ok(if lead.handoff {
            Decision::Handoff(HandoffReason::Guardrail(format!("hot_lead ({why})")), None, effects)
        } else {
            Decision::Note(effects)
        });
    }
    Ok(Decision::Pass)
}

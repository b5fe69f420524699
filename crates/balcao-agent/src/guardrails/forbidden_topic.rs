//! Topics that the profile does not discuss: a fixed reply, perhaps a person. What the customer forwarded counts, because the model would
//! discuss that, too. A message of ours that they answer does not.

use super::{Decision, Guard};
use crate::handoff::HandoffReason;

pub(super) fn check(guard: &Guard<'_>) -> Result<Decision, String> {
    let topics = &guard.profile.guardrails.forbidden_topics;
    let hit = topics.iter().find_map(|topic| {
        let pattern = topic
            .patterns
            .iter()
            .find(|pattern| balcao_language::intents_rules::contains_word(guard.with_forwarded, pattern))?;
        Some((topic, pattern))
    });
    Ok(match hit {
        None => Decision::Pass,
        Some((topic, pattern)) if topic.handoff => {
            let reason = HandoffReason::Guardrail(format!("forbidden_topic ({pattern})"));
            Decision::Handoff(reason, Some(topic.reply.clone()), Vec::new())
        }
        Some((topic, _)) => Decision::Reply(topic.reply.clone(), Vec::new()),
    })
}

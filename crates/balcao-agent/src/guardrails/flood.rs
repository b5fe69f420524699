//! Too many messages a minute: slowed down once, then silence with a note, until the contact has calmed down.

use super::{Decision, Guard, GuardEffect, SlowedDown};
use crate::notice::notices;

pub(super) fn check(guard: &Guard<'_>) -> Result<Decision, String> {
    let most = guard.profile.guardrails.flood_per_minute;
    let sent = guard.input.messages_last_minute;
    if most == 0 || sent <= most {
        return Ok(Decision::Pass);
    }
    Ok(match guard.input.slowed_down {
        SlowedDown::No => Decision::Reply(notices(guard.profile.language).slow_down.clone(), Vec::new()),
        SlowedDown::JustNow => {
            let text = format!("flood: {sent} messages within a minute");
            Decision::Silence(vec![GuardEffect::Note { text }])
        }
        SlowedDown::Before => Decision::Silence(Vec::new()),
    })
}

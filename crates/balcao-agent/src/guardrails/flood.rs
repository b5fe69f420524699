//! Too many messages a minute: slowed down once, then silence with a note to staff.

use super::{Decision, Guard, GuardEffect};
use crate::notice::notices;

pub(super) fn check(guard: &Guard<'_>) -> Result<Decision, String> {
    let most = guard.profile.guardrails.flood_per_minute;
    let sent = guard.input.messages_last_minute;
    if most == 0 || sent <= most {
        return Ok(Decision::Pass);
    }
    if sent == most.saturating_add(1) {
        return Ok(Decision::Reply(notices(guard.profile.language).slow_down.clone(), Vec::new()));
    }
    let text = format!("flood: {sent} messages within a minute");
    // One note is enough: the count passes this value once.
    let notes = if sent == most.saturating_add(2) { vec![GuardEffect::Note { text }] } else { Vec::new() };
    Ok(Decision::Silence(notes))
}

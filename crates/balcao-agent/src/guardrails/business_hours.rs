//! Outside of business hours: go on (the agent knows that it is closed), a fixed message, or silence.

use super::{Decision, Guard};
use crate::profile::OutsideHours;

pub(super) fn check(guard: &Guard<'_>) -> Result<Decision, String> {
    if guard.input.open_now {
        return Ok(Decision::Pass);
    }
    Ok(match &guard.profile.guardrails.outside_hours {
        OutsideHours::Continue => Decision::Pass,
        OutsideHours::Message(text) => Decision::Reply(text.clone(), Vec::new()),
        OutsideHours::Silence => Decision::Silence(Vec::new()),
    })
}

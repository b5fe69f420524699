//! The conversation is with a person: the AI keeps silent, and the message is shown to staff.

use super::{Decision, Guard};

pub(super) fn check(guard: &Guard<'_>) -> Result<Decision, String> {
    Ok(if guard.input.human_has_it { Decision::Silence(Vec::new()) } else { Decision::Pass })
}

//! The contact says yes to a reminder, and nothing else: the visit is confirmed already, and a fixed text says so. No model is asked.

use super::{Decision, Guard};

pub(super) fn check(guard: &Guard<'_>) -> Result<Decision, String> {
    let confirmed = guard.input.visit_confirmed.clone();
    Ok(confirmed.map_or(Decision::Pass, |text| Decision::Reply(text, Vec::new())))
}

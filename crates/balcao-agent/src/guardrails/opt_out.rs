//! The contact wants no more messages: confirmed once, then nothing is sent that was not asked for, until they want them again.

use super::{Decision, Guard, GuardEffect};
use crate::notice::notices;

pub(super) fn check(guard: &Guard<'_>) -> Result<Decision, String> {
    if !guard.profile.guardrails.opt_out {
        return Ok(Decision::Pass);
    }
    let notices = notices(guard.profile.language);
    if guard.input.opted_out && balcao_language::opt_in(guard.text) {
        return Ok(Decision::Reply(notices.opted_in.clone(), vec![GuardEffect::OptIn]));
    }
    if !balcao_language::opt_out(guard.text) {
        return Ok(Decision::Pass);
    }
    if guard.input.opted_out {
        return Ok(Decision::Silence(Vec::new()));
    }
    Ok(Decision::Reply(notices.opted_out.clone(), vec![GuardEffect::OptOut]))
}

//! The day's budget is used up: a person takes over, with the reason.

use super::{DaySpent, Decision, Guard};
use crate::{handoff::HandoffReason, profile::DayBudget};

pub(super) fn check(guard: &Guard<'_>) -> Result<Decision, String> {
    let budgets = &guard.profile.budgets;
    let reached = exhausted(&budgets.conversation_day, &guard.input.conversation_today)
        .map(|what| format!("conversation_day.{what}"))
        .or_else(|| {
            exhausted(&budgets.organization_day, &guard.input.organization_today)
                .map(|what| format!("organization_day.{what}"))
        })
        .or_else(|| guard.input.exhausted.clone());
    Ok(match reached {
        Some(name) => Decision::Handoff(HandoffReason::Budget(name), None, Vec::new()),
        None => Decision::Pass,
    })
}

fn exhausted(budget: &DayBudget, spent: &DaySpent) -> Option<&'static str> {
    let rows = [
        ("model_calls", budget.model_calls, spent.model_calls),
        ("tool_calls", budget.tool_calls, spent.tool_calls),
        ("tokens", budget.tokens, spent.tokens),
        ("cost", budget.cost_micro_usd, spent.cost_micro_usd),
    ];
    rows.into_iter().find(|(_, most, used)| most.is_some_and(|most| *used >= most)).map(|(name, _, _)| name)
}

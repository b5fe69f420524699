//! Circuit breaker: ends a turn with a handoff before the customer pays for our faults.
//!
//! Counts consecutive failures: three in all end the turn, two of one tool withdraw that tool for the rest of the session. A
//! success clears the overall count and its own tool's. Refusals ("slot taken") are answers and never count; corrections
//! have a budget of their own in the turn. With [`Counting::AllErrors`] every result that has an `error` counts.
//!
//! Invariants: the verdict depends on the tally and the rules alone, never on the model; the tally is saved with the
//! conversation and outlives the turn. Not here: retrying one call (`llm::retry`), the customer's words (`locales/`).

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use balcao_tool::{CallResult, ResultClass};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::limits;

/// Which results count as failures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counting {
    /// Faults only.
    #[default]
    Faults,
    /// Every result with an `error`.
    AllErrors,
}

/// Thresholds, from the profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BreakerRules {
    /// Consecutive failures in all that open the breaker.
    pub overall: u32,
    /// Consecutive failures of one tool that withdraw it.
    pub same_tool: u32,
    /// What counts.
    pub count: Counting,
    /// Idle hours after which everything is forgotten.
    pub reset_after_hours: u32,
}

impl Default for BreakerRules {
    fn default() -> Self {
        Self {
            overall: limits::BREAKER_OVERALL,
            same_tool: limits::BREAKER_SAME_TOOL,
            count: Counting::Faults,
            reset_after_hours: limits::BREAKER_RESET_HOURS,
        }
    }
}

/// What follows from a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Go on.
    Continue,
    /// Go on without the tool that just failed.
    Withdrawn,
    /// End the turn with a handoff.
    Open,
}

/// The tally of one conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Breaker {
    failures: u32,
    per_tool: BTreeMap<String, u32>,
    withdrawn: BTreeSet<String>,
    last_success_at: Option<Timestamp>,
    last_result_at: Option<Timestamp>,
}

impl Breaker {
    /// Forgets everything after long idleness; call it when a turn begins.
    pub fn wake(&mut self, rules: &BreakerRules, now: Timestamp) {
        let idle = Duration::from_secs(u64::from(rules.reset_after_hours) * 3600);
        if let Some(last) = self.last_result_at
            && now.duration_since(last).unsigned_abs() >= idle
        {
            *self = Self::default();
        }
    }

    /// Forgets everything: the handoff was resolved.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// Counts one result.
    pub fn record(&mut self, rules: &BreakerRules, tool: &str, result: &CallResult, now: Timestamp) -> Verdict {
        let failed = match rules.count {
            Counting::Faults => result.class == ResultClass::Fault,
            Counting::AllErrors => result.is_error() && result.confirm.is_none(),
        };
        self.last_result_at = Some(now);
        if result.class == ResultClass::Success {
            self.failures = 0;
            self.per_tool.remove(tool);
            self.last_success_at = Some(now);
            return Verdict::Continue;
        }
        if !failed {
            return Verdict::Continue;
        }
        self.failures = self.failures.saturating_add(1);
        let own = self.per_tool.entry(tool.to_owned()).or_default();
        *own = own.saturating_add(1);
        let withdraw = *own >= rules.same_tool && self.withdrawn.insert(tool.to_owned());
        if self.failures >= rules.overall {
            Verdict::Open
        } else if withdraw {
            Verdict::Withdrawn
        } else {
            Verdict::Continue
        }
    }

    /// Whether a tool is withdrawn.
    #[must_use]
    pub fn is_withdrawn(&self, tool: &str) -> bool {
        self.withdrawn.contains(tool)
    }

    /// The withdrawn tools.
    pub fn withdrawn(&self) -> impl Iterator<Item = &str> {
        self.withdrawn.iter().map(String::as_str)
    }

    /// Consecutive failures in all.
    #[must_use]
    pub const fn failures(&self) -> u32 {
        self.failures
    }

    /// When a tool last succeeded in this conversation.
    #[must_use]
    pub const fn last_success_at(&self) -> Option<Timestamp> {
        self.last_success_at
    }
}

#[cfg(test)]
#[path = "breaker_tests.rs"]
mod tests;

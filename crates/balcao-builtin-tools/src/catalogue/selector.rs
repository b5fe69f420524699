//! Which contracts of own packs a turn shows: those that its messages fit, and those that earlier turns called.
//!
//! The search is asked here; what is shown of its hits is decided by [`interleave`] and [`fill`], which are pure.

use std::{collections::BTreeSet, fmt, sync::Arc};

use async_trait::async_trait;
use balcao_app::turns::{SelectedTool, SelectionReason, ToolSelection, ToolSelectionRequest, ToolSelector};

use balcao_language::bilingual_tokens;
use balcao_pack::program::{RUN_PROGRAM, shape};
use balcao_pack::resolve::{Knowledge, Piece, Sort, Tokens};
use balcao_search::fuse;
use balcao_tool::Toolbox;

use super::{contracts::Contracts, finder::Finder};

/// Tools that the search for one message looks at, and those that it gives at most.
const LOOKED_AT: usize = 30;
const FOUND: usize = 8;
/// Earlier messages that are searched for, the latest ones.
const EARLIER_MESSAGES: usize = 2;
/// Contracts may take this share of the budget; guidance has the rest.
const FOR_CONTRACTS: (usize, usize) = (9, 10);

/// Selects among the tools of own packs.
pub(super) struct PackToolSelector {
    pub(super) finder: Arc<Finder>,
    /// All tools of the profile.
    pub(super) toolbox: Toolbox,
    /// The tools that are shown on demand.
    pub(super) contracts: Contracts,
    pub(super) packs: Vec<Knowledge>,
    /// Tokens of a selection.
    pub(super) budget: usize,
    pub(super) tokens: Arc<dyn Tokens>,
}

impl fmt::Debug for PackToolSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PackToolSelector").field("budget", &self.budget).finish_non_exhaustive()
    }
}

#[async_trait]
impl ToolSelector for PackToolSelector {
    async fn select(&self, request: &ToolSelectionRequest) -> ToolSelection {
        let now = self.found(&request.message).await;
        let called = request.earlier_calls.iter().filter(|name| self.contracts.contains(name)).cloned();
        let mut earlier = Vec::new();
        for message in request.earlier_messages.iter().take(EARLIER_MESSAGES) {
            earlier.extend(self.found(message).await);
        }
        let candidates = interleave([
            (SelectionReason::Message, now),
            (SelectionReason::EarlierCall, called.collect()),
            (SelectionReason::EarlierMessage, earlier),
        ]);
        let candidates = candidates.into_iter().filter_map(|tool| self.candidate(tool, request)).collect();
        fill(candidates, self.budget)
    }
}

impl PackToolSelector {
    /// The tools that a message fits, the best first: by the search, and by how much of what a tool says that it does is in the message.
    /// The search alone prefers tools with little beside that, such as few arguments.
    async fn found(&self, message: &str) -> Vec<String> {
        let words: BTreeSet<String> = bilingual_tokens(message).into_iter().collect();
        let found = self.finder.find(message, LOOKED_AT).await;
        let found: Vec<(&String, f64)> = found
            .into_iter()
            .filter(|entry| self.contracts.contains(&entry.id))
            .map(|entry| (&entry.id, self.contracts.covered_by(&entry.id, &words)))
            .collect();
        let at = |place: u32| usize::try_from(place).ok().and_then(|place| found.get(place));
        let covered = |place: u32| at(place).map_or(0.0, |(_, covered)| *covered);
        let by_search: Vec<u32> = (0..).take(found.len()).collect();
        let mut by_cover = by_search.clone();
        by_cover.sort_by(|a, b| covered(*b).total_cmp(&covered(*a)));
        // What a tool says that it does counts twice: its arguments and the rest of its description count in the search.
        let fused = fuse(&[&by_search, &by_cover, &by_cover]);
        fused.into_iter().filter_map(|(place, _)| Some(at(place)?.0.clone())).take(FOUND).collect()
    }

    /// A tool with what its contract takes and what its pack knows of its use.
    fn candidate(&self, tool: SelectedTool, request: &ToolSelectionRequest) -> Option<Candidate> {
        let contract = self.contracts.tokens(&tool.name)?;
        let known = self.toolbox.get(&tool.name)?;
        let pack = self.packs.iter().find(|pack| pack.pack() == known.spec.pack)?;
        let mut guidance = pack.guidance(&known.command, &request.message, request.locale, self.tokens.as_ref());
        let has_programs = self.toolbox.get(RUN_PROGRAM).is_some();
        // Nothing but a program can call a helper.
        guidance.retain(|piece| has_programs || piece.sort != Sort::Helper);
        // A program cannot look at what a call gave before it goes on.
        if has_programs {
            let text = shape(&known.spec);
            let tokens = self.tokens.count(&text);
            guidance.insert(0, Piece { sort: Sort::Contract, id: tool.name.clone(), value: 0, tokens, text });
        }
        Some(Candidate { tool, contract, guidance })
    }
}

/// A tool that may be shown.
struct Candidate {
    tool: SelectedTool,
    /// Tokens of its contract.
    contract: usize,
    /// The guidance for its use, the most valuable first.
    guidance: Vec<Piece>,
}

/// The tools of several lists, one of each list in turn, each tool once.
fn interleave<const N: usize>(lists: [(SelectionReason, Vec<String>); N]) -> Vec<SelectedTool> {
    let longest = lists.iter().map(|(_, names)| names.len()).max().unwrap_or_default();
    let mut seen = BTreeSet::new();
    let mut tools = Vec::new();
    for place in 0..longest {
        for (reason, names) in &lists {
            if let Some(name) = names.get(place).filter(|name| seen.insert((*name).clone())) {
                tools.push(SelectedTool { name: name.clone(), reason: *reason });
            }
        }
    }
    tools
}

/// Fills the budget: first contracts, the most likely tool first, up to their share; then the guidance for these tools, in the
/// same order, each piece once. What does not fit stays out, and a smaller one behind it may still get in. The first contract is shown
/// even if it alone is larger than its share, as long as it fits the budget.
fn fill(candidates: Vec<Candidate>, budget: usize) -> ToolSelection {
    let (share, of) = FOR_CONTRACTS;
    let for_contracts = budget / of * share;
    let mut tokens = 0;
    let mut shown = Vec::new();
    for candidate in candidates {
        let allowed = if shown.is_empty() { budget } else { for_contracts };
        if tokens + candidate.contract <= allowed {
            tokens += candidate.contract;
            shown.push(candidate);
        }
    }
    let mut told = BTreeSet::new();
    let mut guidance: Vec<&str> = Vec::new();
    for piece in shown.iter().flat_map(|candidate| &candidate.guidance) {
        if tokens + piece.tokens <= budget && told.insert((piece.sort, piece.id.as_str())) {
            tokens += piece.tokens;
            guidance.push(&piece.text);
        }
    }
    let guidance = guidance.join("\n");
    let tools = shown.iter().map(|candidate| candidate.tool.clone()).collect();
    ToolSelection { tools, guidance, tokens, budget }
}

#[cfg(test)]
#[path = "selector_tests.rs"]
mod tests;

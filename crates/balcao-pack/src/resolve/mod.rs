//! Context on demand: selects what a model needs for its next command from all that a pack knows.
//!
//! Every text that a bundle may contain is a [`Piece`] with a value and its tokens. Filling is greedy by value under the budget, and equal
//! questions get equal bundles. So the reason for each piece that got in or stayed out can be explained. The bundle is never larger than
//! the budget.

mod pieces;
mod tokens;

use std::sync::Arc;

use balcao_sandbox::Bundle;
use balcao_tool::Locale;
use serde::Serialize;

use crate::{
    LoadedPack,
    manifest::{Command, Inject, Pack},
};

pub(crate) use pieces::{Shelves, used_by};
pub use tokens::O200k;

/// Counts tokens as some model does.
pub trait Tokens: Send + Sync {
    /// What it counts by. A pack keeps the counts of its texts under this name, so that it is asked once.
    fn vocabulary(&self) -> &'static str;

    /// How many tokens a text takes.
    fn count(&self, text: &str) -> usize;
}

/// What context is wanted for.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The command that is about to be called. Without one, the bundle holds as much of the whole pack as fits, the catalogue first.
    pub command: Option<&'a str>,
    /// What the user wrote: what fits it better comes first.
    pub words: &'a str,
    /// Tokens that the bundle may take.
    pub budget: usize,
    /// The language of descriptions.
    pub locale: Locale,
}

/// What a piece tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// A command's name and one line (level 0).
    Line,
    /// Description and schemas of a command (level 1).
    Contract,
    /// A helper's signature and summary, or its code where the pack says so (levels 1 and 3).
    Helper,
    /// What a validator demands, in words (level 2).
    Rule,
    /// A known wrong use, with the right one (level 2).
    AntiPattern,
    /// A call that works (level 3).
    Example,
    /// A call that is refused, and why (level 3).
    Failure,
}

/// One text that a bundle may contain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Piece {
    /// What it tells.
    pub sort: Sort,
    /// Of what: the id of the command, helper, validator, anti-pattern or example.
    pub id: String,
    /// How much it is worth beside the others.
    pub value: u32,
    /// What it takes, its separator included.
    pub tokens: usize,
    /// The text of the piece.
    pub text: String,
}

/// The pieces that a model receives, and the pieces that did not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Context {
    /// The pieces in the bundle, in the order in which the model reads them.
    pub told: Vec<Piece>,
    /// What stayed out, the most valuable first.
    pub left_out: Vec<Piece>,
    /// The tokens of all pieces in the bundle.
    pub tokens: usize,
    /// What it was allowed to take.
    pub budget: usize,
    /// The smallest budget that gives any piece. If the question names a command, its contract must fit first.
    pub least: usize,
}

impl LoadedPack {
    /// The most valuable things to tell a model within the budget; `None` if the pack has no such command.
    #[must_use]
    pub fn resolve(&self, question: &Question<'_>, tokens: &dyn Tokens) -> Option<Context> {
        let named = |id: &str| self.pack.commands.iter().find(|command| command.id == id);
        let wanted = match question.command {
            Some(id) => Some(named(id)?),
            None => None,
        };
        let shelf = self.shelves.of(&self.pack, &self.helpers, question.locale);
        Some(fill(shelf.pieces(question.words, wanted, tokens), question.budget, wanted.is_some()))
    }

    /// Counts the tokens of the whole pack. This counts every piece, so do not call it for a bundle that needs only a part.
    #[must_use]
    pub fn tokens_of_all(&self, locale: Locale, tokens: &dyn Tokens) -> usize {
        let shelf = self.shelves.of(&self.pack, &self.helpers, locale);
        shelf.tokens_of_all(tokens)
    }
}

/// The knowledge of a pack about its commands, for use after the pack was taken apart.
#[derive(Debug, Clone)]
pub struct Knowledge {
    pack: Arc<Pack>,
    helpers: Bundle,
    shelves: Arc<Shelves>,
}

impl LoadedPack {
    /// What it knows of its commands.
    #[must_use]
    pub fn knowledge(&self) -> Knowledge {
        Knowledge { pack: Arc::clone(&self.pack), helpers: self.helpers.clone(), shelves: Arc::clone(&self.shelves) }
    }
}

impl Knowledge {
    /// The id of the pack.
    #[must_use]
    pub fn pack(&self) -> &str {
        &self.pack.id
    }

    /// The most valuable things to tell of a tool within the budget, apart from its contract; `None` if the pack has no such tool.
    #[must_use]
    pub fn beside_the_contract(
        &self,
        tool: &str,
        budget: usize,
        locale: Locale,
        tokens: &dyn Tokens,
    ) -> Option<Context> {
        let shelf = self.shelves.of(&self.pack, &self.helpers, locale);
        let mut pieces = shelf.pieces("", Some(self.command(tool)?), tokens);
        pieces.retain(|piece| piece.sort != Sort::Contract);
        Some(fill(pieces, budget, false))
    }

    /// How a tool is used rightly: the signatures of its helpers, rules and anti-patterns, the most valuable first. What fits `words` better
    /// is worth more. What a helper is for stands beside the contract that is loaded; here it would take the place of known mistakes.
    #[must_use]
    pub fn guidance(&self, tool: &str, words: &str, locale: Locale, tokens: &dyn Tokens) -> Vec<Piece> {
        let Some(command) = self.command(tool) else { return Vec::new() };
        let shelf = self.shelves.of(&self.pack, &self.helpers, locale);
        let mut pieces = shelf.pieces(words, Some(command), tokens);
        pieces.retain(|piece| matches!(piece.sort, Sort::Helper | Sort::Rule | Sort::AntiPattern));
        for piece in pieces.iter_mut().filter(|piece| piece.sort == Sort::Helper) {
            let helper = self.pack.helpers.iter().find(|helper| helper.id == piece.id);
            let signature = helper.filter(|helper| helper.inject == Inject::Signature);
            if let Some(signature) = signature.and_then(|helper| helper.signature.as_ref()) {
                piece.text = format!("Helper {signature}");
                piece.tokens = tokens.count(&piece.text);
            }
        }
        pieces.sort_by_key(|piece| std::cmp::Reverse(piece.value));
        pieces
    }

    /// The anti-patterns that belong to no command.
    #[must_use]
    pub fn of_the_whole(&self, locale: Locale, tokens: &dyn Tokens) -> Vec<Piece> {
        self.shelves.of(&self.pack, &self.helpers, locale).of_no_command(Sort::AntiPattern, tokens)
    }

    /// Whether the contract of a tool is always in view.
    #[must_use]
    pub fn is_core(&self, tool: &str) -> bool {
        self.command(tool).is_some_and(|command| command.core)
    }

    /// The category of a tool, if it has one.
    #[must_use]
    pub fn category(&self, tool: &str) -> Option<&str> {
        self.command(tool)?.category.as_deref()
    }

    /// The command of the pack whose tool has this name.
    fn command(&self, tool: &str) -> Option<&Command> {
        self.pack.commands.iter().find(|command| command.id.replace('-', "_") == tool)
    }
}

/// Fills the bundle greedily by value; of equal values the smaller piece wins, then the earlier one. If the contract does not fit, the
/// bundle stays empty.
fn fill(candidates: Vec<Piece>, budget: usize, of_command: bool) -> Context {
    let mut ranked: Vec<(usize, Piece)> = candidates.into_iter().enumerate().collect();
    ranked.sort_by(|(place, a), (other, b)| b.value.cmp(&a.value).then(a.tokens.cmp(&b.tokens)).then(place.cmp(other)));
    let contract =
        ranked.iter().find(|(_, piece)| of_command && piece.sort == Sort::Contract).map(|(_, piece)| piece.tokens);
    let least = contract.or_else(|| ranked.iter().map(|(_, piece)| piece.tokens).min()).unwrap_or_default();
    let (mut told, mut left_out, mut tokens) = (Vec::new(), Vec::new(), 0);
    for (place, piece) in ranked {
        if budget >= least && tokens + piece.tokens <= budget {
            tokens += piece.tokens;
            told.push((place, piece));
        } else {
            left_out.push(piece);
        }
    }
    told.sort_by_key(|(place, piece)| (piece.sort, *place));
    Context { told: told.into_iter().map(|(_, piece)| piece).collect(), left_out, tokens, budget, least }
}

impl Context {
    /// What the model reads.
    #[must_use]
    pub fn text(&self) -> String {
        self.told.iter().map(|piece| piece.text.as_str()).collect::<Vec<_>>().join("\n\n")
    }

    /// What got in and what stayed out, with the tokens of each; `whole` is what the whole pack takes ([`LoadedPack::tokens_of_all`]).
    #[must_use]
    pub fn explain(&self, whole: usize) -> String {
        let mut lines = vec![format!("{} of {} tokens; the whole pack takes {whole}", self.tokens, self.budget)];
        if self.told.is_empty() && self.least > 0 {
            lines.push(format!("nothing fits: the least that fits is {} tokens", self.least));
        }
        for (word, pieces) in [("in", &self.told), ("out", &self.left_out)] {
            lines.extend(pieces.iter().map(|piece| {
                let sort = serde_json::to_value(piece.sort).ok();
                let sort = sort.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
                format!("  {word:<4}{:>6} tokens  value {:>4}  {sort:<13} {}", piece.tokens, piece.value, piece.id)
            }));
        }
        lines.join("\n")
    }
}

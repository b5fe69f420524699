//! Numbers of any size as people write them: "1.234,56", "duas mil e trezentas", "três milhões e meio", "3/4", "21º", "35%".
//!
//! The rules, where readers differ:
//! - A comma is the decimal sign, a point or a narrow blank groups by three. "1. 234" are two numbers, "423 0000" too.
//! - Figures that touch letters are no number ("15h30", "A4"), but for `k` and the signs `M`, `G`, `T` behind them.
//! - "E" joins a larger place to a smaller one: "cento e dois" is one number, "dez e quinze" are two.
//! - "Um" and "uma" count as one: only the caller knows whether an article was meant.
//! - A minus that stands apart from its number is a sign only if the text is nothing else: a line may begin with a dash.
//! - "15/12" is a fraction here. Who expects dates asks [`crate::find_dates`] first.
//!
//! Small numbers inside dates and times are read by [`crate::numbers`], which knows no more than they need.

mod cardinal;
mod figures;
mod fraction;
mod ordinal;

use crate::normalize::{Token, TokenKind, is_glued, text_at, tokens};

/// A number found in a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NumberMatch {
    /// Byte offset in the text of its first character.
    pub start: usize,
    /// Byte offset after its last character.
    pub end: usize,
    /// Its value; of a percentage, the number before the sign. Not for money: cents are counted in integers.
    pub value: f64,
}

/// A number in token indices (`to` exclusive).
#[derive(Debug, Clone, Copy)]
struct Read {
    value: f64,
    to: usize,
}

/// A text with its tokens.
struct Page<'a> {
    text: &'a str,
    tokens: Vec<Token>,
}

/// All cardinal numbers and fractions of a text, in its order, without overlaps.
#[must_use]
pub fn find_numbers(text: &str) -> Vec<NumberMatch> {
    scan(text, |page, index| {
        if page.is_ordinal_figure(index) {
            return None;
        }
        fraction::number(page, index)
    })
}

/// All percentages of a text: "35%", "trinta e cinco por cento". The value of "35%" is 35.
#[must_use]
pub fn find_percentages(text: &str) -> Vec<NumberMatch> {
    scan(text, |page, index| {
        let read = fraction::number(page, index).filter(|_| page.before(index) != "%" || !page.glued(index))?;
        let sign = page.text_at(read.to) == "%";
        let next = page.tokens.get(read.to.saturating_add(1));
        let runs_on = next.is_some_and(|next| next.glued && next.kind != TokenKind::Mark);
        if sign && !runs_on {
            return Some(Read { to: read.to.saturating_add(1), ..read });
        }
        let words = page.text_at(read.to) == "por" && page.text_at(read.to.saturating_add(1)) == "cento";
        words.then_some(Read { to: read.to.saturating_add(2), ..read })
    })
}

/// All ordinal numbers of a text: "décimo primeiro", "21º", "2a". "Último" and "próximo" name a place, not a number.
#[must_use]
pub fn find_ordinals(text: &str) -> Vec<NumberMatch> {
    scan(text, ordinal::ordinal)
}

fn scan(text: &str, read: impl Fn(&Page<'_>, usize) -> Option<Read>) -> Vec<NumberMatch> {
    let page = Page { text, tokens: tokens(text) };
    let mut found = Vec::new();
    let mut index = 0;
    while let Some(first) = page.tokens.get(index) {
        let next = index.saturating_add(1);
        let Some(hit) = read(&page, index) else {
            index = next;
            continue;
        };
        let end = page.tokens.get(hit.to.saturating_sub(1)).map_or(first.end, |last| last.end);
        found.push(NumberMatch { start: first.start, end, value: hit.value });
        index = hit.to.max(next);
    }
    found
}

impl Page<'_> {
    fn text_at(&self, index: usize) -> &str {
        text_at(&self.tokens, index)
    }

    fn before(&self, index: usize) -> &str {
        crate::normalize::before(&self.tokens, index, 1)
    }

    fn kind(&self, index: usize) -> Option<TokenKind> {
        self.tokens.get(index).map(|token| token.kind)
    }

    /// True if the token touches the one before it.
    fn glued(&self, index: usize) -> bool {
        is_glued(&self.tokens, index)
    }

    /// The plain digits at `index`. Vulgar fractions are of the same kind and are none.
    fn digits(&self, index: usize) -> Option<&str> {
        let token = self.tokens.get(index).filter(|token| token.kind == TokenKind::Number)?;
        token.text.bytes().all(|byte| byte.is_ascii_digit()).then_some(token.text.as_str())
    }

    /// The token as it was written.
    fn written(&self, index: usize) -> &str {
        self.tokens.get(index).and_then(|token| self.text.get(token.start..token.end)).unwrap_or_default()
    }

    /// "4o", "2ª": figures with the sign of an ordinal.
    fn is_ordinal_figure(&self, index: usize) -> bool {
        let sign = index.saturating_add(1);
        let ends =
            self.tokens.get(index.saturating_add(2)).is_none_or(|next| !next.glued || next.kind == TokenKind::Mark);
        self.digits(index).is_some() && self.glued(sign) && ["o", "a"].contains(&self.text_at(sign)) && ends
    }
}

#[cfg(test)]
#[path = "quantities_tests.rs"]
mod tests;

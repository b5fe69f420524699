//! Whether a message agrees, judged strictly: a destructive call may hang on it.
//!
//! [`Agreement::Yes`] needs the whole message to consist of words of agreement and harmless filler. Anything that is not
//! recognised (a condition, a question mark, a date or time, a name, a "mas") makes it at most [`Agreement::Unclear`]; a
//! negation never gives Yes, and beside a yes it makes the message [`Agreement::Contested`]. [`agreement_about`] also knows what was asked, so that "cancela" does not confirm a booking.

#[rustfmt::skip] // tables of words: one a line would be hundreds of lines
mod words;

use words::{
    BOOKING, CANCELLING, DOUBLE_ENDED, FILLER, LEADS, NO, NO_SIGNS, PERMISSIONS, RESCHEDULING, UNSURE, YES, YES_SIGNS,
};

use crate::fold::{Token, TokenKind, at, phrase_at, tokens};

/// What a message says to a yes/no question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// It agrees and says nothing else.
    Yes,
    /// It declines.
    No,
    /// It says something else, or more, that may still amount to agreement: "é o de quinta mesmo".
    Unclear,
    /// It agrees and declines at once ("deixa, vou sim"), asks back, or wants another deed: nobody may take it for
    /// agreement.
    Contested,
}

/// What the question was about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Booking an appointment.
    Booking,
    /// Cancelling one.
    Cancelling,
    /// Moving one.
    Rescheduling,
    /// Something else, or unknown.
    Other,
}

/// Judges an answer to a question of unknown subject. Prefer [`agreement_about`] where the subject is known: here "pode
/// cancelar" counts as Yes whatever was asked.
#[must_use]
pub fn agreement(text: &str) -> Agreement {
    agreement_about(text, Asked::Other)
}

/// Judges an answer to a question about `asked`. A verb of another kind ("cancela" to "posso marcar?") is not a Yes.
#[must_use]
pub fn agreement_about(text: &str, asked: Asked) -> Agreement {
    let tokens = squeezed(text);
    let mut tally = Tally::default();
    let mut index = 0;
    while index < tokens.len() {
        let step = piece_at(&tokens, index, asked);
        tally.count(step.0);
        index = index.saturating_add(step.1.max(1));
    }
    tally.verdict()
}

/// Which way an answer leans: what its first word of agreement or refusal says, whatever else stands there. `None`: neither.
///
/// For answers that nothing hangs on, such as a field of a form. A confirmation asks [`agreement_about`]: "acho que sim"
/// leans to yes and confirms nothing.
#[must_use]
pub fn leans_to(text: &str) -> Option<bool> {
    let tokens = squeezed(text);
    let mut index = 0;
    while index < tokens.len() {
        let (piece, len) = piece_at(&tokens, index, Asked::Other);
        match piece {
            Piece::Yes => return Some(true),
            Piece::No => return Some(false),
            Piece::Deed | Piece::OtherDeed | Piece::Filler | Piece::Question | Piece::Unknown => {}
        }
        index = index.saturating_add(len.max(1));
    }
    None
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// Agreement by itself.
    Yes,
    /// A verb that agrees if it is the one that was asked about: alone it counts only where the question is known.
    Deed,
    /// A verb of another kind than the one that was asked about.
    OtherDeed,
    /// A refusal.
    No,
    /// Harmless.
    Filler,
    /// A question mark: the message asks back.
    Question,
    /// Anything else.
    Unknown,
}

#[derive(Debug, Default)]
struct Tally {
    first: Option<Piece>,
    yes: bool,
    deed: bool,
    no: bool,
    other: bool,
    /// It asks back, or names another deed than the one that was asked about.
    astray: bool,
}

impl Tally {
    fn count(&mut self, piece: Piece) {
        if piece != Piece::Filler && self.first.is_none() {
            self.first = Some(piece);
        }
        match piece {
            Piece::Yes => self.yes = true,
            Piece::Deed => self.deed = true,
            Piece::No => self.no = true,
            Piece::OtherDeed | Piece::Question => (self.other, self.astray) = (true, true),
            Piece::Unknown => self.other = true,
            Piece::Filler => {}
        }
    }

    fn verdict(&self) -> Agreement {
        let agrees = self.yes || self.deed;
        if self.no {
            // "Não, pode cancelar" contradicts itself: only a refusal without any agreement is a No.
            let declines = !agrees && (self.first == Some(Piece::No) || !self.other);
            return match (declines, agrees) {
                (true, _) => Agreement::No,
                (false, true) => Agreement::Contested,
                (false, false) => Agreement::Unclear,
            };
        }
        match (agrees, self.other) {
            (true, false) => Agreement::Yes,
            (false, _) if self.astray => Agreement::Contested,
            (true, true) | (false, _) => Agreement::Unclear,
        }
    }
}

/// The tokens with stretched words shortened: "siiim" is "sim", "okk" is "ok".
///
/// Three equal letters become one, and so do two at a word's end.
fn squeezed(text: &str) -> Vec<Token> {
    let mut all = tokens(text);
    for token in all.iter_mut().filter(|token| token.kind == TokenKind::Word) {
        if DOUBLE_ENDED.contains(&token.text.as_str()) {
            continue;
        }
        let chars: Vec<char> = token.text.chars().collect();
        let mut short = String::with_capacity(token.text.len());
        let mut done = 0;
        for run in chars.chunk_by(|a, b| a == b) {
            done = run.len().saturating_add(done);
            let kept = if run.len() == 2 && done < chars.len() { 2 } else { 1 };
            short.extend(run.iter().take(kept));
        }
        token.text = short;
    }
    all
}

fn piece_at(tokens: &[Token], index: usize, asked: Asked) -> (Piece, usize) {
    if let Some(len) = phrase_at(tokens, index, UNSURE) {
        return (Piece::Unknown, len);
    }
    if let Some(len) = phrase_at(tokens, index, NO) {
        return (Piece::No, len);
    }
    if let Some((piece, len)) = deed_at(tokens, index, asked) {
        return (piece, len);
    }
    if let Some(len) = phrase_at(tokens, index, YES) {
        return (Piece::Yes, len);
    }
    if let Some(len) = phrase_at(tokens, index, FILLER) {
        return (Piece::Filler, len);
    }
    let text = at(tokens, index);
    let piece = match tokens.get(index).map(|token| token.kind) {
        Some(TokenKind::Mark) if text == "?" => Piece::Question,
        Some(TokenKind::Mark) if YES_SIGNS.contains(&text) => Piece::Yes,
        Some(TokenKind::Mark) if NO_SIGNS.contains(&text) => Piece::No,
        Some(TokenKind::Mark) if UNSURE_SIGNS.contains(&text) => Piece::Unknown,
        Some(TokenKind::Mark) => Piece::Filler,
        _ => Piece::Unknown,
    };
    (piece, 1)
}

/// "Pode marcar", "quero cancelar sim", "marca": the verb and what leads it.
fn deed_at(tokens: &[Token], index: usize, asked: Asked) -> Option<(Piece, usize)> {
    let lead = phrase_at(tokens, index, LEADS).unwrap_or(0);
    let verb = at(tokens, index.saturating_add(lead));
    let kinds = [(Asked::Booking, BOOKING), (Asked::Cancelling, CANCELLING), (Asked::Rescheduling, RESCHEDULING)];
    let kind = kinds.iter().find(|(_, verbs)| verbs.contains(&verb)).map(|(kind, _)| *kind)?;
    let len = lead.saturating_add(1);
    let permitted = lead > 0 && PERMISSIONS.contains(&at(tokens, index));
    let piece = match asked {
        Asked::Other if permitted => Piece::Yes,
        // Alone it may be a new request; beside a "sim" it is part of the answer.
        Asked::Other if lead == 0 && kind == Asked::Booking => Piece::Yes,
        Asked::Other => Piece::Filler,
        _ if kind == asked => Piece::Deed,
        Asked::Booking | Asked::Cancelling | Asked::Rescheduling => Piece::OtherDeed,
    };
    Some((piece, len))
}

const UNSURE_SIGNS: [&str; 16] =
    ["🤔", "😕", "😒", "🤷", "😐", "🙄", "😬", "😭", "😢", "😠", "😡", "🤨", "😅", "/", "%", "$"];

#[cfg(test)]
#[path = "agreement_tests.rs"]
mod tests;

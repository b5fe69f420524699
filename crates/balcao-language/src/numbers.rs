//! Small whole numbers in digits or words, as they stand in dates and times.

use crate::normalize::{Token, TokenKind, text_at};

/// A number found at a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    /// Its value.
    pub value: u32,
    /// The index of the token behind it.
    pub next: usize,
    /// How many digits it was written with; 0 if in words.
    pub digits: usize,
}

/// Reads the number that starts at `index`: digits (up to nine), or words up to 59 ("vinte e um", "fifteen").
///
/// The article "um"/"uma" and the pronoun "one" count as 1: the caller decides whether a number makes sense there.
#[must_use]
pub fn number_at(tokens: &[Token], index: usize) -> Option<Number> {
    let token = tokens.get(index)?;
    let next = index.saturating_add(1);
    match token.kind {
        TokenKind::Number => {
            let value = token.text.parse().ok()?;
            (token.text.len() <= 9).then_some(Number { value, next, digits: token.text.len() })
        }
        TokenKind::Word => {
            let value = word_value(&token.text)?;
            let tens = value >= 20 && value.is_multiple_of(10);
            let and = text_at(tokens, next) == "e";
            let unit = word_value(text_at(tokens, next.saturating_add(usize::from(and))))
                .filter(|unit| tens && (1..10).contains(unit))
                .filter(|_| and || token.text.ends_with("ty"));
            Some(match unit {
                Some(unit) => Number {
                    value: value.saturating_add(unit),
                    next: next.saturating_add(1).saturating_add(usize::from(and)),
                    digits: 0,
                },
                None => Number { value, next, digits: 0 },
            })
        }
        TokenKind::Mark => None,
    }
}

pub(crate) fn word_value(word: &str) -> Option<u32> {
    Some(match word {
        "zero" => 0,
        "um" | "uma" | "one" => 1,
        "dois" | "duas" | "two" => 2,
        "tres" | "three" => 3,
        "quatro" | "four" => 4,
        "cinco" | "five" => 5,
        "seis" | "six" => 6,
        "sete" | "seven" => 7,
        "oito" | "eight" => 8,
        "nove" | "nine" => 9,
        "dez" | "ten" => 10,
        "onze" | "eleven" => 11,
        "doze" | "twelve" => 12,
        "treze" | "thirteen" => 13,
        "quatorze" | "catorze" | "fourteen" => 14,
        "quinze" | "fifteen" => 15,
        "dezesseis" | "sixteen" => 16,
        "dezessete" | "seventeen" => 17,
        "dezoito" | "eighteen" => 18,
        "dezenove" | "nineteen" => 19,
        "vinte" | "twenty" => 20,
        "trinta" | "thirty" => 30,
        "quarenta" | "forty" => 40,
        "cinquenta" | "fifty" => 50,
        _ => return None,
    })
}

/// The ordinal at a word: "primeiro" is 1, "vigesimo segundo" is not read (nobody writes it).
pub(crate) fn ordinal(word: &str) -> Option<u32> {
    Some(match word {
        "primeiro" | "primeira" | "first" => 1,
        "segundo" | "segunda" | "second" => 2,
        "terceiro" | "terceira" | "third" => 3,
        "quarto" | "quarta" | "fourth" => 4,
        "ultimo" | "ultima" | "last" => 5,
        _ => return None,
    })
}

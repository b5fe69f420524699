//! Letters become words, numbers, texts and signs.

use jiff::civil::Date;

use crate::error::{Checked, Problem};
use crate::limits::{MAX_TERMS, MAX_TEXT};
use crate::value::Duration;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token {
    Word(String),
    Whole(i64),
    Fraction(f64),
    Date(Date),
    Duration(Duration),
    Text(String),
    Sign(&'static str),
}

/// A token and the byte where it begins.
pub(crate) type Placed = (usize, Token);

/// Longer signs come before those that they begin with.
const SIGNS: [&str; 16] = ["==", "!=", "<>", "<=", ">=", "<", ">", "=", "|", "(", ")", ",", "+", "-", "*", "/"];

pub(crate) fn tokens(text: &str) -> Checked<Vec<Placed>> {
    if text.chars().count() > MAX_TEXT {
        return Err(Problem::new(0, format!("a question has at most {MAX_TEXT} characters")));
    }
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let at = text.len() - rest.len();
        let Some(first) = rest.chars().next() else { return Ok(found) };
        if found.len() == MAX_TERMS {
            return Err(Problem::new(at, format!("a question has at most {MAX_TERMS} words, values and signs")));
        }
        let (token, after) = match first {
            '"' | '\'' => quoted(at, rest, first)?,
            '0'..='9' => number(at, rest)?,
            _ if first.is_alphabetic() || first == '_' => read_word(rest),
            _ => sign(at, rest, first)?,
        };
        found.push((at, token));
        rest = after;
    }
}

fn split(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

fn read_word(rest: &str) -> (Token, &str) {
    let (word, after) = split(rest, |c| c.is_alphanumeric() || c == '_');
    (Token::Word(word.to_owned()), after)
}

fn quoted(at: usize, rest: &str, quote: char) -> Checked<(Token, &str)> {
    let mut text = String::new();
    let mut letters = rest.char_indices().skip(1);
    while let Some((place, letter)) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some((_, escaped @ ('"' | '\'' | '\\'))) => text.push(escaped),
                _ => return Err(Problem::new(at + place, r#"after `\` comes `"`, `'` or `\`"#)),
            },
            _ if letter == quote => {
                let after = rest.get(place + quote.len_utf8()..).unwrap_or("");
                return Ok((Token::Text(text), after));
            }
            _ => text.push(letter),
        }
    }
    Err(Problem::new(at, "the text does not end").suggest(format!("close it with {quote}")))
}

/// The longest duration, in years.
const MOST_YEARS: i64 = 10_000;

/// `2026-11-24`, `30d`, `3.5`, `12`.
fn number(at: usize, rest: &str) -> Checked<(Token, &str)> {
    if let Some((date, after)) = rest.split_at_checked(10)
        && let Ok(date) = date.parse::<Date>()
    {
        return Ok((Token::Date(date), after));
    }
    let (digits, after) = split(rest, |c| c.is_ascii_digit());
    let too_large = |_| Problem::new(at, "the number is too large");
    let whole: i64 = digits.parse().map_err(too_large)?;
    if let Some(fraction) = after.strip_prefix('.').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
        let (decimals, after) = split(fraction, |c| c.is_ascii_digit());
        let number = format!("{digits}.{decimals}").parse();
        return Ok((
            Token::Fraction(number.map_err(|error| Problem::new(at, format!("not a number: {error}")))?),
            after,
        ));
    }
    let (unit, after_unit) = split(after, char::is_alphanumeric);
    if unit.is_empty() {
        return Ok((Token::Whole(whole), after));
    }
    // How many of the unit a year has at most, and what one of it is.
    let (a_year, months, days, minutes) = match unit {
        "y" => (1, 12, 0, 0),
        "mo" => (12, 1, 0, 0),
        "w" => (53, 0, 7, 0),
        "d" => (366, 0, 1, 0),
        "h" => (366 * 24, 0, 0, 60),
        "min" => (366 * 24 * 60, 0, 0, 1),
        _ => {
            let problem = Problem::new(at, format!("`{digits}{unit}` is no duration"));
            return Err(problem.suggest("units are y, mo, w, d, h and min, as in 30d"));
        }
    };
    if whole > a_year * MOST_YEARS {
        let problem = Problem::new(at, format!("the duration `{digits}{unit}` is too long"));
        return Err(problem.suggest(format!("a duration has at most {MOST_YEARS} years")));
    }
    let of_all = |one: i64| whole * one;
    let duration = Duration { months: of_all(months), days: of_all(days), minutes: of_all(minutes) };
    Ok((Token::Duration(duration), after_unit))
}

fn sign(at: usize, rest: &str, first: char) -> Checked<(Token, &'_ str)> {
    let found = SIGNS.iter().find_map(|sign| Some((*sign, rest.strip_prefix(sign)?)));
    let (sign, after) = found.ok_or_else(|| Problem::new(at, format!("`{first}` means nothing here")))?;
    Ok((Token::Sign(sign), after))
}

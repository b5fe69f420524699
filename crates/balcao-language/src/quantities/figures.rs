//! Numbers in figures: "-1.234,56", "40 000", "1,1^23", "-12e-1", "2,33 k", "10G", "½".

use super::{Page, Read};
use crate::normalize::TokenKind;

/// The number in figures that begins at `index`, its sign included.
pub(super) fn figures(page: &Page<'_>, index: usize) -> Option<Read> {
    let negative = page.text_at(index) == "-" && is_sign(page, index);
    let start = index.saturating_add(usize::from(negative));
    // What touches a word, a figure or their sign from behind is a piece of something else.
    let touches = page.glued(start)
        && !negative
        && index.checked_sub(1).is_some_and(|back| {
            let piece = [".", ",", "/", "^", "%"].contains(&page.text_at(back)) && page.glued(back);
            page.kind(back) != Some(TokenKind::Mark) || piece
        });
    if touches {
        return None;
    }
    let read = vulgar(page, start).or_else(|| decimal(page, start))?;
    let signed = Read { value: if negative { -read.value } else { read.value }, ..read };
    let read = suffix(page, power(page, signed));
    let runs_into_letters = page.glued(read.to) && page.kind(read.to) == Some(TokenKind::Word);
    (!runs_into_letters).then_some(read)
}

/// A minus before figures: touching them and nothing before it, or alone in a text that is nothing but its number.
fn is_sign(page: &Page<'_>, index: usize) -> bool {
    let next = index.saturating_add(1);
    let figures = page.kind(next) == Some(TokenKind::Number) || page.text_at(next) == ",";
    let tight = page.glued(next) && !page.glued(index);
    let alone =
        index == 0 && page.tokens.iter().skip(1).all(|token| token.kind == TokenKind::Number || token.text == "/");
    figures && (tight || alone)
}

/// "½", "2½".
fn vulgar(page: &Page<'_>, index: usize) -> Option<Read> {
    let written = page.written(index);
    let sign = written.chars().last().filter(|last| !last.is_ascii())?;
    let whole = written.strip_suffix(sign)?;
    let whole: f64 = if whole.is_empty() { 0.0 } else { whole.parse().ok()? };
    let part = match sign {
        '½' => 1.0 / 2.0,
        '⅓' => 1.0 / 3.0,
        '⅔' => 2.0 / 3.0,
        '¼' => 1.0 / 4.0,
        '¾' => 3.0 / 4.0,
        '⅕' => 1.0 / 5.0,
        '⅙' => 1.0 / 6.0,
        '⅚' => 5.0 / 6.0,
        '⅛' => 1.0 / 8.0,
        '⅜' => 3.0 / 8.0,
        '⅝' => 5.0 / 8.0,
        '⅞' => 7.0 / 8.0,
        _ => return None,
    };
    Some(Read { value: whole + part, to: index.saturating_add(1) })
}

fn decimal(page: &Page<'_>, index: usize) -> Option<Read> {
    let mut written = String::new();
    let mut to = index;
    if let Some(digits) = page.digits(index) {
        written.push_str(digits);
        to = to.saturating_add(1);
        if digits.len() <= 3 && !digits.starts_with('0') {
            to = groups(page, to, &mut written);
        }
    } else if page.text_at(index) != "," || page.glued(index) && page.before(index) != "-" {
        return None;
    }
    let after = to.saturating_add(1);
    // A comma before a blank ends a clause.
    let part =
        page.digits(after).filter(|_| page.text_at(to) == "," && page.glued(after) && (to == index || page.glued(to)));
    if let Some(part) = part {
        written.push('.');
        written.push_str(part);
        to = after.saturating_add(1);
    }
    let value = if written.is_empty() { None } else { format!("0{written}").parse().ok() };
    Some(Read { value: value?, to })
}

/// Groups of three behind the first: ".234.567", or " 000" after one blank. All are joined in the same way.
fn groups(page: &Page<'_>, from: usize, written: &mut String) -> usize {
    let mut to = from;
    let three = |index: usize| page.digits(index).filter(|digits| digits.len() == 3);
    while let Some(group) = three(to.saturating_add(1))
        .filter(|_| page.text_at(to) == "." && page.glued(to) && page.glued(to.saturating_add(1)))
    {
        written.push_str(group);
        to = to.saturating_add(2);
    }
    if to > from {
        return to;
    }
    while let Some(group) = three(to).filter(|_| one_blank_before(page, to)) {
        written.push_str(group);
        to = to.saturating_add(1);
    }
    to
}

fn one_blank_before(page: &Page<'_>, index: usize) -> bool {
    let end = index.checked_sub(1).and_then(|back| page.tokens.get(back)).map(|token| token.end);
    let start = page.tokens.get(index).map(|token| token.start);
    let gap = end.zip(start).and_then(|(end, start)| page.text.get(end..start)).unwrap_or_default();
    gap.chars().count() == 1 && gap.chars().all(char::is_whitespace)
}

/// "^23", "^-1", "e13", "e-1", each touching what it raises.
fn power(page: &Page<'_>, base: Read) -> Read {
    let mark = page.text_at(base.to);
    if !["^", "e"].contains(&mark) || !page.glued(base.to) {
        return base;
    }
    let mut index = base.to.saturating_add(1);
    let negative = page.text_at(index) == "-";
    if ["-", "+"].contains(&page.text_at(index)) && page.glued(index) {
        index = index.saturating_add(1);
    }
    let exponent = page.digits(index).filter(|_| page.glued(index)).and_then(|digits| digits.parse::<i32>().ok());
    let Some(exponent) = exponent.filter(|exponent| *exponent <= 300) else { return base };
    let exponent = if negative { -exponent } else { exponent };
    let value = if mark == "^" { base.value.powi(exponent) } else { base.value * 10_f64.powi(exponent) };
    Read { value, to: index.saturating_add(1) }
}

/// "k" for a thousand, touching or not; `M`, `G` and `T` only as capitals that touch, for "5 m" are metres.
fn suffix(page: &Page<'_>, read: Read) -> Read {
    let factor = match (page.text_at(read.to), page.written(read.to)) {
        ("k", _) => 1e3,
        (_, "M") if page.glued(read.to) => 1e6,
        (_, "G") if page.glued(read.to) => 1e9,
        (_, "T") if page.glued(read.to) => 1e12,
        _ => return read,
    };
    Read { value: read.value * factor, to: read.to.saturating_add(1) }
}

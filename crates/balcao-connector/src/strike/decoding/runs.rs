//! Reads runs of codes: numbers side by side, each a byte, whatever marks them and whatever stands between them.
//!
//! A bare number is read in each usual base, because only the whole run shows which it was; what a mark says of a number goes for all
//! readings: "x74" and "u0074" are hexadecimal, "&#116" is decimal.

use super::{Decoded, number};

/// Bytes between two numbers: a mark or two, the indentation of a list, and what marks the next number.
const MOST_BETWEEN: usize = 12;
/// Secrets of so many bytes have runs that are easy to find.
const USUAL: usize = 8;
const BASES: [u32; 3] = [16, 10, 8];

/// Adds what the runs of the text spell, in each base, if there may be any; runs of fewer than `least` bytes are part of no secret.
pub(super) fn read_runs(all: &mut Vec<Decoded>, text: &[u8], least: usize) {
    // Each byte takes two digits, and some bytes are spelt by letters alone, but not most of them.
    let mut digits = text.iter().filter(|byte| byte.is_ascii_digit());
    if text.len() < least * 2 || digits.nth((least / 2).saturating_sub(1)).is_none() {
        return;
    }
    let regions = regions(text, least);
    if regions.is_empty() {
        return;
    }
    let mut readings = BASES.map(|base| Reading { base, least, found: Decoded::new(), begin: 0 });
    for (from, to) in regions {
        let mut last = from;
        for (start, end) in words(text, from, to) {
            let word = text.get(start..end).unwrap_or_default();
            if word.iter().all(|byte| is_hex_mark(*byte)) {
                continue;
            }
            if start - last > MOST_BETWEEN {
                readings.iter_mut().for_each(|reading| reading.end_run(last));
            }
            let before = text.get(last..start).unwrap_or_default();
            let is_decimal = before.ends_with(b"&#");
            let marks = before.iter().rev().take_while(|byte| b"\\%=&#".contains(byte)).count();
            for code in codes(word) {
                let place = if code.from == 0 { start - marks } else { start + code.from };
                let places = (place, start + code.digits_from);
                readings.iter_mut().for_each(|reading| reading.read(&code, places, is_decimal, last));
            }
            last = end;
        }
        readings.iter_mut().for_each(|reading| reading.end_run(last));
    }
    all.extend(readings.map(|reading| reading.found));
}

/// The parts of the text in which runs may stand: those that have digits, and none of the letters that stand in no number and no mark.
///
/// Few places are looked at: even the shortest run covers one of them, and prose has such a letter nearly everywhere.
fn regions(text: &[u8], least: usize) -> Vec<(usize, usize)> {
    let (look, stride) = if least < USUAL { (4, 6) } else { (8, 10) };
    let mut all = Vec::new();
    let mut done = 0;
    for place in (0..text.len()).step_by(stride) {
        let end = text.len().min(place + look);
        if place < done || text.get(place..end).unwrap_or_default().iter().any(|byte| is_foreign(*byte)) {
            continue;
        }
        let (before, behind) = (text.get(done..place).unwrap_or_default(), text.get(end..).unwrap_or_default());
        let mut from = place - before.iter().rev().take_while(|byte| !is_foreign(**byte)).count();
        let mut to = end + behind.iter().take_while(|byte| !is_foreign(**byte)).count();
        done = to;
        // A word with such a letter holds a number nowhere.
        let is_letter = |place: usize| text.get(place).is_some_and(u8::is_ascii_alphanumeric);
        while from > 0 && from < to && is_letter(from) {
            from += 1;
        }
        while to < text.len() && to > from && is_letter(to - 1) {
            to -= 1;
        }
        let digits = text.get(from..to).unwrap_or_default().iter().filter(|byte| byte.is_ascii_digit());
        // Some bytes are spelt by letters alone, but not most of them.
        if digits.count() >= least / 2 {
            all.push((from, to));
        }
    }
    all
}

/// A letter that stands in no number and in no mark of one.
const fn is_foreign(byte: u8) -> bool {
    matches!(byte.to_ascii_lowercase(), b'g' | b'i'..=b't' | b'v' | b'w' | b'y' | b'z')
}

/// Where the words of letters and digits within a part of the text begin and end.
fn words(text: &[u8], from: usize, to: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut at = from;
    std::iter::from_fn(move || {
        let is_letter = |place: &usize| text.get(*place).is_some_and(u8::is_ascii_alphanumeric);
        let start = (at..to).find(is_letter)?;
        at = (start..to).find(|place| !is_letter(place)).unwrap_or(to);
        Some((start, at))
    })
}

/// The letters that mark a hexadecimal number.
const fn is_hex_mark(byte: u8) -> bool {
    matches!(byte, b'x' | b'X' | b'u' | b'U')
}

/// A number of a word: its digits, where it and they begin in the word, and whether a mark says that it is hexadecimal.
struct Code<'a> {
    digits: &'a [u8],
    from: usize,
    digits_from: usize,
    is_hex: bool,
}

/// The numbers of a word: "74", "0x74", "u0074", "74h", "0x740x6f".
fn codes(word: &[u8]) -> impl Iterator<Item = Code<'_>> {
    let marks = word.iter().filter(|byte| is_hex_mark(**byte)).count();
    let (mut next, mut is_first) = (0, true);
    word.split(|byte| is_hex_mark(*byte)).enumerate().filter_map(move |(index, piece)| {
        let begin = next;
        next += piece.len() + 1;
        let digits = match piece {
            // The zero of the next "0x".
            [digits @ .., b'0'] if index < marks && digits.len() % 2 == 0 => digits,
            [digits @ .., b'h' | b'H'] if marks == 0 => digits,
            _ => piece,
        };
        if digits.is_empty() {
            return None;
        }
        // The mark before a number belongs to it.
        let from = if std::mem::take(&mut is_first) { 0 } else { begin - 1 };
        Some(Code { digits, from, digits_from: begin, is_hex: index > 0 || digits.len() < piece.len() })
    })
}

/// The runs as one base reads them.
struct Reading {
    base: u32,
    least: usize,
    found: Decoded,
    /// Where the run that is being read begins.
    begin: usize,
}

impl Reading {
    /// Reads one number, which begins at `place` with its marks; any other word ends the run at `last`.
    fn read(&mut self, code: &Code<'_>, (place, digits_at): (usize, usize), is_decimal: bool, last: usize) {
        let base = match (code.is_hex, is_decimal) {
            (true, _) => 16,
            (false, true) => 10,
            (false, false) => self.base,
        };
        if base == 16 && code.digits.iter().all(u8::is_ascii_hexdigit) {
            // Several bytes may stand together, and the first has one digit where a zero before it is left out.
            let (first, pairs) = code.digits.split_at(code.digits.len() % 2);
            let mut at = digits_at;
            for digits in std::iter::once(first).chain(pairs.chunks(2)) {
                let byte = number(digits, 16).and_then(|value| u8::try_from(value).ok());
                self.found.push_all(byte, if at == digits_at { place } else { at });
                at += digits.len();
            }
        } else if let Some(byte) = number(code.digits, base).and_then(|value| u8::try_from(value).ok()) {
            self.found.push_all([byte], place);
        } else {
            self.end_run(last);
        }
    }

    /// Ends a run at this place of the text; one that is too short is forgotten.
    fn end_run(&mut self, place: usize) {
        if self.found.bytes.len() - self.begin < self.least {
            self.found.bytes.truncate(self.begin);
            // Each byte here is a piece of its own.
            self.found.pieces.truncate(self.begin);
        } else {
            let behind = self.found.pieces.last().map_or(place, |last| place.max(last.place + 1));
            self.found.push(0, behind);
            self.begin = self.found.bytes.len();
        }
    }
}

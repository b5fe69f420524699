//! Patterns of numbering plans: which digits may stand where.
//!
//! A small part of regular expressions is enough: a digit, `d` for any digit, `[2-57]`, `(a|b)`, `?`, `{3}`, `{2,4}`,
//! and `$` for the end of the number. A pattern holds if it matches the beginning of a number.
//!
//! Every way to match is followed at once: a set of places in the number goes into a part of the pattern, and the set
//! of places where that part can end comes out. Nothing is tried twice, so no number takes long.

use std::{iter, ops::RangeInclusive};

/// Places in a number as bits: bit 3 is the place behind the third digit.
type Places = u64;

const MOST_DIGITS: usize = 62;

/// A number that patterns are held against.
pub(super) struct Number<'n> {
    text: &'n str,
    /// The places in front of each digit.
    digits: [Places; 10],
    /// The place behind the last digit.
    end: Places,
}

impl<'n> Number<'n> {
    /// `None` if the number has more digits than places have bits, many more than a number of any plan.
    pub(super) fn new(text: &'n str) -> Option<Self> {
        if text.len() > MOST_DIGITS {
            return None;
        }
        let mut digits = [0; 10];
        for (places, digit) in iter::zip(&mut digits, b'0'..) {
            let found = text.bytes().enumerate().filter(|(_, other)| *other == digit);
            *places = found.fold(0, |set, (place, _)| set | 1 << place);
        }
        Some(Self { text, digits, end: 1 << text.len() })
    }

    /// The digits.
    pub(super) fn text(&self) -> &'n str {
        self.text
    }

    /// Whether the number begins as the pattern says.
    pub(super) fn begins(&self, pattern: &str) -> bool {
        self.ends(pattern, 1) != 0
    }

    /// What is left once the pattern has taken as many digits as it can; `None` if the number does not begin so.
    pub(super) fn without(&self, pattern: &str) -> Option<&'n str> {
        self.text.get(places(self.ends(pattern, 1)).last()?..)
    }

    /// The digits that fit `part` with `before` in front of them and `after` behind, and all that follows `after`.
    pub(super) fn find(&self, before: &str, part: &str, after: &str) -> Option<(&'n str, &'n str)> {
        let starts = places(self.ends(before, 1));
        let mut spans = starts.flat_map(|start| places(self.ends(part, 1 << start)).map(move |end| (start, end)));
        spans.find_map(|(start, end)| {
            let rest = places(self.ends(after, 1 << end)).last()?;
            Some((self.text.get(start..end)?, self.text.get(rest..)?))
        })
    }

    /// Where the pattern can end if it begins at one of the places `from`.
    fn ends(&self, pattern: &str, from: Places) -> Places {
        Reader { number: self, rest: pattern }.choice(from)
    }
}

fn places(set: Places) -> impl Iterator<Item = usize> {
    (0..=MOST_DIGITS).filter(move |place| set >> place & 1 == 1)
}

/// Reads a pattern from left to right.
struct Reader<'r> {
    number: &'r Number<'r>,
    rest: &'r str,
}

impl Reader<'_> {
    /// Alternatives, up to the parenthesis that closes them.
    fn choice(&mut self, from: Places) -> Places {
        let (mut all, mut here) = (0, from);
        loop {
            if self.take("|") {
                all |= here;
                here = from;
            } else if self.take(")") || self.rest.is_empty() {
                return all | here;
            } else {
                here = self.repeated(here);
            }
        }
    }

    /// One item, as often as it may stand there.
    fn repeated(&mut self, from: Places) -> Places {
        let item = self.rest;
        let mut here = self.item(from);
        let times = self.times();
        let behind = self.rest;
        let mut all = if times.contains(&0) { from } else { 0 };
        for time in 1..=*times.end() {
            if time > 1 {
                self.rest = item;
                here = self.item(here);
            }
            if times.contains(&time) {
                all |= here;
            }
        }
        self.rest = behind;
        all
    }

    fn item(&mut self, from: Places) -> Places {
        let before = match self.next() {
            Some('(') => return self.choice(from),
            Some('$') => return from & self.number.end,
            Some('d') => self.number.end - 1,
            Some('[') => self.class(),
            Some(digit) => self.before(digit),
            None => 0,
        };
        (from & before) << 1
    }

    /// The places in front of the digits of a class such as `[2-57]`.
    fn class(&mut self) -> Places {
        let mut all = 0;
        while let Some(first) = self.next().filter(|symbol| *symbol != ']') {
            let last = if self.take("-") { self.next() } else { None };
            all = (first..=last.unwrap_or(first)).fold(all, |all, digit| all | self.before(digit));
        }
        all
    }

    fn before(&self, digit: char) -> Places {
        let value = digit.to_digit(10).and_then(|value| usize::try_from(value).ok());
        value.and_then(|value| self.number.digits.get(value)).copied().unwrap_or_default()
    }

    /// How often the item that was read may stand there.
    fn times(&mut self) -> RangeInclusive<usize> {
        if self.take("?") {
            return 0..=1;
        }
        let counts = self.rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let Some((counts, rest)) = counts else { return 1..=1 };
        self.rest = rest;
        range(counts, ',').unwrap_or(1..=1)
    }

    fn take(&mut self, symbol: &str) -> bool {
        let rest = self.rest.strip_prefix(symbol);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn next(&mut self) -> Option<char> {
        let mut symbols = self.rest.chars();
        let symbol = symbols.next();
        self.rest = symbols.as_str();
        symbol
    }
}

/// Two counts with `mark` between them, or one that is both.
pub(super) fn range(text: &str, mark: char) -> Option<RangeInclusive<usize>> {
    let (first, last) = text.split_once(mark).unwrap_or((text, text));
    Some(first.parse().ok()?..=last.parse().ok()?)
}

#[cfg(test)]
#[path = "pattern_tests.rs"]
mod tests;

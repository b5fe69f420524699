//! The numbering plans of all countries but Brazil, as libphonenumber knows them.
//!
//! The rows of `plans.txt` come from `PhoneNumberMetadata.xml` of libphonenumber 9.0.33 (Copyright The Libphonenumber
//! Authors, Apache-2.0); spaces, names of kinds and ways to print are left out. They are written by
//! `cargo run -p xtask -- phones <PhoneNumberMetadata.xml>`.
//!
//! A row has these columns, with a tab between them:
//!
//! 1. the country code,
//! 2. the region; the main one of a code comes first,
//! 3. which numbers of the code are the region's: those that begin so, or with `=` those that are a line of it,
//! 4. the national prefix, which some write after the country code (`+44 0 20 …`),
//! 5. what stands in for the prefix, carrier codes included,
//! 6. a rewriting: what comes before the part that stays, that part, what comes after it, and what is put in front,
//! 7. how all numbers of the region begin,
//! 8. and following: the lengths of a line, and how a number of these lengths begins.
//!
//! Whatever has no rule has an empty column; an empty pattern holds for every number.

use std::{ops::RangeInclusive, sync::LazyLock};

use super::pattern::{Number, range};

/// What the digits after the country code may be as one value. Some patterns hold for zeros alone, and for more digits
/// than are ever in use.
const VALUES: RangeInclusive<u64> = 1..=(1 << 56) - 1;

static REGIONS: LazyLock<Vec<Region>> =
    LazyLock::new(|| include_str!("plans.txt").lines().filter_map(Region::read).collect());

/// The number in E.164, if it is a line of a country; `digits` begin with the country code.
///
/// A national prefix is dropped, and a number that is written as within its area gets the area code.
pub(super) fn e164(digits: &str) -> Option<String> {
    let (code, written) = (1..=3).find_map(|length| {
        let (code, national) = digits.split_at_checked(length)?;
        REGIONS.iter().any(|region| region.code == code).then_some((code, national))
    })?;
    // Zeros in front say nothing about the region: they may be a prefix.
    let region = Region::find(code, &Number::new(written.trim_start_matches('0'))?);
    let written = Number::new(written)?;
    let national = region.map_or_else(|| written.text().to_owned(), |region| region.without_prefix(&written));
    national.parse().ok().filter(|value| VALUES.contains(value))?;
    let number = Number::new(&national)?;
    Region::find(code, &number)?.has_line(&number).then(|| format!("+{code}{national}"))
}

/// A row of the table.
struct Region {
    code: &'static str,
    own: &'static str,
    prefix: &'static str,
    stand_in: &'static str,
    rewriting: &'static str,
    all: &'static str,
    lines: &'static str,
}

impl Region {
    fn read(row: &'static str) -> Option<Self> {
        let mut columns = row.splitn(8, '\t');
        let (code, _name) = (columns.next()?, columns.next()?);
        let mut next = || columns.next();
        let (own, prefix, stand_in, rewriting) = (next()?, next()?, next()?, next()?);
        Some(Self { code, own, prefix, stand_in, rewriting, all: next()?, lines: next()? })
    }

    /// The region of the code that has this number.
    fn find(code: &str, number: &Number<'_>) -> Option<&'static Self> {
        REGIONS.iter().filter(|region| region.code == code).find(|region| match region.own {
            "=" => region.has_line(number),
            own => number.begins(own),
        })
    }

    /// Whether the number can be a line of any kind here.
    fn has_line(&self, number: &Number<'_>) -> bool {
        let fits = |length: &str| range(length, '-').is_some_and(|range| range.contains(&number.text().len()));
        number.begins(self.all)
            && self.lines.split('\t').any(|line| {
                let (lengths, pattern) = line.split_once(' ').unwrap_or_default();
                lengths.split(',').any(fits) && number.begins(pattern)
            })
    }

    /// The number without national prefix and carrier code, and with the area code that it lacks.
    fn without_prefix(&self, number: &Number<'_>) -> String {
        let rewritten = self.rewritten(number);
        let rest = match &rewritten {
            Some(rewritten) if self.keeps(number, rewritten) => rewritten,
            Some(_) => number.text(),
            None => number.without(self.stand_in).unwrap_or(number.text()),
        };
        // What stood in for the prefix may have left one more: `+44 00 20 …` is read, too.
        rest.strip_prefix(self.prefix).unwrap_or(rest).to_owned()
    }

    fn rewritten(&self, number: &Number<'_>) -> Option<String> {
        let mut rule = self.rewriting.split(' ');
        let (before, part, after, lead) = (rule.next()?, rule.next()?, rule.next()?, rule.next()?);
        let (part, rest) = number.find(before, part, after)?;
        Some(format!("{lead}{part}{rest}"))
    }

    /// A number of the country must not be rewritten into one that is none.
    fn keeps(&self, number: &Number<'_>, rewritten: &str) -> bool {
        !number.begins(self.all) || Number::new(rewritten).is_some_and(|rewritten| rewritten.begins(self.all))
    }
}

#[cfg(test)]
#[path = "plans_tests.rs"]
mod tests;

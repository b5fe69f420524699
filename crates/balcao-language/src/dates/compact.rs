//! Dates whose three parts are joined, one of them a month's name: no order can be mistaken.

use super::{
    names::month_named,
    scanner::{Reading, Scanner},
};

impl Scanner<'_> {
    /// A day, a month's name and a year in four figures, joined in any order: 22/jan/2026, 2026-jan-22, jan-2026-22.
    pub(super) fn joined(&self, from: usize) -> Option<(usize, Reading)> {
        let [one, two, three] = [0, 2, 4].map(|ahead| from.saturating_add(ahead));
        let separator = self.text_at(from.saturating_add(1));
        let same = ["/", "-"].contains(&separator) && self.text_at(from.saturating_add(3)) == separator;
        let tight = (one.saturating_add(1)..=three).all(|index| self.glued(index));
        let parts = [one, two, three].map(|index| self.text_at(index));
        let month = parts.iter().find_map(|part| month_named(part)).filter(|_| same && tight)?;
        let figures =
            |digits: &[usize]| parts.iter().find(|part| digits.contains(&part.len()) && part.parse::<i16>().is_ok());
        let year = figures(&[4])?.parse().ok().filter(|year| (1900..=2199).contains(year))?;
        let day = figures(&[1, 2])?.parse().ok()?;
        let to = three.saturating_add(1);
        Some((to, self.day_in(year, month, day, from, to)))
    }
}

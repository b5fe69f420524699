//! The feasts that customers name instead of a date: fixed ones, those of an n-th Sunday, and those that follow Easter.

use balcao_domain::holidays::easter;
use jiff::{
    ToSpan,
    civil::{Date, Weekday},
};

use super::scanner::{Reading, Scanner};
use crate::dates::{DateProblem, DateSpan};

#[derive(Clone, Copy)]
enum Feast {
    /// Month and day.
    Fixed(i8, i8),
    /// Month, which one, weekday.
    Nth(i8, i8, Weekday),
    /// Days from Easter Sunday.
    Easter(i64),
}

/// Longer names first: the first that fits wins. Mothers' and fathers' days are Brazil's.
const FEASTS: [(&[&str], Feast); 23] = [
    (&["vespera de natal", "vespera do natal", "christmas eve"], Feast::Fixed(12, 24)),
    (&["natal", "christmas"], Feast::Fixed(12, 25)),
    (&["vespera de ano novo", "vespera do ano novo", "reveillon", "new year ' s eve"], Feast::Fixed(12, 31)),
    (&["ano novo", "new year"], Feast::Fixed(1, 1)),
    (&["dia de reis"], Feast::Fixed(1, 6)),
    (&["tiradentes"], Feast::Fixed(4, 21)),
    (&["dia do trabalho", "dia do trabalhador"], Feast::Fixed(5, 1)),
    (&["dia dos namorados"], Feast::Fixed(6, 12)),
    (&["sao joao"], Feast::Fixed(6, 24)),
    (&["dia da independencia"], Feast::Fixed(9, 7)),
    (&["dia das criancas", "nossa senhora aparecida"], Feast::Fixed(10, 12)),
    (&["finados"], Feast::Fixed(11, 2)),
    (&["proclamacao da republica"], Feast::Fixed(11, 15)),
    (&["consciencia negra"], Feast::Fixed(11, 20)),
    (&["dia das maes"], Feast::Nth(5, 2, Weekday::Sunday)),
    (&["dia dos pais"], Feast::Nth(8, 2, Weekday::Sunday)),
    (&["dia de acao de gracas", "acao de gracas", "thanksgiving"], Feast::Nth(11, 4, Weekday::Thursday)),
    (&["segunda de carnaval", "segunda - feira de carnaval", "segunda feira de carnaval"], Feast::Easter(-48)),
    (&["terca de carnaval", "terca - feira de carnaval", "terca feira de carnaval", "carnaval"], Feast::Easter(-47)),
    (&["quarta de cinzas", "quarta - feira de cinzas", "quarta feira de cinzas"], Feast::Easter(-46)),
    (
        &[
            "sexta santa",
            "sexta - feira santa",
            "sexta feira santa",
            "sexta da paixao",
            "sexta - feira da paixao",
            "good friday",
        ],
        Feast::Easter(-2),
    ),
    (&["domingo de pascoa", "pascoa", "easter sunday", "easter"], Feast::Easter(0)),
    (&["corpus christi"], Feast::Easter(60)),
];

impl Feast {
    fn in_year(self, year: i16) -> Option<Date> {
        match self {
            Self::Fixed(month, day) => Date::new(year, month, day).ok(),
            Self::Nth(month, nth, weekday) => Date::new(year, month, 1).ok()?.nth_weekday_of_month(nth, weekday).ok(),
            Self::Easter(days) => easter(year)?.checked_add(days.days()).ok(),
        }
    }
}

impl Scanner<'_> {
    /// A feast of the year that is named behind it, else the next one from today on.
    pub(super) fn holiday(&self, from: usize) -> Option<(usize, Reading)> {
        let (to, feast) = FEASTS.iter().find_map(|(names, feast)| Some((self.phrase(from, names)?, *feast)))?;
        let (end, year) = self.year_after(to);
        if let Some(year) = year {
            return Some((end, self.found(feast.in_year(year), from, end)));
        }
        let next_year = self.phrase(to, &["do proximo ano", "do ano que vem", "of next year"]);
        let this = self.today.year();
        if let Some(end) = next_year {
            return Some((end, self.found(feast.in_year(this.saturating_add(1)), from, end)));
        }
        let next = [this, this.saturating_add(1)].into_iter().filter_map(|year| feast.in_year(year));
        Some((to, self.found(next.into_iter().find(|date| *date >= self.today), from, to)))
    }

    fn found(&self, date: Option<Date>, from: usize, to: usize) -> Reading {
        date.map(DateSpan::Day).ok_or_else(|| DateProblem::Impossible { written: self.written(from, to) })
    }
}

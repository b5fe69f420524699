//! Days counted from another: "daqui a 3 dias", "em uma semana", "de hoje a oito".

use jiff::{Span, ToSpan};

use super::scanner::{Reading, Scanner};
use crate::{
    dates::{DateProblem, DateSpan},
    numbers::number_at,
};

/// How many days, weeks or months ahead are read: ten years of days. Nobody who means a date counts further.
const MOST: u32 = 3660;

impl Scanner<'_> {
    /// "Daqui a 3 dias", "em uma semana", "in 2 weeks".
    pub(super) fn distance(&self, from: usize) -> Option<(usize, Reading)> {
        let next = self.phrase(from, &["daqui a", "daqui ha", "daqui", "dentro de", "em", "in"])?;
        let number = number_at(self.tokens, next)?;
        let count = i64::from(number.value.min(MOST));
        let to = number.next.saturating_add(1);
        let span = match self.text_at(number.next) {
            "dia" | "dias" | "day" | "days" => count.days(),
            "semana" | "semanas" | "week" | "weeks" => count.weeks(),
            "mes" | "meses" | "month" | "months" => count.months(),
            _ => return None,
        };
        let date = self.today.checked_add(span).ok().filter(|_| number.value <= MOST);
        let impossible = || DateProblem::Impossible { written: self.written(from, to) };
        Some((to, date.map(DateSpan::Day).ok_or_else(impossible)))
    }

    /// "De hoje a oito", "de amanhã a quinze", "de sexta a oito": the same weekday one week or two later, counted with both ends as
    /// people do. The figure stands behind today and tomorrow only: "de sexta a 8" may be a span, "hoje a oito" an hour.
    pub(super) fn weeks_from(&self, from: usize) -> Option<(usize, Reading)> {
        let start = self.phrase(from, &["de", "d"])?;
        let (at, figures, reading) = match (self.relative(start), self.weekday(start)) {
            (Some((to, reading)), _) => (to, true, reading),
            (None, Some((to, _, reading))) => (to, false, reading),
            (None, None) => return None,
        };
        let Ok(DateSpan::Day(day)) = reading else { return None };
        let count = self.phrase(at, &["a"])?;
        let span: Span = match self.text_at(count) {
            "oito" => 1.week(),
            "quinze" => 2.weeks(),
            "8" if figures => 1.week(),
            "15" if figures => 2.weeks(),
            _ => return None,
        };
        let next = count.saturating_add(1);
        let to = self.phrase(next, &["dias"]).unwrap_or(next);
        let clock =
            ["h", "hs", "hr", "hrs", "hora", "horas", ":", "/", "-", "de", "e", "da"].contains(&self.text_at(to));
        (!clock).then(|| (to, Ok(DateSpan::Day(day.saturating_add(span)))))
    }
}

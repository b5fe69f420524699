//! Spans that are named as one: "os próximos 3 dias", "em fevereiro", "a primeira semana de outubro", "3/2027".
//!
//! A week belongs to the month and the year that its Thursday is in, as ISO 8601 counts.

use jiff::{
    ToSpan,
    civil::{Date, ISOWeekDate, Weekday},
};

use super::{
    names::month_named,
    scanner::{Reading, Scanner},
};
use crate::{
    dates::DateSpan,
    normalize::TokenKind,
    numbers::{number_at, ordinal},
};

impl Scanner<'_> {
    /// All of them.
    pub(super) fn named_span(&self, from: usize) -> Option<(usize, Reading)> {
        let (to, first, last) = self
            .coming(from)
            .or_else(|| self.end_of_year(from))
            .or_else(|| self.past(from))
            .or_else(|| self.whole(from))
            .or_else(|| self.month_of_year(from))
            .or_else(|| self.week_of(from))
            .or_else(|| self.quarter(from))
            .or_else(|| self.month_in_figures(from))?;
        Some((to, Ok(DateSpan::Range { first, last })))
    }

    /// "Próximos 3 dias", "próximas duas semanas": from tomorrow on.
    fn coming(&self, from: usize) -> Option<(usize, Date, Date)> {
        let next = self.phrase(from, &["proximos", "proximas", "next"])?;
        let first = self.plus(1.day());
        let (to, span) = self.amount(next)?;
        Some((to, first, first.saturating_add(span).saturating_sub(1.day())))
    }

    /// "Últimos 30 dias": up to yesterday. "O último setembro" is not read: two months ago, or fourteen.
    fn past(&self, from: usize) -> Option<(usize, Date, Date)> {
        let next = self.phrase(from, &["ultimos", "ultimas", "last"]);
        let (to, span) = next.and_then(|next| self.amount(next))?;
        Some((to, self.today.saturating_sub(span), self.plus((-1).day())))
    }

    /// "Semana passada", "mês passado", "ano passado": weeks begin on Monday.
    fn whole(&self, from: usize) -> Option<(usize, Date, Date)> {
        let is = |phrases: &[&str]| self.phrase(from, phrases);
        if let Some(to) = is(&["semana passada", "semana anterior", "last week"]) {
            let monday = self.monday().saturating_sub(7.days());
            return Some((to, monday, monday.saturating_add(6.days())));
        }
        if let Some(to) = is(&["mes passado", "mes anterior", "last month"]) {
            let first = self.today.first_of_month().saturating_sub(1.month());
            return Some((to, first, first.last_of_month()));
        }
        let to = is(&["ano passado", "ano anterior", "last year"])?;
        let year = self.today.year().checked_sub(1)?;
        Some((to, Date::new(year, 1, 1).ok()?, Date::new(year, 12, 31).ok()?))
    }

    /// "Primeiras duas semanas de 2027", "últimos quatro meses de 2021": the ends of a year that is named. Weeks are ISO's.
    fn end_of_year(&self, from: usize) -> Option<(usize, Date, Date)> {
        let first = self.phrase(from, &["primeiros", "primeiras", "first"]);
        let at = first.or_else(|| self.phrase(from, &["ultimos", "ultimas", "last"]))?;
        let (next, span) = self.amount(at)?;
        let (to, year) = self.named_year(next)?;
        let begins = |year: i16| match span.get_weeks() {
            0 => Date::new(year, 1, 1).ok(),
            _ => ISOWeekDate::new(year, 1, Weekday::Monday).ok().map(ISOWeekDate::date),
        };
        let (start, end) = (begins(year)?, begins(year.checked_add(1)?)?);
        let (start, end) = match first {
            Some(_) => (start, start.checked_add(span).ok()?),
            None => (end.checked_sub(span).ok()?, end),
        };
        Some((to, start, end.yesterday().ok()?))
    }

    /// "Terceiro mês de 2027", "primeiro mês do ano que vem".
    fn month_of_year(&self, from: usize) -> Option<(usize, Date, Date)> {
        let nth = ordinal(self.text_at(from)).filter(|nth| *nth <= 12)?;
        let next = self.phrase(from.saturating_add(1), &["mes", "month"])?;
        let (to, year) = self.named_year(next)?;
        let first = Date::new(year, i8::try_from(nth).ok()?, 1).ok()?;
        Some((to, first, first.last_of_month()))
    }

    fn amount(&self, from: usize) -> Option<(usize, jiff::Span)> {
        let number = number_at(self.tokens, from)?;
        let count = i64::from(number.value.clamp(1, 366));
        let span = match self.text_at(number.next) {
            "dia" | "dias" | "days" => count.days(),
            "semana" | "semanas" | "weeks" => count.weeks(),
            "mes" | "meses" | "months" => count.months(),
            "ano" | "anos" | "years" => count.years(),
            _ => return None,
        };
        Some((number.next.saturating_add(1), span))
    }

    /// "Primeira semana de outubro", "terceira semana deste mês", "terceira semana do próximo ano".
    fn week_of(&self, from: usize) -> Option<(usize, Date, Date)> {
        let nth = ordinal(self.text_at(from)).filter(|nth| *nth <= 4)?;
        let next = self.phrase(from.saturating_add(1), &["semana", "week"])?;
        if let Some((to, year)) = self.named_year(next) {
            let monday = ISOWeekDate::new(year, i8::try_from(nth).ok()?, Weekday::Monday).ok()?.date();
            return Some((to, monday, monday.saturating_add(6.days())));
        }
        let this = self.phrase(next, &["deste mes", "desse mes", "of this month"]);
        let coming = self.phrase(next, &["do mes que vem", "do proximo mes", "of next month"]);
        let (to, month) = match (this, coming) {
            (Some(to), _) => (to, self.today.first_of_month()),
            (None, Some(to)) => (to, self.plus(1.month()).first_of_month()),
            (None, None) => {
                let name = self.phrase(next, &["de", "do mes de", "of"])?;
                let month = month_named(self.text_at(name))?;
                let (to, year) = self.year_after(name.saturating_add(1));
                let later = i16::from(month < self.today.month());
                (to, Date::new(year.unwrap_or(self.today.year().saturating_add(later)), month, 1).ok()?)
            }
        };
        let thursday = month.nth_weekday_of_month(i8::try_from(nth).ok()?, Weekday::Thursday).ok()?;
        Some((to, thursday.saturating_sub(3.days()), thursday.saturating_add(3.days())))
    }

    /// "Terceiro trimestre deste ano", "primeiro trimestre de 2027".
    fn quarter(&self, from: usize) -> Option<(usize, Date, Date)> {
        let nth = ordinal(self.text_at(from)).filter(|nth| *nth <= 4)?;
        let next = self.phrase(from.saturating_add(1), &["trimestre", "quarter"])?;
        let (to, year) = self.named_year(next)?;
        let month = i8::try_from(nth).ok()?.checked_mul(3)?;
        let last = Date::new(year, month, 1).ok()?.last_of_month();
        Some((to, Date::new(year, month.checked_sub(2)?, 1).ok()?, last))
    }

    /// "Deste ano", "do ano que vem", "do ano passado", "de 2027", "do ano de 2027".
    fn named_year(&self, next: usize) -> Option<(usize, i16)> {
        let this = self.today.year();
        // The longer ones first: "do ano" alone is this one.
        for (words, ahead) in [
            (["do proximo ano", "do ano que vem", "of next year"], 1),
            (["do ano passado", "do ultimo ano", "of last year"], -1),
            (["deste ano", "desse ano", "of this year"], 0),
            (["do ano", "do ano atual", "of the year"], 0),
        ] {
            if let Some(to) = self.phrase(next, &words) {
                // "Do ano de 2027" names it behind.
                let (behind, named) = self.year_after(to);
                return Some(named.map_or((to, this.saturating_add(ahead)), |year| (behind, year)));
            }
        }
        let (to, year) = self.year_after(next);
        year.map(|year| (to, year))
    }

    /// "3/2027", "2027-3": a month of a year in four figures.
    fn month_in_figures(&self, from: usize) -> Option<(usize, Date, Date)> {
        let separator = from.saturating_add(1);
        let second = from.saturating_add(2);
        let to = second.saturating_add(1);
        let number = |index: usize| self.tokens.get(index).filter(|token| token.kind == TokenKind::Number);
        let tight = ["/", "-"].contains(&self.text_at(separator)) && self.glued(separator) && self.glued(second);
        let free = !(self.glued(to)
            && ["/", "-", ".", ":", ","].contains(&self.text_at(to))
            && number(to.saturating_add(1)).is_some());
        let begins = !(self.glued(from) && from > 0);
        let (left, right) = number(from).zip(number(second)).filter(|_| tight && free && begins)?;
        let (year, month) = match (left.text.len(), right.text.len()) {
            (4, 1 | 2) => (&left.text, &right.text),
            (1 | 2, 4) => (&right.text, &left.text),
            _ => return None,
        };
        let year: i16 = year.parse().ok().filter(|year| (1900..=2199).contains(year))?;
        let first = Date::new(year, month.parse().ok()?, 1).ok()?;
        Some((to, first, first.last_of_month()))
    }

    /// "Em fevereiro", "no mês de março de 2027", "sexta às 15h de dezembro": the next one that is not over.
    pub(super) fn month_alone(&self, from: usize) -> Option<(usize, Reading)> {
        let leads = ["em", "no mes de", "mes de", "durante o mes de", "durante", "para", "pra", "in"];
        // A day in figures takes "de dezembro" with it; what is left names the month of a time or a weekday.
        let lead = self.phrase(from, &leads).or_else(|| self.phrase(from, &["de", "of"]))?;
        let name = self.text_at(lead);
        // "Mar", "set" and "para" have meanings of their own.
        let month = super::names::month_named(name).filter(|_| name.len() > 3)?;
        let next = lead.saturating_add(1);
        let (to, year) = self.year_after(next);
        let coming = self.phrase(to, &["do proximo ano", "do ano que vem", "of next year"]);
        let this = self.today.year();
        let year = match (year, coming) {
            (Some(year), _) => year,
            (None, Some(_)) => this.saturating_add(1),
            (None, None) if month < self.today.month() => this.saturating_add(1),
            (None, None) => this,
        };
        let first = Date::new(year, month, 1).ok()?;
        let begun = first.month() == self.today.month() && first.year() == self.today.year();
        let first = if begun { self.today } else { first };
        Some((coming.unwrap_or(to), Ok(DateSpan::Range { first, last: first.last_of_month() })))
    }
}

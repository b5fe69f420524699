//! The forms of a date, looked for from one token on: the first that fits wins.

use balcao_domain::Locale;
use std::cell::OnceCell;

use jiff::{
    Span, ToSpan,
    civil::{Date, Weekday},
};

use super::{
    DateProblem, DateSpan, Meaning,
    names::{month_named, year_of},
};
use crate::{
    detect::english,
    normalize::{Token, TokenKind, before, is_glued, phrase_at, text_at},
    numbers::{number_at, ordinal},
};

/// A find, in token indices (`to` exclusive).
pub(super) struct Found {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Set if it is nothing but a weekday, which a date beside it may absorb.
    pub(super) weekday: Option<Weekday>,
    pub(super) reading: Result<DateSpan, DateProblem>,
    /// True if it stands instead of the one before it.
    pub(super) either: bool,
}

pub(super) struct Scanner<'a> {
    text: &'a str,
    pub(super) tokens: &'a [Token],
    pub(super) today: Date,
    /// The language of the conversation, for a text that tells none.
    locale: Locale,
    /// Whether it is English: looked at once, for the whole text is read for it.
    english: OnceCell<bool>,
}

pub(super) type Reading = Result<DateSpan, DateProblem>;

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str, tokens: &'a [Token], today: Date, locale: Locale) -> Self {
        Self { text, tokens, today, locale, english: OnceCell::new() }
    }
}

impl Scanner<'_> {
    pub(super) fn date_at(&self, from: usize) -> Option<Found> {
        let several = self
            .weeks_from(from)
            .or_else(|| self.range(from))
            .or_else(|| self.shifted(from))
            .or_else(|| self.holiday(from))
            .or_else(|| self.named_span(from));
        if let Some((to, reading)) = several {
            return Some(Found { from, to, weekday: None, reading, either: false });
        }
        if let Some((to, weekday, reading)) = self.weekday(from) {
            return Some(self.weekday_with_day(from, to, weekday, reading));
        }
        let (to, reading) = self.single(from).or_else(|| self.month_alone(from))?;
        Some(Found { from, to, weekday: None, reading, either: false })
    }

    /// A day or span that is neither a weekday nor a range with two ends.
    pub(super) fn single(&self, from: usize) -> Option<(usize, Reading)> {
        self.joined(from)
            .or_else(|| self.numeric(from))
            .or_else(|| self.day_and_month(from))
            .or_else(|| self.month_and_day(from))
            .or_else(|| self.relative(from))
            .or_else(|| self.span(from))
            .or_else(|| self.holiday(from))
            .or_else(|| self.distance(from))
            .or_else(|| self.day_of_month(from))
    }

    pub(super) fn text_at(&self, index: usize) -> &str {
        text_at(self.tokens, index)
    }

    pub(super) fn glued(&self, index: usize) -> bool {
        is_glued(self.tokens, index)
    }

    pub(super) fn phrase(&self, index: usize, phrases: &[&str]) -> Option<usize> {
        phrase_at(self.tokens, index, phrases).map(|len| index.saturating_add(len))
    }

    pub(super) fn written(&self, from: usize, to: usize) -> String {
        let start = self.tokens.get(from).map_or(0, |token| token.start);
        let end = self.tokens.get(to.saturating_sub(1)).map_or(self.text.len(), |token| token.end);
        self.text.get(start..end).unwrap_or_default().to_owned()
    }

    pub(super) fn plus(&self, span: Span) -> Date {
        self.today.saturating_add(span)
    }

    pub(super) fn monday(&self) -> Date {
        let back = i64::from(self.today.weekday().to_monday_zero_offset());
        self.today.saturating_sub(back.days())
    }

    /// 15/12, 15/12/2026, 15-12-26, 15.12.2026, 2026-12-15, 2026/12/15, 22/jan/2026.
    pub(super) fn numeric(&self, from: usize) -> Option<(usize, Reading)> {
        let token = self.tokens.get(from).filter(|token| token.kind == TokenKind::Number)?;
        let separator = self.text_at(from.saturating_add(1));
        if !["/", "-", "."].contains(&separator) || ["/", ".", "$"].contains(&before(self.tokens, from, 1)) {
            return None;
        }
        let second = from.saturating_add(2);
        let tight = self.glued(from.saturating_add(1)) && self.glued(second);
        let first_value: i16 = token.text.parse().ok()?;
        let third_at = second.saturating_add(2);
        let has_third = self.text_at(second.saturating_add(1)) == separator
            && self.tokens.get(third_at).is_some_and(|third| third.kind == TokenKind::Number);
        if token.text.len() == 4 && has_third {
            let month: i8 = self.text_at(second).parse().ok()?;
            let day: i8 = self.text_at(third_at).parse().ok()?;
            let to = third_at.saturating_add(1);
            return Some((to, self.day_in(first_value, month, day, from, to)));
        }
        if token.text.len() > 2 || !(tight || has_third) {
            return None;
        }
        let day = i8::try_from(first_value).ok()?;
        let named = month_named(self.text_at(second));
        let month: i8 = match named {
            Some(month) => month,
            None if self.text_at(second).len() <= 2 => self.text_at(second).parse().ok()?,
            None => return None,
        };
        // 03/04 is 3 April, and March 4 to half of those who write English.
        let swapped = (["/", "-"].contains(&separator) && named.is_none() && day <= 12 && month <= 12 && day != month)
            .then_some((month, day))
            .filter(|_| self.is_english());
        // Month before day only where the other order cannot be. "12/13" alone is a slip in Portuguese.
        let slip = separator == "/" && !has_third && !self.is_english();
        let month_first = month > 12 && day <= 12 && !slip;
        let (day, month) = if month_first { (month, day) } else { (day, month) };
        if has_third {
            let year = year_of(self.text_at(third_at))?;
            let to = third_at.saturating_add(1);
            return Some((to, self.either_order(Some(year), (day, month), swapped, from, to)));
        }
        let to = second.saturating_add(1);
        let follows = self.text_at(to);
        let clock = ["h", "hs", "hrs", "hr", "horas", "am", "pm", ":", "%"].contains(&follows)
            || ["as", "das", "entre", "de"].contains(&before(self.tokens, from, 1)) && separator == "-";
        let dotted = separator == "." && before(self.tokens, from, 1) != "dia";
        if clock || dotted && named.is_none() || month > 12 && separator != "/" {
            return None;
        }
        let (to, year) = self.year_after(to);
        Some((to, self.either_order(year, (day, month), swapped, from, to)))
    }

    /// A day and month in figures, and the same two in the other order if that may be meant.
    fn either_order(
        &self,
        year: Option<i16>,
        one: (i8, i8),
        other: Option<(i8, i8)>,
        from: usize,
        to: usize,
    ) -> Reading {
        let read = |(day, month): (i8, i8)| self.resolve(year, month, day, from, to);
        match (read(one), other.map(read)) {
            (Ok(DateSpan::Day(first)), Some(Ok(DateSpan::Day(second)))) => {
                Err(DateProblem::Ambiguous { readings: vec![Meaning::Day(first), Meaning::Day(second)] })
            }
            (reading, _) => reading,
        }
    }

    fn is_english(&self) -> bool {
        *self.english.get_or_init(|| english(self.text).unwrap_or(self.locale == Locale::En))
    }

    /// "15 de dezembro", "1o de jan", "vinte e um de maio de 2027", "15 December", "15th of December".
    pub(super) fn day_and_month(&self, from: usize) -> Option<(usize, Reading)> {
        let start = if self.text_at(from) == "dia" { from.saturating_add(1) } else { from };
        let (day, mut next) = match number_at(self.tokens, start).filter(|number| number.digits <= 2) {
            Some(number) => (number.value, number.next),
            None => (ordinal(self.text_at(start)).filter(|day| *day == 1)?, start.saturating_add(1)),
        };
        if self.glued(next) && ["o", "st", "nd", "rd", "th"].contains(&self.text_at(next)) {
            next = next.saturating_add(1);
        }
        while ["de", "do", "of", "-", "mes"].contains(&self.text_at(next)) {
            next = next.saturating_add(1);
        }
        let month = month_named(self.text_at(next))?;
        if self.text_at(next) == "mar" && next == start.saturating_add(1) && self.text_at(start) == "um" {
            return None;
        }
        next = next.saturating_add(1);
        if self.text_at(next) == "." {
            next = next.saturating_add(1);
        }
        let (to, year) = self.year_after(next);
        Some((to, self.resolve(year, month, i8::try_from(day).ok()?, from, to)))
    }

    /// "December 15th", "dezembro 15", "maio vinte e um".
    fn month_and_day(&self, from: usize) -> Option<(usize, Reading)> {
        let month = month_named(self.text_at(from))?;
        let number = number_at(self.tokens, from.saturating_add(1)).filter(|number| number.digits <= 2)?;
        if number.digits == 0 && number.value < 2 || ["h", ":", "hs"].contains(&self.text_at(number.next)) {
            return None;
        }
        let mut next = number.next;
        if self.glued(next) && ["st", "nd", "rd", "th", "o"].contains(&self.text_at(next)) {
            next = next.saturating_add(1);
        }
        let (to, year) = self.year_after(next);
        Some((to, self.resolve(year, month, i8::try_from(number.value).ok()?, from, to)))
    }

    /// A year behind a date: ", 2026", "de 2026", " 2026"; "de 92", which can be no day.
    pub(super) fn year_after(&self, next: usize) -> (usize, Option<i16>) {
        let mut index = next;
        while [",", "de", "do", "ano"].contains(&self.text_at(index)) {
            index = index.saturating_add(1);
        }
        let token = self.tokens.get(index).filter(|token| token.kind == TokenKind::Number);
        let of = index > next && ["de", "do"].contains(&before(self.tokens, index, 1));
        let year = token.and_then(|token| match token.text.len() {
            4 => token.text.parse().ok().filter(|year| (1900..=2199).contains(year)),
            2 if of && token.text.as_str() > "31" => year_of(&token.text),
            _ => None,
        });
        match year {
            Some(year) if ![":", "h", "%", "reais", "min"].contains(&self.text_at(index.saturating_add(1))) => {
                (index.saturating_add(1), Some(year))
            }
            _ => (next, None),
        }
    }

    pub(super) fn day_in(&self, year: i16, month: i8, day: i8, from: usize, to: usize) -> Reading {
        let impossible = || DateProblem::Impossible { written: self.written(from, to) };
        Date::new(year, month, day).ok().map(DateSpan::Day).ok_or_else(impossible)
    }

    /// Without a year: the next such date from today on; 29/02 waits for a leap year.
    fn resolve(&self, year: Option<i16>, month: i8, day: i8, from: usize, to: usize) -> Reading {
        if let Some(year) = year {
            return self.day_in(year, month, day, from, to);
        }
        let this = self.today.year();
        (this..=this.saturating_add(8))
            .filter_map(|year| Date::new(year, month, day).ok())
            .find(|date| *date >= self.today)
            .map(DateSpan::Day)
            .ok_or_else(|| DateProblem::Impossible { written: self.written(from, to) })
    }

    pub(super) fn relative(&self, from: usize) -> Option<(usize, Reading)> {
        const WORDS: [(&[&str], i64); 6] = [
            (&["depois de depois de amanha", "depois de dps de amanha", "dps de dps de amanha"], 3),
            (
                &[
                    "dia depois de amanha",
                    "depois de amanha",
                    "dps de amanha",
                    "depois d amanha",
                    "depois amanha",
                    "day after tomorrow",
                ],
                2,
            ),
            (
                &[
                    "hoje",
                    "hj",
                    "hoj",
                    "oje",
                    "today",
                    "tonight",
                    "esta manha",
                    "esta tarde",
                    "desta tarde",
                    "esta noite",
                    "nesta tarde",
                    "nesta noite",
                    "this morning",
                    "this afternoon",
                    "this evening",
                ],
                0,
            ),
            (
                &[
                    "amanha",
                    "amnh",
                    "amnha",
                    "amanh",
                    "amanhaa",
                    "amahna",
                    "amanhã",
                    "tomorrow",
                    "tmrw",
                    "proximo dia",
                    "dia seguinte",
                ],
                1,
            ),
            (&["dia antes de ontem", "antes de ontem", "anteontem", "antontem"], -2),
            (&["ontem", "yesterday", "ultimo dia"], -1),
        ];
        WORDS.iter().find_map(|(phrases, days)| {
            let to = self.phrase(from, phrases)?;
            // "último dia 15" is a day of the month, "o próximo dia útil" no date that we can know.
            let cut = text_at(self.tokens, to.saturating_sub(1)) == "dia"
                && self.tokens.get(to).is_some_and(|token| token.kind != TokenKind::Mark);
            (!cut).then(|| (to, Ok(DateSpan::Day(self.plus(days.days())))))
        })
    }

    fn span(&self, from: usize) -> Option<(usize, Reading)> {
        const WEEKEND: [&str; 6] = ["fim de semana", "final de semana", "fds", "findi", "finde", "weekend"];
        const COMING: [&str; 4] = ["que vem", "q vem", "seguinte", "proximo"];
        let lead = usize::from(["proximo", "proxima", "prox", "next", "outra"].contains(&self.text_at(from)));
        let start = from.saturating_add(lead);
        let range = |to: usize, first: Date, last: Date| Some((to, Ok(DateSpan::Range { first, last })));
        if let Some(to) = self.phrase(start, &WEEKEND) {
            let coming = self.phrase(to, &COMING);
            let monday = self.monday();
            let saturday = monday.saturating_add(5.days());
            let inside = self.today >= saturday;
            let saturday =
                if inside && (lead == 1 || coming.is_some()) { saturday.saturating_add(7.days()) } else { saturday };
            return range(coming.unwrap_or(to), saturday.max(self.today), saturday.saturating_add(1.days()));
        }
        let next_monday = self.monday().saturating_add(7.days());
        let next_week = if lead == 1 {
            self.phrase(start, &["semana", "week"])
        } else {
            self.phrase(from, &["semana que vem", "semana q vem", "semana seguinte", "outra semana"])
        };
        if let Some(to) = next_week {
            return range(to, next_monday, next_monday.saturating_add(6.days()));
        }
        let this_week = ["essa semana", "esta semana", "nessa semana", "nesta semana", "this week"];
        if let Some(to) = self.phrase(from, &this_week) {
            return range(to, self.today, next_monday.saturating_sub(1.days()));
        }
        let next_month = if lead == 1 {
            self.phrase(start, &["mes", "month"])
        } else {
            self.phrase(from, &["mes que vem", "mes q vem", "mes seguinte"])
        };
        if let Some(to) = next_month {
            let first = self.plus(1.month()).first_of_month();
            return range(to, first, first.last_of_month());
        }
        None
    }

    /// "Dia 15", "dia quinze", "no 15", "on the 15th", "dia 5 do mês que vem".
    fn day_of_month(&self, from: usize) -> Option<(usize, Reading)> {
        let lead = self.phrase(from, &["dia", "dias", "no", "the", "on the"])?;
        let weak = ["no", "the"].contains(&self.text_at(from));
        let number = match number_at(self.tokens, lead) {
            Some(number) => number,
            None if self.text_at(from) == "dia" && ordinal(self.text_at(lead)) == Some(1) => {
                crate::numbers::Number { value: 1, next: lead.saturating_add(1), digits: 1 }
            }
            None => return None,
        };
        let mut to = number.next;
        let english = self.glued(to) && ["st", "nd", "rd", "th"].contains(&self.text_at(to));
        if english || self.glued(to) && self.text_at(to) == "o" {
            to = to.saturating_add(1);
        }
        let not_a_day = ["h", "hs", "hrs", "hr", ":", "%", "horas", "reais", "min", "minutos", "/"];
        if number.digits > 2 || weak && number.digits == 0 || not_a_day.contains(&self.text_at(to)) && !english {
            return None;
        }
        if self.text_at(from) == "the" && !english
            || weak && !english && self.tokens.get(to).is_some_and(|t| t.text == "-")
        {
            return None;
        }
        let day = i8::try_from(number.value).ok()?;
        if weak && !(1..=31).contains(&day) {
            return None;
        }
        let next_month = ["do mes que vem", "do proximo mes", "do mes seguinte", "of next month", "do outro mes"];
        let first = self.today.first_of_month();
        if let Some(end) = self.phrase(to, &next_month) {
            let month = first.saturating_add(1.month());
            return Some((end, self.day_in(month.year(), month.month(), day, from, end)));
        }
        let last_month = ["do mes passado", "do ultimo mes", "do mes anterior", "of last month"];
        if let Some(end) = self.phrase(to, &last_month) {
            let month = first.saturating_sub(1.month());
            return Some((end, self.day_in(month.year(), month.month(), day, from, end)));
        }
        let reading = self
            .month_of_the_other(to, day)
            .or_else(|| Self::day_from(self.today, day))
            .map(DateSpan::Day)
            .ok_or_else(|| DateProblem::Impossible { written: self.written(from, to) });
        Some((to, reading))
    }
}

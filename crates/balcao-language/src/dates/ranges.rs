//! From one day to another: "do dia 3 ao dia 12", "entre 19 e 20 de novembro", "de 4 a 22 deste mês", "28/2-1/3".

use jiff::{ToSpan, civil::Date};

use super::scanner::{Reading, Scanner};
use crate::{
    dates::{DateProblem, DateSpan, month_named},
    normalize::TokenKind,
    numbers::number_at,
};

/// One end of a range.
enum End {
    Date(Date),
    /// A day of the month that the other end names, or of the next one from today on.
    Bare(i8),
}

const LEADS: [&str; 15] = [
    "entre os dias",
    "entre o dia",
    "entre o",
    "entre",
    "desde o dia",
    "desde o",
    "desde",
    "a partir do dia",
    "do dia",
    "dos dias",
    "do",
    "de",
    "dias",
    "dia",
    "between",
];

/// Words that may follow a day of the month; others make the number a count, an hour or a price.
const BEHIND_A_DAY: [&str; 24] = [
    "as", "das", "de", "e", "ou", "por", "depois", "antes", "pela", "no", "na", "com", "pra", "para", "pf", "pfv",
    "nao", "at", "or", "and", "with", "please", "after", "before",
];

impl Scanner<'_> {
    /// A range of days that begins at `from`. "Dia 3 e dia 5" are two days, not a range.
    pub(super) fn range(&self, from: usize) -> Option<(usize, Reading)> {
        let lead = self.phrase(from, &LEADS);
        let between = ["entre", "between"].contains(&self.text_at(from));
        let (first_at, first) = self.end(lead.unwrap_or(from))?;
        let second_at = self.link(first_at, between, lead.is_some())?;
        let (to, second) = self.end(second_at)?;
        let days = (from..to).any(|index| ["dia", "dias"].contains(&self.text_at(index)));
        let (first, last) = self.both(first, second, days)?;
        // A range that has begun: its first day is of the year before.
        let first = if first > last {
            first.checked_sub(1.year()).ok().filter(|first| *first <= last && last >= self.today)?
        } else {
            first
        };
        Some((to, Ok(DateSpan::Range { first, last })))
    }

    fn link(&self, at: usize, between: bool, led: bool) -> Option<usize> {
        const UP_TO: [&str; 12] = [
            "ate o dia",
            "ate dia",
            "ate o",
            "ateh o",
            "ate",
            "ateh",
            "ao dia",
            "ao",
            "a dia",
            "until the",
            "until",
            "to",
        ];
        if let Some(next) = self.phrase(at, &UP_TO) {
            return Some(next);
        }
        if between {
            return self.phrase(at, &["e o dia", "e dia", "e o", "e", "and", "-"]);
        }
        if self.text_at(at) == "a" && led
            || self.text_at(at) == "-" && self.glued(at) == self.glued(at.saturating_add(1))
        {
            return Some(at.saturating_add(1));
        }
        None
    }

    fn end(&self, from: usize) -> Option<(usize, End)> {
        if let Some((to, day)) = self.day_in_named_month(from) {
            return Some((to, End::Date(day)));
        }
        let single = self.numeric(from).or_else(|| self.day_and_month(from)).or_else(|| self.relative(from));
        if let Some((to, reading)) = single {
            let Ok(DateSpan::Day(date)) = reading else { return None };
            return Some((to, End::Date(date)));
        }
        // "Qua, 22 de jan": the range has no use for the weekday if it is right.
        if let Some((to, Some(weekday), _)) = self.weekday(from) {
            let next = to.saturating_add(usize::from(self.text_at(to) == ","));
            let (to, reading) = self.numeric(next).or_else(|| self.day_and_month(next))?;
            return match reading {
                Ok(DateSpan::Day(date)) if date.weekday() == weekday => Some((to, End::Date(date))),
                _ => None,
            };
        }
        let (to, day) = self.bare_day(from)?;
        Some((to, End::Bare(day)))
    }

    /// A number of one or two digits that is no time and no amount.
    fn bare_day(&self, from: usize) -> Option<(usize, i8)> {
        let start = self.phrase(from, &["dia", "o dia", "o"]).unwrap_or(from);
        let number = number_at(self.tokens, start).filter(|number| number.digits == 1 || number.digits == 2)?;
        let day = i8::try_from(number.value).ok().filter(|day| (1..=31).contains(day))?;
        let unit = self.tokens.get(number.next).is_some_and(|next| {
            next.glued && next.kind != TokenKind::Mark
                || ["h", "hs", "horas", "hora", "min", "%", ":", "am", "pm", "reais"].contains(&next.text.as_str())
        });
        (!unit).then_some((number.next, day))
    }

    /// "22 deste mês", "12 do mês que vem".
    pub(super) fn day_in_named_month(&self, from: usize) -> Option<(usize, Date)> {
        let (next, day) = self.bare_day(from)?;
        let this = self.phrase(next, &["deste mes", "desse mes", "do mes", "of this month"]);
        let coming = self.phrase(next, &["do mes que vem", "do proximo mes", "do outro mes", "of next month"]);
        let month = match (coming, this) {
            (Some(_), _) => self.today.first_of_month().checked_add(1.month()).ok()?,
            (None, Some(_)) => self.today,
            (None, None) => return None,
        };
        let date = Date::new(month.year(), month.month(), day).ok()?;
        Some((coming.or(this)?, date))
    }

    /// Both ends as dates. Two bare numbers are days only if they are called so: "de 4 a 22" may be prices.
    fn both(&self, first: End, second: End, days: bool) -> Option<(Date, Date)> {
        match (first, second) {
            (End::Date(first), End::Date(last)) => Some((first, last)),
            (End::Bare(day), End::Date(last)) => {
                Date::new(last.year(), last.month(), day).ok().filter(|first| *first <= last).map(|first| (first, last))
            }
            (End::Date(first), End::Bare(day)) if days => Some((first, Self::day_from(first, day)?)),
            (End::Bare(from), End::Bare(to)) if days => {
                let first = Self::day_from(self.today, from)?;
                Some((first, Self::day_from(first, to)?))
            }
            _ => None,
        }
    }

    /// The next such day of a month, from `first` on.
    pub(super) fn day_from(first: Date, day: i8) -> Option<Date> {
        let month = first.first_of_month();
        let mut months = (0..12_i64).filter_map(|ahead| month.checked_add(ahead.months()).ok());
        months.find_map(|month| Date::new(month.year(), month.month(), day).ok().filter(|date| *date >= first))
    }

    /// "2 semanas antes do natal", "3 dias depois de amanhã" (which is no date), "dois meses atrás", "há 3 dias".
    pub(super) fn shifted(&self, from: usize) -> Option<(usize, Reading)> {
        let ago = self.phrase(from, &["ha", "faz"]);
        let (unit_at, count) = number_at(self.tokens, ago.unwrap_or(from))
            .map(|number| (number.next, i64::from(number.value.min(3660))))?;
        let span = match self.text_at(unit_at) {
            "dia" | "dias" | "day" | "days" => count.days(),
            "semana" | "semanas" | "week" | "weeks" => count.weeks(),
            "mes" | "meses" | "month" | "months" => count.months(),
            "ano" | "anos" | "year" | "years" => count.years(),
            _ => return None,
        };
        let next = unit_at.saturating_add(1);
        if let Some(to) = self.phrase(next, &["atras", "ago"]).or(ago.map(|_| next)) {
            return Some((to, Ok(DateSpan::Day(self.today.saturating_sub(span)))));
        }
        let before = self.phrase(next, &["antes de", "antes do", "antes da", "before"]);
        let anchor = before.or_else(|| {
            self.phrase(next, &["depois de", "depois do", "depois da", "apos o", "apos a", "apos", "after"])
        })?;
        let (to, reading) = self.single(anchor)?;
        let Ok(DateSpan::Day(date)) = reading else { return Some((to, reading)) };
        let date = if before.is_some() { date.checked_sub(span) } else { date.checked_add(span) };
        let impossible = || DateProblem::Impossible { written: self.written(from, to) };
        Some((to, date.ok().map(DateSpan::Day).ok_or_else(impossible)))
    }

    /// One or two digits from 1 to 31 that nothing follows which would make them something else.
    pub(super) fn naked_day(&self, index: usize) -> Option<(i8, usize)> {
        let number = number_at(self.tokens, index).filter(|number| number.digits == 1 || number.digits == 2)?;
        let day = i8::try_from(number.value).ok().filter(|day| (1..=31).contains(day))?;
        let ends = self.tokens.get(number.next).is_none_or(|next| match next.kind {
            TokenKind::Mark => ["?", "!", ".", ",", ")", ";", "\n"].contains(&next.text.as_str()),
            TokenKind::Word => BEHIND_A_DAY.contains(&next.text.as_str()) && !next.glued,
            TokenKind::Number => false,
        });
        // "10 e meia", "10 de manhã", "10 pela manhã" are hours.
        let behind = number.next.saturating_add(1);
        let half = ["e", "and"].contains(&self.text_at(number.next))
            && number_at(self.tokens, behind).map_or(self.text_at(behind) == "meia", |minutes| minutes.digits == 0);
        let part = ["manha", "tarde", "noite", "tardinha", "noitinha", "madrugada"].contains(&self.text_at(behind));
        let month =
            self.text_at(number.next) == "de" && month_named(self.text_at(number.next.saturating_add(1))).is_some();
        (ends && !month && !half && !part).then_some((day, number.next))
    }
}

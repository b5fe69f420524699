//! Weekdays: "sexta", "na sexta que vem", "primeira sexta de julho", "sexta 27", "a segunda".

use jiff::{
    ToSpan,
    civil::{Date, Weekday},
};

use super::{
    DateProblem, DateSpan, Meaning,
    names::{month_named, weekday_named},
    scanner::{Found, Reading, Scanner},
};
use crate::{
    normalize::{TokenKind, before},
    numbers::ordinal,
};

impl Scanner<'_> {
    /// "Terça 25", "sexta-feira 13": a day of the month behind the weekday, if nothing speaks for an hour.
    pub(super) fn weekday_with_day(&self, from: usize, to: usize, weekday: Option<Weekday>, reading: Reading) -> Found {
        let alone = |reading: Reading| Found { from, to, weekday, reading, either: false };
        let Some(said) = weekday else { return alone(reading) };
        let Some((day, next)) = self.naked_day(to) else {
            return alone(self.or_a_place(from, to, reading));
        };
        let Some(date) = Self::day_from(self.today, day) else { return alone(reading) };
        let actual = date.weekday();
        let reading = if actual == said {
            Ok(DateSpan::Day(date))
        } else {
            Err(DateProblem::WeekdayMismatch { said, date, actual })
        };
        Found { from, to: next, weekday: None, reading, either: false }
    }

    /// "Quero a segunda", "a quarta": the weekday, or the thing at that place of a list.
    fn or_a_place(&self, from: usize, to: usize, reading: Reading) -> Reading {
        const CHOOSING: [&str; 26] = [
            "quero", "queria", "prefiro", "preferia", "escolho", "com", "ser", "seria", "melhor", "sim", "entao", "ok",
            "pego", "reserva", "reservar", "marca", "marcar", "marque", "agenda", "agendar", "confirma", "cancela",
            "cancelar", "muda", "vou", "gostei",
        ];
        const BEHIND: [&str; 11] =
            ["por", "pf", "pfv", "please", "obrigado", "obrigada", "serve", "fica", "esta", "ta", "parece"];
        let place = match self.text_at(from) {
            "segunda" => 2,
            "quarta" => 4,
            "quinta" => 5,
            "sexta" => 6,
            _ => return reading,
        };
        let mark = |index: usize| {
            self.tokens.get(index).is_none_or(|token| token.kind == TokenKind::Mark && token.text != "-")
        };
        let article = before(self.tokens, from, 1) == "a";
        let chosen = from.checked_sub(2).is_none_or(|index| mark(index) || CHOOSING.contains(&self.text_at(index)));
        // Of the words that qualify a weekday only "mesmo" may stand behind either.
        let plain = to == from.saturating_add(1) || before(self.tokens, to, 1) == "mesmo";
        let ends = mark(to) || BEHIND.contains(&self.text_at(to));
        match reading {
            Ok(DateSpan::Day(day)) if article && chosen && plain && ends => {
                Err(DateProblem::Ambiguous { readings: vec![Meaning::Day(day), Meaning::Place(place)] })
            }
            reading => reading,
        }
    }

    /// The next day of that name from `first` on.
    fn next(first: Date, weekday: Weekday) -> Date {
        let ahead = first.weekday().until(weekday);
        first.saturating_add(i64::from(ahead).days())
    }

    /// A weekday with its qualifiers; the third value is set if it is a bare name that a date may absorb.
    pub(super) fn weekday(&self, from: usize) -> Option<(usize, Option<Weekday>, Reading)> {
        const NEXT: [&str; 5] = ["proxima", "proximo", "prox", "next", "coming"];
        const THIS: [&str; 8] = ["nesta", "nessa", "neste", "nesse", "esta", "essa", "este", "this"];
        const LAST: [&str; 5] = ["ultima", "ultimo", "last", "passada", "passado"];
        if let Some((to, reading)) = self.nth_weekday(from) {
            return Some((to, None, reading));
        }
        let lead = self.text_at(from);
        let (is_next, is_this, is_last) = (NEXT.contains(&lead), THIS.contains(&lead), LAST.contains(&lead));
        let qualified = is_next || is_this || is_last;
        let mut name_at = if qualified { from.saturating_add(1) } else { from };
        if qualified && self.text_at(name_at) == "." {
            name_at = name_at.saturating_add(1);
        }
        let (weekday, mut to) = self.weekday_name(name_at)?;
        let tomorrow = self.plus(1.day());
        let mut date = Self::next(tomorrow, weekday);
        if is_this {
            date = Self::next(self.today, weekday);
        }
        if is_last {
            date = Self::next(self.plus(-(7.days())), weekday);
        }
        let in_next_week = [
            "da semana que vem",
            "da semana q vem",
            "semana que vem",
            "da proxima semana",
            "da semana seguinte",
            "da outra semana",
            "na semana que vem",
            "of next week",
            "next week",
        ];
        if let Some(end) = self.phrase(to, &in_next_week) {
            let offset = i64::from(weekday.to_monday_zero_offset());
            date = self.monday().saturating_add(7.days()).saturating_add(offset.days());
            to = end;
        } else if let Some(end) = self.phrase(to, &["que vem", "q vem", "seguinte", "proxima", "proximo"]) {
            to = end;
        } else if let Some(end) = self.phrase(to, &["agora", "mesmo", "dessa semana", "desta semana"]) {
            date = Self::next(self.today, weekday);
            to = end;
        } else if let Some(end) = self.phrase(to, &["passada", "passado"]) {
            date = Self::next(self.plus(-(7.days())), weekday);
            to = end;
        }
        Some((to, Some(weekday), Ok(DateSpan::Day(date))))
    }

    /// "Primeira sexta de julho", "first Friday of July".
    fn nth_weekday(&self, from: usize) -> Option<(usize, Reading)> {
        let nth = ordinal(self.text_at(from))?;
        let (weekday, next) = self.weekday_name(from.saturating_add(1))?;
        let next = self.phrase(next, &["de", "do", "of", "deste", "desse"])?;
        let month = match self.text_at(next) {
            "mes" => self.today.month(),
            name => month_named(name)?,
        };
        let to = next.saturating_add(1);
        let nth: i8 = if nth == 5 { -1 } else { i8::try_from(nth).ok()? };
        let this = self.today.year();
        let date = (this..=this.saturating_add(1))
            .filter_map(|year| Date::new(year, month, 1).ok()?.nth_weekday_of_month(nth, weekday).ok())
            .find(|date| *date >= self.today || self.text_at(next) == "mes")?;
        Some((to, Ok(DateSpan::Day(date))))
    }

    /// The weekday named at `index`, and the token behind it.
    fn weekday_name(&self, index: usize) -> Option<(Weekday, usize)> {
        let next = index.saturating_add(1);
        if self.tokens.get(index)?.kind == TokenKind::Number {
            // 2ª to 6ª, as Brazilian calendars count.
            let weekday = match self.text_at(index) {
                "2" => Weekday::Monday,
                "3" => Weekday::Tuesday,
                "4" => Weekday::Wednesday,
                "5" => Weekday::Thursday,
                "6" => Weekday::Friday,
                _ => return None,
            };
            let marked = self.text_at(next) == "a" && self.glued(next);
            return marked.then(|| (weekday, self.behind_feira(next.saturating_add(1))));
        }
        let name = self.text_at(index);
        let weekday = weekday_named(name)?;
        let to = self.behind_feira(next);
        if to == next {
            // Ordinals and verbs that only look like weekdays.
            const COUNTED: [&str; 12] = [
                "vez",
                "opcao",
                "parte",
                "via",
                "sessao",
                "aplicacao",
                "dose",
                "etapa",
                "mao",
                "pessoa",
                "consulta",
                "unidade",
            ];
            let ordinal = ["segunda", "terca", "quarta", "quinta", "sexta"].contains(&name);
            if ordinal && COUNTED.contains(&self.text_at(to)) {
                return None;
            }
            const LEADS: [&str; 9] = ["na", "nessa", "nesta", "proxima", "essa", "esta", "ate", "prox", "toda"];
            let verb = name == "ter" && !LEADS.contains(&before(self.tokens, index, 1)) && self.text_at(to) != ",";
            let english = ["sun", "sat", "mon"].contains(&name) && self.glued(to) && self.text_at(to) == "'";
            if verb || english {
                return None;
            }
        }
        let to = if self.text_at(to) == "."
            && name.len() == 3
            && self.glued(to)
            && !self.text_at(to.saturating_add(1)).is_empty()
        {
            to.saturating_add(1)
        } else {
            to
        };
        Some((weekday, to))
    }

    fn behind_feira(&self, index: usize) -> usize {
        let feira = ["feira", "f", "feiras"];
        if self.text_at(index) == "-" && feira.contains(&self.text_at(index.saturating_add(1))) {
            index.saturating_add(2)
        } else if feira.contains(&self.text_at(index)) && self.text_at(index) != "f" {
            index.saturating_add(1)
        } else {
            index
        }
    }
}

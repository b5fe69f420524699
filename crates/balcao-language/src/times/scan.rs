//! The scanner behind `find_times`: at each token, windows first, then clocks; then a lone period settles a lone hour.

use jiff::civil::Time;

use super::{Period, TimeMatch, TimeReading, TimeWindow, periods::PERIODS};
use crate::{
    normalize::{Token, TokenKind, before, is_glued, phrase_at, text_at},
    numbers::number_at,
};

/// Whether a number without any sign of a time counts as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bare {
    Accepted,
    Refused,
}

/// A time as it was written, before morning or afternoon is settled.
#[derive(Debug, Clone, Copy)]
struct Clock {
    hour: i8,
    minute: i8,
    /// The token behind it.
    to: usize,
    /// `h`, `:`, minutes or a period stood there: it is a time without further evidence.
    marked: bool,
    /// Figures with `h` or minutes: "7h" is closer to the written clock than "às 7".
    figures: bool,
    /// Nothing is left open.
    settled: bool,
    /// From when on the hour is as written: the business is open.
    opens: Time,
}

struct Hit {
    from: usize,
    to: usize,
    reading: TimeReading,
    /// The clock behind it, if its half of the day was assumed.
    open: Option<Clock>,
}

/// `opens`: from then on a bare hour is not taken for the afternoon's.
pub(super) fn scan(tokens: &[Token], bare: Bare, opens: Time) -> Vec<TimeMatch> {
    let scanner = Scanner { tokens, bare, opens };
    let mut hits: Vec<Hit> = Vec::new();
    let mut index = 0;
    while index < tokens.len() {
        let hit = scanner.window_at(index).or_else(|| scanner.period_at(index)).or_else(|| scanner.time_at(index));
        match hit {
            Some(hit) => {
                index = hit.to.max(index.saturating_add(1));
                hits.push(hit);
            }
            None => index = index.saturating_add(1),
        }
    }
    settle_by_period(&mut hits);
    let place = |hit: Hit| TimeMatch {
        start: tokens.get(hit.from).map_or(0, |token| token.start),
        end: tokens.get(hit.to.saturating_sub(1)).map_or(0, |token| token.end),
        reading: hit.reading,
    };
    hits.into_iter().map(place).collect()
}

/// "Pela tarde às 7": one open hour and one period make one time.
fn settle_by_period(hits: &mut Vec<Hit>) {
    let [first, second] = hits.as_slice() else { return };
    let (period, clock, from, to) = match (&first.reading, &second.reading, first.open, second.open) {
        (TimeReading::Window(window), TimeReading::At { .. }, None, Some(clock))
        | (TimeReading::At { .. }, TimeReading::Window(window), Some(clock), None) => {
            (window.period, clock, first.from, second.to)
        }
        _ => return,
    };
    let Some(period) = period else { return };
    let adjusted = clock.within(period);
    let Some(time) = adjusted.time() else { return };
    let reading = TimeReading::At { time, assumed_pm: false, approximate: false };
    *hits = vec![Hit { from, to, reading, open: None }];
}

impl Clock {
    fn time(self) -> Option<Time> {
        Time::new(if self.hour == 24 { 0 } else { self.hour }, self.minute, 0, 0).ok()
    }

    /// True if the afternoon is the better guess.
    fn assumes_pm(self) -> bool {
        let last = if self.figures { 6 } else { 7 };
        let closed = (self.hour, self.minute) < (self.opens.hour(), self.opens.minute());
        !self.settled && (1..=last).contains(&self.hour) && closed
    }

    fn resolved(self) -> Self {
        if self.assumes_pm() { self.later() } else { self }
    }

    fn later(self) -> Self {
        Self { hour: self.hour.saturating_add(12), settled: true, ..self }
    }

    fn within(self, period: Period) -> Self {
        let settled = Self { settled: true, marked: true, ..self };
        match period {
            Period::Morning => settled,
            Period::Night if self.hour == 12 => Self { hour: 0, ..settled },
            Period::Night => settled,
            Period::Afternoon | Period::Evening if self.hour < 12 => settled.later(),
            Period::Evening if self.hour == 12 => Self { hour: 0, ..settled },
            Period::Afternoon | Period::Evening => settled,
        }
    }
}

struct Scanner<'a> {
    tokens: &'a [Token],
    bare: Bare,
    opens: Time,
}

impl Scanner<'_> {
    fn text_at(&self, index: usize) -> &str {
        text_at(self.tokens, index)
    }

    fn phrase(&self, index: usize, phrases: &[&str]) -> Option<usize> {
        phrase_at(self.tokens, index, phrases).map(|len| index.saturating_add(len))
    }

    /// True if what stands at `index` cannot be a thing that is being counted.
    fn ends_number(&self, index: usize) -> bool {
        const AFTER: &[&str] = &[
            "e", "ou", "da", "de", "do", "das", "em", "no", "na", "com", "hoje", "amanha", "hj", "pra", "para", "por",
            "se", "ta", "pode", "podem", "ok", "sim", "entao", "mesmo", "que", "q", "nao", "tem", "seria", "fica",
            "serve", "dia", "segunda", "terca", "quarta", "quinta", "sexta", "sabado", "domingo", "seg", "qua", "qui",
            "sex", "sab", "dom", "the", "on", "at", "tomorrow", "today", "please", "for", "with", "and", "or", "is",
            "works", "la", "ai", "quero", "marca", "marcar", "rola", "blz", "beleza", "obrigado", "obrigada", "obg",
            "pf", "pfv", "ja", "tambem", "tbm", "ate", "as", "depois", "antes", "consigo", "consegue", "posso",
            "melhor", "vcs", "voces", "agora",
        ];
        match self.tokens.get(index) {
            None => true,
            Some(token) => match token.kind {
                TokenKind::Word => AFTER.contains(&token.text.as_str()) && !self.names_month(index),
                TokenKind::Number => false,
                TokenKind::Mark => {
                    let joins = [":", "/", "%", "+", "*", "$", "\u{b0}", "-"].contains(&token.text.as_str());
                    let decimal =
                        [".", ","].contains(&token.text.as_str()) && is_glued(self.tokens, index.saturating_add(1));
                    !joins && !decimal
                }
            },
        }
    }

    /// "20 de novembro", "22 deste mês": what stands before is a day.
    fn names_month(&self, index: usize) -> bool {
        let next = self.text_at(index.saturating_add(1));
        ["de", "do"].contains(&self.text_at(index)) && (next == "mes" || crate::dates::month_named(next).is_some())
    }

    /// "Às 9 corte" counts no cuts: what is counted stands in the plural, or is a unit.
    fn is_singular(&self, index: usize) -> bool {
        const UNITS: &[&str] = &["min", "h", "hr", "real", "mil", "por", "vez", "x", "am", "pm", "people"];
        self.tokens.get(index).is_some_and(|token| {
            let word = token.text.as_str();
            token.kind == TokenKind::Word && word.len() > 2 && !word.ends_with('s') && !UNITS.contains(&word)
        })
    }

    fn time_at(&self, from: usize) -> Option<Hit> {
        const EXACT: &[&str] = &[
            "as",
            "pras",
            "pra as",
            "para as",
            "das",
            "at",
            "a partir das",
            "ali pelas",
            "por as",
            "desde as",
            "lá as",
            "pas",
            "às",
            "para",
        ];
        const ROUGH: &[&str] = &[
            "umas",
            "pelas",
            "la pelas",
            "la pras",
            "la por",
            "por volta das",
            "por volta de",
            "por volta da",
            "perto das",
            "cerca das",
            "cerca de",
            "mais ou menos as",
            "tipo umas",
            "tipo as",
            "tipo",
            "around",
            "about",
            "la pras umas",
            "pelas umas",
            "as umas",
        ];
        let rough = self.phrase(from, ROUGH);
        let exact = self.phrase(from, EXACT).filter(|_| rough.is_none());
        if let Some(start) = rough.or(exact) {
            let strong = !["para", "tipo"].contains(&self.text_at(from));
            let ends = |clock: &Clock| self.ends_number(clock.to) || self.is_singular(clock.to);
            if let Some(clock) = self.clock(start).filter(|clock| clock.marked || strong && ends(clock)) {
                return self.hit(start, clock, rough.is_some());
            }
            return None;
        }
        if self.counts_duration(from) || self.is_of_a_date(from) {
            return None;
        }
        let clock = self.clock(from)?;
        let naked = self.bare == Bare::Accepted
            && self.ends_number(clock.to)
            && !["dia", "/", "-", ".", ",", "$", ":", "numero"].contains(&before(self.tokens, from, 1))
            && self.tokens.get(from).is_some_and(|token| !["um", "uma", "one"].contains(&token.text.as_str()));
        (clock.marked || naked).then(|| self.hit(from, clock, false)).flatten()
    }

    /// True for the month of "17/02 à noite" and the day of "dia 15 à noite": a part of the day makes no hour of either.
    fn is_of_a_date(&self, from: usize) -> bool {
        let joined = before(self.tokens, from, 1) == "/" && is_glued(self.tokens, from);
        let number = number_at(self.tokens, from).filter(|_| joined || before(self.tokens, from, 1) == "dia");
        let marks = ["h", "hs", "hr", "hrs", "hora", "horas", ":", "am", "pm"];
        number.is_some_and(|number| !marks.contains(&self.text_at(number.next)))
    }

    fn hit(&self, from: usize, clock: Clock, approximate: bool) -> Option<Hit> {
        let assumed_pm = clock.assumes_pm();
        let time = clock.resolved().time()?;
        let open = (!clock.settled && clock.hour <= 12).then_some(clock);
        Some(Hit { from, to: clock.to, reading: TimeReading::At { time, assumed_pm, approximate }, open })
    }

    /// True if the number at `from` is an amount of time: "daqui a 2 horas", "em 3h", "1h30 antes".
    fn counts_duration(&self, from: usize) -> bool {
        let lead = before(self.tokens, from, 1);
        if ["em", "in", "daqui", "ha", "dura", "durou", "cada", "faz"].contains(&lead)
            || lead == "a" && before(self.tokens, from, 2) == "daqui"
        {
            return true;
        }
        let Some(number) = number_at(self.tokens, from) else { return false };
        let unit = ["hora", "horas", "h", "hr", "hrs", "hs", "hour", "hours"].contains(&self.text_at(number.next));
        let mut after = number.next.saturating_add(usize::from(unit));
        if is_glued(self.tokens, after) && self.tokens.get(after).is_some_and(|token| token.kind == TokenKind::Number) {
            after = after.saturating_add(1);
        }
        let relative = ["antes", "before", "depois", "atras", "ago"].contains(&self.text_at(after));
        unit && (relative || self.phrase(after, &["de duracao", "de atendimento", "e meia de"]).is_some())
    }

    /// The clock that starts at `index`.
    fn clock(&self, index: usize) -> Option<Clock> {
        let named = [("noon", 12), ("midday", 12), ("meiodia", 12), ("midnight", 0), ("meianoite", 0)];
        let noon = named.iter().find_map(|(name, hour)| Some((self.phrase(index, &[name])?, *hour)));
        let noon = noon
            .or_else(|| Some((self.phrase(index, &["meio dia", "meio - dia"])?, 12)))
            .or_else(|| Some((self.phrase(index, &["meia noite", "meia - noite"])?, 0)));
        if let Some((to, hour)) = noon {
            let half = self.phrase(to, &["e meia", "e meio"]);
            let minute = if half.is_some() { 30 } else { 0 };
            let to = half.unwrap_or(to);
            let opens = self.opens;
            return Some(Clock { hour, minute, to, marked: true, figures: false, settled: true, opens });
        }
        self.minutes_to(index).or_else(|| self.hour_clock(index))
    }

    /// "Quinze para as 9", "10 pras 8".
    fn minutes_to(&self, index: usize) -> Option<Clock> {
        let minutes = number_at(self.tokens, index).filter(|number| (1..30).contains(&number.value))?;
        let said = self.phrase(minutes.next, &["minutos", "min"]);
        let hour_at = self.phrase(said.unwrap_or(minutes.next), &["para as", "pras", "pra as", "para a", "pra a"])?;
        if said.is_none() && !minutes.value.is_multiple_of(5) {
            return None;
        }
        let clock = self.hour_clock(hour_at).filter(|clock| clock.minute == 0)?;
        let minute = i8::try_from(60_u32.checked_sub(minutes.value)?).ok()?;
        Some(Clock { hour: clock.hour.checked_sub(1).filter(|hour| *hour >= 0)?, minute, marked: true, ..clock })
    }

    fn hour_clock(&self, index: usize) -> Option<Clock> {
        let number = number_at(self.tokens, index)?;
        let (to, opens) = (number.next, self.opens);
        let mut clock = Clock { hour: 0, minute: 0, to, marked: false, figures: false, settled: false, opens };
        if number.digits > 2 {
            // "340pm", "as 1530".
            let meridiem = ["am", "pm", "a", "p"].contains(&self.text_at(number.next));
            let led = ["as", "das"].contains(&before(self.tokens, index, 1)) && number.digits == 4;
            if number.digits > 4 || !(meridiem || led) {
                return None;
            }
            clock.hour = i8::try_from(number.value / 100).ok()?;
            clock.minute = i8::try_from(number.value % 100).ok()?;
            clock.figures = true;
            clock.marked = led && self.ends_number(number.next);
        } else {
            clock.hour = i8::try_from(number.value).ok()?;
            self.minutes(&mut clock, number.digits)?;
        }
        self.half_of_day(&mut clock);
        let valid = (0..=24).contains(&clock.hour) && (0..60).contains(&clock.minute);
        let twelve = clock.hour > 12 || clock.hour == 0 || number.digits == 2 && number.value < 10;
        clock.settled |= twelve;
        valid.then_some(clock)
    }

    /// Reads what follows an hour: ":30", "h30", ".30", " horas", " e meia", " e quinze". `None`: it is no hour.
    fn minutes(&self, clock: &mut Clock, digits: usize) -> Option<()> {
        let next = clock.to;
        let after = next.saturating_add(1);
        let two = |index: usize| {
            let token = self.tokens.get(index).filter(|token| token.kind == TokenKind::Number && token.text.len() == 2);
            token.and_then(|token| token.text.parse::<i8>().ok()).filter(|minute| *minute < 60)
        };
        let glued = is_glued(self.tokens, after);
        let sign = self.text_at(next);
        // "02/12: 14h" is a date and a list, "15: 30" a time with a slip.
        let listed = !glued
            && (["/", "-"].contains(&before(self.tokens, next.saturating_sub(1), 1))
                || ["h", "hs", "horas", ":"].contains(&self.text_at(after.saturating_add(1))));
        if digits > 0 && sign == ":" && !listed {
            clock.minute = two(after)?;
            clock.to = after.saturating_add(1);
            if self.text_at(clock.to) == ":" && two(clock.to.saturating_add(1)).is_some() {
                clock.to = clock.to.saturating_add(2);
            }
            (clock.marked, clock.figures) = (true, true);
        } else if digits > 0 && sign == "." && glued && is_glued(self.tokens, next) {
            let back = before(self.tokens, next.saturating_sub(1), 1);
            let priced = ["$", "dia", ".", "/"].contains(&back);
            let more = [".", "/", "reais", "%"].contains(&self.text_at(after.saturating_add(1)));
            let minute = two(after).filter(|_| !priced && !more && (6..24).contains(&clock.hour))?;
            clock.minute = minute;
            clock.to = after.saturating_add(1);
            (clock.marked, clock.figures) = (true, true);
        } else if ["h", "hs", "hr", "hrs", "hora", "horas", "hras", "hour"].contains(&sign) {
            clock.to = after;
            clock.marked = digits > 0 || clock.hour > 1;
            clock.figures = digits > 0;
            if let Some(minute) = two(after).filter(|_| glued || sign == "h") {
                clock.minute = minute;
                clock.to = after.saturating_add(1);
                if ["min", "m", "mins"].contains(&self.text_at(clock.to)) {
                    clock.to = clock.to.saturating_add(1);
                }
            }
        }
        if clock.minute == 0 {
            self.minutes_in_words(clock);
        }
        if let Some(to) = self.phrase(clock.to, &["em ponto", "o ' clock", "oclock", "sharp"]) {
            clock.to = to;
            clock.marked = true;
        }
        Some(())
    }

    fn minutes_in_words(&self, clock: &mut Clock) {
        if let Some(to) = self.phrase(clock.to, &["e meia", "e meio", "meia"]) {
            (clock.minute, clock.to, clock.marked) = (30, to, true);
            return;
        }
        let Some(start) = self.phrase(clock.to, &["e"]) else { return };
        let Some(number) = number_at(self.tokens, start) else { return };
        let plausible = number.digits == 2 || number.digits == 0 && number.value >= 4 || number.value >= 10;
        let value = i8::try_from(number.value).ok().filter(|value| (1..60).contains(value));
        let another = ["h", "hs", "horas", ":"].contains(&self.text_at(number.next));
        let even = number.value.is_multiple_of(5) || number.digits == 0;
        if let Some(minute) = value.filter(|_| plausible && even && !another) {
            let led = number.digits == 0 || number.value >= 30;
            (clock.minute, clock.to) = (minute, number.next);
            clock.marked |= led && clock.figures;
        }
    }

    /// "Da tarde", "pm", "a.m.", "in the morning".
    fn half_of_day(&self, clock: &mut Clock) {
        const MORNING: &[&str] =
            &["da manha", "de manha", "pela manha", "da matina", "in the morning", "desta manha", "dessa manha"];
        const AFTERNOON: &[&str] = &[
            "da tarde",
            "de tarde",
            "pela tarde",
            "a tarde",
            "in the afternoon",
            "desta tarde",
            "dessa tarde",
            "da tardinha",
        ];
        const EVENING: &[&str] = &[
            "da noite",
            "de noite",
            "pela noite",
            "a noite",
            "in the evening",
            "at night",
            "desta noite",
            "esta noite",
        ];
        const NIGHT: &[&str] = &["da madrugada", "de madrugada"];
        if let Some(to) = self.phrase(clock.to, &["pm", "p . m .", "p . m"]) {
            *clock = Clock { to, ..clock.within(Period::Afternoon) };
            self.minutes_in_words(clock);
        } else if let Some(to) = self.phrase(clock.to, &["am", "a . m .", "a . m"]) {
            let period = if clock.hour == 12 { Period::Night } else { Period::Morning };
            *clock = Clock { to, ..clock.within(period) };
        }
        for (phrases, period) in [
            (MORNING, Period::Morning),
            (AFTERNOON, Period::Afternoon),
            (EVENING, Period::Evening),
            (NIGHT, Period::Night),
        ] {
            if let Some(to) = self.phrase(clock.to, phrases) {
                *clock = Clock { to, ..clock.within(period) };
                return;
            }
        }
    }

    fn window_at(&self, from: usize) -> Option<Hit> {
        let day_end = clock_time(23, 59);
        let window = |to: usize, from_time: Time, until: Time| {
            let reading = TimeReading::Window(TimeWindow { from: from_time, until, period: None });
            Some(Hit { from, to, reading, open: None })
        };
        if let Some((to, first, last)) = self.range(from) {
            return window(to, first, last);
        }
        const AFTER: &[&str] = &[
            "depois das",
            "depois da",
            "depois de",
            "depois do",
            "dps das",
            "dps da",
            "apos as",
            "apos o",
            "apos",
            "a partir das",
            "a partir da",
            "a partir de",
            "a partir do",
            "partir das",
            "after",
            "from",
        ];
        const BEFORE: &[&str] = &["antes das", "antes da", "antes de", "antes do", "before", "antes as", "antes d"];
        const UP_TO: &[&str] = &[
            "ate as",
            "ate umas",
            "ate a",
            "ate o",
            "ate no maximo",
            "ate",
            "no maximo as",
            "no maximo ate as",
            "until",
            "by",
        ];
        let bounded = |phrases: &[&str]| {
            let start = self.phrase(from, phrases)?;
            let clock = self.clock(start).filter(|clock| clock.marked || self.ends_number(clock.to))?;
            Some((clock.to, clock.resolved().time()?))
        };
        if let Some((to, time)) = bounded(AFTER) {
            return window(to, time, day_end);
        }
        if let Some((to, time)) = bounded(BEFORE) {
            let until = time.checked_sub(jiff::Span::new().minutes(1)).unwrap_or(Time::MIN);
            return window(to, Time::MIN, until);
        }
        let (to, time) = bounded(UP_TO)?;
        window(to, Time::MIN, time)
    }

    /// "Entre 14 e 16h", "das 9 às 12", "de 5 a 6pm", "14-16h".
    fn range(&self, from: usize) -> Option<(usize, Time, Time)> {
        const LEADS: &[&str] = &[
            "entre as",
            "entre umas",
            "entre",
            "das",
            "de",
            "desde as",
            "between",
            "from",
            "a partir das",
            "da",
            "as",
        ];
        const LINKS: &[&str] =
            &["e as", "e umas", "e", "as", "a", "ate as", "ate umas", "ate a", "ate", "and", "to", "until", "-", "ou"];
        let start = self.phrase(from, LEADS);
        let lead = if start.is_some() { self.text_at(from) } else { "" };
        if start.is_none() && self.counts_duration(from) {
            return None;
        }
        // A window's first hour takes no "e quinze": "entre 2 e 5" are two hours.
        let first = self.clock_before_link(start.unwrap_or(from))?;
        let link = self.text_at(first.to);
        let linked = self.phrase(first.to, LINKS)?;
        let fits = match lead {
            "entre" | "between" => ["e", "and", "ate", "a", "as"].contains(&link),
            "as" => link == "-",
            "" => link == "-" || ["as", "ate"].contains(&link) && first.marked,
            _ => !["e", "and", "ou"].contains(&link),
        };
        let second = self.clock(linked).filter(|_| fits)?;
        let strong = ["entre", "das", "between"].contains(&lead);
        let evident = second.marked || strong && self.ends_number(second.to);
        if !evident {
            return None;
        }
        let (mut low, mut high) = (first, second.resolved());
        if second.settled && !first.settled && first.hour < 12 && second.hour > 12 {
            let later = first.later();
            let fits = (later.hour, later.minute) < (second.hour, second.minute);
            let morning = first.hour >= 8 || first.figures;
            low = if fits && !morning { later } else { low };
        } else if !(second.settled && second.hour <= 12) {
            low = low.resolved();
        }
        if (high.hour, high.minute) <= (low.hour, low.minute) && high.hour < 12 {
            high = high.later();
        }
        let (low, high) = (low.time()?, high.time()?);
        (low < high).then_some((second.to, low, high))
    }

    fn clock_before_link(&self, index: usize) -> Option<Clock> {
        let clock = self.clock(index)?;
        let number = number_at(self.tokens, index);
        let swallowed = number.is_some_and(|number| {
            self.text_at(number.next) == "e" && clock.minute != 0 && clock.minute != 30 && clock.to > number.next
        });
        match number.filter(|_| swallowed) {
            Some(number) => Some(Clock {
                hour: i8::try_from(number.value).ok().filter(|hour| *hour <= 24)?,
                minute: 0,
                to: number.next,
                marked: false,
                figures: false,
                settled: number.value > 12,
                opens: self.opens,
            }),
            None => Some(clock),
        }
    }

    fn period_at(&self, from: usize) -> Option<Hit> {
        let greeted = ["boa", "bom", "good"].contains(&before(self.tokens, from, 1));
        let late = ["mais", "muito", "tao", "ja"].contains(&before(self.tokens, from, 1))
            || self.text_at(from.saturating_add(1)) == "demais";
        if greeted || late {
            return None;
        }
        PERIODS.iter().find_map(|(phrases, first, last, period)| {
            let to = self.phrase(from, phrases)?;
            let window =
                TimeWindow { from: clock_time(first.0, first.1), until: clock_time(last.0, last.1), period: *period };
            Some(Hit { from, to, reading: TimeReading::Window(window), open: None })
        })
    }
}

fn clock_time(hour: i8, minute: i8) -> Time {
    Time::new(hour, minute, 0, 0).unwrap_or_default()
}

//! Figures need sources: a price, a date or a time of day in a reply must stand in what tools returned or in what was said.
//!
//! It tells an invented figure from a looked-up one, not a figure in its right place from one in a wrong place: that is the
//! receipts' task, where there is one. An end beside its start ("das 15h às 15h40") may be reckoned and needs no source,
//! unless the sentence tells when the business is open.

use std::sync::LazyLock;

use balcao_language::{DateProblem, DateSpan, TimeReading, find_dates, find_times, normalize};
use jiff::civil::{Date, Time};
use regex::Regex;

use super::{Evidence, facts::prices_in};

/// A figure of a reply that stands in no source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UngroundedValue {
    /// An amount of money, in cents.
    Price(i64),
    /// A date.
    Date(Date),
    /// A time of day.
    Time(Time),
}

static ISO: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\d{4}-\d{2}-\d{2}").ok());
/// Hours and minutes in figures, as people and JSON write them.
static CLOCK: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)(?:\b|T)([01]?\d|2[0-3])(?:[:h]([0-5]\d)|\s?h(?:s|rs|oras?)?\b)").ok());

/// What stands between a start and an end.
const RANGE: &[&str] = &["-", "–", "a", "as", "ate", "ate as", "ate a", "e as", "to", "until", "till"];

/// Words of sentences that tell when the business is open.
const OPENING: &[&str] = &[
    "funciona",
    "abre",
    "abri",
    "fecha",
    "atende",
    "atendimento",
    "aberto",
    "aberta",
    "expediente",
    "open",
    "close",
    "hours",
];

/// Words before a time that make a small figure one ("às 3h"); without them "3h" is a length.
const BEFORE_A_TIME: &[&str] =
    &["as", "a", "das", "de", "ate", "desde", "entre", "e", "ou", "at", "from", "until", "to", "or", "and"];

/// Words before a length of time.
const MEASURING: &[&str] = &["dura", "duram", "leva", "levam", "demora", "demoram", "em", "takes", "lasts", "in"];

/// The first figure of the reply that stands in no receipt and in none of the sources: what was `said` and returned, and
/// the `prompt`. Its calendar proves which weekday a date is, and not that anything is free then: beside a time of day only
/// its lines with a time prove a date, such as a pinned appointment.
#[must_use]
pub fn find_ungrounded<'a>(
    text: &str,
    evidence: &Evidence,
    said: impl Iterator<Item = &'a str>,
    prompt: &'a str,
) -> Option<UngroundedValue> {
    let sources = said.map(|source| (source, false)).chain([(prompt, true)]);
    let receipts = &evidence.receipts;
    let mut prices = prices_in(text);
    prices.retain(|price| !receipts.iter().any(|receipt| receipt.price_cents == Some(*price)));
    let mut dates = dates_of(text, evidence.today);
    let booked: Vec<Date> = receipts.iter().filter_map(|receipt| receipt.day).collect();
    dates.retain(|date| !date.is_one_of(&booked));
    let clocks = times_of(text);
    let proven: Vec<Time> = receipts.iter().flat_map(|receipt| [receipt.start, receipt.end]).flatten().collect();
    let unproven = |index: &usize| clocks.get(*index).is_some_and(|time| !time.is_one_of(&proven));
    let mut times: Vec<usize> = (0..clocks.len()).filter(unproven).collect();
    for (source, is_prompt) in sources {
        if prices.is_empty() && times.is_empty() && dates.is_empty() {
            return None;
        }
        if !prices.is_empty() {
            let known = prices_in(source);
            prices.retain(|price| !known.contains(price));
        }
        if !dates.is_empty() {
            let known = known_dates(source, evidence.today);
            let beside_times = if is_prompt { dates_beside_times(source, evidence.today) } else { known.clone() };
            dates.retain(|date| !date.is_one_of(if date.timed { &beside_times } else { &known }));
        }
        if !times.is_empty() {
            let known = known_times(source);
            times.retain(|index| !clocks.get(*index).is_some_and(|time| time.is_one_of(&known)));
        }
    }
    let open = |index: &usize| {
        let reckoned = index.checked_sub(1).is_some_and(|before| !times.contains(&before));
        clocks.get(*index).filter(|time| !(time.ends_range && reckoned))
    };
    let price = prices.first().map(|cents| UngroundedValue::Price(*cents));
    let date = dates.first().map(|said| UngroundedValue::Date(said.date));
    price.or(date).or_else(|| times.iter().find_map(open).map(|said| UngroundedValue::Time(said.time)))
}

/// The dates that a reply names in figures or by month; beside a time of day also "hoje" and "amanhã": what is free or
/// booked then is a statement about that day. Weekdays alone say less and are not looked at, and today's date is known.
fn dates_of(text: &str, today: Date) -> Vec<SaidDate> {
    let mut all = Vec::new();
    for sentence in text.split_inclusive(['!', '?', '\n', ';']).flat_map(|part| part.split_inclusive(". ")) {
        let timed = !clocks(sentence).is_empty();
        for found in find_dates(sentence, today) {
            let said = sentence.get(found.start..found.end).unwrap_or_default();
            let day = match found.reading {
                Ok(DateSpan::Day(day)) => day,
                Ok(DateSpan::Range { .. }) => continue,
                Err(problem) => match problem.readings().first() {
                    Some(day) => *day,
                    None => continue,
                },
            };
            let in_figures = said.contains(|c: char| c.is_ascii_digit());
            let relative = RELATIVE.contains(&normalize(said).as_str());
            if timed && (in_figures || relative) || in_figures && day != today {
                all.push(SaidDate { date: day, timed, any_year: in_figures && !names_year(said, day) });
            }
        }
    }
    all
}

/// Whether a date is written with its year, in full or by its last two figures: "23/11/2026", "23/11/26".
fn names_year(said: &str, date: Date) -> bool {
    let year = date.year().to_string();
    let short = year.get(2..).unwrap_or_default();
    let mut figures = said.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    figures.clone().any(|part| part == year) || figures.nth(2) == Some(short)
}

/// The dates of a prompt's lines that name a time, too. One such line says what time it is now: today needs another.
fn dates_beside_times(prompt: &str, today: Date) -> Vec<Date> {
    let timed = prompt.lines().filter(|line| !in_figures(line).is_empty());
    let lines: Vec<Vec<Date>> = timed.map(|line| known_dates(line, today)).collect();
    let today_too = lines.iter().filter(|line| line.contains(&today)).count() >= 2;
    lines.into_iter().flatten().filter(|date| today_too || *date != today).collect()
}

/// Days by their distance from today.
const RELATIVE: &[&str] = &["hoje", "hj", "amanha", "depois de amanha", "today", "tomorrow", "the day after tomorrow"];

/// Every date that a source names: in JSON by figures, elsewhere also by words.
fn known_dates(source: &str, today: Date) -> Vec<Date> {
    let iso = ISO.iter().flat_map(|regex| regex.find_iter(source)).filter_map(|found| found.as_str().parse().ok());
    let mut known: Vec<Date> = iso.collect();
    // A tool's result is long and has ISO dates; its messages may have others.
    if !source.starts_with(['{', '[']) || source.contains('/') {
        known.extend(find_dates(source, today).into_iter().flat_map(|date| match date.reading {
            // "Sexta dia 10" names the tenth, though it is a Thursday.
            Ok(DateSpan::Day(day)) | Err(DateProblem::WeekdayMismatch { date: day, .. }) => vec![day],
            Ok(DateSpan::Range { .. }) => Vec::new(),
            Err(problem) => problem.readings(),
        }));
    }
    known
}

/// A date in a reply.
#[derive(Debug, Clone, Copy)]
struct SaidDate {
    date: Date,
    /// A time of day stands beside it.
    timed: bool,
    /// Without its year "23/11" is read as the next one; of a day that is over ("23/11 já passou") the last one is meant.
    any_year: bool,
}

impl SaidDate {
    fn is_one_of(&self, known: &[Date]) -> bool {
        let same_day = |one: &Date| (one.month(), one.day()) == (self.date.month(), self.date.day());
        known.contains(&self.date) || self.any_year && known.iter().any(same_day)
    }
}

/// A time of day in a reply.
#[derive(Debug, Clone, Copy)]
struct KnownTime {
    time: Time,
    /// "3h" may be fifteen, and what was read as fifteen may be three.
    half_day_open: bool,
    /// The end of a span whose start stands before it, outside of sentences on opening hours.
    ends_range: bool,
}

impl KnownTime {
    fn is_one_of(&self, known: &[Time]) -> bool {
        let other = self.time.wrapping_add(jiff::Span::new().hours(12));
        known.contains(&self.time) || self.half_day_open && known.contains(&other)
    }
}

fn times_of(text: &str) -> Vec<KnownTime> {
    let mut all: Vec<KnownTime> = Vec::new();
    for sentence in text.split_inclusive(['.', '!', '?', '\n', ';']) {
        let folded = normalize(sentence);
        let tells_hours = OPENING.iter().any(|word| folded.contains(word));
        let mut before: Option<usize> = None;
        for (start, end, time, half_day_open) in clocks(sentence) {
            let between = before.and_then(|end| sentence.get(end..start)).map(normalize);
            let ranges = between.is_some_and(|between| RANGE.contains(&between.trim()));
            all.push(KnownTime { time, half_day_open, ends_range: ranges && !tells_hours });
            before = Some(end);
        }
    }
    all
}

/// The times of a sentence with their places, lengths of time and vague hours left out.
fn clocks(sentence: &str) -> Vec<(usize, usize, Time, bool)> {
    let mut all = Vec::new();
    for found in find_times(sentence) {
        if is_length(sentence, found.start, found.end) {
            continue;
        }
        match found.reading {
            TimeReading::At { time, assumed_pm, approximate: false } => {
                all.push((found.start, found.end, time, assumed_pm));
            }
            TimeReading::At { .. } => {}
            TimeReading::Window(_) => {
                let span = sentence.get(found.start..found.end).unwrap_or_default();
                all.extend(in_figures(span).into_iter().map(|(start, end, time)| {
                    let early = time.hour() < 8;
                    (found.start.saturating_add(start), found.start.saturating_add(end), time, early)
                }));
            }
        }
    }
    all
}

/// "Leva 1h", "2 horas antes": how long, not when.
fn is_length(sentence: &str, start: usize, end: usize) -> bool {
    let text = |from: usize, to: usize| normalize(sentence.get(from..to).unwrap_or_default());
    let (before, said, after) = (text(0, start), text(start, end), text(end, sentence.len()));
    let last = before.split_whitespace().next_back().unwrap_or_default();
    let first = said.split_whitespace().next().unwrap_or_default();
    let small = matches!(first.split(['h', ' ']).next(), Some("1" | "2" | "3" | "4" | "5" | "6"));
    let unannounced = small && !first.contains(':') && !BEFORE_A_TIME.contains(&last);
    let measures = ["antes", "before", "earlier", "depois", "later", "de antecedencia", "de duracao"];
    unannounced || MEASURING.contains(&last) || measures.iter().any(|word| after.trim_start().starts_with(word))
}

fn in_figures(text: &str) -> Vec<(usize, usize, Time)> {
    let clocks = CLOCK.iter().flat_map(|regex| regex.captures_iter(text));
    clocks
        .filter_map(|found| {
            let figure = |index: usize| found.get(index).map_or(Some(0), |figure| figure.as_str().parse::<i8>().ok());
            let whole = found.get(0)?;
            Some((whole.start(), whole.end(), Time::new(figure(1)?, figure(2)?, 0, 0).ok()?))
        })
        .collect()
}

/// Every time that a source names, in figures or in words.
fn known_times(source: &str) -> Vec<Time> {
    let mut known: Vec<Time> = in_figures(source).into_iter().map(|(_, _, time)| time).collect();
    // Results of tools write figures; only people write words.
    if !source.starts_with(['{', '[']) {
        for found in find_times(source) {
            match found.reading {
                TimeReading::At { time, .. } => known.push(time),
                TimeReading::Window(window) => known.extend([window.from, window.until]),
            }
        }
    }
    known
}

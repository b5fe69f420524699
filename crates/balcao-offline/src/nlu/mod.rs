//! From a customer's words to acts and slots. Nothing here knows the business: names are matched later, in `catalog`.

mod acts;
#[rustfmt::skip] // tables of words: one a line would be a thousand lines
mod phrases;
mod polarity;
mod slots;
mod wishes;

use balcao_language::{Locale, TimeReading, TimeWindow, english, normalize, tokens};
use jiff::civil::{Date, Time};

pub use acts::Act;
pub(crate) use slots::{capital, own_name};

/// What one message (or burst) says.
#[derive(Debug, Clone, PartialEq)]
pub struct Utterance {
    /// As it came.
    pub text: String,
    /// What it does; may be empty ("sexta 15h").
    pub acts: Vec<Act>,
    /// Its questions for the knowledge base, each as a search query.
    pub questions: Vec<String>,
    /// The days it names that are not ruled out, in order.
    pub days: Vec<Day>,
    /// True if it rules out every day that it names: "amanhã não posso".
    pub ruled_out: bool,
    /// A date that cannot be, that contradicts its weekday, or that may be several days.
    pub problem: Option<balcao_language::DateProblem>,
    /// The times it names.
    pub times: Vec<Time>,
    /// A time that no clock has, as written: "25h".
    pub impossible_time: Option<String>,
    /// The times it would name as the answer to "what time?".
    pub bare_times: Vec<Time>,
    /// A part of the day.
    pub window: Option<TimeWindow>,
    /// The name that the writer gives as their own.
    pub own_name: Option<String>,
    /// The e-mail address in it.
    pub email: Option<String>,
    /// "1 hora antes", in minutes.
    pub minutes_before: Option<u32>,
    /// True if it is English rather than Portuguese; `None` if it is too short to tell.
    pub english: Option<bool>,
}

/// A day or span of days in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    /// The first day.
    pub first: Date,
    /// The last day; equal to the first for one day.
    pub last: Date,
    /// True if "para" or "pra" leads it: where something is to go.
    pub target: bool,
    /// True if the day is only a weekday ("sexta"), which may mean another week than the coming one.
    pub weekday: bool,
}

impl Day {
    /// Exactly this day.
    #[must_use]
    pub const fn on(date: Date) -> Self {
        Self { first: date, last: date, target: false, weekday: false }
    }
}

impl Utterance {
    /// True if it does `act`.
    #[must_use]
    pub fn is(&self, act: Act) -> bool {
        self.acts.contains(&act)
    }

    /// True if it says something that a question asked again may take into account: when, who, or what they want instead.
    #[must_use]
    pub fn adds_something(&self) -> bool {
        const WISHES: [Act; 9] = [
            Act::AnyTime,
            Act::AnyProfessional,
            Act::Earliest,
            Act::Latest,
            Act::Later,
            Act::Sooner,
            Act::Book,
            Act::Availability,
            Act::Greeting,
        ];
        self.has_when() || self.own_name.is_some() || WISHES.into_iter().any(|act| self.is(act))
    }

    /// True if it gives a day, time or part of the day.
    #[must_use]
    pub fn has_when(&self) -> bool {
        !self.days.is_empty() || !self.times.is_empty() || self.window.is_some()
    }
}

/// "Sexta 15h com a Íris, se não der sábado com o Wesley": what is wanted first. The whole text if it has no such condition,
/// or nothing before it.
#[must_use]
pub fn before_condition(text: &str) -> &str {
    const CONDITIONS: &[&str] = &[
        "se ela",
        "se ele",
        "se nao",
        "se n",
        "se estiver",
        "se tiver ocupado",
        "se ta",
        "se esta",
        "caso",
        "senao",
        "ou entao",
        "if she",
        "if he",
        "if not",
        "otherwise",
    ];
    let all = tokens(text);
    let word = |index: usize| all.get(index).map_or("", |token| token.text.as_str());
    let opens = |index: &usize| {
        CONDITIONS
            .iter()
            .any(|words| words.split(' ').enumerate().all(|(at, one)| word(index.saturating_add(at)) == one))
    };
    let end = (1..all.len()).find(opens).and_then(|index| all.get(index));
    end.and_then(|token| text.get(..token.start)).unwrap_or(text)
}

/// What a message is read by: the day it was written on, and from when on the business is open.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    /// The organization's civil day.
    pub today: Date,
    /// From this time on a bare hour is as written: "às 6" means six in the morning if a professional works then.
    pub opens: Time,
    /// The language of the conversation, for messages whose language is unclear.
    pub locale: Locale,
}

impl From<Date> for Clock {
    fn from(today: Date) -> Self {
        Self { today, opens: Time::MAX, locale: Locale::PtBr }
    }
}

/// Reads a message, as far as it is looked at ([`balcao_language::looked_at`]). `tools` are the names of the tools: a customer who writes one is not talking to the front desk.
#[must_use]
pub fn read(text: &str, clock: impl Into<Clock>, tools: &[&str]) -> Utterance {
    let Clock { today, opens, locale } = clock.into();
    let text = balcao_language::looked_at(text);
    // The day and time of a second choice are not wanted: "sexta 15h, se não der sábado 9h".
    let first = before_condition(text);
    let has_when =
        !balcao_language::find_dates(first, today).is_empty() || !balcao_language::find_times(first).is_empty();
    let first = if has_when { first } else { text };
    let slots::Days { named: days, ruled_out, problem } = slots::days(first, today, locale);
    let mut found = balcao_language::find_times_from(first, opens);
    if found.len() > 1 {
        // "17h em vez das 15h" wants the first.
        found.retain(|one| {
            let before = normalize(text.get(..one.start).unwrap_or_default());
            !["em vez das", "em vez de", "ao inves das", "ao inves de", "no lugar das", "instead of"].iter().any(
                |lead| {
                    before.ends_with(lead)
                        || before.ends_with(&format!("{lead} as"))
                        || before.trim_end_matches(" das").ends_with("em vez")
                },
            )
        });
    }
    let times = |found: &[balcao_language::TimeMatch]| -> Vec<Time> {
        let at = |reading: &TimeReading| match reading {
            TimeReading::At { time, .. } => Some(*time),
            TimeReading::Window(_) => None,
        };
        found.iter().filter_map(|found| at(&found.reading)).collect()
    };
    let window = found.iter().find_map(|found| match found.reading {
        TimeReading::Window(window) => Some(window),
        TimeReading::At { .. } => None,
    });
    let mut utterance = Utterance {
        text: text.to_owned(),
        acts: Vec::new(),
        questions: Vec::new(),
        days,
        ruled_out,
        problem,
        times: times(&found),
        impossible_time: slots::impossible_time(text),
        bare_times: times(&balcao_language::bare_hours_from(text, opens)),
        window,
        own_name: slots::own_name(text),
        email: slots::email(text),
        minutes_before: slots::minutes_before(text),
        english: english(text),
    };
    let (acts, questions) = acts::acts(text, tools, &utterance);
    utterance.acts = acts;
    utterance.questions = questions;
    utterance
}

impl Utterance {
    /// True if it says something besides when.
    #[must_use]
    pub fn has_foreign_words(&self) -> bool {
        !acts::significant(&self.text).is_empty()
    }
}

/// The words and numbers of a text, folded, with a blank before, between and after.
pub(crate) fn spaced(text: &str) -> String {
    let mut out = String::from(" ");
    for token in tokens(text) {
        if token.text.chars().all(char::is_alphanumeric) {
            out.push_str(&token.text);
            out.push(' ');
        }
    }
    out
}

/// True if one of `phrases` occurs in a [`spaced`] text as whole words; a phrase that ends in `*` may go on.
pub(crate) fn has(spaced: &str, phrases: &[&str]) -> bool {
    // Word by word from its start: far cheaper than a search of the text for each phrase.
    let starts = spaced.match_indices(' ').filter_map(|(at, _)| spaced.get(at.saturating_add(1)..));
    let starts: Vec<&str> = starts.filter(|rest| !rest.is_empty()).collect();
    phrases.iter().any(|phrase| {
        let (words, open) = phrase.strip_suffix('*').map_or((*phrase, false), |stem| (stem, true));
        let whole = |rest: &str| open || rest.as_bytes().get(words.len()) == Some(&b' ');
        starts.iter().any(|rest| rest.starts_with(words) && whole(rest))
    })
}

#[cfg(test)]
#[path = "nlu_tests.rs"]
mod tests;

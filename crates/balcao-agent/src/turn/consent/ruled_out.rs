//! Whether a text of ours says that what a call does cannot be.

use std::collections::BTreeMap;

use balcao_language::{Asked, TimeMatch, find_times, is_first_name, resolve_date, weekday_named};
use balcao_tool::SaidAs;
use jiff::civil::{Date, Time};
use serde_json::Value;

use super::{
    clauses::{Clause, Role, affirms, clauses},
    named::{days_in, in_words, ranges_in, telling, without_when},
    offer::{denies_only, leads_unclearly, states_only},
    vocabulary::{OFFERING, OPEN_QUESTIONS, PROFESSIONS, TITLES},
};
use crate::turn::grounding::{DialogueHistory, clock_time, fits, words};

/// So many commas of a sentence are tried.
const MOST_COMMAS: usize = 4;

/// What a call does, in the terms of a text.
struct Wanted {
    days: Vec<Date>,
    times: Vec<Time>,
    people: Vec<String>,
    services: Vec<String>,
}

impl Wanted {
    fn new(args: &Value, kinds: &BTreeMap<String, SaidAs>, today: Date) -> Self {
        let given = |kind: SaidAs| {
            kinds.iter().filter(move |(_, said)| **said == kind).filter_map(|(name, _)| args.get(name)?.as_str())
        };
        let is_small = |word: &String| OPEN_QUESTIONS.contains(&word.as_str()) || OFFERING.contains(&word.as_str());
        Self {
            days: given(SaidAs::Day).filter_map(|day| Some(resolve_date(day, today).ok()?.date)).collect(),
            times: given(SaidAs::Time).filter_map(clock_time).collect(),
            people: given(SaidAs::Name).flat_map(telling).filter(|word| !is_small(word)).collect(),
            services: given(SaidAs::Service).flat_map(telling).filter(|word| !is_small(word)).collect(),
        }
    }

    fn names_time(&self, times: &[TimeMatch]) -> bool {
        times.iter().any(|found| self.times.iter().any(|time| fits(found.reading, *time)))
    }
}

/// A clause, and what it names.
struct Reading {
    clause: Clause,
    said: Vec<String>,
    days: Vec<Date>,
    ranges: Vec<(Date, Date)>,
    times: Vec<TimeMatch>,
    /// It may deny: it has words that are not known of offers.
    is_unclear: bool,
    /// It is a denial that is said of what was asked for.
    denies_only: bool,
}

/// What is offered again, whatever was denied.
struct Again {
    said: Vec<String>,
    days: Vec<Date>,
    is_time_named: bool,
    /// The words of all statements, clear or not: of services only denials speak.
    mentioned: Vec<String>,
}

/// Whether a text of ours says that what a call does cannot be: one of its clauses denies, names something of the call and no other day
/// or time, and no clause offers that again. "O Wesley não atende sexta, só o Bruno" leaves Bruno, and Wesley on another day. A denial that
/// names nothing, such as "esse dia não dá", is of the call, unless its day or time is offered.
///
/// A statement that names the day, the time or the person, and has a word that is not known of offers, counts as a denial: it may be one
/// ("quinta lotou"), and the customer is asked once more. So does an offer of another person alone. `insists` is what the customer says
/// to it: what they name again is not ruled out.
pub(super) fn rules_out(
    text: &str,
    insists: &str,
    deed: Asked,
    args: &Value,
    kinds: &BTreeMap<String, SaidAs>,
    talk: &DialogueHistory<'_>,
) -> bool {
    let (today, about) = (talk.today, in_words(args));
    let wanted = Wanted::new(args, kinds, today);
    // No model writes what the program sends by itself.
    let is_ours = |text: &str| talk.unasked.is_some_and(|sent| sent.contains(text));
    // With a tool that takes no person, a name does not change what is booked.
    let takes_person = kinds.values().any(|kind| *kind == SaidAs::Name);
    let is_plain = |text: &str| {
        let without = if takes_person { text.to_owned() } else { without_company(text) };
        is_ours(text) || states_only(&without, deed, &about, talk)
    };
    let all: Vec<Reading> = clauses(text, today)
        .into_iter()
        .flat_map(|clause| without_unclear_head(clause, today, &is_plain))
        .map(|clause| {
            let is_unclear = match clause.role {
                Role::Statement | Role::Aside => !is_plain(&clause.text),
                Role::Question => leads_unclearly(&clause.text, deed, &about, talk),
                Role::Denial => false,
            };
            let is_denial = clause.role == Role::Denial;
            Reading {
                said: words(&clause.text),
                days: days_in(&clause.text, today),
                ranges: ranges_in(&clause.text, today),
                times: find_times(&clause.text),
                is_unclear,
                denies_only: is_denial && denies_only(&clause.text, &about, talk),
                clause,
            }
        })
        .collect();
    // What stands behind the question corrects what stands before it, and not the other way round.
    let [before, behind] = [false, true].map(|is_behind| {
        let offering = || all.iter().filter(|one| one.clause.offers() && (one.clause.is_behind || !is_behind));
        let clear = || offering().filter(|one| !one.is_unclear);
        let insisted = find_times(insists);
        Again {
            said: clear().flat_map(|one| one.said.iter().cloned()).chain(words(insists)).collect(),
            days: clear().flat_map(|one| one.days.iter().copied()).chain(days_in(insists, today)).collect(),
            is_time_named: wanted.names_time(&insisted) || clear().any(|one| wanted.names_time(&one.times)),
            mentioned: offering().flat_map(|one| one.said.iter().cloned()).collect(),
        }
    });
    let of = |one: &Reading| if one.clause.is_behind { &behind } else { &before };
    let denies = |one: &&Reading| one.clause.role == Role::Denial || one.is_unclear;
    all.iter().filter(denies).any(|one| is_ruled_out(one, of(one), &wanted, today))
        || offers_another(&all, &before, &wanted, today)
}

/// Whether one clause that denies rules out what is wanted.
fn is_ruled_out(one: &Reading, again: &Again, wanted: &Wanted, today: Date) -> bool {
    let Wanted { days, people, services, .. } = wanted;
    let is_denial = one.clause.role == Role::Denial;
    // What a service costs or takes is said in many words, and none of them says that it cannot be.
    let named = people.iter().chain(services.iter().filter(|_| is_denial));
    let denied: Vec<&String> = named.filter(|name| one.said.contains(name)).collect();
    let is_day_again = again.days.iter().any(|day| days.contains(day));
    // "Quinta está cheia" is said of the Thursday that was offered.
    let of_day = one.days.iter().any(|on| days.iter().any(|day| day.weekday() == on.weekday()))
        || one.ranges.iter().any(|(first, last)| days.iter().any(|day| (first..=last).contains(&day)));
    let of_time = wanted.names_time(&one.times);
    let names_when = !one.days.is_empty() || !one.ranges.is_empty();
    let names_nothing = !names_when && one.times.is_empty() && denied.is_empty();
    if names_nothing && (one.denies_only || points_at_when(&one.said)) {
        return !(one.clause.is_behind || is_day_again || again.is_time_named);
    }
    if names_when && !of_day || !one.times.is_empty() && !of_time || denied.is_empty() && !of_day && !of_time {
        return false;
    }
    let is_again =
        |name: &String| again.said.contains(name) || services.contains(name) && again.mentioned.contains(name);
    if denied.is_empty()
        && names_other(&one.clause.text, people, services, today)
        && people.iter().any(|name| again.said.contains(name))
    {
        return false;
    }
    let is_offered =
        denied.iter().all(|name| is_again(name)) && (!of_day || is_day_again) && (!of_time || again.is_time_named);
    !is_offered
}

/// Whether words point at the day or the time that was spoken of: "esse horário".
fn points_at_when(said: &[String]) -> bool {
    let points = |word: &str| ["esse", "essa", "este", "esta", "nesse", "nessa", "that", "this"].contains(&word);
    let is_when = |word: &str| ["data", "dia", "hora", "horario", "date", "day", "slot", "time"].contains(&word);
    said.windows(2).any(|pair| matches!(pair, [first, second] if points(first) && is_when(second)))
}

/// Whether a text offers with another person than the wanted one, and not with that one.
fn offers_another(all: &[Reading], again: &Again, wanted: &Wanted, today: Date) -> bool {
    let Wanted { people, services, .. } = wanted;
    let offers_other = |one: &Reading| {
        one.clause.offers()
            && (names_other(&one.clause.text, people, services, today) || labels_other(&one.clause.text, people))
    };
    !people.is_empty()
        && !people.iter().any(|name| again.said.contains(name) || again.mentioned.contains(name))
        && all.iter().any(offers_other)
}

/// A clause whose end behind a comma says what can be, and whose beginning may deny, as two: "quinta lotou, só tem sexta".
fn without_unclear_head(clause: Clause, today: Date, is_plain: &dyn Fn(&str) -> bool) -> Vec<Clause> {
    if clause.role != Role::Statement || is_plain(&clause.text) {
        return vec![clause];
    }
    let names_when = |text: &str| !days_in(text, today).is_empty() || !find_times(text).is_empty();
    for (comma, mark) in clause.text.match_indices(',').take(MOST_COMMAS) {
        let Some((head, tail)) = clause.text.split_at_checked(comma.saturating_add(mark.len())) else { continue };
        if affirms(tail) && names_when(tail) && is_plain(tail) {
            let part = |text: &str| Clause { text: text.to_owned(), role: clause.role, is_behind: clause.is_behind };
            return vec![part(head), part(tail)];
        }
    }
    vec![clause]
}

/// A text without the names behind "com": "sexta às 15h com Wesley Moura".
fn without_company(text: &str) -> String {
    let mut is_behind_with = false;
    let stays = |word: &&str| {
        let folded = words(word).concat();
        let is_small = ["o", "a"].contains(&folded.as_str()) || TITLES.contains(&folded.as_str());
        let is_name = is_behind_with && word.starts_with(char::is_uppercase);
        is_behind_with = ["com", "with"].contains(&folded.as_str()) || is_behind_with && (is_small || is_name);
        !is_name
    };
    text.split_inclusive(' ').filter(stays).collect()
}

/// Whether a line of a summary names another person: "Profissional: Bruno".
fn labels_other(clause: &str, people: &[String]) -> bool {
    let Some((label, value)) = clause.split_once(':') else { return false };
    let is_of_person = words(label).last().is_some_and(|word| PROFESSIONS.contains(&word.as_str()));
    let value = words(value);
    is_of_person && !value.is_empty() && !people.iter().any(|name| value.contains(name))
}

/// Whether a clause speaks of a person who is none of `people`: a word with a capital behind "com", or a first name behind an article. A name
/// alone may call the customer.
fn names_other(clause: &str, people: &[String], services: &[String], today: Date) -> bool {
    let text = without_when(clause, today);
    let said: Vec<&str> = text.split_whitespace().collect();
    let is_with = |word: &str| ["com", "with"].contains(&word.to_lowercase().as_str());
    let is_article = |word: &str| ["o", "a"].contains(&word.to_lowercase().as_str());
    let is_title = |word: &str| TITLES.contains(&words(word).concat().as_str());
    let is_other = |written: &str, is_behind_with: bool| {
        let name = words(written).concat();
        written.starts_with(char::is_uppercase)
            && name.len() >= 3
            && weekday_named(&name).is_none()
            && !people.contains(&name)
            && !services.contains(&name)
            && (is_behind_with || is_first_name(&name))
    };
    (0..said.len()).any(|place| {
        let mut rest = said.iter().skip(place).copied().peekable();
        let is_behind_with = rest.next_if(|word| is_with(word)).is_some();
        let is_led = rest.next_if(|word| is_article(word)).is_some();
        (is_behind_with || is_led)
            && rest.find(|word| !is_title(word)).is_some_and(|word| is_other(word, is_behind_with))
    })
}

//! Whether a text of ours says that what a call does cannot be.

use std::collections::BTreeMap;

use balcao_language::{Asked, find_times, resolve_date, weekday_named};
use balcao_tool::SaidAs;
use jiff::civil::{Date, Time};
use serde_json::Value;

use super::{
    clauses::{Clause, Role, clauses, join},
    named::{days_in, in_words, telling, without_when},
    offer::states_only,
    vocabulary::{OFFERING, OPEN_QUESTIONS, TITLES},
};
use crate::turn::grounding::{DialogueHistory, clock_time, fits, words};

/// Whether a text of ours says that what a call does cannot be: one of its clauses denies, names something of the call and no other day
/// or time, and no clause offers that again. "O Wesley não atende sexta, só o Bruno" leaves Bruno, and Wesley on another day.
///
/// A statement that names the day, the time or the person, and does not say by known words that it can be, counts as a denial: it may be
/// one ("quinta lotou"), and the customer is asked once more. `insists` is what the customer says to it: what they name again is not ruled
/// out.
pub(super) fn rules_out(
    text: &str,
    insists: &str,
    deed: Asked,
    args: &Value,
    kinds: &BTreeMap<String, SaidAs>,
    talk: &DialogueHistory<'_>,
) -> bool {
    let given = |kind: SaidAs| {
        kinds.iter().filter(move |(_, said)| **said == kind).filter_map(|(name, _)| args.get(name)?.as_str())
    };
    let (today, about) = (talk.today, in_words(args));
    let days: Vec<Date> = given(SaidAs::Day).filter_map(|day| Some(resolve_date(day, today).ok()?.date)).collect();
    let times: Vec<Time> = given(SaidAs::Time).filter_map(clock_time).collect();
    let is_small = |word: &String| OPEN_QUESTIONS.contains(&word.as_str()) || OFFERING.contains(&word.as_str());
    let people: Vec<String> = given(SaidAs::Name).flat_map(telling).filter(|word| !is_small(word)).collect();
    let services: Vec<String> = given(SaidAs::Service).flat_map(telling).filter(|word| !is_small(word)).collect();
    let names_time =
        |text: &str| find_times(text).iter().any(|found| times.iter().any(|time| fits(found.reading, *time)));
    let all = clauses(text, today);
    // What the program sends by itself is no model's answer.
    let is_ours = |clause: &Clause| talk.unasked.is_some_and(|sent| sent.contains(&clause.text));
    let is_unclear = |clause: &Clause| {
        matches!(clause.role, Role::Statement | Role::Aside)
            && !is_ours(clause)
            && !states_only(&clause.text, deed, &about, talk)
    };
    let is_ruled_out = |clause: &Clause| {
        let said = words(&clause.text);
        let is_denial = clause.role == Role::Denial;
        // What a service costs or takes is said in many words, and none of them says that it cannot be.
        let named = people.iter().chain(services.iter().filter(|_| is_denial));
        let denied: Vec<&String> = named.filter(|name| said.contains(name)).collect();
        let on = days_in(&clause.text, today);
        let (names_when, names_hour) = (!on.is_empty(), !find_times(&clause.text).is_empty());
        // "Quinta está cheia" is said of the Thursday that was offered.
        let of_day = on.iter().any(|on| days.iter().any(|day| day.weekday() == on.weekday()));
        let of_time = names_time(&clause.text);
        if names_when && !of_day || names_hour && !of_time || denied.is_empty() && !of_day && !of_time {
            return false;
        }
        // What stands behind the question corrects what stands before it, and not the other way round.
        let corrects = |other: &&Clause| other.offers() && (other.is_behind || !clause.is_behind);
        let mentioned = words(&join(all.iter().filter(corrects)));
        let again = format!("{} {insists}", join(all.iter().filter(corrects).filter(|other| !is_unclear(other))));
        let offered = words(&again);
        let is_again = |name: &&String| offered.contains(name) || services.contains(name) && mentioned.contains(name);
        if denied.is_empty()
            && names_other(&clause.text, &people, today)
            && people.iter().chain(&services).any(|name| is_again(&name))
        {
            return false;
        }
        let is_offered = denied.iter().all(is_again)
            && (!of_day || days_in(&again, today).iter().any(|day| days.contains(day)))
            && (!of_time || names_time(&again));
        !is_offered
    };
    all.iter().filter(|clause| clause.role == Role::Denial || is_unclear(clause)).any(is_ruled_out)
}

/// Whether a clause speaks of a person who is none of `people`: a word with a capital that an article or "com" leads, and that is of no day.
/// A name alone may call the customer.
fn names_other(clause: &str, people: &[String], today: Date) -> bool {
    let text = without_when(clause, today);
    let said: Vec<&str> = text.split_whitespace().collect();
    let is_lead = |word: &str| ["o", "a", "com", "with"].contains(&word.to_lowercase().as_str());
    let is_title = |word: &str| TITLES.contains(&words(word).concat().as_str());
    let is_other = |written: &str| {
        let name = words(written).concat();
        written.starts_with(char::is_uppercase)
            && name.len() >= 3
            && weekday_named(&name).is_none()
            && !people.contains(&name)
    };
    (0..said.len()).any(|place| {
        let mut rest = said.iter().skip(place);
        let leads = rest.next().is_some_and(|word| is_lead(word));
        leads && rest.find(|word| !is_title(word)).is_some_and(|word| is_other(word))
    })
}

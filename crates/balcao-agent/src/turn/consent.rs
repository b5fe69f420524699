//! Whether the customer asked for what a call does, by their own words in this conversation.
//!
//! The tool's contract names the act ([`Act`]), and the customer's words decide, never a model. A call whose act the customer did
//! not mention is refused. One that they mentioned without asking for it is put to them as a question. One that they asked for, or
//! that we offered and they accepted, runs. [`super::said`] checks its day, time and names against the conversation.

use std::collections::BTreeSet;

use balcao_language::{
    Agreement, Asked, Wish, agreement_about, agreement_to, find_dates, find_times, fold, mentions, only_repeats,
    repeats, wish_for,
};
use balcao_tool::{Act, CommandSpec, SaidAs};
use jiff::civil::Date;
use serde_json::Value;

use super::said::{Said, Talk, words};

/// So many messages of the customer before the newest are looked at for a wish that it goes on with.
const LOOK_BACK: usize = 3;

/// Whether the customer wants what a call does, the surer the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Consent {
    /// They have not spoken of it.
    Absent,
    /// They have, and whether they want it now is open.
    Open,
    /// They asked for it, or agreed to it.
    Given,
}

/// What the customer would have to ask for; `None`: their word is not needed.
pub(super) const fn deed(act: Act) -> Option<Asked> {
    match act {
        Act::Book => Some(Asked::Booking),
        Act::Move => Some(Asked::Rescheduling),
        Act::Cancel => Some(Asked::Cancelling),
        Act::Waitlist => Some(Asked::Waiting),
        Act::Remind => Some(Asked::Reminding),
        Act::Record | Act::Note | Act::Tag | Act::Stage | Act::Desk => None,
    }
}

/// What an answer says to the question about a held call.
pub(super) fn answer(text: &str, act: Option<Act>, question: &str, today: Date) -> Agreement {
    agreement_to(text, act.and_then(deed).unwrap_or(Asked::Other), question, today)
}

/// Whether the customer wants the act with these arguments. `services`: the names of services in this conversation's tool results.
pub(super) fn of(deed: Asked, args: &Value, spec: &CommandSpec, talk: &Talk<'_>, services: &[String]) -> Consent {
    let named = deed != Asked::Booking || service_is_named(args, spec, talk, services);
    let most = if named { Consent::Given } else { Consent::Open };
    of_words(deed, args, talk).min(most)
}

fn of_words(deed: Asked, args: &Value, talk: &Talk<'_>) -> Consent {
    let mut lines = talk.lines.iter();
    let Some(newest) = lines.find_map(Said::by_customer) else { return Consent::Absent };
    // What they answer is what we said last.
    let offer = lines.next().and_then(Said::by_us).unwrap_or_default();
    let about = in_words(args);
    let agrees = agreement_to(newest, deed, &about, talk.today) == Agreement::Yes;
    let asks = offers(offer, deed) || talk.unasked == Some(offer) && speaks_of(offer, deed);
    let chosen = !has_alternatives(offer) || repeats(newest, &about, talk.today);
    let wished = is_wished(deed, talk);
    let of_other = [Asked::Booking, Asked::Cancelling, Asked::Rescheduling]
        .into_iter()
        .any(|other| other != deed && mentions(offer, other));
    // "Quero outro horário" wishes to book, and says nothing of this one.
    let of_this = deed != Asked::Booking || repeats(newest, &about, talk.today);
    let given = wish_for(newest, deed) == Wish::Asked && of_this
        || agrees && chosen && (asks || wished && !of_other)
        || deed == Asked::Booking && wished && only_repeats(newest, deed, &about, talk.today);
    if given {
        Consent::Given
    } else if is_raised(deed, talk) {
        Consent::Open
    } else {
        Consent::Absent
    }
}

/// Whether an earlier message asks for the deed, and none behind it declines or asks back.
fn is_wished(deed: Asked, talk: &Talk<'_>) -> bool {
    let earlier = talk.of_customer().skip(1).take(LOOK_BACK);
    let mut going_on =
        earlier.take_while(|text| !matches!(agreement_about(text, deed), Agreement::No | Agreement::Contested));
    going_on.any(|text| match wish_for(text, deed) {
        Wish::Asked => true,
        // "Queria marcar um horário, como funciona" goes on when day and time are named.
        Wish::Open => deed == Asked::Booking,
        Wish::Absent => false,
    })
}

/// Whether the customer has spoken of the deed at all: in their words, by naming when they want to come, or by agreeing to an
/// offer of ours.
fn is_raised(deed: Asked, talk: &Talk<'_>) -> bool {
    let names_when = |text: &str| !find_times(text).is_empty() || !find_dates(text, talk.today).is_empty();
    let spoken = |text: &str| wish_for(text, deed) != Wish::Absent || deed == Asked::Booking && names_when(text);
    let agreed = |pair: &[Said<'_>]| match pair {
        [Said::Customer(text), Said::Us(offer)] => {
            (offers(offer, deed) || talk.unasked == Some(*offer) && speaks_of(offer, deed))
                && agreement_about(text, deed) == Agreement::Yes
        }
        _ => false,
    };
    // A profile without a tool that moves appointments cancels the old one and books anew.
    let moves = |text: &str| deed == Asked::Cancelling && wish_for(text, Asked::Rescheduling) != Wish::Absent;
    talk.of_customer().any(|text| spoken(text) || moves(text)) || talk.lines.windows(2).any(agreed)
}

/// Whether a text of ours offers the deed: it asks, and speaks of it.
fn offers(text: &str, deed: Asked) -> bool {
    text.contains('?') && speaks_of(text, deed)
}

/// Whether a text of ours says the deed or, of a booking, names a time and no other deed.
fn speaks_of(text: &str, deed: Asked) -> bool {
    let others = [Asked::Cancelling, Asked::Rescheduling];
    let is_of_other = || others.iter().any(|other| mentions(text, *other));
    mentions(text, deed) || deed == Asked::Booking && !find_times(text).is_empty() && !is_of_other()
}

/// Whether a text of ours offers several things, so that a mere yes chooses none of them: its question asks which, or the line
/// that names the last time names others beside it.
fn has_alternatives(text: &str) -> bool {
    let asked = text.rsplit_once('?').map_or("", |(before, _)| before);
    let question = words(asked.rsplit(['.', '!', '\n']).next().unwrap_or_default());
    let which = question.iter().any(|word| ["ou", "or", "qual", "quais", "which", "quem"].contains(&word.as_str()));
    let times = |line: &str| -> BTreeSet<String> {
        find_times(line).iter().map(|found| format!("{:?}", found.reading)).collect()
    };
    let line = text.lines().rev().find(|line| !times(line).is_empty()).unwrap_or_default();
    // Of a list, one entry a line, the whole counts.
    let offered = if words(line).len() <= 4 { times(text) } else { times(line) };
    which || offered.len() > 1
}

/// Whether the last message that mentions the booking's service, ours or the customer's, names it: in full, or in words that fit no
/// other service.
fn service_is_named(args: &Value, spec: &CommandSpec, talk: &Talk<'_>, services: &[String]) -> bool {
    let mut given = spec.said.iter().filter(|(_, kind)| **kind == SaidAs::Service).peekable();
    if given.peek().is_none() {
        return true;
    }
    let given: Vec<&Value> = given.filter_map(|(name, _)| args.get(name)).collect();
    let all: Vec<Vec<String>> = services.iter().map(|name| telling(name)).collect();
    let is_named = |service: &&Value| {
        let Some(name) = service.as_str() else { return false };
        let wanted = telling(name);
        let spoken: Vec<Vec<String>> = talk.lines.iter().map(|line| words(line.text())).collect();
        let last = spoken.iter().find(|said| wanted.iter().any(|word| said.contains(word)));
        last.is_some_and(|said| wanted.iter().all(|word| said.contains(word)) || fits_alone(&wanted, said, &all))
    };
    !given.is_empty() && given.iter().all(is_named)
}

/// Whether what was said of services fits this one and no other: "barba" is "Barba desenhada" rather than "Corte e barba", and
/// "corte" none of several cuts.
fn fits_alone(wanted: &[String], said: &[String], all: &[Vec<String>]) -> bool {
    let heard: Vec<&String> = said.iter().filter(|word| all.iter().any(|name| name.contains(word))).collect();
    let fits = |name: &&Vec<String>| !heard.is_empty() && heard.iter().all(|word| name.contains(word));
    let fitting: Vec<&Vec<String>> = all.iter().filter(fits).collect();
    let headed: Vec<&Vec<String>> =
        fitting.iter().copied().filter(|name| name.first().is_some_and(|head| heard.contains(&head))).collect();
    let alone = if headed.is_empty() { fitting } else { headed };
    matches!(alone.as_slice(), [only] if only.as_slice() == wanted)
}

/// The words of a name that tell it from others.
fn telling(name: &str) -> Vec<String> {
    words(name).into_iter().filter(|word| word.len() >= 3).collect()
}

/// The names of services that a tool's result tells.
pub(super) fn services_in(result: &str) -> Vec<String> {
    let value: Value = serde_json::from_str(result).unwrap_or_default();
    let all = value.get("services").and_then(Value::as_array).into_iter().flatten();
    all.filter_map(|one| one.get("name").unwrap_or(one).as_str().map(str::to_owned)).collect()
}

/// The values of the arguments as one text.
fn in_words(args: &Value) -> String {
    let values = args.as_object().into_iter().flatten().map(|(_, value)| value);
    let words: Vec<String> = values.filter_map(|value| value.as_str().map(fold)).collect();
    words.join(" , ")
}

#[cfg(test)]
#[path = "consent_tests.rs"]
mod tests;

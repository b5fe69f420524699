//! Whether the customer asked for what a call does, by their own words in this conversation.
//!
//! The tool's contract names the act ([`Act`]), and the customer's words decide, never a model. A call whose act the customer did
//! not mention is refused. One that they mentioned without asking for it is put to them as a question. One that they asked for, or
//! that we offered and they accepted, runs. [`super::grounding`] checks its day, time and names against the conversation.

use std::collections::{BTreeMap, BTreeSet};

use balcao_language::{
    Agreement, Asked, Named, Wish, agreement_about, agreement_to, find_dates, find_times, is_meant_for_both,
    is_put_off, meant_for, mentions, names_only, only_acknowledges, only_repeats, orders_only, repeats, resolve_date,
    wants_another, weekday_named, wish_for,
};
use balcao_tool::{Act, CommandSpec, SaidAs};
use jiff::civil::Date;
use serde_json::Value;

use super::grounding::{DialogueHistory, READ_OF_A_MESSAGE, Utterance, clock_time, fits, is_undecided, words};
use super::state::PendingConfirmation;
use crate::prompt;

mod clauses;
mod denial;
mod named;
mod offer;
mod repeated_question;
mod ruled_out;
mod sentences;
mod vocabulary;

use clauses::{clauses, join};
use denial::denies;
use named::{company, days_in, in_words, ranges_in, telling};
use offer::{asks_about_state, asks_for_a_yes, asks_only, asks_which};
pub(super) use repeated_question::{goes_on_about, puts_question, without_rival};
use ruled_out::rules_out;
use sentences::parts;
use vocabulary::{ASKING, words_of};

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

/// What a turn's text says to the question about a held call, by the customer's own words. Words that answer another message than the one
/// with the question say nothing to it.
pub(super) fn answer(inbound: &str, act: Option<Act>, held: &PendingConfirmation, today: Date) -> Agreement {
    // A message that is answered by name stands on one line, and may say more than the question.
    let question = held.question.split_whitespace().collect::<Vec<_>>().join(" ");
    if prompt::answered_messages(inbound).iter().any(|message| !message.contains(&question)) {
        return Agreement::Unclear;
    }
    let text = &prompt::own_words(inbound);
    // What was cut may take it back.
    if text.len() > READ_OF_A_MESSAGE || inbound.ends_with("[…]") {
        return Agreement::Unclear;
    }
    let deed = act.and_then(deed).unwrap_or(Asked::Other);
    // Who wants to think about it answers nothing now, and courtesy to the same question would be taken for a yes.
    let decided = |agreement: Agreement| {
        let is_open = agreement == Agreement::Unclear && is_put_off(text);
        if is_open { Agreement::No } else { agreement }
    };
    if deed != Asked::Rescheduling {
        return decided(agreement_to(text, deed, &held.question, today));
    }
    // The question also names the old day and time. An answer that repeats those does not agree to the new ones.
    let names = words(&held.question)
        .into_iter()
        .filter(|word| !word.contains(|letter: char| letter.is_ascii_digit()) && weekday_named(word).is_none());
    let about = format!("{} , {}", in_words(&held.args), names.collect::<Vec<_>>().join(" "));
    decided(agreement_to(text, deed, &about, today))
}

/// Whether the customer wants the act with these arguments. `services`: the names of services in this conversation's tool results.
pub(super) fn of(
    deed: Asked,
    args: &Value,
    spec: &CommandSpec,
    talk: &DialogueHistory<'_>,
    services: &[String],
) -> Consent {
    let named = match deed {
        Asked::Booking => service_is_named(args, &spec.said, talk, services),
        // A place in the queue may be for any service.
        Asked::Waiting => !gives_service(args, spec) || service_is_named(args, &spec.said, talk, services),
        Asked::Cancelling | Asked::Rescheduling | Asked::Reminding | Asked::Other => true,
    };
    // "Sexta em dezembro" is one of several Fridays.
    let settled = named
        && !is_undecided(talk)
        && !is_for_unnamed(deed, args, &spec.said, talk)
        && !is_with_another(args, &spec.said, talk);
    let most = if settled { Consent::Given } else { Consent::Open };
    of_words(deed, args, &spec.said, talk).min(most)
}

/// Whether the newest line that names a professional names another than the call does: "marca com o Otávio". A name elsewhere in the
/// talk, as in "o Wesley tá aí?", chooses none.
fn is_with_another(args: &Value, kinds: &BTreeMap<String, SaidAs>, talk: &DialogueHistory<'_>) -> bool {
    let given =
        kinds.iter().filter(|(_, kind)| **kind == SaidAs::Name).filter_map(|(name, _)| args.get(name)?.as_str());
    let people: Vec<String> = given.flat_map(telling).collect();
    if people.is_empty() {
        return false;
    }
    // "Corte com Barba" names what is booked.
    let about = words(&in_words(args));
    let decides = |line: &Utterance<'_>| match line {
        Utterance::Us(text) => words(text).iter().any(|word| people.contains(word)).then_some(true),
        Utterance::Customer(text) => {
            let mut company = company(text);
            company.retain(|name| people.contains(name) || !about.contains(name));
            (!company.is_empty()).then(|| company.iter().any(|name| people.contains(name)))
        }
    };
    talk.lines.iter().find_map(decides) == Some(false)
}

/// Whether the customer wants a booking for another person, and neither the call nor the offer that they answer names that person: "marca pra minha
/// mãe". It would stand in the customer's name, so the question says so.
pub(super) fn is_for_unnamed(
    deed: Asked,
    args: &Value,
    kinds: &BTreeMap<String, SaidAs>,
    talk: &DialogueHistory<'_>,
) -> bool {
    let takes_name = kinds.iter().any(|(name, kind)| *kind == SaidAs::Words && args.get(name).is_some());
    if deed != Asked::Booking || takes_name {
        return false;
    }
    let things = things(args, kinds);
    let lately: Vec<&str> = talk.of_customer().take(1 + LOOK_BACK).collect();
    let others: Vec<String> = lately.iter().flat_map(|text| meant_for(text, &things)).collect();
    // Who books for themselves and another person in one go books both in their own name.
    if lately.iter().any(|text| is_meant_for_both(text)) {
        return false;
    }
    let answered = talk.lines.iter().skip_while(|line| line.by_customer().is_none()).nth(1);
    let offer = words(answered.and_then(Utterance::by_us).unwrap_or_default());
    let named = in_words(args);
    let given = words(&named);
    let is_named = |word: &String| given.contains(word) || offer.contains(word);
    let is_asked = offer.iter().any(|word| ["nome", "name"].contains(&word.as_str()));
    !others.is_empty() && !is_asked && !others.iter().any(is_named)
}

fn of_words(deed: Asked, args: &Value, kinds: &BTreeMap<String, SaidAs>, talk: &DialogueHistory<'_>) -> Consent {
    let mut lines = talk.lines.iter();
    let Some(newest) = lines.find_map(Utterance::by_customer) else { return Consent::Absent };
    // What they answer is what we said last.
    let offer = lines.next().and_then(Utterance::by_us).unwrap_or_default();
    let about = in_words(args);
    let can_be = !is_ruled_out(deed, args, kinds, talk, "");
    // Who names it again in spite of that wants it, and the tool says whether it can be.
    let insists = can_be || !is_ruled_out(deed, args, kinds, talk, newest);
    let agrees = can_be
        && agreement_to(newest, deed, &about, talk.today) == Agreement::Yes
        && is_what_was_named(args, kinds, talk);
    let asks = offers(offer, deed) || talk.unasked == Some(offer) && speaks_of(offer, deed);
    // A yes to a question about something else says nothing of what was wished before.
    let things = things(args, kinds);
    let wished = is_wished(deed, talk, &things, &about);
    let which = last_question(offer).is_some_and(|(_, question)| asks_which(question, deed, &about, talk));
    let goes_on = wished && (which || !of_another_matter(offer, deed));
    // A mere yes says no word of the deed, so the question has to: and none besides.
    let is_of_deed = last_question(offer)
        .is_none_or(|(_, question)| asks_for_a_yes(question) || asks_only(question, deed, &about, talk));
    // "Ok" to what asks nothing says that it was read.
    let wants = last_question(offer).is_some() || !only_acknowledges(newest);
    let chosen = !has_alternatives(offer) || repeats(newest, &about, talk.today);
    let of_other = [Asked::Booking, Asked::Cancelling, Asked::Rescheduling]
        .into_iter()
        .any(|other| other != deed && mentions(offer.rsplit_once('?').map_or(offer, |(asked, _)| asked), other));
    // "Quero outro horário" wishes to book, and says nothing of this one.
    let of_this = deed != Asked::Booking || repeats(newest, &about, talk.today);
    // What else an order says may take it back, correct it or set a condition.
    let is_plain = deed == Asked::Reminding || orders_only(newest, deed, &about, talk.today);
    // Who names a day or a time chooses it. A name alone answers only the question which one.
    let names = match names_only(newest, &about, talk.today) {
        Some(Named::When) => true,
        Some(Named::Thing) => which,
        None => false,
    };
    let given = wish_for(newest, deed, &things) == Wish::Asked && of_this && insists && is_plain
        || agrees && wants && chosen && is_of_deed && (asks || goes_on && !of_other)
        || deed == Asked::Booking && can_be && (asks || goes_on) && names;
    if given {
        Consent::Given
    } else if is_raised(deed, talk, &things) {
        Consent::Open
    } else {
        Consent::Absent
    }
}

/// Whether what we said before the newest answer says that a call cannot be. Then neither a yes nor a name runs it, and the question is put
/// once more with all that it does. What the customer `insists` on, naming it again, is not ruled out.
fn is_ruled_out(
    deed: Asked,
    args: &Value,
    kinds: &BTreeMap<String, SaidAs>,
    talk: &DialogueHistory<'_>,
    insists: &str,
) -> bool {
    // Who waits for a place waits for a day that is full.
    if !matches!(deed, Asked::Booking | Asked::Rescheduling) {
        return false;
    }
    let answer = talk.lines.iter().skip_while(|line| line.by_customer().is_none());
    let before = answer.skip_while(|line| line.by_customer().is_some());
    let mut ours: Vec<&str> = before.map_while(Utterance::by_us).collect();
    ours.reverse();
    rules_out(&ours.join("\n"), insists, deed, args, kinds, talk)
}

/// The names of what a booking books: its service, and who does it.
fn things<'a>(args: &'a Value, kinds: &BTreeMap<String, SaidAs>) -> Vec<&'a str> {
    let named = kinds.iter().filter(|(_, kind)| matches!(kind, SaidAs::Service | SaidAs::Name));
    named.filter_map(|(name, _)| args.get(name)?.as_str()).collect()
}

/// Whether an earlier message asks for the deed, and every message behind it goes on with that: it agrees, asks for the deed again, or
/// names a day, a time or what is booked, and nothing else. "Vou pensar" ends the wish, so that an "ok" behind it does not book.
fn is_wished(deed: Asked, talk: &DialogueHistory<'_>, things: &[&str], about: &str) -> bool {
    // A turn of forwarded words alone says nothing, so it does not end a wish.
    for text in talk.of_customer().skip(1).filter(|text| !text.is_empty()).take(LOOK_BACK) {
        let agreement = agreement_about(text, deed);
        if matches!(agreement, Agreement::No | Agreement::Contested) {
            return false;
        }
        match wish_for(text, deed, things) {
            Wish::Asked => return true,
            // "Queria marcar um horário, como funciona" goes on when day and time are named.
            Wish::Open if deed == Asked::Booking && !is_put_off(text) => return true,
            // "Quero outro" leaves what was spoken of.
            Wish::Spoken | Wish::Open
                if deed == Asked::Booking && wants_another(text) && !repeats(text, about, talk.today) =>
            {
                return false;
            }
            Wish::Spoken | Wish::Open => {}
            Wish::Absent if agreement == Agreement::Yes || only_names(text, deed, about, talk.today) => {}
            Wish::Absent => return false,
        }
    }
    false
}

/// Whether a message names days, times and what the act is about, and says nothing else. The days may be others than those of the act.
fn only_names(text: &str, deed: Asked, about: &str, today: Date) -> bool {
    let (days, times) = (find_dates(text, today), find_times(text));
    let spans =
        days.iter().map(|found| (found.start, found.end)).chain(times.iter().map(|found| (found.start, found.end)));
    let named = spans.filter_map(|(start, end)| text.get(start..end)).collect::<Vec<_>>().join(", ");
    only_repeats(text, deed, &format!("{about}, {named}"), today)
}

/// Whether the customer has spoken of the deed at all: in their words, by naming when they want to come, or by agreeing to an
/// offer of ours.
fn is_raised(deed: Asked, talk: &DialogueHistory<'_>, things: &[&str]) -> bool {
    let names_when = |text: &str| !find_times(text).is_empty() || !find_dates(text, talk.today).is_empty();
    let spoken =
        |text: &str| wish_for(text, deed, things) != Wish::Absent || deed == Asked::Booking && names_when(text);
    let agreed = |pair: &[Utterance<'_>]| match pair {
        [Utterance::Customer(text), Utterance::Us(offer)] => {
            (offers(offer, deed) || talk.unasked == Some(*offer) && speaks_of(offer, deed))
                && agreement_about(text, deed) == Agreement::Yes
        }
        _ => false,
    };
    // A profile without a tool that moves appointments cancels the old one and books anew.
    let moves = |text: &str| deed == Asked::Cancelling && wish_for(text, Asked::Rescheduling, &[]) != Wish::Absent;
    talk.of_customer().any(|text| spoken(text) || moves(text)) || talk.lines.windows(2).any(agreed)
}

/// Whether a text of ours offers the deed: its last question proposes it, or asks nothing but whether what stands before it is right.
fn offers(text: &str, deed: Asked) -> bool {
    let Some((before, question)) = last_question(text) else { return false };
    if denies(question) || asks_about_state(question) {
        return false;
    }
    // "A lista de espera é boa pra você?" asks what the customer thinks of it.
    let is_verb = |word: &String| {
        let is_of_deed = mentions(word, deed) || words_of(deed).contains(&word.as_str());
        ASKING.contains(&word.as_str())
            || is_of_deed
                && (word.ends_with(['o', 'r'])
                    || ["put", "add", "join", "send", "get", "remind"].contains(&word.as_str()))
    };
    let has_verb = || words(question).iter().any(is_verb);
    if matches!(deed, Asked::Waiting | Asked::Reminding) && !has_verb() {
        return false;
    }
    speaks_of(question, deed) || asks_for_a_yes(question) && !denies(before) && speaks_of(before, deed)
}

/// Whether a text of ours ends with a question that neither proposes the deed nor asks for a mere yes: "Quer saber os preços?".
fn of_another_matter(text: &str, deed: Asked) -> bool {
    last_question(text).is_some_and(|(before, question)| {
        let confirms = asks_for_a_yes(question) && !denies(before);
        denies(question) || asks_about_state(question) || !speaks_of(question, deed) && !confirms
    })
}

/// The last question of a text, without its mark, and what stands before it. What it says before a comma that cannot be stands before it, too:
/// "Quinta não tem, posso marcar sexta".
fn last_question(text: &str) -> Option<(&str, &str)> {
    let (asked, _) = text.rsplit_once('?')?;
    let ends = ['.', '!', '?', '\n', ':', ';'];
    let sentence = parts(asked, &ends).pop().filter(|last| !last.ends_with(ends)).unwrap_or_default();
    let (mut rest, mut question) = (sentence, sentence);
    for piece in sentence.split_inclusive(',') {
        rest = rest.strip_prefix(piece).unwrap_or_default();
        if denies(piece) && !words(rest).is_empty() {
            question = rest;
        }
    }
    Some((asked.strip_suffix(question).unwrap_or_default(), question))
}

/// Whether days and times of a call are those of the answer and of what it answers or, where these name none, of the newest line that
/// does. A yes agrees to the day and the time that it answers, and to no other of the same weekday.
fn is_what_was_named(args: &Value, kinds: &BTreeMap<String, SaidAs>, talk: &DialogueHistory<'_>) -> bool {
    let given = |kind: SaidAs| {
        kinds.iter().filter(move |(_, said)| **said == kind).filter_map(|(name, _)| args.get(name)?.as_str())
    };
    let in_offer =
        |line: &Utterance<'_>| line.by_us().map_or_else(|| line.text().to_owned(), |text| offered(text, talk.today));
    let lines: Vec<String> = talk.lines.iter().map(in_offer).collect();
    let mut days = named_in(&lines, |line| days_in(line, talk.today));
    // "Sexta" is the Friday that it answers.
    let answered = lines.get(1).map(|line| days_in(line, talk.today)).unwrap_or_default();
    days.retain(|day| answered.contains(day) || answered.iter().all(|other| other.weekday() != day.weekday()));
    // "Semana que vem" is none of the days of this week, whatever was named before.
    let spans: Vec<(Date, Date)> = lines.iter().take(2).flat_map(|line| ranges_in(line, talk.today)).collect();
    if !spans.is_empty() && lines.iter().take(2).all(|line| days_in(line, talk.today).is_empty()) {
        let is_within = |day: &Date| spans.iter().any(|(first, last)| (first..=last).contains(&day));
        days.retain(is_within);
        if !given(SaidAs::Day).all(|day| resolve_date(day, talk.today).is_ok_and(|found| is_within(&found.date))) {
            return false;
        }
    }
    let times = named_in(&lines, |line| find_times(line).into_iter().map(|found| found.reading).collect());
    let is_named_day = |given: &str| resolve_date(given, talk.today).is_ok_and(|found| days.contains(&found.date));
    let is_named_time =
        |given: &str| clock_time(given).is_none_or(|wanted| times.iter().any(|named| fits(*named, wanted)));
    (days.is_empty() || given(SaidAs::Day).all(is_named_day))
        && (times.is_empty() || given(SaidAs::Time).all(is_named_time))
}

/// The part of a text of ours that offers.
fn offered(text: &str, today: Date) -> String {
    join(clauses(text, today).iter().filter(|clause| clause.offers()))
}

/// What the newest two lines name together or, if that is nothing, the newest line that names something.
fn named_in<T>(lines: &[String], named: impl Fn(&str) -> Vec<T>) -> Vec<T> {
    let (answer, earlier) = lines.split_at(lines.len().min(2));
    let found: Vec<T> = answer.iter().flat_map(|line| named(line)).collect();
    if !found.is_empty() {
        return found;
    }
    earlier.iter().map(|line| named(line)).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Whether a text of ours says the deed or, of a booking, names a time and no other deed.
fn speaks_of(text: &str, deed: Asked) -> bool {
    let others = [Asked::Cancelling, Asked::Rescheduling];
    let is_of_other = || others.iter().any(|other| mentions(text, *other));
    mentions(text, deed) || deed == Asked::Booking && !find_times(text).is_empty() && !is_of_other()
}

/// Whether a text of ours offers several things, so that a mere yes chooses none of them: its question asks which, the sentence before a
/// question that names none of them joins them ("O Wesley ou o Otávio, sexta às 15h. Posso marcar?"), or the line that names the last
/// time names others beside it.
fn has_alternatives(text: &str) -> bool {
    let asked = text.rsplit_once('?').map_or("", |(before, _)| before);
    let all = parts(asked, &['.', '!', '\n']);
    let mut sentences = all.into_iter().rev().filter(|sentence| !words(sentence).is_empty());
    let question = words(sentences.next().unwrap_or_default());
    let joins = |said: &[String]| said.iter().any(|word| ["ou", "or"].contains(&word.as_str()));
    let which =
        joins(&question) || question.iter().any(|word| ["qual", "quais", "which", "quem"].contains(&word.as_str()));
    // "Posso marcar?" and "Serve?" name nothing themselves.
    let which = which || question.len() <= 3 && sentences.next().is_some_and(|before| joins(&words(before)));
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
fn service_is_named(
    args: &Value,
    kinds: &BTreeMap<String, SaidAs>,
    talk: &DialogueHistory<'_>,
    services: &[String],
) -> bool {
    let mut given = kinds.iter().filter(|(_, kind)| **kind == SaidAs::Service).peekable();
    if given.peek().is_none() {
        return true;
    }
    let given: Vec<&Value> = given.filter_map(|(name, _)| args.get(name)).collect();
    let all: Vec<Vec<String>> = services.iter().map(|name| telling(name)).collect();
    let is_named = |service: &&Value| {
        let Some(name) = service.as_str() else { return false };
        let wanted = telling(name);
        // The newest message that names a service decides, and a line of ours only where it names this one.
        let names_one = |said: &[String]| all.iter().flatten().any(|word| said.contains(word));
        let last = talk.lines.iter().map(|line| (line, words(line.text()))).find_map(|(line, said)| {
            let is_of_this = wanted.iter().any(|word| said.contains(word));
            (is_of_this || line.by_customer().is_some() && names_one(&said)).then_some(said)
        });
        let last = last.as_ref();
        last.is_some_and(|said| wanted.iter().all(|word| said.contains(word)) || fits_alone(&wanted, said, &all))
    };
    !given.is_empty() && given.iter().all(is_named)
}

/// Whether a call names a service.
fn gives_service(args: &Value, spec: &CommandSpec) -> bool {
    spec.said.iter().any(|(name, kind)| *kind == SaidAs::Service && args.get(name).is_some())
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

/// The names of services that a tool's result tells.
pub(super) fn services_in(result: &str) -> Vec<String> {
    let value: Value = serde_json::from_str(result).unwrap_or_default();
    let all = value.get("services").and_then(Value::as_array).into_iter().flatten();
    all.filter_map(|one| one.get("name").unwrap_or(one).as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
#[path = "consent_tests.rs"]
mod tests;

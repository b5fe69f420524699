//! The choices of a reply, as buttons or a list.
//!
//! The offers come from the tools ([`Offer`]), never from prose. The words of the reply only select the offers that it mentions, so no
//! button shows an option that the reply left out. A tap on a choice stands for the text that we stored with it, not for the text that comes back.

use std::collections::BTreeSet;

use balcao_agent::TurnState;
use balcao_agent::turn::PendingConfirmation;
use balcao_channel::outbound::{Button, OutboundContent, Row, Section, limits};
use balcao_domain::TurnId;
use balcao_domain::contact::Contact;
use balcao_language::{TimeReading, find_times_from, format};
use balcao_tool::{Locale, Offer, ReceiptKind};
use jiff::{SignedDuration, Timestamp, civil::Time, tz::TimeZone};

use crate::messaging::outbound::choices::{Choice, Choices};
use crate::scheduling::intake::asks_for_a_number;

/// How long a contact may choose an offer, unless its time comes first. The memory of a conversation lasts as long.
const OFFER_LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// Finds the choices of a reply; `None` if there are none, or more than fit.
pub(super) fn find(state: &TurnState, reply: &str, turn: TurnId, zone: &TimeZone, now: Timestamp) -> Option<Choices> {
    // While a question waits for a yes, a reply offers no other choices.
    if let Some(held) = &state.pending_confirmation {
        return yes_or_no(held, reply, turn, state.principal.locale);
    }
    // After a booking, a move or a handoff, a reply offers no more choices.
    let settled = |kind| matches!(kind, ReceiptKind::Booked | ReceiptKind::Rescheduled | ReceiptKind::HandedOff);
    let receipts = || state.calls.iter().flat_map(|call| &call.result.receipts);
    if receipts().any(|receipt| settled(receipt.kind)) {
        return None;
    }
    let offered: BTreeSet<&Offer> = state.calls.iter().flat_map(|call| &call.result.offers).collect();
    let spoken_of = spoken_of(&offered, reply);
    if spoken_of.is_empty() || spoken_of.len() > limits::ROWS || !fits(reply) {
        return None;
    }
    let english = state.principal.locale == Locale::En;
    let locale = state.principal.locale;
    let all: Vec<Choice> = (1_u32..)
        .zip(&spoken_of)
        .map(|(number, offer)| Choice {
            name: format!("{}{turn}:{number}", crate::messaging::outbound::enqueue::CHOICE),
            words: offer_text(offer, locale),
            expires_at: expires_at(offer, zone, now),
        })
        .collect();
    let content = if all.len() <= limits::BUTTONS
        && let Some(titles) = titles(&spoken_of)
    {
        let buttons = all.iter().zip(titles).map(|(choice, title)| Button { id: choice.name.clone(), title });
        OutboundContent::Buttons { header: None, body: reply.to_owned(), footer: None, buttons: buttons.collect() }
    } else {
        let open = if english { "See times" } else { "Ver horários" }.to_owned();
        let sections = sections(&spoken_of, &all, locale);
        OutboundContent::List { header: None, body: reply.to_owned(), footer: None, open, sections }
    };
    Some(Choices { content, all })
}

/// The two answers to the question of a pending confirmation. The yes repeats the question, so that it agrees to nothing else: if the
/// contact taps a button of an earlier question late, its text names another day, time or act.
fn yes_or_no(held: &PendingConfirmation, reply: &str, turn: TurnId, locale: Locale) -> Option<Choices> {
    let [yes, no] = if locale == Locale::En { ["Yes", "No"] } else { ["Sim", "Não"] };
    let question = held.question.trim().trim_end_matches('?');
    let choice = |name: &str, words: String| Choice {
        name: format!("{}{turn}:{name}", crate::messaging::outbound::enqueue::CHOICE),
        words,
        expires_at: held.expires_at,
    };
    let all = vec![choice("yes", format!("{yes}, {question}")), choice("no", no.to_owned())];
    let button = |(choice, title): (&Choice, &str)| Button { id: choice.name.clone(), title: title.to_owned() };
    let buttons = all.iter().zip([yes, no]).map(button).collect();
    let content = OutboundContent::Buttons { header: None, body: reply.to_owned(), footer: None, buttons };
    fits(reply).then_some(Choices { content, all })
}

/// Returns whether a reply is short enough for choices below it.
fn fits(reply: &str) -> bool {
    reply.encode_utf16().count() <= limits::INTERACTIVE_BODY
}

/// Asks a contact with a hidden number for the number, with a button that shares it. The channel provider vouches for a shared
/// number, and the contact need not type it.
pub(super) fn ask_for_number(contact: &Contact, reply: &str) -> Option<Choices> {
    let asks = contact.phone.is_none() && fits(reply) && asks_for_a_number(reply);
    asks.then(|| Choices { content: OutboundContent::AskNumber { body: reply.to_owned() }, all: Vec::new() })
}

/// Returns the offers whose time the reply names. If the reply also names professionals, only their offers remain.
fn spoken_of<'a>(offered: &BTreeSet<&'a Offer>, reply: &str) -> Vec<&'a Offer> {
    let named: BTreeSet<Time> = find_times_from(reply, Time::MIN)
        .into_iter()
        .filter_map(|found| match found.reading {
            TimeReading::At { time, .. } => Some(time),
            TimeReading::Window(_) => None,
        })
        .collect();
    let at_time: Vec<&Offer> = offered.iter().copied().filter(|offer| named.contains(&offer.start)).collect();
    let folded = balcao_language::normalize(reply);
    let is_named = |offer: &&Offer| {
        let first = offer.professional.split_whitespace().next().unwrap_or_default();
        !first.is_empty()
            && folded.split(|c: char| !c.is_alphanumeric()).any(|word| word == balcao_language::normalize(first))
    };
    let with: Vec<&Offer> = at_time.iter().copied().filter(is_named).collect();
    if with.is_empty() { at_time } else { with }
}

/// Returns a title for each button; `None` if two buttons would have one title.
fn titles(offers: &[&Offer]) -> Option<Vec<String>> {
    let days: BTreeSet<_> = offers.iter().map(|offer| offer.day).collect();
    let title = |offer: &&Offer| {
        let time = offer.start.strftime("%H:%M");
        if days.len() > 1 { format!("{} {time}", offer.day.strftime("%d/%m")) } else { time.to_string() }
    };
    let plain: Vec<String> = offers.iter().map(title).collect();
    let differ = |all: &[String]| all.iter().collect::<BTreeSet<_>>().len() == all.len();
    if differ(&plain) {
        return Some(plain);
    }
    let with = |(offer, title): (&&Offer, String)| {
        let first = offer.professional.split_whitespace().next().unwrap_or_default();
        cut(&format!("{title} {first}"), limits::BUTTON_TITLE)
    };
    let longer: Vec<String> = offers.iter().zip(plain).map(with).collect();
    differ(&longer).then_some(longer)
}

fn sections(offers: &[&Offer], all: &[Choice], locale: Locale) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let with = if locale == Locale::PtBr { "com" } else { "with" };
    let mut last = None;
    for (offer, choice) in offers.iter().zip(all) {
        if last != Some(offer.day) {
            let title = cut(&format::day(offer.day, locale), limits::SECTION_TITLE);
            sections.push(Section { title: Some(title), rows: Vec::new() });
            last = Some(offer.day);
        }
        let row = Row {
            id: choice.name.clone(),
            title: offer.start.strftime("%H:%M").to_string(),
            description: Some(cut(&format!("{with} {}", offer.professional), limits::ROW_DESCRIPTION)),
        };
        if let Some(section) = sections.last_mut() {
            section.rows.push(row);
        }
    }
    sections
}

/// The text of the contact that a choice stands for.
fn offer_text(offer: &Offer, locale: Locale) -> String {
    let (day, time) = (format::day(offer.day, locale), offer.start.strftime("%H:%M"));
    let service = offer.service.as_deref().map(|service| format!(", {service}")).unwrap_or_default();
    match locale {
        Locale::PtBr => format!("Quero {day} às {time} com {}{service}", offer.professional),
        Locale::En => format!("I want {day} at {time} with {}{service}", offer.professional),
    }
}

fn expires_at(offer: &Offer, zone: &TimeZone, now: Timestamp) -> Timestamp {
    let starts = zone.to_timestamp(offer.day.to_datetime(offer.start)).unwrap_or(now);
    starts.min(now.checked_add(OFFER_LIFETIME).unwrap_or(now))
}

/// Cuts a text to at most `most` UTF-16 units.
fn cut(text: &str, most: usize) -> String {
    let mut length = 0;
    text.chars()
        .take_while(|letter| {
            length += letter.len_utf16();
            length <= most
        })
        .collect()
}

#[cfg(test)]
#[path = "choices_tests.rs"]
mod tests;

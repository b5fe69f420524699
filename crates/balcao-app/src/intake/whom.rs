//! Whom a conversation is about, where one number serves several professionals.
//!
//! What the customer says decides, code before name; then the appointment whose reminder they answer or quote; then what is known
//! already; then their next or last appointment; then there may only be one. Else nobody is known, and the customer is asked: their answer is read here, and whoever wants anybody gets
//! whoever is free first ([`anyone`]). A calendar of all ([`Finding::AskedFor`]) is about somebody only while the customer asks
//! for them.

use balcao_domain::professional::Professional;
use balcao_domain::{ContactId, OrganizationId, ProfessionalId};
use balcao_language::{anybody_will_do, fold, is_relative};
use balcao_store::catalog::{self, Around};
use balcao_store::conversation::{self, Conversation};
use balcao_store::message::{self, Author, Message};
use balcao_store::{Tx, appointment, organization};
use jiff::civil::{Date, Time};
use jiff::{SignedDuration, Timestamp};

use super::anyone;
use crate::desk::UseCaseError;

/// So many of the latest messages are looked at for what the customer has just said.
const LOOKED_AT: u32 = 20;
/// So long a customer's wish for one professional counts in a calendar of all: a later visit is not bound by it.
const ASKED_FOR_HOURS: i64 = 24;
/// Words before a name by which somebody changes to another professional.
const TOWARDS: [&str; 3] = ["com", "with", "para"];
/// Words that may stand between these and the name.
const BETWEEN: [&str; 10] = ["o", "a", "dr", "dra", "doutor", "doutora", "doctor", "the", "sr", "sra"];

/// Words that make a name behind them the writer's, or that of whoever comes, as relatives do: "sou o Saulo", "meu filho Saulo".
const INTRODUCING: [&str; 6] = ["sou", "chamo", "chama", "nome", "am", "name"];

/// When a conversation is about one professional.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finding {
    /// Always: each session is somebody's.
    Always,
    /// While the customer asks for one; else anybody will do.
    AskedFor,
}

/// Finds out whom a conversation is about, from what the customer has just written too, and keeps it. `answered` is whose
/// appointment the message is about that the customer may be answering.
pub(crate) fn settle(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    conversation: &mut Conversation,
    answered: Option<ProfessionalId>,
    finding: Finding,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let active = active(tx, organization)?;
    let last = message::last(tx, organization, conversation.id, LOOKED_AT)?;
    let whom = match finding {
        Finding::AskedFor => asked_for(&active, &last, now),
        Finding::Always => {
            let works = |whom: &ProfessionalId| active.iter().any(|one| one.id == *whom);
            let known = answered.filter(works).or(conversation.professional.filter(works));
            always(tx, organization, contact, known, &active, &last, now)?.or(conversation.professional)
        }
    };
    if conversation.professional != whom {
        conversation::set_professional(tx, organization, conversation.id, whom)?;
        conversation.professional = whom;
    }
    Ok(())
}

fn always(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    known: Option<ProfessionalId>,
    active: &[Professional],
    last: &[Message],
    now: Timestamp,
) -> Result<Option<ProfessionalId>, UseCaseError> {
    let said = last.iter().rev().take_while(|one| one.author == Author::Contact).map(|one| fold(&one.text));
    let said = said.collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join(" . ");
    if let Some(whom) = named(active, &said, known.is_some()).or(known) {
        return Ok(Some(whom));
    }
    if let Some(whom) = by_appointment(tx, organization, contact, active, now)? {
        return Ok(Some(whom));
    }
    if let [only] = active {
        return Ok(Some(only.id));
    }
    if !anybody_will_do(&said, true) {
        return Ok(None);
    }
    let texts = last.iter().filter(|one| one.author == Author::Contact).map(|one| one.text.as_str());
    let (business, zone) = crate::desk::organization(tx, organization)?;
    let opens = crate::hours::open_state(tx, &business, &zone, now)?.earliest.unwrap_or(Time::MAX);
    let wish = anyone::wish(texts, zone.to_datetime(now).date(), opens);
    anyone::choose(tx, organization, contact, active, wish, now)
}

/// The one whom the customer asked for last, unless they said since that anybody will do.
fn asked_for(active: &[Professional], last: &[Message], now: Timestamp) -> Option<ProfessionalId> {
    let since = now.checked_sub(SignedDuration::from_hours(ASKED_FOR_HOURS)).unwrap_or(now);
    let theirs = last.iter().rev().filter(|one| one.author == Author::Contact && one.created_at >= since);
    for one in theirs {
        let said = fold(&one.text);
        if anybody_will_do(&said, false) {
            return None;
        }
        if let Some(whom) = named(active, &said, false) {
            return Some(whom);
        }
    }
    None
}

/// Those who can be booked.
pub(crate) fn active(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Vec<Professional>, UseCaseError> {
    let none = Date::constant(1970, 1, 1);
    let around = Around { from: none, to: none, since: Timestamp::MAX };
    let all = catalog::list_professionals(tx, organization, around)?;
    Ok(all.into_iter().filter(|one| one.active).collect())
}

/// The one whom a folded text means. With somebody known already a bare name is not enough: it may be the customer's own.
fn named(active: &[Professional], said: &str, known: bool) -> Option<ProfessionalId> {
    let codes = active.iter().filter(|one| one.code.as_ref().is_some_and(|code| has_code(said, code)));
    if let Some(one) = only(codes) {
        return Some(one.id);
    }
    let words: Vec<&str> = said.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    only(active.iter().filter(|one| is_named(&words, one, known))).map(|one| one.id)
}

fn only<'a>(mut fitting: impl Iterator<Item = &'a Professional>) -> Option<&'a Professional> {
    fitting.next().filter(|_| fitting.next().is_none())
}

/// `#ana`, and not `#ana-maria`.
fn has_code(said: &str, code: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-');
    said.match_indices('#').any(|(at, _)| {
        let rest = said.get(at + 1..).and_then(|rest| rest.strip_prefix(code));
        rest.is_some_and(ends)
    })
}

fn is_named(words: &[&str], one: &Professional, known: bool) -> bool {
    std::iter::once(&one.name).chain(&one.aliases).any(|name| {
        let name = fold(name);
        let name: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        if name.is_empty() {
            return false;
        }
        words.windows(name.len()).enumerate().any(|(at, window)| {
            let mut before = words.get(..at).unwrap_or_default().iter().rev().filter(|word| !BETWEEN.contains(word));
            let (last, first) =
                (before.next().copied().unwrap_or_default(), before.next().copied().unwrap_or_default());
            // "Aqui é o Saulo".
            let introduced =
                INTRODUCING.contains(&last) || is_relative(last) || last == "e" && ["aqui", "nome"].contains(&first);
            window == name.as_slice() && (TOWARDS.contains(&last) || !known && !introduced)
        })
    })
}

fn by_appointment(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    contact: ContactId,
    active: &[Professional],
    now: Timestamp,
) -> Result<Option<ProfessionalId>, UseCaseError> {
    let currency = organization::get(tx, id)?.currency;
    let upcoming = appointment::upcoming_of_contact(tx, id, contact, currency, now)?;
    let works = |whom: &ProfessionalId| active.iter().any(|one| one.id == *whom);
    if let Some(next) = upcoming.iter().map(|one| one.professional).find(works) {
        return Ok(Some(next));
    }
    let all = appointment::of_contact(tx, id, contact, currency)?;
    Ok(all.iter().rev().filter(|one| one.status.holds_slot()).map(|one| one.professional).find(works))
}

#[cfg(test)]
#[path = "whom_tests.rs"]
mod tests;

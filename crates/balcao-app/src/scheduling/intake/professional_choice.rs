//! Finds the professional of a conversation, if one number serves several professionals.
//!
//! These sources decide, in this order: the customer's words, with a code before a name; the appointment of the reminder that they
//! answer or quote; the known professional; their next or last appointment; the only professional that exists. Otherwise the agent asks
//! the customer, and [`super::professional_mention`] reads the answer. A customer who accepts any professional gets the one who is
//! free first ([`first_available`]). A customer who names several leaves the choice open between these, and no other is proposed. In a
//! calendar of all ([`ResolutionMode::AskedFor`]) a conversation has a professional only while the customer asks for one.

use balcao_domain::professional::Professional;
use balcao_domain::{ContactId, OrganizationId, ProfessionalId};
use balcao_language::{anybody_will_do, normalize};
use balcao_store::messaging::conversation::{self, Conversation};
use balcao_store::messaging::message::{self, Author, Message};
use balcao_store::{Tx, crm::organization, scheduling::appointment};
use jiff::civil::Time;
use jiff::{SignedDuration, Timestamp};

use super::first_available;
use super::professional_mention::{Mention, MentionContext, agreed_to, asks_for_a_name, find_mention, offered};
use crate::context::app_context::{AppContext, UseCaseError};
use crate::scheduling::booking::freshness;
use crate::scheduling::professionals::active;

/// So many of the latest messages are looked at for what the customer has just said.
const LOOKED_AT: u32 = 20;
/// So long a customer's wish for one professional counts in a calendar of all: a later visit is not bound by it.
const ASKED_FOR_HOURS: i64 = 24;
/// When a conversation is about one professional.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResolutionMode {
    /// Always, because each session belongs to one professional.
    Always,
    /// While the customer asks for one; else anybody will do.
    AskedFor,
}

/// Reads the external calendars if new messages of a customer accept any professional, because [`first_available`] then looks for free
/// times. The caller has no transaction open. If the service does not answer, a copy that is too old has no free times.
///
/// # Errors
/// [`UseCaseError`] if the database failed.
pub(crate) async fn freshen_before_choice(
    app: &AppContext,
    organization: OrganizationId,
    texts: &[String],
    mode: Option<ResolutionMode>,
) -> Result<(), UseCaseError> {
    if app.remote_calendar.is_none() || mode != Some(ResolutionMode::Always) {
        return Ok(());
    }
    let said: Vec<String> = texts.iter().map(|text| normalize(text)).collect();
    if anybody_will_do(&said.join(" . "), true) {
        freshness::check(app, organization).await?;
    }
    Ok(())
}

/// Finds the professional of a conversation, also from the newest messages of the customer, and stores the result. `answered` is the
/// professional of the appointment in the notification that the customer may be answering.
pub(crate) fn resolve_professional(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    conversation: &mut Conversation,
    answered: Option<ProfessionalId>,
    mode: ResolutionMode,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let active = active(tx, organization)?;
    let last = message::last(tx, organization, conversation.id, LOOKED_AT)?;
    let professional = match mode {
        ResolutionMode::AskedFor => asked_for(&active, &last, now),
        ResolutionMode::Always => {
            let works = |professional: &ProfessionalId| active.iter().any(|one| one.id == *professional);
            let known = answered.filter(works).or(conversation.professional.filter(works));
            let before = conversation.professional.filter(|professional| !works(professional));
            always(tx, organization, contact, known, &active, &last, now)?.or(before)
        }
    };
    if conversation.professional != professional {
        conversation::set_professional(tx, organization, conversation.id, professional)?;
        conversation.professional = professional;
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
    let said = last.iter().rev().take_while(|one| one.author == Author::Contact).map(|one| normalize(&one.text));
    let said = said.collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join(" . ");
    let ours = last.iter().rev().find(|one| one.author != Author::Contact).map_or("", |one| one.text.as_str());
    let hearing = MentionContext { known: known.is_some(), named: asks_for_a_name(ours) };
    match find_mention(active, &said, hearing) {
        Mention::One(professional) => return Ok(Some(professional)),
        Mention::Several(_) => return Ok(None),
        Mention::Nobody => {}
    }
    if let Some(professional) = agreed_to(active, ours, &said) {
        return Ok(Some(professional));
    }
    let anybody = anybody_will_do(&said, true);
    let among = offered(active, ours);
    if let Some(known) = known.filter(|_| !anybody || among.is_empty()) {
        return Ok(Some(known));
    }
    // "Com o Otávio ou com o Wesley" is not settled by an appointment with a third.
    let open = is_open(active, last);
    if !open
        && (!anybody || among.is_empty())
        && let Some(professional) = by_appointment(tx, organization, contact, active, now)?
    {
        return Ok(Some(professional));
    }
    if let [only] = active {
        return Ok(Some(only.id));
    }
    if !anybody {
        return Ok(None);
    }
    let texts: Vec<&str> =
        last.iter().filter(|one| one.author == Author::Contact).map(|one| one.text.as_str()).collect();
    let (business, zone) = crate::context::app_context::organization(tx, organization)?;
    let opens = crate::scheduling::hours::open_state(tx, &business, &zone, now)?.earliest.unwrap_or(Time::MAX);
    let wish = first_available::read_slot_wish(texts.iter().copied(), zone.to_datetime(now).date(), opens);
    let among: Vec<Professional> =
        active.iter().filter(|one| among.is_empty() || among.contains(&one.id)).cloned().collect();
    first_available::choose_first_available(tx, organization, contact, &among, wish, &texts, now)
}

/// Returns `true` if the customer's last mention of professionals named several.
fn is_open(active: &[Professional], last: &[Message]) -> bool {
    let theirs = last.iter().rev().filter(|one| one.author == Author::Contact);
    let hearing = MentionContext { known: false, named: false };
    let mut named = theirs.map(|one| find_mention(active, &normalize(&one.text), hearing));
    named.find(|found| *found != Mention::Nobody).is_some_and(|found| matches!(found, Mention::Several(_)))
}

/// Finds the professional that the customer asked for last, unless they said since that any professional will do.
fn asked_for(active: &[Professional], last: &[Message], now: Timestamp) -> Option<ProfessionalId> {
    let since = now.checked_sub(SignedDuration::from_hours(ASKED_FOR_HOURS)).unwrap_or(now);
    let theirs = last.iter().rev().filter(|one| one.author == Author::Contact && one.created_at >= since);
    for one in theirs {
        let said = normalize(&one.text);
        if anybody_will_do(&said, false) {
            return None;
        }
        if let Mention::One(professional) = find_mention(active, &said, MentionContext { known: false, named: false }) {
            return Some(professional);
        }
    }
    None
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
    let works = |professional: &ProfessionalId| active.iter().any(|one| one.id == *professional);
    if let Some(next) = upcoming.iter().map(|one| one.professional).find(works) {
        return Ok(Some(next));
    }
    let all = appointment::of_contact(tx, id, contact, currency)?;
    Ok(all.iter().rev().filter(|one| one.status.holds_slot()).map(|one| one.professional).find(works))
}

#[cfg(test)]
#[path = "professional_choice_tests.rs"]
mod tests;

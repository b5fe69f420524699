//! The last look at a message, in the transaction that states the intent to send it: whether it may still leave, and what it
//! will cost.
//!
//! The sender checks a proactive message again (F-142): a contact who opted out, has a handoff, or whose appointment changed receives
//! none. It also checks a reply that waited for long (F-131). What leaves has a price before it leaves, and a month has a limit.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use balcao_channel::Outbound;
use balcao_channel::channels::whatsapp::price::Category;
use balcao_domain::conversation::ConversationState;
use balcao_domain::{AppointmentId, OrganizationId};
use balcao_seeded_bugs::{Bug, is_on};
use balcao_store::messaging::outbox::{self, Bill, Outbox};
use balcao_store::scheduling::reminder::ReminderSubject;
use balcao_store::turns::lease::Route;
use balcao_store::{Tx, messaging::conversation, scheduling::appointment};
use jiff::{SignedDuration, Timestamp};

use crate::context::app_context::{UseCaseError, organization};
use crate::messaging::outbound::pricing;
use crate::messaging::outbound::send_policy::SendPolicy;

/// Kinds of proactive messages.
const PROACTIVE_KINDS: [&str; 3] = ["reminder", "follow_up", "waitlist"];

/// Kinds of messages about a change that staff chose for one appointment. They also leave while a person has the conversation.
const CHANGE_KINDS: [&str; 3] = ["appointment_moved", "appointment_cancelled", "appointment_kept"];

/// A reply that has waited for longer is held against what has changed since.
const STALE_AFTER: SignedDuration = SignedDuration::from_mins(15);

/// Message cost of the current month, for each account in this batch.
pub(super) type Bills = BTreeMap<(OrganizationId, String, String), Bill>;

/// Why a message may not leave any more; `None`: it may, and its price is kept.
pub(super) fn check(
    tx: &mut Tx<'_>,
    message: &Outbox,
    route: Option<&Route>,
    terms: Option<&SendPolicy>,
    bills: &mut Bills,
    now: Timestamp,
) -> Result<Option<String>, UseCaseError> {
    if PROACTIVE_KINDS.contains(&message.kind.as_str())
        && !is_on(Bug::ReminderNotLookedAtAgain)
        && let Some(why) = is_unwanted(tx, message, now)?
    {
        return Ok(Some(why.to_owned()));
    }
    if CHANGE_KINDS.contains(&message.kind.as_str())
        && let Some(why) = is_overtaken(tx, message, now)?
    {
        return Ok(Some(why.to_owned()));
    }
    if let Some(why) = is_stale(tx, message, now)? {
        return Ok(Some(why.to_owned()));
    }
    match terms {
        Some(terms) if message.price_micros.is_none() => expected_price(tx, message, route, terms, bills, now),
        Some(_) | None => Ok(None),
    }
}

fn is_unwanted(tx: &mut Tx<'_>, message: &Outbox, now: Timestamp) -> Result<Option<&'static str>, UseCaseError> {
    let found = conversation::get(tx, message.organization, message.conversation)?;
    if found.state.is_with_staff() {
        return Ok(Some("a person has the conversation"));
    }
    if conversation::opted_out(tx, message.organization, found.contact)? {
        return Ok(Some("the customer wants no such messages"));
    }
    let Some(subject) = message.about.as_deref().and_then(appointment_of) else { return Ok(None) };
    Ok(match appointment_unchanged(tx, message.organization, subject, now)? {
        true => None,
        false => Some("the appointment was changed meanwhile, or is over"),
    })
}

/// Why a message about a change that staff chose may not leave: the contact opted out meanwhile, or the appointment was changed again.
fn is_overtaken(tx: &mut Tx<'_>, message: &Outbox, now: Timestamp) -> Result<Option<&'static str>, UseCaseError> {
    let contact = conversation::get(tx, message.organization, message.conversation)?.contact;
    if conversation::opted_out(tx, message.organization, contact)? {
        return Ok(Some("the customer wants no such messages"));
    }
    let Some(subject) = message.about.as_deref().and_then(appointment_of) else { return Ok(None) };
    let stands = appointment_unchanged(tx, message.organization, subject, now)?;
    let is_true = stands != (message.kind == "appointment_cancelled");
    Ok((!is_true).then_some("the appointment was changed meanwhile, or is over"))
}

/// Why a reply that has waited for long may be true no more (F-131): what it says of the customer's appointments was so when it
/// was written. Staff see it, and may still send it.
fn is_stale(tx: &mut Tx<'_>, message: &Outbox, now: Timestamp) -> Result<Option<&'static str>, UseCaseError> {
    let waited = now.duration_since(message.created_at);
    if message.kind != "reply" || waited <= STALE_AFTER {
        return Ok(None);
    }
    let contact = conversation::get(tx, message.organization, message.conversation)?.contact;
    let changed = appointment::changed_since(tx, message.organization, contact, message.created_at)?;
    Ok(changed.then_some("it waited for long, and an appointment of the customer was changed since it was written"))
}

/// Whether a reply of the agent waits that a person has overtaken: what they say comes in its place. Staff may still send it.
pub(super) fn superseded_by_staff(tx: &mut Tx<'_>, message: &Outbox) -> Result<bool, UseCaseError> {
    if message.kind != "reply" {
        return Ok(false);
    }
    let found = conversation::get(tx, message.organization, message.conversation)?;
    Ok(found.state == ConversationState::Human)
}

/// How a reminder names what it is about.
pub(crate) fn about_appointment(id: AppointmentId, start: Timestamp) -> String {
    format!("appointment:{}:{}", i64::from(id), start.as_millisecond())
}

/// The appointment that a reminder is about, with its start.
pub(crate) fn appointment_of(about: &str) -> Option<ReminderSubject> {
    let (id, start) = about.strip_prefix("appointment:")?.split_once(':')?;
    let appointment = AppointmentId::try_from(id.parse::<i64>().ok()?).ok()?;
    Some(ReminderSubject { appointment, starts_at: Timestamp::from_millisecond(start.parse().ok()?).ok()? })
}

/// Whether an appointment still stands as it was.
fn appointment_unchanged(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    ReminderSubject { appointment, starts_at }: ReminderSubject,
    now: Timestamp,
) -> Result<bool, UseCaseError> {
    let (organization, _zone) = organization(tx, id)?;
    let found = appointment::find(tx, id, appointment, organization.currency)?;
    Ok(found.is_some_and(|one| one.status.is_open() && one.span.start == starts_at && now < starts_at))
}

fn expected_price(
    tx: &mut Tx<'_>,
    message: &Outbox,
    route: Option<&Route>,
    terms: &SendPolicy,
    bills: &mut Bills,
    now: Timestamp,
) -> Result<Option<String>, UseCaseError> {
    let Some(rates) = terms.rates else { return Ok(None) };
    let Ok(body) = serde_json::from_str::<Outbound>(&message.body) else { return Ok(None) };
    let account = (message.organization, message.channel.clone(), message.account.clone());
    // The whole month is added up once in a claim, not for each of its messages.
    let bill = match bills.entry(account) {
        Entry::Occupied(bill) => bill.into_mut(),
        Entry::Vacant(place) => {
            place.insert(pricing::month_bill(tx, message.organization, (&message.channel, &message.account), now)?)
        }
    };
    let whose = (message.organization, message.conversation);
    let wrote_at = route.and_then(|route| route.customer_wrote_at);
    // Outside the window nothing but a template leaves: the attempt says so.
    let Some(expected) = pricing::expect(tx, whose, body.content(), (terms, *bill, wrote_at), now)? else {
        return Ok(None);
    };
    let micros = rates.micros(&expected);
    if pricing::exceeds_cap(terms, *bill, micros) {
        return Ok(Some("the month's limit for messages is reached: raise whatsapp.monthly_cap".to_owned()));
    }
    let micros = i64::try_from(micros).unwrap_or(i64::MAX);
    outbox::set_price(tx, message.organization, message.id, pricing::category_word(&expected.category), micros, now)?;
    bill.micros = bill.micros.saturating_add(micros);
    bill.messages = bill.messages.saturating_add(i64::from(expected.category == Category::Service));
    Ok(None)
}

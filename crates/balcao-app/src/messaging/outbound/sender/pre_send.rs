//! The last look at a message, in the transaction that states the intent to send it: whether it may still leave, and what it
//! will cost.
//!
//! The sender checks a proactive message again (F-142): a contact who opted out, has a handoff, or whose appointment changed receives
//! none. It also checks a reply that waited for long (F-131). What leaves has a price before it leaves, and a month has a limit.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use balcao_channel::Outbound;
use balcao_channel::channels::whatsapp::price::{Category, Circumstances, expected};
use balcao_channel::channels::whatsapp::window;
use balcao_channel::outbound::OutboundContent;
use balcao_domain::conversation::ConversationState;
use balcao_domain::{AppointmentId, OrganizationId};
use balcao_seeded_bugs::{Bug, is_on};
use balcao_store::messaging::outbox::{self, Bill, Outbox};
use balcao_store::scheduling::reminder::ReminderSubject;
use balcao_store::turns::lease::Route;
use balcao_store::{Tx, messaging::conversation, messaging::delivery, messaging::inbox, scheduling::appointment};
use jiff::{SignedDuration, Timestamp};

use crate::context::app_context::{UseCaseError, organization};
use crate::messaging::outbound::costs::month_of;
use crate::messaging::outbound::send_policy::SendPolicy;

/// Kinds of proactive messages.
const PROACTIVE_KINDS: [&str; 3] = ["reminder", "follow_up", "waitlist"];

/// A reply that has waited for longer is held against what has changed since.
const STALE_AFTER: SignedDuration = SignedDuration::from_mins(15);

/// What the month's messages cost so far, of each account that a claim met.
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
        Entry::Vacant(place) => place.insert(bill_of(tx, message, now)?),
    };
    let used = if let OutboundContent::Template(template) = body.content() { Some(template) } else { None };
    let facts = Circumstances {
        window: window::state(route.and_then(|route| route.customer_wrote_at), now),
        free_entry_until: free_until(tx, message, now)?,
        service_messages_this_month: u64::try_from(bill.messages).unwrap_or(0),
        template: used.and_then(|template| terms.category_of(template)),
        now,
    };
    // Outside the window nothing but a template leaves: the attempt says so.
    let Some(expected) = expected(body.content(), &facts) else { return Ok(None) };
    let micros = rates.micros(&expected);
    let spent = u64::try_from(bill.micros).unwrap_or(0);
    if let Some(cap) = terms.cap_micros
        && micros > 0
        && spent.saturating_add(micros) > cap
    {
        return Ok(Some("the month's limit for messages is reached: raise whatsapp.monthly_cap".to_owned()));
    }
    let micros = i64::try_from(micros).unwrap_or(i64::MAX);
    outbox::set_price(tx, message.organization, message.id, word(&expected.category), micros, now)?;
    bill.micros = bill.micros.saturating_add(micros);
    bill.messages = bill.messages.saturating_add(i64::from(expected.category == Category::Service));
    Ok(None)
}

/// Until when everything is free because an advertisement led the customer here and they were answered in time.
fn free_until(tx: &mut Tx<'_>, message: &Outbox, now: Timestamp) -> Result<Option<Timestamp>, UseCaseError> {
    let (organization, conversation) = (message.organization, message.conversation);
    let since = now.checked_sub(window::FREE_ENTRY).unwrap_or(Timestamp::MIN);
    let mut entries = Vec::new();
    for wrote in inbox::referred(tx, organization, conversation, since)? {
        entries.push((wrote, delivery::first_left(tx, organization, conversation, wrote)?));
    }
    Ok(window::free_until(entries, now))
}

fn bill_of(tx: &mut Tx<'_>, message: &Outbox, now: Timestamp) -> Result<Bill, UseCaseError> {
    let (_, zone) = organization(tx, message.organization)?;
    let month = month_of(now, &zone);
    let account = (message.channel.as_str(), message.account.as_str());
    Ok(outbox::bill(tx, message.organization, account, word(&Category::Service), month)?)
}

/// The provider's word for a category.
fn word(category: &Category) -> &str {
    match category {
        Category::Service => "service",
        Category::Utility => "utility",
        Category::Marketing => "marketing",
        Category::MarketingLite => "marketing_lite",
        Category::Authentication => "authentication",
        Category::AuthenticationInternational => "authentication_international",
        Category::ReferralConversion => "referral_conversion",
        Category::GeneralPurposeAi => "general_purpose_ai",
        Category::Other(word) => word,
    }
}

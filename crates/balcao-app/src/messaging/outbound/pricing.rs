//! The expected price of a message, before it is written or sent.

use balcao_channel::channels::whatsapp::price::{Category, Circumstances, Expected, expected};
use balcao_channel::channels::whatsapp::window;
use balcao_channel::outbound::OutboundContent;
use balcao_domain::{ConversationId, OrganizationId};
use balcao_store::messaging::outbox::{self, Bill};
use balcao_store::{Tx, messaging::delivery, messaging::inbox};
use jiff::Timestamp;

use crate::context::app_context::{UseCaseError, organization};
use crate::messaging::outbound::costs::month_of;
use crate::messaging::outbound::send_policy::SendPolicy;

/// The bill of an account, a channel and its account name, for the current month.
pub(crate) fn month_bill(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    account: (&str, &str),
    now: Timestamp,
) -> Result<Bill, UseCaseError> {
    let (_, zone) = organization(tx, id)?;
    Ok(outbox::bill(tx, id, account, category_word(&Category::Service), month_of(now, &zone))?)
}

/// What the provider will bill a message to a conversation as; `None` if only a template may leave now and the message is not one.
/// `wrote_at` is the last message of the contact.
pub(crate) fn expect(
    tx: &mut Tx<'_>,
    (organization, conversation): (OrganizationId, ConversationId),
    content: &OutboundContent,
    (terms, bill, wrote_at): (&SendPolicy, Bill, Option<Timestamp>),
    now: Timestamp,
) -> Result<Option<Expected>, UseCaseError> {
    let used = if let OutboundContent::Template(template) = content { Some(template) } else { None };
    let facts = Circumstances {
        window: window::state(wrote_at, now),
        free_entry_until: free_until(tx, organization, conversation, now)?,
        service_messages_this_month: u64::try_from(bill.messages).unwrap_or(0),
        template: used.and_then(|template| terms.category_of(template)),
        now,
    };
    Ok(expected(content, &facts))
}

/// Whether a message of this price would exceed the monthly limit of the account.
pub(crate) fn exceeds_cap(terms: &SendPolicy, bill: Bill, micros: u64) -> bool {
    let spent = u64::try_from(bill.micros).unwrap_or(0);
    terms.cap_micros.is_some_and(|cap| micros > 0 && spent.saturating_add(micros) > cap)
}

/// Until when everything is free because an advertisement led the customer here and they were answered in time.
fn free_until(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    now: Timestamp,
) -> Result<Option<Timestamp>, UseCaseError> {
    let since = now.checked_sub(window::FREE_ENTRY).unwrap_or(Timestamp::MIN);
    let mut entries = Vec::new();
    for wrote in inbox::referred(tx, organization, conversation, since)? {
        entries.push((wrote, delivery::first_left(tx, organization, conversation, wrote)?));
    }
    Ok(window::free_until(entries, now))
}

/// The provider's word for a category.
pub(crate) fn category_word(category: &Category) -> &str {
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

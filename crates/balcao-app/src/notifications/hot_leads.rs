//! Tells staff of a hot lead, by the ways that the business chose for its handoffs ([`super::staff_alerts`]), and endpoints outside.
//!
//! Once for each contact and local day: a row of the day's budgets is the claim, so of two turns at once one tells.

use balcao_channel::outbound::limits;
use balcao_domain::contact::Contact;
use balcao_domain::{ConversationId, Locale};
use balcao_store::crm::organization::Organization;
use balcao_store::ops::day_budget::{self, Day};
use balcao_store::{Tx, crm::staff, turns::event};
use jiff::Timestamp;

use crate::context::app_context::UseCaseError;
use crate::context::budgets::day_of;
use crate::context::notification_accounts::NotificationAccounts;
use crate::notifications::staff_alerts::{self, StaffAlert};

/// The kind of an alert in the outbox; its template is that of the same name.
const KIND: &str = "notice_hot_lead";

/// A contact who said or is what the profile calls a hot lead.
pub(crate) struct HotLead<'a> {
    pub(crate) organization: &'a Organization,
    pub(crate) conversation: ConversationId,
    pub(crate) contact: &'a Contact,
    /// The pattern or the stage of the profile.
    pub(crate) why: &'a str,
    /// Whether the same turn hands the conversation over, which alerts staff itself.
    pub(crate) is_handed_over: bool,
}

/// Writes the event and the alerts, in the transaction that closes the turn.
pub(crate) fn enqueue(
    tx: &mut Tx<'_>,
    accounts: &NotificationAccounts,
    lead: &HotLead<'_>,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let organization = lead.organization.id;
    let day: Day = day_of(tx, organization, now)?;
    let name = format!("hot_lead/{}", lead.contact.id);
    if !day_budget::take(tx, organization, day.budget(&name), 1, 1, now)? {
        return Ok(());
    }
    let payload = serde_json::json!({ "contact": lead.contact.id.to_string(), "why": lead.why }).to_string();
    event::push(tx, organization, "hot_lead", &lead.conversation.to_string(), &payload, now)?;
    let Some(ways) = staff_alerts::ways(accounts).filter(|_| !lead.is_handed_over) else { return Ok(()) };
    let (subject, text) = worded(lead);
    let name = format!("{}-{}", i64::from(lead.contact.id), day.date);
    let alert = StaffAlert { kind: KIND, name: &name, about: None, subject: &subject, text: &text };
    for whose in staff::list(tx, organization)?.into_iter().filter(|one| one.role.answers_customers()) {
        staff_alerts::enqueue(tx, organization, ways, &whose, &alert, now)?;
    }
    Ok(())
}

/// Subject and text.
fn worded(lead: &HotLead<'_>) -> (String, String) {
    let HotLead { conversation, contact, why, .. } = lead;
    let is_english = Locale::closest_to_tag(&lead.organization.locale) == Locale::En;
    let known = contact.name.clone().or_else(|| contact.phone.as_ref().map(|phone| phone.e164().to_owned()));
    let who = known.unwrap_or_else(|| if is_english { "A customer" } else { "Cliente" }.to_owned());
    // A name is what a customer says of themselves: one line of it.
    let who = who.split_whitespace().collect::<Vec<_>>().join(" ");
    let (lead, because, goes_on, look) = if is_english {
        ("Hot lead", "Reason", "The agent goes on with the conversation.", "Read it")
    } else {
        ("Cliente decidido", "Motivo", "O atendente virtual segue na conversa.", "Ler")
    };
    let subject = format!("{lead}: {who}").chars().take(limits::SUBJECT / 2).collect();
    let text = format!("{lead}: {who}.\n{because}: {why}\n{goes_on}\n\n{look}: balcao inbox show {conversation}");
    (subject, text)
}

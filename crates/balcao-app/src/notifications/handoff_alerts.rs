//! Tells staff of a handoff by e-mail and WhatsApp, as the business chose, beside `balcao inbox` and the outgoing webhooks.
//!
//! An alert is a row of the outbox, written in the transaction of the handoff, so that neither exists without the other. It goes to the
//! staff member who has the conversation, or to everybody who may answer if none is on duty ([`super::staff_alerts`]).

use balcao_channel::outbound::limits;
use balcao_domain::Locale;
use balcao_domain::contact::Contact;
use balcao_domain::{ConversationId, StaffId, TurnId};
use balcao_store::Tx;
use balcao_store::crm::organization::Organization;
use balcao_store::crm::staff::{self, Staff};
use jiff::Timestamp;

use crate::context::app_context::UseCaseError;
use crate::context::notification_accounts::NotificationAccounts;
use crate::notifications::staff_alerts::{self, StaffAlert};

/// The kind of an alert in the outbox; its template is that of the same name.
const KIND: &str = "notice_handoff";
const ABOUT: &str = "handoff:";

/// A conversation that was given to a person.
pub(crate) struct Handoff<'a> {
    pub(crate) organization: &'a Organization,
    pub(crate) conversation: ConversationId,
    pub(crate) turn: TurnId,
    pub(crate) contact: &'a Contact,
    pub(crate) assigned: Option<StaffId>,
    pub(crate) reason: &'a str,
    pub(crate) summary: &'a str,
}

/// The conversation that an alert is about, by how the outbox names it.
pub(crate) fn conversation_of(about: &str) -> Option<ConversationId> {
    about.strip_prefix(ABOUT)?.parse::<i64>().ok()?.try_into().ok()
}

/// Writes the alerts of a handoff, in its transaction.
pub(crate) fn enqueue(
    tx: &mut Tx<'_>,
    accounts: &NotificationAccounts,
    handed: &Handoff<'_>,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let Some(ways) = staff_alerts::ways(accounts) else { return Ok(()) };
    let (subject, text) = worded(handed);
    let (name, about) = (handed.turn.to_string(), format!("{ABOUT}{}", i64::from(handed.conversation)));
    let alert = StaffAlert { kind: KIND, name: &name, about: Some(&about), subject: &subject, text: &text };
    for recipient in recipients(staff::list(tx, handed.organization.id)?, handed.assigned) {
        staff_alerts::enqueue(tx, handed.organization.id, ways, &recipient, &alert, now)?;
    }
    Ok(())
}

/// Lists the recipients of an alert: the assigned staff member, else everybody who may answer customers.
fn recipients(all: Vec<Staff>, assigned: Option<StaffId>) -> Vec<Staff> {
    let is_told = |one: &Staff| assigned.map_or_else(|| one.role.answers_customers(), |assigned| one.id == assigned);
    all.into_iter().filter(is_told).collect()
}

/// Subject and text.
fn worded(handed: &Handoff<'_>) -> (String, String) {
    let Handoff { conversation, contact, reason, summary, .. } = handed;
    let english = Locale::closest_to_tag(&handed.organization.locale) == Locale::En;
    let known = contact.name.clone().or_else(|| contact.phone.as_ref().map(|phone| phone.e164().to_owned()));
    let who = known.unwrap_or_else(|| if english { "A customer" } else { "Cliente" }.to_owned());
    // A name is what a customer says of themselves: one line of it.
    let who = who.split_whitespace().collect::<Vec<_>>().join(" ");
    let (waits, why, take) = if english {
        ("waits for a person", "Reason", "Take it over")
    } else {
        ("espera por uma pessoa", "Motivo", "Assumir")
    };
    let subject = format!("{who} {waits}").chars().take(limits::SUBJECT / 2).collect();
    let text = format!("{who} {waits}.\n{why}: {reason}\n\n{summary}\n\n{take}: balcao inbox take {conversation}");
    (subject, text)
}

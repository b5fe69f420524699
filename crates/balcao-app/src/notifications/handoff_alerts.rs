//! Tells staff of a handoff by e-mail and WhatsApp, as the business chose, beside the console and the outgoing webhooks.
//!
//! An alert is a row of the outbox, written in the transaction of the handoff, so that neither exists without the other. It goes to the
//! staff member who has the conversation, or to everybody who may answer if none is on duty. By WhatsApp the template for it takes its
//! place where the window is closed (`sender`), as with notices to professionals.

use balcao_channel::channels::email;
use balcao_channel::outbound::{CorrelationId, OutboundContent, limits};
use balcao_channel::{Number, Outbound, Recipient, UserId, split_text};
use balcao_domain::Locale;
use balcao_domain::contact::Contact;
use balcao_domain::staff::Role;
use balcao_domain::{ContactId, ConversationId, OrganizationId, StaffId, TurnId};
use balcao_store::crm::organization::Organization;
use balcao_store::crm::staff::{self, Staff};
use balcao_store::messaging::outbox::{self, NewOutbox};
use balcao_store::{Tx, messaging::conversation};
use jiff::Timestamp;

use crate::context::app_context::UseCaseError;
use crate::context::notification_accounts::{HandoffAlerts, NotificationAccounts};
use crate::notifications::professionals;

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
    let HandoffAlerts { email, whatsapp } = accounts.handoffs;
    let mail = accounts.email.as_ref().filter(|_| email);
    let phone = accounts.whatsapp.as_ref().filter(|_| whatsapp);
    if mail.is_none() && phone.is_none() {
        return Ok(());
    }
    let (subject, text) = worded(handed);
    for whose in whom(staff::list(tx, handed.organization.id)?, handed.assigned) {
        if let Some(from) = mail {
            let content = OutboundContent::Mail { subject: subject.clone(), body: text.clone(), calendar: None };
            let to = Recipient::User(UserId::new(whose.email.as_str()));
            push(
                tx,
                handed,
                &whose,
                &Destination { channel: email::KIND, account: from, recipient: to },
                content,
                now,
            )?;
        }
        if let (Some((channel, account)), Some(number)) = (phone, &whose.phone) {
            let body = split_text(&text, limits::TEXT).into_iter().next().unwrap_or_default();
            let to = Recipient::Number(Number::new(number.as_str()));
            let content = OutboundContent::Text { body, preview_url: false };
            push(tx, handed, &whose, &Destination { channel, account, recipient: to }, content, now)?;
        }
    }
    Ok(())
}

/// The address of one alert, and the account that sends it.
struct Destination<'a> {
    channel: &'a str,
    account: &'a str,
    recipient: Recipient,
}

/// Lists the recipients of an alert: the assigned staff member, else everybody who may answer customers.
fn whom(all: Vec<Staff>, assigned: Option<StaffId>) -> Vec<Staff> {
    let answers = |one: &Staff| match one.role {
        Role::Owner | Role::Manager | Role::Attendant => true,
        Role::Professional | Role::Viewer => false,
    };
    let is_told = |one: &Staff| assigned.map_or_else(|| answers(one), |assigned| one.id == assigned);
    all.into_iter().filter(is_told).collect()
}

fn push(
    tx: &mut Tx<'_>,
    handed: &Handoff<'_>,
    whose: &Staff,
    to: &Destination<'_>,
    content: OutboundContent,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let id = handed.organization.id;
    let own = own_contact(tx, id, whose, now)?;
    let Destination { channel, account, recipient } = to;
    let conversation = conversation::find_or_begin(tx, id, own, channel, now)?.id;
    let correlation = format!("{id}:{KIND}/{}/{}/{channel}:1", handed.turn, whose.id);
    let tracked = Outbound::new(content)?.tracked(CorrelationId::new(correlation.as_str())?);
    let new = NewOutbox {
        conversation,
        turn: None,
        message: None,
        part: 1,
        kind: KIND,
        channel,
        account,
        recipient: &serde_json::to_string(recipient).unwrap_or_default(),
        body: &serde_json::to_string(&tracked).unwrap_or_default(),
        correlation: &correlation,
        about: Some(&format!("{ABOUT}{}", i64::from(handed.conversation))),
        fallback: None,
    };
    outbox::push(tx, id, &new, now)?;
    Ok(())
}

/// Finds or adds the contact for alerts to a staff member: the one that they write through, else the one with their number, else a
/// new one.
fn own_contact(tx: &mut Tx<'_>, id: OrganizationId, whose: &Staff, now: Timestamp) -> Result<ContactId, UseCaseError> {
    if let Some(known) = staff::contact_of(tx, id, whose.id)? {
        return Ok(known);
    }
    let user = format!("staff:{}", i64::from(whose.id));
    professionals::contact_of(tx, id, &whose.name, whose.phone.as_deref(), user, now)
}

/// Subject and text.
fn worded(handed: &Handoff<'_>) -> (String, String) {
    let Handoff { conversation, contact, reason, summary, .. } = handed;
    let english = Locale::of(&handed.organization.locale) == Locale::En;
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

//! Messages to staff members, by the ways that the business chose for its handoffs (`handoffs.tell_by`).
//!
//! An alert is a row of the outbox in the transaction of what it tells of. It goes to a conversation of the staff member's own, so that
//! alerts leave in order, and by WhatsApp the template of its kind takes its place where the window is closed.

use balcao_channel::channels::email;
use balcao_channel::outbound::{CorrelationId, OutboundContent, limits};
use balcao_channel::{Number, Outbound, Recipient, UserId, split_text};
use balcao_domain::{ContactId, OrganizationId};
use balcao_store::crm::staff::{self, Staff};
use balcao_store::messaging::outbox::{self, NewOutbox};
use balcao_store::{Tx, messaging::conversation};
use jiff::Timestamp;

use crate::context::app_context::UseCaseError;
use crate::{context::notification_accounts::NotificationAccounts, notifications::professionals};

/// An alert to one staff member.
#[derive(Debug)]
pub(crate) struct StaffAlert<'a> {
    /// Its kind in the outbox; its template is that of the same name.
    pub(crate) kind: &'static str,
    /// Its name among those of its kind; the same name is the same alert.
    pub(crate) name: &'a str,
    /// The thing that it is about, as the outbox names it.
    pub(crate) about: Option<&'a str>,
    /// The subject of a letter.
    pub(crate) subject: &'a str,
    /// Its text.
    pub(crate) text: &'a str,
}

/// The accounts that carry alerts: the address of letters, and the channel and account of WhatsApp.
pub(crate) type AlertWays<'a> = (Option<&'a String>, Option<&'a (String, String)>);

/// The ways that the business chose; `None` if it chose none.
pub(crate) fn ways(accounts: &NotificationAccounts) -> Option<AlertWays<'_>> {
    let mail = accounts.email.as_ref().filter(|_| accounts.handoffs.email);
    let phone = accounts.whatsapp.as_ref().filter(|_| accounts.handoffs.whatsapp);
    (mail.is_some() || phone.is_some()).then_some((mail, phone))
}

/// Writes an alert to a staff member, by each way.
pub(crate) fn enqueue(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    (mail, phone): AlertWays<'_>,
    whose: &Staff,
    alert: &StaffAlert<'_>,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    if let Some(from) = mail {
        let (subject, body) = (alert.subject.to_owned(), alert.text.to_owned());
        let content = OutboundContent::Mail { subject, body, calendar: None };
        let to = Recipient::User(UserId::new(whose.email.as_str()));
        push(tx, organization, alert, whose, (email::KIND, from), &to, content, now)?;
    }
    if let (Some((channel, account)), Some(number)) = (phone, &whose.phone) {
        let body = split_text(alert.text, limits::TEXT).into_iter().next().unwrap_or_default();
        let to = Recipient::Number(Number::new(number.as_str()));
        let content = OutboundContent::Text { body, preview_url: false };
        push(tx, organization, alert, whose, (channel, account), &to, content, now)?;
    }
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "the parts of one row")]
fn push(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    alert: &StaffAlert<'_>,
    whose: &Staff,
    (channel, account): (&str, &str),
    to: &Recipient,
    content: OutboundContent,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let own = own_contact(tx, id, whose, now)?;
    let conversation = conversation::find_or_begin(tx, id, own, channel, now)?.id;
    let correlation = format!("{id}:{}/{}/{}/{channel}:1", alert.kind, alert.name, whose.id);
    let tracked = Outbound::new(content)?.tracked(CorrelationId::new(correlation.as_str())?);
    let new = NewOutbox {
        conversation,
        turn: None,
        message: None,
        part: 1,
        kind: alert.kind,
        channel,
        account,
        recipient: &serde_json::to_string(to).unwrap_or_default(),
        body: &serde_json::to_string(&tracked).unwrap_or_default(),
        correlation: &correlation,
        about: alert.about,
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

//! Reply context: the notification of ours that the contact may be answering, and the appointment it was about
//! (specification part 01 §7).
//!
//! A message that quotes one of ours names the notification. Without a quote it is the last notification of the last 48 hours, if we
//! sent no other message after it. So "preciso remarcar" needs no question about which appointment. If the appointment belongs to
//! another contact, as in a professional's notice, the context adds nothing to the text of the notice.
//!
//! A yes to a reminder confirms its appointment here, by the words of the contact or the button below the reminder, before any model
//! reads the message (specification part 04).

use balcao_channel::inbound::{Content, Quoted};
use balcao_domain::Appointment;
use balcao_domain::{AppointmentId, ContactId, ProfessionalId, Span, TurnId};
use balcao_language::{Agreement, Asked, agreement_to, format};
use balcao_store::crm::organization::Organization;
use balcao_store::messaging::message::{self, Notification};
use balcao_store::scheduling::reminder::{self, Reminder, ReminderSubject};
use balcao_store::{Tx, messaging::choice, messaging::inbox, scheduling::appointment, scheduling::catalog};
use balcao_tool::Locale;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Deserialize;

use crate::context::app_context::UseCaseError;
use crate::messaging::outbound::{enqueue, sender::pre_send};
use crate::{notifications::professionals, scheduling::reminders};

/// The notification that the contact may be answering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReplyContext {
    /// The words, with the appointment behind them.
    pub(super) text: String,
    /// The contact's own appointment that it was about, as it stands now.
    pub(super) about: Option<About>,
}

/// An appointment, worded for the agent or the staff member who continues the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct About {
    pub(super) id: AppointmentId,
    pub(super) professional: ProfessionalId,
    pub(super) line: String,
}

/// Whose turn it is, and how they are written to.
pub(super) struct TurnScope<'a> {
    pub(super) organization: &'a Organization,
    pub(super) zone: &'a TimeZone,
    pub(super) contact: ContactId,
    pub(super) conversation: balcao_domain::ConversationId,
    pub(super) turn: TurnId,
    pub(super) locale: Locale,
    /// Whether a question of ours waits for a yes, which then answers this question and no reminder.
    pub(super) is_asked: bool,
}

/// What the contact may be answering.
pub(super) fn find_reply_context(
    tx: &mut Tx<'_>,
    whose: &TurnScope<'_>,
    since: Timestamp,
    now: Timestamp,
) -> Result<Option<ReplyContext>, UseCaseError> {
    let org = whose.organization.id;
    let messages = inbox::payloads_of_turn(tx, org, whose.turn)?;
    let told = match quoted(tx, whose, &messages)? {
        Some(told) => Some(told),
        None => message::find_last_notification(tx, org, whose.conversation, since)?,
    };
    let tapped = tapped_reminder(tx, whose, &messages)?;
    if let Some(reminder) = &tapped {
        confirm(tx, whose, reminder.subject, now)?;
    }
    let Some(Notification { subject, about }) = told else { return Ok(None) };
    let reminded = about.as_deref().and_then(pre_send::appointment_of);
    if let Some(reminded) = reminded.filter(|_| tapped.is_none() && !whose.is_asked)
        && agrees(tx, whose, &subject, Span::new(since, now))?
    {
        confirm(tx, whose, reminded, now)?;
    }
    let named = reminded.map(|reminded| reminded.appointment);
    let named = named.or_else(|| about.as_deref().and_then(professionals::appointment_of));
    let found = match named {
        Some(id) => {
            appointment::find(tx, org, id, whose.organization.currency)?.filter(|one| one.contact == whose.contact)
        }
        None => None,
    };
    let Some(found) = found else { return Ok(Some(ReplyContext { text: subject, about: None })) };
    let mut about = worded(tx, whose, &found)?;
    if reminder::list_of(tx, org, found.id)?.iter().any(|one| one.confirmed_at.is_some()) {
        about.line.push_str(match whose.locale {
            Locale::PtBr => ", presença confirmada",
            Locale::En => ", attendance confirmed",
        });
    }
    Ok(Some(ReplyContext { text: format!("{subject} ({})", about.line), about: Some(about) }))
}

/// Finds the notification that the turn's last quoting message quotes.
fn quoted(tx: &mut Tx<'_>, whose: &TurnScope<'_>, messages: &[String]) -> Result<Option<Notification>, UseCaseError> {
    #[derive(Deserialize)]
    struct Quoting {
        quoted: Option<Quoted>,
    }
    let org = whose.organization.id;
    for payload in messages {
        let quoting: Option<Quoting> = serde_json::from_str(payload).ok();
        let name = quoting.and_then(|quoting| quoting.quoted).and_then(|quoted| quoted.message);
        if let Some(name) = name {
            return Ok(message::find_quoted_notification(tx, org, whose.conversation, name.as_str())?);
        }
    }
    Ok(None)
}

/// Finds the reminder whose button "yes" the contact tapped. Only a button of this conversation counts.
fn tapped_reminder(
    tx: &mut Tx<'_>,
    whose: &TurnScope<'_>,
    messages: &[String],
) -> Result<Option<Reminder>, UseCaseError> {
    #[derive(Deserialize)]
    struct Tapping {
        content: Content,
    }
    let org = whose.organization.id;
    for payload in messages {
        let tapping: Option<Tapping> = serde_json::from_str(payload).ok();
        let Some(Content::ButtonReply { id, .. }) = tapping.map(|tapping| tapping.content) else { continue };
        let Some(reminder) = enqueue::confirmed_reminder(&id) else { continue };
        if choice::find(tx, org, whose.conversation, &id)?.is_some() {
            return Ok(reminder::find(tx, org, reminder)?);
        }
    }
    Ok(None)
}

/// Whether the messages of the turn that came within a span say yes to a reminder and nothing else.
fn agrees(tx: &mut Tx<'_>, whose: &TurnScope<'_>, reminder: &str, span: Span) -> Result<bool, UseCaseError> {
    let of_turn = (whose.conversation, whose.turn);
    let text = message::texts_of_turn(tx, whose.organization.id, of_turn, span.start)?;
    let text = text.join("\n");
    let today = whose.zone.to_datetime(span.end).date();
    Ok(agreement_to(&text, Asked::Booking, reminder, today) == Agreement::Yes)
}

/// Confirms an appointment of this contact.
fn confirm(
    tx: &mut Tx<'_>,
    whose: &TurnScope<'_>,
    subject: ReminderSubject,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    reminders::confirm(tx, whose.organization, whose.contact, subject, now)?;
    Ok(())
}

/// "Agendamento 42: Corte com Rafa, sexta-feira 27/11 15h"; what became of it, if it stands no more.
pub(super) fn worded(tx: &mut Tx<'_>, whose: &TurnScope<'_>, one: &Appointment) -> Result<About, UseCaseError> {
    let said = whose.locale;
    let names = catalog::professional_names(tx, whose.organization.id)?;
    let starts = one.span.start.to_zoned(whose.zone.clone());
    let (day, time) = (format::day(starts.date(), said), format::time(starts.time(), said));
    let who = names.get(&one.professional).map_or("", String::as_str);
    let (noun, with, gone) = match whose.locale {
        Locale::PtBr => ("agendamento", "com", ", não está mais marcado"),
        Locale::En => ("appointment", "with", ", no longer booked"),
    };
    let gone = if one.status.is_open() { "" } else { gone };
    let id = i64::from(one.id);
    let professional = one.professional;
    Ok(About {
        id: one.id,
        professional,
        line: format!("{noun} {id}: {} {with} {who}, {day} {time}{gone}", one.service_name),
    })
}

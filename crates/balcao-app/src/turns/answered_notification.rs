//! The answered notification: the notification of ours that the contact may be answering, and the appointment it was about.
//!
//! A message that quotes one of ours names the notification. Without a quote it is the last notification of the last 48 hours, if we
//! sent no other message after it. So "preciso remarcar" needs no question about which appointment. If the appointment belongs to
//! another contact, as in a professional's notice, the context adds nothing to the text of the notice.
//!
//! A yes to a reminder confirms its appointment here, by the words of the contact or the button below the reminder, before any model
//! reads the message.

use balcao_agent::notice::{fill, notices};
use balcao_agent::prompt;
use balcao_channel::inbound::{Content, Quoted};
use balcao_domain::Appointment;
use balcao_domain::{AppointmentId, ContactId, ProfessionalId, ReminderId, TurnId};
use balcao_language::{Agreement, Asked, Wish, agreement_to, format, wish_for};
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
pub(super) struct AnsweredNotification {
    /// The text of the notification, with its appointment in brackets.
    pub(super) text: String,
    /// The contact's own appointment that the notification was about, in its current state.
    pub(super) about: Option<WordedAppointment>,
    /// The reply to the contact, if the messages of the turn say yes to a reminder of the appointment and nothing else.
    pub(super) confirmed: Option<String>,
}

/// An appointment, worded for the agent or the staff member who continues the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WordedAppointment {
    pub(super) id: AppointmentId,
    pub(super) professional: ProfessionalId,
    pub(super) line: String,
}

/// The turn, its contact and business, and the language of texts.
pub(super) struct TurnScope<'a> {
    pub(super) organization: &'a Organization,
    pub(super) zone: &'a TimeZone,
    pub(super) contact: ContactId,
    pub(super) conversation: balcao_domain::ConversationId,
    pub(super) turn: TurnId,
    pub(super) locale: Locale,
    /// Whether a question of ours waits for a yes. A yes then answers this question, not a reminder.
    pub(super) is_asked: bool,
}

/// Finds what the contact may be answering. A yes to a reminder confirms its appointment in the same step.
pub(super) fn find_answered_notification(
    tx: &mut Tx<'_>,
    scope: &TurnScope<'_>,
    since: Timestamp,
    now: Timestamp,
) -> Result<Option<AnsweredNotification>, UseCaseError> {
    let org = scope.organization.id;
    let messages = inbox::payloads_of_turn(tx, org, scope.turn)?;
    let notification = match quoted(tx, scope, &messages)? {
        Some(notification) => Some(notification),
        None => message::find_last_notification(tx, org, scope.conversation, since)?,
    };
    let tapped = tapped_reminder(tx, scope, &messages)?;
    if let Some(reminder) = &tapped {
        confirm(tx, scope, reminder.subject, now)?;
    }
    // A tap on a reminder means this reminder, even if we sent other messages since.
    let notification = notification.or_else(|| tapped.as_ref().map(|reminder| of_reminder(reminder.subject)));
    let Some(Notification { subject, about }) = notification else { return Ok(None) };
    let reminded = about.as_deref().and_then(pre_send::appointment_of);
    let mut says_yes_alone = tapped.is_some() && messages.iter().all(|payload| tapped_yes(payload).is_some());
    if let Some(reminded) = reminded.filter(|_| tapped.is_none() && !scope.is_asked)
        && let Some(yes) = find_yes(tx, scope, &subject, since, now)?
    {
        confirm(tx, scope, reminded, now)?;
        says_yes_alone = yes == ReminderYes::Alone;
    }
    let named = reminded.map(|reminded| reminded.appointment);
    let named = named.or_else(|| about.as_deref().and_then(professionals::appointment_of));
    let found = match named {
        Some(id) => {
            appointment::find(tx, org, id, scope.organization.currency)?.filter(|one| one.contact == scope.contact)
        }
        None => None,
    };
    let Some(found) = found else {
        return Ok(Some(AnsweredNotification { text: subject, about: None, confirmed: None }));
    };
    let mut about = worded(tx, scope, &found)?;
    let is_confirmed = reminder::list_of(tx, org, found.id)?.iter().any(|one| one.confirmed_at.is_some());
    let stands = found.status.is_open() && now < found.span.start;
    let confirmed =
        if is_confirmed && stands && says_yes_alone { Some(confirmation(tx, scope, &found)?) } else { None };
    if is_confirmed {
        about.line.push_str(match scope.locale {
            Locale::PtBr => ", presença confirmada",
            Locale::En => ", attendance confirmed",
        });
    }
    let text = format!("{subject} ({})", about.line).trim_start().to_owned();
    Ok(Some(AnsweredNotification { text, about: Some(about), confirmed }))
}

/// Finds the notification that was quoted last. The messages come newest first; one that quotes anything else says nothing of it.
fn quoted(tx: &mut Tx<'_>, scope: &TurnScope<'_>, messages: &[String]) -> Result<Option<Notification>, UseCaseError> {
    #[derive(Deserialize)]
    struct Quoting {
        quoted: Option<Quoted>,
    }
    let org = scope.organization.id;
    for payload in messages {
        let quoting: Option<Quoting> = serde_json::from_str(payload).ok();
        let name = quoting.and_then(|quoting| quoting.quoted).and_then(|quoted| quoted.message);
        let Some(name) = name else { continue };
        let found = message::find_quoted_notification(tx, org, scope.conversation, name.as_str())?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Finds the reminder whose button "yes" the contact tapped. Only a button of this conversation counts.
fn tapped_reminder(
    tx: &mut Tx<'_>,
    scope: &TurnScope<'_>,
    messages: &[String],
) -> Result<Option<Reminder>, UseCaseError> {
    let org = scope.organization.id;
    for payload in messages {
        let Some((id, reminder)) = tapped_yes(payload) else { continue };
        if choice::find(tx, org, scope.conversation, &id)?.is_some() {
            return Ok(reminder::find(tx, org, reminder)?);
        }
    }
    Ok(None)
}

/// The notification of a reminder, without its text.
fn of_reminder(subject: ReminderSubject) -> Notification {
    let about = pre_send::about_appointment(subject.appointment, subject.starts_at);
    Notification { subject: String::new(), about: Some(about) }
}

/// The button "yes" of a reminder that a message tapped: the button and the reminder.
fn tapped_yes(payload: &str) -> Option<(String, ReminderId)> {
    #[derive(Deserialize)]
    struct Tapping {
        content: Content,
    }
    let Content::ButtonReply { id, .. } = serde_json::from_str::<Tapping>(payload).ok()?.content else { return None };
    let reminder = enqueue::confirmed_reminder(&id)?;
    Some((id, reminder))
}

/// The text for a contact who confirmed a visit.
fn confirmation(tx: &mut Tx<'_>, scope: &TurnScope<'_>, one: &Appointment) -> Result<String, UseCaseError> {
    let words = notices(scope.locale);
    let names = catalog::professional_names(tx, scope.organization.id)?;
    let starts = one.span.start.to_zoned(scope.zone.clone());
    let service = if one.service_name.is_empty() { words.change_visit.as_str() } else { one.service_name.as_str() };
    let values = [
        ("service", service),
        ("professional", names.get(&one.professional).map_or("", String::as_str)),
        ("day", &format::day(starts.date(), scope.locale)),
        ("time", &format::time(starts.time(), scope.locale)),
    ];
    Ok(values.iter().fold(words.visit_confirmed.clone(), |text, (name, value)| fill(&text, name, value)))
}

/// A yes to a reminder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReminderYes {
    /// The messages of the turn say nothing else.
    Alone,
    /// Others of the turn answer another message, and wait for the agent.
    BesideAnother,
}

/// Finds a yes to a reminder in the messages of the turn that came after `since`, in the contact's own words. Those that answer another
/// message say nothing to it, unless they speak of cancelling or moving: which visit they mean is for the agent to find out. The rest
/// says yes and nothing else. Days count from `now`.
fn find_yes(
    tx: &mut Tx<'_>,
    scope: &TurnScope<'_>,
    reminder: &str,
    since: Timestamp,
    now: Timestamp,
) -> Result<Option<ReminderYes>, UseCaseError> {
    let of_turn = (scope.conversation, scope.turn);
    let texts = message::texts_of_turn(tx, scope.organization.id, of_turn, since)?;
    let (to_another, rest): (Vec<String>, Vec<String>) =
        texts.into_iter().partition(|text| !prompt::answered_messages(text).is_empty());
    let today = scope.zone.to_datetime(now).date();
    let said = prompt::own_words(&rest.join("\n"));
    let answers_another = prompt::own_words(&to_another.join("\n"));
    let speaks_of = |deed| wish_for(&answers_another, deed, &[]) != Wish::Absent;
    if [Asked::Cancelling, Asked::Rescheduling].into_iter().any(speaks_of) {
        return Ok(None);
    }
    let yes = if to_another.is_empty() { ReminderYes::Alone } else { ReminderYes::BesideAnother };
    Ok((agreement_to(&said, Asked::Booking, reminder, today) == Agreement::Yes).then_some(yes))
}

/// Confirms an appointment of this contact.
fn confirm(
    tx: &mut Tx<'_>,
    scope: &TurnScope<'_>,
    subject: ReminderSubject,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    reminders::confirm(tx, scope.organization, scope.contact, subject, now)?;
    Ok(())
}

/// Words an appointment: "Agendamento 42: Corte com Rafa, sexta-feira 27/11 15h". The text says so if it is not booked any more.
pub(super) fn worded(
    tx: &mut Tx<'_>,
    scope: &TurnScope<'_>,
    one: &Appointment,
) -> Result<WordedAppointment, UseCaseError> {
    let locale = scope.locale;
    let names = catalog::professional_names(tx, scope.organization.id)?;
    let starts = one.span.start.to_zoned(scope.zone.clone());
    let (day, time) = (format::day(starts.date(), locale), format::time(starts.time(), locale));
    let who = names.get(&one.professional).map_or("", String::as_str);
    let (noun, with, gone) = match scope.locale {
        Locale::PtBr => ("agendamento", "com", ", não está mais marcado"),
        Locale::En => ("appointment", "with", ", no longer booked"),
    };
    let gone = if one.status.is_open() { "" } else { gone };
    let id = i64::from(one.id);
    let professional = one.professional;
    Ok(WordedAppointment {
        id: one.id,
        professional,
        line: format!("{noun} {id}: {} {with} {who}, {day} {time}{gone}", one.service_name),
    })
}

//! Reminders of appointments: fixed words, with buttons to confirm and to move where the channel has some.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::time::Duration;

use balcao_agent::notice::{Notices, fill, notices};
use balcao_channel::Recipient;
use balcao_channel::channels::whatsapp::identity::first_number;
use balcao_channel::outbound::{Button, OutboundContent};
use balcao_domain::contact::Contact;
use balcao_domain::span::plus_minutes;
use balcao_domain::{Appointment, OrganizationId};
use balcao_language::format;
use balcao_store::messaging::message::{self, Author, NewMessage};
use balcao_store::scheduling::reminder::{self, DueReminder};
use balcao_store::{Tx, crm::contact, scheduling::appointment, scheduling::catalog};
use balcao_tool::Locale;
use jiff::{SignedDuration, Timestamp};

use super::{May, NO_CHANNEL, TimerSettings, Timers, may_fire, reaches, tell_skipped};
use crate::context::app_context::{UseCaseError, organization};
use crate::messaging::outbound::choices::{Choice, Choices};
use crate::messaging::outbound::enqueue::{self, OutgoingMessage, reminder_choice};
use crate::messaging::outbound::message_templates::{Purpose, QuickReplyAction, TemplateVariables};
use crate::messaging::outbound::reach::{self, Place};
use crate::messaging::outbound::send_policy::SendPolicy;
use crate::messaging::outbound::sender::{customer_name, pre_send};

/// A reminder that quiet hours moved to less than so many minutes before the appointment is of no use.
const TOO_SHORT_MIN: i64 = 15;
/// One that could not be fired is tried again after so many minutes; the others do not wait for it.
const AGAIN_AFTER_MIN: i64 = 5;

impl Timers {
    /// Ends reminders that are due: each is sent, moved or skipped. Gives how many ended.
    pub(super) async fn remind(&self) -> Result<usize, UseCaseError> {
        let app = self.runner.app();
        let now = app.clock.now();
        let (settings, windows, terms) = (self.settings, self.windows.clone(), self.terms.clone());
        let work = move |tx: &mut Tx<'_>| {
            let mut ended = 0;
            for due in reminder::due(tx, now, settings.at_once)? {
                let ways = Ways { windows: &windows, terms: &terms, settings: &settings };
                match tx.savepoint(|tx| fire(tx, due, now, &ways).map(Ok::<_, Infallible>)) {
                    Ok(Ok(fired)) => ended += usize::from(fired),
                    Err(error) => put_off(tx, due, &error, now)?,
                }
            }
            Ok(ended)
        };
        app.store.write(work).await
    }
}

/// What is wrong with one reminder must not hold up the others. Where the database itself failed, this fails, too.
fn put_off(tx: &mut Tx<'_>, due: DueReminder, error: &UseCaseError, now: Timestamp) -> Result<(), UseCaseError> {
    tracing::error!(reminder = %due.id, %error, "a reminder could not be fired: it is tried again later");
    let later = plus_minutes(now, AGAIN_AFTER_MIN);
    if !reminder::move_to(tx, due.organization, due.id, later)? {
        // There is another one at that instant.
        reminder::end(tx, due.organization, due.id, false)?;
    }
    Ok(())
}

/// By what reminders leave.
struct Ways<'a> {
    windows: &'a BTreeMap<(String, String), Option<Duration>>,
    terms: &'a SendPolicy,
    settings: &'a TimerSettings,
}

impl Ways<'_> {
    /// The place of the first message to a contact with a phone and no conversation, if a template permits one. The conversation
    /// begins in this transaction. The error says why nothing may be sent, for staff.
    fn begin(
        &self,
        tx: &mut Tx<'_>,
        organization: OrganizationId,
        customer: &Contact,
        facts: &TemplateVariables,
        now: Timestamp,
    ) -> Result<Result<Place, &'static str>, UseCaseError> {
        let Some(phone) = &customer.phone else { return Ok(Err("the customer has no phone and no conversation")) };
        let Some((channel, account)) = self.windows.keys().find(|(channel, _)| channel == reach::WHATSAPP) else {
            return Ok(Err(NO_CHANNEL));
        };
        if self.terms.template(Purpose::Reminder, facts).is_none() {
            return Ok(Err("the customer never wrote, and no template for reminders exists"));
        }
        let recipient = Recipient::Number(first_number(phone));
        Ok(Ok(reach::begin(tx, organization, customer.id, (channel, account), &recipient, now)?))
    }
}

/// Sends, moves or skips one; tells whether it ended.
fn fire(tx: &mut Tx<'_>, due: DueReminder, now: Timestamp, ways: &Ways<'_>) -> Result<bool, UseCaseError> {
    let settings = ways.settings;
    let skip = |tx: &mut Tx<'_>, why: &str| {
        reminder::end(tx, due.organization, due.id, false)?;
        tell_skipped(tx, due.organization, "reminder_skipped", &due.id.to_string(), why, now)?;
        Ok(true)
    };
    let (organization, zone) = organization(tx, due.organization)?;
    let found = appointment::find(tx, organization.id, due.appointment, organization.currency)?;
    let Some(found) = found.filter(|one| one.status.is_open() && now < one.span.start) else {
        return skip(tx, "the appointment is over, or was given up");
    };
    let late = SignedDuration::try_from(settings.late_reminder).unwrap_or(SignedDuration::MAX);
    if now.duration_since(due.remind_at) > late {
        return skip(tx, "it came too late");
    }
    let place = match may_fire(tx, settings, organization.id, &zone, found.contact, "reminder", now)? {
        May::Fire(place) => Some(*place),
        May::Begin => None,
        May::Skip(why) => return skip(tx, why),
        May::Later(at) if at <= plus_minutes(found.span.start, -TOO_SHORT_MIN) => {
            return if reminder::move_to(tx, organization.id, due.id, at)? {
                Ok(false)
            } else {
                skip(tx, "there is another one")
            };
        }
        May::Later(_) => return skip(tx, "quiet hours last until shortly before the appointment"),
    };
    let said = Locale::closest_to_tag(&organization.locale);
    let names = catalog::professional_names(tx, organization.id)?;
    let starts = zone.to_datetime(found.span.start);
    let customer = contact::get(tx, organization.id, found.contact)?;
    let facts = TemplateVariables {
        customer: customer_name(&customer, &organization.locale),
        business: organization.name.clone(),
        service: Some(found.service_name.clone()),
        professional: names.get(&found.professional).cloned(),
        day: Some(format::day(starts.date(), said)),
        time: Some(format::time(starts.time(), said)),
        text: None,
        answers: [QuickReplyAction::Confirm, QuickReplyAction::Move]
            .map(|answer| (answer, reminder_choice(due.id, answer)))
            .into(),
    };
    let words = notices(said);
    let text = worded(&words.reminder, &facts);
    let facts = TemplateVariables { text: Some(text.clone()), ..facts };
    let place = match place {
        Some(place) => place,
        None => match ways.begin(tx, organization.id, &customer, &facts, now)? {
            Ok(place) => place,
            Err(why) => return skip(tx, why),
        },
    };
    if !reaches(ways.windows, ways.terms, &place, Purpose::Reminder, &facts, now) {
        return skip(tx, "the channel's window is closed, and no template for reminders exists");
    }
    let template = ways.terms.template(Purpose::Reminder, &facts);
    if !reminder::end(tx, organization.id, due.id, true)? {
        return Ok(false);
    }
    let conversation = place.conversation.id;
    let new = NewMessage { conversation, turn: None, author: Author::System, text: &text, subject: Some(&text) };
    let message = message::insert(tx, organization.id, &new, now)?;
    let outgoing = OutgoingMessage {
        conversation,
        channel: &place.conversation.channel,
        turn: None,
        message: Some(message),
        kind: "reminder",
        name: &format!("reminder/{}", due.id),
        text: &text,
        file: None,
        choices: Some(&buttons(&text, &facts, words, &due, &found)),
        about: Some(&pre_send::about_appointment(found.id, found.span.start)),
        fallback: template.as_ref(),
    };
    enqueue::enqueue(tx, organization.id, &outgoing, now)?;
    Ok(true)
}

fn worded(notice: &str, facts: &TemplateVariables) -> String {
    let known = [
        ("service", &facts.service),
        ("professional", &facts.professional),
        ("day", &facts.day),
        ("time", &facts.time),
    ];
    known
        .into_iter()
        .fold(notice.to_owned(), |text, (name, value)| fill(&text, name, value.as_deref().unwrap_or_default()))
}

fn buttons(text: &str, facts: &TemplateVariables, words: &Notices, due: &DueReminder, found: &Appointment) -> Choices {
    let choice = |answer: QuickReplyAction, notice: &str| Choice {
        name: reminder_choice(due.id, answer),
        words: worded(notice, facts),
        expires_at: found.span.start,
    };
    let all = vec![
        choice(QuickReplyAction::Confirm, &words.reminder_confirmed),
        choice(QuickReplyAction::Move, &words.reminder_moved),
    ];
    let titles = [&words.reminder_confirm, &words.reminder_move];
    let button = |(choice, title): (&Choice, &String)| Button { id: choice.name.clone(), title: title.clone() };
    let buttons = all.iter().zip(titles).map(button).collect();
    let content = OutboundContent::Buttons { header: None, body: text.to_owned(), footer: None, buttons };
    Choices { content, all }
}

//! Tells professionals what was booked, moved or cancelled with them, by WhatsApp and e-mail, as each of them wants it.
//!
//! A notice is a row of the outbox, written in the booking's own transaction: there is none without the other, and a booking that
//! is replayed writes no second one. It goes to a conversation of the professional's own, so that notices leave in order. By
//! WhatsApp the template for its purpose takes its place where the window is closed (`sender`); the e-mail carries the
//! appointment as a calendar file.

use balcao_channel::outbound::{CorrelationId, OutboundContent, limits};
use balcao_channel::{Number, Outbound, Recipient, UserId, split_text};
use balcao_domain::Locale;
use balcao_domain::professional::Professional;
use balcao_domain::{AppointmentId, ContactId, ConversationId, MessageId, OrganizationId, Phone, ProfessionalId, Span};
use balcao_language::format;
use balcao_store::crm::organization::Organization;
use balcao_store::messaging::message::{self, Author, NewMessage};
use balcao_store::messaging::outbox::{self, NewOutbox};
use balcao_store::scheduling::agenda_feed::{self, Entry};
use balcao_store::scheduling::catalog::{self, Around};
use balcao_store::{Tx, crm::contact, messaging::conversation};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::context::app_context::{UseCaseError, organization};
use crate::context::notification_accounts::NotificationAccounts;
use crate::icalendar::{self, EventText, Organizer};

/// What happened to an appointment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotificationKind {
    Booked(AppointmentId),
    Cancelled(AppointmentId),
    /// From one to another.
    Moved(AppointmentId, AppointmentId),
}

/// One notice to one professional.
struct ProfessionalNotification<'a> {
    kind: &'static str,
    entry: &'a Entry,
    /// Where it was before.
    before: Option<Span>,
}

/// The address of one notice, the account that sends it, and the place where staff see it.
struct Destination<'a> {
    channel: &'a str,
    account: &'a str,
    recipient: Recipient,
    conversation: ConversationId,
    message: Option<MessageId>,
}

/// The organization of a notice, with the zone and the language of its text.
struct NotificationContext {
    organization: Organization,
    zone: TimeZone,
    english: bool,
}

/// How the outbox names what a notice is about.
pub(crate) fn about(id: AppointmentId) -> String {
    format!("notice:{}", i64::from(id))
}

/// The appointment of such a name.
pub(crate) fn appointment_of(about: &str) -> Option<AppointmentId> {
    about.strip_prefix("notice:")?.parse::<i64>().ok()?.try_into().ok()
}

/// Writes the notices of what has just happened, in its transaction.
pub(crate) fn enqueue(
    tx: &mut Tx<'_>,
    accounts: &NotificationAccounts,
    id: OrganizationId,
    what: NotificationKind,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    if *accounts == NotificationAccounts::default() {
        return Ok(());
    }
    let all = professionals(tx, id)?;
    let wants =
        |whose: ProfessionalId| all.iter().find(|one| one.id == whose && (one.notify.whatsapp || one.notify.email));
    let (organization, zone) = organization(tx, id)?;
    let english = Locale::closest_to_tag(&organization.locale) == Locale::En;
    let context = NotificationContext { organization, zone, english };
    let leave = |tx: &mut Tx<'_>, kind, entry: &Entry, before| match wants(entry.professional) {
        Some(whose) => write(tx, accounts, &context, whose, &ProfessionalNotification { kind, entry, before }, now),
        None => Ok(()),
    };
    match what {
        NotificationKind::Booked(one) => {
            let entry = agenda_feed::entry(tx, id, one)?;
            leave(tx, "notice_booked", &entry, None)
        }
        NotificationKind::Cancelled(one) => {
            let entry = agenda_feed::entry(tx, id, one)?;
            leave(tx, "notice_cancelled", &entry, None)
        }
        NotificationKind::Moved(old, new) => {
            let (old, new) = (agenda_feed::entry(tx, id, old)?, agenda_feed::entry(tx, id, new)?);
            if old.professional == new.professional {
                return leave(tx, "notice_rescheduled", &new, Some(old.span));
            }
            leave(tx, "notice_cancelled", &old, None)?;
            leave(tx, "notice_booked", &new, None)
        }
    }
}

fn professionals(tx: &mut Tx<'_>, id: OrganizationId) -> Result<Vec<Professional>, UseCaseError> {
    let none = Date::constant(1970, 1, 1);
    Ok(catalog::list_professionals(tx, id, Around { from: none, to: none, since: Timestamp::MAX })?)
}

fn write(
    tx: &mut Tx<'_>,
    accounts: &NotificationAccounts,
    context: &NotificationContext,
    whose: &Professional,
    notice: &ProfessionalNotification<'_>,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let text = worded(context, notice);
    if let (true, Some((channel, account)), Some(phone)) = (whose.notify.whatsapp, &accounts.whatsapp, &whose.phone) {
        let conversation = own_conversation(tx, context, whose, channel, now)?;
        // An answer of theirs is read with what it answers.
        let new = NewMessage { conversation, turn: None, author: Author::System, text: &text, subject: Some(&text) };
        let said = message::insert(tx, context.organization.id, &new, now)?;
        let body = split_text(&text, limits::TEXT).into_iter().next().unwrap_or_default();
        let content = OutboundContent::Text { body, preview_url: false };
        let recipient = Recipient::Number(Number::new(phone.as_str()));
        let to = Destination { channel, account, recipient, conversation, message: Some(said) };
        push(tx, context, notice, &to, content, now)?;
    }
    if let (true, Some(from), Some(address)) = (whose.notify.email, &accounts.email, &whose.email) {
        let channel = balcao_channel::channels::email::KIND;
        let conversation = own_conversation(tx, context, whose, channel, now)?;
        let shown = EventText {
            summary: title(context, notice.entry),
            description: Some(text.clone()),
            location: context.organization.address.clone(),
        };
        let organizer = Organizer { name: &context.organization.name, email: from };
        let slug = &context.organization.slug;
        let content = OutboundContent::Mail {
            subject: subject(context, notice),
            body: text,
            calendar: Some(icalendar::one(notice.entry, &shown, slug, Some(organizer), now)),
        };
        let recipient = Recipient::User(UserId::new(address.as_str()));
        let to = Destination { channel, account: from, recipient, conversation, message: None };
        push(tx, context, notice, &to, content, now)?;
    }
    Ok(())
}

fn push(
    tx: &mut Tx<'_>,
    context: &NotificationContext,
    notice: &ProfessionalNotification<'_>,
    to: &Destination<'_>,
    content: OutboundContent,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let id = context.organization.id;
    let correlation = format!("{id}:{}/{}/{}:1", notice.kind, notice.entry.id, to.channel);
    let tracked = Outbound::new(content)?.tracked(CorrelationId::new(correlation.as_str())?);
    let new = NewOutbox {
        conversation: to.conversation,
        turn: None,
        message: to.message,
        part: 1,
        kind: notice.kind,
        channel: to.channel,
        account: to.account,
        recipient: &serde_json::to_string(&to.recipient).unwrap_or_default(),
        body: &serde_json::to_string(&tracked).unwrap_or_default(),
        correlation: &correlation,
        about: Some(&about(notice.entry.id)),
        fallback: None,
    };
    outbox::push(tx, id, &new, now)?;
    Ok(())
}

/// The conversation that a professional's notices are in; begun with the first.
fn own_conversation(
    tx: &mut Tx<'_>,
    context: &NotificationContext,
    whose: &Professional,
    channel: &str,
    now: Timestamp,
) -> Result<ConversationId, UseCaseError> {
    let id = context.organization.id;
    let contact = own_contact(tx, id, whose, now)?;
    Ok(conversation::find_or_begin(tx, id, contact, channel, now)?.id)
}

fn own_contact(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    whose: &Professional,
    now: Timestamp,
) -> Result<ContactId, UseCaseError> {
    contact_of(tx, id, &whose.name, whose.phone.as_deref(), format!("professional:{}", i64::from(whose.id)), now)
}

/// Finds or adds the contact for messages to a staff member or a professional: the one with their number, else a new one named by `user`.
pub(crate) fn contact_of(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    name: &str,
    phone: Option<&str>,
    user: String,
    now: Timestamp,
) -> Result<ContactId, UseCaseError> {
    let phone = phone.and_then(|phone| Phone::parse(phone).ok());
    let known = match &phone {
        Some(phone) => contact::find_by_phone(tx, id, phone)?,
        None => contact::find_by_channel_user(tx, id, &user)?,
    };
    if let Some(known) = known {
        return Ok(known.id);
    }
    let channel_user = phone.is_none().then_some(user);
    let name = Some(name.to_owned());
    let new = contact::NewContact { name, phone, channel_user, ..contact::NewContact::default() };
    Ok(contact::insert(tx, id, &new, now)?)
}

/// Who comes, as far as it is known.
pub(crate) fn actor_name(entry: &Entry, english: bool) -> &str {
    let named = entry.attendee.as_deref().or(entry.contact.as_deref());
    named.unwrap_or(if english { "a customer" } else { "cliente" })
}

fn title(context: &NotificationContext, entry: &Entry) -> String {
    let who = actor_name(entry, context.english);
    if entry.service.is_empty() { who.to_owned() } else { format!("{} · {who}", entry.service) }
}

fn subject(context: &NotificationContext, notice: &ProfessionalNotification<'_>) -> String {
    let what = match (notice.kind, context.english) {
        ("notice_booked", false) => "Novo agendamento",
        ("notice_booked", true) => "New appointment",
        ("notice_rescheduled", false) => "Agendamento remarcado",
        ("notice_rescheduled", true) => "Appointment moved",
        (_, false) => "Agendamento cancelado",
        (_, true) => "Appointment cancelled",
    };
    let line = format!("{what}: {}", when(context, notice.entry.span));
    line.chars().take(limits::SUBJECT / 2).collect()
}

fn when(context: &NotificationContext, span: Span) -> String {
    let said = Locale::closest_to_tag(&context.organization.locale);
    let starts = context.zone.to_datetime(span.start);
    let at = if context.english { "at" } else { "às" };
    format!("{} {at} {}", format::day(starts.date(), said), format::time(starts.time(), said))
}

fn worded(context: &NotificationContext, notice: &ProfessionalNotification<'_>) -> String {
    let entry = notice.entry;
    let (pt, en) = match notice.kind {
        "notice_booked" => ("Novo agendamento", "New appointment"),
        "notice_rescheduled" => ("Agendamento remarcado", "Appointment moved"),
        _ => ("Agendamento cancelado", "Appointment cancelled"),
    };
    let mut text =
        format!("{}: {}, {}.", if context.english { en } else { pt }, title(context, entry), when(context, entry.span));
    if let Some(before) = notice.before {
        let before = when(context, before);
        text.push_str(&if context.english { format!(" It was {before}.") } else { format!(" Era {before}.") });
    }
    if let (Some(_), Some(by)) = (&entry.attendee, &entry.contact) {
        text.push_str(&if context.english { format!(" Booked by {by}.") } else { format!(" Marcado por {by}.") });
    }
    if let Some(phone) = entry.attendee_phone.as_ref().or(entry.contact_phone.as_ref()) {
        text.push_str(&if context.english { format!(" Phone: {phone}.") } else { format!(" Telefone: {phone}.") });
    }
    // Names are what customers say of themselves.
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

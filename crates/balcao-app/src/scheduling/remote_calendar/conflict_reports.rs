//! The report that a person changed an external calendar so that staff have to decide: a row of the list of conflicts, an event for webhook
//! endpoints, and an alert to the staff who answer customers.
//!
//! All three commit with the conflict, and a conflict that is found again makes no second report. One event makes one alert, whatever it hits.

use balcao_channel::outbound::limits;
use balcao_domain::outside_event::ConflictKind;
use balcao_domain::{AppointmentId, Locale, OrganizationId};
use balcao_store::crm::{contact, staff};
use balcao_store::ops::day_budget;
use balcao_store::scheduling::calendar_conflict::{self, FoundConflict, SeriesInstance};
use balcao_store::scheduling::{appointment, catalog};
use balcao_store::{Tx, turns::event};
use jiff::Timestamp;
use serde_json::json;

use crate::context::app_context::{UseCaseError, organization};
use crate::context::budgets::day_of;
use crate::context::notification_accounts::NotificationAccounts;
use crate::notifications::staff_alerts::{self, StaffAlert};
use crate::scheduling::appointments::view;

/// The kind of alerts about calendars in the outbox; its template is that of the same name.
pub(crate) const ALERT: &str = "notice_calendar";
/// Alerts of one business in a day. Later conflicts are in the list alone.
const ALERTS_A_DAY: i64 = 50;
/// Visits that one alert names.
const MOST_NAMED: usize = 20;

/// A conflict that is not reported yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct News {
    /// Its number.
    id: i64,
    kind: ConflictKind,
}

/// Stores a conflict and tells webhook endpoints; `None` if it was known. `instance` is the one of a series that was found: a series is one
/// conflict.
pub(crate) fn record(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    found: &FoundConflict,
    instance: Option<&SeriesInstance>,
    now: Timestamp,
) -> Result<Option<News>, UseCaseError> {
    let recorded = calendar_conflict::record(tx, id, found, now)?;
    if let Some(instance) = instance {
        calendar_conflict::record_instance(tx, id, recorded.id, instance)?;
    }
    if !recorded.is_news {
        return Ok(None);
    }
    let payload = json!({ "conflict": recorded.id, "kind": found.kind.as_str() }).to_string();
    event::push(tx, id, "calendar_conflict", &found.appointment.to_string(), &payload, now)?;
    Ok(Some(News { id: recorded.id, kind: found.kind }))
}

/// Alerts the staff who answer customers of what one event outside hit.
pub(crate) fn alert(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    news: &[News],
    accounts: &NotificationAccounts,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let (Some(first), Some(ways)) = (news.first(), staff_alerts::ways(accounts)) else { return Ok(()) };
    let day = day_of(tx, id, now)?;
    if !day_budget::take(tx, id, day.budget("calendar_conflicts"), 1, ALERTS_A_DAY, now)? {
        return Ok(());
    }
    let is_english = Locale::closest_to_tag(&organization(tx, id)?.0.locale) == Locale::En;
    let mut visits = Vec::new();
    for one in news.iter().take(MOST_NAMED) {
        visits.extend(describe(tx, id, *one, is_english)?);
    }
    let alert = Alert { is_english, first: *first, visits, more: news.len().saturating_sub(MOST_NAMED) };
    let name = format!("{}-{}", first.id, first.kind.as_str());
    for whose in staff::list(tx, id)?.into_iter().filter(|one| one.role.answers_customers()) {
        let (subject, text) = (alert.subject(), alert.text(&whose.email));
        let alert = StaffAlert { kind: ALERT, name: &name, about: None, subject: &subject, text: &text };
        staff_alerts::enqueue(tx, id, ways, &whose, &alert, now)?;
    }
    Ok(())
}

/// Tells the staff who answer customers that a person restored the event of a visit that was cancelled.
pub(super) fn report_restored(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    which: AppointmentId,
    accounts: &NotificationAccounts,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let (Some(ways), (organization, zone)) = (staff_alerts::ways(accounts), organization(tx, id)?) else {
        return Ok(());
    };
    let day = day_of(tx, id, now)?;
    // On a visit that stands, the event is a collision.
    let cancelled = appointment::find(tx, id, which, organization.currency)?.filter(|one| !one.status.holds_slot());
    let Some(one) = cancelled else { return Ok(()) };
    if !day_budget::take(tx, id, day.budget("calendar_conflicts"), 1, ALERTS_A_DAY, now)? {
        return Ok(());
    }
    let is_english = Locale::closest_to_tag(&organization.locale) == Locale::En;
    let customer = contact::get(tx, id, one.contact)?;
    let who = name_in_one_line(&one.attendee.clone().or(customer.name).unwrap_or_default(), is_english);
    let shown = view(&one, &catalog::professional_names(tx, id)?, &zone);
    let at = format!("{} {}, {who} ({}), {}", shown.date.strftime("%d/%m"), shown.start, shown.professional, shown.id);
    let (head, what) = if is_english {
        (
            "Restored event of a cancelled visit",
            "Somebody restored the event of a visit that was cancelled. The event takes its time again, and the visit stays \
             cancelled. Delete the event, or book the visit again.",
        )
    } else {
        (
            "Evento restaurado de uma visita cancelada",
            "Alguém restaurou o evento de uma visita cancelada. O evento ocupa o horário de novo, e a visita continua cancelada. \
             Apague o evento ou marque a visita de novo.",
        )
    };
    let subject: String = format!("{head}: {who}").chars().take(limits::SUBJECT / 2).collect();
    let (name, text) =
        (format!("restored-{}-{}", i64::from(which), now.as_millisecond()), format!("{head}.\n{what}\n\n{at}"));
    for whose in staff::list(tx, id)?.into_iter().filter(|one| one.role.answers_customers()) {
        let alert = StaffAlert { kind: ALERT, name: &name, about: None, subject: &subject, text: &text };
        staff_alerts::enqueue(tx, id, ways, &whose, &alert, now)?;
    }
    Ok(())
}

/// A visit that an event hit, for staff.
struct Visit {
    who: String,
    line: String,
    /// The same time a week later, as an option of a command writes it.
    week_later: String,
}

fn describe(tx: &mut Tx<'_>, id: OrganizationId, news: News, is_english: bool) -> Result<Option<Visit>, UseCaseError> {
    let (organization, zone) = organization(tx, id)?;
    let Some(stored) = calendar_conflict::find(tx, id, news.id)? else { return Ok(None) };
    let found = appointment::find(tx, id, stored.found.appointment, organization.currency)?;
    let Some(one) = found else { return Ok(None) };
    let customer = contact::get(tx, id, one.contact)?;
    let who = name_in_one_line(&one.attendee.clone().or(customer.name).unwrap_or_default(), is_english);
    let shown = view(&one, &catalog::professional_names(tx, id)?, &zone);
    let service = if shown.service.is_empty() { String::new() } else { format!(", {}", shown.service) };
    let (at, number) = (shown.date.strftime("%d/%m"), news.id);
    let mut line = format!("{number}: {at} {}, {who}{service} ({}), {}", shown.start, shown.professional, shown.id);
    let event_span = stored.found.span.filter(|span| stored.found.kind.is_about_ours() && *span != one.span);
    if let Some(span) = event_span {
        let (from, to) = (zone.to_datetime(span.start), zone.to_datetime(span.end));
        let until = if from.date() == to.date() { "%H:%M" } else { "%d/%m %H:%M" };
        let now_at = if is_english { "the event is now at" } else { "o evento está agora em" };
        line = format!("{line}; {now_at} {}–{}", from.strftime("%d/%m %H:%M"), to.strftime(until));
    }
    let week_later = format!("{}T{}", shown.date.saturating_add(jiff::Span::new().weeks(1)), shown.start);
    Ok(Some(Visit { who, line, week_later }))
}

/// A name is what a customer says of themselves: one line of it, or a word in its place.
pub(crate) fn name_in_one_line(name: &str, is_english: bool) -> String {
    let line = name.split_whitespace().collect::<Vec<_>>().join(" ");
    match (line.is_empty(), is_english) {
        (false, _) => line,
        (true, true) => "a customer".to_owned(),
        (true, false) => "cliente".to_owned(),
    }
}

/// What an alert says.
struct Alert {
    is_english: bool,
    first: News,
    visits: Vec<Visit>,
    /// Conflicts that are not named.
    more: usize,
}

impl Alert {
    fn head(&self) -> &'static str {
        if self.is_english { "Conflict in the calendar" } else { "Conflito no calendário" }
    }

    fn subject(&self) -> String {
        let who = self.visits.first().map(|visit| visit.who.as_str()).unwrap_or_default();
        format!("{}: {who}", self.head()).chars().take(limits::SUBJECT / 2).collect()
    }

    /// The text for a staff member, by their e-mail address.
    fn text(&self, email: &str) -> String {
        let [ways, take, restore, elsewhere, cancel, stands, more] = if self.is_english {
            [
                "What can be done, with the message to the customer and its price",
                "What was done there holds",
                "Put ours back",
                "Move the customer, for example by a week",
                "Cancel the visit",
                "The booking stands until you decide.",
                "and more, which the list of conflicts shows",
            ]
        } else {
            [
                "O que se pode fazer, com a mensagem ao cliente e o preço",
                "Vale o que foi feito lá",
                "Pôr o nosso de volta",
                "Mudar o horário do cliente, por exemplo em uma semana",
                "Cancelar a visita",
                "A marcação fica como está até você decidir.",
                "e mais, que estão na lista de conflitos",
            ]
        };
        let News { id, kind } = self.first;
        let mut lines =
            vec![format!("{}.", self.head()), what_happened(kind, self.is_english).to_owned(), String::new()];
        lines.extend(self.visits.iter().map(|visit| visit.line.clone()));
        if self.more > 0 {
            lines.push(format!("{} {more}", self.more));
        }
        lines.extend([String::new(), stands.to_owned(), format!("{ways}: balcao calendar ways-out {id}")]);
        // The rules of booking may refuse to follow an event; the ways out say so.
        let follows_event =
            matches!(kind, ConflictKind::RefusedMove | ConflictKind::MovedAndResized | ConflictKind::OtherCalendar);
        if !follows_event {
            lines.push(format!("{take}: balcao calendar resolve {id} --take --as {email}"));
        }
        if kind.is_about_ours() {
            lines.push(format!("{restore}: balcao calendar resolve {id} --restore --as {email}"));
        }
        if let Some(first) = self.visits.first() {
            let to = &first.week_later;
            lines.push(format!("{elsewhere}: balcao calendar resolve {id} --move-to {to} --as {email}"));
        }
        if kind != ConflictKind::Deleted {
            lines.push(format!("{cancel}: balcao calendar resolve {id} --cancel --as {email}"));
        }
        lines.join("\n")
    }
}

/// What a person did, in a sentence for staff.
const fn what_happened(kind: ConflictKind, is_english: bool) -> &'static str {
    let (english, portuguese) = match kind {
        ConflictKind::Deleted => ("Somebody deleted the event of a visit.", "Alguém apagou o evento de uma visita."),
        ConflictKind::RefusedMove => (
            "Somebody moved the event of a visit to a time that cannot be booked.",
            "Alguém levou o evento de uma visita para um horário que não pode ser marcado.",
        ),
        ConflictKind::MovedAndResized => (
            "Somebody moved the event of a visit and changed its length.",
            "Alguém mudou o horário e a duração do evento de uma visita.",
        ),
        ConflictKind::Shortened => {
            ("Somebody made the event of a visit shorter.", "Alguém encurtou o evento de uma visita.")
        }
        ConflictKind::Lengthened => {
            ("Somebody made the event of a visit longer.", "Alguém alongou o evento de uma visita.")
        }
        ConflictKind::BecameAllDay => {
            ("The event of a visit became one of whole days.", "O evento de uma visita virou um de dia inteiro.")
        }
        ConflictKind::NoLongerBusy => {
            ("The event of a visit no longer takes its time.", "O evento de uma visita não ocupa mais o seu horário.")
        }
        ConflictKind::OtherCalendar => (
            "Somebody moved the event of a visit into another calendar.",
            "Alguém levou o evento de uma visita para outro calendário.",
        ),
        ConflictKind::OwnerChanged => (
            "The mark that ties an event to its visit was changed or removed.",
            "A marca que liga um evento à sua visita foi mudada ou retirada.",
        ),
        ConflictKind::Copied => ("Somebody copied the event of a visit.", "Alguém copiou o evento de uma visita."),
        ConflictKind::RecurringException => (
            "The event of a visit became a series, or one day of such a series was changed.",
            "O evento de uma visita virou uma série, ou um dia de uma série assim foi mudado.",
        ),
        ConflictKind::Collision => {
            ("Another event is at the time of a visit.", "Outro evento está no horário de uma visita.")
        }
        ConflictKind::AllDayBlock => {
            ("An event of whole days lies on visits.", "Um evento de dia inteiro está sobre visitas.")
        }
        ConflictKind::Moved => (
            "Somebody moved the event of a visit, and the visit followed.",
            "Alguém mudou o evento de uma visita, e a visita foi junto.",
        ),
    };
    if is_english { english } else { portuguese }
}

//! The report to staff that a person moved an appointment in an external calendar, and that the appointment followed.
//!
//! The customer still knows the old time. The alert names both times and the proposed message; nothing leaves before a person sends it
//! ([`CalendarConflicts`](crate::scheduling::calendar_conflicts::CalendarConflicts)). Several moves of one appointment are one report, from
//! the time that the customer knows to the last one. A move back to that time ends the report.

use balcao_channel::outbound::limits;
use balcao_domain::outside_event::ConflictKind;
use balcao_domain::{AppointmentId, Locale, OrganizationId, Span};
use balcao_store::crm::{contact, staff};
use balcao_store::ops::day_budget;
use balcao_store::scheduling::calendar_conflict::{self, FoundConflict, StoredConflict};
use balcao_store::scheduling::{appointment, catalog};
use balcao_store::{StoreError, Tx};
use jiff::Timestamp;

use super::conflict_reports::{ALERT, name_in_one_line};
use crate::context::app_context::{UseCaseError, organization};
use crate::context::budgets::day_of;
use crate::context::notification_accounts::NotificationAccounts;
use crate::notifications::staff_alerts::{self, StaffAlert};
use crate::scheduling::appointments::{AppointmentView, view};
use crate::scheduling::change_texts::{self, Change};

/// Alerts of one business in a day. Later moves are in the list alone.
const ALERTS_A_DAY: i64 = 50;

/// A move that the appointment followed.
pub(super) struct OutsideMove<'a> {
    pub(super) organization: OrganizationId,
    pub(super) calendar: &'a str,
    /// The open report of earlier moves of the appointment.
    pub(super) earlier: Option<StoredConflict>,
    /// The appointment before the move.
    pub(super) old: AppointmentId,
    /// The appointment that stands in its place.
    pub(super) new: AppointmentId,
    /// The time of the new appointment.
    pub(super) to: Span,
}

/// Stores the report and alerts staff, in the transaction of the move.
pub(super) fn report(
    tx: &mut Tx<'_>,
    moved: &OutsideMove<'_>,
    accounts: &NotificationAccounts,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let id = moved.organization;
    let known = moved.earlier.as_ref().and_then(|earlier| earlier.found.moved_from).unwrap_or(moved.old);
    let currency = organization(tx, id)?.0.currency;
    let Some(as_known) = appointment::find(tx, id, known, currency)? else { return Ok(()) };
    if as_known.span == moved.to {
        if let Some(earlier) = &moved.earlier {
            calendar_conflict::resolve(
                tx,
                id,
                earlier.id,
                "the appointment is at the time that the customer knows",
                now,
            )?;
        }
        return Ok(());
    }
    let number = record(tx, moved, known, now)?;
    alert(tx, (id, number), (known, moved.new), accounts, now)
}

/// Brings the open report up to date, or stores a new one.
fn record(tx: &mut Tx<'_>, moved: &OutsideMove<'_>, known: AppointmentId, now: Timestamp) -> Result<i64, StoreError> {
    let id = moved.organization;
    if let Some(earlier) = &moved.earlier
        && calendar_conflict::follow_move(tx, id, earlier.id, moved.new, moved.to)?
    {
        return Ok(earlier.id);
    }
    let found = FoundConflict {
        appointment: moved.new,
        kind: ConflictKind::Moved,
        calendar: moved.calendar.to_owned(),
        event: String::new(),
        span: Some(moved.to),
        version: String::new(),
        moved_from: Some(known),
    };
    Ok(calendar_conflict::record(tx, id, &found, now)?.id)
}

/// Alerts the staff who answer customers.
fn alert(
    tx: &mut Tx<'_>,
    (id, number): (OrganizationId, i64),
    (known, new): (AppointmentId, AppointmentId),
    accounts: &NotificationAccounts,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let Some(ways) = staff_alerts::ways(accounts) else { return Ok(()) };
    let day = day_of(tx, id, now)?;
    if !day_budget::take(tx, id, day.budget("calendar_moves"), 1, ALERTS_A_DAY, now)? {
        return Ok(());
    }
    let (organization, zone) = organization(tx, id)?;
    let (Some(known), Some(current)) = (
        appointment::find(tx, id, known, organization.currency)?,
        appointment::find(tx, id, new, organization.currency)?,
    ) else {
        return Ok(());
    };
    let customer = contact::get(tx, id, current.contact)?;
    let names = catalog::professional_names(tx, id)?;
    let (old, now_at) = (view(&known, &names, &zone), view(&current, &names, &zone));
    let to = change_texts::slot_of(&now_at);
    let message =
        change_texts::facts(&organization, &customer, Change::Moved { old: &old, to: &to, price: now_at.price }).text;
    let known_as = known.attendee.clone().or(customer.name).unwrap_or_default();
    let is_english = Locale::closest_to_tag(&organization.locale) == Locale::En;
    let told =
        Told { is_english, number, who: &known_as, old: &old, new: &now_at, message: message.unwrap_or_default() };
    let name = format!("{number}-{}", i64::from(new));
    for whose in staff::list(tx, id)?.into_iter().filter(|one| one.role.answers_customers()) {
        let (subject, text) = told.worded(&whose.email);
        let alert = StaffAlert { kind: ALERT, name: &name, about: None, subject: &subject, text: &text };
        staff_alerts::enqueue(tx, id, ways, &whose, &alert, now)?;
    }
    Ok(())
}

/// What an alert says.
struct Told<'a> {
    is_english: bool,
    number: i64,
    who: &'a str,
    old: &'a AppointmentView,
    new: &'a AppointmentView,
    message: String,
}

impl Told<'_> {
    /// Subject and text for a staff member, by their e-mail address.
    fn worded(&self, email: &str) -> (String, String) {
        let Self { is_english, number, who, old, new, message } = self;
        let who = name_in_one_line(who, *is_english);
        let at = |view: &AppointmentView| format!("{} {}", view.date.strftime("%d/%m"), view.start);
        let (head, visit, was, is, unaware, send, silent, back) = if *is_english {
            (
                "Moved in the calendar",
                "Visit",
                "It was",
                "it is now",
                "The customer does not know it yet. Proposed message:",
                "Send it",
                "Do not write",
                "Back to the time before",
            )
        } else {
            (
                "Mudança no calendário",
                "Visita",
                "Era",
                "agora é",
                "O cliente ainda não sabe. Mensagem proposta:",
                "Enviar",
                "Não escrever",
                "Voltar ao horário de antes",
            )
        };
        let service = if new.service.is_empty() { String::new() } else { format!(", {}", new.service) };
        let subject = format!("{head}: {who}").chars().take(limits::SUBJECT / 2).collect();
        let resolve = format!("balcao calendar resolve {number}");
        let text = format!(
            "{head}.\n{visit}: {who}{service} ({}), {}\n{was} {}, {is} {}.\n\n{unaware}\n\n{message}\n\n\
             {send}: {resolve} --take --as {email}\n\
             {silent}: {resolve} --take --silent --as {email}\n\
             {back}: {resolve} --restore --as {email}",
            new.professional,
            new.id,
            at(old),
            at(new),
        );
        (subject, text)
    }
}

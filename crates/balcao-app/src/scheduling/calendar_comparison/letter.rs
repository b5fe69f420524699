//! The letter of a night to the staff who answer customers: what the comparison found that no other alert names.

use balcao_domain::{AppointmentId, Locale, OrganizationId};
use balcao_store::Tx;
use balcao_store::crm::{contact, staff};
use balcao_store::scheduling::calendar_comparison::StoredDifference;
use balcao_store::scheduling::{appointment, catalog};
use jiff::Timestamp;
use jiff::civil::Date;

use super::DifferenceKind;
use crate::context::app_context::{UseCaseError, organization};
use crate::context::notification_accounts::NotificationAccounts;
use crate::notifications::staff_alerts::{self, StaffAlert};
use crate::scheduling::appointments::view;
use crate::scheduling::remote_calendar::conflict_reports::{ALERT, name_in_one_line};

/// Differences that a letter names.
const MOST_NAMED: usize = 20;
/// Characters of an id of the service in a letter.
const ID_CHARS: usize = 100;

/// Alerts staff to visits whose events vanished, events of ours that show no appointment, and calendars that were not read; once a night. A
/// conflict has an alert of its own, and a push that failed is tried again.
pub(super) fn alert(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    (day, found): (Date, &[StoredDifference]),
    accounts: &NotificationAccounts,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let named: Vec<(DifferenceKind, &StoredDifference)> = found.iter().filter_map(kind_to_name).collect();
    let Some(ways) = staff_alerts::ways(accounts).filter(|_| !named.is_empty()) else { return Ok(()) };
    let is_english = Locale::closest_to_tag(&organization(tx, id)?.0.locale) == Locale::En;
    let (head, more, look) = if is_english {
        ("The calendar differs from the bookings", "more", "All of it")
    } else {
        ("O calendário difere das marcações", "a mais", "A lista inteira")
    };
    let mut lines = vec![format!("{head}."), String::new()];
    for (kind, one) in named.iter().take(MOST_NAMED) {
        lines.push(describe(tx, id, (*kind, one), is_english)?);
    }
    let left = named.len().saturating_sub(MOST_NAMED);
    if left > 0 {
        lines.push(format!("+ {left} {more}"));
    }
    lines.extend([String::new(), format!("{look}: balcao calendar status")]);
    let (name, text) = (format!("comparison-{day}"), lines.join("\n"));
    for whose in staff::list(tx, id)?.into_iter().filter(|one| one.role.answers_customers()) {
        let alert = StaffAlert { kind: ALERT, name: &name, about: None, subject: head, text: &text };
        staff_alerts::enqueue(tx, id, ways, &whose, &alert, now)?;
    }
    Ok(())
}

/// The kind of a difference that a letter names. A visit that was not read is in a calendar that was not read.
fn kind_to_name(one: &StoredDifference) -> Option<(DifferenceKind, &StoredDifference)> {
    let kinds = [DifferenceKind::Vanished, DifferenceKind::NoAppointment, DifferenceKind::NotRead];
    let kind = kinds.into_iter().find(|kind| kind.as_str() == one.kind)?;
    (kind != DifferenceKind::NotRead || one.appointment.is_none()).then_some((kind, one))
}

/// The line of a difference.
fn describe(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    (kind, one): (DifferenceKind, &StoredDifference),
    is_english: bool,
) -> Result<String, UseCaseError> {
    let what = match (kind, is_english) {
        (DifferenceKind::Vanished, true) => "the event is gone together with very many others",
        (DifferenceKind::Vanished, false) => "o evento sumiu junto com muitos outros",
        (DifferenceKind::NoAppointment, true) => "an event of ours shows no booking",
        (DifferenceKind::NoAppointment, false) => "um evento nosso não mostra nenhuma marcação",
        (_, true) => "this calendar could not be read",
        (_, false) => "este calendário não pôde ser lido",
    };
    let visit = match one.appointment {
        Some(which) => describe_visit(tx, id, which, is_english)?,
        None => None,
    };
    let ids = [&one.event, &one.calendar].into_iter().flatten().map(|part| part.chars().take(ID_CHARS).collect());
    let about: Vec<String> = visit.into_iter().chain(ids).collect();
    Ok(format!("{}: {what}", about.join(", ")))
}

/// A visit by its time, its customer and its professional.
fn describe_visit(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    which: AppointmentId,
    is_english: bool,
) -> Result<Option<String>, UseCaseError> {
    let (organization, zone) = organization(tx, id)?;
    let Some(one) = appointment::find(tx, id, which, organization.currency)? else { return Ok(None) };
    let customer = contact::get(tx, id, one.contact)?;
    let who = name_in_one_line(&one.attendee.clone().or(customer.name).unwrap_or_default(), is_english);
    let shown = view(&one, &catalog::professional_names(tx, id)?, &zone);
    Ok(Some(format!("{} {}, {who} ({}), {which}", shown.date.strftime("%d/%m"), shown.start, shown.professional)))
}

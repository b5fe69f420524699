//! The question to staff about unmarked visits: one list, when the day is over.
//!
//! Staff who answer customers get the whole list, and professionals their own visits. It goes the ways of handoff alerts.

use std::collections::{BTreeMap, BTreeSet};

use balcao_domain::Locale;
use balcao_domain::{AppointmentId, ContactId};
use balcao_store::crm::organization::Organization;
use balcao_store::crm::staff;
use balcao_store::scheduling::catalog;
use balcao_store::scheduling::visit_mark::UnmarkedVisit;
use balcao_store::{Tx, crm::contact};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::context::app_context::UseCaseError;
use crate::context::notification_accounts::NotificationAccounts;
use crate::context::staff_email::professional_of;
use crate::notifications::staff_alerts::{self, StaffAlert};

/// The kind of the question in the outbox; its template is that of the same name.
const KIND: &str = "notice_visits";
/// Visits that a question names; of the others it tells how many they are.
const NAMED: usize = 40;

/// Writes the question about `visits`, in the transaction that takes them up. The visits are in order of start.
pub(super) fn enqueue(
    tx: &mut Tx<'_>,
    accounts: &NotificationAccounts,
    (organization, zone): (&Organization, &TimeZone),
    visits: &[UnmarkedVisit],
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let Some(ways) = staff_alerts::ways(accounts) else { return Ok(()) };
    if visits.is_empty() {
        return Ok(());
    }
    let professionals = catalog::professional_names(tx, organization.id)?;
    let mut names = BTreeMap::new();
    for one in visits {
        let expected = contact::find(tx, organization.id, one.contact)?;
        names.insert(one.contact, expected.and_then(|contact| contact.name));
    }
    let english = Locale::closest_to_tag(&organization.locale) == Locale::En;
    for whose in staff::list(tx, organization.id)? {
        let own = professional_of(&whose, &professionals);
        let is_asked = |one: &&UnmarkedVisit| whose.role.answers_customers() || own == Some(one.professional);
        let theirs: Vec<&UnmarkedVisit> = visits.iter().filter(is_asked).collect();
        let Some(first) = theirs.first() else { continue };
        let lines = theirs.iter().map(|one| line(one, &names, professionals.get(&one.professional), zone, english));
        let days: BTreeSet<Date> = theirs.iter().map(|one| zone.to_datetime(one.span.start).date()).collect();
        let question = Question { english, count: theirs.len(), first: first.id, lines: lines.collect(), days };
        let (subject, text) = question.worded(&whose.email);
        let name = first.id.to_string();
        let alert = StaffAlert { kind: KIND, name: &name, about: None, subject: &subject, text: &text };
        staff_alerts::enqueue(tx, organization.id, ways, &whose, &alert, now)?;
    }
    Ok(())
}

/// "24/11 10:00  Ana Reis, Corte (Davi Lopes)  apt_31"
fn line(
    one: &UnmarkedVisit,
    names: &BTreeMap<ContactId, Option<String>>,
    professional: Option<&String>,
    zone: &TimeZone,
    english: bool,
) -> String {
    let known = one.attendee.clone().or_else(|| names.get(&one.contact).cloned().flatten());
    let who = known.unwrap_or_else(|| if english { "a customer" } else { "cliente" }.to_owned());
    // A name is what a customer says of themselves: one line of it.
    let who = who.split_whitespace().collect::<Vec<_>>().join(" ");
    let at = zone.to_datetime(one.span.start).strftime("%d/%m %H:%M");
    let professional = professional.map_or_else(String::new, |name| format!(" ({name})"));
    let service = if one.service.is_empty() { String::new() } else { format!(", {}", one.service) };
    format!("{at}  {who}{service}{professional}  {}", one.id)
}

/// What a question says.
struct Question {
    english: bool,
    count: usize,
    first: AppointmentId,
    lines: Vec<String>,
    days: BTreeSet<Date>,
}

impl Question {
    /// Subject and text.
    fn worded(&self, email: &str) -> (String, String) {
        let Self { english, count, first, .. } = self;
        let subject = match (english, count) {
            (true, 1) => "1 visit without a mark".to_owned(),
            (true, _) => format!("{count} visits without a mark"),
            (false, 1) => "1 atendimento sem marcação".to_owned(),
            (false, _) => format!("{count} atendimentos sem marcação"),
        };
        let (ask, more, missed, rest) = if *english {
            ("Who came?", "more", "Did not come", "All others came")
        } else {
            ("Quem veio?", "outros", "Não veio", "Todos os outros vieram")
        };
        let mut text = format!("{subject}. {ask}\n\n");
        for one in self.lines.iter().take(NAMED) {
            text.push_str(one);
            text.push('\n');
        }
        if let Some(left) = count.checked_sub(NAMED).filter(|left| *left > 0) {
            text.push_str(&format!("+ {left} {more}\n"));
        }
        text.push_str(&format!("\n{missed}: balcao appointments mark {first} no-show --as {email}"));
        for day in &self.days {
            text.push_str(&format!("\n{rest}: balcao appointments complete-day {day} --as {email}"));
        }
        (subject, text)
    }
}

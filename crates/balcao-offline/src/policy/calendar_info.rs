//! Statements and questions of the customer to a front desk with a bare calendar: the customer's own data, services and prices, hours,
//! the address, their events.

use jiff::ToSpan;
use serde_json::Value;

use super::{
    Answer, ReplyDraft,
    calendar::{OFFERED_DAYS, written},
    toolset::LIST,
};
use crate::{
    nlu::Act,
    state::{Goal, introduced},
    words::Line,
};

pub(super) const CLIENT: &str = "updateClientInfoTool";

/// How many days a list of events covers.
const LISTED_DAYS: i64 = 90;
/// Words before the writer's own address.
const ADDRESS: &[&str] = &["meu endereco e ", "meu endereço é ", "moro na ", "moro no ", "moro em ", "my address is "];

impl ReplyDraft<'_> {
    /// Keeps the name, the address and the note that the customer gives.
    pub(super) fn told_of_themselves(&mut self) {
        let utterance = &self.dialogue.utterance;
        let text = |value: Option<String>| value.map_or(Value::Null, Value::String);
        let note = self.is(Act::Note).then(|| utterance.text.chars().take(500).collect::<String>());
        // "Sou a Ana" counts as the contact's name only if the contact has no name yet.
        let introduced = introduced(&utterance.text).filter(|_| self.contact.is_none());
        let name = utterance.own_name.clone().or(introduced);
        let address = address_in(&utterance.text);
        if name.is_none() && address.is_none() && note.is_none() {
            return;
        }
        let kept = [("preferredName", text(name.clone())), ("addressText", text(address)), ("notes", text(note))];
        match self.ask(CLIENT, &kept) {
            Answer::Ready(outcome) if outcome.succeeded() => self.push_line(match name {
                Some(name) => Line::NameKept { name: name.split_whitespace().next().unwrap_or_default().to_owned() },
                None => Line::Noted,
            }),
            Answer::Ready(_) | Answer::Missing => self.push_line(Line::CannotNow),
            Answer::Asked => {}
        }
    }

    pub(super) fn asked_for_information(&mut self) {
        if self.is(Act::Identity) {
            self.push_line(Line::Identity { organization: self.organization.to_owned() });
        }
        if self.is(Act::Anger) {
            self.push_line(Line::Sorry);
        }
        if self.is(Act::Services) || self.is(Act::Offers) || self.is(Act::Prices) {
            self.list_services();
        }
        if super::asks_where(&self.dialogue.utterance.text) {
            self.whereabouts();
        }
        if self.is(Act::Hours) {
            self.opening_hours();
        }
        if self.is(Act::MyAppointments) && self.dialogue.goal != Goal::Cancel {
            self.own_events();
        }
    }

    /// What is on offer, or what one service costs, as the calendar tells it.
    fn list_services(&mut self) {
        let today = self.dialogue.today();
        if !self.dialogue.catalog.has_services() && self.days(today, today).is_none() {
            return;
        }
        if !self.dialogue.catalog.has_services() {
            self.push_line(Line::NotKnown);
        } else {
            self.services();
        }
    }

    /// Where the business is, as its own record says.
    fn whereabouts(&mut self) {
        let address = self.address.map(str::to_owned);
        self.push_line(address.map_or(Line::NotKnown, |address| Line::Address { address }));
    }

    fn opening_hours(&mut self) {
        let today = self.dialogue.today();
        let asked = self.dialogue.utterance.days.first().copied();
        let (first, last) =
            asked.map_or((today, today.saturating_add(OFFERED_DAYS.days())), |day| (day.first, day.last));
        let Some(days) = self.days(first, last) else { return };
        match days.as_slice() {
            [] => self.push_line(Line::NotKnown),
            [day] => {
                self.push_line(Line::HoursOf { date: day.date, periods: day.open.clone(), note: day.note.clone() })
            }
            several => {
                let days = several.iter().map(|day| (day.date, day.open.clone())).collect();
                self.push_line(Line::HoursList { days });
            }
        }
    }

    fn own_events(&mut self) {
        if self.speaks_of_others(false) != Some(false) || self.listed().is_none() {
            return;
        }
        let list = self.dialogue.upcoming.clone();
        self.push_line(if list.is_empty() { Line::NoAppointments } else { Line::Appointments { list } });
    }

    /// The customer's own events; `None` while they are missing.
    pub(super) fn listed(&mut self) -> Option<()> {
        let today = self.dialogue.today();
        let until = today.saturating_add(LISTED_DAYS.days());
        self.read(LIST, &[("startDate", written(today)), ("endDate", written(until))]).map(|_listed| ())
    }
}

/// The address that the writer gives, in their words.
fn address_in(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let start = ADDRESS.iter().find_map(|lead| Some(lower.find(lead)?.saturating_add(lead.len())))?;
    let rest = text.get(start..)?;
    let end = rest.find(['.', '!', '?', '\n', ';']).unwrap_or(rest.len());
    rest.get(..end).map(|address| address.trim().to_owned()).filter(|address| address.chars().count() > 3)
}

//! People: who works when, who does what, and who else does where one does not.

use jiff::civil::Date;
use serde_json::Value;

use super::{
    Answer, ReplyDraft,
    hours::{periods, worded},
    wish::Wish,
};
use crate::{
    catalog::Named,
    results::{self, Appointment},
    words::Line,
};

impl ReplyDraft<'_> {
    /// Who works: on a day, of a service, or at all.
    pub(super) fn team(&mut self) {
        let dialogue = self.dialogue;
        // A professional who does not work that day is missing from the list of that day, so the names come from the catalog.
        if !dialogue.catalog.has_professionals() && self.tool("get_services").is_some() {
            self.read("get_services", &[]);
        }
        let text = &dialogue.utterance.text;
        let service = match dialogue.catalog.service_in(text) {
            Named::One(name) => Some(name),
            Named::Several(_) | Named::Unknown(_) | Named::Nothing => None,
        };
        let mut date = dialogue.utterance.days.first().map(|day| day.first);
        if let (Some(service), None) = (&service, date) {
            let list = dialogue.catalog.performers(service);
            if !list.is_empty() {
                self.push_line(Line::Performers { service: service.clone(), list });
                return;
            }
        }
        let all = ["quais", "quantos", "quantas", "quem sao", "which", "how many"];
        if date.is_none() && all.iter().any(|word| balcao_language::contains_word(text, word)) {
            self.push_line(Line::Team { date: None, list: dialogue.catalog.professionals.clone() });
            return;
        }
        date = date.or(Some(dialogue.today()));
        self.team_on(date, service);
    }

    fn team_on(&mut self, date: Option<Date>, service: Option<String>) {
        let dialogue = self.dialogue;
        let text = |value: Option<String>| value.map_or(Value::Null, Value::String);
        let arguments = [("date", text(date.map(|date| date.to_string()))), ("service_name", text(service))];
        let Some(outcome) = self.read("get_barbers", &arguments) else { return };
        let people = outcome.result.get("barbers").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let said = dialogue.catalog.professional_in(&dialogue.utterance.text);
        if let (Named::One(name), Some(date)) = (said, date) {
            let person = people.iter().find(|person| results::text(person, &["name"]).as_ref() == Some(&name));
            let hours = person.map(|person| worded(&periods(person, "works"), self.locale));
            self.push_line(Line::Works { name, date, hours });
            return;
        }
        let row = |person: &Value| {
            let name = results::text(person, &["name"])?;
            let hours = worded(&periods(person, "works"), self.locale);
            Some(if hours.is_empty() { name } else { format!("{name}: {hours}") })
        };
        let list = people.iter().filter_map(row).collect();
        self.push_line(Line::Team { date, list });
    }

    /// Says that the professional does not offer the service, and who does. True if so.
    pub(super) fn not_of_that_professional(&mut self, wish: &Wish) -> bool {
        let catalog = &self.dialogue.catalog;
        let (Some(service), Some(name)) = (&wish.service, &wish.professional) else { return false };
        if catalog.performs(name, service) != Some(false) {
            return false;
        }
        let list = catalog.performers(service);
        self.push_line(Line::DoesNotDo { name: name.clone(), service: service.clone() });
        self.push_line(Line::WhichProfessional { list });
        true
    }

    /// "A Íris faz barba?": answers from the services that the tools returned for that professional. True if the text is such a question.
    pub(super) fn skill(&mut self, question: &str) -> bool {
        let verbs = ["faz", "fazem", "corta", "cortam", "does"];
        if !verbs.iter().any(|verb| balcao_language::contains_word(question, verb)) {
            return false;
        }
        let dialogue = self.dialogue;
        if !dialogue.catalog.has_services() && matches!(self.ask("get_services", &[]), Answer::Asked) {
            return true;
        }
        let Named::One(name) = dialogue.catalog.professional_in(question) else { return false };
        let services = match dialogue.catalog.service_in(question) {
            Named::One(service) => vec![service],
            Named::Several(services) => services,
            Named::Unknown(_) | Named::Nothing => return false,
        };
        let done: Vec<String> =
            services.iter().filter(|one| dialogue.catalog.performs(&name, one) == Some(true)).cloned().collect();
        match services.first() {
            Some(_) if !done.is_empty() => self.push_line(Line::Does { name, services: done }),
            Some(service) if dialogue.catalog.performs(&name, service) == Some(false) => {
                self.push_line(Line::DoesNotDo { name, service: service.clone() });
                self.push_line(Line::Performers {
                    service: service.clone(),
                    list: dialogue.catalog.performers(service),
                });
            }
            Some(_) | None => return false,
        }
        true
    }

    /// A question about a person that touches on that person's restrictions is answered with them.
    pub(super) fn restriction(&mut self, question: &str) -> bool {
        let catalog = &self.dialogue.catalog;
        if !catalog.has_professionals() && matches!(self.ask("get_services", &[]), Answer::Asked) {
            return true;
        }
        let Named::One(name) = catalog.professional_in(question) else { return false };
        let skills = catalog.skills.iter().find(|skills| skills.name == name);
        let Some(text) = skills.and_then(|skills| skills.restrictions.clone()) else { return false };
        let told = balcao_language::search_tokens(&text);
        let asked = balcao_language::search_tokens(question);
        let touches = asked.iter().any(|word| word != "atend" && told.contains(word));
        if touches {
            self.push_line(Line::Restriction { name, text });
        }
        touches
    }

    /// Says why nothing is free: the professional is away that day, the house is closed, or the times are taken.
    pub(super) fn none_free(&mut self, wish: &Wish, date: Date, next: Option<Appointment>) {
        let Some(there) = self.working_on(date, wish.service.as_ref()) else { return };
        match &wish.professional {
            _ if there.as_deref() == Some(&[]) && self.closed_on(date) => {}
            Some(name) if there.as_ref().is_some_and(|there| !there.contains(name)) => {
                self.push_line(Line::Away { name: name.clone(), date });
                let list = there.unwrap_or_default();
                if !list.is_empty() {
                    self.push_line(Line::InsteadThatDay { list });
                }
            }
            professional => self.push_line(Line::NoneFree { date, professional: professional.clone(), part: None }),
        }
        if self.calls.is_empty() {
            self.push_line(next.map_or(Line::AnotherDay, |next| Line::NextFree { next }));
        }
    }

    /// Who works that day and offers the service. `None` while the answer is missing, `Some(None)` if there is none.
    fn working_on(&mut self, date: Date, service: Option<&String>) -> Option<Option<Vec<String>>> {
        let service = service.map_or(Value::Null, |service| Value::String(service.clone()));
        match self.ask("get_barbers", &[("date", Value::String(date.to_string())), ("service_name", service)]) {
            Answer::Asked => None,
            Answer::Ready(outcome) if outcome.code().is_none() => {
                let list = outcome.result.get("barbers").and_then(Value::as_array).map(Vec::as_slice);
                let names = list.unwrap_or_default().iter().filter_map(|person| results::text(person, &["name"]));
                Some(Some(names.collect()))
            }
            Answer::Ready(_) | Answer::Missing => Some(None),
        }
    }

    /// Says that the house is closed, if it is; true also while the answer is missing.
    fn closed_on(&mut self, date: Date) -> bool {
        let outcome = match self.ask("get_business_hours", &[("date", Value::String(date.to_string()))]) {
            Answer::Asked => return true,
            Answer::Ready(outcome) if outcome.code().is_none() => outcome,
            Answer::Ready(_) | Answer::Missing => return false,
        };
        let days = outcome.result.get("days").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let Some(day) = days.first().filter(|day| periods(day, "periods").is_empty()) else { return false };
        self.push_line(Line::HoursOf { date, periods: Vec::new(), note: results::text(day, &["note"]) });
        true
    }
}

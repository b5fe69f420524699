//! What is settled of a booking: the service by its name, the professional as far as one was named.

use balcao_language::{Locale, format};
use serde_json::Value;

use super::{
    Answer, ReplyDraft,
    slots::candidates,
    spoken::spoken_service,
    toolset::{is_calendar, is_intake},
};
use crate::{catalog::Named, nlu::Act, results, state::Question, words::Line};

/// What is settled of a booking.
pub(super) struct Wish {
    pub(super) service: Option<String>,
    pub(super) professional: Option<String>,
}

impl ReplyDraft<'_> {
    /// Service and professional as far as they are known. `None` if something must be asked or fetched first.
    pub(super) fn wish(&mut self) -> Option<Wish> {
        let dialogue = self.dialogue;
        if !dialogue.catalog.has_services() && self.answered("get_services").is_none() {
            match self.ask("get_services", &[]) {
                Answer::Asked => return None,
                Answer::Missing if !self.may_call => {
                    self.push_line(Line::CannotNow);
                    return None;
                }
                // Without a catalog the customer's own words go to the tools, which know aliases.
                Answer::Ready(_) | Answer::Missing => {}
            }
        }
        self.one_at_a_time();
        if let Some(said) = self.foreign_part() {
            match self.resolve(&said) {
                None => return None,
                Some(Named::Unknown(said)) => self.push_line(Line::NotOffered { said }),
                Some(Named::One(_) | Named::Several(_) | Named::Nothing) => {}
            }
        }
        let names: Vec<String> = dialogue.catalog.services.iter().map(|service| service.name.clone()).collect();
        let service = match dialogue.service() {
            Named::Nothing => dialogue.proposal.as_ref().and_then(|proposal| proposal.service.clone()),
            named @ (Named::One(_) | Named::Several(_) | Named::Unknown(_)) => {
                Some(self.service_on_offer(named, &names)?)
            }
        };
        let service = match (service, names.as_slice()) {
            (Some(name), _) => Some(name),
            (None, [only]) => Some(only.clone()),
            (None, _) => match self.spoken_service() {
                Some(said) => Some(self.service_on_offer(Named::Unknown(said), &names)?),
                None => None,
            },
        };
        let professional = match dialogue.professional() {
            // Tools know aliases, but one that errs repeatedly is withdrawn: a second strange name is not tried.
            Named::Unknown(said) if dialogue.nobody_so_named && self.answered("check_availability").is_none() => {
                self.push_line(Line::NoSuchProfessional { said, list: dialogue.catalog.professionals.clone() });
                return None;
            }
            Named::One(name) | Named::Unknown(name) => Some(name),
            Named::Several(list) => {
                self.push_line(Line::WhichProfessional { list });
                return None;
            }
            Named::Nothing => None,
        };
        let wants = dialogue.utterance.is(Act::Book) || dialogue.utterance.is(Act::Want);
        let unanswered = dialogue.asked == Question::Service && dialogue.day.is_none();
        let asks_times = dialogue.utterance.is(Act::Availability) || !wants && dialogue.times.is_empty();
        let only_asks_times = asks_times && !unanswered;
        if service.is_none() && !only_asks_times && !names.is_empty() {
            if let Named::One(name) = dialogue.catalog.professional_in(&dialogue.utterance.text) {
                // Repeated, so that a title or nickname that was taken wrongly comes out.
                self.push_line(Line::With { name });
            }
            self.push_line(Line::AskService { list: names });
            return None;
        }
        let wish = Wish { service, professional };
        if self.not_of_that_professional(&wish) { None } else { Some(wish) }
    }

    /// What stands beside a service and is none that is known: the highlights of "corte e luzes".
    fn foreign_part(&self) -> Option<String> {
        let dialogue = self.dialogue;
        let text = &dialogue.utterance.text;
        let parts: Vec<&str> = text.split(" e ").flat_map(|part| part.split(" and ")).collect();
        let names = |part: &&str| dialogue.catalog.service_in(part) != Named::Nothing;
        if text.contains('?') || parts.len() < 2 || !parts.iter().any(names) {
            return None;
        }
        parts.iter().filter(|part| !names(part)).find_map(|part| {
            let read = crate::nlu::read(part, dialogue.clock(), &[]);
            let said = spoken_service(part, dialogue, true).filter(|_| read.acts.is_empty())?;
            let count = |text: &str| balcao_language::search_tokens(text).len();
            let when = if read.has_when() { 3 } else { 0 };
            (count(part) <= count(&said).saturating_add(when)).then_some(said)
        })
    }

    /// Says which of several wishes comes first, when they are uttered.
    pub(super) fn one_at_a_time(&mut self) {
        let wishes = self.dialogue.catalog.several_in(&self.dialogue.utterance.text);
        let labels: Vec<String> = wishes.iter().map(|wish| self.label(wish)).collect();
        // The same service twice: what tells them apart is when.
        let same = |label: &String| labels.iter().filter(|other| *other == label).count() > 1;
        let told =
            wishes.iter().zip(&labels).map(|(wish, label)| match when_in(wish, self.dialogue.clock(), self.locale) {
                Some(when) if same(label) => format!("{label} {when}"),
                Some(_) | None => label.clone(),
            });
        let mut told: Vec<String> = told.collect();
        if !told.is_empty() {
            let first = told.remove(0);
            self.push_line(Line::OneAtATime { first, rest: told });
        }
    }

    /// A wish in our words: the name of the service and the person that it is for.
    pub(super) fn label(&self, wish: &str) -> String {
        let service = match self.dialogue.catalog.service_in(wish) {
            Named::One(name) => Some(name),
            Named::Several(_) | Named::Unknown(_) | Named::Nothing => None,
        };
        let person = crate::catalog::person_in(wish).map(|person| crate::words::to_you(&person, self.locale));
        match (service, person) {
            (Some(service), None) => service,
            (None, None) => wish.to_owned(),
            (service, Some(person)) => crate::words::wish_of(service.as_deref(), &person, self.locale),
        }
    }

    /// The one service that is meant, by its name; words that the catalog does not have go to the tools. `None` if something
    /// was asked or said instead.
    fn service_on_offer(&mut self, named: Named, names: &[String]) -> Option<String> {
        let named = if let Named::Unknown(said) = &named { self.resolve(said)? } else { named };
        match named {
            Named::One(name) => return Some(name),
            Named::Several(list) => self.push_line(Line::WhichService { list }),
            Named::Unknown(said) => {
                self.push_line(Line::NotOffered { said });
                self.push_line(Line::AskService { list: names.to_vec() });
            }
            Named::Nothing => self.push_line(Line::AskService { list: names.to_vec() }),
        }
        None
    }

    /// What the tools call a service of these words: they know aliases. `None` while the answer is missing.
    ///
    /// `get_barbers` runs first: a tool that errs repeatedly is withdrawn, and without times we cannot book.
    pub(super) fn resolve(&mut self, said: &str) -> Option<Named> {
        if is_intake(self.tools) || is_calendar(self.dialogue, self.tools) {
            // In these cases the catalog holds the aliases itself, or no tool returns them.
            return Some(Named::Unknown(said.to_owned()));
        }
        let key = self.dialogue.catalog.other_act(said).map_or_else(|| said.to_owned(), |other| other.key);
        let key = Value::String(key);
        let known = match self.ask("get_barbers", &[("service_name", key.clone())]) {
            Answer::Ready(outcome) => outcome,
            Answer::Asked => return None,
            Answer::Missing => return Some(Named::One(said.to_owned())),
        };
        match known.code() {
            Some("not_found") => return Some(Named::Unknown(said.to_owned())),
            Some("ambiguous") => return Some(Named::Several(candidates(&known.result))),
            Some(_) | None => {}
        }
        let day = self.dialogue.day.map_or(self.dialogue.today(), |day| day.first);
        let day = Value::String(day.to_string());
        let name = match self.ask("check_availability", &[("date", day), ("service_name", key)]) {
            Answer::Ready(outcome) => results::text(&outcome.result, &["service"]),
            Answer::Asked => return None,
            Answer::Missing => None,
        };
        Some(Named::One(name.unwrap_or_else(|| said.to_owned())))
    }

    /// A service in the customer's own words, where the catalog knows none of that name: an alias that the tool may know.
    pub(super) fn spoken_service(&self) -> Option<String> {
        let answers = self.dialogue.asked == Question::Service;
        let newest = self.dialogue.mentions.iter().rev().take(4);
        newest.enumerate().find_map(|(index, text)| spoken_service(text, self.dialogue, answers && index == 0))
    }
}

/// When a wish is for, as we speak of it: "amanhã (quarta, 25/11) às 14h".
fn when_in(wish: &str, clock: crate::nlu::Clock, locale: Locale) -> Option<String> {
    let read = crate::nlu::read(wish, clock, &[]);
    let day = read.days.first().map(|day| format::day_from(day.first, clock.today, locale));
    let time = read.times.first().map(|time| format::time(*time, locale));
    let at = if locale == Locale::PtBr { "às" } else { "at" };
    match (day, time) {
        (Some(day), Some(time)) => Some(format!("{day} {at} {time}")),
        (day, time) => day.or(time),
    }
}
